// Package forecast computes the power of gates: how probably a better model passes, or how many rows or which effect
// a wanted power takes. A forecast rests on a guess about the model; the guarantee of the gate does not.
package forecast

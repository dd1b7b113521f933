// Package theorem has the transfer theorems, one per function: from accuracy on the sample and privacy to accuracy
// on the population. [All] lists those that conclude about all answers; the others are about one output or one
// selection.
package theorem

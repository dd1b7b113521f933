// Package live has the formulas of the sheet that answers again after an edit: explicit ones that are never below what
// dpcalc computes, and polynomials between values around the start.
package live

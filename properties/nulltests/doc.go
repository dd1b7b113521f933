// Package nulltests shows on simulated data what looking before testing does to a
// p-value, and what a correction repairs.
//
// A sample has n records, each a label and N attributes, all fair and independent signs:
// no attribute has to do with the label. The test of a pattern, one sign per record,
// counts the records whose label agrees with it; its p-value is P[Bin(n,1/2) >=
// count]. An analyst looks at the sample, selects one pattern and reports its p-value. The
// null hypothesis is true, so a report of p <= alpha is a false rejection, and its
// probability should be at most alpha.
//
// How the analyst selects is a [Selection]; the corrected threshold is what package
// pvalue says for it. In a second run one attribute is informative, to see what a
// correction costs.
package nulltests

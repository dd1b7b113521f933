// Package num holds the numerical kernels of dpcalc. Nothing in it knows what a
// probability or a query is: double-double arithmetic, searches that return the
// safe end of a bracket, and special functions in log space.
package num

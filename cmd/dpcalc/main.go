// Dpcalc plans samples that are queried adaptively: how many rows, how many
// queries, what accuracy, with which mechanism and by which theorem.
package main

import "os"

func main() { os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr)) }

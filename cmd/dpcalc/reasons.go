package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/transfer"
)

// reasons collects why methods have no answer, for the lines below a table: each reason
// once, with its methods.
type reasons struct {
	texts   []string
	methods map[string][]string
}

// mostReasons is how many are told.
const mostReasons = 12

// add notes a method's reason. An empty reason is none.
func (r *reasons) add(method, reason string) {
	if reason == "" {
		return
	}
	if r.methods == nil {
		r.methods = make(map[string][]string)
	}
	if !slices.Contains(r.texts, reason) {
		r.texts = append(r.texts, reason)
	}
	if !slices.Contains(r.methods[reason], method) {
		r.methods[reason] = append(r.methods[reason], method)
	}
}

// leavesOut reports whether people do not see a method's row, and notes why.
func (r *reasons) leavesOut(method string, status transfer.Status, reason string) bool {
	if status != transfer.NotApplicable || method == "" {
		return false
	}
	r.add(method, reason)
	return true
}

// lines are the reasons in the order in which they came.
func (r *reasons) lines() []string {
	var lines []string
	for i, text := range r.texts {
		if i == mostReasons {
			return append(lines, fmt.Sprintf("and %d more reasons; -f csv has them all", len(r.texts)-mostReasons))
		}
		lines = append(lines, strings.Join(r.methods[text], ", ")+": "+text)
	}
	return lines
}

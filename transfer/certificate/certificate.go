// Package certificate writes a plan, or the threshold of a p-value, as a file that Coq checks with the theorems of the
// folder proofs. The file has the numbers as fractions, and Coq evaluates their inequality in whole numbers.
package certificate

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/goal"
)

// Of returns the file for an answer, or why there is none.
func Of(m transfer.Method, a transfer.Answer) (string, error) {
	write, ok := writers[m.Name]
	switch {
	case a.Status != transfer.OK:
		return "", errors.New(a.Reason)
	case !ok:
		why := "Coq does not evaluate the numbers of its theorem"
		if said, ok := missing[m.Name]; ok {
			why = said
		}
		return "", fmt.Errorf("no file proves a plan of %s, as %s; want --feedback gate or final, or best with --method ladder", m.Name, why)
	}
	p, err := newPlan(m, a)
	if err != nil {
		return "", err
	}
	if err := write(p); err != nil {
		return "", err
	}
	return p.header() + p.text.String() + ending, nil
}

// writers write the theorems of a plan, by methods.
var writers = map[string]func(p *plan) error{"gate": gate, "ladder": ladder, "sealed": sealed, "open-gate": openGate}

// missing says why the methods whose rows Coq checks have no file.
var missing = map[string]string{
	"gaussian":          "its bound is an integral over normal noise",
	"gaussian-schedule": "its bound is an integral over normal noise",
	"sparse-validate":   "its bound is a sum over widths of cells",
	"rounding-widths":   "its bound is a sum over widths of cells",
	"open-board":        "a file states no steps of a board",
	"open-guess":        "a file states no cells of guesses",
}

// plan is an answer with its numbers as fractions.
type plan struct {
	transfer.Goal
	run  transfer.Mechanism
	name string
	text strings.Builder

	scale    int64    // what tau and the bar are over: of the query (1+f)/2 for a difference f
	tau, bar int64    // over scale
	one      int64    // scale, and half of it for differences: a margin of 1
	beta     fraction // what the plan may fail with
	level    fraction // what one tail may be, of a gate a pass's
	fail     fraction // what the tail of a gate's failure may be
}

// newPlan refuses goals of which a file's theorems know less than the method uses.
func newPlan(m transfer.Method, a transfer.Answer) (*plan, error) {
	g := m.Used(a)
	known := transfer.Goal{Samples: g.Samples, Queries: g.Queries, Tau: g.Tau, Beta: g.Beta, Query: g.Query}
	known.Feedback, known.Passes, known.Bar, known.OneSided, known.Open = g.Feedback, g.Passes, g.Bar, g.OneSided, g.Open
	if m.Name == "ladder" {
		known.Floor = g.Floor
	}
	if g.Decided == transfer.TwoClasses {
		known.Disagreement, known.Checked, known.Decided = g.Disagreement, g.Checked, g.Decided
	}
	gated := g.Query.IsSigned() && m.Name == "gate" // of differences
	switch {
	case g.Query != transfer.Bounded && g.Query != transfer.Binary && !gated:
		return nil, fmt.Errorf("a file proves plans for queries of values in [0,1] and 0/1, and gates of differences, not %s for %s",
			m.Name, g.Query)
	case g.Disagreement > 0 && g.Decided != transfer.TwoClasses:
		return nil, errors.New("a file proves gates of differences with a disagreement for two classes on counted rows alone: " +
			"it evaluates no infimum of exponentials")
	case g != known:
		return nil, errors.New("a file proves plans for independent rows of equal weight and the numbers n, m, tau, " +
			"beta, passes, threshold and floor alone")
	case g.Samples > mostRows:
		return nil, fmt.Errorf("a file proves plans of at most %d rows", mostRows)
	}
	p := &plan{Goal: g, run: a.Mechanism, name: m.Name}
	var err error
	if p.beta, err = betaOf(g.Beta); err != nil {
		return nil, err
	}
	p.Tau = roundedUp(g.Tau)
	ints, scale, err := overOne(p.Tau, g.Bar.Value)
	if err != nil {
		return nil, err
	}
	p.tau, p.bar, p.scale, p.one = ints[0], ints[1], scale, scale
	if g.Query.IsSigned() {
		p.bar, p.scale = p.bar+scale, 2*scale
	}
	return p, nil
}

// mostRows is how many rows Coq counts in some seconds for one tail.
const mostRows = 100_000

// header says what the file is.
func (p *plan) header() string {
	bar := ""
	switch {
	case p.Bar.Given:
		bar = " at the bar " + goal.FormatFloat(p.Bar.Value)
	case p.Floor > 0:
		bar = " above a score of " + goal.FormatFloat(p.Floor)
	}
	modules := "Tree Count Gate Tails Binomial ConvexTail Records Rows Sides Certified Evaluate Differences Plans DifferencePlans"
	switch {
	case p.Feedback == transfer.Best:
		modules += " LadderPlans"
	case p.Open:
		modules += " OpenRows OpenPlans WidePlans"
	case p.classes():
		modules += " LeadPlans LeadCounts LeadGatePlans"
	}
	return opening(fmt.Sprintf("Plan of dpcalc: %s%s, %d independent rows, %d queries, tau = %s, beta = %s.",
		p.name, bar, p.Samples, p.Queries, goal.FormatFloat(p.Tau), p.beta), modules)
}

// opening begins a file about something, with the modules that it needs.
func opening(about, modules string) string {
	return fmt.Sprintf(`(* %s
   With the proofs compiled in the folder proofs: coqc -Q proofs dpcalc FILE *)
From Coq Require Import Reals List ZArith.
From dpcalc Require Import %s.
Import ListNotations.
Open Scope R_scope.

`, about, modules)
}

// fine writes how finely tails of n rows are evaluated, so that a probability of the level keeps 64 bits.
func (p *plan) fine() {
	bits, width := p.precision()
	p.say("Definition fine := {| bits := %d; width := %d |}.\n\n", bits, width)
}

//go:embed text
var texts embed.FS

// fill writes a text with values for its names, in pairs beside the names that every plan has.
func (p *plan) fill(text string, pairs ...any) {
	content, err := texts.ReadFile("text/" + text + ".v")
	if err != nil {
		panic(err) // a test reads each
	}
	bits, width := p.precision()
	values := map[string]any{"n": p.Samples, "m": p.Queries, "B": p.AllPasses(), "d": p.scale, "s": p.tau, "beta": p.beta,
		"b": p.beta.apart(), "level": p.level, "l": p.level.apart(), "bits": bits, "width": width, "given": "", "names": ""}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i].(string)] = pairs[i+1]
	}
	p.text.WriteString(os.Expand(string(content), func(name string) string { return fmt.Sprint(values[name]) }))
}

func (p *plan) say(format string, values ...any) { fmt.Fprintf(&p.text, format, values...) }

// proof ends a theorem whose decision Coq evaluates, and ending a file.
const (
	proof  = "vm_cast_no_check (eq_refl true). Qed.\n\n"
	ending = "Print Assumptions plan.\n"
)

// Package certificate writes a plan, or the threshold of a p-value, as a file that Coq checks with the theorems of the
// folder proofs. The file has the numbers as fractions, and Coq evaluates their inequality in whole numbers.
package certificate

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"maps"
	"strings"
	"text/template"

	"github.com/dpcalc/dpcalc/transfer"
)

// Of returns the file for an answer, or why there is none.
func Of(m transfer.Method, a transfer.Answer) (string, error) {
	write, ok := writers[m.Name]
	switch {
	case a.Status != transfer.OK:
		return "", errors.New(a.Reason)
	case !ok:
		why := cmp.Or(missing[m.Name], "Coq does not evaluate the numbers of its theorem")
		return "", fmt.Errorf("no file proves a plan of %s, as %s; want --feedback gate or final, best with --open or --method ladder, or answers with --method gaussian-schedule", m.Name, why)
	}
	p, err := newPlan(m, a)
	if err != nil {
		return "", err
	}
	text, err := write(p)
	if err != nil {
		return "", err
	}
	return p.filled("plan") + p.text + p.filled(text) + p.minimum + ending, nil
}

// writers find what bounds the tails of a plan, by methods, and return the text of its theorem.
var writers = map[string]func(p *plan) (text string, err error){"gate": gate, "ladder": ladder, "sealed": sealed,
	"open-gate": openGate, "open-board": openBoard, "gaussian-schedule": noisy}

// missing says why the methods whose rows Coq checks have no file.
var missing = map[string]string{
	"gaussian":        "its one noise is certified for all answers together",
	"sparse-validate": "its bound is a sum over widths of cells",
	"rounding-widths": "its bound is a sum over widths of cells",
	"open-guess":      "a file states no cells of guesses",
}

// plan is an answer with its numbers as fractions, and the file as far as it is written.
type plan struct {
	transfer.Goal
	run     transfer.Mechanism
	values  map[string]any // of the names in texts
	text    string         // before the theorem
	minimum string         // the theorem about one row fewer, if there is one

	scale    int64    // what tau and the bar are over: of the query (1+f)/2 for a difference f
	tau, bar int64    // over scale; the bar is the floor of a board
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
	p := &plan{Goal: g, run: a.Mechanism, values: map[string]any{"method": m.Name, "answers": nil}}
	var err error
	digits := 9
	if m.Scheduled { // whose sum is a search's to about as many
		digits = 7
	}
	if p.beta, err = betaOf(g.Beta, digits); err != nil {
		return nil, err
	}
	p.Tau = roundedUp(g.Tau, 10)
	ints, over := overOne(p.Tau, g.Bar.Or(g.Floor))
	if over.BitLen() > 57 {
		return nil, errors.New("a file proves plans whose numbers have at most 17 decimals")
	}
	p.tau, p.bar, p.scale, p.one = ints[0].Int64(), ints[1].Int64(), over.Int64(), over.Int64()
	if g.Query.IsSigned() {
		p.bar, p.scale = p.bar+p.one, 2*p.one
	}
	return p, nil
}

// mostRows is how many rows Coq counts in some seconds for one tail.
const mostRows = 100_000

// finer returns the plan over the least power of ten times its scale that is at least so much.
func (p *plan) finer(least int64) *plan {
	q := *p
	for q.scale < least {
		q.tau, q.bar, q.scale, q.one = 10*q.tau, 10*q.bar, 10*q.scale, 10*q.one
	}
	return &q
}

//go:embed text
var texts embed.FS

// filled returns a text, a template in which ${.name} is a value: of the plan, of an earlier text, or of this one by
// pairs of a name and a value.
func (p *plan) filled(text string, pairs ...any) string {
	bits, width := p.precision()
	maps.Copy(p.values, map[string]any{"goal": p.Goal, "n": p.Samples, "m": p.Queries, "B": p.AllPasses(),
		"signed": p.Query.IsSigned(), "counted": p.Query.IsZeroOne(),
		"both": p.isTwoSided(), "board": p.Feedback == transfer.Best,
		"d": p.scale, "one": p.one, "s": p.tau, "c": p.bar, "shown": p.bar + p.one - p.scale, "beta": p.beta, "b": p.beta.apart(),
		"level": p.level, "l": p.level.apart(), "fail": p.fail, "e": p.fail.apart(), "bits": bits, "width": width})
	for i := 0; i < len(pairs); i += 2 {
		p.values[pairs[i].(string)] = pairs[i+1]
	}
	return filled(text, p.values)
}

// fill writes a text before the theorem.
func (p *plan) fill(text string, pairs ...any) { p.text += p.filled(text, pairs...) }

func filled(text string, values map[string]any) string {
	var b strings.Builder
	all := template.Must(template.New("").Delims("${", "}").Option("missingkey=error").ParseFS(texts, "text/*.v"))
	if err := all.ExecuteTemplate(&b, text+".v", values); err != nil {
		panic(err) // a test fills each
	}
	return b.String()
}

// ending ends a file.
const ending = "Print Assumptions plan.\n"

package holdout

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/fixed"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/plans"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// drawn is a random plan of a method: with every flag that belongs to its feedback, a floor, and each of tau, beta and
// the number of looks left open, or none.
func drawn(r *rand.Rand, method string) (t Terms, samples int64) {
	pick := func(list ...float64) float64 { return list[r.IntN(len(list))] }
	m, _ := transfer.Lookup(method)
	feedbacks := []transfer.Feedback{transfer.Answers, transfer.Gate, transfer.Best, transfer.Flags, transfer.Final}
	g := transfer.Goal{Queries: int64(math.Exp(r.Float64() * math.Log(pick(2, 20, 5000)))), Query: transfer.Bounded}
	for g.Feedback = feedbacks[r.IntN(5)]; !m.Serves(g.Feedback); {
		g.Feedback = feedbacks[r.IntN(5)]
	}
	samples = int64(pick(1, 20, 300, 20_000)) + r.Int64N(400)
	g.Tau = pick(0.3, 0.05) + 0.3*r.Float64()
	g.Beta = theory.LogProb(math.Log(pick(0.5, 0.05, 1e-9) * (1 - r.Float64()/2)))
	g.OneSided = r.IntN(4) == 0
	known := r.IntN(30) == 0 && samples < 1000 // plans of low variance take long
	switch r.IntN(4) {
	case 0:
		if g.Query = transfer.Binary; known {
			g.AtLeast = 0.5 + 0.5*r.Float64()
		}
	case 1:
		if g.Query = transfer.Difference; known || r.IntN(2) == 0 && !strings.HasPrefix(method, "gaussian") {
			g.Disagreement, g.Checked = pick(0.1, 1)*(1-r.Float64()), r.IntN(3) == 0
		}
	case 2:
		if known {
			g.Variance = 0.25 * (1 - r.Float64())
		}
	}
	switch g.Feedback {
	case transfer.Gate:
		g.Passes = r.Int64N(g.Queries + 1)
		if r.IntN(2) == 0 {
			g.Bar = transfer.Some(pick(0, 0.1, 0.5, r.Float64()))
		}
	case transfer.Best:
		g.Floor = pick(0, 0.5, r.Float64())
	case transfer.Flags:
		g.Budget = 1 + r.Int64N(min(g.Queries, 6))
		switch r.IntN(3) {
		case 0:
			g.Hold = g.Tau * (0.1 + 0.85*r.Float64())
		case 1:
			g.GuessError = transfer.Some(g.Tau * 0.9 * r.Float64())
		}
	}
	shown := g.Feedback == transfer.Best || g.Feedback == transfer.Final
	if strings.HasPrefix(method, "gaussian") && g.Query != transfer.Difference && !shown && r.IntN(3) == 0 {
		if g.Arrival = (&transfer.Arrival{Rows: 1 + r.Int64N(samples), Queries: 1 + g.Queries/5}); r.IntN(2) == 0 {
			last := g.Queries + 1
			g.Samples = (samples + 1) / 2
			second := transfer.Stage{More: r.Int64N(samples), Until: last + 1}
			g.Arrival = &transfer.Arrival{Stages: []transfer.Stage{{Until: (last + 1) / 2}, second}}
		}
	}
	switch r.IntN(4) {
	case 0:
		g.Tau = 0
	case 1:
		g.Beta = 0
	case 2:
		if g.Queries = 0; g.Feedback == transfer.Flags || g.Arrival != nil {
			g.Queries = 50
		}
		if r.IntN(2) == 0 && method == fixed.OpenMethod && g.Arrival == nil {
			g.Tau = 0
		}
	}
	return Terms{Goal: g, Method: method}, samples
}

// What init has certified verifies: what is run satisfies the inequality of its theorem, whatever was left open.
func TestNewPlansVerify(t *testing.T) {
	draws := map[string]int{"gate": 1500, "sealed": 1500, "splitting": 1500, "ladder": 200}
	for _, method := range Methods() {
		t.Run(method, func(t *testing.T) {
			r, made := rand.New(rand.NewChaCha8(sha256.Sum256([]byte(method)))), 0
			all := cmp.Or(draws[method], 300)
			run := lawtest.Draws(t, all)
			for range run {
				terms, samples := drawn(r, method)
				plan, err := Certify(terms, samples)
				if err != nil {
					if !expected(err) {
						t.Errorf("%d rows, %s: %v", samples, described(terms.Goal), err)
					}
					continue
				}
				if err := reverified(plan); err != nil {
					t.Errorf("%d rows, %s: %v", samples, described(terms.Goal), err)
				}
				made++
			}
			if made*all < 80*run {
				t.Errorf("%d plans of %d draws, want 80 of %d", made, run, all)
			}
			t.Logf("%d plans", made)
		})
	}
}

// expected reports whether a goal is refused as it should be, and not by what init has made itself.
func expected(err error) bool {
	none, corrupt := (*PlanError)(nil), (*CorruptError)(nil)
	return !errors.As(err, &corrupt) && (!errors.As(err, &none) || !strings.Contains(none.Reason, "plan.json"))
}

// reverified reads a plan from its bytes and verifies it.
func reverified(p *Plan) error {
	if err := encode(p); err != nil {
		return err
	}
	again, err := plans.Decode(p.Sealed)
	if err != nil {
		return err
	}
	return again.Certified()
}

func described(g transfer.Goal) string { return fmt.Sprintf("%+v", g) }

// A plan that promises a little more than its theorem certifies does not verify: a lesser tau, a lesser beta, and what
// the method does not speak of, for each method.
func TestPromisesBeyondTheTheorem(t *testing.T) {
	best := transfer.Shown{Feedback: transfer.Best, Floor: 0.3}
	flags := transfer.Shown{Feedback: transfer.Flags}
	known := transfer.Shown{Feedback: transfer.Gate, Passes: 2, Bar: transfer.Some(0.5)}
	for _, c := range []struct {
		method string
		query  transfer.Query
		shown  transfer.Shown
	}{
		{"gaussian-schedule", transfer.Bounded, transfer.Shown{}},
		{"gaussian", transfer.Bounded, transfer.Shown{}},
		{"gate", transfer.Bounded, transfer.Shown{Feedback: transfer.Gate, Passes: 2}},
		{"gate", transfer.Binary, known},
		{"ladder", transfer.Bounded, best},
		{"ladder", transfer.Binary, best},
		{"sparse-validate", transfer.Bounded, flags},
		{"sealed", transfer.Bounded, transfer.Shown{Feedback: transfer.Final}},
		{"splitting", transfer.Bounded, transfer.Shown{}},
	} {
		goal := transfer.Goal{Queries: 6, Beta: beta(t, "0.05"), Query: c.query, Shown: c.shown}
		if c.method == "sparse-validate" {
			goal.Budget = 3
		}
		plan, err := Certify(Terms{Goal: goal, Method: c.method}, 1200)
		if err != nil {
			t.Errorf("%s: %v", c.method, err)
			continue
		}
		if err := reverified(plan); err != nil {
			t.Errorf("%s for %s values: %v", c.method, c.query, err)
		}
		for name, change := range map[string]func(*Plan){
			"a lesser tau":  func(p *Plan) { p.Promise.Tau *= 0.98 },
			"a lesser beta": func(p *Plan) { p.Promise.Beta -= 0.1 },
			"more looks":    func(p *Plan) { p.Promise.Queries *= 2 },
			"other feedback": func(p *Plan) {
				p.Promise.Feedback, p.Promise.Floor, p.Promise.Flags, p.Promise.Passes, p.Promise.Bar = "gate", 0, 0, 0, nil
				if c.shown.Feedback != transfer.Best {
					p.Promise.Feedback = "best"
				}
			},
			"more than the method runs": func(p *Plan) { p.Mechanism.PassCount, p.Mechanism.Parts = 3, 2 },
		} {
			if name == "other feedback" && c.shown.Feedback == transfer.Answers {
				continue // for which a method for answers serves too
			}
			changed := *plan
			change(&changed)
			if err := reverified(&changed); err == nil {
				t.Errorf("%s for %s values: %s verifies", c.method, c.query, name)
			}
		}
	}
}

// A ledger whose plan has no certificate does not verify, and takes no new look: the line says which theorem the plan
// has lost, and why. A look that was shown is repeated.
func TestUncertifiedLedger(t *testing.T) {
	for name, c := range tornCases(t) {
		ids, classes := rowsOf(t, c.rows, 1)
		labels := LabelsOf(t, ids, classes)
		l, dir := ledgerOf(t, labels, c.terms)
		asked := func(k int) Submission { return c.look(Columns(ids, right(classes, c.right[k]*c.rows/1000)), k) }
		first := takes(t, l, asked(0))
		_, lines, err := l.Read()
		if err != nil {
			t.Fatal(err)
		}
		lost := *l.plan
		lost.Promise.Tau /= 10
		lost.Promise.Hold /= 10
		if err := encode(&lost); err != nil {
			t.Fatal(err)
		}
		fresh, err := reread(&lost, "")
		if err != nil {
			t.Fatal(err)
		}
		looks := fresh.appended(t, each.Of(lines, func(l Line) form.Line { return l.Line })...)
		for file, text := range map[string][]byte{planFile: lost.Sealed, looksFile: looks} {
			if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		method, _ := transfer.Lookup(lost.Method)
		goal, err := rule.GoalOf(lost.Promise, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := method.Solve(goal)
		if err != nil || answer.Status == theory.OK {
			t.Fatalf("%s: %+v, %v", name, answer, err)
		}
		want := "plan.json: the plan has no certificate by the theorem of " + lost.Method + ": " + answer.Reason
		refused := func(what string, err error) {
			if corrupt := (*CorruptError)(nil); !errors.As(err, &corrupt) || err.Error() != want {
				t.Errorf("%s: %s: %v, want %s", name, what, err, want)
			}
		}
		_, err = Verify(dir, "")
		refused("verify", err)
		if l, err = Open(dir, labels); err != nil {
			t.Fatal(err)
		}
		_, err = l.Score(context.Background(), asked(1))
		refused("a new look", err)
		_, err = l.Preview(asked(1))
		refused("a preview of one", err)
		if again := takes(t, l, asked(0)); !again.Known || printed(again.Response) != printed(first.Response) ||
			again.Verdict != first.Verdict {
			t.Errorf("%s: the look %+v is repeated as %+v", name, first, again)
		}
		if text := files(t, dir)[looksFile]; text != string(looks) {
			t.Errorf("%s: something was written: %s", name, text)
		}
	}
}

// A plan whose promise is none is not the fault of who asks: the line names the member of plan.json.
func TestPromiseThatIsNone(t *testing.T) {
	ids, classes := rowsOf(t, 200, 1)
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), termsOf(5, 0.4, beta(t, "0.1"), "gaussian"))
	for want, change := range map[string]func(*Promise){
		"plan.json: samples: got -1, want ": func(p *Promise) { p.Samples = -1 },
		"plan.json: queries: got -1, want ": func(p *Promise) { p.Queries = -1 },
		"plan.json: tau: got -1, want ":     func(p *Promise) { p.Tau = -1 },
		"plan.json: got no samples":         func(p *Promise) { p.Samples = 0 },
	} {
		none := *l.plan
		change(&none.Promise)
		if err := encode(&none); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, planFile), none.Sealed, 0o600); err != nil {
			t.Fatal(err)
		}
		corrupt, domain := (*CorruptError)(nil), (*theory.DomainError)(nil)
		_, err := Verify(dir, "")
		if !errors.As(err, &corrupt) || errors.As(err, &domain) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A ledger under which the plan is replaced takes no look, shows nothing, and repeats nothing. Once the plan is as it
// was, it goes on.
func TestReplacedPlan(t *testing.T) {
	ids, classes := rowsOf(t, 300, 1)
	labels := LabelsOf(t, ids, classes)
	l, dir := ledgerOf(t, labels, termsOf(5, 0.4, beta(t, "0.1"), "gaussian"))
	_, other := ledgerOf(t, labels, termsOf(5, 0.5, beta(t, "0.1"), "gaussian"))
	own, put := files(t, dir)[planFile], files(t, other)[planFile]
	ask := func(right float64) (Answer, error) {
		return l.Score(context.Background(), Submission{Values: Columns(ids, guesses(classes, right, 1))})
	}
	for _, looked := range []bool{false, true} { // before the first look, and after it
		if err := os.WriteFile(filepath.Join(dir, planFile), []byte(put), 0o600); err != nil {
			t.Fatal(err)
		}
		replaced := (*ReplacedError)(nil)
		for _, right := range []float64{0.5, 0.6} {
			if a, err := ask(right); !errors.As(err, &replaced) || a.Response != nil {
				t.Errorf("looked %v: %+v, %v", looked, a, err)
			}
		}
		if _, err := l.Preview(Submission{Values: Columns(ids, classes)}); !errors.As(err, &replaced) {
			t.Errorf("looked %v: a preview: %v", looked, err)
		}
		if _, _, err := l.Read(); !errors.As(err, &replaced) {
			t.Errorf("looked %v: the status: %v", looked, err)
		}
		if err := os.WriteFile(filepath.Join(dir, planFile), []byte(own), 0o600); err != nil {
			t.Fatal(err)
		}
		if a, err := ask(0.5); err != nil || a.Look != 1 {
			t.Errorf("looked %v: the plan is as it was: %+v, %v", looked, a, err)
		}
	}
}

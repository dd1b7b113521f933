package holdout

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

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
	switch r.IntN(4) {
	case 0:
		g.Tau = 0
	case 1:
		g.Beta = 0
	case 2:
		if g.Queries = 0; g.Feedback == transfer.Flags {
			g.Queries = 50
		}
	}
	return Terms{Goal: g, Method: method}, samples
}

// What init has certified verifies: what is run satisfies the inequality of its theorem, whatever was left open.
func TestNewPlansVerify(t *testing.T) {
	draws := map[string]int{"gate": 1500, "sealed": 1500, "splitting": 1500, "ladder": 200}
	for i, p := range practices {
		t.Run(p.method, func(t *testing.T) {
			r, made := rand.New(rand.NewPCG(39, uint64(i))), 0
			for range cmp.Or(draws[p.method], 300) {
				terms, samples := drawn(r, p.method)
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
			if made < 80 {
				t.Errorf("%d plans, want hundreds", made)
			}
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
	if err := p.encode(); err != nil {
		return err
	}
	again, err := decodePlan(p.sealed)
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

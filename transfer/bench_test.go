package transfer

import (
	"math"
	"slices"
	"strconv"
	"testing"
)

// One solve for n, tau_achieved and the mechanism included: closed forms below 50
// microseconds, optimised methods below 2 ms.
func BenchmarkSolve(b *testing.B) {
	for _, m := range Methods() {
		b.Run(m.Name, func(b *testing.B) {
			g := shownBy(m, Goal{Queries: 1000, Tau: 0.1, Beta: lp("0.05"), Budget: 10})
			if m.Name == "binomial" {
				g.Query = Binary
			}
			if m.NeedsTranscripts() {
				g.Transcripts = 1000
			}
			for b.Loop() {
				if a, err := m.Solve(g); err != nil || a.Status != OK {
					b.Fatalf("%+v, %v", a, err)
				}
			}
		})
	}
}

// The binomial row above 10,000 rows, where no binomial tail is computed: below 2 ms a solve,
// whatever is unknown.
func BenchmarkBinomialAboveExact(b *testing.B) {
	method, _ := Lookup("binomial")
	for _, c := range []struct {
		name string
		goal Goal
	}{
		{"usual", Goal{Queries: 150, Tau: 0.01, Beta: lp("0.05")}},
		{"large", Goal{Queries: 1e6, Tau: 1e-6, Beta: lp("1e-9")}},
		{"search", Goal{Queries: 1, Tau: 0.2, Beta: lp("1e-4343")}},
		{"wide", Goal{Queries: 1, Tau: 0.6, Beta: lp("1e-43430")}},
	} {
		goal := c.goal
		goal.Query = Binary
		plan, err := method.Solve(goal)
		if err != nil || plan.Samples <= 10_000 {
			b.Fatalf("%+v, %v", plan, err)
		}
		for _, unknown := range []Unknown{Samples, Queries, Tau, Beta} {
			goal := plan.Goal
			switch unknown {
			case Samples:
				goal.Samples = 0
			case Queries:
				goal.Queries = 0
			case Tau:
				goal.Tau = 0
			default:
				goal.Beta = 0
			}
			b.Run(c.name+"/"+unknown.String(), func(b *testing.B) {
				for b.Loop() {
					if a, err := method.Solve(goal); err != nil || a.Status != OK {
						b.Fatalf("%+v, %v", a, err)
					}
				}
			})
		}
	}
}

// The rows of a grid for one noise, 16 numbers of queries by 16 accuracies: below 0.4 ms each.
func BenchmarkGaussianGrid(b *testing.B) {
	method, _ := Lookup("gaussian")
	rows := 0
	for b.Loop() {
		for i := range 16 {
			m := int64(10 * math.Pow(1e5, float64(i)/15))
			for j := range 16 {
				g := Goal{Queries: m, Tau: 0.01 * math.Pow(10, float64(j)/15), Beta: lp("0.05")}
				if a, err := method.Solve(g); err != nil || a.Status != OK {
					b.Fatalf("%+v, %v", a, err)
				}
				rows++
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(rows), "µs/row")
}

// The goals of a grid by all methods that a table compares, 100 accuracies for each number of queries: in a chain they
// take about a third of what they take alone.
func BenchmarkChain(b *testing.B) {
	methods := slices.DeleteFunc(MethodsFor(Answers), func(m Method) bool { return !m.Adaptive })
	for _, alone := range []bool{false, true} {
		b.Run(map[bool]string{false: "chain", true: "alone"}[alone], func(b *testing.B) {
			goals := 0
			for b.Loop() {
				for _, m := range []int64{10, 100, 1000, 10_000, 100_000, 1_000_000} {
					chain := NewChain(methods)
					for i := range 100 {
						if alone {
							chain = NewChain(methods)
						}
						g := Goal{Queries: m, Tau: 0.01 * math.Pow(10, float64(i)/99), Beta: lp("0.05")}
						if _, best, err := chain.Solve(nil, g); err != nil || best < 0 {
							b.Fatalf("%+v: %d, %v", g, best, err)
						}
						goals++
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(goals), "µs/goal")
		})
	}
}

// Plans by a schedule grow slowly with the number of queries: below 10 ms for a thousand, 0.3 s for a million.
func BenchmarkGaussianSchedule(b *testing.B) {
	method, _ := Lookup("gaussian-schedule")
	for _, m := range []int64{10, 100, 1000, 10_000, 1_000_000} {
		b.Run(strconv.FormatInt(m, 10), func(b *testing.B) {
			for b.Loop() {
				if a, err := method.Solve(Goal{Queries: m, Tau: 0.1, Beta: lp("0.05")}); err != nil || a.Status != OK {
					b.Fatalf("%+v, %v", a, err)
				}
			}
		})
	}
}

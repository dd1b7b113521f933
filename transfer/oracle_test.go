package transfer

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

func lp(text string) theory.LogProb {
	p, err := theory.ParseLogProb(text)
	if err != nil {
		panic(err)
	}
	return p
}

// randomGoal reaches the corners: tau to 1e-6, beta to 1e-300 and close to one,
// m to 1e15, budgets to m.
func randomGoal(r *rand.Rand) Goal {
	logUniform := func(lo, hi float64) float64 { return math.Exp(math.Log(lo) + r.Float64()*math.Log(hi/lo)) }
	g := Goal{
		Queries: int64(logUniform(1, 1e15)),
		Tau:     logUniform(1e-6, 0.999),
		Beta:    theory.LogProb(-logUniform(1e-3, 690)),
	}
	if r.IntN(4) == 0 {
		g.Queries = 1 + r.Int64N(20)
	}
	g.Budget = 1 + int64(logUniform(1, float64(g.Queries)))
	g.Budget = min(g.Budget, g.Queries)
	return g
}

// demands says, for each closed method, whether n rows satisfy its inequality.
var demands = map[string]func(g Goal, n int64) bool{
	"hoeffding": func(g Goal, n int64) bool {
		return whole(2 * n).Times(tauSquared(g)).AtLeast(oracleLevel(g, 2))
	},
	"splitting": func(g Goal, n int64) bool {
		return n%g.Queries == 0 && whole(2*(n/g.Queries)).Times(tauSquared(g)).AtLeast(oracleLevel(g, 2))
	},
	"rounding": func(g Goal, n int64) bool {
		if g.Queries == 1 {
			return whole(2 * n).Times(tauSquared(g)).AtLeast(oracleLevel(g, 2))
		}
		// No L may be left out: golden section from a coarse grid to the real optimum,
		// then every L near it, and L = 1, which is a second local optimum for tau > 1/2.
		a := math.Log(2*float64(g.Queries)) - g.Beta.Ln()
		need := func(l float64) float64 {
			return (a + float64(g.Queries-1)*math.Log(l)) / (2 * math.Pow(g.Tau-1/(2*l), 2))
		}
		first := math.Floor(1/(2*g.Tau)) + 1
		at := first
		for l := first; l < 1e18; l *= 1.2 {
			if need(l) < need(at) {
				at = l
			}
		}
		lo, hi := math.Max(at/1.2, first), at*1.2
		for range 200 {
			x, y := lo+0.382*(hi-lo), lo+0.618*(hi-lo)
			if need(x) < need(y) {
				hi = y
			} else {
				lo = x
			}
		}
		candidates := []int64{1}
		for l := max(int64(lo)-60, int64(first)); l <= int64(lo)+60; l++ {
			candidates = append(candidates, l)
		}
		fixed := oracleLevel(g, 2)
		return slices.ContainsFunc(candidates, func(l int64) bool {
			// Where float64, with an error of some 1e-15, is sure, no digits are needed.
			if gap := float64(n)/need(float64(l)) - 1; math.Abs(gap) > 1e-12 {
				return gap > 0 && g.Tau > 1/(2*float64(l))
			}
			t := number(g.Tau).Minus(whole(1).Over(whole(2 * l)))
			level := fixed.Plus(whole(g.Queries - 1).Times(whole(l).Ln()))
			return t.Sign() > 0 && whole(2*n).Times(t).Times(t).AtLeast(level)
		})
	},
	"dp": func(g Goal, n int64) bool { // tanh(tau/4) = (e-1)/(e+1), e = exp(tau/2)
		e := number(g.Tau / 2).Exp()
		gap := number(g.Tau).Minus(e.Minus(whole(1)).Over(e.Plus(whole(1))))
		return whole(2 * n).Times(gap).Times(gap).AtLeast(oracleLevel(g, int64(g.Sides())))
	},
	"dp-maxinfo": func(g Goal, n int64) bool {
		return whole(n).Times(tauSquared(g)).AtLeast(oracleLevel(g, int64(g.Sides())))
	},
	"dp-dwork15": func(g Goal, n int64) bool {
		return whole(n).Times(tauSquared(g)).AtLeast(oracleLevel(g, int64(3*g.Sides())))
	},
	"dp-approx-dwork15": func(g Goal, n int64) bool {
		return whole(n).Times(tauSquared(g)).AtLeast(whole(48).Times(oracleLevel(g, 8)))
	},
	"gate-renggli19": func(g Goal, n int64) bool { // never retired: 2^m, but for one test
		if g.Queries == 1 {
			return whole(2 * n).Times(tauSquared(g)).AtLeast(number(-g.Beta.Ln()))
		}
		level := whole(g.Queries).Times(whole(2).Ln()).Minus(number(g.Beta.Ln()))
		return whole(2 * n).Times(tauSquared(g)).AtLeast(level)
	},
	"ladder-blum15": func(g Goal, n int64) bool {
		// d ln of the need in ln eta, which grows, is 0 at the optimum.
		m, lo, hi := float64(g.Queries), 0.0, g.Tau
		for range 80 {
			eta := lo + (hi-lo)/2
			top := (1+2*eta)*math.Log(4*m/eta) + eta*(1-g.Beta.Ln())
			if 2*eta/(g.Tau-eta) < (math.Log(4*m/eta)+1+2*eta)/top {
				lo = eta
			} else {
				hi = eta
			}
		}
		eta := number(lo)
		count := whole(1).Over(eta).Plus(whole(2)).Times(whole(4).Times(whole(g.Queries)).Over(eta).Ln())
		gap := number(g.Tau).Minus(eta)
		return whole(2 * n).Times(gap).Times(gap).AtLeast(count.Plus(whole(1)).Minus(number(g.Beta.Ln())))
	},
	"thresholdout-dwork15-n0": oracleN0,
	"thresholdout-dwork15-n1": oracleN1,
	"thresholdout-dwork15":    func(g Goal, n int64) bool { return oracleN0(g, n) || oracleN1(g, n) },
}

func tauSquared(g Goal) dec { return number(g.Tau).Times(number(g.Tau)) }

// oracleLevel is ln(c m/beta).
func oracleLevel(g Goal, c int64) dec {
	return lnProduct(c, g.Queries).Minus(number(g.Beta.Ln()))
}

// lnProduct is ln(c m). It is kept, because a goal is asked for more than one n.
func lnProduct(c, m int64) dec {
	key := [2]int64{c, m}
	if ln, ok := lnProducts.Load(key); ok {
		return ln.(dec)
	}
	ln := whole(c).Times(whole(m)).Ln()
	lnProducts.Store(key, ln)
	return ln
}

var lnProducts sync.Map

// With t = tau/8 and b = beta/(2m): n >= 2B/(sigma t) and n >= ln(6/b)/t^2.
func oracleN0(g Goal, n int64) bool {
	t := number(g.Tau).Over(whole(8))
	sigma := number(g.Tau).Over(whole(96).Times(oracleLevel(g, 4)))
	return whole(n).Times(sigma).Times(t).AtLeast(whole(2*g.Budget)) &&
		whole(n).Times(t).Times(t).AtLeast(oracleLevel(g, 12))
}

func oracleN1(g Goal, n int64) bool {
	t := number(g.Tau).Over(whole(8))
	sigma := number(g.Tau).Over(whole(96).Times(oracleLevel(g, 4)))
	lnTwoOverDelta := whole(2).Ln().Plus(whole(4).Over(t).Times(oracleLevel(g, 16)))
	// sqrt(32 B ln(2/delta))/(sigma n) <= t/4
	noise := whole(32).Times(whole(g.Budget)).Times(lnTwoOverDelta).Root()
	return whole(n).Times(sigma).Times(t).Over(whole(4)).AtLeast(noise) &&
		whole(n).Times(t).Times(t).AtLeast(whole(48).Times(oracleLevel(g, 16)))
}

// The printed n satisfies the inequality and n-1 (one part less, for splitting)
// does not.
func TestClosedMethodsAreExactCeilings(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, m := range Methods() {
		if _, ok := m.rule.(solver.Closed); !ok {
			continue
		}
		demand, ok := demands[m.Name]
		if !ok {
			t.Errorf("%s: no oracle", m.Name)
			continue
		}
		answered, draws := 0, lawtest.Draws(t, 300)
		for range draws {
			g := shownBy(m, randomGoal(r))
			a, err := m.Solve(g)
			if err != nil {
				t.Fatalf("%s %+v: %v", m.Name, g, err)
			}
			if a.Status == Infeasible {
				if demand(g, MaxCount) && m.Name != "splitting" {
					t.Errorf("%s %+v: infeasible (%s), but 2^53 samples satisfy the inequality", m.Name, g, a.Reason)
				}
				continue
			}
			if a.Status != OK {
				t.Fatalf("%s %+v: %s (%s)", m.Name, g, a.Status, a.Reason)
			}
			answered++
			step := int64(1)
			if m.Name == "splitting" {
				step = g.Queries
			}
			if !demand(g, a.Samples) || a.Samples > step && demand(g, a.Samples-step) {
				t.Errorf("%s %+v: n = %d is not the least", m.Name, g, a.Samples)
			}
		}
		if answered < draws/3 {
			t.Errorf("%s: only %d of %d random goals were answered", m.Name, answered, draws)
		}
	}
}

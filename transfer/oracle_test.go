package transfer

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"github.com/dpcalc/dpcalc/theory"
)

// The oracle writes each inequality once more, from the statement, in decimal
// arithmetic of 50 digits.
type dec struct{ *apd.Decimal }

var digits = apd.BaseContext.WithPrecision(50)

func number(x float64) dec {
	d, _, err := apd.NewFromString(strconv.FormatFloat(x, 'e', 400, 64)) // all its digits
	if err != nil {
		panic(err)
	}
	return dec{d}
}

func whole(n int64) dec { return dec{apd.New(n, 0)} }

func calc(f func(*apd.Decimal) (apd.Condition, error)) dec {
	d := new(apd.Decimal)
	if _, err := f(d); err != nil {
		panic(err)
	}
	return dec{d}
}

func (a dec) plus(b dec) dec {
	return calc(func(d *apd.Decimal) (apd.Condition, error) { return digits.Add(d, a.Decimal, b.Decimal) })
}
func (a dec) minus(b dec) dec {
	return calc(func(d *apd.Decimal) (apd.Condition, error) { return digits.Sub(d, a.Decimal, b.Decimal) })
}
func (a dec) times(b dec) dec {
	return calc(func(d *apd.Decimal) (apd.Condition, error) { return digits.Mul(d, a.Decimal, b.Decimal) })
}
func (a dec) over(b dec) dec {
	return calc(func(d *apd.Decimal) (apd.Condition, error) { return digits.Quo(d, a.Decimal, b.Decimal) })
}
func (a dec) ln() dec {
	return calc(func(d *apd.Decimal) (apd.Condition, error) { return digits.Ln(d, a.Decimal) })
}
func (a dec) root() dec {
	return calc(func(d *apd.Decimal) (apd.Condition, error) { return digits.Sqrt(d, a.Decimal) })
}
func (a dec) atLeast(b dec) bool { return a.Cmp(b.Decimal) >= 0 }

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
		return whole(2 * n).times(tauSquared(g)).atLeast(oracleLevel(g, 2))
	},
	"splitting": func(g Goal, n int64) bool {
		return n%g.Queries == 0 && whole(2*(n/g.Queries)).times(tauSquared(g)).atLeast(oracleLevel(g, 2))
	},
	"rounding": func(g Goal, n int64) bool {
		if g.Queries == 1 {
			return whole(2 * n).times(tauSquared(g)).atLeast(oracleLevel(g, 2))
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
		for _, l := range candidates {
			t := number(g.Tau).minus(whole(1).over(whole(2 * l)))
			if t.Sign() <= 0 {
				continue
			}
			level := oracleLevel(g, 2).plus(whole(g.Queries - 1).times(whole(l).ln()))
			if whole(2 * n).times(t).times(t).atLeast(level) {
				return true
			}
		}
		return false
	},
	"dp": func(g Goal, n int64) bool { // tanh(tau/4) = (e-1)/(e+1), e = exp(tau/2)
		e := calc(func(d *apd.Decimal) (apd.Condition, error) { return digits.Exp(d, number(g.Tau/2).Decimal) })
		gap := number(g.Tau).minus(e.minus(whole(1)).over(e.plus(whole(1))))
		return whole(2 * n).times(gap).times(gap).atLeast(oracleLevel(g, 2))
	},
	"dp-maxinfo": func(g Goal, n int64) bool { return whole(n).times(tauSquared(g)).atLeast(oracleLevel(g, 2)) },
	"dp-dwork15": func(g Goal, n int64) bool { return whole(n).times(tauSquared(g)).atLeast(oracleLevel(g, 6)) },
	"dp-approx-dwork15": func(g Goal, n int64) bool {
		return whole(n).times(tauSquared(g)).atLeast(whole(48).times(oracleLevel(g, 8)))
	},
	"gate-renggli19": func(g Goal, n int64) bool { // never retired: 2^m, but for one test
		if g.Queries == 1 {
			return whole(2 * n).times(tauSquared(g)).atLeast(number(-g.Beta.Ln()))
		}
		level := whole(g.Queries).times(whole(2).ln()).minus(number(g.Beta.Ln()))
		return whole(2 * n).times(tauSquared(g)).atLeast(level)
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
		count := whole(1).over(eta).plus(whole(2)).times(whole(4).times(whole(g.Queries)).over(eta).ln())
		gap := number(g.Tau).minus(eta)
		return whole(2 * n).times(gap).times(gap).atLeast(count.plus(whole(1)).minus(number(g.Beta.Ln())))
	},
	"thresholdout-dwork15-n0": oracleN0,
	"thresholdout-dwork15-n1": oracleN1,
	"thresholdout-dwork15":    func(g Goal, n int64) bool { return oracleN0(g, n) || oracleN1(g, n) },
}

func tauSquared(g Goal) dec { return number(g.Tau).times(number(g.Tau)) }

// oracleLevel is ln(c m/beta).
func oracleLevel(g Goal, c int64) dec {
	return whole(c).times(whole(g.Queries)).ln().minus(number(g.Beta.Ln()))
}

// With t = tau/8 and b = beta/(2m): n >= 2B/(sigma t) and n >= ln(6/b)/t^2.
func oracleN0(g Goal, n int64) bool {
	t := number(g.Tau).over(whole(8))
	sigma := number(g.Tau).over(whole(96).times(oracleLevel(g, 4)))
	return whole(n).times(sigma).times(t).atLeast(whole(2*g.Budget)) &&
		whole(n).times(t).times(t).atLeast(oracleLevel(g, 12))
}

func oracleN1(g Goal, n int64) bool {
	t := number(g.Tau).over(whole(8))
	sigma := number(g.Tau).over(whole(96).times(oracleLevel(g, 4)))
	lnTwoOverDelta := whole(2).ln().plus(whole(4).over(t).times(oracleLevel(g, 16)))
	// sqrt(32 B ln(2/delta))/(sigma n) <= t/4
	return whole(n).times(sigma).times(t).over(whole(4)).atLeast(whole(32).times(whole(g.Budget)).times(lnTwoOverDelta).root()) &&
		whole(n).times(t).times(t).atLeast(whole(48).times(oracleLevel(g, 16)))
}

// The printed n satisfies the inequality and n-1 (one part less, for splitting)
// does not.
func TestClosedMethodsAreExactCeilings(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, m := range Methods() {
		if _, ok := m.rule.(closed); !ok {
			continue
		}
		demand, ok := demands[m.Name]
		if !ok {
			t.Errorf("%s: no oracle", m.Name)
			continue
		}
		answered := 0
		for range 300 {
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
		if answered < 100 {
			t.Errorf("%s: only %d of 300 random goals were answered", m.Name, answered)
		}
	}
}

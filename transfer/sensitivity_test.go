package transfer

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// noisyGoal draws a goal for tau of m sensitive queries or comparisons.
func noisyGoal(r *rand.Rand) Goal {
	g := Goal{
		Query: Sensitive, Sensitivity: math.Exp(4*r.Float64() - 2), Queries: 1 + int64(math.Exp(8*r.Float64())),
		Beta: theory.LogProb(-math.Exp(6*r.Float64() - 4)),
	}
	if r.IntN(3) == 0 {
		g.Query = Minimization
	}
	if r.IntN(4) == 0 {
		g.Queries = 1
	}
	g.Samples = int64(math.Exp(math.Log(float64(g.Queries)) + 6 + 10*r.Float64()))
	return g
}

// leastOver minimises f, which has one dip in [lo,hi].
func leastOver(lo, hi float64, f func(float64) float64) float64 {
	best := math.Inf(1)
	at := lo
	for k := range 401 {
		x := lo + (hi-lo)*float64(k)/400
		if y := f(x); y < best {
			best, at = y, x
		}
	}
	lo, hi = math.Max(lo, at-(hi-lo)/400), math.Min(hi, at+(hi-lo)/400)
	for range 100 {
		x, y := lo+0.382*(hi-lo), lo+0.618*(hi-lo)
		if f(x) < f(y) {
			hi = y
		} else {
			lo = x
		}
	}
	return math.Min(best, f((lo+hi)/2))
}

// What the published noise methods print for sensitive queries and comparisons certifies
// the printed tau, by the theorems as they are stated, and no accuracy much better.
func TestPrintedNoiseCertifiesSensitiveQueries(t *testing.T) {
	r := rand.New(rand.NewPCG(93, 94))
	// P[largest of m noises > x] from the tail of one
	among := func(m int64, tail float64) float64 { return -math.Expm1(float64(m) * math.Log1p(-tail)) }
	normal := func(m int64, x float64) float64 { return among(m, math.Erfc(x/math.Sqrt2)) }
	laplace := func(m int64, x float64) float64 { return among(m, math.Exp(-x)) }
	stated := map[string]func(g Goal, d float64, run Mechanism) float64{
		"gaussian-jung20": func(g Goal, d float64, run Mechanism) float64 {
			mu := d * math.Sqrt(float64(g.Queries)) / (float64(g.Samples) * run.Scale)
			profile := (theory.GDP{Mu: mu}).LnDelta(run.Epsilon).Ln()
			if math.Abs(profile-run.LnDelta.Ln()) > 1e-9*math.Abs(profile) {
				t.Errorf("%+v: ln delta %v, the profile has %v", g, run.LnDelta.Ln(), profile)
			}
			return leastOver(1e-3, 12, func(x float64) float64 {
				root := math.Sqrt(normal(g.Queries, x)*math.Max(1, d)) + math.Sqrt(4*d*run.LnDelta.Value())
				return run.Scale*x + d*math.Expm1(run.Epsilon) + root*root/g.Beta.Value()
			})
		},
		"laplace-jung20": func(g Goal, d float64, run Mechanism) float64 {
			if want := d * float64(g.Queries) / (float64(g.Samples) * run.Epsilon); math.Abs(run.Scale-want) > 1e-12*want {
				t.Errorf("%+v: noise %v, epsilon %v has %v", g, run.Scale, run.Epsilon, want)
			}
			return leastOver(1e-3, 60, func(x float64) float64 {
				return run.Scale*x + d*math.Expm1(run.Epsilon) + laplace(g.Queries, x)*math.Max(1, d)/g.Beta.Value()
			})
		},
		"gaussian-bassily16": func(g Goal, d float64, run Mechanism) float64 {
			lnRatio := run.LnDelta.Ln() - math.Log(run.Epsilon)
			mu := d * math.Sqrt(float64(g.Queries)) / (float64(g.Samples) * run.Scale)
			profile := (theory.GDP{Mu: mu}).LnDelta(run.Epsilon).Ln()
			for name, holds := range map[string]bool{
				"epsilon < 1/3":                         run.Epsilon < 1./3,
				"delta < epsilon/4":                     lnRatio < -2*math.Ln2,
				"delta <= epsilon beta/(2m)":            lnRatio <= g.Beta.Ln()-math.Log(2*float64(g.Queries))+1e-12,
				"n >= ln(4 epsilon/delta)/epsilon^2":    float64(g.Samples)*run.Epsilon*run.Epsilon >= 2*math.Ln2-lnRatio,
				"the noise is (epsilon, delta)-private": profile <= run.LnDelta.Ln()+1e-9*math.Abs(profile),
			} {
				if !holds {
					t.Errorf("%+v, %+v: want %s", g, run, name)
				}
			}
			return 18*run.Epsilon*d + run.Scale*quantileOfMax(g.Queries, g.Beta.Ln()-math.Ln2)
		},
	}
	answered, capped := map[string]int{}, 0
	for range 400 {
		g := noisyGoal(r)
		for name, tau := range stated {
			method, _ := Lookup(name)
			a, err := method.Solve(g)
			if err != nil {
				t.Fatal(err)
			}
			if a.Status != OK {
				continue
			}
			answered[name]++
			if name == "gaussian-bassily16" && g.Beta.Value() > float64(g.Queries)/2 {
				capped++
			}
			if want := tau(g, g.Spread(), a.Mechanism); !(a.Tau >= want*(1-1e-8) && a.Tau <= want*(1+1e-5)) {
				t.Errorf("%s %+v: tau %.12g, the printed mechanism reaches %.12g: %+v", name, g, a.Tau, want, a.Mechanism)
			}
		}
	}
	for name := range stated {
		if answered[name] < 60 {
			t.Errorf("%s: %d goals answered", name, answered[name])
		}
	}
	if capped < 5 {
		t.Errorf("%d goals where delta < epsilon/4 binds", capped)
	}
}

// Queries scaled by a factor are as hard, and need noise scaled by it: sensitivity 4 D and
// tau 4 t have the n of D and t, and four times the noise. A comparison with D is a query
// with 2 D.
func TestNoiseScalesWithTheQuery(t *testing.T) {
	near := func(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance*math.Abs(want) }
	const search = 1e-7 // the optimum is flat
	noisy := 0
	for _, m := range Methods() {
		a, err := m.Solve(Goal{Query: Sensitive, Queries: 10, Tau: 0.1, Beta: lp("0.05")})
		if err != nil || a.Status == NotApplicable || a.Mechanism.Noise == "" {
			continue
		}
		for _, goal := range []Goal{
			{Queries: 1, Tau: 0.2, Beta: lp("0.05")},
			{Queries: 1000, Tau: 0.1, Beta: lp("0.05")},
			{Queries: 50, Tau: 0.03, Beta: lp("1e-30")},
			{Queries: 1, Tau: 0.1, Beta: lp("0.9")},
		} {
			solve := func(q Query, d, factor float64, samples int64) Answer {
				t.Helper()
				g := goal
				g.Query, g.Sensitivity, g.Tau = q, d, factor*goal.Tau
				if samples > 0 {
					g.Samples, g.Tau = samples, 0
				}
				a, err := m.Solve(g)
				if err != nil || a.Status != OK || a.Mechanism.Noise == "" || !(a.Mechanism.Scale > 0) {
					t.Fatalf("%s %+v: %+v, %v", m.Name, g, a, err)
				}
				return a
			}
			one := solve(Sensitive, 0, 1, 0)
			if same := solve(Sensitive, 1, 1, 0); !reflect.DeepEqual(same.Mechanism, one.Mechanism) ||
				same.Samples != one.Samples {
				t.Errorf("%s %+v: no sensitivity is %+v, 1 is %+v", m.Name, goal, one, same)
			}
			for _, c := range []struct {
				query          Query
				d, tau, factor float64
			}{
				{Sensitive, 4, 4, 4}, {Sensitive, 7, 7, 7},
				{Minimization, 0.5, 1, 1}, {Minimization, 2, 4, 4}, {Minimization, 0, 2, 2},
			} {
				got := solve(c.query, c.d, c.tau, 0)
				if got.Samples != one.Samples {
					t.Errorf("%s %+v, %+v: n = %d, want %d", m.Name, goal, c, got.Samples, one.Samples)
				}
				if !near(got.TauAchieved, c.factor*one.TauAchieved, 1e-9) ||
					!near(got.Mechanism.Scale, c.factor*one.Mechanism.Scale, search) ||
					!near(got.Mechanism.Epsilon, one.Mechanism.Epsilon, search) ||
					!near(got.Mechanism.LnDelta.Ln(), one.Mechanism.LnDelta.Ln(), search) {
					t.Errorf("%s %+v, %+v: tau %v, %+v; want %v times tau %v, %+v",
						m.Name, goal, c, got.TauAchieved, got.Mechanism, c.factor, one.TauAchieved, one.Mechanism)
				}
				twice, of := solve(c.query, c.d, c.tau, 2*one.Samples).Tau, solve(Sensitive, 1, 1, 2*one.Samples).Tau
				if !near(twice, c.factor*of, 1e-9) {
					t.Errorf("%s %+v, %+v: twice the samples reach %v, want %v times %v", m.Name, goal, c, twice, c.factor, of)
				}
			}
			noisy++
		}
	}
	if noisy < 5*4 {
		t.Errorf("only %d goals of noisy methods", noisy)
	}
}

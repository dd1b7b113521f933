package joint

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/dpcalc/dpcalc/internal/certificates"
	"github.com/dpcalc/dpcalc/theory"
)

// solved is a plan for another unknown and with another kind of noise each time, and the noise.
func solved(t *testing.T, i int, p Plan) (Plan, []float64) {
	t.Helper()
	how := []Noise{Falling, Even}[i%2]
	found, ok := how.Samples(p)
	if p.Samples = found.Samples; !ok {
		t.Fatalf("%+v: no plan", p)
	}
	run := found.Run
	if p.Tau = found.Tau; i/2%3 > 0 {
		p.Samples += p.Samples / 10
		if i/2%3 == 2 {
			p.Beta = how.LeastBeta(p)
		}
		p.Tau, run = how.LeastTau(p)
	}
	if i%2 == 1 {
		return p, slices.Repeat([]float64{run.Last}, int(p.Queries))
	}
	noise := noiseOf(p)
	if int64(len(noise)) != p.Queries || noise[0] != run.First || noise[len(noise)-1] != run.Last {
		t.Fatalf("%+v: noise for %d queries, %g", p, len(noise), run)
	}
	return p, noise
}

func noiseOf(p Plan) (noise []float64) {
	for block := range p.Blocks() {
		noise = append(noise, slices.Repeat([]float64{block.Scale}, int(block.Queries))...)
	}
	return noise
}

// The sums of eps_j over the printed noise, in decimals, are at most beta: the certificates
// hold. They are also not far below it.
func TestJointCertificatesInDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	pick := func(lo, hi float64) float64 { return lo * math.Exp(r.Float64()*math.Log(hi/lo)) }
	worst := 0.
	for _, c := range []struct {
		queries int64
		runs    int
	}{{1, 10}, {2, 10}, {3, 10}, {10, 3}, {60, 1}, {200, 1}} {
		for i := range 2 * c.runs {
			p := Plan{Queries: c.queries, Tau: pick(0.01, 0.3), Beta: theory.LogProb(-pick(-math.Log(0.5), 40*math.Ln10))}
			p.Sides = Sides(i / 2 % 2)
			p, noise := solved(t, i, p)
			over := certificates.Excess(certificates.EvenTau(p.Samples, p.Tau, noise, p.Sides == Above).Errors(), p.Beta.Ln())
			if over > 0 {
				t.Errorf("%+v: the sum of the errors is beta times 1%+.3g", p, over)
			}
			worst = min(worst, over/(1-p.Beta.Ln()))
		}
	}
	if t.Logf("least of (sum/beta - 1)/(1 - ln beta): %.2g", worst); !(worst > -0.01) {
		t.Error("a plan stays far below its beta")
	}
}

// With more records than a schedule needs its last answer carries no noise, and the certificate
// holds as well.
func TestSilentCertificatesInDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 46))
	for i := range 12 {
		s := Plan{Queries: []int64{1, 2, 3, 10}[i%4], Tau: 0.01 * math.Pow(30, r.Float64())}
		s.Beta = theory.LogProb(-math.Pow(90, r.Float64()))
		s.Sides = Sides(i / 4 % 2)
		found, ok := Falling.Samples(s)
		if !ok {
			t.Fatalf("%+v: no plan", s)
		}
		s.Samples = found.Samples + found.Samples/2
		noise := noiseOf(s)
		if len(noise) != int(s.Queries) || noise[len(noise)-1] != 0 {
			t.Errorf("%+v: noise %g", s, noise)
		}
		p := certificates.EvenTau(s.Samples, s.Tau, noise, s.Sides == Above)
		if over := certificates.Excess(p.Errors(), s.Beta.Ln()); over > 0 {
			t.Errorf("%+v: the sum of the errors is beta times 1%+.3g", s, over)
		}
	}
}

// What Answer returns is never below the theorem's eps_j, whatever the noise and the accuracies, and
// of a run never below the sum. Where no run came before, it is at most one per cent of
// 1 - ln eps_j above.
func TestBoundAgainstDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	pick := func(lo, hi float64) float64 { return lo * math.Exp(r.Float64()*math.Log(hi/lo)) }
	worst, sizes := 0., 0
	for plans := 0; plans < 40; plans++ {
		n := int64(pick(3, 1e7))
		p, runs, got := certificates.Joint{N: n, OneSided: plans%2 == 1}, []int64(nil), []float64(nil)
		bound, _ := New(n, SidesOf(p.OneSided))
		tau := min(0.9, pick(2, 20)/math.Sqrt(float64(n)))
		for range 1 + r.IntN(4) {
			run := theory.NoiseBlock{Queries: 1, Scale: tau * pick(0.1, 0.7)}
			if r.IntN(4) == 0 {
				run.Queries = 1 + r.Int64N(12)
			}
			goal := tau * pick(0.7, 1.1)
			ln, err := bound.Answer(run, goal)
			if err != nil {
				t.Fatal(err)
			}
			if ln == 0 { // the theorem says nothing from here on
				break
			}
			sd := strconv.FormatFloat(run.Scale, 'g', -1, 64)
			p.SD = append(p.SD, slices.Repeat([]string{sd}, int(run.Queries))...)
			p.Tau = append(p.Tau, slices.Repeat([]float64{goal}, int(run.Queries))...)
			runs, got = append(runs, run.Queries), append(got, ln.Ln())
		}
		if vacuous := bound.runs > len(runs); !vacuous && r.IntN(3) == 0 {
			if ln, _ := bound.Answer(theory.NoiseBlock{Queries: 1, Scale: 0}, tau); ln < 0 {
				p.SD, p.Tau, runs, got = append(p.SD, "0"), append(p.Tau, tau), append(runs, 1), append(got, ln.Ln())
			}
		}
		want := p.Errors()
		if total := bound.Total(); total < 0 && certificates.Excess(want, total.Ln()) > 1e-12 {
			t.Errorf("n %d: the sum is above Total's %v (%+v)", n, total, p)
		}
		for i, count := range runs {
			over := certificates.Excess(want[:count], got[i])
			if want = want[count:]; over > 1e-12 {
				t.Errorf("n %d, run %d of %d: above what Answer returns by a factor 1%+.3g (%+v)", n, i, count, over, p)
			}
			if slices.Max(runs[:i+1]) == 1 {
				worst = min(worst, over/(1-got[i]))
				sizes++
			}
		}
	}
	if t.Logf("least of (eps_j/got - 1)/(1 - ln eps_j): %.2g in %d", worst, sizes); !(worst > -0.01) {
		t.Error("Answer is far above the theorem")
	}
}

// At the orders of the bound no rounding brings Answer below the theorem.
func TestBoundRoundsUp(t *testing.T) {
	r := rand.New(rand.NewPCG(47, 48))
	least := 1.
	for range 60 {
		n := int64(math.Pow(10, 1+6*r.Float64()))
		tau := min(0.9, (2+15*r.Float64())/math.Sqrt(float64(n)))
		p := certificates.Joint{N: n, OneSided: r.IntN(2) == 1}
		bound, _ := New(n, SidesOf(p.OneSided))
		for j := range 3 {
			sd := tau * math.Pow(10, -1.2*r.Float64())
			got, err := bound.Answer(theory.NoiseBlock{Queries: 1, Scale: sd}, tau)
			if err != nil {
				t.Fatal(err)
			}
			p.Tau, p.SD = append(p.Tau, tau), append(p.SD, strconv.FormatFloat(sd, 'e', 60, 64))
			if got == 0 {
				break
			}
			if gap := -certificates.Excess([]certificates.Number{leastOf(p, j)}, got.Ln()); gap < 0 {
				t.Errorf("n %d, tau %g, noise %s: %v is below by a factor 1-%.3g", n, tau, p.SD, got, -gap)
			} else {
				least = min(least, gap)
			}
		}
	}
	t.Logf("rounded up by a factor 1+%.2g at least", least)
}

// leastOf is ln eps_j at the best of the orders of the bound, for the j+1-st query.
func leastOf(p certificates.Joint, j int) certificates.Number {
	if j == 0 {
		return p.Strict(0, p.Search(0), nil)
	}
	var best certificates.Witness
	least := math.Inf(1)
	for _, o := range noAnswers[:orderCount] {
		if w, ln := p.Loose(j, o.a); ln < least {
			best, least = w, ln
			best.Conj = o.conj
		}
	}
	return p.Strict(j, best, certificates.NewPath())
}

// A plan passes its own check, answer by answer, also where eps_j has a minimum for each of its
// forms.
func TestPlansPassTheirOwnCheck(t *testing.T) {
	r := rand.New(rand.NewPCG(49, 50))
	for range 60 {
		p := Plan{Queries: 2 + r.Int64N(40), Tau: 0.003 * math.Pow(300, r.Float64())}
		p.Beta = theory.LogProb(-math.Pow(10, -1.5+2*r.Float64()))
		p.Sides = Sides(r.IntN(2))
		found, ok := Falling.Samples(p)
		if !ok {
			t.Fatalf("%+v: no plan", p)
		}
		p.Samples, p.Tau = found.Samples, found.Tau
		bound, _ := New(p.Samples, p.Sides)
		for _, sd := range noiseOf(p) {
			if _, err := bound.Answer(theory.NoiseBlock{Queries: 1, Scale: sd}, p.Tau); err != nil {
				t.Fatal(err)
			}
		}
		if total := bound.Total(); !(total <= p.Beta) {
			t.Errorf("%+v: the sum is beta times 1%+.3g", p, math.Expm1(total.Ln()-p.Beta.Ln()))
		}
	}
}

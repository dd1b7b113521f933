package pvalue

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

func logs(p ...float64) []theory.LogProb {
	all := make([]theory.LogProb, len(p))
	for i, x := range p {
		all[i] = must(theory.Prob(x))
	}
	return all
}

// familywise returns the adjusted values, leaving p alone.
func familywise(t *testing.T, f Family, p []theory.LogProb) []theory.LogProb {
	t.Helper()
	out := slices.Clone(p)
	if err := f.Adjust(out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Values that R's multtest (mt.rawp2adjp) printed, as statsmodels tests against them
// (stats/tests/test_multi.py, res_multtest1 and res_multtest3), and that R's p.adjust
// prints for the examples of stdlib's padjust.
func TestFamilyAgainstR(t *testing.T) {
	hundredths := func(x ...float64) []float64 {
		for i := range x {
			x[i] /= 100
		}
		return x
	}
	first := []float64{
		5.23656777208e-5, 2.8140506198e-4, 1.49877310796e-2, 2.02732688798e-2, 1.77096952723e-1,
		6.42193923795e-1, 6.80845947633e-1, 7.1626938238e-1, 8.38541367553e-1, 9.67833824309e-1,
	}
	third := []float64{0.001, 0.002, 0.003, 0.004, 0.005, 0.05, 0.06, 0.07, 0.08, 0.09}
	for _, c := range []struct {
		family  Family
		p, want []float64
	}{
		{Bonferroni, first, []float64{5.23656777208e-4, 2.8140506198e-3, 0.149877310796, 0.202732688798, 1, 1, 1, 1, 1, 1}},
		{Holm, first, []float64{5.23656777208e-4, 2.53264555782e-3, 0.1199018486368, 0.1419128821586, 1, 1, 1, 1, 1, 1}},
		{BenjaminiHochberg, first, []float64{
			5.23656777208e-4, 1.4070253099e-3, 4.995910359866667e-2, 5.06831721995e-2, 0.354193905446,
			0.895336727975, 0.895336727975, 0.895336727975, 0.9317126306144445, 0.967833824309,
		}},
		{BenjaminiYekutieli, first,
			[]float64{1.5337740764175588e-3, 4.1211324652269442e-3, 0.14632862843720582, 0.14844940238274187, 1, 1, 1, 1, 1, 1}},
		{Bonferroni, third, []float64{0.01, 0.02, 0.03, 0.04, 0.05, 0.5, 0.6, 0.7, 0.8, 0.9}},
		{Holm, third, []float64{0.01, 0.018, 0.024, 0.028, 0.03, 0.25, 0.25, 0.25, 0.25, 0.25}},
		{BenjaminiHochberg, third,
			[]float64{0.01, 0.01, 0.01, 0.01, 0.01, 0.08333333333333334, 0.0857142857142857, 0.0875, 0.0888888888888889, 0.09}},
		{BenjaminiYekutieli, third, []float64{
			0.02928968253968254, 0.02928968253968254, 0.02928968253968254, 0.02928968253968254, 0.02928968253968254,
			0.2440806878306878, 0.2510544217687075, 0.2562847222222222, 0.2603527336860670, 0.2636071428571428,
		}},
		{Holm, hundredths(31.9, 20.1, 40, 37.4, 11.3), hundredths(95.7, 80.4, 95.7, 95.7, 56.5)},
		{BenjaminiHochberg, hundredths(31.9, 20.1, 40, 37.4, 11.3), hundredths(40, 40, 40, 40, 40)},
		{BenjaminiHochberg, hundredths(0.8, 3, 12.3, 60, 20), hundredths(4, 7.5, 20.5, 60, 25)},
	} {
		for i, got := range familywise(t, c.family, logs(c.p...)) {
			if want := c.want[i]; !(got.Value() >= want*(1-1e-15) && got.Value() <= want*(1+1e-12)) {
				t.Errorf("%s: %g adjusts to %.17g, want %.17g", c.family, c.p[i], got.Value(), want)
			}
		}
	}
}

// The worked example of Benjamini and Hochberg (1995, section 3.2), 15 p-values of a
// trial: at 0.05 Bonferroni rejects 3, and their procedure 4. Holm rejects 3.
func TestFamilyInTheWorkedExample(t *testing.T) {
	p := logs(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
		0.7590, 1)
	for family, want := range map[Family]int{NoFamily: 9, Bonferroni: 3, Holm: 3, BenjaminiHochberg: 4,
		BenjaminiYekutieli: 3} {
		rejected := 0
		for _, x := range familywise(t, family, p) {
			if x <= prob(t, "0.05") {
				rejected++
			}
		}
		if rejected != want {
			t.Errorf("%s rejects %d, want %d", family, rejected, want)
		}
	}
}

// anyFamily draws p-values with ties, zeros and ones, and of any size.
func anyFamily(r *rand.Rand, m int) []theory.LogProb {
	p := make([]theory.LogProb, m)
	for i := range p {
		switch r.IntN(8) {
		case 0:
			p[i] = p[r.IntN(i+1)] // a tie, or one
		case 1:
			p[i] = theory.Zero
		case 2:
			p[i] = level(r)
		default:
			p[i] = theory.LogProb(-pick(r, 0.01, 10))
		}
	}
	return p
}

// Holm's procedure is closed testing with Bonferroni's test of each intersection: i is
// rejected at alpha if in every set of hypotheses that holds i the least p-value is at
// most alpha divided by the set's size.
func TestHolmIsClosedTesting(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 82))
	for range 300 {
		m := 1 + r.IntN(8)
		p := anyFamily(r, m)
		got := familywise(t, Holm, p)
		for i := range p {
			want := theory.Zero // the least alpha
			for set := range 1 << m {
				if set>>i&1 == 0 {
					continue
				}
				least, size := theory.LogProb(0), 0
				for j := range p {
					if set>>j&1 == 1 {
						least, size = min(least, p[j]), size+1
					}
				}
				want = max(want, min(0, least+theory.LogProb(math.Log(float64(size)))))
			}
			if got[i] != want && !(got[i] >= want-1e-15 && got[i] <= want+1e-12*(1-want)) {
				t.Fatalf("%v: %g adjusts to %.17g, want %.17g", p, p[i].Ln(), got[i].Ln(), want.Ln())
			}
		}
	}
}

// Benjamini and Hochberg reject the k smallest, k the largest with p_(k) <= (k/m) alpha,
// at every alpha; Benjamini and Yekutieli at alpha/H_m.
func TestStepUpAtEveryLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(83, 84))
	for range 200 {
		m := 1 + r.IntN(30)
		p := anyFamily(r, m)
		sorted := slices.Sorted(slices.Values(p))
		harmonic := 0.0
		for j := range m {
			harmonic += 1 / float64(j+1)
		}
		for _, family := range []Family{BenjaminiHochberg, BenjaminiYekutieli} {
			factor := 1.0
			if family == BenjaminiYekutieli {
				factor = harmonic
			}
			adjusted := familywise(t, family, p)
			for range 50 {
				alpha := theory.LogProb(-pick(r, 1e-3, 20))
				line := theory.Zero // p_(k) of the largest k, if any
				none := true
				for k, x := range sorted {
					if x <= alpha+theory.LogProb(math.Log(float64(k+1)/float64(m)/factor)) {
						line, none = x, false
					}
				}
				for i, x := range p {
					if math.Abs(adjusted[i].Ln()-alpha.Ln()) < 1e-12 {
						continue // too close to call
					}
					if rejected, want := adjusted[i] <= alpha, !none && x <= line; rejected != want {
						t.Fatalf("%s of %v at %g: %g is rejected: %v, want %v", family, p, alpha.Ln(), x.Ln(), rejected, want)
					}
				}
			}
		}
	}
}

// What holds between the steps, and in any order.
func TestFamilyIdentities(t *testing.T) {
	r := rand.New(rand.NewPCG(85, 86))
	for range 300 {
		m := 1 + r.IntN(40)
		p := anyFamily(r, m)
		adjusted := map[Family][]theory.LogProb{}
		order := r.Perm(m)
		for _, f := range Families() {
			adjusted[f] = familywise(t, f, p)
			shuffled := make([]theory.LogProb, m)
			for i, j := range order {
				shuffled[i] = p[j]
			}
			for i, x := range familywise(t, f, shuffled) {
				if x != adjusted[f][order[i]] {
					t.Fatalf("%s depends on the order of %v", f, p)
				}
			}
		}
		harmonic := 0.0
		for j := m; j > 0; j-- {
			harmonic += 1 / float64(j)
		}
		for i, x := range p {
			bonferroni, holm, bh, by := adjusted[Bonferroni][i], adjusted[Holm][i], adjusted[BenjaminiHochberg][i],
				adjusted[BenjaminiYekutieli][i]
			scaled := min(0, bh+theory.LogProb(math.Log(harmonic)))
			if !(x == adjusted[NoFamily][i] && x <= bh && bh <= holm && holm <= bonferroni && bh <= by && bonferroni <= 0) ||
				by != scaled && !(math.Abs((by-scaled).Ln()) <= 1e-12*(1-scaled.Ln())) {
				// With a tie at one, bh says less than by.
				if !(bh == 0 && by == 0) {
					t.Fatalf("%v: %g adjusts to bh %g, holm %g, bonferroni %g, by %g", p, x.Ln(), bh.Ln(), holm.Ln(), bonferroni.Ln(),
						by.Ln())
				}
			}
			for j, y := range p {
				for f, all := range adjusted {
					if x == y && all[i] != all[j] || x < y && all[i] > all[j] {
						t.Fatalf("%s: %g adjusts to %g, and %g to %g", f, x.Ln(), all[i].Ln(), y.Ln(), all[j].Ln())
					}
				}
			}
		}
	}
}

// A greater p-value lowers no adjusted one: an upper bound in the place of a p-value
// rejects nothing that the p-value would not.
func TestFamilyIsMonotone(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 4))
	for range 3000 {
		p := make([]theory.LogProb, 1+r.IntN(7))
		for i := range p {
			p[i] = theory.LogProb(-float64(r.IntN(9)))
		}
		raised := slices.Clone(p)
		i := r.IntN(len(p))
		raised[i] = theory.LogProb(raised[i].Ln() * r.Float64())
		for _, f := range Families() {
			before, after := familywise(t, f, p), familywise(t, f, raised)
			for k := range p {
				if after[k] < before[k] {
					t.Fatalf("%s: %v to %v at %d lowers %v to %v at %d", f, p, raised, i, before[k], after[k], k)
				}
			}
		}
	}
}

// A family of none needs no step, and one of one none either.
func TestFamilyOfNone(t *testing.T) {
	for _, f := range Families() {
		if err := f.Adjust(nil); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		if one := familywise(t, f, logs(0.03)); one[0] != must(theory.Prob(0.03)) {
			t.Errorf("%s moves a single 0.03 to %v", f, one[0])
		}
	}
}

func TestFamilyErrors(t *testing.T) {
	for _, f := range []Family{"", "hochberg", "Holm"} {
		if err := f.Adjust(logs(0.5)); !errors.As(err, new(*theory.DomainError)) {
			t.Errorf("%q: %v", f, err)
		}
	}
	for _, f := range Families() {
		for _, bad := range []theory.LogProb{1e-300, theory.LogProb(math.NaN()), theory.LogProb(math.Inf(1))} {
			p := []theory.LogProb{-2, bad}
			if err := f.Adjust(p); !errors.As(err, new(*theory.DomainError)) || p[0] != -2 {
				t.Errorf("%s: %v, %v", f, p, err)
			}
		}
	}
}

func BenchmarkFamily(b *testing.B) {
	r := rand.New(rand.NewPCG(87, 88))
	p := make([]theory.LogProb, 1_000_000)
	for i := range p {
		p[i] = theory.LogProb(-r.ExpFloat64())
	}
	for _, f := range Families()[1:] {
		b.Run(fmt.Sprintf("%s/%d", f, len(p)), func(b *testing.B) {
			q := make([]theory.LogProb, len(p))
			for b.Loop() {
				copy(q, p)
				if err := f.Adjust(q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Every step multiplies by a factor and rounds up: never below the product in decimal
// arithmetic, and at most 1e-13 above.
func TestFamilyRoundsUp(t *testing.T) {
	r := rand.New(rand.NewPCG(101, 102))
	for range 15 {
		m := 1 + r.IntN(40)
		p := make([]theory.LogProb, m)
		for i := range p {
			p[i] = level(r)
		}
		slices.Sort(p)
		harmonic := number(0)
		for j := range m {
			harmonic = harmonic.Plus(number(1).Over(number(float64(j + 1))))
		}
		steps := map[Family]func(rank int) dec{
			Bonferroni:         func(int) dec { return number(float64(m)) },
			Holm:               func(rank int) dec { return number(float64(m - rank)) },
			BenjaminiHochberg:  func(rank int) dec { return number(float64(m)).Over(number(float64(rank + 1))) },
			BenjaminiYekutieli: func(rank int) dec { return harmonic.Times(number(float64(m))).Over(number(float64(rank + 1))) },
		}
		for f, factor := range steps {
			want := make([]dec, m)
			for rank, x := range p {
				want[rank] = number(x.Ln())
				if by := factor(rank); by.Cmp(number(1).Decimal) != 0 { // a sum would lose digits
					want[rank] = want[rank].Plus(by.Ln())
				}
				if number(0).Less(want[rank]) {
					want[rank] = number(0)
				}
			}
			for i := 1; i < m && f == Holm; i++ {
				if want[i].Less(want[i-1]) {
					want[i] = want[i-1]
				}
			}
			for i := m - 2; i >= 0 && (f == BenjaminiHochberg || f == BenjaminiYekutieli); i-- {
				if want[i+1].Less(want[i]) {
					want[i] = want[i+1]
				}
			}
			for i, got := range familywise(t, f, p) {
				above.bounds(t, fmt.Sprintf("%s, rank %d of %d, ln p = %.17g", f, i+1, m, p[i].Ln()), got.Ln(), want[i], 1e-13)
			}
		}
	}
}

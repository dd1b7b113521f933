package theory

import (
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/dpcalc/dpcalc/internal/decimals"
	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/internal/vectors"
)

// planVectors calls yield for every row of samplesize.csv with the goal and the
// required n of one method.
func planVectors(t *testing.T, column string, yield func(Fixed, int64)) {
	t.Helper()
	for _, row := range vectors.Rows(t, "samplesize.csv") {
		beta, err := Prob(row.Float(t, "beta"))
		if err != nil {
			t.Fatal(err)
		}
		yield(Fixed{row.Float(t, "tau"), Level{int64(row.Float(t, "queries")), beta}}, int64(row.Float(t, column)))
	}
}

// hoeffdingSamples is the least n with 2m exp(-2 n tau^2) <= beta.
func hoeffdingSamples(f Fixed) (int64, error) {
	return ceilSamples(f.Level.LnOver(2), num.Square(f.Tau).MulFloat(2))
}

func hoeffding(t *testing.T, f Fixed) int64 {
	t.Helper()
	n, err := hoeffdingSamples(f)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestConcentrationVectors(t *testing.T) {
	planVectors(t, "hoeffding", func(f Fixed, want int64) {
		if got := hoeffding(t, f); got != want {
			t.Errorf("%+v: hoeffding %d, want %d", f, got, want)
		}
	})
	planVectors(t, "hoeffding-kl", func(f Fixed, want int64) {
		if got := must[int64](t)(KLSamples(f)); got != want {
			t.Errorf("%+v: hoeffding-kl %d, want %d", f, got, want)
		}
	})
}

// The oracle has 50 digits.
type dec = decimals.Number

var (
	digits        = decimals.Digits(50)
	number, whole = digits.Float, digits.Int
)

// decLnOver is ln(c m/beta) with 50 digits.
func decLnOver(l Level, c int64) dec {
	return whole(c).Times(whole(l.Queries)).Ln().Minus(number(l.Beta.Ln()))
}

// randomGoal reaches tau = 1e-6, beta = 1e-1200 and m = 1e15.
func randomGoal(r *rand.Rand) Fixed {
	return Fixed{
		Tau:   lawtest.Between(r, 1e-6, math.Nextafter(1, 0)),
		Level: Level{int64(lawtest.Between(r, 1, 1e15)), LogProb(-lawtest.Between(r, 1e-2, 6900))},
	}
}

func TestLevelLnOver(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for i := range 300 {
		l := randomGoal(r).Level
		c := []int64{1, 2, 6, 1 << 53}[r.IntN(4)]
		if i == 0 {
			l, c = Level{1, -5e-324}, 1
		}
		got, want := l.LnOver(c), decLnOver(l, c)
		gap := number(got.Hi).Minus(want).Plus(number(got.Lo)).Float()
		if !(math.Abs(gap) <= 0x1p-98*want.Float()) {
			t.Errorf("%+v, c = %d: off by %g", l, c, gap)
		}
	}
}

func TestHoeffdingSamplesAgainstDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for i := range 1500 {
		f := randomGoal(r)
		if i%3 == 0 { // n around 2^50, where the quotient of two float64 is off by whole units
			f = Fixed{math.Sqrt(f.Level.LnOver(2).Hi) * math.Pow(2, -25.5-0.8*r.Float64()), f.Level}
		}
		n := hoeffding(t, f)
		need := decLnOver(f.Level, 2)
		rate := whole(2).Times(number(f.Tau).Squared())
		if whole(n).Times(rate).Less(need) || whole(n-1).Times(rate).AtLeast(need) {
			t.Errorf("%+v: %d is not the least n", f, n)
		}
	}
}

// kl(1/2+tau || 1/2) with 50 digits less what cancels, from logarithms of 1 +- 2 tau.
func decKLHalf(tau float64) dec {
	x := whole(2).Times(number(tau))
	up, down := whole(1).Plus(x), whole(1).Minus(x)
	return up.Times(up.Ln()).Plus(down.Times(down.Ln())).Over(whole(2))
}

// Where n is at most 0.56/tau^4 the supremum is at 1/2.
func TestKLSamplesAgainstDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	checked := 0
	for checked < 400 {
		f := randomGoal(r)
		if f.Tau >= 0.5 || f.Level.LnOver(2).Hi*f.Tau*f.Tau > 1 {
			continue
		}
		checked++
		n := must[int64](t)(KLSamples(f))
		need, k := decLnOver(f.Level, 2), decKLHalf(f.Tau)
		if whole(n).Times(k).Less(need) || whole(n-1).Times(k).AtLeast(need) {
			t.Errorf("%+v: %d is not the least n", f, n)
		}
		for _, at := range []int64{n - 1, n} {
			if at < 1 {
				continue
			}
			if holds, err := KLHolds(f, at); err != nil || holds != (at == n) {
				t.Errorf("%+v: KLHolds(%d) = %v, %v", f, at, holds, err)
			}
		}
	}
}

// kl-sup.csv has 40-digit suprema: every local maximum of a grid, refined by golden
// section. The last rows, with probabilities down to e^(-1e15), were computed with mpmath: 60
// digits, and a grid that is fine at the scale of one standard deviation about the minimum of
// K and about 1/2.
func TestKLTailAgainstDecimals(t *testing.T) {
	worst := 0.0
	for _, row := range vectors.Exact(t, "kl-sup.csv") {
		d := Deviation{int64(float(row[0])), float(row[1])}
		got := must[LogProb](t)(KLTail(d))
		if want := float(row[2]); want >= 0 {
			if got != 0 {
				t.Errorf("%+v: ln %v, want 0", d, got.Ln())
			}
			continue
		}
		excess := over(got.Ln(), row[2])
		allowed := math.Max(1e-9, math.Abs(got.Ln()-math.Nextafter(got.Ln(), 0))) // an ulp
		worst = max(worst, excess/allowed)
		if !(excess >= 0 && excess <= allowed) {
			t.Errorf("%+v: ln %.17g, want %.20g: off by %g", d, got.Ln(), row[2], excess)
		}
	}
	t.Logf("worst excess: %.2g of the slack", worst)
}

// kl-samples.csv has requirements found by bisection over the same 40-digit suprema.
func TestKLSamplesSearched(t *testing.T) {
	for _, row := range vectors.Exact(t, "kl-samples.csv") {
		f := Fixed{float(row[0]), Level{int64(float(row[1])), LogProb(float(row[2]))}}
		want := int64(float(row[3]))
		if got := must[int64](t)(KLSamples(f)); got != want {
			t.Errorf("%+v: %d, want %d", f, got, want)
		}
		for _, at := range []int64{want - 1, want, want + 1} {
			if at < 1 {
				continue
			}
			if holds, err := KLHolds(f, at); err != nil || holds != (at >= want) {
				t.Errorf("%+v: KLHolds(%d) = %v, %v", f, at, holds, err)
			}
		}
	}
}

// No value of f at any p may exceed the tail, and the exact kl of a few million
// random points is a fair adversary. The tail is also between the two closed forms
// exp(-n min K) and min(2 exp(-n min K), 2 exp(-2 n tau^2)).
func TestKLTailDominates(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	for range 1500 {
		tau := []float64{r.Float64(), 0.3 + 0.21*r.Float64(), math.Pow(10, -4*r.Float64())}[r.IntN(3)]
		if tau >= 1 {
			continue
		}
		d := Deviation{1 + int64(math.Min(math.Pow(10, -1+3*r.Float64())/math.Pow(tau, 4), 1e15)), tau}
		_, high := d.klSup()
		least := klLeast(tau).value.Hi * float64(d.Samples)
		slack := 1e-12 + 1e-15*least
		byTau := num.Square(d.Tau).Mul(num.FromInt(2 * d.Samples)).Hi
		if h := math.Ln2 - math.Max(least, byTau); high.Hi < -least-slack || high.Hi > h+slack+1e-9 {
			t.Fatalf("%+v: ln sup = %v outside [%v, %v]", d, high.Hi, -least, h)
		}
		n := float64(d.Samples)
		for range 300 {
			p := r.Float64()
			if r.IntN(2) == 0 {
				p = 0.5 - tau*r.Float64()
			}
			ln := math.Inf(-1)
			if p > 0 && p+tau <= 1 {
				ln = -n * num.KLShift{P: p, Shift: tau}.Nats()
			}
			if p < 1 && p-tau >= 0 {
				ln = num.LogAddExp(ln, -n*num.KLShift{P: p, Shift: -tau}.Nats())
			}
			if ln > high.Hi+slack {
				t.Fatalf("%+v: ln f(%v) = %v exceeds %v", d, p, ln, high.Hi)
			}
		}
	}
}

// What the branch and bound rests on: the bound of a cell is above f on all of it,
// wherever in the cell the point of expansion is.
func TestKLCellBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for range 4000 {
		tau := []float64{0.5 * r.Float64(), 0.49, math.Pow(10, -3*r.Float64()) / 2}[r.IntN(3)]
		f := klSum{tau: tau, n: 1, low: klLeast(tau)}
		in := f.domain()
		pick := func(in num.Interval) float64 { return in.Lo + (in.Hi-in.Lo)*r.Float64() }
		a, b := pick(in), pick(in)
		if r.IntN(2) == 0 { // about the size at which the bounds matter
			b = a + math.Pow(10, -4*r.Float64())*(in.Hi-a)
		}
		cell := num.Interval{Lo: min(a, b), Hi: max(a, b)}
		c := pick(cell)
		bound, flat := f.over(cell, c, f.at(c)), f.flat(cell)
		for i := range 20 {
			p := pick(cell)
			if i < 2 {
				p = []float64{cell.Lo, cell.Hi}[i]
			}
			ln := f.at(p).ln
			if slack := 1e-12 + 4e-15*math.Abs(ln); ln > bound+slack || ln > flat+slack {
				t.Fatalf("tau=%v n=%v %+v from %v: ln f(%v) = %v, bounds %v and %v", tau, f.n, cell, c, p, ln, bound, flat)
			}
		}
	}
}

// Where the maximum leaves 1/2 it is flat: the bracket must still be narrow.
func TestKLBracketNearCritical(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 30))
	worst, fuzzy := 0.0, 0
	for range 1000 {
		tau := math.Pow(10, -4*r.Float64()) * 0.499
		s := num.KLShift{P: 0.5, Shift: tau}.Slope()
		n := 16 * tau * tau / (s * s) * (1 + math.Pow(10, -7*r.Float64()))
		if n < 1 || n > MaxSamples {
			continue
		}
		low, high := Deviation{int64(n), tau}.klSup()
		gap := high.Sub(low).Hi
		worst = max(worst, gap)
		if gap > 1e-20 {
			fuzzy++
		}
		if slack := 2e-12 + 1e-15*math.Abs(low.Hi); !(gap >= 0 && gap <= slack) {
			t.Errorf("n=%v tau=%v: bracket %g wide", n, tau, gap)
		}
	}
	t.Logf("widest bracket %.2g; %d above 1e-20", worst, fuzzy)
}

// The guess n = ln(m/beta)/(tau ln((1+tau)/(1-tau))), from p = (1-tau)/2, fails.
func TestErratumWrongMinimum(t *testing.T) {
	f := Fixed{0.9, Level{1, LogProb(math.Log(1e-10))}}
	guess := int64(math.Ceil(10 * math.Ln10 / (0.9 * math.Log(19))))
	if holds, err := KLHolds(f, guess); err != nil || holds {
		t.Errorf("n = %d: %v, %v; want false", guess, holds, err)
	}
}

func TestConcentrationDomains(t *testing.T) {
	level := Level{1, LogProb(-3)}
	wrong := new(DomainError)
	for _, tau := range []float64{0, -0.1, 1, 2, math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, err := range []error{
			errorOf(KLSamples(Fixed{tau, level})),
			errorOf(KLTail(Deviation{10, tau})), second(KLHolds(Fixed{tau, level}, 10)),
			errorOf(BinomialTail(Deviation{10, tau})), errorOf(BinomialSamples(Fixed{tau, level}, BothSides)),
			second(BinomialHolds(Fixed{tau, level}, BothSides, 10)),
		} {
			if !errors.As(err, &wrong) || wrong.Param != "tau" {
				t.Errorf("tau = %v: %v", tau, err)
			}
		}
	}
	for _, l := range []Level{{}, {0, -3}, {-1, -3}, {1<<53 + 1, -3}, {1, 0}, {1, 0.1}, {1, Zero},
		{1, LogProb(math.NaN())}} {
		for _, err := range []error{
			l.Validate(), errorOf(KLSamples(Fixed{0.1, l})),
			second(KLHolds(Fixed{0.1, l}, 10)), errorOf(BinomialSamples(Fixed{0.1, l}, BothSides)),
			second(BinomialHolds(Fixed{0.1, l}, BothSides, 10)),
		} {
			if !errors.As(err, &wrong) {
				t.Errorf("%+v: %v", l, err)
			}
		}
	}
	for _, n := range []int64{0, -1, math.MinInt64, 1<<53 + 1, math.MaxInt64} {
		for _, err := range []error{
			errorOf(KLTail(Deviation{n, 0.1})), second(KLHolds(Fixed{0.1, level}, n)),
			errorOf(BinomialTail(Deviation{n, 0.1})),
			second(BinomialHolds(Fixed{0.1, level}, BothSides, n)),
		} {
			if !errors.As(err, &wrong) || wrong.Param != "samples" {
				t.Errorf("n = %d: %v", n, err)
			}
		}
	}
}

func second(_ bool, err error) error { return err }

// Nothing but a value in its range or an error, whatever the float64.
func TestConcentrationExtremes(t *testing.T) {
	tooMany := new(NoAnswerError)
	for _, tau := range []float64{5e-324, 1e-300, 1e-160, 1e-20, 1e-9, 1e-8, 1e-3, 0.25, 1. / 3, 0.5 - 0x1p-54, 0.5,
		0.5 + 0x1p-53, 0.999, 1 - 1e-12, 1 - 0x1p-53} {
		for _, beta := range []LogProb{-5e-324, -1e-20, -0.1, -3, -700, -1e4, -1e6, -1e15, -1e300, -math.MaxFloat64} {
			for _, m := range []int64{1, 1e15, 1 << 53} {
				f := Fixed{tau, Level{m, beta}}
				h, err := hoeffdingSamples(f)
				if !(err == nil && h >= 1 && h <= MaxSamples || errors.As(err, &tooMany)) {
					t.Errorf("%+v: hoeffding %v, %v", f, h, err)
				}
				k, errK := KLSamples(f)
				if !(errK == nil && k.Value >= 1 && k.Value <= MaxSamples || errors.As(errK, &tooMany)) {
					t.Errorf("%+v: hoeffding-kl %v, %v", f, k.Value, errK)
				}
				if err == nil && (errK != nil || k.Value > h) {
					t.Errorf("%+v: hoeffding-kl %v (%v), hoeffding %v", f, k.Value, errK, h)
				}
			}
		}
		for _, n := range []int64{1, 2, 1000, 1 << 40, MaxSamples} {
			d := Deviation{n, tau}
			if p := must[LogProb](t)(KLTail(d)); !p.IsValid() || p == Zero {
				t.Errorf("%+v: ln %v", d, p.Ln())
			}
		}
	}
}

func BenchmarkKLSamplesHalf(b *testing.B) {
	f := Fixed{0.05, Level{1000, -3}}
	for b.Loop() {
		if _, err := KLSamples(f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkKLSamplesSearch(b *testing.B) {
	for _, f := range []Fixed{{0.1, Level{1000, -1000}}, {0.3, Level{1, -30}}, {0.45, Level{1, -3}},
		{0.9, Level{1, -1e4}}} {
		b.Run(strconv.FormatFloat(f.Tau, 'g', -1, 64), func(b *testing.B) {
			for b.Loop() {
				if _, err := KLSamples(f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

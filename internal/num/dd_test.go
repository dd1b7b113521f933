package num

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/apd/v3"
)

// The oracle is cockroachdb/apd at 60 digits, which shares nothing with DD.
var oracle = apd.BaseContext.WithPrecision(60)

func decimal(t *testing.T, a DD) *apd.Decimal {
	t.Helper()
	d, _, err := apd.NewFromString(a.Big().Text('g', 800))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// within fails unless |got-want| <= 2^-bits |want|.
func within(t *testing.T, name string, got DD, want *apd.Decimal, bits int) {
	t.Helper()
	w, _, err := big.ParseFloat(want.Text('e'), 10, 400, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	diff := new(big.Float).SetPrec(400).Sub(got.Big(), w)
	limit := new(big.Float).SetMantExp(new(big.Float).Abs(w), -bits)
	if diff.Abs(diff).Cmp(limit) > 0 {
		t.Errorf("%s = %v, want %v: off by %v", name, got.Big().Text('g', 40), want, diff.Text('g', 5))
	}
}

func randomDD(r *rand.Rand, decades float64) DD {
	hi := math.Pow(10, (2*r.Float64()-1)*decades)
	return pair(hi, hi*0x1p-54*(2*r.Float64()-1))
}

func TestDDAgainstDecimal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a, b := randomDD(r, 20), randomDD(r, 20)
		x, y := decimal(t, a), decimal(t, b)
		want := new(apd.Decimal)
		oracle.Add(want, x, y)
		within(t, "Add", a.Add(b), want, 103)
		oracle.Mul(want, x, y)
		within(t, "Mul", a.Mul(b), want, 102)
		oracle.Quo(want, x, y)
		within(t, "Div", a.Div(b), want, 101)
		oracle.Sqrt(want, x)
		within(t, "Sqrt", a.Sqrt(), want, 100)
	}
	for range 200 {
		a := randomDD(r, 20)
		want := new(apd.Decimal)
		oracle.Ln(want, decimal(t, a))
		within(t, "Ln", a.Ln(), want, 97)
		e := DD{Hi: (2*r.Float64() - 1) * 600}
		oracle.Exp(want, decimal(t, e))
		within(t, "Exp", e.Exp(), want, 90)
	}
}

// Near one the logarithm cancels: its error is absolute, 2^-100.
func TestDDLnNearOne(t *testing.T) {
	for _, x := range []float64{1, 1 + 0x1p-52, 1 - 0x1p-53, 1.001, 0.999} {
		want := new(apd.Decimal)
		oracle.Ln(want, decimal(t, FromFloat(x)))
		w, _, _ := big.ParseFloat(want.Text('e'), 10, 400, big.ToNearestEven)
		diff, _ := new(big.Float).Sub(FromFloat(x).Ln().Big(), w).Float64()
		if math.Abs(diff) > 0x1p-100 {
			t.Errorf("Ln(%v) is off by %g", x, diff)
		}
	}
}

// Sums are ordered as their values, infinite ones too.
func TestDDOrder(t *testing.T) {
	inf, r := math.Inf(1), rand.New(rand.NewPCG(3, 4))
	ends := []DD{{inf, 0}, {-inf, 0}, {}, {math.MaxFloat64, 0}, {5e-324, 0}, {1, 0x1p-60}, {1, -0x1p-60}, {1, 0}}
	for range 20 {
		ends = append(ends, randomDD(r, 300))
	}
	for _, a := range ends {
		for _, b := range ends {
			if got, want := a.Cmp(b), a.Big().Cmp(b.Big()); got != want {
				t.Errorf("%v against %v: got %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestDDCeil(t *testing.T) {
	for _, c := range []struct {
		x    DD
		want int64
	}{
		{DD{3, 0}, 3}, {DD{3, 1e-30}, 4}, {DD{3, -1e-30}, 3}, {DD{0.5, 0}, 1},
		{DD{1 << 53, 0.25}, 1<<53 + 1}, {DD{1 << 53, -0.75}, 1 << 53}, {DD{1<<53 - 1, 0}, 1<<53 - 1},
	} {
		if got := c.x.Ceil(); got != c.want {
			t.Errorf("Ceil(%v) = %d, want %d", c.x, got, c.want)
		}
	}
}

func BenchmarkDDLn(b *testing.B) {
	x := FromFloat(1234.5)
	for b.Loop() {
		x.Ln()
	}
}

package record

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
)

// roundNumber says whether x is 1, 2 or 5 times a power of ten.
func roundNumber(x float64) bool {
	mantissa, _, _ := strings.Cut(strconv.FormatFloat(x, 'e', 9, 64), "e")
	return slices.Contains([]string{"1.000000000", "2.000000000", "5.000000000"}, mantissa)
}

func checkTicks(t *testing.T, a Ruler) {
	t.Helper()
	ticks, texts := a.Ticks(), a.TickTexts()
	if len(ticks) < 4 || len(ticks) > 9 || !slices.IsSorted(ticks) {
		t.Fatalf("%+v: ticks %v", a, ticks)
	}
	below, above := ticks[0]-a.Low, a.High-ticks[len(ticks)-1]
	if slack := 1e-8 * (a.High - a.Low); !a.log && max(below, above) > slack || a.log &&
		(below > 1e-8*a.Low || above > 1e-8*a.High) {
		t.Fatalf("%+v: ticks %v do not cover", a, ticks)
	}
	step := ticks[1] - ticks[0]
	even, round := roundNumber(step), a.log
	for i, x := range ticks {
		if i > 0 && math.Abs(x-ticks[i-1]-step) > 1e-6*step {
			even = false
		}
		round = round && roundNumber(x)
		if r, ok := numbers.ParseRat(texts[i]); !ok {
			t.Fatalf("%+v: tick text %q", a, texts[i])
		} else if y, _ := r.Float64(); y != x {
			t.Fatalf("%+v: tick %v reads %q", a, x, texts[i])
		}
	}
	if !even && !round || a.log && ticks[0] <= 0 {
		t.Fatalf("%+v: ticks %v", a, ticks)
	}
}

// Ticks are 4 to 9 round numbers that cover the range, on every axis, and their texts
// read back as they are.
func TestTicks(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	power := func(from, to float64) float64 { return math.Pow(10, from+(to-from)*r.Float64()) }
	for range 5000 {
		width := power(-6, 9)
		low := (r.Float64() - 0.5) * width * power(-2, 4)
		a := NewRuler("", false)
		a.Include(low, low+width)
		checkTicks(t, a)
		a = NewRuler("", true)
		low = power(-9, 9)
		a.Include(low*power(0.001, 1), low, low*power(0.001, power(-1, 1.2)))
		checkTicks(t, a)
	}
	for _, c := range []struct {
		low, high float64
		log       bool
		want      string
	}{
		{0, 500, false, "0 100 200 300 400 500"},
		{0.45, 0.75, false, "0.45 0.50 0.55 0.60 0.65 0.70 0.75"},
		{0.476, 0.713, false, "0.45 0.50 0.55 0.60 0.65 0.70 0.75"},
		{-3, 4, false, "-3 -2 -1 0 1 2 3 4"},
		{9000, 21_000, false, "8000 10k 12k 14k 16k 18k 20k 22k"},
		{0, 3e6, false, "0 500k 1M 1.5M 2M 2.5M 3M"},
		{10, 1e6, true, "10 100 1000 10k 100k 1M"},
		{1, 1000, true, "1 10 100 1000"},
		{3, 90, true, "2 5 10 20 50 100"},
		{0.02, 0.1, true, "0.02 0.03 0.04 0.05 0.06 0.07 0.08 0.09 0.1"},
		{1e-12, 1e12, true, "1e-15 1e-10 1e-05 1 100k 1e+10 1e+15"},
		{5, 5, false, "4.0 4.5 5.0 5.5 6.0"},
		{5, 5, true, "2 3 4 5 6 7 8 9 10"},
		{math.Inf(1), math.Inf(-1), false, "1.0 1.2 1.4 1.6 1.8 2.0"},
	} {
		a := Ruler{log: c.log, Low: c.low, High: c.high}
		if got := strings.Join(a.TickTexts(), " "); got != c.want {
			t.Errorf("%v to %v: ticks %s, want %s", c.low, c.high, got, c.want)
		}
	}
}

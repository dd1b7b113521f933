package transfer

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// better is a forecast about a gate of 20 looks that is retired at its first pass, at beta 5%.
func better(query Query, samples int64, effect, power float64) Forecast {
	g := Goal{Samples: samples, Queries: 20, Beta: theory.LogProb(math.Log(0.05)), Query: query}
	g.Feedback, g.Passes = Gate, 1
	if query == Difference {
		g.Disagreement = 0.4
	} else {
		g.Bar = Some(0.6)
	}
	return Forecast{Goal: g, Effect: effect, Power: power}
}

// How often 40 rows pass the sign test at the level 0.05/20 by a sum over all wins and losses, of logarithms of
// factorials.
func TestForecastOfATestByASum(t *testing.T) {
	const n, win, loss, level = 40, 0.35, 0.05, 0.05 / 20
	factorial := func(k int) float64 { ln, _ := math.Lgamma(float64(k) + 1); return ln }
	want := 0.
	for w := range n + 1 {
		for l := range n + 1 - w {
			tail := 0.
			for k := w; k <= w+l; k++ {
				tail += math.Exp(factorial(w+l) - factorial(k) - factorial(w+l-k) - float64(w+l)*math.Ln2)
			}
			if tail > level {
				continue
			}
			ln := factorial(n) - factorial(w) - factorial(l) - factorial(n-w-l)
			want += math.Exp(ln + float64(w)*math.Log(win) + float64(l)*math.Log(loss) + float64(n-w-l)*math.Log(1-win-loss))
		}
	}
	f := better(Difference, n, win-loss, 0)
	f.Tested, f.Duel = true, true
	got, err := f.Solve()
	if err != nil || math.Abs(got.Power-want) > 1e-9 {
		t.Errorf("got %v, want %v (%v)", got.Power, want, err)
	}
}

// Rows, effect and power are those of each other, of every gate, and more looks make a model pass less probably.
func TestForecastsAgree(t *testing.T) {
	for _, tested := range []bool{false, true} {
		for _, open := range []bool{false, true} {
			for _, query := range []Query{Binary, Bounded, Difference} {
				if tested && query != Difference {
					continue
				}
				f := better(query, 0, 0.1, 0.8)
				f.Tested, f.Open = tested, open
				rows, err := f.Solve()
				if err != nil {
					t.Fatal(err)
				}
				f.Samples, f.Power = rows.Samples, 0
				power, err := f.Solve()
				if err != nil || power.Power < 0.8 || power.Power > 0.83 {
					t.Errorf("%s of %d rows: %v (%v)", f.Method(), rows.Samples, power.Power, err)
				}
				f.Effect, f.Power = 0, 0.8
				effect, err := f.Solve()
				if err != nil || effect.Effect > 0.1 || effect.Effect < 0.095 {
					t.Errorf("%s of %d rows: the effect %v (%v)", f.Method(), rows.Samples, effect.Effect, err)
				}
				f.Effect, f.Power, f.Queries = 0.1, 0, 2000
				if later, err := f.Solve(); err != nil || later.Power >= power.Power {
					t.Errorf("%s after 2000 looks: %v (%v)", f.Method(), later.Power, err)
				}
			}
		}
	}
}

func TestForecastsThatAreNone(t *testing.T) {
	for want, change := range map[string]func(*Forecast){
		"feedback":     func(f *Forecast) { f.Feedback, f.Passes, f.Bar = Answers, 0, Option{} },
		"query":        func(f *Forecast) { f.Query, f.Bar = Sensitive, Option{} },
		"tau":          func(f *Forecast) { f.Tau = 0.1 },
		"queries":      func(f *Forecast) { f.Queries, f.Passes = 0, 0 },
		"beta":         func(f *Forecast) { f.Beta = 0 },
		"threshold":    func(f *Forecast) { f.Bar = Option{} },
		"disagreement": func(f *Forecast) { f.Query, f.Bar = Difference, Option{} },
		"rows":         func(f *Forecast) { f.Sample = Subset{Items: 1000} },
		"power":        func(f *Forecast) { f.Power = 1 },
		"effect":       func(f *Forecast) { f.Effect = 0.41 },
		"forecast":     func(f *Forecast) { f.Power = 0.5 },
		"passes":       func(f *Forecast) { f.Passes = 21 },
	} {
		f := better(Binary, 100, 0.1, 0)
		change(&f)
		domain := (*theory.DomainError)(nil)
		if _, err := f.Solve(); !errors.As(err, &domain) || domain.Param != want {
			t.Errorf("%s: got %v", want, err)
		}
	}
	// Their truth is the greatest there is.
	for _, f := range []Forecast{better(Binary, 100, 0.2, 0), better(Difference, 100, 0.2, 0)} {
		if f.Bar = Some(0.8); f.Query == Difference {
			f.Bar, f.Disagreement = Some(0.1), 0.3
		}
		if a, err := f.Solve(); err != nil || !(a.Power > 0 && a.Power <= 1) {
			t.Errorf("%v above the bar %v: %v, %v", f.Effect, f.Bar.Value, a.Power, err)
		}
	}
	for want, f := range map[string]Forecast{
		"no score can pass":  better(Binary, 5, 0.1, 0),
		"more than 2^40":     better(Binary, 0, 1e-8, 0.5),
		"no model passes so": better(Binary, 40, 0, 0.9999999999999999),
	} {
		if want == "no model passes so" {
			f.Bar, f.Query, f.Disagreement = Option{}, Difference, 0.3
		}
		if _, err := f.Solve(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

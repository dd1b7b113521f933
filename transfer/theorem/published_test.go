package theorem

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

func lp(text string) theory.LogProb {
	p, err := theory.ParseLogProb(text)
	if err != nil {
		panic(err)
	}
	return p
}

// oneSided fails unless exact <= got <= exact (1+1e-9).
func oneSided(t *testing.T, name string, got, exact float64) {
	t.Helper()
	if !(got >= exact && got <= exact*(1+1e-9)) {
		t.Errorf("%s = %.17g, want at least %.17g and at most 1e-9 above", name, got, exact)
	}
}

// Values by mpmath at 40 digits.
func TestJung20Values(t *testing.T) {
	s := Sampled{Alpha: 0.05, Beta: lp("1e-6"), Epsilon: 0.02, LnDelta: lp("1e-9")}
	for _, c := range []struct {
		class Class
		want  float64
	}{
		{Class{}, 0.070223168881137809992},
		{Class{Spread: 1, Samples: 1000}, 0.070223949848883944864},
		{Class{Spread: 0.5, Samples: 1000}, 0.060122498867759904912},
		{Class{Spread: 2, Samples: 1000}, 0.090426417762275619984},
	} {
		b, err := Jung20.Apply(s, c.class, lp("0.05"))
		if err != nil {
			t.Fatal(err)
		}
		oneSided(t, "alpha'", b.Value.Alpha, c.want)
		if b.Value.Beta != lp("0.05") || len(b.Sources) == 0 || len(b.Assumes) == 0 {
			t.Errorf("%+v", b)
		}
	}
}

func TestPureAndBassilyValues(t *testing.T) {
	s := Sampled{Alpha: 0.05, Beta: lp("1e-6"), Epsilon: 0.02, LnDelta: theory.Zero}
	pure, err := Jung20Pure.Apply(s, Class{Samples: 100000}, lp("0.05"))
	if err != nil {
		t.Fatal(err)
	}
	oneSided(t, "pure", pure.Value.Alpha, 0.077941820985654932289)
	bassily, err := Bassily16.Apply(s, Class{Samples: 100000}, lp("0.05"))
	if err != nil {
		t.Fatal(err)
	}
	oneSided(t, "bassily", bassily.Value.Alpha, 0.41)
}

// The closed form is the least over all c and d: no pair does better, and the
// best of a fine grid comes close.
func TestJung20IsTheBestSplit(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range 200 {
		s := Sampled{Alpha: r.Float64() / 10, Beta: theory.LogProb(-5 - 20*r.Float64()), Epsilon: r.Float64() / 5,
			LnDelta: theory.LogProb(-8 - 20*r.Float64())}
		target := theory.LogProb(-3*r.Float64() - 0.01)
		class, w := Class{}, 2.0
		d := 1.0
		if r.IntN(2) == 0 {
			d = math.Exp(2*r.Float64() - 1)
			class, w = Class{Spread: d, Samples: 100}, 4*d
		}
		got, err := Jung20.Apply(s, class, target)
		if err != nil {
			t.Fatal(err)
		}
		best := math.Inf(1)
		for y := -30.; y < 30; y += 0.005 { // c = (1+e^y) beta/target
			c := s.Beta.Value() / target.Value() * (1 + math.Exp(y))
			dd := s.LnDelta.Value() / (target.Value() - s.Beta.Value()/c)
			best = math.Min(best, s.Alpha+d*math.Expm1(s.Epsilon)+c+w*dd)
		}
		if !(got.Value.Alpha <= best*(1+1e-12) && got.Value.Alpha >= best*(1-1e-5)) {
			t.Errorf("%+v: %v, best of a grid %v", s, got.Value.Alpha, best)
		}
	}
}

func TestTransferHypotheses(t *testing.T) {
	s := Sampled{Alpha: 0.05, Beta: lp("1e-6"), Epsilon: 0.02, LnDelta: theory.Zero}
	linear := Class{Samples: 100000}
	for name, f := range map[string]func() error{
		"pure with delta": func() error {
			d := s
			d.LnDelta = lp("1e-9")
			_, err := Jung20Pure.Apply(d, linear, lp("0.05"))
			return err
		},
		"pure, sensitive": func() error {
			_,
				err := Jung20Pure.Apply(s, Class{Spread: 1, Samples: 10}, lp("0.05"))
			return err
		},
		"pure without n":      func() error { _, err := Jung20Pure.Apply(s, Class{}, lp("0.05")); return err },
		"pure, target = beta": func() error { _, err := Jung20Pure.Apply(s, linear, lp("1e-6")); return err },
		"bassily, epsilon": func() error {
			d := s
			d.Epsilon = 0.4
			_,
				err := Bassily16.Apply(d, linear, lp("0.05"))
			return err
		},
		"bassily, few samples": func() error { _, err := Bassily16.Apply(s, Class{Samples: 100}, lp("0.05")); return err },
		"bassily, delta": func() error {
			d := s
			d.LnDelta = lp("0.004")
			_, err := Bassily16.Apply(d, linear, lp("0.05"))
			return err
		},
	} {
		if e := new(theory.NotApplicableError); !errors.As(f(), &e) {
			t.Errorf("%s: got %v, want a NotApplicableError", name, f())
		}
	}
}

func TestTransferDomains(t *testing.T) {
	good := Sampled{Alpha: 0.05, Beta: lp("1e-6"), Epsilon: 0.02, LnDelta: theory.Zero}
	nan := math.NaN()
	for name, change := range map[string]func(*Sampled, *Class, *theory.LogProb){
		"alpha negative":  func(s *Sampled, _ *Class, _ *theory.LogProb) { s.Alpha = -1 },
		"alpha NaN":       func(s *Sampled, _ *Class, _ *theory.LogProb) { s.Alpha = nan },
		"alpha infinite":  func(s *Sampled, _ *Class, _ *theory.LogProb) { s.Alpha = math.Inf(1) },
		"beta one":        func(s *Sampled, _ *Class, _ *theory.LogProb) { s.Beta = 0 },
		"beta NaN":        func(s *Sampled, _ *Class, _ *theory.LogProb) { s.Beta = theory.LogProb(nan) },
		"epsilon NaN":     func(s *Sampled, _ *Class, _ *theory.LogProb) { s.Epsilon = nan },
		"delta one":       func(s *Sampled, _ *Class, _ *theory.LogProb) { s.LnDelta = 0 },
		"samples":         func(_ *Sampled, c *Class, _ *theory.LogProb) { c.Samples = -1 },
		"spread NaN":      func(_ *Sampled, c *Class, _ *theory.LogProb) { c.Spread = nan },
		"spread negative": func(_ *Sampled, c *Class, _ *theory.LogProb) { c.Spread = -1 },
		"target zero":     func(_ *Sampled, _ *Class, b *theory.LogProb) { *b = theory.Zero },
		"target one":      func(_ *Sampled, _ *Class, b *theory.LogProb) { *b = 0 },
		"target NaN":      func(_ *Sampled, _ *Class, b *theory.LogProb) { *b = theory.LogProb(nan) },
		"target positive": func(_ *Sampled, _ *Class, b *theory.LogProb) { *b = 1 },
	} {
		s, c, b := good, Class{Samples: 1000}, lp("0.05")
		change(&s, &c, &b)
		for _, th := range []Theorem{Jung20, Jung20Pure, Bassily16} {
			if _, err := th.Apply(s, c, b); !isDomain(err) {
				t.Errorf("%s: got %v, want a DomainError", name, err)
			}
		}
	}
}

func isDomain(err error) bool {
	e := new(theory.DomainError)
	return errors.As(err, &e)
}

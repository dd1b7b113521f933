package theorem

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// Values by mpmath at 40 digits.
func TestCVaRValues(t *testing.T) {
	approx := Sampled{Alpha: 0.05, Beta: lp("1e-6"), Epsilon: 0.02, LnDelta: lp("1e-9")}
	pure := Sampled{Alpha: 0.05, Beta: lp("1e-6"), Epsilon: 0.02, LnDelta: theory.Zero}
	often := Sampled{Alpha: 0.05, Beta: lp("0.04"), Epsilon: 0.02, LnDelta: theory.Zero}
	for _, c := range []struct {
		name  string
		f     func(Sampled, Class, theory.LogProb) (theory.Bound[Population], error)
		s     Sampled
		class Class
		want  float64
	}{
		{"linear", CVaR.Apply, approx, Class{}, 0.055044977188486127619},
		{"comparison", CVaR.Apply, approx, Class{Spread: 2, Samples: 100}, 0.060069954376972255238},
		{"pure", CVaRPure.Apply, pure, Class{}, 0.055019958333749995784},
		{"pure, beta close to the target", CVaRPure.Apply, often, Class{Samples: 1e7}, 0.055479810924968803905},
		{"pure, sensitive", CVaRPure.Apply, often, Class{Spread: 1, Samples: 1e7}, 0.85499995833374999579},
	} {
		b, err := c.f(c.s, c.class, lp("0.05"))
		if err != nil {
			t.Fatal(c.name, err)
		}
		oneSided(t, c.name, b.Value.Alpha, c.want)
	}
	if _, err := CVaRPure.Apply(approx, Class{}, lp("0.05")); !errors.As(err, new(*theory.NotApplicableError)) {
		t.Errorf("pure theorem with delta: got %v, want a NotApplicableError", err)
	}
	if _, err := CVaR.Apply(Sampled{Alpha: math.NaN()}, Class{}, lp("0.05")); !isDomain(err) {
		t.Errorf("alpha NaN: got %v, want a DomainError", err)
	}
}

// The CVaR theorem dominates Jung et al. under its own hypotheses, whatever they are.
func TestCVaRDominatesJung20(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	for range 20000 {
		s := Sampled{
			Alpha: r.Float64(), Beta: theory.LogProb(-30 * r.Float64()), Epsilon: math.Exp(-20*r.Float64()) * 3,
			LnDelta: theory.LogProb(-40 * r.Float64()),
		}
		if r.IntN(5) == 0 {
			s.LnDelta = theory.Zero
		}
		if r.IntN(5) == 0 {
			s.Beta = theory.Zero
		}
		class := Class{Samples: 1000}
		if r.IntN(2) == 0 {
			class.Spread = math.Exp(4*r.Float64() - 2)
		}
		target := theory.LogProb(-10 * r.Float64())
		if s.Beta == 0 || s.LnDelta == 0 || target == 0 {
			continue
		}
		old, err1 := Jung20.Apply(s, class, target)
		sharp, err2 := CVaR.Apply(s, class, target)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if !(sharp.Value.Alpha <= old.Value.Alpha*(1+1e-12)) {
			t.Errorf("%+v %+v: CVaR %v, Jung et al. %v", s, class, sharp.Value.Alpha, old.Value.Alpha)
		}
	}
}

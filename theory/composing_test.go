package theory

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func compositions(t *testing.T, s Steps) map[string]Outcome[Approx] {
	t.Helper()
	all := map[string]Outcome[Approx]{}
	for _, m := range CompositionMethods() {
		out, err := m.Compose(s)
		if err != nil {
			t.Fatalf("%s of %+v: %v", m.Name, s, err)
		}
		all[m.Name] = out
	}
	return all
}

// A method gives what the theorem gives for which it stands.
func TestCompositionMethodsAreTheirTheorems(t *testing.T) {
	total := LogProb(-20)
	private := Composition{Each: Approx{Epsilon: 0.1, LnDelta: -30}, Times: 50}
	pure := Composition{Each: Pure{Epsilon: 0.1}.Approx(), Times: 50}
	value := func(b Bound[Approx], err error) Approx {
		if err != nil {
			t.Fatal(err)
		}
		return b.Value
	}
	mu, err := GDP{Mu: 0.1}.Repeat(50)
	if err != nil {
		t.Fatal(err)
	}
	step, err := Pure{Epsilon: 0.1}.ZCDP()
	if err != nil {
		t.Fatal(err)
	}
	rho, err := step.Value.Repeat(50)
	if err != nil {
		t.Fatal(err)
	}
	gaussian := Steps{Mu: 0.1, Times: 50, Total: total}
	for _, c := range []struct {
		name  string
		steps Steps
		want  Approx
	}{
		{"basic", Steps{Each: private.Each, Times: 50}, value(private.Basic())},
		{"advanced", Steps{Each: private.Each, Times: 50, Total: total}, value(private.Advanced(total))},
		{"optimal", Steps{Each: private.Each, Times: 50, Total: total}, value(private.Optimal(total))},
		{"zcdp", Steps{Each: pure.Each, Times: 50, Total: total}, value(rho.Value.Approx(total))},
		{"zcdp", gaussian, value(ZCDP{Rho: 0.1 * 0.1 / 2 * 50}.Approx(total))},
		{"gdp", gaussian, value(mu.Value.Approx(total))},
	} {
		got := compositions(t, c.steps)[c.name]
		if got.Status != OK || got.Value.LnDelta != c.want.LnDelta || math.Abs(got.Value.Epsilon-c.want.Epsilon) > 1e-14 {
			t.Errorf("%s of %+v: %+v, want %+v", c.name, c.steps, got, c.want)
		}
	}
}

// Steps outside a method's hypotheses leave the others their bounds.
func TestCompositionMethodsThatDoNotApply(t *testing.T) {
	each := Approx{Epsilon: 0.1, LnDelta: -30}
	pure, nothing := Pure{Epsilon: 0.1}.Approx(), Approx{LnDelta: Zero}
	three := map[string]Status{"basic": OK, "advanced": OK, "optimal": OK}
	for _, c := range []struct {
		steps Steps
		want  map[string]Status // the others do not apply
	}{
		{Steps{Each: each, Times: 5}, map[string]Status{"basic": OK}},
		{Steps{Each: each, Times: 5, Total: -20}, three},
		{Steps{Each: nothing, Times: 5, Total: -20}, three},
		{
			Steps{Each: pure, Times: 5, Total: -20},
			map[string]Status{"basic": OK, "advanced": OK, "optimal": OK, "zcdp": OK},
		},
		{Steps{Mu: 0.1, Times: 5, Total: -20}, map[string]Status{"zcdp": OK, "gdp": OK}},
		{Steps{Mu: 0.1, Times: 5}, nil},
		{
			Steps{Each: Approx{Epsilon: 0.1, LnDelta: -0.1}, Times: 5, Total: -0.01},
			map[string]Status{"basic": Vacuous, "optimal": Infeasible},
		},
	} {
		for name, got := range compositions(t, c.steps) {
			want := c.want[name]
			if want == "" {
				want = NotApplicable
			}
			if got.Status != want {
				t.Errorf("%s of %+v: %s (%s), want %s", name, c.steps, got.Status, got.Reason, want)
			}
		}
	}
	for _, s := range []Steps{
		{}, {Each: each}, {Each: each, Times: -1}, {Each: Approx{Epsilon: math.NaN(), LnDelta: -1}, Times: 1},
		{Mu: -1, Times: 1}, {Mu: math.NaN(), Times: 1}, {Each: each, Times: 1, Total: 1},
		{Each: each, Times: 1, Total: LogProb(math.NaN())}, {Each: each, Times: 1, Total: Zero},
	} {
		for _, m := range CompositionMethods() {
			if out, err := m.Compose(s); err == nil {
				t.Errorf("%s of %+v: %+v", m.Name, s, out)
			}
		}
	}
}

// Whatever the steps, a bound's sources are among those that the method names.
func TestCompositionMethodsNameTheirSources(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		s := Steps{Each: Pure{Epsilon: math.Exp(-8 * r.Float64())}.Approx(), Times: 1 + r.Int64N(100)}
		s.Total = LogProb(-40 * r.Float64())
		switch r.IntN(3) {
		case 0:
			s.Mu = s.Each.Epsilon
		case 1:
			s.Each.LnDelta = LogProb(-60 * r.Float64())
		}
		for _, m := range CompositionMethods() {
			out, err := m.Compose(s)
			if err != nil {
				t.Fatalf("%s of %+v: %v", m.Name, s, err)
			}
			if out.Status.Applies() && len(out.Sources) == 0 {
				t.Errorf("%s of %+v: no source", m.Name, s)
			}
			for _, source := range out.Sources {
				if !slices.Contains(m.Sources, source) {
					t.Errorf("%s of %+v: its article does not name %v", m.Name, s, source)
				}
			}
		}
	}
}

package theorem

import (
	"math"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// A conclusion is vacuous from the spread on, and one that does not apply names its th.
func TestConclusions(t *testing.T) {
	target := theory.LogProb(-3)
	pure := Sampled{Alpha: 0.05, Beta: -9, Epsilon: 0.01, LnDelta: theory.Zero}
	weak, approximate := pure, pure
	weak.Epsilon, approximate.LnDelta = 50, -30
	many := Class{Samples: 1_000_000}
	for _, c := range []struct {
		name    string
		sampled Sampled
		class   Class
		want    theory.Status
	}{
		{"jung20", pure, many, theory.OK}, {"jung20", weak, many, theory.Vacuous},
		{"jung20", weak, Class{Spread: 1e-90}, theory.Vacuous},
		{"jung20-pure", pure, many, theory.OK}, {"jung20-pure", approximate, many, theory.NotApplicable},
		{"jung20-pure", pure, Class{}, theory.NotApplicable},
		{"bassily16", pure, many, theory.OK}, {"bassily16", weak, many, theory.NotApplicable},
		{"cvar", approximate, many, theory.OK}, {"cvar", weak, many, theory.Vacuous},
		{"cvar-pure", pure, many, theory.OK}, {"cvar-pure", approximate, many, theory.NotApplicable},
	} {
		i := slices.IndexFunc(All(), func(t Theorem) bool { return t.Name == c.name })
		th := All()[i]
		out, err := th.Conclude(c.sampled, c.class, target)
		if err != nil || out.Status != c.want || (out.Reason == "") != (c.want == theory.OK) {
			t.Errorf("%s of %+v: %+v, %v, want %s", c.name, c.sampled, out, err, c.want)
		}
		if len(out.Sources) == 0 {
			t.Errorf("%s, %s: no source", c.name, out.Status)
		}
		if c.want.Applies() && !slices.Equal(out.Sources, th.Sources) {
			t.Errorf("%s: sources %v, its article has %v", c.name, out.Sources, th.Sources)
		}
		if c.want.Applies() && !slices.Equal(out.Assumes, th.Assumes) {
			t.Errorf("%s: hypotheses %v, its article has %v", c.name, out.Assumes, th.Assumes)
		}
		bound, _ := th.Apply(c.sampled, c.class, target)
		if out.Value != bound.Value {
			t.Errorf("%s concludes %+v, the theorem %+v", c.name, out.Value, bound.Value)
		}
		if out, err := th.Conclude(Sampled{Alpha: math.NaN()}, many, target); err == nil || out.Status != "" {
			t.Errorf("%s of nonsense: %+v", c.name, out)
		}
	}
}

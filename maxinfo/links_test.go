package maxinfo

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// spans writes links by their first and last steps.
func spans(links []Link) string {
	var text []string
	for _, l := range links {
		text = append(text, fmt.Sprintf("%d-%d", l.First, l.Last))
	}
	return strings.Join(text, " ")
}

// Which steps are links: neighbouring private ones in every part of a run, steps of one kind together.
func TestLinksOfAPlan(t *testing.T) {
	d, p, g := Description{1}, PureDP{0.1}, GDP{0.1}
	near, far := Gaussian{3, 0.1}, Gaussian{4, 0.2}
	for _, c := range []struct {
		steps []Step
		want  string
	}{
		{[]Step{d}, "0-0"},
		{[]Step{d, p}, "0-0 1-1"},
		{[]Step{p, p, p}, "0-2"},
		{[]Step{p, p, g}, "0-2 0-1 2-2"},
		{[]Step{p, d, p}, "0-0 1-1 2-2"},
		{[]Step{near, near, far}, "0-2 0-1 2-2"},
		{[]Step{d, p, g, far, d, d}, "0-0 1-3 1-2 1-1 2-3 2-2 3-3 4-4 5-5"},
	} {
		links, err := Plan{Samples: 10, Data: ProductData, Steps: c.steps}.Links()
		if err != nil || spans(links) != c.want {
			t.Errorf("%v: %s, %v, want %s", c.steps, spans(links), err, c.want)
		}
	}
	var long []Step
	for range 10 {
		long = append(long, p, g)
	}
	links, err := Plan{Samples: 10, Data: ProductData, Steps: long}.Links()
	if err != nil || len(links) != 20*8-28+1 || links[0].Last != 19 {
		t.Errorf("a long run has %d links, %v", len(links), err)
	}
}

// A link says what its steps say at the beginning of a plan; a bound that is known for this sample's law
// has to hold for every answer before it. Every kind of step may stand anywhere.
func TestLinksAreStepsByThemselves(t *testing.T) {
	for _, k := range Kinds() {
		alone := chain(t, Plan{Samples: 1000, Data: ProductData, Steps: []Step{k.Example}})
		links, err := Plan{Samples: 1000, Data: ProductData, Steps: []Step{Description{1}, k.Example, Description{2}}}.Links()
		if err != nil || len(links) != 3 {
			t.Fatal(k.Name, links, err)
		}
		got := links[1].Methods
		for i, m := range alone.Methods {
			if got[i].Name != m.Name || !reflect.DeepEqual(got[i].Limit, m.Limit) {
				t.Errorf("%s: %+v, want %+v", k.Name, got[i], m)
			}
			if extra := slices.Contains(got[i].Assumes, held); extra != (k.Name == "mutual-info" || k.Name == "max-info") {
				t.Errorf("%s assumes %q", k.Name, got[i].Assumes)
			}
		}
		if links[1].Always != holdsEverywhere(k.Example) && !isPrivateKind(k.Example) {
			t.Errorf("%s: always is %v", k.Name, links[1].Always)
		}
	}
	if _, err := (Plan{Samples: 10, Steps: []Step{Description{1}, silent{PureDP{0.1}}}}).Links(); !errors.As(err,
		new(*theory.DomainError)) {
		t.Errorf("a step that nothing is known of: %v", err)
	}
	if _, err := (Plan{}).Links(); !errors.As(err, new(*theory.DomainError)) {
		t.Errorf("no steps: %v", err)
	}
}

// Every number of every kind of step may be looked for, and with it comes the same plan with that number.
func TestQuantitiesOfEveryKind(t *testing.T) {
	want := map[string]string{
		"pure-dp": "epsilon samples", "approx-dp": "epsilon delta samples", "gdp": "mu samples", "zcdp": "rho samples",
		"rdp":      "samples",
		"gaussian": "queries noise-sd samples", "description": "outcomes bits", "gates": "looks passes",
		"mutual-info": "bits", "max-info": "bits",
	}
	for _, k := range Kinds() {
		plan := Plan{Samples: 1000, Data: ProductData, Steps: []Step{k.Example, Description{1}}}
		all, err := plan.Quantities()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, q := range all {
			if q.Name != "outcomes" && q.Name != "bits" || k.Name != "gaussian" && len(names) < 2 {
				names = append(names, q.Name)
			}
			for _, x := range []float64{q.Least, q.Most} {
				other := q.With(x)
				if _, err := other.Links(); err != nil && !errors.As(err, new(*theory.NoAnswerError)) {
					t.Errorf("%s, %s = %g: %v", k.Name, q.Name, x, err)
				}
			}
			if reflect.DeepEqual(q.With(q.Least), q.With(q.Most)) {
				t.Errorf("%s: %s changes nothing", k.Name, q.Name)
			}
		}
		for _, name := range strings.Fields(want[k.Name]) {
			if !slices.Contains(names, name) {
				t.Errorf("%s has %v, want %s", k.Name, names, want[k.Name])
			}
		}
		if !reflect.DeepEqual(plan.Steps[0], k.Example) {
			t.Errorf("%s was changed", k.Name)
		}
	}
	open := Plan{Steps: []Step{Gates{Looks: 5, Passes: 5}}}
	all, err := open.Quantities()
	if err != nil || all[0].With(9).Steps[0] != (Gates{9, 9}) {
		t.Errorf("looks without a limit of passes: %v, %v", all, err)
	}
}

// A step's bounds go with the number of records as it says: with more of them less is revealed where thresholds rise,
// and more where they fall. What it assumes stands in every method of a chain and of a link, wherever the step is.
func TestEveryKindSaysHowItGoesWithTheRows(t *testing.T) {
	for _, k := range Kinds() {
		r := k.Example.roles()
		var last, slack = theory.Nats(0), theory.LogProb(math.Log(0.01))
		for i, n := range []int64{400, 800, 1600} {
			plan := Plan{Samples: n, Data: ProductData, Steps: []Step{k.Example}}
			answers, best, err := plan.Answers(slack)
			if err != nil || best < 0 {
				t.Fatalf("%s: %v", k.Name, err)
			}
			if now := answers[best].Bound; i > 0 && r.rows != cmp.Compare(last, now) {
				t.Errorf("%s: %v nats, %v of twice the records, and it says %d", k.Name, last, now, r.rows)
			}
			last = answers[best].Bound
		}
		for _, other := range Kinds() {
			plan := Plan{Samples: 400, Data: ProductData, Steps: []Step{k.Example, other.Example}}
			chain, err := plan.Chain()
			all := chain.Methods
			if links, err := plan.Links(); err == nil {
				for _, l := range links {
					if l.First == 0 {
						all = append(all, l.Methods...)
					}
				}
			} else if !errors.As(err, new(*theory.NoAnswerError)) {
				t.Fatal(err)
			}
			if err != nil && !errors.As(err, new(*OrderError)) && !errors.As(err, new(*theory.NoAnswerError)) {
				t.Fatal(err)
			}
			for _, m := range all {
				for _, assumed := range r.assumes {
					if !slices.Contains(m.Assumes, assumed) {
						t.Errorf("%s of %s, then %s, does not assume %s: %v", m.Name, k.Name, other.Name, assumed, m.Assumes)
					}
				}
			}
		}
	}
}

// The conversion of neighbours of every kind of step; a mean over a known number of rows has none.
func TestReplacedSteps(t *testing.T) {
	for _, k := range Kinds() {
		s, sources, err := Replaced(k.Example)
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
		converted := k.Example.roles().rows == falling // by record, whatever their number
		if (len(sources) > 0) != converted || reflect.DeepEqual(s, k.Example) == converted {
			t.Errorf("%s: %v becomes %v by %v", k.Name, k.Example, s, sources)
		}
	}
	if s, _, err := Replaced(ZCDP{0.25}); err != nil || s != (ZCDP{1}) {
		t.Errorf("zCDP: %v, %v", s, err)
	}
	if _, _, err := Replaced(PureDP{-1}); !errors.As(err, new(*theory.DomainError)) {
		t.Errorf("a negative epsilon: %v", err)
	}
}

// Domains of the new steps, and their texts.
func TestNewStepsDomain(t *testing.T) {
	for text, s := range map[string]Step{
		"rho: got 0, want a number > 0":   ZCDP{},
		"points: got 0, want one or more": RDP{},
		"order: got 1, want a number above 1, at most 1e100": RDP{[]theory.RenyiPoint{{Order: 1,
			Epsilon: 1}}},
		"epsilon: got -1, want a number >= 0": RDP{[]theory.RenyiPoint{{Order: 2,
			Epsilon: -1}}},
		"looks: got 0, want a whole number from 1 to 9007199254740992":        Gates{},
		"passes: got 0, want a whole number from 1 to the number of looks, 3": Gates{3, 0},
		"passes: got 4, want a whole number from 1 to the number of looks, 3": Gates{3, 4},
	} {
		if err := s.Validate(); err == nil || err.Error() != text {
			t.Errorf("%+v: %v, want %s", s, err, text)
		}
	}
	for text, s := range map[string]Step{
		"zcdp:rho=0.5": ZCDP{0.5}, "gates:looks=20,passes=3": Gates{20, 3},
		"rdp:order=2,epsilon=0.5;order=4,epsilon=1": RDP{[]theory.RenyiPoint{{Order: 2, Epsilon: 0.5},
			{Order: 4, Epsilon: 1}}},
	} {
		if s.String() != text {
			t.Errorf("%s, want %s", s, text)
		}
	}
}

// The limits of zCDP and RDP steps, alone and together with others, by the formulas of their theorems.
func TestLimitsOfRenyiSteps(t *testing.T) {
	const n = 1000
	of := func(steps ...Step) Chain { return chain(t, Plan{Samples: n, Data: ProductData, Steps: steps}) }
	near := func(what string, got, want float64) {
		t.Helper()
		if !(got >= want*(1-1e-15) && got <= want*(1+1e-9)) {
			t.Errorf("%s: %.17g, want %.17g", what, got, want)
		}
	}
	zcdp := of(ZCDP{0.001})
	near("n rho", float64(named(t, zcdp, "kl").Limit.(Mutual).Nats), 1)
	near("n^2 rho", float64(named(t, zcdp, "group").Limit.(Renyi).Rho), 1000)
	curve := RDP{[]theory.RenyiPoint{{Order: 4, Epsilon: 0.01}, {Order: 2, Epsilon: 0.003}, {Order: 16, Epsilon: 0.09}}}
	rdp := of(curve)
	near("n times the least", float64(named(t, rdp, "kl").Limit.(Mutual).Nats), 3)
	if m := named(t, rdp, "group"); m.Limit != nil || m.Needs == nil {
		t.Errorf("group of a curve: %+v", m)
	}
	// The defect at x is n delta (1+e^-x), delta the least of the points.
	profile := named(t, rdp, "approx-dp").Limit.(Profiles)[0]
	for _, x := range []float64{0, 0.01, 0.3, 1, 5} {
		least := 0.0
		for _, p := range curve.Points {
			a := p.Order
			least = min(least, (a-1)*(p.Epsilon-x)+a*math.Log(1-1/a)-math.Log(a-1))
		}
		want := math.Min(1, n*math.Exp(least)*(1+math.Exp(-x)))
		near(fmt.Sprintf("defect at %g", x), profile.At(x).Defect.Value(), want)
	}
	both := named(t, of(ZCDP{0.001}, GDP{0.1}, PureDP{0.2}), "approx-dp").Limit.(Profiles)
	near("epsilon beside rho", both[0].Epsilon, 0.2)
	near("rho and mu^2/2", both[0].Renyi.Rho, 0.006)
	near("all as zCDP", both[1].Renyi.Rho, 0.006+0.2*math.Tanh(0.1))
	if both[1].Epsilon != 0 {
		t.Errorf("epsilon counts twice: %+v", both[1])
	}
	with := named(t, of(curve, ZCDP{0.001}), "approx-dp").Limit.(Profiles)[0].Renyi
	for _, l := range with.lines {
		if l.slope == 15 {
			near("a point and a rho", l.epsilon, 0.09+0.016)
		}
	}
	if len(with.lines) != 3 {
		t.Errorf("%+v", with.lines)
	}
}

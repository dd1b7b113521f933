package maxinfo

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

var oneOfEach = []Step{
	PureDP{0.01}, ApproxDP{0.02, -30}, GDP{0.03}, Gaussian{10, 0.1}, Description{math.Ln2}, MutualInformation{0.2},
	MaxInformation{Nats: 0.3, Slack: -20}, MaxInformation{Nats: 0.4, Slack: -25, Always: true},
}

// mayFollow says which steps have a bound for every law of the data.
func mayFollow(s Step) bool {
	switch s := s.(type) {
	case PureDP, Description:
		return true
	case MaxInformation:
		return s.Always
	}
	return false
}

func isPrivateKind(s Step) bool {
	switch s.(type) {
	case PureDP, ApproxDP, GDP, Gaussian:
		return true
	}
	return false
}

// accepted is the ordering rule: private steps at the beginning count as one, and a
// step that follows must have a bound for every law.
func accepted(steps []Step) bool {
	i := 0
	for i < len(steps) && isPrivateKind(steps[i]) {
		i++
	}
	for _, s := range steps[max(i, 1):] {
		if !mayFollow(s) {
			return false
		}
	}
	return true
}

func permutations(steps []Step) [][]Step {
	if len(steps) == 0 {
		return [][]Step{nil}
	}
	var all [][]Step
	for i := range steps {
		rest := append(append([]Step{}, steps[:i]...), steps[i+1:]...)
		for _, tail := range permutations(rest) {
			all = append(all, append([]Step{steps[i]}, tail...))
		}
	}
	return all
}

func sameSteps(a, b []Step) bool {
	counts := map[Step]int{}
	for _, s := range a {
		counts[s]++
	}
	for _, s := range b {
		counts[s]--
	}
	for _, n := range counts {
		if n != 0 {
			return false
		}
	}
	return len(a) == len(b)
}

// Every order of every set of up to four steps is accepted or refused by the rule; a
// refusal names a step that may stand first only and a valid order, if there is one.
func TestOrderingRule(t *testing.T) {
	orders, refused, hopeless := 0, 0, 0
	for set := range 1 << len(oneOfEach) {
		var steps []Step
		for i, s := range oneOfEach {
			if set>>i&1 == 1 {
				steps = append(steps, s)
			}
		}
		if len(steps) == 0 || len(steps) > 4 {
			continue
		}
		all := permutations(steps)
		possible := false
		for _, order := range all {
			possible = possible || accepted(order)
		}
		for _, order := range all {
			orders++
			p := Plan{Samples: 100, Data: ProductData, Steps: order}
			err := p.Validate()
			if accepted(order) {
				if _, chained := p.Chain(); err != nil || chained != nil {
					t.Errorf("%v: %v, %v", order, err, chained)
				}
				continue
			}
			refused++
			bad := new(OrderError)
			if !errors.As(err, &bad) {
				t.Fatalf("%v: %v, want an OrderError", order, err)
			}
			if _, chained := p.Chain(); chained == nil {
				t.Errorf("%v: Chain accepts what Validate refuses", order)
			}
			if bad.Step < 2 || order[bad.Step-1] != bad.Named || mayFollow(bad.Named) {
				t.Errorf("%v: %v", order, bad)
			}
			if possible != (bad.Valid != nil) || possible && !(accepted(bad.Valid) && sameSteps(bad.Valid, order)) {
				t.Errorf("%v: the valid order is given as %v", order, bad.Valid)
			}
			want := "; valid order: "
			if !possible {
				hopeless++
				want = "; no order of these steps is valid"
			}
			if text := err.Error(); !strings.Contains(text, want) || !strings.Contains(text, bad.Named.String()) ||
				strings.Contains(text, "\n") {
				t.Errorf("%q", text)
			}
		}
	}
	if orders < 1000 || refused < 300 || hopeless < 100 {
		t.Errorf("%d orders, %d refused, %d without a valid one", orders, refused, hopeless)
	}
}

func TestPlanDomain(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good := PureDP{0.1}
	for _, c := range []struct {
		plan Plan
		want string
	}{
		{Plan{Samples: 10}, "steps: got 0, want one or more"},
		{Plan{Samples: 10, Steps: []Step{good, nil}}, "steps: got <nil>, want steps of the types of this package"},
		{Plan{Samples: 10, Data: 2, Steps: []Step{good}}, "data: got 2, want product or any"},
		{Plan{Samples: 10, Data: -1, Steps: []Step{good}}, "data: got -1, want product or any"},
		{Plan{Steps: []Step{good}}, "samples: got 0, want a whole number from 1 to 9007199254740992"},
		{Plan{Samples: -1, Steps: []Step{Description{1}}}, "samples: got -1, want a whole number from 1 to 9007199254740992"},
		{Plan{Samples: 1<<53 + 1, Steps: []Step{good}}, "samples: got 9007199254740993, want a whole number from 1 to 9007199254740992"},
		{Plan{Samples: 10, Steps: []Step{PureDP{0}}}, "epsilon: got 0, want a number > 0"},
		{Plan{Samples: 10, Steps: []Step{PureDP{nan}}}, "epsilon: got NaN, want a number > 0"},
		{Plan{Samples: 10, Steps: []Step{PureDP{inf}}}, "epsilon: got +Inf, want a number > 0"},
		{Plan{Samples: 10, Steps: []Step{ApproxDP{-1, -3}}}, "epsilon: got -1, want a number >= 0"},
		{Plan{Samples: 10, Steps: []Step{ApproxDP{1, 0}}}, "delta: got 1, want a probability in (0, 1)"},
		{Plan{Samples: 10, Steps: []Step{ApproxDP{1, theory.Zero}}}, "delta: got 0, want a probability in (0, 1)"},
		{Plan{Samples: 10, Steps: []Step{GDP{nan}}}, "mu: got NaN, want a number > 0"},
		{Plan{Samples: 10, Steps: []Step{Gaussian{0, 1}}}, "queries: got 0, want a whole number from 1 to 9007199254740992"},
		{Plan{Samples: 10, Steps: []Step{Gaussian{1, 0}}}, "standard deviation: got 0, want a number in [1e-150, 1e150]"},
		{Plan{Samples: 10, Steps: []Step{Description{-1}}}, "outcomes: got 0.36787944117144233, want a number >= 1"},
		{Plan{Samples: 10, Steps: []Step{MutualInformation{theory.Nats(nan)}}},
			"mutual information: got NaN, want a number >= 0"},
		{Plan{Samples: 10, Steps: []Step{MaxInformation{Nats: -1}}}, "max-information: got -1, want a number >= 0"},
		{Plan{Samples: 10, Steps: []Step{MaxInformation{Nats: 1, Slack: 0}}}, "slack: got 1, want a probability in [0, 1)"},
	} {
		_, err := c.plan.Chain()
		if e := new(theory.DomainError); !errors.As(err, &e) || err.Error() != c.want {
			t.Errorf("%+v:\n got %v\nwant %s", c.plan, err, c.want)
		}
	}
	if _, err := (Plan{Steps: []Step{Description{1}, MutualInformation{1}}}).Chain(); !errors.As(err, new(*OrderError)) {
		t.Errorf("no samples are needed here, but: %v", err)
	}
	c, err := Plan{Samples: 10, Steps: []Step{good}}.Chain()
	if err != nil {
		t.Fatal(err)
	}
	for _, slack := range []theory.LogProb{0, 1, theory.LogProb(nan)} {
		if _, err := c.MaxInformation(c.Methods[0], slack); !errors.As(err, new(*theory.DomainError)) {
			t.Errorf("slack %v: %v", slack, err)
		}
	}
	// A method that needs independent records refuses others.
	for _, m := range c.Methods[1:] {
		if _, err := c.MaxInformation(m, -3); !errors.As(err, new(*theory.NotApplicableError)) {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

// silent is a step about which nothing is said.
type silent struct{ PureDP }

func (silent) roles() roles { return roles{} }

// A step without an answer for its place is refused there.
func TestSilentStep(t *testing.T) {
	plan := Plan{Samples: 10, Data: ProductData, Steps: []Step{silent{PureDP{0.1}}}}
	if _, err := plan.Chain(); !errors.As(err, new(*theory.DomainError)) {
		t.Errorf("first: %v", err)
	}
	for _, before := range oneOfEach {
		plan.Steps = []Step{before, silent{PureDP{0.1}}}
		if _, err := plan.Chain(); !errors.As(err, new(*OrderError)) {
			t.Errorf("after %v: %v", before, err)
		}
	}
}

func chain(t testing.TB, p Plan) Chain {
	t.Helper()
	c, err := p.Chain()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func named(t testing.TB, c Chain, name string) Method {
	t.Helper()
	for _, m := range c.Methods {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no method %s", name)
	return Method{}
}

// The limit that each step gets, by the formula of its theorem.
func TestLimitsOfSteps(t *testing.T) {
	const n = 1000
	of := func(data Data, steps ...Step) Chain { return chain(t, Plan{Samples: n, Data: data, Steps: steps}) }
	close := func(name string, got, want float64) {
		t.Helper()
		if !(got >= want*(1-1e-15) && got <= want*(1+1e-9)) {
			t.Errorf("%s: %.17g, want %.17g", name, got, want)
		}
	}
	pure := of(ProductData, PureDP{0.1})
	close("n epsilon", float64(named(t, pure, "max-info-any").Limit.(Ratio).Nats), 100)
	close("n epsilon^2/8", float64(named(t, pure, "renyi").Limit.(Renyi).Rho), 1.25)
	close("n epsilon^2/8", float64(named(t, pure, "kl").Limit.(Mutual).Nats), 1.25)
	if d := named(t, pure, "max-info-dwork15").Limit.(Dwork15); d != (Dwork15{n, 0.1}) {
		t.Errorf("%+v", d)
	}
	approx := named(t, of(ProductData, ApproxDP{0.1, -40}), "approx-dp").Limit.(Profiles)[0]
	close("rho", float64(approx.At(0).Rho), n*0.1*math.Tanh(0.05))
	close("defect", approx.At(0).Defect.Value(), n*math.Exp(-40)*(1+math.Exp(-0.1)))
	whole := named(t, of(AnyData, ApproxDP{0.1, -120}), "group").Limit.(Ratio)
	close("g epsilon", float64(whole.Nats), 100)
	if want := -120 + math.Log(math.Expm1(100)/math.Expm1(0.1)); !(math.Abs(whole.Slack.Ln()-want) < 1e-9) {
		t.Errorf("delta of all: %v, want %v", whole.Slack.Ln(), want)
	}
	gdp := of(ProductData, GDP{0.1})
	close("n mu^2/2", float64(named(t, gdp, "kl").Limit.(Mutual).Nats), 5)
	close("n mu", named(t, gdp, "group").Limit.(Group).Mu, 100)
	gaussian := of(ProductData, Gaussian{Queries: 4, SD: 0.5})
	close("sqrt(m)/sd", named(t, gaussian, "group").Limit.(Group).Mu, 4)
	if g := named(t, gaussian, "renyi").Limit.(GaussianTranscript); g != (GaussianTranscript{n, 4, 0.5}) {
		t.Errorf("%+v", g)
	}
	info, _ := GaussianTranscript{n, 4, 0.5}.MutualInformation()
	close("information", float64(named(t, gaussian, "kl").Limit.(Mutual).Nats), float64(info))
	close("ln N", float64(named(t, of(AnyData, Description{3}), "description").Limit.(Range).Outcomes), 3)

	// Private steps at the beginning compose.
	close("2 epsilon", float64(named(t, of(AnyData, PureDP{0.1}, PureDP{0.2}), "max-info-any").Limit.(Ratio).Nats), 300)
	both := named(t, of(ProductData, PureDP{0.1}, ApproxDP{0.2, -40}, ApproxDP{0, -40}), "approx-dp").Limit.(Profiles)[0]
	close("epsilon", both.Epsilon, 0.1+0.2)
	close("delta", both.LnDelta.Value(), 2*math.Exp(-40))
	close("mu", named(t, of(ProductData, GDP{3}, GDP{4}), "group").Limit.(Group).Mu, 5000)
	mixed := of(ProductData, Gaussian{Queries: 9, SD: 0.001}, GDP{4}, PureDP{0.5})
	if p := named(t, mixed, "approx-dp").Limit.(Profiles)[0]; p.Epsilon != 0.5*up || !(p.Mu >= 5 && p.Mu < 5+1e-9) {
		t.Errorf("%+v", p)
	}
	if m := named(t, mixed, "group"); m.Limit != nil || m.Needs == nil {
		t.Errorf("%+v", m)
	}
	for _, c := range []Chain{mixed, gaussian} { // Gaussian answers are private for linear queries
		for _, m := range c.Methods {
			if n := len(m.Assumes); n == 0 || m.Assumes[n-1] != linear || slices.Index(m.Assumes, linear) != n-1 {
				t.Errorf("%s assumes %q, want linear queries, once", m.Name, m.Assumes)
			}
		}
	}
	for _, name := range []string{"renyi", "kl", "approx-dp"} {
		if got := named(t, gaussian, name).Assumes; !slices.Equal(got, []string{IndependentRows, linear}) {
			t.Errorf("%s assumes %q", name, got)
		}
	}
	// Or count as GDP: epsilon-privacy is 2 Phi^-1(1/(1+e^-epsilon))-GDP, 0.4999... for
	// epsilon = 0.4 (mpmath, 2*sqrt(2)*erfinv(2/(1+exp(-mpf('0.4')))-1)).
	const mu = 0.49990345489040993
	several := named(t, of(ProductData, PureDP{0.4}, ApproxDP{0.4, -40}, GDP{3}), "approx-dp").Limit.(Profiles)
	close("mu of all", several[1].Mu, math.Sqrt(2*mu*mu+9))
	close("delta of all", several[1].LnDelta.Value(), math.Exp(-40))
	if several[1].Epsilon != 0 || len(several) != 2 {
		t.Errorf("%+v", several)
	}
	two := of(ProductData, PureDP{0.4}, PureDP{0.4})
	if m := named(t, two, "approx-dp").Limit.(Profiles); len(m) != 2 || m[0].Mu != 0 || m[1].Epsilon != 0 {
		t.Errorf("%+v", m)
	}
	// Gaussian answers are one transcript, with the noise of the least.
	steps := of(ProductData, Gaussian{Queries: 4, SD: 0.5}, Gaussian{Queries: 6, SD: 0.25})
	if g := named(t, steps, "renyi").Limit.(GaussianTranscript); g != (GaussianTranscript{n, 10, 0.25}) {
		t.Errorf("%+v", g)
	}
	// So little noise that the Renyi transfer applies at no order.
	if m := named(t, of(ProductData, Gaussian{Queries: 100, SD: 1e-6}), "renyi"); m.Limit != nil || m.Needs == nil {
		t.Errorf("%+v", m)
	}
}

// Later steps: their amounts and slacks add, in any order.
func TestLaterSteps(t *testing.T) {
	first := MutualInformation{0.5}
	later := []Step{
		PureDP{0.001}, PureDP{0.002}, Description{theory.Nats(math.Log(3))}, Description{theory.Nats(math.Log(5))},
		MaxInformation{Nats: 0.25, Slack: -20, Always: true}, MaxInformation{Nats: 0.5, Slack: -21, Always: true},
	}
	want := Later{Nats: 1 + 2 + 0.75, Slack: theory.LogProb(math.Log(math.Exp(-20) + math.Exp(-21))),
		Outcomes: theory.Nats(math.Log(15))}
	r := rand.New(rand.NewPCG(91, 92))
	slack := theory.LogProb(-4)
	var reference theory.Nats
	for i := range 50 {
		c := chain(t, Plan{Samples: 1000, Steps: append([]Step{first}, later...)})
		for _, pair := range [][2]float64{
			{float64(c.Later.Nats), float64(want.Nats)}, {float64(c.Later.Outcomes), float64(want.Outcomes)},
			{c.Later.Slack.Value(), want.Slack.Value()},
		} {
			if !(pair[0] >= pair[1]*(1-1e-15) && pair[0] <= pair[1]*(1+1e-12)) {
				t.Fatalf("%v: %+v, want %+v", later, c.Later, want)
			}
		}
		k, err := c.MaxInformation(named(t, c, "kl"), slack)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			reference = k
		}
		if math.Abs(float64(k-reference)) > 1e-12*float64(reference) {
			t.Errorf("%v: %v, in another order %v", later, k, reference)
		}
		r.Shuffle(len(later), func(i, j int) { later[i], later[j] = later[j], later[i] })
	}
	// The first step and the range share what the later slacks leave of the slack.
	rest := math.Exp(-4) - math.Exp(-20) - math.Exp(-21)
	best := math.Inf(1)
	for v := -30.0; v < 30; v += 0.01 {
		own := rest / (1 + math.Exp(-v))
		best = min(best, information(t, Mutual{0.5}, theory.LogProb(math.Log(own)))+math.Log(15/(rest-own))+3.75)
	}
	if got := float64(reference); !(got >= best*(1-1e-6) && got <= best*(1+1e-6)) {
		t.Errorf("%v, the best share gives %v", got, best)
	}
	// A first description is one with those that follow.
	c := chain(t, Plan{Samples: 1000, Steps: append([]Step{Description{math.Ln2}}, later...)})
	k, err := c.MaxInformation(c.Methods[0], slack)
	if want := math.Log(30/rest) + 3.75; err != nil || !(float64(k) >= want && float64(k) <= want*(1+1e-12)) {
		t.Errorf("%v, %v, want %v", k, err, want)
	}
	// A bound with a slack of its own: the remainder goes to the range, or is not used.
	own := MaxInformation{Nats: 2, Slack: -6}
	c = chain(t, Plan{Steps: []Step{own, Description{theory.Nats(math.Log(7))}}})
	k, err = c.MaxInformation(c.Methods[0], slack)
	if want := 2 + math.Log(7/(math.Exp(-4)-math.Exp(-6))); err != nil ||
		!(float64(k) >= want && float64(k) <= want*(1+1e-12)) {
		t.Errorf("%v, %v, want %v", k, err, want)
	}
	c = chain(t, Plan{Steps: []Step{own, MaxInformation{Nats: 3, Slack: -5, Always: true}}})
	k, err = c.MaxInformation(c.Methods[0], slack)
	if err != nil || !(k >= 5 && k <= 5*(1+1e-12)) {
		t.Errorf("%v, %v, want 5", k, err)
	}
	for _, slack := range []theory.LogProb{-5.1, -5, -4.9, theory.Zero} { // e^-6 + e^-5 = e^-4.687
		if k, err := c.MaxInformation(c.Methods[0], slack); !errors.As(err, new(*theory.NotApplicableError)) || k != 0 {
			t.Errorf("at %v: %v, %v", slack, k, err)
		}
	}
	// Max-information proper adds up without a slack.
	c = chain(t, Plan{Samples: 1000, Steps: []Step{MaxInformation{Nats: 2, Slack: theory.Zero}, PureDP{0.001}}})
	if k, err := c.MaxInformation(c.Methods[0], theory.Zero); err != nil || !(k >= 3 && k <= 3*(1+1e-12)) {
		t.Errorf("%v, %v, want 3", k, err)
	}
}

// Each step costs something, and a shorter plan is never worse.
func TestLongerPlansCostMore(t *testing.T) {
	r := rand.New(rand.NewPCG(93, 94))
	for range 300 {
		steps := []Step{oneOfEach[r.IntN(len(oneOfEach))]}
		for range 1 + r.IntN(3) {
			for {
				s := oneOfEach[r.IntN(len(oneOfEach))]
				if mayFollow(s) && !isPrivateKind(s) {
					steps = append(steps, s)
					break
				}
			}
		}
		slack := theory.LogProb(-0.1 - 8*r.Float64())
		shorter := chain(t, Plan{Samples: 100, Data: ProductData, Steps: steps[:len(steps)-1]})
		longer := chain(t, Plan{Samples: 100, Data: ProductData, Steps: steps})
		for i, m := range shorter.Methods {
			less, err := shorter.MaxInformation(m, slack)
			if err != nil {
				continue
			}
			more, err := longer.MaxInformation(longer.Methods[i], slack)
			if err == nil && !(more >= less*(1-1e-9)) {
				t.Errorf("%v, %s: %v, and %v without the last", steps, m.Name, more, less)
			}
		}
	}
}

func TestStepString(t *testing.T) {
	want := "[pure-dp:epsilon=0.01 approx-dp:epsilon=0.02,delta=1e-9 gdp:mu=0.03 gaussian:queries=10,noise-sd=0.1 description:outcomes=3 description:bits=1442.6950408889634 mutual-info:bits=2 max-info:bits=1,slack=0.5 max-info:bits=1,data=any]"
	delta, err := theory.ParseLogProb("1e-9")
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint([]Step{
		PureDP{0.01}, ApproxDP{0.02, delta}, GDP{0.03}, Gaussian{10, 0.1}, Description{theory.Nats(math.Log(3))},
		Description{1000},
		MutualInformation{2 * math.Ln2}, MaxInformation{Nats: math.Ln2, Slack: -math.Ln2},
		MaxInformation{Nats: math.Ln2, Slack: theory.Zero, Always: true},
	})
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A number of answers is given as such, and no literal takes it for its logarithm.
func TestOneOf(t *testing.T) {
	for n, want := range map[int64]float64{1: 0, 2: math.Ln2, 40: 3.688879454113936, 1 << 62: 62 * math.Ln2} {
		if s := OneOf(n); s.Validate() != nil || !(math.Abs(float64(s.outcomes)-want) <= 4e-16*want) {
			t.Errorf("OneOf(%d) is ln %v, want %v", n, s.outcomes, want)
		}
	}
	if text := OneOf(40).String(); text != "description:outcomes=40" {
		t.Errorf("got %s", text)
	}
	for _, n := range []int64{0, -3, math.MinInt64} {
		if err := OneOf(n).Validate(); err == nil || err.Error() != "outcomes: got 0, want a number >= 1" {
			t.Errorf("OneOf(%d): %v", n, err)
		}
	}
	if field, ok := reflect.TypeFor[Description]().FieldByName("Outcomes"); ok {
		t.Errorf("Description{Outcomes: 40} compiles, as a %v", field.Type)
	}
}

// Two bounds of max-information add up to one at the sum of their slacks, and below it there is none. The sum is taken
// of the decimals that were typed.
func TestSlacksAddUpToEquality(t *testing.T) {
	p := func(text string) (lp theory.LogProb) {
		if err := lp.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return lp
	}
	for _, c := range []struct {
		bits       [2]float64
		slacks     [2]string
		at, below  string
		thirdSlack string
	}{
		{[2]float64{3, 2}, [2]string{"0.001", "0.002"}, "0.003", "0.002999999999", ""},
		{[2]float64{1, 4}, [2]string{"0.25", "0.125"}, "0.375", "0.37499999999", ""},
		{[2]float64{1, 4}, [2]string{"0.1", "0.1"}, "0.3", "0.29999999999", "0.1"},
		{[2]float64{1, 4}, [2]string{"1e-300", "2e-300"}, "3e-300", "2.9999999999e-300", ""},
		{[2]float64{1, 4}, [2]string{"0.1", "0"}, "0.1", "0.09999999999", ""},
		{[2]float64{2.5, 2.5}, [2]string{"0", "0"}, "0", "", ""},
	} {
		nats := func(bits float64) theory.Nats { return theory.Nats(bits * math.Ln2) }
		plan := Plan{Data: ProductData, Steps: []Step{
			MaxInformation{nats(c.bits[0]), p(c.slacks[0]), false}, MaxInformation{nats(c.bits[1]), p(c.slacks[1]), true},
		}}
		if c.thirdSlack != "" {
			plan.Steps = append(plan.Steps, MaxInformation{0, p(c.thirdSlack), true})
		}
		answers, best, err := plan.Answers(p(c.at))
		want := c.bits[0] + c.bits[1]
		if err != nil || best < 0 {
			t.Errorf("%+v: %v, want %v bits", c, err, want)
			continue
		}
		if got := answers[best].Bound.Bits(); !(got >= want*(1-1e-15) && got <= want*(1+1e-9)) {
			t.Errorf("%+v: %+v, %v, want %v bits", c, answers, err, want)
		}
		if c.below == "" {
			continue
		}
		if answers, best, err = plan.Answers(p(c.below)); err != nil || best >= 0 || !strings.Contains(answers[0].Reason, "a slack of at least ") {
			t.Errorf("%+v below: %+v, %v", c, answers, err)
		}
	}
}

// Two steps, each of which is private but for a chance of telling the record. By enumeration of all points, no event of
// record and answers exceeds e^(k1+k2) Q + b1 + b2, and without privacy to spend some event comes near.
func TestSlacksOfTwoStepsByEnumeration(t *testing.T) {
	const b1, b2, values = 0.25, 0.125, 16
	for _, e := range [][2]float64{{0, 0}, {0.7, 0.4}, {0.1, 2}} {
		step := func(x, y int, e, b float64) float64 { // y is 0 or 1 for the parity with noise, or 2 + x where all is told
			keeps := math.Exp(e) / (1 + math.Exp(e))
			switch {
			case y-2 == x:
				return b
			case y >= 2:
				return 0
			case y == x%2:
				return (1 - b) * keeps
			}
			return (1 - b) * (1 - keeps)
		}
		excess := 0.0 // of the event of all points at which P exceeds e^k Q
		for y1 := range values + 2 {
			for y2 := range values + 2 {
				var joint [values]float64
				all := 0.0
				for x := range values {
					joint[x] = step(x, y1, e[0], b1) * step(x, y2, e[1], b2) / values
					all += joint[x]
				}
				for _, p := range joint {
					excess += max(0, p-math.Exp(e[0]+e[1])*all/values)
				}
			}
		}
		if none := e[0]+e[1] == 0; excess > b1+b2 || none && excess < 0.8*(b1+b2) {
			t.Errorf("%v: P[E] exceeds e^k Q[E] by up to %v, want at most %v, and near it without privacy", e, excess, b1+b2)
		}
	}
}

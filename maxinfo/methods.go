package maxinfo

import (
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// The methods for the first step: which theorems speak about it, in printing order.

// What a method assumes of the rows, in [Method.Assumes].
const (
	IndependentRows = "independent rows" // they need not be identically distributed
	AnyRows         = "any joint law of the rows"
)

func derived(anchor string) []theory.Source {
	return []theory.Source{{Key: "dpcalc", Where: "docs/theorems/maxinfo.md#" + anchor}}
}

var (
	gaussianSource = derived("renyi-transfer")[0]
	moreNoise      = &theory.NotApplicableError{Source: gaussianSource, Needs: "more noise: kappa_m > 0 at some order"}
)

// privacy composes private steps into one and lists the bounds on it.
func (p Plan) privacy(steps []Step) ([]Method, error) {
	parts := make([]privacy, len(steps))
	for i, s := range steps {
		var err error
		if parts[i], err = s.roles().privacy(p.Samples); err != nil {
			return nil, err
		}
	}
	return p.private(parts)
}

// assume adds what the steps assume to the methods for them.
func assume(methods []Method, steps []Step) {
	for i := range methods {
		for _, s := range steps {
			methods[i].Assumes = each.Union(methods[i].Assumes, s.roles().assumes...)
		}
	}
}

func (p Plan) private(parts []privacy) ([]Method, error) {
	sum := Profile{Samples: p.Samples, LnDelta: theory.Zero}
	var mus, all []theory.GDP // of the GDP parts, and of the steps but for their delta
	var info theory.Nats
	for _, part := range parts {
		sum.Epsilon += part.epsilon
		sum.LnDelta = sumUp(sum.LnDelta, part.lnDelta)
		info += part.info
		if part.mu > 0 {
			mus = append(mus, theory.GDP{Mu: part.mu})
		}
		if part.epsilon > 0 {
			mu, err := theory.Pure{Epsilon: part.epsilon}.GDP()
			if err != nil {
				return nil, err
			}
			all = append(all, mu.Value)
		}
	}
	info = min(info*up, math.MaxFloat64)
	if len(parts) > 1 {
		sum.Epsilon *= up
	}
	if slices.ContainsFunc(parts, func(part privacy) bool { return part.renyi.bounds() }) {
		return p.concentrated(parts, sum, info)
	}
	var err error
	if sum.Mu, err = composed(mus); err != nil {
		return nil, err
	}
	if err := p.withinReach(sum.Epsilon + sum.Mu + sum.Mu*sum.Mu); err != nil {
		return nil, err
	}
	if g, ok := merged(parts); ok {
		return p.gaussian(g, sum, info)
	}
	if sum.Epsilon == 0 && sum.LnDelta == theory.Zero {
		return p.gdp(sum, info)
	}
	// Several steps compose in two ways: their epsilons add, or they count as GDP.
	whole := Profiles{sum}
	if len(parts) > 1 {
		if mu, err := composed(append(all, mus...)); err != nil {
			return nil, err
		} else if mu > 0 {
			whole = append(whole, Profile{Samples: p.Samples, LnDelta: sum.LnDelta, Mu: mu})
		}
	}
	if sum.LnDelta == theory.Zero && sum.Mu == 0 {
		methods := p.pure(sum.Epsilon, info)
		if len(whole) > 1 {
			methods = append(methods, p.local(whole))
		}
		return methods, nil
	}
	return p.approximate(whole, info)
}

// withinReach refuses a privacy that adds up, over all records, to more than a number can hold.
func (p Plan) withinReach(each float64) error {
	if !(float64(p.Samples)*each <= math.MaxFloat64/4) {
		return &theory.NoAnswerError{Reason: "n epsilon exceeds what a number can hold"}
	}
	return nil
}

// concentrated lists the bounds for steps among which are some with a bound of their Renyi divergences. The
// epsilons of the others add, or count by their Renyi divergences too.
func (p Plan) concentrated(parts []privacy, sum Profile, info theory.Nats) ([]Method, error) {
	known, all := make([]Divergence, len(parts)), make([]Divergence, len(parts))
	for i, part := range parts {
		known[i] = part.renyi
		if part.mu > 0 {
			known[i].Rho += part.mu * (part.mu / 2) * up
		}
		all[i] = known[i]
		all[i].Rho += part.epsilon * num.Tanh(part.epsilon/2) * up
	}
	whole := Profiles{sum}
	var err error
	if whole[0].Renyi, err = composedDivergence(known); err != nil {
		return nil, err
	}
	if err := p.withinReach(sum.Epsilon + whole[0].Renyi.Rho*float64(p.Samples)); err != nil {
		return nil, err
	}
	if sum.Epsilon > 0 {
		renyi, err := composedDivergence(all)
		if err != nil {
			return nil, err
		}
		whole = append(whole, Profile{Samples: p.Samples, LnDelta: sum.LnDelta, Renyi: renyi})
	}
	methods := []Method{p.local(whole)}
	if sum.LnDelta == theory.Zero {
		methods = append(methods, p.information(info))
	}
	group := Method{
		Name: "group", Proof: theory.Published, Assumes: []string{AnyRows},
		Sources: append([]theory.Source{{Key: "bun16", Where: "Proposition 1.9"}}, derived("group")...),
	}
	last := whole[len(whole)-1].Renyi
	if sum.LnDelta == theory.Zero && len(last.Points) == 0 {
		n := float64(p.Samples)
		group.Limit = Renyi{theory.Nats(min(n*(n*last.Rho*up)*up, math.MaxFloat64)), theory.Zero}
	} else {
		const needs = "zero-concentrated privacy without delta in all private steps"
		group.Needs = &theory.NotApplicableError{Source: group.Sources[0], Needs: needs}
	}
	return append(methods, group), nil
}

// merged returns the Gaussian transcript that steps of such answers make. An answer with
// more noise is one with less noise to which noise is added, so the least counts.
func merged(parts []privacy) (all Gaussian, ok bool) {
	all.SD = math.Inf(1)
	for _, part := range parts {
		g := part.answers
		if g == (Gaussian{}) || g.Queries > 1<<53-all.Queries {
			return Gaussian{}, false
		}
		all.Queries, all.SD = all.Queries+g.Queries, min(all.SD, g.SD)
	}
	return all, true
}

// composed returns the mu of several GDP steps, 0 for none.
func composed(parts []theory.GDP) (float64, error) {
	if len(parts) == 0 {
		return 0, nil
	}
	mu, err := theory.ComposeGDP(parts...)
	return mu.Value.Mu, err
}

// local is the bound for each record's part in turn.
func (p Plan) local(whole Profiles) Method {
	return p.product(Method{Name: "approx-dp", Proof: theory.Derived, Sources: derived("approx-dp"), Limit: whole})
}

// pureInformation returns n epsilon^2/8. Any number from n epsilon on serves where that
// is beyond float64.
func pureInformation(n int64, epsilon float64) theory.Nats {
	return min(pureAny(n, epsilon)*theory.Nats(epsilon/8*up), math.MaxFloat64)
}

// information is the rule for the sum of what the private steps reveal.
func (p Plan) information(info theory.Nats) Method {
	return p.product(Method{Name: "kl", Proof: theory.Derived,
		Sources: append(derived("kl"), derived("information-of-private-steps")...), Limit: Mutual{info}})
}

// pure lists the bounds for epsilon-differential privacy.
func (p Plan) pure(epsilon float64, info theory.Nats) []Method {
	return []Method{
		{
			Name: "max-info-any", Proof: theory.Published, Assumes: []string{AnyRows},
			Sources: []theory.Source{{Key: "dwork15generalization", Where: "max-information of pure differential privacy"}},
			Limit:   Ratio{Nats: pureAny(p.Samples, epsilon), Slack: theory.Zero},
		},
		p.product(Method{
			Name: "max-info-dwork15", Proof: theory.Published,
			Sources: []theory.Source{{Key: "dwork15generalization", Where: "approximate max-information of pure differential privacy"}},
			Limit:   Dwork15{p.Samples, epsilon},
		}),
		p.product(Method{
			Name: "renyi", Proof: theory.Derived, Sources: derived("renyi"),
			Limit: Renyi{pureInformation(p.Samples, epsilon), theory.Zero},
		}),
		p.information(info),
	}
}

// approximate lists the bounds for (epsilon, delta)-differential privacy.
func (p Plan) approximate(ways Profiles, info theory.Nats) ([]Method, error) {
	whole := ways[0]
	local := []Method{p.local(ways)}
	if whole.LnDelta == theory.Zero {
		local = append(local, p.information(info))
	}
	group := Method{
		Name: "group", Proof: theory.Published, Assumes: []string{AnyRows},
		Sources: []theory.Source{{Key: "dwork06calibrating", Where: "group privacy, by induction over the rows"}},
	}
	if whole.Mu > 0 {
		group.Needs = &theory.NotApplicableError{Source: group.Sources[0],
			Needs: "privacy of one kind, (epsilon, delta) or GDP, in all private steps"}
		return append(local, group), nil
	}
	all, err := theory.Approx{Epsilon: whole.Epsilon, LnDelta: whole.LnDelta}.Group(p.Samples)
	if err != nil {
		return nil, err
	}
	group.Limit = Ratio{Nats: theory.Nats(all.Value.Epsilon), Slack: all.Value.LnDelta}
	return append(local, group), nil
}

// gdp lists the bounds for mu-GDP.
func (p Plan) gdp(whole Profile, info theory.Nats) ([]Method, error) {
	mu := theory.GDP{Mu: whole.Mu}
	all, err := mu.Group(p.Samples)
	if err != nil {
		return nil, err
	}
	return []Method{
		p.product(Method{Name: "approx-dp", Proof: theory.Derived,
			Sources: append(derived("approx-dp"), theory.Source{Key: "balle18", Where: "Theorem 8"}), Limit: Profiles{whole}}),
		p.information(info),
		{
			Name: "group", Proof: theory.Published, Assumes: []string{AnyRows},
			Sources: append(all.Sources, theory.Source{Key: "dpcalc", Where: "docs/theorems/maxinfo.md#group"}),
			Limit:   Group{all.Value.Mu},
		},
	}, nil
}

// gaussian lists the bounds for Gaussian noise on linear queries, whose privacy is sum
// and whose steps have no more information than info together.
func (p Plan) gaussian(g Gaussian, sum Profile, info theory.Nats) ([]Method, error) {
	t := g.transcript(p.Samples)
	whole, err := t.MutualInformation()
	if err != nil {
		return nil, err
	}
	info = min(info, whole)
	rest, err := p.gdp(sum, info)
	if err != nil {
		return nil, err
	}
	sources := append(derived("renyi-transfer"), derived("renyi")...)
	renyi := p.product(Method{Name: "renyi", Proof: theory.Derived, Sources: sources, Limit: t})
	if _, least := t.BestOrder(1, func(a, d float64) float64 { return d }); math.IsInf(least, 1) && renyi.Limit != nil {
		renyi.Limit, renyi.Needs = nil, moreNoise
	}
	kl := p.product(Method{Name: "kl", Proof: theory.Derived,
		Sources: append(derived("kl"), derived("gaussian-information")...), Limit: Mutual{info}})
	return []Method{renyi, kl, rest[0], rest[2]}, nil
}

const linear = "linear queries with values in [0,1]"

func ranged(r Range) Method {
	return Method{
		Name: "description", Proof: theory.Published, Assumes: []string{AnyRows},
		Sources: []theory.Source{{Key: "dwork15generalization", Where: "description length"}},
		Limit:   r,
	}
}

func informed(info theory.Nats) Method {
	return Method{Name: "kl", Proof: theory.Derived, Sources: derived("kl"),
		Assumes: []string{"the mutual information with this sample"}, Limit: Mutual{info}}
}

func informedRogers16(info theory.Nats) Method {
	return Method{
		Name: "rogers16", Proof: theory.Published, Assumes: []string{"the mutual information with this sample"},
		Sources: []theory.Source{{Key: "rogers16", Where: "max-information from mutual information"}},
		Limit:   Rogers16{info},
	}
}

func gated(s Gates, all Range) Method {
	return Method{
		Name: "gates", Proof: theory.Derived, Assumes: []string{AnyRows},
		Sources: []theory.Source{{Key: "dpcalc", Where: "docs/theorems/pvalue.md#tests-behind-a-gate"},
			{Key: "dwork15generalization", Where: "description length"}, {Key: "nakkiran18"}, {Key: "feng22"}},
		Limit: Gate{Range: all, Gates: s},
	}
}

var maxInformation = theory.Source{Key: "dwork15generalization", Where: "max-information"}

func given(s MaxInformation) Method {
	assumes := "the max-information with this sample"
	if s.Always {
		assumes = AnyRows
	}
	return Method{
		Name: "max-info", Proof: theory.Published, Assumes: []string{assumes},
		Sources: []theory.Source{maxInformation},
		Limit:   Ratio{s.Nats, s.Slack},
	}
}

// product keeps a method that needs independent records if they are.
func (p Plan) product(m Method) Method {
	m.Assumes = []string{IndependentRows}
	if p.Data != ProductData {
		m.Limit, m.Needs = nil, &theory.NotApplicableError{Source: m.Sources[0], Needs: IndependentRows}
	}
	return m
}

// sumUp returns ln(e^a + e^b), rounded up and at most 0.
func sumUp(a, b theory.LogProb) theory.LogProb {
	if a == theory.Zero {
		return b
	}
	return lnUp(num.LogAddExp(a.Ln(), b.Ln()))
}

// lnUp returns a probability by its logarithm, rounded up and at most 0.
func lnUp(x float64) theory.LogProb {
	if math.IsInf(x, -1) {
		return theory.Zero
	}
	return theory.LogProb(min(0, x+math.Abs(x)*0x1p-50+0x1p-50))
}

package maxinfo

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// The methods for the first step: which theorems speak about it, in printing order.

const (
	independent = "independent records"
	identical   = "independent, identically distributed records"
	anyRecords  = "any joint law of the records"
)

func derived(anchor string) []theory.Source {
	return []theory.Source{{Key: "dpcalc", Where: "docs/theorems.md#" + anchor}}
}

var gaussianSource = derived("renyi-transfer")[0]

// privacy composes private steps into one and lists what is known about it.
func (p Plan) privacy(steps []Step) ([]Method, error) {
	if g, ok := steps[0].(Gaussian); ok && len(steps) == 1 {
		return p.gaussian(g)
	}
	whole := Profile{Samples: p.Samples, LnDelta: theory.Zero}
	var mus []theory.GDP
	var info theory.Nats // of the steps with delta = 0
	for _, s := range steps {
		switch s := s.(type) {
		case PureDP:
			whole.Epsilon += s.Epsilon
			info += p.pureInformation(s.Epsilon)
		case ApproxDP:
			whole.Epsilon += s.Epsilon
			whole.LnDelta = sumUp(whole.LnDelta, s.LnDelta)
		case GDP:
			mus = append(mus, theory.GDP(s))
			info += theory.Nats(float64(p.Samples) * (s.Mu * (s.Mu / 2)) * up)
		case Gaussian:
			mu, err := theory.GaussianQueries{Queries: s.Queries, Samples: p.Samples, SD: s.SD}.GDP()
			if err != nil {
				return nil, err
			}
			mus = append(mus, mu.Value)
			info += s.transcript(p.Samples).capacity()
		}
	}
	info = min(info*up, math.MaxFloat64)
	if len(steps) > 1 {
		whole.Epsilon *= up
	}
	if len(mus) > 0 {
		mu, err := theory.ComposeGDP(mus...)
		if err != nil {
			return nil, err
		}
		whole.Mu = mu.Value.Mu
	}
	if reach := float64(p.Samples) * (whole.Epsilon + whole.Mu + whole.Mu*whole.Mu); !(reach <= math.MaxFloat64/4) {
		return nil, &theory.NoAnswerError{Reason: "n epsilon exceeds what a number can hold"}
	}
	switch {
	case whole.LnDelta == theory.Zero && whole.Mu == 0:
		return p.pure(whole.Epsilon, info), nil
	case whole.Epsilon == 0 && whole.LnDelta == theory.Zero:
		return p.gdp(whole, info)
	}
	return p.approximate(whole, info)
}

// pureInformation returns n epsilon^2/8. Any number from n epsilon on serves where that
// is beyond float64.
func (p Plan) pureInformation(epsilon float64) theory.Nats {
	return min(pureAny(p.Samples, epsilon)*theory.Nats(epsilon/8*up), math.MaxFloat64)
}

// information is the rule for the sum of what the private steps reveal.
func (p Plan) information(info theory.Nats) Method {
	return p.product(Method{Name: "kl", Proof: theory.Derived, Sources: append(derived("kl"), derived("information-of-private-steps")...), Limit: Mutual{info}})
}

// pure lists the bounds for epsilon-differential privacy.
func (p Plan) pure(epsilon float64, info theory.Nats) []Method {
	return []Method{
		{
			Name: "max-info-any", Proof: theory.Published, Assumes: []string{anyRecords},
			Sources: []theory.Source{{Key: "dwork15generalization", Where: "max-information of pure differential privacy"}},
			Limit:   Ratio{Nats: pureAny(p.Samples, epsilon), Slack: theory.Zero},
		},
		p.product(Method{
			Name: "max-info-dwork15", Proof: theory.Published,
			Sources: []theory.Source{{Key: "dwork15generalization", Where: "approximate max-information of pure differential privacy"}},
			Limit:   Dwork15{p.Samples, epsilon},
		}),
		p.product(Method{Name: "renyi", Proof: theory.Derived, Sources: derived("renyi"), Limit: Renyi{p.pureInformation(epsilon), theory.Zero}}),
		p.information(info),
	}
}

// approximate lists the bounds for (epsilon, delta)-differential privacy.
func (p Plan) approximate(whole Profile, info theory.Nats) ([]Method, error) {
	local := []Method{p.product(Method{Name: "approx-dp", Proof: theory.Derived, Sources: derived("approx-dp"), Limit: whole})}
	if whole.LnDelta == theory.Zero {
		local = append(local, p.information(info))
	}
	group := Method{
		Name: "group", Proof: theory.Published, Assumes: []string{anyRecords},
		Sources: []theory.Source{{Key: "dwork06calibrating", Where: "group privacy, by induction over the records"}},
	}
	if whole.Mu > 0 {
		group.Needs = &theory.NotApplicableError{Source: group.Sources[0], Needs: "privacy of one kind, (epsilon, delta) or GDP, in all private steps"}
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
		p.product(Method{Name: "approx-dp", Proof: theory.Derived, Sources: append(derived("approx-dp"), theory.Source{Key: "balle18", Where: "Theorem 8"}), Limit: whole}),
		p.information(info),
		{
			Name: "group", Proof: theory.Published, Assumes: []string{anyRecords},
			Sources: append(all.Sources, theory.Source{Key: "dpcalc", Where: "docs/theorems.md#group"}),
			Limit:   Group{all.Value.Mu},
		},
	}, nil
}

// gaussian lists the bounds for Gaussian noise on linear queries.
func (p Plan) gaussian(g Gaussian) ([]Method, error) {
	t := g.transcript(p.Samples)
	info, err := t.MutualInformation()
	if err != nil {
		return nil, err
	}
	mu, err := theory.GaussianQueries{Queries: g.Queries, Samples: p.Samples, SD: g.SD}.GDP()
	if err != nil {
		return nil, err
	}
	rest, err := p.gdp(Profile{Samples: p.Samples, LnDelta: theory.Zero, Mu: mu.Value.Mu}, info)
	if err != nil {
		return nil, err
	}
	renyi := p.product(Method{Name: "renyi", Proof: theory.Derived, Sources: []theory.Source{gaussianSource}, Limit: t})
	kl := p.product(Method{Name: "kl", Proof: theory.Derived, Sources: append(derived("kl"), derived("gaussian-information")...), Limit: Mutual{info}})
	for _, m := range []*Method{&renyi, &kl} {
		if m.Limit != nil {
			m.Assumes = []string{identical, linear}
		}
	}
	for i := range rest {
		rest[i].Assumes = append(rest[i].Assumes, linear)
	}
	return []Method{renyi, kl, rest[0], rest[2]}, nil
}

const linear = "linear queries with values in [0,1]"

func ranged(r Range) Method {
	return Method{
		Name: "description", Proof: theory.Published, Assumes: []string{anyRecords},
		Sources: []theory.Source{{Key: "dwork15generalization", Where: "description length"}},
		Limit:   r,
	}
}

func informed(info theory.Nats) Method {
	return Method{Name: "kl", Proof: theory.Derived, Sources: derived("kl"), Assumes: []string{"the mutual information with this sample"}, Limit: Mutual{info}}
}

func informedRogers16(info theory.Nats) Method {
	return Method{
		Name: "rogers16", Proof: theory.Published, Assumes: []string{"the mutual information with this sample"},
		Sources: []theory.Source{{Key: "rogers16", Where: "max-information from mutual information"}},
		Limit:   Rogers16{info},
	}
}

func given(s MaxInformation) Method {
	assumes := "the max-information with this sample"
	if s.Always {
		assumes = anyRecords
	}
	return Method{
		Name: "max-info", Proof: theory.Published, Assumes: []string{assumes},
		Sources: []theory.Source{{Key: "dwork15generalization", Where: "max-information"}},
		Limit:   Ratio{s.Nats, s.Slack},
	}
}

// product keeps a method that needs independent records if they are.
func (p Plan) product(m Method) Method {
	m.Assumes = []string{independent}
	if p.Data != ProductData {
		m.Limit, m.Needs = nil, &theory.NotApplicableError{Source: m.Sources[0], Needs: independent}
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

package pvalue

import (
	"errors"
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// Phi(Phi^-1(alpha) - M), from mpmath at 400 digits: with z the root of
// log(erfc(z/sqrt(2))/2) = ln alpha, log(erfc((z+M)/sqrt(2))/2).
func TestGroupVectors(t *testing.T) {
	for _, c := range []struct {
		lnAlpha theory.LogProb
		m, want float64
	}{
		{-3, 0.5, -4.1414514500382616027},
		{-3, 40, -871.88178610633353301},
		{-0.5, 2, -3.17388157816371111},
		{-1e-10, 1, -4.1303229694918647628e-8},
		{-30, 1.0 / 1024, -30.007313914060887378},
		{-1e4, 3, -10428.660514997914447},
		{-700, 100, -9430.8105697197542107},
		{-0.05, 7, -16.901532043478619929},
		{-3, 100_000, -5000164705.960108815607},
	} {
		plan := maxinfo.Plan{Samples: 8, Steps: []maxinfo.Step{maxinfo.GDP{Mu: c.m / 8}}}
		group := corrected(t, plan, "group")
		gamma := threshold(t, group, c.lnAlpha)
		below.bounds(t, "threshold", gamma.Ln(), number(c.want+1e-16*math.Abs(c.want)), 1e-12)
		// The rounding of a large want moves alpha by up to 1e-11.
		adjusted := adjust(t, group, theory.LogProb(c.want))
		above.bounds(t, "adjusted", adjusted.Ln(), number(c.lnAlpha.Ln()-1e-15*(1+c.m)*(1-c.lnAlpha.Ln())), 1e-8)
	}
}

// The form of Russo and Zou's rule that is quoted, gamma = min{ e^(-bits/alpha^2)/2,
// alpha/2 }, fails: at alpha = 0.28 and I = alpha^2 ln(1/alpha) bits it is 0.14, and there
// is a selection with less information and P[p_T <= 0.14] = 0.283. S is uniform on [0,1],
// p_t(S) = (S-t) mod 1, and T = (S-p) mod 1 for a p drawn apart from S, uniform on
// [0,0.14] with probability 0.283 and else on (0.14,1]: its information is
// kl(0.283||0.14).
func TestQuotedRussoZouFails(t *testing.T) {
	const alpha, excess = 0.28, 0.283
	bits := alpha * alpha * math.Log(1/alpha)
	quoted := math.Min(math.Exp(-bits/(alpha*alpha))/2, alpha/2)
	info := excess*math.Log(excess/quoted) + (1-excess)*math.Log((1-excess)/(1-quoted))
	if allowed := bits * math.Ln2; !(info < allowed) {
		t.Errorf("the counter-example has %g nats, %g are allowed", info, allowed)
	}
	plan := maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.MutualInformation{Nats: theory.Nats(bits * math.Ln2)}}}
	gamma := threshold(t, corrected(t, plan, "russo-zou16"), theory.LogProb(math.Log(alpha)))
	if exact := threshold(t, corrected(t, plan, "kl"), theory.LogProb(math.Log(alpha))); gamma != exact ||
		!(gamma.Value() < quoted*0.99) {
		t.Errorf("gamma = %g, kl has %g, the quotation %g", gamma.Value(), exact.Value(), quoted)
	}
}

// A bound that leaves nothing is zero, and its p-values adjust to one; so is a p of one.
// Where an event of probability zero stays one, a p of zero adjusts to zero.
func TestCorrectionsAtTheirEnds(t *testing.T) {
	alpha := prob(t, "0.05")
	for _, c := range []struct {
		name string
		plan maxinfo.Plan
		zero theory.LogProb // Adjusted(0)
	}{
		{"max-info", maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.MaxInformation{Nats: 1, Slack: alpha}}}, alpha},
		{"approx-dp", maxinfo.Plan{Samples: 100, Data: maxinfo.ProductData,
			Steps: []maxinfo.Step{maxinfo.ApproxDP{Epsilon: 0.1, LnDelta: -3}}}, 0},
		{"rogers16", maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.MutualInformation{Nats: 1e308}}}, theory.Zero},
		{"kl", maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.MutualInformation{Nats: 1e308}}}, theory.Zero},
		{"bonferroni", maxinfo.Plan{Steps: []maxinfo.Step{
			maxinfo.OneOfNats(1), maxinfo.MaxInformation{Nats: 0, Slack: alpha, Always: true},
		}}, alpha},
	} {
		correction := corrected(t, c.plan, c.name)
		if gamma := threshold(t, correction, alpha); gamma != theory.Zero && !(gamma < -1e300) {
			t.Errorf("%s: gamma = %v, want 0", c.name, gamma)
		}
		if one := adjust(t, correction, 0); one != 0 {
			t.Errorf("%s: adjusted(1) = %v", c.name, one)
		}
		if zero := adjust(t, correction, theory.Zero); zero < c.zero || zero > c.zero+1e-12 {
			t.Errorf("%s: adjusted(0) = %v, want %v", c.name, zero, c.zero)
		}
	}
	// At alpha = 1 - 1e-310 mutual information leaves e^-I.
	certain := corrected(t, maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.MutualInformation{Nats: 2}}}, "kl")
	below.bounds(t, "kl", threshold(t, certain, -1e-310).Ln(), number(-2), 1e-12)
	// Thresholds far below float64.
	tiny := maxinfo.Plan{Samples: 1_000_000, Data: maxinfo.ProductData,
		Steps: []maxinfo.Step{maxinfo.PureDP{Epsilon: 0.1}}}
	gamma := threshold(t, corrected(t, tiny, "renyi"), prob(t, "1e-4343"))
	below.bounds(t, "renyi", gamma.Ln(), number(-18321.239792691326537), 1e-11) // -(sqrt(4343 ln 10) + sqrt(1250))^2
	if text := gamma.String(); text != "1.5e-7957" && text[len(text)-6:] != "e-7957" {
		t.Errorf("gamma = %s", text)
	}
}

func TestCorrectionErrors(t *testing.T) {
	nan := theory.LogProb(math.NaN())
	c := corrected(t, maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.OneOfNats(1)}}, "bonferroni")
	for _, x := range []theory.LogProb{nan, 1, 0, theory.Zero, theory.LogProb(math.Inf(1))} {
		if gamma, err := c.Threshold(x); !errors.As(err, new(*theory.DomainError)) || gamma != 0 {
			t.Errorf("threshold at ln alpha = %g: %v, %v", x.Ln(), gamma, err)
		}
	}
	for _, x := range []theory.LogProb{nan, 1, theory.LogProb(math.Inf(1))} {
		if p, err := c.Adjusted(x); !errors.As(err, new(*theory.DomainError)) || p != 0 {
			t.Errorf("adjusted at ln p = %g: %v, %v", x.Ln(), p, err)
		}
	}
	// Any data: what needs independent records says so, and the rest answers.
	all, err := Corrections(maxinfo.Plan{Samples: 10, Steps: []maxinfo.Step{maxinfo.PureDP{Epsilon: 0.1}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		_, noThreshold := c.Threshold(-3)
		_, noAdjusted := c.Adjusted(-3)
		for _, err := range []error{noThreshold, noAdjusted} {
			if needs := c.Name != "max-info-any"; errors.As(err, new(*theory.NotApplicableError)) != needs ||
				(err != nil) != needs {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	}
	if _, err := Corrections(maxinfo.Plan{}); err == nil {
		t.Error("corrections for no step")
	}
}

// Every correction of several steps names the theorem on their composition, and is derived.
func TestCompositionIsNamed(t *testing.T) {
	for _, first := range []maxinfo.Step{maxinfo.MutualInformation{Nats: 0.1}, maxinfo.PureDP{Epsilon: 0.01}} {
		all, err := Corrections(maxinfo.Plan{Samples: 100, Data: maxinfo.ProductData,
			Steps: []maxinfo.Step{first, maxinfo.OneOfNats(1)}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			last := c.Sources[len(c.Sources)-1]
			if last.Where != "docs/theorems/pvalue.md#composition-of-corrections" || len(c.Sources) < 2 ||
				c.Proof != theory.Derived {
				t.Errorf("%s: %v, %s", c.Name, c.Sources, c.Proof)
			}
		}
	}
}

package maxinfo

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// A Limit is what one theorem says about the joint law P of sample and transcript,
// compared with the law Q under which the sample is independent of the transcript.
// Each type says it in the terms of its theorem, and each bounds the approximate
// max-information.
type Limit interface {
	// MaxInformation returns an upper bound of I_inf^b, in nats:
	//
	//	ln (P[E]-b)/Q[E]  for every event E with P[E] > b.
	//
	// It is at most 1e-9 above the formula of the theorem and never below. It
	// reports NotApplicable where the theorem gives nothing at the slack b.
	MaxInformation(slack theory.LogProb) (theory.Nats, error)
}

// Ratio says P[E] <= e^Nats Q[E] + Slack for every event E: the max-information is
// Nats, up to a slack.
type Ratio struct {
	Nats  theory.Nats
	Slack theory.LogProb // theory.Zero for max-information proper
}

// MaxInformation returns Nats, from the slack of r on.
func (r Ratio) MaxInformation(slack theory.LogProb) (theory.Nats, error) {
	if !(slack.Valid() && slack >= r.Slack) {
		return 0, &theory.NotApplicableError{Needs: "a slack of at least " + r.Slack.String()}
	}
	return r.Nats, nil
}

// Range says that the transcript takes one of e^Outcomes values.
type Range struct {
	Outcomes theory.Nats // ln of the number of values
}

// MaxInformation returns ln(N/b) for N values: those of probability below b/N have
// total probability at most b, and for the others P(y|s)/P(y) <= N/b.
func (r Range) MaxInformation(slack theory.LogProb) (theory.Nats, error) {
	if err := needsSlack(slack, theory.Zero); err != nil {
		return 0, err
	}
	return (r.Outcomes - theory.Nats(slack)) * up, nil
}

// Dwork15 is the published bound for an epsilon-differentially private transcript of
// n independent records.
type Dwork15 struct {
	Samples int64
	Epsilon float64
}

// MaxInformation returns epsilon^2 n/2 + epsilon sqrt(n ln(2/b)/2).
func (d Dwork15) MaxInformation(slack theory.LogProb) (theory.Nats, error) {
	if err := needsSlack(slack, theory.Zero); err != nil {
		return 0, err
	}
	spread := d.Epsilon * math.Sqrt(float64(d.Samples)/2) // with care for the range of epsilon^2 n
	return theory.Nats((spread*spread + spread*math.Sqrt(math.Ln2-slack.Ln())) * up), nil
}

// Renyi says that a law within Defect of P in total variation has Renyi divergence
// D_a <= a Rho from Q, for every order a > 1.
type Renyi struct {
	Rho    theory.Nats
	Defect theory.LogProb // theory.Zero if it is P itself
}

// MaxInformation returns, with b' = b - defect,
//
//	min_(a>1) a rho + ln(1-1/a) + (ln(1/b') - ln a)/(a-1).
//
// That is the largest (p-b')/q under p <= (e^(a rho) q)^((a-1)/a), taken at p = a b'.
func (r Renyi) MaxInformation(slack theory.LogProb) (theory.Nats, error) {
	if err := needsSlack(slack, r.Defect); err != nil {
		return 0, err
	}
	lnb := math.Nextafter(num.LogSubExp(slack.Ln(), r.Defect.Ln()), math.Inf(-1))
	rho := float64(r.Rho)
	if rho == 0 {
		return 0, nil
	}
	center := math.Log(-lnb/rho) / 2
	if !(center > -300) {
		center = -300 // b' close to one
	}
	_, least := num.Interval{Lo: center - 8, Hi: center + 8}.Minimize(1e-6, func(v float64) float64 {
		return ratioAt(1+math.Exp(v), (1+math.Exp(v))*rho, lnb)
	})
	return theory.Nats(least + math.Abs(least)*0x1p-40 - lnb*0x1p-48), nil
}

// ratioAt returns the largest ln (p-b)/q under p <= (e^d q)^((a-1)/a) and p <= 1.
func ratioAt(a, d, lnb float64) float64 {
	lna := math.Log(a)
	if lna+lnb >= 0 { // best at p = 1
		return d + num.Log1mExp(lnb)
	}
	return d + math.Log1p(-1/a) - (lnb+lna)/(a-1)
}

// MaxInformation returns min_(a>1) D_a + ln(1-1/a) + (ln(1/b) - ln a)/(a-1), as
// [Renyi] does, for Q the product of the sample's law and the law R of transcripts
// for which [GaussianTranscript.Renyi] holds. R is not the law of the transcript;
// statements proved for queries fixed in advance carry over all the same, since they
// hold for every transcript.
func (g GaussianTranscript) MaxInformation(slack theory.LogProb) (theory.Nats, error) {
	if err := needsSlack(slack, theory.Zero); err != nil {
		return 0, err
	}
	_, least := g.BestOrder(-slack.Ln(), func(a, d float64) float64 { return ratioAt(a, d, slack.Ln()) })
	if math.IsInf(least, 1) {
		return 0, &theory.NotApplicableError{Source: gaussianSource, Needs: "more noise: (n-2) d_m < 1 at some order"}
	}
	return theory.Nats(least + math.Abs(least)*0x1p-40 - slack.Ln()*0x1p-48), nil
}

// Profile is an (epsilon, delta)-differentially private transcript of n independent
// records. It is private for every x >= 0 with
//
//	epsilon = Epsilon + x,  delta = Delta + delta_mu(x),
//
// delta_mu the curve of mu-GDP, and for x = 0 alone where Mu is zero.
type Profile struct {
	Samples int64
	Epsilon float64        // >= 0
	LnDelta theory.LogProb // below 1
	Mu      float64        // >= 0
}

// At returns what (epsilon, delta) privacy at x says: with rho = n epsilon
// tanh(epsilon/2) and the defect n delta (1+e^(-epsilon)), rounded up.
func (p Profile) At(x float64) Renyi {
	n := float64(p.Samples)
	lnDelta := p.LnDelta.Ln()
	if p.Mu > 0 {
		lnDelta = num.LogAddExp(lnDelta, theory.GDP{Mu: p.Mu}.LnDelta(x).Ln())
	}
	epsilon := p.Epsilon + x
	defect := lnDelta + math.Log(n) + math.Log1p(math.Exp(-epsilon))
	return Renyi{
		Rho:    theory.Nats(n * epsilon * math.Tanh(epsilon/2) * up),
		Defect: theory.LogProb(min(0, defect+math.Abs(defect)*0x1p-48+0x1p-48)),
	}
}

// MaxInformation returns the least over x of what [Profile.At] gives.
func (p Profile) MaxInformation(slack theory.LogProb) (theory.Nats, error) {
	_, least := p.Best(Defects{Most: slack, Least: slack - 50}, func(r Renyi) float64 {
		k, err := r.MaxInformation(slack)
		if err != nil {
			return math.Inf(1)
		}
		return float64(k)
	})
	if math.IsInf(least, 1) {
		return 0, needsSlack(slack, p.At(0).Defect)
	}
	return theory.Nats(least), nil
}

// Defects is a range of the defect of [Profile.At].
type Defects struct{ Most, Least theory.LogProb }

// Best returns the x at which the cost of [Profile.At] is least, among those with a
// defect in the range, and that cost.
func (p Profile) Best(within Defects, cost func(Renyi) float64) (x, least float64) {
	if p.Mu == 0 {
		return 0, cost(p.At(0))
	}
	share := math.Log(float64(p.Samples))
	from, to := p.reach(within.Most.Ln()-share), p.reach(within.Least.Ln()-share)
	v, least := num.Interval{Lo: math.Log(from), Hi: math.Log(to)}.MinimizeScanned(24, 1e-6, func(v float64) float64 {
		return cost(p.At(math.Exp(v)))
	})
	return math.Exp(v), least
}

// reach returns an x at which the curve of mu-GDP is about e^lnDelta.
func (p Profile) reach(lnDelta float64) float64 {
	if !(lnDelta < 0) {
		return p.Mu * 1e-3
	}
	b, err := theory.GDP{Mu: p.Mu}.Approx(theory.LogProb(lnDelta))
	if err != nil {
		return p.Mu
	}
	return max(b.Value.Epsilon, p.Mu*1e-3)
}

// Mutual says that the mutual information between sample and transcript is at most
// Nats.
type Mutual struct {
	Nats theory.Nats
}

// MaxInformation returns the least k that holds for every law of mutual information
// I: for every t > I/b,
//
//	k = ln(e^t - 1) - ln t - ln(1+w),  where  ln(1+w) - w/(1+w) = b t - I.
//
// By the variational formula of the relative entropy, p t <= I + ln(1 + q(e^t - 1)),
// p = P[E] and q = Q[E], and the right side lies below its tangent at q = w/(e^t - 1),
// which is the line t (b + e^k q). The set of possible (p,q) is convex, so that the
// best t leaves nothing.
func (m Mutual) MaxInformation(slack theory.LogProb) (theory.Nats, error) {
	if err := needsSlack(slack, theory.Zero); err != nil {
		return 0, err
	}
	b := slack.Value()
	info := float64(m.Nats)
	first := info / b
	if !(b > 0 && first < 1e300) {
		return 0, &theory.NoAnswerError{Reason: "the bound I/b exceeds what a number can hold"}
	}
	// t = first e^x: where little information is spread, b t - I is about I/2 at the best t.
	_, least := num.Interval{Lo: math.Log(1e-9), Hi: math.Log(1e9)}.MinimizeScanned(60, 1e-7, func(x float64) float64 {
		return mutualAt(first*(1+math.Exp(x)), info*math.Exp(x))
	})
	if info == 0 {
		return 0, nil
	}
	return theory.Nats(least + math.Abs(least)*0x1p-40 + 0x1p-48), nil
}

// mutualAt returns ln(e^t - 1) - ln t - ln(1+w) at the w where ln(1+w) - w/(1+w) is
// just below y = b t - I.
func mutualAt(t, y float64) float64 {
	// In s = ln(1+w): s - 1 + e^(-s) = y, increasing and convex; Newton's steps from the
	// right stay there, and its last value is moved to the left.
	s := y + math.Min(1, math.Sqrt(2*y)+y)
	for range 60 {
		next := s - (s+math.Expm1(-s)-y)/-math.Expm1(-s)
		if !(next < s) {
			break
		}
		s = next
	}
	s -= s * 0x1p-30
	for s > 0 && s+math.Expm1(-s) > y*(1-0x1p-45) {
		s -= s * 0x1p-26
	}
	return t + num.Log1mExp(-t) - math.Log(t) - s
}

// Rogers16 is the published bound from mutual information.
type Rogers16 struct {
	Nats theory.Nats
}

// MaxInformation returns (I + 0.54)/b, in bits, at the slack b.
func (r Rogers16) MaxInformation(slack theory.LogProb) (theory.Nats, error) {
	if err := needsSlack(slack, theory.Zero); err != nil {
		return 0, err
	}
	k := (float64(r.Nats) + 0.54*math.Ln2) / slack.Value() * up
	if math.IsInf(k, 0) {
		return 0, &theory.NoAnswerError{Reason: "the bound (I+0.54)/b exceeds what a number can hold"}
	}
	return theory.Nats(k), nil
}

// Group says that an event of probability q under Q has probability at most
// Phi(Phi^-1(q) + Mu): group privacy of all records of a GDP transcript.
type Group struct {
	Mu float64
}

// MaxInformation returns the epsilon that goes with delta = b on the curve of mu-GDP.
func (g Group) MaxInformation(slack theory.LogProb) (theory.Nats, error) {
	if err := needsSlack(slack, theory.Zero); err != nil {
		return 0, err
	}
	b, err := theory.GDP{Mu: g.Mu}.Approx(slack)
	return theory.Nats(b.Value.Epsilon), err
}

// needsSlack reports NotApplicable unless defect < b < 1.
func needsSlack(b, defect theory.LogProb) error {
	if b > defect && b < 0 {
		return nil
	}
	needs := "a slack above 0 and below 1"
	if defect != theory.Zero {
		needs = "a slack above n delta (1 + e^-epsilon)"
	}
	return &theory.NotApplicableError{Needs: needs}
}

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
	// It is never below the formula of the theorem and at most 1e-9 above it, 1e-6
	// where the formula has a minimum; with a slack near one it is negative. It
	// reports NotApplicable where the theorem gives nothing at the slack b, and
	// NoAnswer where the number exceeds float64.
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
	if !(slack.IsValid() && slack >= r.Slack) {
		return 0, &theory.NotApplicableError{Needs: "a slack of at least " + r.Slack.String()}
	}
	return r.Nats, nil
}

// Range says that the transcript takes one of e^Outcomes values.
type Range struct {
	Outcomes theory.Nats // ln of the number of values
}

// MaxInformation returns ln(N/b) for N values: the values of probability below b/N have total probability at most b,
// and all others have P(y|s)/P(y) <= N/b.
func (r Range) MaxInformation(slack theory.LogProb) (theory.Nats, error) {
	if err := needsSlack(slack, theory.Zero); err != nil {
		return 0, err
	}
	return finite(float64(r.Outcomes) - slack.Ln())
}

// Gate says that the transcript is the verdicts of a gate, and further answers out of a range: Range counts
// all of them.
type Gate struct {
	Range
	Gates Gates
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
	return finite(spread*spread + spread*math.Sqrt(math.Ln2-slack.Ln()))
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
	lnb, rho := without(slack, r.Defect).Ln(), float64(r.Rho)
	if rho == 0 {
		return finite(num.Log1mExp(lnb))
	}
	// At the best x = a-1, x^2 rho = ln(1/b') - ln a: below both of these.
	top := max(-300, min((num.Log(-lnb)-num.Log(rho))/2, num.Log(math.Expm1(-lnb))))
	_, least := num.Interval{Lo: top - 6, Hi: top}.Minimize(1e-6, func(v float64) float64 {
		x := num.Exp(v)
		return ratioAt(x, (1+x)*rho, lnb)
	})
	return finite(least)
}

// ratioAt returns the largest ln (p-b)/q under p <= (e^d q)^((a-1)/a), with its
// rounding covered, for a = 1 + excess.
func ratioAt(excess, d, lnb float64) float64 {
	lna := math.Log1p(excess)
	share, lift := math.Log1p(-1/(1+excess)), (lnb+lna)/excess
	if excess < 1 {
		share = num.Log(excess) - lna
	}
	return d + share - lift + (d-share+math.Abs(lift))*0x1p-48
}

// MaxInformation returns, with c = 2 - 1/a,
//
//	min_(a>1) D_a + ln(1-1/c) + (ln(1/b) - ln c)/(c-1).
//
// [GaussianTranscript.Renyi] compares with a law R of transcripts that is not their own
// law P_Y. The density of R relative to P_Y has mean at most one under P, and Hoelder's
// inequality turns the divergence of order a from P_S x R into one of order c from P_S
// x P_Y. That is less than k(b') + ln(1/(b-b')) for every b', k what [Renyi] has for
// D_a: leaving out the transcripts with P_Y below (b-b') R costs more.
func (g GaussianTranscript) MaxInformation(slack theory.LogProb) (theory.Nats, error) {
	if err := needsSlack(slack, theory.Zero); err != nil {
		return 0, err
	}
	lnb := slack.Ln()
	need := -lnb
	if beyond := math.Expm1(-lnb); beyond < 1 { // orders c beyond 1/b do not help
		beyond /= 1 - beyond
		need = min(need, g.rate()*beyond*beyond)
	}
	_, least := g.BestOrder(need, func(a, d float64) float64 { return ratioAt((a-1)/a, d, lnb) })
	if math.IsInf(least, 1) {
		return 0, moreNoise
	}
	return finite(least)
}

// Profile is an (epsilon, delta)-differentially private transcript of n independent
// records. It is private for every x >= 0 with
//
//	epsilon = Epsilon + x,  delta = Delta + delta(x),
//
// delta(x) the curve of mu-GDP or of a bound of Renyi divergences, and for x = 0 alone where there is
// neither.
type Profile struct {
	Samples int64
	Epsilon float64        // >= 0
	LnDelta theory.LogProb // below 1
	Mu      float64        // >= 0
	Renyi   Divergence     // empty unless Mu is zero
}

// At returns what (epsilon, delta) privacy at x says: with rho = n epsilon
// tanh(epsilon/2) and the defect n delta (1+e^(-epsilon)), rounded up.
func (p Profile) At(x float64) Renyi {
	n := float64(p.Samples)
	lnDelta := p.LnDelta.Ln()
	switch {
	case p.Mu > 0:
		lnDelta = num.LogAddExp(lnDelta, theory.GDP{Mu: p.Mu}.LnDelta(x).Ln())
	case p.Renyi.bounds():
		lnDelta = num.LogAddExp(lnDelta, p.Renyi.lnDelta(x))
	}
	epsilon := p.Epsilon + x
	defect := lnDelta + num.Log(n)*(1+0x1p-50) + math.Log1p(num.Exp(-epsilon))
	return Renyi{
		Rho:    theory.Nats(n * epsilon * num.Tanh(epsilon/2) * up),
		Defect: lnUp(defect),
	}
}

// MaxInformation returns the least over x of what [Profile.At] gives; for a slack close
// to one, where the least defect is not the best, it may be above that.
func (p Profile) MaxInformation(slack theory.LogProb) (theory.Nats, error) {
	_, least := p.Best(Defects{Most: slack, Least: slack*1.001 - 50}, func(r Renyi) float64 {
		k, err := r.MaxInformation(slack)
		if err != nil {
			return math.Inf(1)
		}
		return float64(k)
	})
	if math.IsInf(least, 1) {
		return 0, needsSlack(slack, p.At(0).Defect)
	}
	return finite(least)
}

// Profiles is a transcript that has several privacy curves: the best one counts.
type Profiles []Profile

// MaxInformation returns the least that one of the curves gives.
func (ps Profiles) MaxInformation(slack theory.LogProb) (least theory.Nats, err error) {
	found := false
	for _, p := range ps {
		k, refused := p.MaxInformation(slack)
		switch {
		case refused != nil:
			err = refused
		case !found || k < least:
			least, found = k, true
		}
	}
	if found {
		err = nil
	}
	return least, err
}

// Defects is a range of the defect of [Profile.At].
type Defects struct{ Most, Least theory.LogProb }

// Best returns the x at which the cost of [Profile.At] is least, among those with a
// defect in the range, and that cost.
func (p Profile) Best(within Defects, cost func(Renyi) float64) (x, least float64) {
	if p.Mu == 0 && !p.Renyi.bounds() {
		return 0, cost(p.At(0))
	}
	tolerance := 1e-6
	if len(p.Renyi.Points) > 0 {
		tolerance = 1e-9 // the curve has edges
	}
	share := num.Log(float64(p.Samples))
	from, to := num.Log(p.reach(within.Most.Ln()-share)), num.Log(p.reach(within.Least.Ln()-share))
	at := func(v float64) float64 { return cost(p.At(num.Exp(v))) }
	v, least := num.Interval{Lo: from, Hi: to}.MinimizeScanned(12, tolerance, at, p.Renyi.edges...)
	if last := max(to, num.Log(40)); p.LnDelta > theory.Zero {
		// The defect of Delta falls on with 1 + e^(-epsilon), where nothing is left of the curve.
		if beyond, less := (num.Interval{Lo: to, Hi: last}).MinimizeScanned(12, tolerance, at); less < least {
			v, least = beyond, less
		}
	}
	return num.Exp(v), least
}

// reach returns an x at which the curve is about e^lnDelta.
func (p Profile) reach(lnDelta float64) float64 {
	if p.Renyi.bounds() {
		return p.Renyi.reach(lnDelta)
	}
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
// I: over s > 0,
//
//	k = ln(e^t - 1) - ln t - s,  b t = I + s - 1 + e^(-s).
//
// By the variational formula of the relative entropy, p t <= I + ln(1 + q(e^t - 1)),
// p = P[E] and q = Q[E], and the right side lies below its tangent at the q where the
// logarithm is s, which is the line t (b + e^k q). The set of possible (p,q) is convex,
// so that the best s leaves nothing.
func (m Mutual) MaxInformation(slack theory.LogProb) (theory.Nats, error) {
	if err := needsSlack(slack, theory.Zero); err != nil {
		return 0, err
	}
	info, lnb := float64(m.Nats), slack.Ln()
	if info == 0 {
		return finite(num.Log1mExp(lnb))
	}
	share := num.Exp(num.Log(info)-lnb) * up // I/b
	if !(share <= math.MaxFloat64) {
		return 0, tooLarge
	}
	if lnb < -40 { // any s takes off less than 2b
		return finite(share - lnRise(share))
	}
	b, rest := slack.Value(), -math.Expm1(lnb) // 1-b
	// At the best s, 1 - e^(-s) is between b and 2b, or 1 - e^(-s) - 1/t <= b.
	from, to := -num.Log1mExp(lnb), min(1+2/rest, 1e300)
	if b < 0.5 {
		to = min(to, -math.Log1p(-2*b))
	}
	_, least := num.Interval{Lo: num.Log(from), Hi: num.Log(to)}.Minimize(1e-7, func(v float64) float64 {
		s := num.Exp(v)
		gone := -math.Expm1(-s) // t - s without cancellation
		return share + (s*rest-gone)/b - lnRise(share+(s-gone)/b)
	})
	return finite(least + share*0x1p-48 + 0x1p-46)
}

// lnRise returns ln t - ln(1 - e^(-t)) for t > 0.
func lnRise(t float64) float64 { return num.Log(t / -math.Expm1(-t)) }

// Rogers16 is the published bound from mutual information.
type Rogers16 struct {
	Nats theory.Nats
}

// MaxInformation returns (I + 0.54)/b, in bits, at the slack b.
func (r Rogers16) MaxInformation(slack theory.LogProb) (theory.Nats, error) {
	if err := needsSlack(slack, theory.Zero); err != nil {
		return 0, err
	}
	return finite((float64(r.Nats) + 0.54*math.Ln2) / slack.Value())
}

// Group says that an event of probability q under Q has probability at most
// Phi(Phi^-1(q) + Mu): group privacy of all records of a GDP transcript.
type Group struct {
	Mu float64
}

// MaxInformation returns the epsilon >= 0 that goes with delta = b on the curve of
// mu-GDP.
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

// without returns ln(b - part) for part < b, rounded down.
func without(b, part theory.LogProb) theory.LogProb {
	if part == theory.Zero {
		return b
	}
	rest := num.LogSubExp(b.Ln(), part.Ln())
	return theory.LogProb(rest + (rest-1)*0x1p-50)
}

var tooLarge = &theory.NoAnswerError{Reason: "the bound exceeds what a number can hold"}

// finite returns k rounded up. It reports NoAnswer where k is not finite.
func finite(k float64) (theory.Nats, error) {
	k += math.Abs(k) * 0x1p-45
	if !(math.Abs(k) <= math.MaxFloat64) {
		return 0, tooLarge
	}
	return theory.Nats(k), nil
}

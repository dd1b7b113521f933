package transfer

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// evaluation is a method's inequality as its theorem page has it, in decimals.
type evaluation struct {
	holds func(a Answer) bool // at the rows, the tau and what is run as they are printed
	least func(a Answer) bool // whether the page says that with fewer rows it fails; nil stands for never
	goals int                 // how many random goals are asked for, a share of them by default
}

func everyTime(Answer) bool { return true }

var evaluations = map[string]evaluation{
	"hoeffding":               {byDemand("hoeffding"), everyTime, 200},
	"splitting":               {splitHolds(byDemand("hoeffding")), everyTime, 200},
	"hoeffding-kl":            {fixedHolds(false), everyTime, 150},
	"binomial":                {fixedHolds(true), countedOut, 60},
	"splitting-exact":         {splitHolds(fixedHolds(true)), countedOut, 100},
	"rounding":                {byDemand("rounding"), everyTime, 100},
	"rounding-widths":         {widthsHold, nil, 40},
	"gaussian-schedule":       {noiseHolds, nil, 40},
	"gaussian":                {noiseHolds, nil, 25},
	"gaussian-cvar":           {cvarHolds, nil, 20},
	"gaussian-jung20":         {jungHolds, nil, 40},
	"gaussian-marchant25":     {jungHolds, nil, 20},
	"gaussian-rogers20":       {rogersHolds, nil, 40},
	"gaussian-bassily16":      {bassilyHolds, nil, 40},
	"laplace":                 {laplaceHolds, nil, 60},
	"laplace-jung20":          {laplaceJungHolds, nil, 60},
	"gate":                    {gateHolds, countedOut, 400},
	"gate-renggli19":          {renggliHolds, everyTime, 200},
	"sparse-validate":         {sparseHolds, nil, 80},
	"ladder":                  {ladderHolds, nil, 80},
	"ladder-blum15":           {byDemand("ladder-blum15"), everyTime, 100},
	"sealed":                  {convexHolds, countedOut, 150},
	"transcripts":             {convexHolds, countedOut, 60},
	"subset":                  {subsetHolds, countedOut, 150},
	"open-gate":               {openGateHolds, nil, 300},
	"open-board":              {openBoardHolds, nil, 60},
	"open-guess":              {openGuessHolds, nil, 60},
	"gaussian-open":           {openNoiseHolds, nil, 20},
	"thresholdout":            {thresholdoutHolds, nil, 6},
	"thresholdout-dwork15":    {byDemand("thresholdout-dwork15"), everyTime, 80},
	"thresholdout-dwork15-n0": {byDemand("thresholdout-dwork15-n0"), everyTime, 80},
	"thresholdout-dwork15-n1": {byDemand("thresholdout-dwork15-n1"), everyTime, 80},
	"dp":                      {byDemand("dp"), everyTime, 80},
	"dp-maxinfo":              {byDemand("dp-maxinfo"), everyTime, 80},
	"dp-dwork15":              {byDemand("dp-dwork15"), everyTime, 80},
	"dp-approx-dwork15":       {byDemand("dp-approx-dwork15"), everyTime, 80},
}

// lnBeta is ln of the probability that is left to a method after the looks that were taken before.
func lnBeta(a Answer) dec {
	return number(a.Beta.Ln()).Minus(whole(a.PastLooks).Times(whole(a.Samples + 1).Ln()))
}

// unitOf is the length of the interval of values: 2 for differences, 1 for others.
func unitOf(a Answer) float64 {
	if a.Query == Difference {
		return 2
	}
	return 1
}

// spreadOf is the most that all rows together move a query.
func spreadOf(a Answer) float64 {
	d := a.Sensitivity
	if d == 0 {
		d = 1
	}
	switch a.Query {
	case Minimization, Difference:
		return 2 * d
	case Sensitive:
		return d
	}
	return 1
}

// byDemand is a closed form of the table of demands, in units of the query's spread, and for one side where the
// method has a form for it.
func byDemand(name string) func(a Answer) bool {
	return func(a Answer) bool {
		g := withBeta(a, lnBeta(a)).Goal
		if name == "hoeffding" || a.Query == Difference {
			sides := whole(2)
			if a.OneSided {
				sides = whole(1)
			}
			if name == "hoeffding" {
				tau := number(a.Tau).Over(number(spreadOf(a)))
				return whole(2 * a.Samples).Times(tau.Squared()).AtLeast(sides.Times(whole(a.Queries)).Ln().Minus(lnBeta(a)))
			}
			g.Tau, g.Query = a.Tau/2, Bounded
		}
		return demands[name](g, a.Samples)
	}
}

// withBeta is the answer with what earlier looks have left of beta.
func withBeta(a Answer, lnBeta dec) Answer {
	if a.PastLooks > 0 {
		a.PastLooks, a.Beta = 0, theory.LogProb(lnBeta.Float())
	}
	return a
}

// splitHolds decides about one part, at a share of beta.
func splitHolds(one func(a Answer) bool) func(a Answer) bool {
	return func(a Answer) bool {
		all := a
		if a.Samples /= a.Queries; a.Samples == 0 || all.Samples%a.Queries != 0 {
			return false
		}
		if a = withBeta(a, lnBeta(all)); a.Beta == 0 {
			return false
		}
		return one(a)
	}
}

// lnNodesOf is how many queries could be asked.
func lnNodesOf(a Answer) dec {
	switch {
	case a.Transcripts > 0:
		return number(a.Transcripts).Ln()
	case a.LnTranscripts > 0:
		return number(a.LnTranscripts)
	}
	return whole(a.Queries).Ln()
}

// fixedHolds is one look for each of so many queries; exact where 0/1 values have binomial tails.
func fixedHolds(exact bool) func(a Answer) bool {
	return func(a Answer) bool {
		level := lnBeta(a).Minus(lnNodesOf(a))
		return level.AtLeast(lnOneLook(a, exact, a.OneSided, level))
	}
}

// subsetHolds is Serfling's exponent, or one look at independent rows.
func subsetHolds(a Answer) bool {
	items := a.Sample.(tail.Subset).Items
	if a.Samples > items {
		return false
	}
	sides := whole(2)
	if a.OneSided {
		sides = whole(1)
	}
	// n/(1 - (n-1)/N) is nN/(N-n+1).
	worth := whole(a.Samples).Times(whole(items)).Over(whole(items - a.Samples + 1))
	tau := number(a.Tau).Over(number(unitOf(a)))
	exponent := whole(2).Times(worth).Times(tau.Squared())
	level := sides.Times(whole(a.Queries)).Ln().Minus(lnBeta(a))
	return a.Samples == items || exponent.AtLeast(level) || convexHolds(a)
}

// lnOneLook is ln of the bound on one query. The level says which of two bounds on counts is asked for.
func lnOneLook(a Answer, exact, oneSided bool, level dec) dec {
	usual := lnUsualLook(a, exact, oneSided, level)
	known := lnKnown(a, a.Samples, number(a.Tau))
	if !oneSided {
		known = known.Plus(whole(2).Ln())
	}
	if known.Less(usual) {
		return known
	}
	return usual
}

// lnKnown is ln of the bound on one side where a variance or a second moment is known, 0 where none is.
func lnKnown(a Answer, n int64, s dec) dec {
	switch {
	case a.Query == Binary && a.Bar.Given: // has the variance of its own mean
	case a.Variance > 0:
		return pageLnVarying(n, s, number(a.Variance))
	case a.AtLeast > 0 && !a.Checked:
		return pageLnFewOnes(n, s, whole(1).Minus(number(a.AtLeast)))
	case a.SecondMoment > 0 && a.Checked:
		return pageLnKept(n, s, number(a.SecondMoment))
	case a.SecondMoment > 0:
		return pageLnSecondMoment(n, s, number(a.SecondMoment))
	}
	return whole(0)
}

func lnUsualLook(a Answer, exact, oneSided bool, level dec) dec {
	n, tau := a.Samples, number(a.Tau)
	lnSides := whole(2).Ln()
	if oneSided {
		lnSides = whole(0)
	}
	switch a.Query {
	case Sensitive, Minimization:
		return lnSides.Minus(whole(2 * n).Times(tau.Over(number(spreadOf(a))).Squared()))
	case Difference:
		return lnSides.Plus(pageLnDifference(n, tau, knownDisagreement(a)))
	case Binary:
		// Rows that are not alike keep to the tail of rows that are where n tau is at least one.
		if alike := n == 1 || whole(n).Times(tau).AtLeast(whole(1)); !exact || !alike {
			break
		}
		if n <= pageMostCounted {
			if oneSided {
				return pageLnWorstSide(n, a.Tau)
			}
			return pageLnWorstCount(n, a.Tau)
		}
		bound := pageLnZubkovSerov(n, a.Tau, oneSided)
		if kl := lnOneLook(a, false, oneSided, level); kl.Less(bound) {
			return kl
		}
		return bound
	}
	if oneSided {
		return pageLnSide(n, tau)
	}
	return pageLnBothSides(n, a.Tau)
}

func knownDisagreement(a Answer) float64 {
	if a.Disagreement == 0 || a.Checked {
		return 1
	}
	return a.Disagreement
}

// countedOut reports whether the page says that one row fewer fails: for counts where they are exact, and for a known
// bar only where the tails are exponential.
func countedOut(a Answer) bool {
	if a.Query != Binary { // at either end of the bars, where no rate is too great, there may be more rows than are needed
		d := knownDisagreement(a)
		ends := a.Bar.Value == -d || math.Abs(a.Bar.Value+2*a.Tau-d) < 1e-15
		return !(a.Query == Difference && a.Bar.Given && ends)
	}
	level := lnBeta(a).Minus(lnNodesOf(a))
	if a.Mechanism.LnNodes.Given {
		level = lnBeta(a).Minus(number(a.Mechanism.LnNodes.Value))
	}
	return !a.Bar.Given && a.Samples <= pageMostCounted && level.Float() < -math.Ln2 && a.PastLooks == 0
}

// convexHolds is one look for each of so many queries, with convex tails for means that are no counts.
func convexHolds(a Answer) bool {
	level := lnBeta(a).Minus(lnNodesOf(a))
	return fixedHolds(true)(a) || ranges(a) && level.AtLeast(lnConvexLook(a, a.OneSided))
}

// ranges reports whether the values of a query fill an interval: they are not 0 and 1 alone.
func ranges(a Answer) bool { return a.Query == Bounded || a.Query == Difference }

// lnConvexLook is ln of the convex tails of one query.
func lnConvexLook(a Answer, oneSided bool) dec {
	ln := pageLnConvexSide(a.Samples, number(a.Tau).Over(number(unitOf(a))))
	if !oneSided {
		ln = ln.Plus(whole(2).Ln())
	}
	return ln
}

// gateHolds is the gate at all bars, or at the one that is known.
func gateHolds(a Answer) bool {
	passes := a.Passes
	if passes == 0 {
		passes = a.Queries
	}
	level := lnBeta(a).Minus(pageLnNodes(a.Queries, passes))
	if usualGateHolds(a, level) || !ranges(a) {
		return usualGateHolds(a, level)
	}
	if !a.Bar.Given {
		return level.AtLeast(lnConvexLook(a, true))
	}
	unit := number(unitOf(a))
	c, tau := number(a.Bar.Value).Plus(unit).Minus(one).Over(unit), number(a.Tau).Over(unit)
	return level.AtLeast(pageLnConvexAt(a.Samples, c, tau, a.OneSided))
}

// usualGateHolds is that by moment generating functions, or by counts.
func usualGateHolds(a Answer, level dec) bool {
	if !a.Bar.Given {
		return level.AtLeast(lnOneLook(a, true, true, level))
	}
	n, c, tau := a.Samples, number(a.Bar.Value), number(a.Tau)
	top := c.Plus(tau).Plus(tau) // a failure of what is there is wrong
	switch a.Query {
	case Difference:
		d := knownDisagreement(a)
		ln := pageLnDifferenceAt(n, c, tau, d)
		if !a.OneSided && !number(d).Less(top) {
			if other := pageLnDifferenceAt(n, whole(0).Minus(top), tau, d); ln.Less(other) {
				ln = other
			}
		}
		if known := lnKnown(a, n, tau); known.Less(ln) {
			ln = known
		}
		return level.AtLeast(ln)
	case Binary:
		k := a.Mechanism.PassCount
		if !level.AtLeast(pageLnCountAtLeast(n, k, c)) {
			return false
		}
		if a.OneSided || !top.Less(whole(1)) {
			return !number(float64(k - 1)).AtLeast(whole(n).Times(c.Plus(tau)))
		}
		return level.AtLeast(pageLnCountAtMost(n, k-1, top))
	}
	ln := pageLnMeanAtMost(n, c, tau)
	if !a.OneSided && top.Less(whole(1)) {
		if other := pageLnMeanAtMost(n, whole(1).Minus(top), tau); ln.Less(other) {
			ln = other
		}
	}
	if known := lnKnown(a, n, tau); known.Less(ln) {
		ln = known
	}
	return level.AtLeast(ln)
}

// renggliHolds is gate-renggli19.
func renggliHolds(a Answer) bool {
	ln := whole(a.Queries).Ln()
	if a.Passes != 1 && a.Queries > 1 {
		ln = whole(a.Queries).Times(whole(2).Ln())
	}
	level, tau := ln.Minus(lnBeta(a)), number(a.Tau)
	switch {
	case a.Query != Difference:
		return whole(2 * a.Samples).Times(tau.Squared()).AtLeast(level)
	case a.Disagreement > 0 && !a.Checked:
		d := number(a.Disagreement)
		u := whole(1).Plus(tau.Over(d))
		h := u.Times(u.Ln()).Minus(tau.Over(d))
		return whole(a.Samples).Times(d).Times(h).AtLeast(level.Plus(whole(4).Ln()))
	default: // two estimates with tau/2 and beta/2 each
		return whole(a.Samples).Times(tau.Squared()).AtLeast(whole(2).Times(level.Plus(whole(2).Ln())))
	}
}

// sideOf is A for values of the goal's kind, as a whole mechanism takes it.
func sideOf(a Answer, n int64) pageSide {
	usual := func(s dec) dec {
		switch a.Query {
		case Difference:
			return pageLnDifference(n, s, knownDisagreement(a))
		case Binary:
			return pageLnSideOfCounts(n, s)
		}
		return pageLnSide(n, s)
	}
	return func(s dec) dec {
		ln := usual(s)
		if s.Sign() > 0 {
			if known := lnKnown(a, n, s); known.Less(ln) {
				return known
			}
		}
		return ln
	}
}

func widthsHold(a Answer) bool {
	var widths []float64
	for _, w := range a.Mechanism.QueryWidths {
		widths = append(widths, slices.Repeat([]float64{w.Width}, int(w.Queries))...)
	}
	if int64(len(widths)) != a.Queries || widths[len(widths)-1] != 0 {
		return false
	}
	return lnBeta(a).AtLeast(pageLnWidths(a.TauAchieved, widths, sideOf(a, a.Samples)))
}

func sparseHolds(a Answer) bool {
	v := pageValidator{Queries: a.Queries, Tau: a.TauAchieved, Threshold: a.Mechanism.Threshold}
	v.Guesses = a.Hold == 0
	if v.GuessError = a.Tau / 2; a.GuessError.Given {
		v.GuessError = a.GuessError.Value
	}
	level := lnBeta(a)
	if parts := a.Mechanism.Chunks; parts > 0 {
		v.Side = sideOf(a, a.Samples/parts)
		return a.Hold > 0 && level.Minus(whole(parts).Ln()).AtLeast(v.Ln())
	}
	v.Side = sideOf(a, a.Samples)
	steps := a.Mechanism.FlagWidths
	for i, s := range steps[:len(steps)-1] {
		v.Widths = append(v.Widths, slices.Repeat([]float64{s.Width}, int(steps[i+1].Flags-s.Flags))...)
	}
	return int64(len(v.Widths)) == a.Budget-1 && steps[len(steps)-1].Width == 0 && level.AtLeast(v.Ln())
}

func ladderHolds(a Answer) bool {
	if a.Mechanism.Board == nil {
		return a.Queries == 1 && fixedHolds(true)(a)
	}
	baseline := a.Floor
	if !a.Checked {
		baseline = max(baseline, a.AtLeast)
	}
	b := pageBoard{Rows: a.Samples, Queries: max(a.Queries, 2), Tau: a.TauAchieved, Top: 1 - baseline,
		Variance: a.Variance}
	one := whole(1)
	for i, step := range a.Mechanism.Board {
		b.Values = append(b.Values, one.Minus(number(step.Value)))
		if i == 0 {
			continue
		}
		if a.Query == Binary {
			right := int64(math.Round(step.Boundary * float64(a.Samples)))
			b.Counts = append(b.Counts, a.Samples-right)
		}
		b.Bounds = append(b.Bounds, one.Minus(number(step.Boundary)))
	}
	ln, sound := b.Ln()
	return sound && lnBeta(a).AtLeast(ln)
}

// noiseHolds is the joint bound, the one for queries of low variance, or gaussian-cvar.
func noiseHolds(a Answer) bool {
	unit := unitOf(a)
	if a.Mechanism.LowVariance {
		return lowVarianceHolds(a)
	}
	var noise []float64
	cut := 0.0
	for b := range a.Noise() {
		if b.Scale > 0 {
			cut = b.Cut
		}
		noise = append(noise, slices.Repeat([]float64{b.Scale / unit}, int(b.Queries))...)
	}
	if int64(len(noise)) != a.Queries {
		return false
	}
	p := pageEvenTau(a.Samples, a.Tau/unit, noise, cut, a.OneSided)
	return pageExcess(p.Errors(), lnBeta(a).Float()) <= 0 ||
		slices.Min(noise) == slices.Max(noise) && cvarHolds(a)
}

func lowVarianceHolds(a Answer) bool { return lnBeta(a).AtLeast(lnLowVariance(a)) }

// lnLowVariance is ln of the sum of eps_j and eta_j over the schedule as it is printed, with the first of some shares
// that keep it within beta, or the last.
func lnLowVariance(a Answer) (ln dec) {
	p := pageLowVariance{N: a.Samples, OneSided: a.OneSided, Tau: a.Tau}
	unit := 1.
	switch {
	case a.Query == Difference && a.Disagreement == 0: // half of it
		unit = 2
		p.Tau /= unit
		p = p.Varying(a.SecondMoment / 4)
	case a.Query == Difference:
		p = p.Differing(a.Disagreement)
	case a.AtLeast > 0:
		p = p.Accurate(1 - a.AtLeast)
	default:
		p = p.Varying(a.Variance)
	}
	for b := range a.Noise() {
		p.SD = append(p.SD, slices.Repeat([]float64{b.Scale / unit}, int(b.Queries))...)
	}
	if a.Checked {
		p = p.Checked()
	}
	level := lnBeta(a)
	for _, part := range []float64{0.1, 0.02, 0.002, 1e-4} { // of beta for the shares
		each := level.Float() + math.Log(part/math.Max(1, float64(a.Queries)-0.9)) // of it, the last a tenth
		if ln = pageLnSum(p.LnErrors(each)...); level.AtLeast(ln) {
			break
		}
	}
	return ln
}

// A schedule for queries of low variance spends beta, and no more.
func TestLowVarianceSpendsBeta(t *testing.T) {
	for _, g := range []Goal{
		{Query: Difference, Tau: 0.02, Queries: 1, Beta: lp("0.05"), Known: Known{Disagreement: 0.1}},
		{Query: Difference, Tau: 0.05, Queries: 5, Beta: lp("0.05"), Known: Known{Disagreement: 0.1}},
		{Query: Difference, Tau: 0.01, Queries: 3, Beta: lp("1e-4"), Known: Known{Disagreement: 0.02}},
		{Query: Binary, Tau: 0.03, Queries: 4, Beta: lp("0.1"), Known: Known{AtLeast: 0.9}},
		{Query: Bounded, Tau: 0.04, Queries: 4, Beta: lp("0.01"), Known: Known{Variance: 0.05}},
		{Query: Difference, Tau: 0.05, Queries: 4, Beta: lp("0.05"), Shown: Shown{OneSided: true}, Known: Known{Disagreement: 0.1}},
		{Query: Binary, Tau: 0.03, Queries: 3, Beta: lp("0.05"), Shown: Shown{OneSided: true}, Known: Known{AtLeast: 0.9}},
	} {
		a, err := gaussianSchedule.Solve(g)
		if err != nil || a.Status != OK || !a.Mechanism.LowVariance {
			t.Fatalf("%s: %v", told(a), err)
		}
		spent := lnLowVariance(a).Minus(lnBeta(a)).Exp().Float()
		t.Logf("%s: %.6f of beta", told(a), spent)
		if !(spent <= 1 && spent > 0.95) {
			t.Errorf("%s: the errors sum to %g of beta", told(a), spent)
		}
	}
}

func cvarHolds(a Answer) bool {
	unit := unitOf(a)
	spread := spreadOf(a) / unit
	return pageGaussianCVaR(a.Samples, a.Queries, spread, a.Mechanism.Scale/unit, a.Tau/unit, lnBeta(a))
}

func laplaceHolds(a Answer) bool {
	unit := unitOf(a)
	return pageLaplacePlan(a.Samples, a.Queries, spreadOf(a)/unit, a.Mechanism.Scale/unit, a.Tau/unit, lnBeta(a))
}

func isMean(a Answer) bool { return a.Query != Sensitive && a.Query != Minimization }

func jungHolds(a Answer) bool {
	unit := unitOf(a)
	tau := pageGaussianJung20(a.Samples, a.Queries, spreadOf(a)/unit, a.Mechanism.Scale/unit, a.Mechanism.Epsilon,
		isMean(a), lnBeta(a))
	return number(a.Tau).Over(number(unit)).AtLeast(tau)
}

func rogersHolds(a Answer) bool {
	unit := unitOf(a)
	tau := pageGaussianRogers20(a.Samples, a.Queries, a.Mechanism.Scale/unit, lnBeta(a))
	return number(a.Tau).Over(number(unit)).AtLeast(tau)
}

func bassilyHolds(a Answer) bool {
	unit := unitOf(a)
	tau, met := pageGaussianBassily16(a.Samples, a.Queries, spreadOf(a)/unit, a.Mechanism.Scale/unit,
		a.Mechanism.Epsilon, lnBeta(a))
	return met && number(a.Tau).Over(number(unit)).AtLeast(tau)
}

func laplaceJungHolds(a Answer) bool {
	unit := unitOf(a)
	tau := pageLaplaceJung20(a.Samples, a.Queries, spreadOf(a)/unit, a.Mechanism.Scale/unit, isMean(a), lnBeta(a))
	return number(a.Tau).Over(number(unit)).AtLeast(tau)
}

func thresholdoutHolds(a Answer) bool {
	unit, run := unitOf(a), a.Mechanism
	return math.Abs(run.Threshold/a.TauAchieved-0.75) < 1e-15 &&
		pageThresholdout(a.Samples, a.Queries, a.Budget, run.Scale/unit, a.TauAchieved/unit, lnBeta(a))
}

// touchingGoal is a random goal for a method, with the ends of its domains and the pairs that touch among them.
func touchingGoal(r *rand.Rand, m Method) Goal {
	logUniform := func(lo, hi float64) float64 { return math.Exp(math.Log(lo) + r.Float64()*math.Log(hi/lo)) }
	kind := []Query{Bounded, Binary, Difference, Sensitive, Minimization}[r.IntN(5)]
	g := Goal{Queries: int64(logUniform(1, 400)), Tau: logUniform(0.04, 0.999), Query: kind,
		Beta: theory.LogProb(-logUniform(1e-2, 100))}
	switch r.IntN(6) {
	case 0:
		g.Queries = 1
	case 1:
		g.Queries = 2
	}
	if kind == Sensitive || kind == Minimization {
		g.Sensitivity = logUniform(0.1, 10)
	}
	g.Tau *= g.Spread()
	if r.IntN(8) == 0 {
		g.Tau = g.Spread() / 2
	}
	if r.IntN(8) == 0 {
		g.Beta = theory.LogProb(-math.Log(float64(g.Queries + 1))) // N^-1
	}
	g.OneSided, g.Open = r.IntN(2) == 0, m.IsOpen()
	shown := []Feedback{}
	for f := Answers; f <= Final; f++ {
		if m.Serves(f) && (m.Feedbacks != nil || f == Answers || r.IntN(10) == 0) {
			shown = append(shown, f)
		}
	}
	g.Feedback = shown[r.IntN(len(shown))]
	if kind == Difference && r.IntN(3) > 0 {
		g.Disagreement = min(1, logUniform(0.02, 1.5))
		switch r.IntN(4) {
		case 0:
			g.Disagreement = min(1, g.Tau)
		case 1:
			g.Checked = r.IntN(3) == 0
		}
	}
	switch g.Feedback {
	case Answers:
		if m.NeedsBudget() {
			g.Budget = []int64{1, g.Queries, 1 + r.Int64N(g.Queries)}[r.IntN(3)]
		}
		if m.NeedsTranscripts() {
			g.Transcripts = max(float64(g.Queries), math.Floor(logUniform(1, 1e12)))
		}
		if kind == Binary && r.IntN(8) == 0 {
			g.PastLooks = 1 + r.Int64N(2)
		}
		if r.IntN(3) == 0 {
			switch kind {
			case Binary:
				g.AtLeast = 1 - logUniform(0.01, 0.499)
			case Bounded:
				g.Variance = min(0.25, logUniform(0.003, 0.3))
			}
		}
	case Gate:
		g.Passes = []int64{0, 1, g.Queries, 1 + r.Int64N(g.Queries)}[r.IntN(4)]
		if mean := kind != Sensitive && kind != Minimization; mean && r.IntN(4) > 0 {
			low, d := 0.0, 1.0
			if kind == Difference {
				low = -1
				if g.Disagreement > 0 {
					d = g.Disagreement
				}
			}
			high := 1 - g.Tau
			bar := low + (high-low)*r.Float64()
			switch r.IntN(10) {
			case 0:
				bar = 0
			case 1:
				bar = logUniform(1e-12, 1e-3)
			case 2:
				bar = 1 - 2*g.Tau
			case 3:
				bar = math.Nextafter(1-2*g.Tau, 1)
			case 4:
				bar = -d
			case 5:
				bar = -d - logUniform(1e-9, 0.1)
			case 6:
				bar = d - 2*g.Tau
			case 7:
				bar = math.Nextafter(high, low)
			}
			if bar = max(bar, low); bar < high {
				g.Bar = Some(bar)
			}
		}
	case Best:
		g.Floor = max(0, (1-2*g.Tau)*r.Float64())
		switch r.IntN(5) {
		case 0:
			g.Floor = 0
		case 1:
			g.Floor = max(0, math.Nextafter(1-2*g.Tau, 0))
		case 2:
			g.Floor = max(0, 1-2*g.Tau)
		}
	case Flags:
		g.Budget = []int64{1, min(g.Queries, 30), 1 + r.Int64N(min(g.Queries, 30))}[r.IntN(3)]
		if m.Name == "sparse-validate" {
			switch r.IntN(4) {
			case 0:
				g.Hold = g.Tau * (0.05 + 0.9*r.Float64())
			case 1:
				g.GuessError = Some(g.Tau * 0.9 * r.Float64())
			case 2:
				g.GuessError = Some(0)
			}
		}
	}
	return g
}

// withKnown is a goal of which a variance or a second moment may be known, in every third.
func withKnown(r *rand.Rand, g Goal) Goal {
	v := math.Pow(10, -2.5*r.Float64())
	switch {
	case r.IntN(3) > 0 || g.AtLeast > 0 || g.Variance > 0 || g.Checked:
	case g.Query == Binary:
		g.AtLeast = 1 - 0.499*v
	case g.Query == Bounded:
		g.Variance = 0.25 * v
	case g.Query == Difference && (g.Feedback != Answers || g.Transcripts > 0):
		g.SecondMoment = v
		g.Checked = v > 0.06 && !g.Open && g.Disagreement == 0
	case g.Query == Difference && g.Disagreement == 0:
		g.SecondMoment = v
	}
	return g
}

// Every number of rows of every method satisfies the inequality of its page, and where the page says that it is the
// least, one row fewer does not. A method without an evaluation fails.
func TestCertificatesInDecimals(t *testing.T) {
	for _, m := range Methods() {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			e, ok := evaluations[m.Name]
			if !ok {
				t.Fatal("the method has no evaluation in decimals")
			}
			r, more := named(m.Name), named("known of "+m.Name)
			held, refuted, goals := 0, 0, lawtest.Draws(t, e.goals)
			for tries := 0; held < goals; tries++ {
				if tries > 60*e.goals {
					t.Fatalf("only %d of %d goals were answered", held, goals)
				}
				g := touchingGoal(r, m)
				if !m.Scheduled && m.Name != "gaussian" {
					g = withKnown(more, g)
				}
				if m.IsRedrawn() {
					g.Sample = tail.Subset{Items: 1 + int64(math.Exp(14*more.Float64()))}
				}
				if g.Validate() != nil || !sized(m, g) {
					continue
				}
				a, err := m.Solve(g)
				if err != nil {
					t.Fatalf("%+v: %v", g, err)
				}
				if a.Status != OK || a.Samples > mostRows {
					continue
				}
				held++
				a.Goal = m.Used(a)
				if !e.holds(a) {
					t.Errorf("%s: the inequality does not hold", told(a))
					continue
				}
				step := int64(1)
				if m.Splits {
					step = a.Queries
				}
				if e.least == nil || a.Samples <= step || !e.least(a) {
					continue
				}
				fewer := a
				fewer.Samples -= step
				if refuted++; e.holds(fewer) {
					t.Errorf("%s: it holds with fewer rows too", told(a))
				}
			}
			t.Logf("%d goals, %d with one row fewer", held, refuted)
		})
	}
	for name := range evaluations {
		if _, ok := Lookup(name); !ok {
			t.Errorf("%s has an evaluation and is no method", name)
		}
	}
}

// named is a generator that follows from a name: a new entry of a list leaves what the others draw.
func named(name string) *rand.Rand { return rand.New(rand.NewChaCha8(sha256.Sum256([]byte(name)))) }

const mostRows = 50_000_000

// sized reports whether a goal is small enough for the digits of a method.
func sized(m Method, g Goal) bool {
	switch m.Name {
	case "gaussian-schedule", "gaussian":
		if moment(g) != nil {
			return g.Queries <= 3
		}
		return g.Queries <= 30
	case "thresholdout":
		return g.Queries <= 30
	case "gaussian-open":
		return g.Queries <= 30 && g.PastLooks == 0
	case "gate": // of counts the least tau may be far below the one asked for, and take long to find
		return !(g.Query == Binary && g.Bar.Given && (g.Beta.Ln() > -0.5 || g.OneSided && g.Bar.Value < 0.01))
	case "rounding-widths", "sparse-validate", "ladder", "laplace", "laplace-jung20":
		return g.Queries <= 100
	}
	return true
}

// told is the goal in short.
func told(a Answer) string {
	unset := regexp.MustCompile(`\w+:(0|false|\{Value:0 Given:false\}|<nil>|\[\])( |\})|LnDelta:1 `)
	shown := func(x any) string { return unset.ReplaceAllString(fmt.Sprintf("%+v", x), "$2") }
	return fmt.Sprintf("%s, run %.250s", shown(a.Goal), shown(a.Mechanism))
}

package holdout

import (
	"math/big"
	"strconv"

	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// gate shows whether the mean over all rows is at least the bar plus tau, or the count at least the plan's.
type gate struct{}

func (gate) run(a transfer.Answer) (theory.Run, error) {
	return theory.Run{PassCount: a.Mechanism.PassCount}, nil
}

func (gate) failure(p *Plan) (theory.LogProb, error) {
	count := p.Mechanism.PassCount
	if err := only(p, theory.Run{PassCount: count}); err != nil {
		return 0, err
	}
	switch counted := p.goal.Query == transfer.Binary && p.goal.Bar.Given; {
	case !counted && count != 0:
		return 0, corrupt("plan.json: got a count that passes, want none without 0/1 queries at a known bar")
	case !counted:
		return byMethod(p)
	case count == 0:
		return 0, corrupt("plan.json: got no count that passes, want one for 0/1 queries at a known bar")
	}
	a := transfer.Answer{Goal: p.goal}
	a.CertifyCount(count)
	return a.Beta, nil
}

func (gate) response(h Past, a *Asked) (response, error) {
	goal, l := h.plan.goal, a.look
	run, err := mechanism.Gate{Queries: goal.Queries, Passes: passes(goal), Margin: goal.Tau}.Start()
	if err != nil {
		return response{}, err
	}
	for _, line := range h.lines {
		if _, err := run.TestCount(one(line.counts(Pass)), 1); err != nil {
			return response{}, err
		}
	}
	passed := false
	switch count := h.plan.Mechanism.PassCount; {
	case l.values.Kind.Pairs:
		passed = atLeast(l.area(), *a.Bar, goal.Tau)
	case count > 0:
		passed = l.sum() >= float64(count)
	default:
		passed = reaches(l.sum(), goal.Samples, *a.Bar, goal.Tau)
	}
	if passed, err = run.TestCount(one(passed), 1); err != nil {
		return response{}, err
	}
	return response{verdict: verdict(passed, Pass, Fail)}, nil
}

// passes is how many passes the plan covers.
func passes(g transfer.Goal) int64 {
	if g.Passes == 0 {
		return g.Queries
	}
	return g.Passes
}

// reaches reports whether sum/n >= bar + tau, of the decimals that bar and tau were typed as: 850 of 1,000 reach
// 0.8 + 0.05, which is above 0.85 in float64.
func reaches(sum float64, n int64, bar, tau float64) bool {
	got := new(big.Rat).SetFloat64(sum)
	return got != nil && atLeast(got.Quo(got, new(big.Rat).SetInt64(n)), bar, tau)
}

func atLeast(mean *big.Rat, bar, tau float64) bool {
	return mean.Cmp(new(big.Rat).Add(typed(bar), typed(tau))) >= 0
}

// typed is the shortest decimal that is read as x.
func typed(x float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	if !ok {
		panic("holdout: a bar that is no number")
	}
	return r
}

package holdout

import (
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// splitting answers a look by the mean over a part of the rows that no other look has touched.
type splitting struct{}

func (splitting) run(a transfer.Answer) (theory.Run, error) { return cut(a.Queries) }

func (splitting) failure(p *Plan) (theory.LogProb, error) {
	m := p.Mechanism
	if err := only(p, theory.Run{Parts: m.Parts, Permutation: m.Permutation}); err != nil {
		return 0, err
	}
	if m.Parts != p.goal.Queries {
		return 0, corrupt("plan.json: got %d parts, want one for each of %d looks", m.Parts, p.goal.Queries)
	}
	if _, err := partOf(p, m.Parts-1); err != nil {
		return 0, err
	}
	return byMethod(p)
}

func (splitting) response(h Past, a *Asked) (response, error) {
	score, err := mean(h.plan, a.look, h.looks)
	if err != nil {
		return response{}, err
	}
	return show(h, a, score)
}

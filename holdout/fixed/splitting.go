package fixed

import (
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// splitting answers a look by the mean over a part of the rows that no other look has touched.
type splitting struct{}

func (splitting) run(a transfer.Answer) (theory.Run, error) { return cut(a.Queries) }

func (splitting) failure(p *rule.Plan) (theory.LogProb, error) {
	m := p.Mechanism
	if err := rejectForeignFields(p, theory.Run{Parts: m.Parts, Permutation: m.Permutation}); err != nil {
		return 0, err
	}
	if m.Parts != p.Goal.Queries {
		return 0, journal.Corrupt("plan.json: got %d parts, want one for each of %d looks", m.Parts, p.Goal.Queries)
	}
	if _, err := Part(p, m.Parts-1); err != nil {
		return 0, err
	}
	return byMethod(p)
}

func (splitting) response(h rule.Past, a *rule.Asked) (rule.Reply, error) {
	score, err := mean(h.Plan, a.Scores, h.Looks)
	if err != nil {
		return rule.Reply{}, err
	}
	return show(h, a, score)
}

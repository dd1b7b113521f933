package fixed

import (
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// sealed shows the means over all rows, of all finalists in one look. The ledger is retired with it.
type sealed struct{}

func (sealed) run(transfer.Answer) (theory.Run, error) { return theory.Run{}, nil }

func (sealed) failure(p *rule.Plan) (theory.LogProb, error) {
	if err := rejectForeignFields(p, theory.Run{}); err != nil {
		return 0, err
	}
	return byMethod(p)
}

func (sealed) response(h rule.Past, a *rule.Asked) (rule.Reply, error) {
	score, err := mean(h.Plan, a.Scores, 0)
	if err != nil {
		return rule.Reply{}, err
	}
	return show(h, a, score)
}

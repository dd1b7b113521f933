package holdout

import "github.com/dpcalc/dpcalc/transfer"

// splitting answers a look by the mean over a part of the rows that no other look has touched.
type splitting struct{}

func (splitting) prepare(a transfer.Answer) (Mechanism, error) { return cut(a.Queries) }

func (splitting) certified(p *Plan, _ transfer.Answer) error {
	if _, err := p.part(p.goal.Queries - 1); err != nil {
		return err
	}
	if p.Mechanism.Parts != p.goal.Queries {
		return differs(p)
	}
	return nil
}

func (splitting) respond(h *history, l look) (response, error) {
	rows, err := h.plan.part(h.looks)
	if err != nil {
		return response{}, err
	}
	return h.show(l.sumOf(rows)/float64(len(rows)), l)
}

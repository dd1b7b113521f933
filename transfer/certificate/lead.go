package certificate

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer"
)

// classes reports whether a plan is about leads of two declared classes on counted rows.
func (p *plan) classes() bool { return p.Decided == transfer.TwoClasses }

// decided is how many of so many rows are decided at most.
func (p *plan) decided(rows int64) int64 {
	share, scale, err := overOne(p.Disagreement)
	if err != nil {
		return rows
	}
	count := new(big.Int).Mul(big.NewInt(rows), big.NewInt(share[0]))
	return count.Quo(count, big.NewInt(scale)).Int64()
}

// leads is the binomial tails of wins among the decided rows.
func (p *plan) leads() error {
	n, m, s, d := p.Samples, p.decided(p.Samples), p.tau, p.one
	if m < 1 {
		return errors.New("the plan has no row on which two models differ")
	}
	if p.Bar.Given {
		return p.leadsAtBar(m)
	}
	wins := plan{Goal: p.Goal, beta: p.beta, level: p.level}
	wins.Samples, wins.tau, wins.scale = m, n*s, 2*m*d
	if err := wins.groups(false); err != nil {
		return err
	}
	p.text.WriteString(wins.text.String())
	p.fill("lead", "decided", m, "one", d)
	return nil
}

// bound is a mean and a count of wins among rows, over twice the rows times one.
type bound struct{ rows, mean, wins int64 }

// winsAt lists the counts of wins that have to be rare on so many rows, in the model's lead and in the incumbent's.
func (p *plan) winsAt(rows int64) (all []bound) {
	d, c, s, m := p.one, p.bar-p.one, p.tau, p.decided(rows)
	for _, r := range []int64{m, m - 1} {
		for _, lead := range [][2]int64{{c, c + s}, {-c - 2*s, -c - s}} {
			if k := (r*d + rows*lead[1] + 2*d - 1) / (2 * d); r > 0 && k <= r && r*d+rows*lead[0] > 0 {
				all = append(all, bound{r, r*d + rows*lead[0], k})
			}
			if p.OneSided {
				break
			}
		}
	}
	return all
}

// ln is ln of the binomial tail.
func (b bound) ln(one int64) float64 {
	return num.Binomial{N: b.rows, P: float64(b.mean) / float64(2*b.rows*one)}.LnAtLeast(b.wins)
}

// leadsAtBar is the tails at a known bar.
func (p *plan) leadsAtBar(m int64) error {
	n, s, d := p.Samples, p.tau, p.one
	for _, b := range p.winsAt(n) {
		if b.ln(d) > p.level.ln() {
			return errors.New("the plan does not rest on binomial tails")
		}
	}
	high, theorem := fmt.Sprintf("(far_above _ (count_truly X Ds (Z.to_nat %d)) (%d / %d))", m, s, d), "gate_bar_lead_plan"
	if p.OneSided {
		high, theorem = "(fun _ => False)", theorem+"_one_side"
	}
	p.fill("lead_bar", "decided", m, "one", d, "bar", p.shownBar(), "passes", p.margin(), "high", high, "theorem", theorem)
	for _, b := range p.winsAt(n - 1) {
		if b.ln(d) > p.level.ln()+1e-9 {
			p.fill("fewer_wins", "n", b.rows, "d", 2*b.rows*d, "p", b.mean, "k", b.wins)
			break
		}
	}
	return nil
}

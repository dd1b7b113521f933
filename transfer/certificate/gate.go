package certificate

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/dpcalc/dpcalc/transfer"
)

// nodes returns how many queries a gate can be asked: C(m-1,0) + ... + C(m-1,min(B,m-1)).
func nodes(queries, passes int64) (*big.Int, error) {
	passes = min(passes, queries-1)
	if passes > 10_000 {
		return nil, errors.New("a file proves gates of at most 10000 passes")
	}
	sum, term := big.NewInt(1), big.NewInt(1)
	for i := range passes {
		term.Mul(term, big.NewInt(queries-1-i)).Quo(term, big.NewInt(i+1))
		sum.Add(sum, term)
	}
	return sum, nil
}

func gate(p *plan) error {
	nodes, err := nodes(p.Queries, p.AllPasses())
	if err != nil {
		return err
	}
	p.level = p.beta.shared(nodes)
	p.fail = p.level
	p.fine()
	p.fill("queries", "nodes", nodes)
	if p.classes() {
		return p.leads()
	}
	switch {
	case p.Bar.Given && p.Query == transfer.Binary:
		return p.countedBar()
	case p.Bar.Given:
		return p.knownBar()
	case p.Query == transfer.Binary:
		return p.countedAny()
	}
	return p.anyBar()
}

// theorem writes the promise of a gate that passes so, by a theorem with numbers beside the plan's.
func (p *plan) theorem(theorem, passes, numbers string) {
	query, mean, low, high := "query", "emp", "(too_low X Ds)", fmt.Sprintf("(too_high X Ds (%d / %d))", p.tau, p.one)
	if p.Query.IsSigned() {
		query, mean, low = "difference", "gain", "(below_bar _ (gain_truth X Ds))"
		high = fmt.Sprintf("(far_above _ (gain_truth X Ds) (%d / %d))", p.tau, p.one)
		theorem = strings.Replace(theorem, "plan", "difference_plan", 1)
	}
	asked, bars, model, given, names := "analyst", " * R", "(fst (analyst v))", "", ""
	if p.Bar.Given {
		asked, bars, model = fmt.Sprintf("(fun v => (analyst v, %s / %d))", p.shownBar(), p.one), "", "(analyst v)"
		if p.OneSided {
			theorem, high = theorem+"_one_side", "(fun _ => False)"
		}
	}
	if p.Query == transfer.Binary {
		given, names = "\n  Hoeffding1956 -> (forall v, zero_one X "+model+") ->", " H Hq"
		numbers += " analyst H Hq"
	}
	p.fill("gate", "query", query, "mean", mean, "low", low, "high", high, "theorem", theorem, "asked", asked, "bars", bars, "given", given,
		"names", names, "passes", passes, "numbers", numbers)
}

// margin is how a gate passes that is above its bar by the margin.
func (p *plan) margin() string { return fmt.Sprintf("t => snd t + %d / %d", p.tau, p.one) }

// shownBar is the bar over one, as Coq reads it among numbers.
func (p *plan) shownBar() string {
	if bar := p.bar + p.one - p.scale; bar < 0 {
		return fmt.Sprintf("(%d)", bar)
	}
	return fmt.Sprint(p.bar + p.one - p.scale)
}

// knownBar is the convex tail at a bar.
func (p *plan) knownBar() error {
	c, s, d := p.bar, p.tau, p.scale
	t, ok := low(p.Samples, c, c+s, d, p.level.ln())
	missed, fits := low(p.Samples, d-c-2*s, d-c-s, d, p.level.ln())
	if !ok || !p.OneSided && !fits {
		return errors.New("the plan does not rest on the convex tail")
	}
	numbers := fmt.Sprintf("%d %s %d %d", p.one, p.shownBar(), s, t)
	if !p.OneSided {
		numbers += fmt.Sprint(" ", missed)
	}
	p.theorem("gate_bar_plan", p.margin(), numbers)
	if !p.writesFewer(c, c+s, d) && !p.OneSided {
		p.writesFewer(d-c-2*s, d-c-s, d)
	}
	return nil
}

// countedBar is the binomial tails at the count that passes.
func (p *plan) countedBar() error {
	if err := p.farCounts(); err != nil {
		return err
	}
	passes, numbers := fmt.Sprintf("_ => INR (Z.to_nat %d) / Tails.n X Ds", p.run.PassCount), fmt.Sprintf("%d %d", p.scale, p.bar)
	if !p.OneSided {
		numbers += fmt.Sprint(" ", p.tau)
	}
	p.theorem("gate_count_plan", passes, numbers+fmt.Sprint(" ", p.run.PassCount))
	if !p.OneSided {
		p.fewerCounts("no_count_valid", "")
	}
	return nil
}

// farCounts refuses plans whose counts are so near to the means that a binomial tail is no bound.
func (p *plan) farCounts() error {
	c, s, d, k := p.bar, p.tau, p.scale, p.run.PassCount
	ones, zeros := big.NewInt(p.Samples), big.NewInt(p.Samples)
	ones.Mul(ones, big.NewInt(c)).Add(ones, big.NewInt(d))
	zeros.Mul(zeros, big.NewInt(d-c-2*s)).Add(zeros, big.NewInt(d))
	far := func(least *big.Int, k, mean int64) bool {
		return mean <= 0 || least.Cmp(new(big.Int).Mul(big.NewInt(k), big.NewInt(d))) <= 0
	}
	if !far(ones, k, c) || !p.OneSided && !far(zeros, p.Samples+1-k, d-c-2*s) {
		return errors.New("the plan has so few rows that it does not rest on binomial tails alone")
	}
	return nil
}

// anyBar is the convex tail of all means.
func (p *plan) anyBar() error {
	factor, err := p.anyMean()
	if err != nil {
		return err
	}
	p.theorem("gate_plan", p.margin(), fmt.Sprintf("%d %d %d cells", p.one, p.tau, factor))
	p.fewerOfAny()
	return nil
}

// countedAny is the binomial tails at all break points.
func (p *plan) countedAny() error {
	if err := p.groups(false); err != nil {
		return err
	}
	p.theorem("gate_any_count_plan", p.margin(), fmt.Sprintf("%d %d groups", p.scale, p.tau))
	p.fewerPoints(false)
	return nil
}

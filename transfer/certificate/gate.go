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
	p.say("(* How many queries could be asked. *)\nTheorem queries : INR (N (Z.to_nat %d) (Z.to_nat %d)) = %v.\n"+
		"Proof. rewrite nodes_N; [f_equal; vm_compute; reflexivity|discriminate|discriminate]. Qed.\n\n",
		p.Queries, p.AllPasses(), nodes)
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

// gateAt is the promise of a gate at a known bar.
func (p *plan) gateAt(passes, hypotheses string) string {
	query, mean, low, high := p.terms()
	if p.OneSided {
		high = "(fun _ => False)"
	}
	return fmt.Sprintf(`Theorem plan (X : Type) (Ds : list (law X)) (analyst : list bool -> %[1]s X) : length Ds = Z.to_nat %[2]d ->%[3]s
  P X Ds (fun S => exists later r v,
    gate_shown _ _ (fun t => %[4]s X Ds (fst t)) (fun %[5]s) (fun v => (analyst v, %[6]s / %[7]d))
      (Z.to_nat %[8]d) (Z.to_nat %[9]d) S = later ++ r :: v /\
    gate_wrong _ %[10]s %[11]s (fun v => (analyst v, %[6]s / %[7]d)) v r) <= %[12]s.
`, query, p.Samples, hypotheses, mean, passes, p.shownBar(), p.one, p.AllPasses(), p.Queries, low, high, p.beta)
}

// terms are what a file calls queries, a query's mean on the sample, and true values at which a pass and a failure are
// wrong.
func (p *plan) terms() (query, mean, low, high string) {
	if p.Query.IsSigned() {
		return "difference", "gain", "(below_bar _ (gain_truth X Ds))", fmt.Sprintf("(far_above _ (gain_truth X Ds) (%d / %d))", p.tau, p.one)
	}
	return "query", "emp", "(too_low X Ds)", fmt.Sprintf("(too_high X Ds (%d / %d))", p.tau, p.one)
}

// named is the name of a theorem, or of the same theorem about differences.
func (p *plan) named(theorem string) string {
	if p.Query.IsSigned() {
		return strings.Replace(theorem, "plan", "difference_plan", 1)
	}
	return theorem
}

// shownBar is the bar over one, as Coq reads it among numbers.
func (p *plan) shownBar() string {
	if bar := p.bar + p.one - p.scale; bar < 0 {
		return fmt.Sprintf("(%d)", bar)
	}
	return fmt.Sprint(p.bar + p.one - p.scale)
}

// gateAny is the promise of a gate at any bars.
func (p *plan) gateAny(hypotheses string) {
	query, mean, low, high := p.terms()
	p.say(`Theorem plan (X : Type) (Ds : list (law X)) (analyst : list bool -> %s X * R) : length Ds = Z.to_nat %d ->%s
  P X Ds (fun S => exists later r v,
    gate_shown _ _ (fun t => %s X Ds (fst t)) (fun t => snd t + %d / %d) analyst (Z.to_nat %d) (Z.to_nat %d) S =
      later ++ r :: v /\
    gate_wrong _ %s %s analyst v r) <= %s.
`, query, p.Samples, hypotheses, mean, p.tau, p.one, p.AllPasses(), p.Queries, low, high, p.beta)
}

// knownBar is the convex tail at a bar.
func (p *plan) knownBar() error {
	c, s, d := p.bar, p.tau, p.scale
	t, ok := low(p.Samples, c, c+s, d, p.level.ln())
	missed, fits := low(p.Samples, d-c-2*s, d-c-s, d, p.level.ln())
	if !ok || !p.OneSided && !fits {
		return errors.New("the plan does not rest on the convex tail")
	}
	p.say("%s", p.gateAt(fmt.Sprintf("t => snd t + %d / %d", s, p.one), ""))
	theorem, last := "gate_bar_plan", fmt.Sprintf(" %d", missed)
	if p.OneSided {
		theorem, last = "gate_bar_plan_one_side", ""
	}
	p.say("Proof.\n  intros rows. apply (%s X Ds %d rows eq_refl fine %d %d %v %v %d %s %d %d%s).\n  "+proof,
		p.named(theorem), p.Samples, p.Queries, p.AllPasses(), p.beta.num, p.beta.over, p.one, p.shownBar(), s, t, last)
	if !p.writesFewer(c, c+s, d) && !p.OneSided {
		p.writesFewer(d-c-2*s, d-c-s, d)
	}
	return nil
}

// countedBar is the binomial tails at the count that passes.
func (p *plan) countedBar() error {
	c, s, d, k := p.bar, p.tau, p.scale, p.run.PassCount
	if err := p.farCounts(); err != nil {
		return err
	}
	p.say("%s", p.gateAt(fmt.Sprintf("_ => INR (Z.to_nat %d) / Tails.n X Ds", k),
		"\n  Hoeffding1956 -> (forall v, zero_one X (analyst v)) ->"))
	theorem, margin := "gate_count_plan", fmt.Sprintf(" %d", s)
	if p.OneSided {
		theorem, margin = "gate_count_plan_one_side", ""
	}
	p.say("Proof.\n  intros rows H Hq. apply (%s X Ds %d rows eq_refl fine %d %d %v %v %d %d%s %d analyst H Hq).\n  "+proof,
		theorem, p.Samples, p.Queries, p.AllPasses(), p.beta.num, p.beta.over, d, c, margin, k)
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
	factor, list, err := p.anyMean()
	if err != nil {
		return err
	}
	p.say("(* The convex tail, by cells of means: the end of each over %d, and its t. *)\nDefinition cells : list (Z * Z) := [%s]%%Z.\n\n",
		p.scale*factor, list)
	p.gateAny("")
	p.say("Proof.\n  intros rows. apply (%s X Ds %d rows eq_refl fine %d %d %v %v %d %d %d cells).\n  "+proof,
		p.named("gate_plan"), p.Samples, p.Queries, p.AllPasses(), p.beta.num, p.beta.over, p.one, p.tau, factor)
	p.fewerOfAny()
	return nil
}

// countedAny is the binomial tails at all break points.
func (p *plan) countedAny() error {
	list, err := p.groups(false)
	if err != nil {
		return err
	}
	p.say("(* The binomial tails, by groups of break points: the last of each. *)\nDefinition groups : list Z := [%s]%%Z.\n\n", list)
	p.gateAny("\n  Hoeffding1956 -> (forall v, zero_one X (fst (analyst v))) ->")
	p.say("Proof.\n  intros rows H Hq. apply (gate_any_count_plan X Ds %d rows eq_refl fine %d %d %v %v %d %d groups analyst H Hq).\n  "+
		proof, p.Samples, p.Queries, p.AllPasses(), p.beta.num, p.beta.over, p.scale, p.tau)
	p.fewerZeros()
	return nil
}

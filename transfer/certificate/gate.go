package certificate

import (
	"errors"
	"fmt"
	"math/big"

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
	high := fmt.Sprintf("(too_high X Ds (%d / %d))", p.tau, p.scale)
	if p.OneSided {
		high = "(fun _ => False)"
	}
	return fmt.Sprintf(`Theorem plan (X : Type) (Ds : list (law X)) (analyst : list bool -> query X) : length Ds = Z.to_nat %[1]d ->%[2]s
  P X Ds (fun S => exists later r v,
    gate_shown _ _ (fun t => emp X Ds (fst t)) (fun %[3]s) (fun v => (analyst v, %[4]d / %[5]d))
      (Z.to_nat %[6]d) (Z.to_nat %[7]d) S = later ++ r :: v /\
    gate_wrong _ (too_low X Ds) %[8]s (fun v => (analyst v, %[4]d / %[5]d)) v r) <= %[9]s.
`, p.Samples, hypotheses, passes, p.bar, p.scale, p.AllPasses(), p.Queries, high, p.beta)
}

// knownBar is the convex tail at a bar.
func (p *plan) knownBar() error {
	c, s, d := p.bar, p.tau, p.scale
	t, ok := low(p.Samples, c, c+s, d, p.level.ln())
	missed, fits := low(p.Samples, d-c-2*s, d-c-s, d, p.level.ln())
	if !ok || !p.OneSided && !fits {
		return errors.New("the plan does not rest on the convex tail")
	}
	p.say("%s", p.gateAt(fmt.Sprintf("t => snd t + %d / %d", s, d), ""))
	theorem, last := "gate_bar_plan", fmt.Sprintf(" %d", missed)
	if p.OneSided {
		theorem, last = "gate_bar_plan_one_side", ""
	}
	p.say("Proof.\n  intros rows. apply (%s X Ds %d rows eq_refl fine %d %d %v %v %d %d %d %d%s).\n  "+proof,
		theorem, p.Samples, p.Queries, p.AllPasses(), p.beta.num, p.beta.over, d, c, s, t, last)
	if !p.writesFewer(c, c+s, d) && !p.OneSided {
		p.writesFewer(d-c-2*s, d-c-s, d)
	}
	return nil
}

// countedBar is the binomial tails at the count that passes.
func (p *plan) countedBar() error {
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
	p.say("%s", p.gateAt(fmt.Sprintf("_ => INR (Z.to_nat %d) / Tails.n X Ds", k),
		"\n  Hoeffding1956 -> (forall v, zero_one X (analyst v)) ->"))
	theorem, margin := "gate_count_plan", fmt.Sprintf(" %d", s)
	if p.OneSided {
		theorem, margin = "gate_count_plan_one_side", ""
	}
	p.say("Proof.\n  intros rows H Hq. apply (%s X Ds %d rows eq_refl fine %d %d %v %v %d %d%s %d analyst H Hq).\n  "+proof,
		theorem, p.Samples, p.Queries, p.AllPasses(), p.beta.num, p.beta.over, d, c, margin, k)
	if !p.OneSided {
		p.fewerCounts()
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
	p.say(`Theorem plan (X : Type) (Ds : list (law X)) (analyst : list bool -> query X * R) : length Ds = Z.to_nat %d ->
  P X Ds (fun S => exists later r v,
    Gate.transcript _ _ (emp X Ds) (%d / %d) analyst (Z.to_nat %d) (Z.to_nat %d) S = later ++ r :: v /\
    Gate.wrong _ (pop X Ds) (%[2]d / %[3]d) analyst v r) <= %[6]s.
`, p.Samples, p.tau, p.scale, p.AllPasses(), p.Queries, p.beta)
	p.say("Proof.\n  intros rows. apply (gate_plan X Ds %d rows eq_refl fine %d %d %v %v %d %d %d cells).\n  "+proof,
		p.Samples, p.Queries, p.AllPasses(), p.beta.num, p.beta.over, p.scale, p.tau, factor)
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
	p.say(`Theorem plan (X : Type) (Ds : list (law X)) (analyst : list bool -> query X * R) : length Ds = Z.to_nat %d ->
  Hoeffding1956 -> (forall v, zero_one X (fst (analyst v))) ->
  P X Ds (fun S => exists later r v,
    gate_shown _ _ (fun t => emp X Ds (fst t)) (fun t => snd t + %d / %d) analyst (Z.to_nat %d) (Z.to_nat %d) S =
      later ++ r :: v /\
    gate_wrong _ (too_low X Ds) (too_high X Ds (%[2]d / %[3]d)) analyst v r) <= %[6]s.
`, p.Samples, p.tau, p.scale, p.AllPasses(), p.Queries, p.beta)
	p.say("Proof.\n  intros rows H Hq. apply (gate_any_count_plan X Ds %d rows eq_refl fine %d %d %v %v %d %d groups analyst H Hq).\n  "+
		proof, p.Samples, p.Queries, p.AllPasses(), p.beta.num, p.beta.over, p.scale, p.tau)
	p.fewerZeros()
	return nil
}

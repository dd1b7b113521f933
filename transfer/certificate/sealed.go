package certificate

import (
	"fmt"
	"math/big"

	"github.com/dpcalc/dpcalc/transfer"
)

func sealed(p *plan) error {
	if p.Query == transfer.Binary {
		return p.sealedCounts()
	}
	sides := int64(2)
	if p.OneSided {
		sides = 1
	}
	p.level = p.beta.shared(big.NewInt(p.Queries * sides))
	p.fine()
	factor, list, err := p.anyMean()
	if err != nil {
		return err
	}
	theorem := "sealed_plan"
	if p.OneSided {
		theorem = "sealed_plan_one_side"
	}
	p.say("(* The convex tail, by cells of means: the end of each over %d, and its t. *)\nDefinition cells : list (Z * Z) := [%s]%%Z.\n\n",
		p.scale*factor, list)
	p.sealedTheorem("")
	p.say("Proof.\n  intros rows all. apply (%s X Ds %d rows eq_refl fine %d %v %v %d %d %d cells finalists all).\n  "+proof,
		theorem, p.Samples, p.Queries, p.beta.num, p.beta.over, p.scale, p.tau, factor)
	p.fewerOfAny()
	return nil
}

// sealedTheorem is the promise of a plan for finalists.
func (p *plan) sealedTheorem(hypotheses string) {
	off := "Rabs (emp X Ds q S - pop X Ds q)"
	if p.OneSided {
		off = "emp X Ds q S - pop X Ds q"
	}
	p.say(`Theorem plan (X : Type) (Ds : list (law X)) (finalists : list (query X)) : length Ds = Z.to_nat %d ->%s
  length finalists = Z.to_nat %d ->
  P X Ds (fun S => exists q, In q finalists /\ %s >= %d / %d) <= %s.
`, p.Samples, hypotheses, p.Queries, off, p.tau, p.scale, p.beta)
}

// sealedCounts is the binomial tails at all break points.
func (p *plan) sealedCounts() error {
	p.level = p.beta.shared(big.NewInt(p.Queries))
	p.fine()
	list, err := p.groups(!p.OneSided)
	if err != nil {
		return err
	}
	kind, theorem, factor := "Z * Z", "sealed_count_plan", fmt.Sprintf(" %d", shares)
	if p.OneSided {
		kind, theorem, factor = "Z", "sealed_count_plan_one_side", ""
	}
	p.say("(* The binomial tails, by groups of break points: the last of each%s. *)\nDefinition groups : list (%s) := [%s]%%Z.\n\n",
		map[bool]string{false: fmt.Sprintf(", and the share for few ones, of %v", new(big.Int).Mul(p.beta.num, big.NewInt(shares)))}[p.OneSided],
		kind, list)
	p.sealedTheorem("\n  Hoeffding1956 -> (forall q, In q finalists -> zero_one X q) ->")
	p.say("Proof.\n  intros rows H Hq all. apply (%s X Ds %d rows eq_refl fine %d %v %v%s %d %d groups finalists H Hq all).\n  "+proof,
		theorem, p.Samples, p.Queries, p.beta.num, p.beta.over, factor, p.scale, p.tau)
	if p.OneSided {
		p.fewerZeros()
	} else {
		p.fewerBoth()
	}
	return nil
}

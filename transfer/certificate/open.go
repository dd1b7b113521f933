package certificate

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer"
)

// mostLooks is up to which look a file has an open plan: the levels of later ones are long fractions.
const mostLooks = 100

// left is what beta leaves after so many passes and failures, by the code Beta(1/2, 2).
func (f fraction) left(passes, failures int64) fraction {
	r := big.NewRat(1, 1)
	for i := range passes {
		r.Mul(r, big.NewRat(1+2*i, 5+2*i))
	}
	for i := range failures {
		r.Mul(r, big.NewRat(4+2*i, 5+2*(passes+i)))
	}
	r.Mul(r, new(big.Rat).SetFrac(f.num, f.over))
	return fraction{r.Num(), r.Denom()}
}

func openGate(p *plan) error {
	k, m := p.Rare(), p.Queries
	if m > mostLooks {
		return fmt.Errorf("a file proves open plans of look %d at most", mostLooks)
	}
	p.level, p.fail = p.beta.left(k, m-k), p.beta.left(k-1, m-k+1)
	switch {
	case !p.Bar.Given:
		return p.openAny()
	case p.Query == transfer.Binary:
		p.fine()
		return p.openCounts()
	}
	p.fine()
	return p.openBar()
}

// openAt is the promise of an open gate with a threshold at a bar.
func (p *plan) openAt(of, hypotheses, threshold, bar string) {
	k, m := p.Rare(), p.Queries
	p.say(`(* Look %[1]d is pass %[2]d if it passes. All looks have its level, until %[2]d passed or %[3]d failed. *)
Theorem plan (X : Type) (Ds : list (law X)) (ask : list bool -> query X)%[4]s : length Ds = Z.to_nat %[5]d ->%[6]s
  P X Ds (fun S => exists later r v,
    answered X Ds ask %[7]s (Z.to_nat %[2]d) (Z.to_nat %[3]d) (Z.to_nat %[1]d) S = later ++ r :: v /\
    mistaken X Ds ask %[8]s (2 * (%[9]d / %[10]d)) v r) <= %[11]s.
`, m, k, m-k+1, of, p.Samples, hypotheses, threshold, bar, p.tau, p.scale, p.beta)
}

// constant is a function with one value, over scale.
func (p *plan) constant(value int64) string { return fmt.Sprintf("(fun _ => %d / %d)", value, p.scale) }

// openBar is the convex tails at a bar, of a short threshold.
func (p *plan) openBar() error {
	for ; ; p.tau, p.bar, p.scale = 10*p.tau, 10*p.bar, 10*p.scale {
		if p.scale > 1e15 {
			return errors.New("the plan does not rest on the convex tail")
		}
		c, s, d := p.bar, p.tau, p.scale
		x := int64(math.Ceil(p.run.PassAt.Value * float64(d)))
		t, ok := low(p.Samples, c, x, d, p.level.ln())
		missed, fits := low(p.Samples, d-c-2*s, d-x, d, p.fail.ln())
		if !ok || !fits {
			continue
		}
		p.openAt("", "", p.constant(x), p.constant(c))
		p.say("Proof.\n  intros rows. apply (open_bar_plan X Ds %d rows eq_refl fine %d %d %v %v %d %d %d %d %d %d).\n  "+proof,
			p.Samples, p.Queries, p.Rare(), p.beta.num, p.beta.over, d, c, s, x, t, missed)
		p.fewerThresholds(x)
		return nil
	}
}

// fewerThresholds writes that with one row fewer no threshold has both errors rare enough, if so.
func (p *plan) fewerThresholds(x int64) {
	for p.scale < 1e12 {
		p.tau, p.bar, p.scale = 10*p.tau, 10*p.bar, 10*p.scale
	}
	n, c, s, d := p.Samples-1, p.bar, p.tau, p.scale
	if n < 1 || c <= 0 || d-c-2*s <= 0 {
		return
	}
	passes := func(x int64) bool { _, ln := hinge(n, c, x, d); return ln <= p.level.ln() }
	fails := func(x int64) bool { _, ln := hinge(n, d-c-2*s, d-x, d); return ln <= p.fail.ln() }
	first := num.Ints{Lo: c + 1, Hi: c + 2*s - 1, Guess: x}.Least(func(x int64) bool { return x == c+2*s-1 || passes(x) })
	last := num.Ints{Lo: c + 1, Hi: c + 2*s - 1, Guess: x}.Greatest(func(x int64) bool { return x == c+1 || fails(x) })
	if last >= first {
		return
	}
	x = last + (first-last)/2
	bits, width := p.precision()
	p.say("(* With one row fewer no threshold has both errors rare enough. *)\nTheorem one_row_fewer : forall y t t', "+
		"INR t < %d * y -> INR t' < %d * (1 - y) ->\n  %s < convex_tail (Z.to_nat %d) (%d / %d) y t \\/\n"+
		"  %s < convex_tail (Z.to_nat %d) (%d / %d) (1 - y) t'.\n", n, n, p.level, n, c, d, p.fail, n, d-c-2*s, d)
	p.say("Proof. apply (no_threshold_valid {| bits := %d; width := %d |} %d %v %v %v %v %d %d %d %d). "+proof,
		bits, width, n, p.level.num, p.level.over, p.fail.num, p.fail.over, d, c, s, x)
}

// openCounts is the binomial tails at the count that passes.
func (p *plan) openCounts() error {
	if err := p.farCounts(); err != nil {
		return err
	}
	p.openAt("", "\n  Hoeffding1956 -> (forall v, zero_one X (ask v)) ->",
		fmt.Sprintf("(fun _ => INR (Z.to_nat %d) / Tails.n X Ds)", p.run.PassCount), p.constant(p.bar))
	p.say("Proof.\n  intros rows H Hq. apply (open_count_plan X Ds %d rows eq_refl fine %d %d %v %v %d %d %d %d ask H Hq).\n  "+proof,
		p.Samples, p.Queries, p.Rare(), p.beta.num, p.beta.over, p.scale, p.bar, p.tau, p.run.PassCount)
	p.fewerCounts("no_counts_valid", fmt.Sprintf(" %v %v", p.fail.num, p.fail.over))
	return nil
}

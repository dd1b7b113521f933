package certificate

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// mostLooks is up to which look a file has an open plan: the levels of later ones are long fractions.
const mostLooks = 100

// left is what beta leaves after so many passes and failures, by the code Beta(1/2, 2).
func (f fraction) left(passes, failures int64) fraction {
	r := new(big.Rat).SetFrac(f.num, f.over)
	for i := range passes {
		r.Mul(r, big.NewRat(1+2*i, 5+2*i))
	}
	for i := range failures {
		r.Mul(r, big.NewRat(4+2*i, 5+2*(passes+i)))
	}
	return fraction{r.Num(), r.Denom()}
}

// openGate is the tails at the look with a number, if it is the pass with a number.
func openGate(p *plan) (text string, err error) {
	k, m, err := p.look()
	if err != nil {
		return "", err
	}
	p.level, p.fail = p.beta.left(k, m-k), p.beta.left(k-1, m-k+1)
	return "open", p.tails()
}

// look returns that look m is the rarer one k, if it is rare.
func (p *plan) look() (k, m int64, err error) {
	k, m = p.Rare(), p.Queries
	if m > mostLooks {
		return 0, 0, fmt.Errorf("a file proves open plans of look %d at most", mostLooks)
	}
	p.values["K"], p.values["L"] = k, m-k+1
	return k, m, nil
}

// openBoard is the widest intervals of a board that look m keeps, and of one that it raises by one step.
func openBoard(p *plan) (text string, err error) {
	k, m, err := p.look()
	if err != nil {
		return "", err
	}
	ints, over := overOne(p.Tau, min(transfer.UsualStep, p.Tau/2))
	p.tau, p.scale = ints[0].Int64(), over.Int64()
	gap, width := ints[1].Int64(), 2*p.tau
	halves := new(big.Int).Lsh(big.NewInt(1), uint(k-1)) // each raise before left half of its share
	left := func(raises, keeps int64) fraction { return p.beta.left(raises, keeps).shared(halves) }
	kept, raised := left(k-1, m-k+1), left(k, m-k)
	p.level = left(k-1, m-k)
	high := new(big.Rat).SetFrac(raised.num, new(big.Int).Lsh(raised.over, 1))
	high.Add(high, new(big.Rat).SetFrac(kept.num, kept.over))
	looks := [][2]fraction{{p.level, kept}, {raised, {high.Num(), high.Denom()}}}
	worst, most, tails := looks[0], 0.0, open.Unit{Rows: float64(p.Samples)}
	for i, name := range []string{"keeping", "raising"} {
		l := looks[i]
		if err := p.planes(name, l[0], l[1], gap, width); err != nil {
			return "", err
		}
		if w := tails.Widest(l[0].ln(), l[1].ln(), float64(gap)/float64(p.scale)); w > most {
			worst, most = l, w
		}
	}
	p.tooWide(worst[0], worst[1], gap, width)
	p.values["step"] = gap
	return "open_board", nil
}

// interval is the widest interval between the ends of the relative entropy.
func (p *plan) interval() error {
	if p.tau*2 >= p.scale {
		return errors.New("the plan is vacuous: twice tau is at least 1")
	}
	err := p.planes("both", p.level, p.fail, 0, 2*p.tau)
	p.tooWide(p.level, p.fail, 0, 2*p.tau)
	return err
}

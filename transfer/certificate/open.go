package certificate

import (
	"errors"
	"fmt"
	"math/big"
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
	k, m := p.Rare(), p.Queries
	if m > mostLooks {
		return "", fmt.Errorf("a file proves open plans of look %d at most", mostLooks)
	}
	p.level, p.fail = p.beta.left(k, m-k), p.beta.left(k-1, m-k+1)
	p.values["K"], p.values["L"] = k, m-k+1
	return "open", p.tails()
}

// interval is the widest interval between the ends of the relative entropy.
func (p *plan) interval() error {
	if p.tau*2 >= p.scale {
		return errors.New("the plan says nothing")
	}
	err := p.planes("both", p.level, p.fail, 0, 2*p.tau)
	p.tooWide(p.level, p.fail, 0, 2*p.tau)
	return err
}

package certificate

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/dpcalc/dpcalc/transfer"
)

// sealed is a tail of each finalist, on one side or both.
func sealed(p *plan) error {
	factor, list, err := p.finalists()
	if err != nil {
		return err
	}
	theorem, numbers := "sealed_plan", fmt.Sprintf("%d %d %d %s", p.scale, p.tau, factor, list)
	off, given, names := "Rabs (emp X Ds q S - pop X Ds q)", "", ""
	if p.Query == transfer.Binary {
		theorem, numbers = "sealed_count_plan", fmt.Sprintf("%d %d %d %s", factor, p.scale, p.tau, list)
		given, names = "\n  Hoeffding1956 -> (forall q, In q finalists -> zero_one X q) ->", " H Hq"
	}
	if p.OneSided {
		off, theorem = "emp X Ds q S - pop X Ds q", theorem+"_one_side"
		numbers = strings.TrimPrefix(numbers, fmt.Sprint(int64(shares), " ")) // no side has a share
	}
	p.fill("sealed", "theorem", theorem, "numbers", numbers, "off", off, "given", given, "names", names)
	p.fewerFinalists()
	return nil
}

// finalists writes what bounds the tails of finalists, and returns the factor and the name of the list.
func (p *plan) finalists() (factor int64, list string, err error) {
	if p.Query == transfer.Binary {
		p.level = p.beta.shared(big.NewInt(p.Queries))
		p.fine()
		return shares, "groups", p.groups(!p.OneSided)
	}
	sides := int64(2)
	if p.OneSided {
		sides = 1
	}
	p.level = p.beta.shared(big.NewInt(p.Queries * sides))
	p.fine()
	factor, err = p.anyMean()
	return factor, "cells", err
}

// fewerFinalists writes that one row fewer is too few, if so.
func (p *plan) fewerFinalists() {
	if p.Query == transfer.Binary {
		p.fewerPoints(!p.OneSided)
	} else {
		p.fewerOfAny()
	}
}

package pvalue

import (
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Family is a step that makes several p-values valid together, to be taken on the
// adjusted values: a correction protects the one selected test.
type Family string

// Bonferroni and Holm bound the probability of any false rejection, whatever the
// dependence; Holm rejects whatever Bonferroni does. The other two bound the expected
// share of false rejections among all: Benjamini and Hochberg's under independence or
// positive regression dependence, Benjamini and Yekutieli's always.
const (
	NoFamily           Family = "none"
	Bonferroni         Family = "bonferroni"
	Holm               Family = "holm"
	BenjaminiHochberg  Family = "bh"
	BenjaminiYekutieli Family = "by"
)

// Families lists the steps in printing order.
func Families() []Family {
	return []Family{NoFamily, Bonferroni, Holm, BenjaminiHochberg, BenjaminiYekutieli}
}

// Adjust replaces m p-values by adjusted ones: a test is rejected at level alpha if
// its adjusted value is at most alpha. With p_(1) <= ... <= p_(m) and H_m = 1 + 1/2 +
// ... + 1/m, all at most 1 and rounded up,
//
//	bonferroni  m p
//	holm        max_(j<=i) (m-j+1) p_(j)
//	bh          min_(j>=i) (m/j) p_(j)
//	by          min_(j>=i) H_m (m/j) p_(j)
//
// It reports a DomainError for a p that is no probability and an unknown family.
func (f Family) Adjust(p []theory.LogProb) error {
	if err := theory.Domain(slices.Contains(Families(), f), "family", string(f),
		"none, bonferroni, holm, bh or by"); err != nil {
		return err
	}
	for _, x := range p {
		if err := theory.Domain(x.IsValid(), "p", x, "a probability in [0, 1]"); err != nil {
			return err
		}
	}
	m := len(p)
	times := func(x theory.LogProb, factor float64) theory.LogProb {
		if factor == 1 {
			return x
		}
		return theory.LogProb(min(0, upwards(x.Ln()+num.Log(factor))))
	}
	switch f {
	case NoFamily:
		return nil
	case Bonferroni:
		for i, x := range p {
			p[i] = times(x, float64(m))
		}
		return nil
	}
	order := make([]int32, m)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	if f == Holm {
		most := theory.Zero
		for rank, i := range order {
			most = max(most, times(p[i], float64(m-rank)))
			p[i] = most
		}
		return nil
	}
	harmonic := 1.0
	if f == BenjaminiYekutieli {
		harmonic = 0
		for j := m; j >= 1; j-- {
			harmonic += 1 / float64(j)
		}
	}
	least := theory.LogProb(0)
	for rank, i := range slices.Backward(order) {
		least = min(least, times(p[i], harmonic*float64(m)/float64(rank+1)))
		p[i] = least
	}
	return nil
}

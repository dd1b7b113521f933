package transfer

import (
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/thresholdout"
)

// theorem33 returns the parameters that Theorem 3.3 passes to n0 and n1: sigma =
// tau/(96 ln(4m/beta)), accuracy tau/8 and failure probability beta/(2m).
func theorem33(g Goal) thresholdout.Requirement {
	return thresholdout.Requirement{
		Budget: num.FromInt(g.Budget),
		Sigma:  sigma33(g),
		Tau:    num.FromFloat(g.Tau / 8),
		Level:  func(c float64) num.DD { return lnOver(2*c, g) },
	}
}

func sigma33(g Goal) num.DD { return num.FromFloat(g.Tau).Div(lnOver(4, g).MulFloat(96)) }

// thresholdoutRule is Theorem 3.3 with one of its two requirements or the lesser
// of them.
func thresholdoutRule(need func(thresholdout.Requirement) num.DD) closed {
	return closed{
		domain:   domain{kinds: linear, needs: budgetNeeds},
		budgeted: true,
		need:     func(g Goal) num.DD { return need(theorem33(g)) },
		run: func(g Goal) Mechanism {
			return Mechanism{Noise: theory.LaplaceNoise, Scale: sigma33(g).Float(), Threshold: 0.75 * g.Tau}
		},
	}
}

func budgetGiven(g Goal) error {
	if g.Budget == 0 {
		return needs("a budget")
	}
	return nil
}

// budgetNeeds is Theorem 3.3's B <= m.
func budgetNeeds(g Goal) error {
	if err := budgetGiven(g); err != nil {
		return err
	}
	if g.Queries > 0 && g.Budget > g.Queries {
		return needs("a budget of at most the number of queries")
	}
	return nil
}

// lesserRequirement is the lesser of n0 and n1.
func lesserRequirement(r thresholdout.Requirement) num.DD {
	n0, n1 := r.N0(), r.N1()
	if n0.Cmp(n1) <= 0 {
		return n0
	}
	return n1
}

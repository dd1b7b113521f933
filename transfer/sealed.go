package transfer

import (
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

var sealed = Method{
	Name:      "sealed",
	Summary:   "the finalists are scored once, together, on rows that nobody has looked at",
	Formula:   "as hoeffding-kl for m finalists, or with the convex tail: 2m max_p min over whole t < n(p+tau) of E(Bin(n,p)-t)_+/(n(p+tau)-t) <= beta; as binomial for 0/1 queries; McDiarmid for functions of sensitivity D/n",
	Practice:  "Look at other rows as you like and choose m finalists. Score all of them on the sealed rows in one go, show the scores, and never use these rows again.",
	Uses:      []string{disagreementFlag, varianceFlag, atLeastFlag, secondMomentFlag},
	Proof:     Published,
	Adaptive:  true,
	OneSided:  true,
	Feedbacks: []Feedback{Final},
	Sources: []theory.Source{source("hoeffding63", "Theorem 1"), source("chen11", ""), source("zubkov13", "Theorem 1"),
		source("mcdiarmid89", ""), source("bentkus04", "")},
	Tails:    differences,
	Assumes:  []string{independent},
	theorems: theorems{rule: sealedRule, drawn: sealedRule},
}

var sealedRule = func() solver.Union {
	u := solver.PerQuery(goal.AllKinds, solver.OneLook{Exact: true, Convex: true})
	u.Run = transcriptsRule.Run
	return u
}()

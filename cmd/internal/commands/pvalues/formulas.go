package pvalues

import (
	"github.com/dpcalc/dpcalc/cmd/internal/commands/live"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/steps"
	"github.com/dpcalc/dpcalc/cmd/internal/expr"
)

// The live thresholds of a workbook. A threshold is never above what dpcalc computes
// and an adjusted p-value never below: logarithms are moved by 1e-12 of their size and
// 1e-12 more, which exceeds what dpcalc moves them by and the rounding errors of a
// spreadsheet.

const (
	noThreshold = "no threshold above zero" // at any p
	belowCell   = "below 1e-307"            // what no cell holds as a number
	belowLn     = "below -706"              // its logarithm, where it cannot be computed
	onlyDpcalc  = "only by dpcalc"          // what has no explicit formula
	mayBeMore   = "formula; dpcalc may allow more"
)

var (
	zero, one, two, eight = expr.N(0), expr.N(1), expr.N(2), expr.N(8)

	samples = expr.Cell("samples")

	// Cells that follow from the inputs: ln(1/alpha), and ln p, neither of them below its value, nor a number where
	// there is none.
	level, lnP = expr.Cell("ln_inv_level"), expr.Cell("ln_p")
)

// liveChance is a probability in formulas: its logarithm, and itself where float64 holds it,
// which may be zero. Its zero value is the probability zero.
type liveChance struct{ ln, value expr.X }

// times is e^shift times the probability, at most 1 and not below it.
func (t liveChance) times(shift expr.X) expr.X {
	if t.ln.None() {
		return zero
	}
	ln := t.ln.Plus(shift).Times(expr.N(1 - 1e-12)).Plus(expr.N(1e-12).Times(one.Plus(expr.Abs(shift))))
	text := expr.Exp(expr.Min(zero, ln))
	if t.value.None() {
		return text
	}
	return expr.If(t.value.Is(zero), zero, text)
}

// taken is ln(1/(e^(-level)-t)), not below it, and an error where that is nothing.
func (t liveChance) taken(level expr.X) expr.X {
	if t.ln.None() {
		return level
	}
	return level.Minus(expr.Ln(expr.N(1 - 1e-15).Minus(t.times(level))))
}

// amounts are the formulas of a step, and its defect.
type amounts struct {
	steps.Formulas
	defect liveChance // its delta or slack
}

// liveRule is a theorem about a step as formulas. On the level ln(1/alpha) that the defect leaves, threshold is ln
// gamma; worst is the logarithm of the least alpha, less the defect, none if it has none.
type liveRule struct {
	defect    liveChance
	threshold func(level expr.X) expr.X
	worst     expr.X
	least     expr.X // the condition under which dpcalc may find a greater threshold, none for never

	wide *liveRule // for intervals, nil if it is the same
}

// ln is what a theorem leaves of the level, as a logarithm.
func (r *liveRule) ln() expr.X {
	left := r.defect.taken(level)
	lower := r.threshold(left).Raised(1e-12).Minus(expr.N(1e-12))
	return expr.If(expr.IsNumber(left), expr.IfError(lower, expr.T(belowLn)), expr.T("none"))
}

// oneLessExp is 1 - e^(-x) to a part in 1e12.
func oneLessExp(x expr.X) expr.X {
	series := x
	for k, sign := 2, -1; k <= 5; k, sign = k+1, -sign {
		series = series.Plus(x.To(expr.N(k)).Over(expr.N(sign * []int{2: 2, 3: 6, 4: 24, 5: 120}[k])))
	}
	return expr.If(x.Below(expr.N(0.001)), series, one.Minus(expr.Exp(expr.Neg(x))))
}

// liveRatio is the rule of max-information k.
func liveRatio(k expr.X, defect liveChance) *liveRule {
	return &liveRule{defect: defect, threshold: func(level expr.X) expr.X { return expr.Neg(level).Minus(k) },
		worst: k.Plus(lnP)}
}

// liveRenyi is the rule of Renyi divergences a rho.
func liveRenyi(rho expr.X, defect liveChance) *liveRule {
	root := expr.Sqrt(rho)
	return &liveRule{
		defect:    defect,
		threshold: func(level expr.X) expr.X { return expr.Neg(expr.Sqrt(level).Plus(root).To(two)) },
		worst:     expr.Neg(expr.Max(zero, expr.Sqrt(expr.Neg(lnP)).Minus(root)).To(two)),
	}
}

// rule is the theorem of this name about a step, nil if it has no explicit formulas.
func (a amounts) rule(name string) *liveRule {
	epsilon := a.Epsilon
	private, outside := !epsilon.None(), !a.Outside.None()
	switch information := a.information(); {
	case name == "gates" && !a.Looks.None():
		return a.gate()
	case (name == "bonferroni" || name == "max-info") && outside:
		return liveRatio(a.Outside, a.defect)
	case name == "rogers16" && outside:
		c := two.Times(a.Outside.Plus(expr.N(0.54).Times(expr.Ln(two))))
		return &liveRule{threshold: func(level expr.X) expr.X {
			return expr.Neg(level).Minus(expr.Ln(two)).Minus(c.Times(expr.Exp(level)))
		}}
	case name == "kl" && !information.None():
		return liveKL(information)
	case name == "max-info-any" && private:
		return liveRatio(samples.Times(epsilon), liveChance{})
	case name == "renyi" && private:
		return liveRenyi(samples.Times(epsilon.To(two)).Over(eight), liveChance{})
	case name == "approx-dp" && private:
		defect := a.defect
		if !defect.ln.None() {
			copies := expr.Ln(samples).Plus(expr.Ln(one.Plus(expr.Exp(expr.Neg(epsilon)))))
			defect = liveChance{ln: defect.ln.Plus(copies)}
		}
		return liveRenyi(samples.Times(epsilon).Times(live.TanhOfHalf(epsilon)), defect)
	case name == "approx-dp" && !a.Rho.None():
		return a.concentrated()
	case name == "group" && !a.Rho.None():
		return liveRenyi(samples.To(two).Times(a.Rho), liveChance{})
	case name == "group" && private && !a.defect.ln.None():
		all := samples.Times(epsilon)
		copies := all.Minus(epsilon).Plus(expr.Ln(oneLessExp(all))).Minus(expr.Ln(oneLessExp(epsilon)))
		copies = expr.If(epsilon.Is(zero), expr.Ln(samples), copies)
		return liveRatio(all, liveChance{ln: a.defect.ln.Plus(copies)})
	case name == "group" && !a.Shift.None():
		// The normal law is moved by a part in 1e9. At p below 1e-307 that one serves.
		quantile := func(p expr.X) expr.X { return expr.F("NORMSINV", p) }
		law := func(z expr.X) expr.X { return expr.Ln(expr.F("NORMSDIST", z)) }
		m, loose := expr.Sqrt(a.Shift), expr.N(1e-9)
		apart := func(z expr.X) expr.X { return m.Plus(loose.Times(expr.Abs(z).Plus(m))) }
		z := quantile(expr.Max(expr.N(1e-307), expr.Exp(lnP)))
		return &liveRule{
			threshold: func(level expr.X) expr.X {
				z := quantile(expr.Exp(expr.Neg(level)))
				return law(z.Minus(apart(z)))
			},
			worst: law(z.Plus(apart(z))),
		}
	}
	return nil
}

// information is a bound of the mutual information, none if there is none.
func (a amounts) information() expr.X {
	switch {
	case !a.Outside.None():
		return a.Outside
	case !a.Shift.None():
		return a.Shift.Over(two.Times(samples))
	case !a.Rho.None():
		return samples.Times(a.Rho)
	case !a.Epsilon.None() && a.defect.ln.None():
		return samples.Times(a.Epsilon.To(two)).Over(eight)
	}
	return expr.X{}
}

// liveKL is the rule of mutual information I. Its threshold is the gamma below alpha with d(alpha|gamma) = I for the
// relative entropy d, that is, with L = ln(1/alpha),
//
//	ln gamma = -(I e^L + L + c) + (e^L - 1) ln(1/(1-gamma)),  c = -(e^L - 1) ln(1-alpha) <= 1 - alpha/2.
//
// The right side rises with gamma and ln(1/(1-gamma)) >= gamma, so that a gamma that is not above the threshold gives
// another one. The first is alpha (1 - sqrt(2 I e^L)), as d(alpha|gamma) >= (alpha-gamma)^2/(2 alpha), or 0.
func liveKL(information expr.X) *liveRule {
	return &liveRule{least: expr.True, threshold: func(level expr.X) expr.X {
		odds, alpha := expr.Exp(level), expr.Exp(expr.Neg(level))
		root := expr.Sqrt(two.Times(information).Times(odds))
		c := expr.If(level.Above(expr.N(7)), one.Minus(alpha.Over(two)), one.Minus(odds).Times(expr.Ln(one.Minus(alpha))))
		fixed := information.Times(odds).Plus(level).Plus(c)
		gamma, ln := alpha.Times(expr.Max(zero, one.Minus(root))), expr.X{}
		for range 3 {
			ln = odds.Minus(one).Times(gamma).Minus(fixed)
			gamma = expr.Exp(ln)
		}
		first := expr.Ln(one.Minus(expr.Min(expr.N(0.9), root))).Minus(level)
		return expr.Max(ln, expr.If(root.Below(expr.N(0.9)), first, expr.N(-1e300)))
	}}
}

// concentrated is the rule of zero-concentrated privacy. It is (x, delta)-private for every x >= rho with delta =
// e^(-(x-rho)^2/(4 rho)) (Bun and Steinke 2016). Here a 32nd of alpha goes to the defect 2 n delta; dpcalc takes the
// best x, and a sharper delta.
func (a amounts) concentrated() *liveRule {
	return &liveRule{least: expr.True, threshold: func(level expr.X) expr.X {
		spread := a.Rho.Times(expr.Ln(expr.N(64).Times(samples)).Plus(level))
		x := a.Rho.Plus(two.Times(expr.Sqrt(spread)).Raised(1e-13))
		root := expr.Sqrt(samples.Times(x).Times(live.TanhOfHalf(x)))
		return expr.Neg(expr.Sqrt(level.Minus(expr.Ln(expr.N(31).Over(expr.N(32))))).Plus(root).To(two))
	}}
}

// gate is the rule of a gate's nodes, of which its tests count, and for intervals its intervals. These are C(n,0) + ...
// + C(n,B), for intervals without the first term. Where the terms are not counted one by one, least says when.
func (a amounts) gate() *liveRule {
	all := func(n expr.X) expr.X { return n.Times(expr.Ln(two)) }
	tests := a.Looks.Minus(one)
	nodes := all(tests).Raised(1e-13)
	intervals := all(a.Looks).Plus(expr.Ln(one.Minus(expr.Exp(expr.Neg(all(a.Looks)))))).Raised(1e-13).Plus(expr.N(1e-15))
	var least expr.X
	if !a.Passes.None() {
		nodes, intervals = live.LnNodes(tests, a.Passes, true, nodes), live.LnNodes(a.Looks, a.Passes, false, intervals)
		least = a.Passes.Above(expr.N(live.CountedPasses))
	}
	r := liveRatio(nodes, liveChance{})
	r.least, r.wide = least, liveRatio(intervals, liveChance{})
	return r
}

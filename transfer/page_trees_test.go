package transfer

import (
	"math"
	"math/big"
)

// pageLnNodes is ln of sum over l <= min(B, m-1) of C(m-1, l), the nodes of a gate.
func pageLnNodes(m, b int64) dec {
	sum, term := one, one
	for l := int64(1); l <= min(b, m-1); l++ {
		term = term.Times(whole(m - l)).Over(whole(l))
		sum = sum.Plus(term)
	}
	return sum.Ln()
}

// pageSide is ln A(s), a bound on one side.
type pageSide func(s dec) dec

// multiples is how many multiples of a width an open interval of 2 tau may hold: 2 tau/width, rounded up, exactly.
func multiples(tau, width float64) int64 {
	ratio := new(big.Rat).Quo(new(big.Rat).SetFloat64(2*tau), new(big.Rat).SetFloat64(width))
	count, rest := new(big.Int).DivMod(ratio.Num(), ratio.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		return count.Int64() + 1
	}
	return count.Int64()
}

// pageLnWidths is ln V_1 of queries that are rounded to multiples of these widths, 0 standing for no rounding.
func pageLnWidths(tau float64, widths []float64, side pageSide) dec {
	t := number(tau)
	alone := side(t)
	ln := alone.Plus(two.Ln())
	c, beside := int64(0), zero
	for j := len(widths) - 2; j >= 0; j-- {
		if w := number(widths[j]).Over(two); c == 0 || widths[j] != widths[j+1] {
			c = multiples(tau, widths[j])
			beside = side(t.Minus(w))
		}
		ln = greater(pageLnSum(ln.Plus(whole(c).Ln()), beside, alone),
			pageLnSum(ln.Plus(whole(max(c-1, 1)).Ln()), beside.Plus(two.Ln())))
	}
	return ln
}

// pageValidator is Sparse Validate as it is run. Widths has the cells' width after so many flags, of all but the last.
type pageValidator struct {
	Queries        int64
	Tau, Threshold float64
	Widths         []float64
	Guesses        bool // whether a guess within GuessError of the truth must not be flagged
	GuessError     float64
	Side           pageSide
}

// Ln is ln of the bound on the probability that a promise fails.
func (v pageValidator) Ln() dec {
	tau, t := number(v.Tau), number(v.Threshold)
	flags := int64(len(v.Widths) + 1)
	cells := make([]dec, len(v.Widths))
	for i, w := range v.Widths {
		cells[i] = whole(multiples(v.Tau, w) - 1)
	}
	guess := pageNever
	if v.Guesses {
		guess = pageLnSum(v.Side(t.Minus(number(v.GuessError))), v.Side(t))
	}
	// nodes is sum over z <= i of C(m, z+up) times the cells of the levels below.
	nodes := func(i, up int64) dec {
		sum, product := zero, one
		for z := int64(0); z <= i; z++ {
			if z > 0 {
				product = product.Times(cells[i-z])
			}
			choose := one
			for k := range z + up {
				choose = choose.Times(whole(v.Queries - k)).Over(whole(k + 1))
			}
			sum = sum.Plus(choose.Times(product))
		}
		return sum.Ln()
	}
	terms := []dec{nodes(flags-1, 0).Plus(v.Side(tau.Minus(t)))}
	for i := range flags {
		s := tau.Plus(t)
		if i < flags-1 {
			s = s.Minus(number(v.Widths[i]))
		}
		terms = append(terms, nodes(i, 1).Plus(greater(v.Side(s).Plus(two.Ln()), guess)))
	}
	return pageLnSum(terms...)
}

// pageBoard is a ladder as it is run, by losses: Values[l] is shown in state l, which begins at the loss Bounds[l-1].
type pageBoard struct {
	Rows, Queries int64
	Tau, Top      float64
	Bounds        []dec   // u_1 to u_(K-1)
	Values        []dec   // v_0 to v_(K-1)
	Counts        []int64 // for 0/1 losses, the greatest number of losses that is within each bound
	Variance      float64 // that every loss has at most; 0 if it is not known
}

// Ln is ln of the bound on the probability that the promise fails, and whether the ends of the table are as they must.
func (b pageBoard) Ln() (ln dec, sound bool) {
	tau, k := number(b.Tau), int64(len(b.Values))
	first := b.Values[0].Minus(number(b.Top).Minus(tau)).Float()
	if math.Abs(first) > 1e-15 || tau.Less(b.Values[k-1]) && b.Values[k-1].Minus(tau).Float() > 1e-15 {
		return zero, false
	}
	x, y := make([]dec, k-1), make([]dec, k-1)
	for l := range k - 1 {
		low, high, u := b.Values[l].Minus(tau), b.Values[l+1].Plus(tau), b.Bounds[l]
		switch {
		case b.Counts != nil:
			x[l] = pageLnCountAtLeast(b.Rows, b.Counts[l]+1, low)
			y[l] = pageLnCountAtMost(b.Rows, b.Counts[l], high)
		default:
			x[l], y[l] = zero, zero
			if low.Less(u) {
				x[l] = lnMean(b.Rows, u, low)
			}
			if u.Less(high) {
				y[l] = pageNever
				if high.Less(one) {
					y[l] = lnMean(b.Rows, u, high)
				}
			}
		}
	}
	for l := range x {
		if b.Variance == 0 {
			break
		}
		u := b.Bounds[l]
		reached := u // by a count more, which a loss that is above the bound has
		if b.Counts != nil {
			reached = number(float64(b.Counts[l]) + 1).Over(whole(b.Rows))
			u = number(float64(b.Counts[l])).Over(whole(b.Rows))
		}
		v := number(b.Variance)
		x[l] = lesser(x[l], pageLnVarying(b.Rows, reached.Minus(b.Values[l].Minus(tau)), v))
		y[l] = lesser(y[l], pageLnVarying(b.Rows, b.Values[l+1].Plus(tau).Minus(u), v))
	}
	// The risk of a state is at most the risk of a later one.
	for l := len(x) - 2; l >= 0; l-- {
		x[l], y[l] = greater(x[l], x[l+1]), greater(y[l], y[l+1])
	}
	var terms []dec
	choose := func(n, k int64) dec {
		if k == 0 {
			return zero
		}
		return pageLnChoose(n, k)
	}
	m := b.Queries
	for l := range k - 1 {
		terms = append(terms, choose(m+l-2, l).Plus(x[l]), choose(m+l-1, l+1).Plus(y[l]))
	}
	return pageLnSum(terms...), true
}

package tail

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// ln2 is ln 2, rounded up by less than 2^-97.
var ln2 = num.Ln2.AddFloat(0x1p-98)

// exactChoices is up to how many factors or terms a count is computed in 106 bits; beyond, in
// float64 and rounded up by at most 1e-12 of its logarithm.
const exactChoices = 64

// LnChoose returns ln C(m,k) for 0 <= k <= m <= 2^53, rounded up: within 2^-90 relative for k or m-k up to
// 64, else within 1e-14.
func LnChoose(m, k int64) num.DD {
	k = min(k, m-k)
	if k > exactChoices {
		return num.FromFloat(lnChooseLarge(float64(m), float64(k)))
	}
	ln, above, below := num.DD{}, num.FromInt(1), num.FromInt(1)
	for i := range k {
		above, below = above.Mul(num.FromInt(m-i)), below.Mul(num.FromInt(i+1))
		if above.Hi > 0x1p900 {
			ln, above = ln.Add(above.Ln()), num.FromInt(1)
		}
	}
	if k > 0 {
		ln = ln.Add(above.Div(below).Ln())
	}
	return ln.Add(ln.MulFloat(0x1p-92))
}

// lnChooseLarge returns ln C(m,k) for 64 < k <= m/2 by Stirling's formula, rounded up. Stirling's errors, 1/(12 x)
// less at most 1/(360 x^3) each, add up to less than 0.
func lnChooseLarge(m, k float64) float64 {
	j := m - k
	entropy := k*num.Log(m/k) - j*math.Log1p(-k/m)
	ln := entropy + num.Log(m/k/j/(2*math.Pi))/2 + 1/(12*m) - 1/(12*k) - 1/(12*j) + 1/(360*k*k*k) + 1/(360*j*j*j)
	return ln * (1 + 4e-15)
}

// LnChooseUpTo returns ln of C(m,0) + C(m,1) + ... + C(m,k) for 0 <= k and 0 <= m <= 2^53, rounded up:
// within 2^-90 relative for k or m up to 64 and for k >= m, where it is m ln 2, else within 1e-12.
func LnChooseUpTo(m, k int64) num.DD {
	switch {
	case k >= m:
		return ln2.Mul(num.FromInt(m))
	case k > exactChoices && k > m/8 && m > exactChoices:
		return num.FromFloat(lnHalfOrMore(m, k))
	}
	// From the last term back each is less than the one after it by k/(m-k+1), then by less.
	sum, term := num.FromInt(1), num.FromInt(1)
	for i := k; i > 0; i-- {
		term = term.Mul(num.FromInt(i)).Div(num.FromInt(m - i + 1))
		sum = sum.Add(term)
		if term.Hi < sum.Hi*0x1p-100 && 2*i < m { // the rest is less than as much again
			sum = sum.Add(term)
			break
		}
	}
	ln := LnChoose(m, k).Add(sum.Ln())
	return ln.Add(ln.MulFloat(0x1p-90))
}

// lnHalfOrMore returns the same where the sum is a good part of 2^m: 2^m P[Bin(m,1/2) <= k].
func lnHalfOrMore(m, k int64) float64 {
	rows := float64(m)
	ln := num.Binomial{N: m, P: 0.5}.LnAtMost(k) + math.Sqrt(rows)*0x1p-51
	return rows*math.Ln2*(1+2e-16) + math.Min(ln, 0)
}

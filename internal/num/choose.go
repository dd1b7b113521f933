package num

import "math"

// exactTerms is up to how many factors a count is computed in 106 bits.
const exactTerms = 64

// LnChooseUpTo returns ln of C(m,0) + C(m,1) + ... + C(m,k) for 0 <= k and 0 <= m <= 2^53. It is never below
// the truth; it is above it by at most 2^-90 of itself for k up to 64 and for k >= m, where it is m ln 2, and by
// 1e-13 of itself elsewhere.
func LnChooseUpTo(m, k int64) DD {
	switch {
	case k >= m:
		return raised(Ln2.Mul(FromInt(m)), 0x1p-96)
	case k <= exactTerms:
		return lnFewTerms(m, k)
	case k > m/8: // a share of 2^m whose logarithm is within 1e-15 of m
		n := float64(m)
		share := Binomial{N: m, P: 0.5}.LnAtMost(k) + math.Sqrt(n)*0x1p-50
		return raised(Ln2.Mul(FromInt(m)).AddFloat(min(share, 0)), 0x1p-50)
	}
	n, l := float64(m), float64(k)
	// The terms fall from the last back by ratios of at most k/(m-k+1) < 1/6.
	sum, term := 1.0, 1.0
	for i := l; i >= 1 && term > 0x1p-60; i-- {
		term *= i / (n - i + 1)
		sum += term
	}
	return raised(FromFloat(lnChoose(n, l)+Log(sum+term)), 0x1p-46)
}

// lnFewTerms adds the terms from the first, each the one before it times (m-i)/(i+1).
func lnFewTerms(m, k int64) DD {
	scale, sum, term := DD{}, FromInt(1), FromInt(1)
	for i := range k {
		term = term.Mul(FromInt(m - i)).Div(FromInt(i + 1))
		if sum = sum.Add(term); sum.Hi > 0x1p800 {
			const shrink = 0x1p-800
			sum, term = sum.MulFloat(shrink), term.MulFloat(shrink)
			scale = scale.Add(Ln2.MulFloat(800))
		}
	}
	if sum.Hi == 1 {
		return scale
	}
	return raised(scale.Add(sum.Ln()), 0x1p-92)
}

// lnChoose returns ln C(m,k) for 0 < k < m by Stirling's formula with its error, within 2^-48 of itself.
func lnChoose(m, k float64) float64 {
	j := m - k
	entropy := k*Log(m/k) - j*math.Log1p(-k/m)
	return entropy + Log(m/k/j/(2*math.Pi))/2 + stirlingError(m) - stirlingError(k) - stirlingError(j)
}

// raised moves x >= 0 upwards by a part of itself.
func raised(x DD, part float64) DD { return x.Add(x.MulFloat(part)) }

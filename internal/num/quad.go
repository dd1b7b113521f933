package num

import "math"

// Interval is the range [Lo, Hi].
type Interval struct{ Lo, Hi float64 }

// Rule is a quadrature rule with positive weights on [0,1].
type Rule struct{ nodes, weights []float64 }

// Legendre returns Gauss's rule with n >= 1 points, exact for polynomials of
// degree 2n-1. It is below the integral if the derivative of order 2n is
// positive.
func Legendre(n int) Rule {
	r := Rule{make([]float64, n), make([]float64, n)}
	for i := range n {
		x := -math.Cos(math.Pi * (float64(i) + 0.75) / (float64(n) + 0.5))
		var slope float64
		for range 8 {
			p, previous := legendre(n, x)
			slope = float64(n) * (x*p - previous) / (x*x - 1)
			x -= p / slope
		}
		r.nodes[i] = (1 + x) / 2
		r.weights[i] = 1 / ((1 - x*x) * slope * slope)
	}
	return r
}

// Lobatto returns Lobatto's rule with n >= 2 points, both ends among them, exact
// for polynomials of degree 2n-3. It is above the integral if the derivative of
// order 2n-2 is positive.
func Lobatto(n int) Rule {
	r := Rule{make([]float64, n), make([]float64, n)}
	k := n - 1
	for i := range n {
		x := -math.Cos(math.Pi * float64(i) / float64(k))
		if i > 0 && i < k {
			for range 16 { // the zeros of P_k', by its differential equation
				p, previous := legendre(k, x)
				slope := float64(k) * (x*p - previous) / (x*x - 1)
				bend := (2*x*slope - float64(k*(k+1))*p) / (1 - x*x)
				x -= slope / bend
			}
		}
		p, _ := legendre(k, x)
		r.nodes[i] = (1 + x) / 2
		r.weights[i] = 1 / (float64(k*n) * p * p)
	}
	return r
}

// legendre returns P_n(x) and P_(n-1)(x).
func legendre(n int, x float64) (p, previous float64) {
	p, previous = x, 1
	for k := 2; k <= n; k++ {
		p, previous = (float64(2*k-1)*x*p-float64(k-1)*previous)/float64(k), p
	}
	return p, previous
}

// Integral applies the rule to f over an interval.
func (r Rule) Integral(over Interval, f func(float64) float64) float64 {
	sum, width := 0.0, over.Hi-over.Lo
	for i, x := range r.nodes {
		sum += r.weights[i] * f(over.Lo+width*x)
	}
	return sum * width
}

package certificates

// LnVarying is ln of the bound for values in [0,1] of variance at most v and a deviation of s: of the 0/1 values with
// a variance that is no greater, the worst.
func LnVarying(n int64, s, v Number) Number {
	return LnFewOnes(n, s, half.Minus(one.Over(two.Squared()).Minus(v).Root()))
}

// LnFewOnes is that of the worst 0/1 value of mean at most p.
func LnFewOnes(n int64, s, p Number) Number {
	if s.Sign() <= 0 || !p.Plus(s).Less(one) || !p.Less(worstMean(s)) {
		return LnSide(n, s)
	}
	return lnMean(n, p.Plus(s), p)
}

// LnSecondMoment is ln of the bound for values in [-1,1] of mean square at most v: Bennett's, or that of half of them.
func LnSecondMoment(n int64, s, v Number) Number {
	if s.Sign() <= 0 {
		return zero
	}
	bennett := LnBennett(n, s, v)
	if other := LnVarying(n, s.Over(two), v.Over(two.Squared())); other.Less(bennett) {
		return other
	}
	return bennett
}

// LnKept is ln of the bound for values in [-1,1] of which nothing is shown where their mean square on the sample is
// above v: -n (s - v ln(1 + s/v)).
func LnKept(n int64, s, v Number) Number {
	if s.Sign() <= 0 {
		return zero
	}
	return zero.Minus(whole(n).Times(s.Minus(v.Times(s.Over(v).Plus(one).Ln()))))
}

// LnBennett is -n V h(s/V), h(u) = (1+u) ln(1+u) - u.
func LnBennett(n int64, s, v Number) Number {
	if s.Sign() <= 0 {
		return zero
	}
	u := s.Over(v)
	more := u.Plus(one)
	return zero.Minus(whole(n).Times(v).Times(more.Times(more.Ln()).Minus(u)))
}

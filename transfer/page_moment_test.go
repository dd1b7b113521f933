package transfer

// pageLnVarying is ln of the bound for values in [0,1] of variance at most v and a deviation of s: of the 0/1 values
// with a variance that is no greater, the worst.
func pageLnVarying(n int64, s, v dec) dec {
	return pageLnFewOnes(n, s, pageHalf.Minus(one.Over(two.Squared()).Minus(v).Root()))
}

// pageLnFewOnes is ln of the tail of the worst 0/1 value of mean at most p.
func pageLnFewOnes(n int64, s, p dec) dec {
	if s.Sign() <= 0 || !p.Plus(s).Less(one) || !p.Less(worstMean(s)) {
		return pageLnSide(n, s)
	}
	return lnMean(n, p.Plus(s), p)
}

// pageLnSecondMoment is ln of the bound for values in [-1,1] of mean square at most v: Bennett's, or the bound of half
// of them.
func pageLnSecondMoment(n int64, s, v dec) dec {
	if s.Sign() <= 0 {
		return zero
	}
	bennett := pageLnBennett(n, s, v)
	if other := pageLnVarying(n, s.Over(two), v.Over(two.Squared())); other.Less(bennett) {
		return other
	}
	return bennett
}

// pageLnKept is ln of the bound for values in [-1,1] of which nothing is shown where their mean square on the sample is
// above v: -n (s - v ln(1 + s/v)).
func pageLnKept(n int64, s, v dec) dec {
	if s.Sign() <= 0 {
		return zero
	}
	return zero.Minus(whole(n).Times(s.Minus(v.Times(s.Over(v).Plus(one).Ln()))))
}

// pageLnBennett is -n V h(s/V), h(u) = (1+u) ln(1+u) - u.
func pageLnBennett(n int64, s, v dec) dec {
	if s.Sign() <= 0 {
		return zero
	}
	u := s.Over(v)
	more := u.Plus(one)
	return zero.Minus(whole(n).Times(v).Times(more.Times(more.Ln()).Minus(u)))
}

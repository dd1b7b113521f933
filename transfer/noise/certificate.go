package noise

import (
	"math"
	"sync"

	"github.com/dpcalc/dpcalc/internal/num"
)

// certificate is one answer at one order. Its value is an upper bound of ln F/(a-1), where some law R of the
// answer has
//
//	E_nu int phi_s(y-f(S))^a R(y)^(1-a) dy <= F
//
// for every nu of the class with E_nu psi(S) <= moment.
type certificate struct {
	n, span, reach float64
	moment         float64 // vbar
	delta          float64 // the weight of the wide part of R, in (0,1)
	tail           float64 // what the event |X| > x0 adds to F
	a, kappa, sd   float64
}

// value returns the lesser of the certificate by the moment and that by the span,
//
//	ln(1 + a span^2/(4 kappa n sd^2))/2.
func (c certificate) value() float64 {
	x := c.a * c.span * c.span / (4 * c.kappa * c.n * c.sd * c.sd)
	if !(c.moment < c.span*c.span/4) {
		return lnUp(x) / 2
	}
	byMoment := c.byMoment()
	if byMoment <= x/(2+x) { // which is less than ln(1+x)/2
		return byMoment
	}
	return min(lnUp(x)/2, byMoment)
}

// byMoment returns ln F/(a-1), rounded up, with X = f(S) - E_nu f(S) and, for the V chosen,
//
//	F  = (1-delta)^(1-a) (1+aV/s^2)^(a/2) (1+a^2V/s^2)^(-1/2) I/(1-4e-8) + tail,
//	I >= E_nu[e^(cX^2); |X| <= x0],   c = a(a-1)/(2(s^2+a^2V)),
//
// and x0 such that tail is at least (K/delta)^(a-1) 2 exp(-A h(g x0/vbar)), K = e^(1/2) sqrt(span^2+s^2)/s, h(z) =
// (1+z)ln(1+z) - z, and A = kappa n vbar/g^2. Any V is valid.
func (c certificate) byMoment() float64 {
	amount := c.kappa * c.n * c.moment / (c.reach * c.reach) // A
	need := c.rare() / amount
	m := moments{amount: amount, unit: c.reach / (c.kappa * c.n), x0: c.moment / c.reach * entropyAbove(need)}
	variance := c.moment / (c.kappa * c.n)
	square, pairs := c.sd*c.sd, c.a*(c.a-1)
	spread := square + c.a*c.a*variance
	root := m.gentle(math.Sqrt(pairs/spread), c.a*c.a*variance/spread) // sqrt(2c)
	if m.isHigh(root) {
		m.x0 = min(c.moment/c.reach*entropyRoot(need), c.span)
		root = m.steepest(root)
	}
	tail := c.tail
	if m.x0 >= c.span { // |X| never exceeds the span
		m.x0, tail = c.span, 0
	}
	v := (pairs/(root*root) - square) / (c.a * c.a)
	ratio := c.a * v / square
	ln := (c.a*math.Log1p(ratio) - math.Log1p(c.a*ratio)) / 2 // not below 0
	ln += num.Log(m.integral(root)+tail) + (c.a-1)*c.delta/(1-c.delta)
	return (ln + roundUp*(1+c.a*ratio)) / (c.a - 1)
}

// rare returns how large A h(g x0/vbar) must be, rounded up.
func (c certificate) rare() float64 {
	lnWide := 0.5 + num.Log(math.Sqrt(c.span*c.span+c.sd*c.sd)/(c.sd*c.delta)) // ln K/delta
	return ((c.a-1)*lnWide + num.Log(2/c.tail)) * (1 + roundUp)
}

// entropyAbove returns a z with h(z) >= y > 0: z^2/(2+2z/3), which is less than h, is y there.
func entropyAbove(y float64) float64 { return (y/3 + math.Sqrt(y*y/9+2*y)) * (1 + 1e-12) }

// entropyRoot returns a z with h(z) >= y > 0, close to the least. Newton's steps descend to it.
func entropyRoot(y float64) float64 {
	z := entropyAbove(y)
	if z < 1e-3 {
		return z
	}
	for range 2 {
		ln := math.Log1p(z)
		z -= ((1+z)*ln - z - y) / ln
	}
	return z * (1 + 1e-12)
}

// moments bounds E e^(cX^2) over |X| <= x0 by ln E e^(tX) <= A (e^u - 1 - u), u = unit |t|. With t = sqrt(2c) z and a
// normal z,
//
//	I = (2/sqrt(2 pi)) int_0^G exp(e(z)) dz,   e(z) = A (e^(bz)-1-bz) - z^2/2,
//
// b = unit sqrt(2c) and G = sqrt(2c) x0 + 5.5.
type moments struct{ amount, unit, x0 float64 }

// at returns e(z) and its derivative.
func (m moments) at(b, z float64) (e, slope float64) {
	u := b * z
	over := num.ExpLess(u)
	return m.amount*over - z*z/2, m.amount*b*(u+over) - z
}

// end returns G.
func (m moments) end(root float64) float64 { return root*m.x0 + 5.5 }

// gentle returns a good sqrt(2c), given that where V is vbar/(kappa n), and the share of a^2 V in s^2 + a^2 V there: V
// is a little more, as e^(bz) is more than its square term.
func (m moments) gentle(root, share float64) float64 {
	b := m.unit * root
	curb := max(1-m.amount*b*b, 0.02)
	return root / math.Sqrt(1+share*0.82*b/math.Sqrt(curb))
}

// isHigh reports whether e(G) is not low.
func (m moments) isHigh(root float64) bool {
	e, _ := m.at(m.unit*root, m.end(root))
	return !(e <= -14)
}

// steepest returns about the greatest sqrt(2c) up to root at which e(G) is low.
func (m moments) steepest(root float64) float64 {
	if !m.isHigh(root) {
		return root
	}
	lo, hi := 0.0, root
	for range 10 {
		if mid := (lo + hi) / 2; m.isHigh(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo
}

// integral returns I/(1 - 2 P[N > G - sqrt(2c) x0]) for some G, rounded up, and +Inf where it is of no use. e(z) is
// concave and then convex: beyond a point where it falls it is at most the greater of its ends.
// docs/theorems/variance.md bounds the error of the rules by 1e-9.
func (m moments) integral(root float64) float64 {
	b, end := m.unit*root, m.end(root)
	if sum := m.hardlySkewed(b, end); sum > 0 {
		return sum * (1 + 4.0001e-8)
	}
	sum, to := m.nearlyNormal(b, end)
	if to == 0 {
		sum, to = m.farFromNormal(b, end), end
	}
	missed := 4e-8 // twice the tail beyond 5.5, and beyond 6.5
	if to > end+1 {
		missed = 1e-10
	}
	return sum * math.Sqrt(2/math.Pi) * (1 + missed + 1e-9)
}

// E |N|^k for odd k.
const (
	third   = 1.5957691216057307117597842397375 // 2 sqrt(2/pi)
	fifth   = 4 * third
	seventh = 24 * third
	ninth   = 192 * third
)

// hardlySkewed returns a bound on I where it is close, and else 0. With t = curb^(1/2) z, e(z) + t^2/2 is at most y =
// alpha t^3 (1 + pt + qt^2) up to G, and e^y at most 1 + y + y^2/2 + y^3/6 + e^y(7) y^4/24 up to 7. Beyond, y is at
// most t^2/20.
func (m moments) hardlySkewed(b, end float64) float64 {
	curb := 1 - m.amount*b*b
	if !(curb > 0.01) {
		return 0
	}
	unit := 1 / math.Sqrt(curb) // of t in z
	beta, last := b*unit, max(7, end/unit)
	alpha, u := m.amount*beta*beta*beta/6, beta*last
	if !(alpha <= 2e-3 && u <= 1) {
		return 0
	}
	p, q := beta/4, beta*beta/(20-10*u/3)
	if !(alpha*last*(1+p*last+q*last*last) <= 0.05) {
		return 0
	}
	most := alpha * (1 + 7*p + 49*q) // y is at most this times t^3 up to 7
	square := 15 + 2*p*seventh + (p*p+2*q)*105 + 2*p*q*ninth + q*q*945
	cube, rest := most*most*most*ninth/6, most*most*most*most*10395/24*num.Exp(343*most)
	return unit * (1 + alpha*(third+3*p+fifth*q) + alpha*alpha/2*square + cube + rest + 4e-11)
}

// tailed is Radau's rule for the weight e^(-t^2/2) on [0,7] with the point 7: exact for polynomials up to t^14, and
// never below the integral where the 15th derivative is not negative. Computed with 120 digits.
var tailed = [8]struct{ t, weight float64 }{
	{0.08454556708147673, 0.21348192552965592},
	{0.42408395033016222, 0.41494800024265044},
	{0.97035170685470895, 0.39262556658564718},
	{1.6664112759853382, 0.18919719821793271},
	{2.4825453839195397, 0.040121571063476157},
	{3.4232030261742548, 0.0028995921066125511},
	{4.5555246640286793, 4.0282372810079667e-05},
	{7, 1.1935071864493788e-09},
}

// nearlyNormal returns the integral of exp(e(z)) from 0 to some G, at least end, and that, where e(z) differs little
// from its square term -t^2/2, and else zeros. The integral is rounded up. exp(e(z) + t^2/2) is a power series with no
// negative coefficient.
func (m moments) nearlyNormal(b, end float64) (sum, to float64) {
	curb := 1 - m.amount*b*b
	if !(curb > 0) {
		return 0, 0
	}
	unit := 1 / math.Sqrt(curb) // of t in z
	cut := 7 * unit
	e, slope := m.at(b, cut)
	if !(slope < 0 && e < -22) {
		return 0, 0
	}
	if to = max(cut, end); to > cut {
		last, _ := m.at(b, to)
		sum = (to - cut) * num.Exp(max(e, last))
	}
	for _, p := range tailed {
		u := b * unit * p.t
		sum += p.weight * unit * num.Exp(m.amount*(num.ExpLess(u)-u*u/2))
	}
	return sum, to
}

// farFromNormal is the same for any e(z).
func (m moments) farFromNormal(b, end float64) float64 {
	cut, rest := m.cut(b, end)
	if !(cut <= mostCut) {
		return math.Inf(1)
	}
	all, i := rules(), 0
	for cut > all[i].most {
		i++
	}
	sum := all[i].rule.Integral(num.Interval{Lo: 0, Hi: cut}, func(z float64) float64 {
		return num.Exp(m.amount*num.ExpLess(b*z) - z*z/2)
	})
	return sum*(1+2e-9) + rest
}

// cut returns where a rule may end, and a bound on the rest of the integral; +Inf if there is no such point.
func (m moments) cut(b, end float64) (cut, rest float64) {
	curb := 1 - m.amount*b*b
	if !(curb > 0) {
		return math.Inf(1), 0
	}
	usable := func(z float64) bool { beyond, _ := m.at(b, 1.3*z); return beyond <= 0 }
	for _, deep := range [2]float64{21, 14} { // minus e(z) there
		cut = math.Sqrt(2 * deep / curb)
		e, slope := m.at(b, cut)
		for range 6 {
			if math.Abs(e+deep) < 0.5 {
				break
			}
			cut -= (e + deep) / slope
			e, slope = m.at(b, cut)
		}
		inside, falls := cut > 0 && cut < end, e < -13 && slope < 0
		if last, _ := m.at(b, end); inside && falls && usable(cut) {
			return cut, (end - cut) * num.Exp(max(e, last))
		}
	}
	if usable(end) {
		return end, 0
	}
	return math.Inf(1), 0
}

// longest is the longest interval for which there is a rule.
const longest = 32

// within is a quadrature rule and the longest interval on which it is used.
type within struct {
	most float64
	rule num.Rule
}

// rules are made when the first certificate is: a command of another theorem starts without them.
var rules = sync.OnceValue(func() []within {
	return []within{
		{6.8, num.Legendre(16)}, {9, num.Legendre(20)}, {14, num.Legendre(28)}, {22, num.Legendre(48)},
		{longest, num.Legendre(64)},
	}
})

package noise

import (
	"math"

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

// integral returns I/(1 - 2 P[N > G - sqrt(2c) x0]) for some G, rounded up, and +Inf where it is of no use.
func (m moments) integral(root float64) float64 {
	b, end := m.unit*root, m.end(root)
	if sum := m.hardlySkewed(b, end); sum > 0 {
		return sum * (1 + 4.0001e-8)
	}
	sum, to := m.byRule(b, end)
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

// byRule returns the integral of exp(e(z)) from 0 to some G, at least end, and that. The integral is rounded up; it is
// +Inf where it is of no use. Beyond a point where e(z) falls it is at most the greater of its ends, as its slope is
// convex.
func (m moments) byRule(b, end float64) (sum, to float64) {
	curb := 1 - m.amount*b*b
	if !(curb > 0) {
		return math.Inf(1), end
	}
	cut, rule := m.cut(b, end, curb)
	if rule == nil {
		return math.Inf(1), end
	}
	if to = max(cut, end); to > cut {
		first, _ := m.at(b, cut)
		last, _ := m.at(b, to)
		sum = (to - cut) * num.Exp(max(first, last))
	}
	unit := cut / rule[len(rule)-1].t // of t in z
	extra := (1/(unit*unit) - curb) / 2
	for _, p := range rule {
		z := unit * p.t
		u := b * z
		sum += p.weight * unit * num.Exp(m.amount*(num.ExpLess(u)-u*u/2)+extra*z*z)
	}
	return sum, to
}

// cut returns where a rule may end, and the rule. Where e(z) differs little from its square term, that is 7 of its
// standard deviations.
func (m moments) cut(b, end, curb float64) (float64, []point) {
	normal := 7 / math.Sqrt(curb)
	if e, slope := m.at(b, normal); slope < 0 && e < -22 {
		return normal, rules[0]
	}
	cut := end
	for _, deep := range [2]float64{21, 14} { // minus e(z) there
		z := math.Sqrt(2 * deep / curb)
		e, slope := m.at(b, z)
		for range 6 {
			if math.Abs(e+deep) < 0.5 {
				break
			}
			z -= (e + deep) / slope
			e, slope = m.at(b, z)
		}
		if inside, falls := z > 0 && z < end, e < -13 && slope < 0; inside && falls {
			cut = z
			break
		}
	}
	for _, rule := range rules[1:] {
		if cut*math.Sqrt(curb) <= rule[len(rule)-1].t {
			return cut, rule
		}
	}
	return cut, nil
}

// point is where a rule evaluates a function, and the weight there.
type point struct{ t, weight float64 }

// rules are Radau's for the weight e^(-t^2/2) on [0,7], [0,8] and [0,12], of 8, 16 and 40 points, the last at the end.
// Computed with 50 digits. Of every power of t they are at least the integral: Radau.v checks them.
var rules = [3][]point{
	{
		{0.084545567081476732, 0.21348192552965593}, {0.42408395033016224, 0.41494800024265042},
		{0.97035170685470896, 0.39262556658564719}, {1.6664112759853383, 0.18919719821793272},
		{2.4825453839195399, 0.040121571063476158}, {3.4232030261742547, 0.0028995921066125511},
		{4.5555246640286791, 4.028237281007967e-05}, {7, 1.1935071864493788e-09},
	},
	{
		{0.02889655528362992, 0.073896627100855995}, {0.15029157109411996, 0.16584685629913953},
		{0.36132487953791745, 0.23659770059406915}, {0.65160647555504343, 0.26369641768732778},
		{1.0096824970760583, 0.23324040337197677}, {1.42497629356274, 0.15971481689529882},
		{1.8888493798174219, 0.081617654770888516}, {2.3949929133828892, 0.029870514671127447},
		{2.9394734823323585, 0.0074849364110984433}, {3.5207079874602441, 0.0012198294151328136},
		{4.1395728581683621, 0.00012140029911469296}, {4.7998464588079364, 6.7883040468351093e-06},
		{5.5092855196962326, 1.8929952327141664e-07}, {6.2818092602716533, 2.1881393369056958e-09},
		{7.1391473546405367, 7.7532490533297863e-12}, {8, 6.0420759761070106e-15},
	},
	{
		{0.0072245102439336904, 0.018530765725411516}, {0.037985450070743121, 0.042925299277314425},
		{0.09300457107302417, 0.066704403570606547}, {0.17175967661861416, 0.089070185975626501},
		{0.27351723671087882, 0.10882302747262658}, {0.39737769510695315, 0.1243617899363681},
		{0.54231662275676609, 0.13390163831736389}, {0.70722624092644442, 0.13589929516323022},
		{0.89095493432658188, 0.12960573668100201}, {1.0923426430397674, 0.11555116477862085},
		{1.3102508245405543, 0.095704744092564539}, {1.5435864659458266, 0.073128833659169228},
		{1.7913202593985094, 0.051178148550298469}, {2.0524994882824816, 0.032561681023552708},
		{2.3262564187166686, 0.018695165584152545}, {2.6118130859342934, 0.0096147240233703795},
		{2.9084833536017146, 0.004396725777677311}, {3.2156730477642571, 0.0017746529871256965},
		{3.5328788592699196, 0.00062759995213421909}, {3.8596865925846899, 0.00019301544633394724},
		{4.1957692291319319, 5.1229717688175631e-05}, {4.5408851765074438, 1.1642346718042843e-05},
		{4.8948769921168349, 2.246760606150174e-06}, {5.2576707967612751, 3.6497973424910826e-07},
		{5.6292765202939896, 4.9442913865519248e-08}, {6.0097890281133246, 5.5290801598844993e-09},
		{6.3993900265674859, 5.047679760637037e-10}, {6.7983503633323301, 3.7161945366421175e-11},
		{7.2070317729672557, 2.1764992366923846e-12}, {7.6258859409318054, 9.9878194237798631e-14},
		{8.0554462395336248, 3.5307383119878639e-15}, {8.4963019127706339, 9.4358065957316032e-17},
		{8.9490316234050954, 1.8680089881378676e-18}, {9.4140420305927061, 2.6834158015703118e-20},
		{9.8911762819802609, 2.7486918580326073e-22}, {10.378732808601039, 1.998697061020818e-24},
		{10.870863056643327, 1.0688586917243404e-26}, {11.350223236800366, 4.8878656093537259e-29},
		{11.767248737800587, 3.0191388001707164e-31}, {12, 3.8094866524727816e-33},
	},
}

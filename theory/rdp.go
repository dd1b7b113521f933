package theory

import (
	"cmp"
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
)

// RDP is Renyi differential privacy: for each of its points the Renyi divergence of that order between
// neighbours' outputs is at most Epsilon. Its zero value is invalid.
type RDP struct {
	Points []RenyiPoint
}

// RenyiPoint is a point of an RDP curve.
type RenyiPoint struct {
	Order   float64 // in (1, 1e100]
	Epsilon float64 // >= 0, in nats
}

// Validate reports a DomainError unless there is a point and every point is within its domain.
func (r RDP) Validate() error {
	if err := Domain(len(r.Points) > 0, "points", len(r.Points), "one or more"); err != nil {
		return err
	}
	for _, p := range r.Points {
		err := cmp.Or(
			Domain(p.Order > 1 && p.Order <= 1e100, "order", p.Order, "a number above 1, at most 1e100"),
			Domain(p.Epsilon >= 0 && p.Epsilon <= math.MaxFloat64, "epsilon", p.Epsilon, "a number >= 0"),
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// LnDelta returns ln delta for which a valid curve gives (epsilon, delta)-DP, epsilon >= 0: over its points
//
//	ln delta = min (a-1) (epsilon_a - epsilon) + a ln(1-1/a) - ln(a-1),
//
// rounded up and at most 0. (1 - e^-u)^+ is at most e^((a-1) u) (1-1/a)^a/(a-1) for every u, with equality for
// one; its mean at u = L - epsilon, L the log-likelihood ratio, is delta.
func (r RDP) LnDelta(epsilon float64) LogProb {
	least := 0.0
	for _, p := range r.Points {
		least = min(least, p.LnDelta(epsilon))
	}
	return LogProb(least)
}

// LnDelta returns ln delta by one order, rounded up. It exceeds 0 where the order says nothing.
func (p RenyiPoint) LnDelta(epsilon float64) float64 {
	a := p.Order
	gain, share, drop := (a-1)*(p.Epsilon-epsilon), a*math.Log1p(-1/a), num.Log(a-1)
	if a > 1e15 {
		share = -1 // in the limit, and less before
	}
	if a < 1.5 {
		share = a * (drop - num.Log(a))
	}
	size := (a-1)*(p.Epsilon+epsilon) + math.Abs(share) + math.Abs(drop)
	return gain + share - drop + size*0x1p-50
}

// Epsilon returns the least epsilon >= 0 with [RDP.LnDelta] at most ln delta, about: it guides a search.
func (r RDP) Epsilon(delta LogProb) float64 {
	least := math.Inf(1)
	for _, p := range r.Points {
		at := RenyiPoint{p.Order, 0}
		least = min(least, p.Epsilon+(at.LnDelta(0)-delta.Ln())/(p.Order-1))
	}
	return max(least, 0)
}

// LnDelta returns ln delta for which rho-zCDP gives (epsilon, delta)-DP, epsilon >= 0, by a near-best
// order of [RDP.LnDelta], rounded up and at most 0.
func (z ZCDP) LnDelta(epsilon float64) LogProb {
	if !(epsilon > z.Rho) { // the orders above one leave less than 1/2 here, and the search is for tails
		return z.point(2).asLogProb(epsilon)
	}
	// The slope of ln delta in the order a is (2a-1) rho - epsilon + ln(1-1/a). It rises and is concave, so that
	// Newton's steps from below stay below its root.
	a := max((epsilon/z.Rho+1)/2, 1+1e-12)
	for range 4 {
		slope := (2*a-1)*z.Rho - epsilon + math.Log1p(-1/a)
		a -= slope / (2*z.Rho + 1/(a*(a-1)))
	}
	return z.point(min(max(a, 1+1e-12), 1e100)).asLogProb(epsilon)
}

func (z ZCDP) point(order float64) RenyiPoint {
	return RenyiPoint{Order: order, Epsilon: order * z.Rho * (1 + 0x1p-51)}
}

func (p RenyiPoint) asLogProb(epsilon float64) LogProb { return LogProb(min(p.LnDelta(epsilon), 0)) }

// Epsilon returns about the least epsilon with [ZCDP.LnDelta] at most ln delta < 0.
func (z ZCDP) Epsilon(delta LogProb) float64 {
	return RDP{[]RenyiPoint{z.point(min(1+math.Sqrt(-delta.Ln()/z.Rho), 1e100))}}.Epsilon(delta)
}

// Replaced returns the curve for replacing a record of a mechanism with this curve for adding or removing
// one: for every two orders a, b of it
//
//	D_c <= (b/(b-1)) epsilon_a + epsilon_b,   c = a b/(a+b-1).
//
// Hoelder's inequality with the exponents a/c and a/(a-c) gives it for the law M without the record, from
// D_a(P0||M) and D_b(M||P1). Points that follow from others are left out. For rho-zCDP the best two orders give
// 4 c rho, as [ZCDP.Replaced] has it.
func (r RDP) Replaced() (Bound[RDP], error) {
	if err := r.Validate(); err != nil {
		return Bound[RDP]{}, err
	}
	var all []RenyiPoint
	for _, p := range r.Points {
		for _, q := range r.Points {
			a, b := p.Order, q.Order
			epsilon := above(p.Epsilon*(b/(b-1)) + q.Epsilon)
			order := a / (1 + (a-1)/b) * (1 - 0x1p-50)
			if order > 1 && epsilon <= math.MaxFloat64 {
				all = append(all, RenyiPoint{order, epsilon})
			}
		}
	}
	if len(all) == 0 {
		return Bound[RDP]{}, &NoAnswerError{Reason: "the curve exceeds what a number can hold"}
	}
	return replaced(Bound[RDP]{RDP{Undominated(all)}, []Source{{"mironov17", "Proposition 11"}}, nil}, nil)
}

// Undominated returns the points that say more than every point of a higher order, in falling order: the divergence
// grows with the order, so an epsilon holds for every lower order too.
func Undominated(points []RenyiPoint) []RenyiPoint {
	points = slices.Clone(points)
	slices.SortFunc(points, func(p, q RenyiPoint) int {
		return cmp.Or(cmp.Compare(q.Order, p.Order), cmp.Compare(p.Epsilon, q.Epsilon))
	})
	least := math.Inf(1)
	return slices.DeleteFunc(points, func(p RenyiPoint) bool {
		if p.Epsilon >= least {
			return true
		}
		least = p.Epsilon
		return false
	})
}

// ComposeRDP returns the curve of an adaptive sequence: at each order of a part the sum over the parts of
// the least epsilon at that order or a higher one.
func ComposeRDP(parts ...RDP) (Bound[RDP], error) {
	if err := Domain(len(parts) > 0, "parts", len(parts), "one or more"); err != nil {
		return Bound[RDP]{}, err
	}
	var all []RenyiPoint
	for _, r := range parts {
		if err := r.Validate(); err != nil {
			return Bound[RDP]{}, err
		}
		for _, p := range r.Points {
			sum := RenyiPoint{Order: p.Order}
			for _, s := range parts {
				sum.Epsilon = addUp(sum.Epsilon, s.at(p.Order))
			}
			if sum.Epsilon <= math.MaxFloat64 {
				all = append(all, sum)
			}
		}
	}
	if len(all) == 0 {
		return Bound[RDP]{}, &NoAnswerError{Reason: "the curve exceeds what a number can hold"}
	}
	return Bound[RDP]{RDP{Undominated(all)}, []Source{{"mironov17", "Proposition 1"}}, nil}, nil
}

// at returns the least epsilon at an order or above it, +Inf if there is none.
func (r RDP) at(order float64) float64 {
	least := math.Inf(1)
	for _, p := range r.Points {
		if p.Order >= order {
			least = min(least, p.Epsilon)
		}
	}
	return least
}

// Widened returns the curve of an adaptive sequence with a rho-zCDP step: a rho is added at every order a.
func (r RDP) Widened(rho float64) RDP {
	points := slices.Clone(r.Points)
	for i := range points {
		points[i].Epsilon = addUp(points[i].Epsilon, mulUp(points[i].Order, rho))
	}
	return RDP{points}
}

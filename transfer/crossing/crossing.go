// Package crossing finds the number of queries from which on another method asks for fewer rows than sample
// splitting.
package crossing

import (
	"context"
	"slices"

	"github.com/dpcalc/dpcalc/transfer"
)

// Point is where sample splitting, the simplest plan, stops being the best.
type Point struct {
	Queries int64            // the least number at which the method with the fewest rows is no form of splitting
	Method  *transfer.Method // that method
	Onward  bool             // whether it needs fewer rows than splitting with more queries too
}

const (
	oneByOne = 64      // so many numbers of queries are tried one after the other
	mostLook = 1 << 20 // and up to here by doubling
)

// Find looks for the crossing of a goal, whose samples and queries do not count, among
// methods that the result points into. It is not ok where no form of splitting is among them or applies, and
// where nothing beats splitting with up to 2^20 queries. Up to 64 queries every number is tried. Above that
// a beaten splitting is taken to stay beaten: it needs some m ln m rows, and the others no more than m times a
// constant. The error is a DomainError, or the error of ctx.
func Find(ctx context.Context, methods []transfer.Method, g transfer.Goal) (c Point, ok bool, err error) {
	all := contest{ctx: ctx, methods: methods, goal: g}
	if !slices.ContainsFunc(methods, func(m transfer.Method) bool { return m.Splits }) {
		return c, false, nil
	}
	c.Queries, err = leastBeaten(func(m int64) (bool, error) { return all.beaten(m, nil) })
	if c.Queries == 0 || err != nil {
		return Point{}, false, err
	}
	if c.Method, err = all.fewest(c.Queries); c.Method == nil || err != nil {
		return Point{}, false, err
	}
	if c.Onward, err = all.staysAhead(c); err != nil {
		return Point{}, false, err
	}
	return c, true, nil
}

// contest compares splitting with the other methods for a goal.
type contest struct {
	ctx     context.Context
	methods []transfer.Method
	goal    transfer.Goal
}

// at is the goal with m queries, and n rows to be found if that is zero.
func (c contest) at(m, n int64) transfer.Goal {
	g := c.goal
	g.Queries, g.Samples = m, n
	return g
}

// fewest is the method that needs the fewest rows for m queries, of those that beat splitting.
func (c contest) fewest(m int64) (best *transfer.Method, err error) {
	below, err := c.belowSplitting(m)
	if err != nil || below == 0 {
		return nil, err
	}
	least := below + 1
	for i := range c.methods {
		method := &c.methods[i]
		if ok, err := rivals(method, c.at(m, below)); err != nil {
			return nil, err
		} else if !ok {
			continue
		}
		a, err := method.Solve(c.at(m, 0))
		if err != nil {
			return nil, err
		}
		if a.Status == transfer.OK && a.Samples < least {
			best, least = method, a.Samples
		}
	}
	return best, nil
}

// rivals reports whether a method that is no form of splitting certifies a goal.
func rivals(m *transfer.Method, g transfer.Goal) (bool, error) {
	if !m.Adaptive || m.Splits {
		return false, nil
	}
	return m.Certifies(g)
}

// leastBeaten returns the least m from 1 on at which splitting is beaten, 0 if there is
// none up to [mostLook].
func leastBeaten(beaten func(m int64) (bool, error)) (int64, error) {
	for m := int64(1); m <= oneByOne; m++ {
		if yes, err := beaten(m); yes || err != nil {
			return m, err
		}
	}
	lo, hi := int64(oneByOne), int64(2*oneByOne)
	for ; ; lo, hi = hi, 2*hi {
		if hi > mostLook {
			return 0, nil
		}
		if yes, err := beaten(hi); err != nil {
			return 0, err
		} else if yes {
			break
		}
	}
	for hi-lo > 1 {
		mid := lo + (hi-lo)/2
		yes, err := beaten(mid)
		switch {
		case err != nil:
			return 0, err
		case yes:
			hi = mid
		default:
			lo = mid
		}
	}
	return hi, nil
}

// staysAhead reports whether the method of a crossing beats splitting with the next few
// numbers of queries too, where whole rows and parts may upset the order, and far beyond.
func (c contest) staysAhead(at Point) (bool, error) {
	var more []int64
	for k := range int64(4) {
		more = append(more, at.Queries+1+k)
	}
	for k := 2 * at.Queries; k <= mostLook; k *= 256 {
		more = append(more, k)
	}
	for _, m := range more {
		if ahead, err := c.beaten(m, at.Method); !ahead || err != nil {
			return false, err
		}
	}
	return true, nil
}

// beaten reports whether a method, or any that is no form of splitting if it is nil, needs
// fewer rows for m queries than every form of splitting.
func (c contest) beaten(m int64, by *transfer.Method) (bool, error) {
	below, err := c.belowSplitting(m)
	if err != nil || below == 0 {
		return false, err
	}
	if by != nil {
		return rivals(by, c.at(m, below))
	}
	for i := range c.methods {
		if ok, err := rivals(&c.methods[i], c.at(m, below)); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// belowSplitting is the greatest number of rows below what every form of splitting needs for
// m queries; 0 if there is none, or splitting does not apply.
func (c contest) belowSplitting(m int64) (int64, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	least := int64(transfer.MaxCount) + 1
	for i := range c.methods {
		method := &c.methods[i]
		if !method.Splits {
			continue
		}
		base, err := method.Solve(c.at(m, 0))
		if err != nil || base.Status == transfer.NotApplicable {
			return 0, err
		}
		if base.Status == transfer.OK {
			least = min(least, base.Samples)
		}
	}
	return least - 1, nil
}

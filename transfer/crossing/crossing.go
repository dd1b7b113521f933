// Package crossing finds the number of queries from which on another method asks for fewer rows than sample splitting.
package crossing

import (
	"context"
	"slices"
	"sort"

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
func Find(ctx context.Context, methods []transfer.Method, g transfer.Goal) (Point, bool, error) {
	c := contest{ctx, methods, g}
	if !slices.ContainsFunc(methods, func(m transfer.Method) bool { return m.Splits }) {
		return Point{}, false, nil
	}
	m, err := leastBeaten(func(m int64) (bool, error) {
		ahead, err := c.ahead(m)
		return len(ahead) > 0, err
	})
	if m == 0 || err != nil {
		return Point{}, false, err
	}
	method, err := c.fewest(m)
	if method == nil || err != nil {
		return Point{}, false, err
	}
	onward, err := c.staysAhead(m, method)
	return Point{m, method, onward}, err == nil, err
}

// contest compares splitting with the other methods for a goal.
type contest struct {
	ctx     context.Context
	methods []transfer.Method
	goal    transfer.Goal
}

// solve answers the goal with m queries.
func (c contest) solve(method *transfer.Method, m int64) (transfer.Answer, error) {
	c.goal.Queries, c.goal.Samples = m, 0
	return method.Solve(c.goal)
}

// fewest is the method that needs the fewest rows for m queries, of those that beat splitting.
func (c contest) fewest(m int64) (best *transfer.Method, err error) {
	ahead, err := c.ahead(m)
	least := int64(transfer.MaxCount) + 1
	for _, method := range ahead {
		a, err := c.solve(method, m)
		if err != nil {
			return nil, err
		}
		if a.Status == transfer.OK && a.Samples < least {
			best, least = method, a.Samples
		}
	}
	return best, err
}

// leastBeaten returns the least m from 1 on at which splitting is beaten, 0 if there is none up to [mostLook].
func leastBeaten(beaten func(m int64) (bool, error)) (least int64, err error) {
	ends := func(m int) bool {
		yes := false
		if err == nil {
			yes, err = beaten(int64(m))
		}
		return yes || err != nil
	}
	for m := 1; m <= oneByOne; m++ {
		if ends(m) {
			return int64(m), err
		}
	}
	for lo := oneByOne; lo < mostLook; lo *= 2 {
		if ends(2 * lo) {
			least := lo + 1 + sort.Search(lo-1, func(i int) bool { return ends(lo + 1 + i) })
			return int64(least), err
		}
	}
	return 0, nil
}

// staysAhead reports whether the method of a crossing beats splitting with the next few
// numbers of queries too, where whole rows and parts may upset the order, and far beyond.
func (c contest) staysAhead(at int64, method *transfer.Method) (bool, error) {
	more := []int64{at + 1, at + 2, at + 3, at + 4}
	for k := 2 * at; k <= mostLook; k *= 256 {
		more = append(more, k)
	}
	for _, m := range more {
		if ahead, err := c.ahead(m); err != nil || !slices.Contains(ahead, method) {
			return false, err
		}
	}
	return true, nil
}

// ahead lists the methods that need fewer rows for m queries than every form of splitting. It is empty if splitting
// does not apply.
func (c contest) ahead(m int64) (ahead []*transfer.Method, err error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	least := int64(transfer.MaxCount) + 1
	for i := range c.methods {
		if method := &c.methods[i]; method.Splits {
			base, err := c.solve(method, m)
			if err != nil || base.Status == transfer.NotApplicable {
				return nil, err
			}
			if base.Status == transfer.OK {
				least = min(least, base.Samples)
			}
		}
	}
	if c.goal.Queries, c.goal.Samples = m, least-1; least == 1 {
		return nil, nil
	}
	for i := range c.methods {
		method := &c.methods[i]
		if !method.Adaptive || method.Splits {
			continue
		}
		if ok, err := method.Certifies(c.goal); err != nil {
			return nil, err
		} else if ok {
			ahead = append(ahead, method)
		}
	}
	return ahead, nil
}

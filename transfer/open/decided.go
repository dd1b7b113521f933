package open

import "math"

// Decided is a query of independent rows with values in [-1,1] that is 0 on all rows but some, and it is known on
// which: whether one model is right, less whether another one is, is 0 where both predict the same. It has the tails of
// (1+f)/2 on these rows alone: [ZeroOne] where f is 1 or -1 on each of them, as with two classes, and otherwise
// [Convex].
// Means of the first kind are (2k-Count)/Rows, correctly rounded, so that they compare as the counts k do.
type Decided struct {
	Rows, Count int64   // of all rows, and of those on which f may be other than 0, at least 1
	Among       Planned // of (1+f)/2 on these
}

// TwoClasses returns the tails of a difference that is 1 or -1 on so many of the rows, and 0 elsewhere.
func TwoClasses(rows, count int64) Decided { return Decided{rows, count, ZeroOne{count}} }

func (v Decided) Range() (lowest, highest float64) {
	highest = float64(v.Count) / float64(v.Rows)
	return -highest, highest
}

// Edge returns x or, where means are counts, the least of them from x on.
func (v Decided) Edge(x float64) float64 {
	if _, counted := v.Among.(ZeroOne); !counted {
		return x
	}
	k := int64(math.Floor((float64(v.Rows)*x+float64(v.Count))/2)) - 1
	for v.mean(k) < x {
		k++
	}
	return v.mean(k)
}

func (v Decided) mean(k int64) float64 { return float64(2*k-v.Count) / float64(v.Rows) }

// among returns about the mean of (1+f)/2 on the decided rows.
func (v Decided) among(x float64) float64 { return (1 + x*float64(v.Rows)/float64(v.Count)) / 2 }

const mapped = 0x1p-50 // of which a mean on the decided rows may be off, and relative one that is mapped back

func (v Decided) Lower(x, lnLevel float64) float64 {
	lowest, _ := v.Range()
	y := v.back(v.Among.Lower(v.among(x)-mapped, lnLevel))
	return max(min(x, y-math.Abs(y)*mapped), lowest)
}

func (v Decided) Upper(x, lnLevel float64) float64 {
	_, highest := v.Range()
	y := v.back(v.Among.Upper(v.among(x)+mapped, lnLevel))
	return min(y+math.Abs(y)*mapped, highest)
}

// back returns about the mean over all rows.
func (v Decided) back(p float64) float64 { return (2*p - 1) * float64(v.Count) / float64(v.Rows) }

func (v Decided) Pass(bar, lnLevel float64) (float64, bool) {
	lowest, highest := v.Range()
	among := 0.
	if bar > lowest {
		among = v.among(bar) + mapped
	}
	p, ok := v.Among.Pass(among, lnLevel)
	if !ok {
		return 0, false
	}
	tiny := mapped * highest
	for step := -tiny; ; step = 2*math.Abs(step) + tiny {
		x := v.Edge(min(v.back(p)+step, highest))
		if x > lowest && v.Lower(x, lnLevel) >= bar {
			return x, true
		}
		if x >= highest {
			return 0, false
		}
	}
}

func (v Decided) Widest(lnLow, lnHigh, gap float64) float64 {
	_, highest := v.Range()
	whole := 2 * highest
	return min(v.Among.Widest(lnLow, lnHigh, gap/whole)*whole*(1+mapped), whole)
}

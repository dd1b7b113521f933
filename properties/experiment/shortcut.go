package experiment

import "math"

// drawCorrelations draws c_j ~ N(bias_j, 1/n) on the training set and the holdout.
func (t *trial) drawCorrelations() {
	for set, c := range t.correlation {
		t.stream(forCorrelations, set, 0).normals(c)
		for j := range c {
			c[j] = t.bias(j) + float64(t.unit*c[j])
		}
	}
}

// drawAccuracies draws the rows' sums over the selected attributes. With z = x y, a
// row is classified correctly if its sum of s_j z_j is positive, s_j the sign of the
// training correlation. Over the rows, column z_j is c_j plus a Gaussian vector
// without a mean that is independent of all c, so the sums over the first k
// attributes are
//
//	sum_{l<=k} s_l c_l + W_k - mean(W_k),
//
// where W is a Brownian motion for each row, at times k. On fresh data nothing is
// known of the columns, and the sums are sum s_l bias_l + W_k. The arms look at the
// same W, which leaves the law of each as it is.
func (t *trial) drawAccuracies() {
	n := int(t.Samples)
	if t.columns == nil {
		t.columns = make([]float64, 2*n)
	}
	walk, step := t.columns[:n], t.columns[n:]
	for set := range 3 {
		normal := t.stream(forResiduals, set, 0)
		clear(walk)
		sum := 0.0 // of walk
		for i := range t.classifiers {
			t.classifiers[i].correct[set][0] = 0.5
		}
		for at := 1; at < len(sizes) && t.ctx.Err() == nil; at++ {
			from, to := sizes[at-1], sizes[at]
			normal.normals(step)
			drift := total(step)
			for i := range t.classifiers {
				c := &t.classifiers[i]
				k := min(to, len(c.attributes))
				if k <= from { // no attribute is left to add
					c.correct[set][at] = c.correct[set][at-1]
					continue
				}
				scale := math.Sqrt(float64(k - from))
				centre := t.centre(c.attributes[:k], set)
				if set != fresh {
					centre -= (sum + float64(scale*drift)) / float64(n)
				}
				c.correct[set][at] = positive(walk, step, scale, centre)
			}
			scale := math.Sqrt(float64(to - from))
			for i, g := range step {
				walk[i] += float64(scale * g)
			}
			sum += float64(scale * drift)
		}
	}
}

// total is the sum, by four sums that do not wait for each other.
func total(xs []float64) float64 {
	var a, b, c, d float64
	for ; len(xs) >= 4; xs = xs[4:] {
		a, b, c, d = a+xs[0], b+xs[1], c+xs[2], d+xs[3]
	}
	for _, x := range xs {
		a += x
	}
	return a + b + c + d
}

// centre is the mean of the rows' sums over some attributes, of which only the
// expectation is known on fresh data.
func (t *trial) centre(attributes []int32, set int) float64 {
	sum := 0.0
	for _, j := range attributes {
		c := t.bias(int(j))
		if set != fresh {
			c = t.correlation[set][j]
		}
		if t.correlation[train][j] < 0 {
			c = -c
		}
		sum += c
	}
	return sum
}

// positive returns the share of the rows in which walk + scale step + centre > 0.
func positive(walk, step []float64, scale, centre float64) float64 {
	count := uint64(0)
	for i, w := range walk {
		// The sign bit of the negation: no branch, for it would be taken at random.
		count += math.Float64bits(-centre-w-float64(scale*step[i])) >> 63
	}
	return float64(count) / float64(len(walk))
}

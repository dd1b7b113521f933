package experiment

// The direct way draws every column of the data from a stream of its own, twice if a
// classifier needs it, so that no more than one of them is in memory.

// labels fills ys with the labels of a data set.
func (t *trial) labels(ys []float64, set int) {
	s := t.stream(forLabels, set, 0)
	for i := range ys {
		ys[i] = float64(int64(s.Uint64()>>63)*2 - 1)
	}
}

// column fills xs with an attribute of a data set.
func (t *trial) column(xs, ys []float64, set, attribute int) {
	t.stream(forColumn, set, attribute).normals(xs)
	if bias := t.bias(attribute); bias != 0 {
		for i, y := range ys {
			xs[i] += float64(bias * y)
		}
	}
}

// scratch returns the memory for labels, a column and a score for each arm.
func (t *trial) scratch() (ys, xs []float64, scores [][]float64) {
	n := int(t.Samples)
	if t.columns == nil {
		t.columns = make([]float64, (2+len(t.Arms))*n)
	}
	for i := range t.Arms {
		scores = append(scores, t.columns[(2+i)*n:(3+i)*n])
	}
	return t.columns[:n], t.columns[n : 2*n], scores
}

// measureColumns sets the correlations of all attributes.
func (t *trial) measureColumns() {
	ys, xs, _ := t.scratch()
	for set, c := range t.correlation {
		t.labels(ys, set)
		for j := range c {
			if t.ctx.Err() != nil {
				return
			}
			t.column(xs, ys, set, j)
			c[j] = dot(xs, ys) / float64(len(ys))
		}
	}
}

// classifyRows counts what the classifiers get right.
func (t *trial) classifyRows() {
	ys, xs, scores := t.scratch()
	for set := range 3 {
		t.labels(ys, set)
		for i := range t.classifiers {
			clear(scores[i])
			for at := range sizes {
				t.classifiers[i].correct[set][at] = 0.5
			}
		}
		used := make([]int, len(t.classifiers)) // attributes in each score
		for _, j := range t.ranked {
			if t.ctx.Err() != nil {
				return
			}
			drawn := false
			for i := range t.classifiers {
				c := &t.classifiers[i]
				if used[i] == len(c.attributes) || c.attributes[used[i]] != j {
					continue
				}
				if !drawn {
					t.column(xs, ys, set, int(j))
					drawn = true
				}
				add(scores[i], xs, t.correlation[train][j] < 0)
				used[i]++
				c.record(set, used[i], scores[i], ys)
			}
		}
	}
}

// record notes the accuracy of the classifier of k attributes, if it is one of those
// asked for or the last there is.
func (c *classifier) record(set, k int, scores, ys []float64) {
	last := k == len(c.attributes)
	share := -1.0
	for at, size := range sizes {
		if size != k && !(last && size > k) {
			continue
		}
		if share < 0 {
			right := 0
			for i, y := range ys {
				if scores[i]*y > 0 {
					right++
				}
			}
			share = float64(right) / float64(len(ys))
		}
		c.correct[set][at] = share
	}
}

// add adds xs to the scores, or takes it away.
func add(scores, xs []float64, negative bool) {
	if negative {
		for i, x := range xs {
			scores[i] -= x
		}
		return
	}
	for i, x := range xs {
		scores[i] += x
	}
}

// dot is the sum of the products, by four sums that do not wait for each other.
func dot(xs, ys []float64) float64 {
	var a, b, c, d float64
	for ; len(xs) >= 4 && len(ys) >= 4; xs, ys = xs[4:], ys[4:] {
		a += float64(xs[0] * ys[0])
		b += float64(xs[1] * ys[1])
		c += float64(xs[2] * ys[2])
		d += float64(xs[3] * ys[3])
	}
	for i := range xs {
		a += float64(xs[i] * ys[i])
	}
	return a + b + c + d
}

package experiment

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// The three data sets.
const (
	train = iota
	holdout
	fresh
)

// What a stream of random numbers is for. Each has a key of its own.
const (
	forCorrelations = iota
	forResiduals
	forLabels
	forColumn
	forArm
)

// trial runs single repetitions and keeps their memory.
type trial struct {
	Holdout
	ctx        context.Context
	unit       float64 // 1/sqrt(n), the standard deviation of a correlation
	signal     int64
	repetition int

	correlation [2][]float64 // on the training set and the holdout
	ranked      []int32      // attributes whose |training correlation| exceeds unit, largest first
	asked       []int32      // attributes in the order of asking
	kept        []bool       // by attribute
	classifiers []classifier // by arm
	columns     []float64    // scratch of n numbers and more
}

// classifier is the attributes that one arm has selected.
type classifier struct {
	attributes []int32                // of the largest size, by rank
	selected   int                    // number of all
	correct    [3][len(sizes)]float64 // accuracy by data set and size
}

func newTrial(ctx context.Context, e Holdout) *trial {
	d := e.Attributes
	return &trial{
		Holdout:     e,
		ctx:         ctx,
		unit:        1 / math.Sqrt(float64(e.Samples)),
		correlation: [2][]float64{make([]float64, d), make([]float64, d)},
		asked:       make([]int32, d),
		kept:        make([]bool, d),
		classifiers: make([]classifier, len(e.Arms)),
	}
}

// stream returns the random numbers for a purpose, a data set or an arm, and an
// attribute.
func (t *trial) stream(purpose, set, attribute int) *stream {
	return newStream([3]uint64{
		t.Seed,
		uint64(t.signal)<<32 | uint64(t.repetition),
		uint64(purpose)<<48 | uint64(set)<<40 | uint64(attribute),
	})
}

// bias is the mean of an attribute's correlation.
func (t *trial) bias(attribute int) float64 {
	if int64(attribute) < t.signal {
		return 6 * t.unit
	}
	return 0
}

// run is one repetition. What it returns is void once the context has ended.
func (t *trial) run(signal int64, repetition int) []point {
	t.signal, t.repetition = signal, repetition
	if t.Direct {
		t.measureColumns()
	} else {
		t.drawCorrelations()
	}
	t.rank()
	mechanisms := make([]answerer, len(t.Arms))
	for i, arm := range t.Arms {
		random := rand.New(t.stream(forArm, slices.Index(Arms(), arm), 0))
		t.order(arm, random)
		mechanisms[i] = newAnswerer(arm, t.Samples, t.unit, t.Budget, random)
		t.choose(&t.classifiers[i], mechanisms[i])
	}
	if t.Direct {
		t.classifyRows()
	} else {
		t.drawAccuracies()
	}
	var points []point
	for i, m := range mechanisms {
		points = append(points, t.classifiers[i].report(m)...)
	}
	return points
}

// rank orders the attributes that can be selected at all.
func (t *trial) rank() {
	c := t.correlation[train]
	t.ranked = t.ranked[:0]
	for j := range c {
		if math.Abs(c[j]) > t.unit {
			t.ranked = append(t.ranked, int32(j))
		}
	}
	slices.SortFunc(t.ranked, func(a, b int32) int {
		return cmp.Compare(math.Abs(c[b]), math.Abs(c[a]))
	})
}

// order puts the attributes in the order of asking. It matters where a budget can end:
// the informative attributes are the first ones, and are not to be asked first.
func (t *trial) order(arm Arm, random *rand.Rand) {
	for j := range t.asked {
		t.asked[j] = int32(j)
	}
	if arm == Thresholdout {
		random.Shuffle(len(t.asked), func(i, j int) { t.asked[i], t.asked[j] = t.asked[j], t.asked[i] })
	}
}

// choose asks for the correlation of every attribute and selects.
func (t *trial) choose(c *classifier, m answerer) {
	for _, j := range t.asked {
		own := t.correlation[train][j]
		reported, answered := m.ask(own, t.correlation[holdout][j])
		large := min(math.Abs(own), math.Abs(reported)) > t.unit
		t.kept[j] = answered && large && math.Copysign(reported, own) == reported
	}
	c.attributes, c.selected = c.attributes[:0], 0
	for _, j := range t.ranked {
		if !t.kept[j] {
			continue
		}
		if c.selected++; c.selected <= sizes[len(sizes)-1] {
			c.attributes = append(c.attributes, j)
		}
	}
}

// report asks for the accuracy of every classifier.
func (c *classifier) report(m answerer) []point {
	points := make([]point, len(sizes))
	for i, k := range sizes {
		p := &points[i]
		p.selected = c.selected
		for set := range p.correct {
			p.correct[set] = c.correct[set][i]
		}
		if p.shown, p.answered = 0.5, true; k > 0 {
			p.shown, p.answered = m.ask(p.correct[train], p.correct[holdout])
		}
		p.spent = m.spent()
	}
	return points
}

package theory

import (
	"cmp"
	"math"
)

// The privacy of the mechanisms as a function of their noise. Every epsilon and mu
// is rounded up.

// NoiseKind is the law of the noise that a mechanism adds, up to a scale.
type NoiseKind string

const (
	LaplaceNoise  NoiseKind = "laplace"  // the scale is b of the density e^(-|x|/b)/(2b)
	GaussianNoise NoiseKind = "gaussian" // the scale is the standard deviation
)

// Laplace answers a query of the given sensitivity (the most that one record moves
// it) plus Lap(scale). The scale is the b of the density e^(-|x|/b)/(2b); the
// standard deviation is b sqrt 2.
type Laplace struct {
	Sensitivity float64 // > 0
	Scale       float64 // > 0, in units of the query
}

// Pure returns epsilon = sensitivity/scale.
func (m Laplace) Pure() (Bound[Pure], error) {
	if err := cmp.Or(positive("sensitivity", m.Sensitivity), positive("scale", m.Scale)); err != nil {
		return Bound[Pure]{}, err
	}
	epsilon := divUp(m.Sensitivity, m.Scale)
	return finite(Pure{epsilon}, epsilon, "epsilon", Source{"dwork06calibrating", "Proposition 1"})
}

// Gaussian answers a query, or a vector of queries with the given L2-sensitivity,
// plus N(0, SD^2) on each coordinate.
type Gaussian struct {
	Sensitivity float64 // > 0
	SD          float64 // standard deviation > 0, in units of the query
}

// GDP returns mu = sensitivity/SD.
func (m Gaussian) GDP() (Bound[GDP], error) {
	if err := cmp.Or(positive("sensitivity", m.Sensitivity), positive("sd", m.SD)); err != nil {
		return Bound[GDP]{}, err
	}
	mu := divUp(m.Sensitivity, m.SD)
	return finite(GDP{mu}, mu, "mu", Source{"dong22", "Theorem 2.7"})
}

// GaussianQueries answers k adaptively chosen statistical queries, means over n
// records of functions into [0,1], with N(0, SD^2) on each answer.
type GaussianQueries struct {
	Queries int64   // k >= 1
	Samples int64   // n >= 1
	SD      float64 // standard deviation > 0 of the noise on the mean
}

// GDP returns mu = sqrt(k)/(n SD): one record moves each mean by at most 1/n.
func (m GaussianQueries) GDP() (Bound[GDP], error) {
	if err := cmp.Or(count("queries", m.Queries), count("samples", m.Samples), positive("sd", m.SD)); err != nil {
		return Bound[GDP]{}, err
	}
	mu := above(math.Sqrt(float64(m.Queries)) / float64(m.Samples) / m.SD)
	return finite(GDP{mu}, mu, "mu", Source{"dong22", "Theorem 2.7"}, Source{"dong22", "Corollary 3.3"})
}

// Exponential draws an outcome with probability proportional to e^(weight u), where
// one record moves the utility u of each outcome by at most Sensitivity.
type Exponential struct {
	Sensitivity float64 // of the utility, > 0
	Weight      float64 // > 0, per unit of utility
}

// BoundedRange returns the range 2 weight sensitivity: epsilon for the weight
// epsilon/(2 sensitivity), and 2 epsilon for the weight epsilon/sensitivity, which is
// also in print for epsilon. The privacy epsilon of the mechanism is the same number;
// see [BoundedRange.Pure].
func (m Exponential) BoundedRange() (Bound[BoundedRange], error) {
	if err := cmp.Or(positive("sensitivity", m.Sensitivity), positive("weight", m.Weight)); err != nil {
		return Bound[BoundedRange]{}, err
	}
	epsilon := 2 * mulUp(m.Weight, m.Sensitivity)
	return finite(BoundedRange{epsilon}, epsilon, "epsilon", Source{"mcsherry07", "Theorem 6"},
		Source{"durfee19", "bounded range"})
}

// SparseVector (AboveThreshold) compares queries of the given sensitivity plus
// Lap(QueryScale), fresh for each, with a threshold plus Lap(ThresholdScale), drawn
// once. It says "below" or "above" and nothing else, and stops at the first "above".
type SparseVector struct {
	Sensitivity    float64 // > 0
	ThresholdScale float64 // > 0
	QueryScale     float64 // > 0
}

// Pure returns epsilon = sensitivity/ThresholdScale + 2 sensitivity/QueryScale,
// whatever the number of "below". The textbook scales 2 sensitivity/epsilon and 4
// sensitivity/epsilon make each term epsilon/2.
func (m SparseVector) Pure() (Bound[Pure], error) {
	if err := cmp.Or(positive("sensitivity", m.Sensitivity), positive("threshold scale", m.ThresholdScale),
		positive("query scale", m.QueryScale)); err != nil {
		return Bound[Pure]{}, err
	}
	epsilon := addUp(divUp(m.Sensitivity, m.ThresholdScale), 2*divUp(m.Sensitivity, m.QueryScale))
	return finite(Pure{epsilon}, epsilon, "epsilon", Source{"dwork14book", "Theorem 3.23"}, Source{"lyu17", "Theorem 2"})
}

// Thresholdout answers statistical queries from a training set until it differs
// too much from a holdout of n records: threshold noise Lap(2 scale), query noise
// Lap(4 scale), and Lap(scale) on an answer from the holdout, of which there are at
// most Budget. Its privacy protects the holdout.
type Thresholdout struct {
	Budget  int64   // B >= 1 answers from the holdout
	Scale   float64 // > 0, in units of the answer
	Samples int64   // n >= 1 records in the holdout
}

var thresholdoutPrivacy = Source{"dwork15generalization", "the privacy of Thresholdout"}

// step returns the privacy 1/(scale n) of one comparison epoch and of one answer.
func (m Thresholdout) step() (float64, error) {
	if err := cmp.Or(count("budget", m.Budget), positive("scale", m.Scale), count("samples", m.Samples)); err != nil {
		return 0, err
	}
	return above(1 / m.Scale / float64(m.Samples)), nil
}

// Pure returns epsilon = 2B/(scale n).
func (m Thresholdout) Pure() (Bound[Pure], error) {
	step, err := m.step()
	if err != nil {
		return Bound[Pure]{}, err
	}
	epsilon := mulUp(step, 2*floatUp(m.Budget))
	return finite(Pure{epsilon}, epsilon, "epsilon", thresholdoutPrivacy)
}

// Composition returns the adaptive composition that Thresholdout is: B epochs of
// sparse vector and B Laplace answers, each 1/(scale n)-private. It reports NoAnswer
// for B >= 2^62.
func (m Thresholdout) Composition() (Bound[Composition], error) {
	step, err := m.step()
	if err != nil {
		return Bound[Composition]{}, err
	}
	if m.Budget > math.MaxInt64/2 {
		return Bound[Composition]{}, &NoAnswerError{Reason: "2B exceeds the largest int64"}
	}
	return finite(Composition{Each: Pure{step}.Approx(), Times: 2 * m.Budget}, step, "epsilon", thresholdoutPrivacy)
}

// Approx returns (sqrt(32 B ln(2/delta))/(scale n), delta) for 0 < delta <= 1. It
// reports NotApplicable unless that number E is at most 20 ln(2/delta) or at least
// 2B/(scale n); elsewhere the published statement can fail, and [Composition.Optimal]
// of [Thresholdout.Composition] has the answer.
//
// With e = 1/(scale n) and L = ln(2/delta), advanced composition of 2B steps gives at
// most e sqrt(4B ln(1/delta)) + 2B e (e/2) <= E/sqrt 8 + E^2/(32 L), which is below
// 0.98 E for E <= 20 L. For E >= 2Be the pure bound is enough.
func (m Thresholdout) Approx(delta LogProb) (Bound[Approx], error) {
	step, err := m.step()
	if err := cmp.Or(err, probability("delta", delta), needsDelta(thresholdoutPrivacy, delta)); err != nil {
		return Bound[Approx]{}, err
	}
	budget, l := floatUp(m.Budget), math.Ln2-delta.Ln()
	epsilon := above(step * math.Sqrt(32*budget*l))
	if !(epsilon <= 20*l || epsilon >= mulUp(step, 2*budget)) {
		return Bound[Approx]{}, &NotApplicableError{Source: thresholdoutPrivacy, Needs: "sqrt(32 B ln(2/delta))/(scale n) at most 20 ln(2/delta) or at least 2B/(scale n)"}
	}
	return finite(Approx{epsilon, delta}, epsilon, "epsilon", thresholdoutPrivacy)
}

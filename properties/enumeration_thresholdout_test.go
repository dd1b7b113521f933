package properties

import (
	"math"
	"math/rand/v2"
	"testing"
)

func laplace(r *rand.Rand, scale float64) float64 {
	return math.Copysign(scale*r.ExpFloat64(), r.Float64()-0.5)
}

// thresholdout is the algorithm of docs/theorems/thresholdout.md, with its noises on record.
type thresholdout struct {
	threshold, sigma float64
	budget           int

	r              *rand.Rand
	bar            float64 // what the next comparison is with
	eta, gamma, xi []float64
}

func newThresholdout(r *rand.Rand, threshold, sigma float64, budget int) *thresholdout {
	h := &thresholdout{threshold: threshold, sigma: sigma, budget: budget, r: r}
	h.gamma = append(h.gamma, laplace(r, 2*sigma))
	h.draw()
	return h
}

func (h *thresholdout) draw() {
	h.eta = append(h.eta, laplace(h.r, 4*h.sigma))
	h.bar = h.threshold + h.gamma[len(h.gamma)-1] + h.eta[len(h.eta)-1]
}

// ask answers a query of the given means unless the budget is spent.
func (h *thresholdout) ask(training, holdout float64) (answer float64, flagged, answered bool) {
	if h.budget == 0 {
		return 0, false, false
	}
	answer, flagged = training, math.Abs(holdout-training) > h.bar
	if flagged {
		h.xi = append(h.xi, laplace(h.r, h.sigma))
		answer = holdout + h.xi[len(h.xi)-1]
		h.budget--
		h.gamma = append(h.gamma, laplace(h.r, 2*h.sigma))
	}
	h.draw()
	return answer, flagged, true
}

// shown is what the transcript, the population and the training set say of a query:
// everything but the holdout and the noise.
type shown struct {
	population, training, answer float64
	flagged, answered            bool
}

// failed returns whether a query is wrong, or has no answer, while fewer than budget
// queries of a training error above tau/2 have been asked.
func failed(transcript []shown, budget int, tau float64) bool {
	hard := 0
	for _, q := range transcript {
		if math.Abs(q.population-q.training) > tau/2 {
			hard++
		}
		if hard < budget && (!q.answered || math.Abs(q.answer-q.population) >= tau) {
			return true
		}
	}
	return false
}

// witness returns the query that has overfitted the holdout, and in which direction,
// as the proof reads it off a transcript that failed.
func witness(transcript []shown, tau float64) (query int, sign float64, ok bool) {
	for i, q := range transcript {
		switch {
		case q.answered && math.Abs(q.answer-q.population) >= tau: // the same sign for both sources
			return i, math.Copysign(1, q.answer-q.population), true
		case q.flagged && math.Abs(q.population-q.training) <= tau/2:
			return i, math.Copysign(1, q.answer-q.training), true
		}
	}
	return 0, 0, false
}

// Whenever Thresholdout fails, the query that the transcript points at exceeds its
// population value on the holdout by tau/4 - N1 - 2W 1{W+N1 > T}, pointwise, with the
// smaller of the two forms of N1. The means need not be in [0,1] for that, and the
// holdout may know the noise: in half of the queries it is at the edge of the bar.
func TestThresholdoutInequality(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	greatest := func(x []float64, sign float64) float64 {
		top := math.Inf(-1)
		for _, v := range x {
			top = math.Max(top, sign*v)
		}
		return top
	}
	failures, wide, withoutW, quarter, tightest := 0, 0, 0, 0, math.Inf(1)
	for range 200_000 {
		tau := 0.05 + 0.9*r.Float64()
		budget, queries := 1+r.IntN(3), 1+r.IntN(8)
		h := newThresholdout(r, 0.75*tau, tau*math.Exp(-5*r.Float64()), budget)
		transcript, holdout := make([]shown, queries), make([]float64, queries)
		for i := range transcript {
			q := shown{population: r.Float64()}
			offset := tau * float64(r.IntN(9)-4) / 4
			if r.IntN(2) == 0 {
				offset += tau * r.NormFloat64() / 4
			}
			q.training = q.population + offset
			holdout[i] = q.population + tau*r.NormFloat64()
			if r.IntN(2) == 0 {
				holdout[i] = q.training + math.Copysign(h.bar+tau*1e-9*r.NormFloat64(), r.Float64()-0.5)
			}
			q.answer, q.flagged, q.answered = h.ask(q.training, holdout[i])
			transcript[i] = q
		}
		if !failed(transcript, budget, tau) {
			continue
		}
		failures++
		i, sign, ok := witness(transcript, tau)
		if !ok {
			t.Fatalf("tau %v, budget %d: no query of %+v accounts for the failure", tau, budget, transcript)
		}
		// What was drawn for a query that never came does not count.
		eta, gamma := h.eta[:min(len(h.eta), queries)], h.gamma[:min(len(h.gamma), budget)]
		n1 := math.Max(greatest(gamma, 1)+greatest(eta, 1), greatest(gamma, -1)+greatest(eta, -1))
		w, late := 0., 0.
		for _, x := range h.xi {
			w = math.Max(w, math.Abs(x))
		}
		if w+n1 > h.threshold {
			late = 2 * w
			wide++
		}
		excess := sign*(holdout[i]-transcript[i].population) + n1
		if excess+late < tau/4-1e-9 {
			t.Errorf("tau %v, budget %d: query %d of %+v exceeds by %v, less than tau/4 - N*, N1 = %v, W = %v", tau, budget, i,
				transcript, excess-n1, n1, w)
		}
		tightest = math.Min(tightest, (excess+late)/tau)
		if excess < tau/4-1e-6 {
			withoutW++
		}
		if excess+late < 0.26*tau {
			quarter++
		}
	}
	t.Logf("%d failures, %d of them with W+N1 > T; least (excess + N*)/tau %.6f; refuted: 0.26 tau %d times, no term in W %d times",
		failures, wide, tightest, quarter, withoutW)
	if failures < 10_000 || quarter == 0 || withoutW == 0 {
		t.Error("the check has no power")
	}
}

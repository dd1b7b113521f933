package properties

import (
	"math"
	"testing"

	"github.com/leanovate/gopter"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/transfer"
)

// A row of the registry prescribes a mechanism that exists: it has the privacy that the theorem
// was applied with, its noise alone keeps within tau with probability 1-beta, and a row for
// the output of a private procedure holds by its transfer theorem.
func TestRegistryPrescribesMechanisms(t *testing.T) {
	eachMethod(t, func(t *testing.T, m transfer.Method) {
		lawtest.Check(t, 20151, min(cases(m.Name), 30), func(g transfer.Goal) *gopter.PropResult {
			a := solve(m, g)
			if a.Status != transfer.OK {
				return lawtest.Evidence(true, "")
			}
			return prescribed(m, a)
		}, goals())
	})
}

func prescribed(m transfer.Method, a transfer.Answer) *gopter.PropResult {
	n, queries, run := a.Samples, a.Queries, a.Mechanism
	each := a.Beta.Ln() - math.Log(float64(queries))
	switch {
	case run.Threshold > 0:
		out := mechanism.Thresholdout{Samples: n, Budget: a.Budget, Threshold: run.Threshold, Scale: run.Scale}
		pure, err := out.Pure()
		if err != nil {
			return lawtest.Evidence(outOfReach(run.Scale, n), "%+v: %v", out, err)
		}
		if want := 2 * float64(a.Budget) / (run.Scale * float64(n)); math.Abs(pure.Value.Epsilon/want-1) > 1e-9 {
			return lawtest.Evidence(false, "%+v is %g-private, want %g", out, pure.Value.Epsilon, want)
		}
		noise := run.Scale * num.MaxLaplaceQuantile(a.Budget, a.Beta.Ln())
		return lawtest.Evidence(noise < a.Tau, "the noise of an answer from the holdout exceeds %g, above tau = %g, with probability beta", noise, a.Tau)
	case run.Cells > 0:
		r := mechanism.Rounding{Cells: run.Cells, Queries: queries}
		length, err := r.DescriptionLength()
		if err != nil {
			return lawtest.Evidence(false, "%+v: %v", r, err)
		}
		// The union bound over all transcripts.
		off := a.Tau - 1/(2*float64(run.Cells))
		lnFails := math.Ln2 + math.Log(float64(queries)) +
			float64(length) - math.Log(float64(run.Cells)) - 2*float64(n)*off*off
		return lawtest.Evidence(off > 0 && lnFails <= a.Beta.Ln()+1e-6*math.Abs(lnFails)+1e-6+1e-15*float64(length),
			"%d cells: error %g beyond half a cell with probability e^%g, want beta = e^%g", run.Cells, off, lnFails,
			a.Beta.Ln())
	case run.Noise == "laplace":
		one, err := mechanism.LaplaceAnswers{Samples: n, Scale: []float64{run.Scale}}.Pure()
		if err != nil {
			return lawtest.Evidence(outOfReach(run.Scale, n), "scale %g: %v", run.Scale, err)
		}
		noise := run.Scale * num.MaxLaplaceQuantile(queries, a.Beta.Ln())
		if run.Epsilon > 0 && math.Abs(one.Value.Epsilon*float64(queries)/run.Epsilon-1) > 1e-6 {
			return lawtest.Evidence(false, "%d answers of %g-privacy, want %g", queries, one.Value.Epsilon, run.Epsilon)
		}
		return lawtest.Evidence(noise < a.Tau, "the noise exceeds %g, above tau = %g, with probability beta", noise, a.Tau)
	case run.Noise == "gaussian":
		last, err := mechanism.Gaussian{Sensitivity: 1 / float64(n), SD: run.Scale}.GDP()
		if err != nil {
			return lawtest.Evidence(outOfReach(run.Scale, n), "standard deviation %g: %v", run.Scale, err)
		}
		noise := run.Scale * num.MaxNormalQuantile(queries, a.Beta.Ln())
		if run.Cut > 0 {
			noise = min(noise, run.Scale*run.Cut)
		}
		if want := 1 / (float64(n) * run.Scale); math.Abs(last.Value.Mu/want-1) > 1e-9 {
			return lawtest.Evidence(false, "mu is %g, want %g", last.Value.Mu, want)
		}
		if !(noise < a.Tau) {
			return lawtest.Evidence(false, "the noise exceeds %g, above tau = %g, with probability beta", noise, a.Tau)
		}
		// What the transcript reveals is finite, and more at a smaller slack.
		transcript := maxinfo.GaussianTranscript{Samples: n, Queries: queries, SD: run.Scale}
		some, err1 := transcript.MaxInformation(a.Beta)
		more, err2 := transcript.MaxInformation(2 * a.Beta)
		if err1 != nil || err2 != nil {
			return lawtest.Evidence(true, "") // not every row rests on this theorem
		}
		return lawtest.Evidence(more >= some, "max-information %g at slack %v and %g at its square", some, a.Beta, more)
	case m.Procedure:
		// The theorems of the notes for what a private procedure puts out, with their hypotheses.
		byRows, hypothesis := a.Tau*a.Tau*float64(n), run.LnDelta == 0 && run.Epsilon <= a.Tau
		var fails float64
		switch m.Name {
		case "dp-maxinfo": // Corollary 2.1.1, for one side
			fails, hypothesis = -byRows, run.LnDelta == 0 && run.Epsilon <= a.Tau*a.Tau
			each -= math.Ln2
		case "dp-dwork15": // Corollary 2.3.1
			fails = math.Log(6) - byRows
		case "dp-approx-dwork15": // Theorem 2.4
			fails, hypothesis = math.Log(8)+max(-byRows/48, float64(run.LnDelta)*a.Tau/4), run.Epsilon <= a.Tau/4
		default: // 4.9 of the theorems: two-sided
			off := a.Tau - math.Tanh(run.Epsilon/4)
			fails, hypothesis = math.Ln2-2*float64(n)*off*off, true
		}
		return lawtest.Evidence(hypothesis && fails <= each+1e-6*math.Abs(each),
			"%d rows, tau = %g, %+v: failure with probability e^%g, want e^%g", n, a.Tau, run, fails, each)
	}
	// Splitting and the queries fixed in advance have no mechanism but the parts.
	if m.Splits {
		s := mechanism.Splitting{Samples: n, Queries: queries}
		if _, err := s.Start(); err != nil {
			return lawtest.Evidence(false, "%+v: %v", s, err)
		}
	}
	return lawtest.Evidence(true, "")
}

// outOfReach says that a scale lies outside what the sampler's lattice admits.
func outOfReach(scale float64, n int64) bool {
	steps := scale * float64(n)
	return !(steps >= 0x1p-32 && steps <= 0x1p45)
}

package pvalue

import (
	"math"
	"math/big"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// The misprints of the sources that concern p-values, as docs/check/errata.md tells them.

// klRule returns the exact threshold for bits of mutual information, which a selection
// attains.
func klRule(t *testing.T, alpha string, bits float64) float64 {
	t.Helper()
	p := maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.MutualInformation{Nats: theory.Nats(bits * math.Ln2)}}}
	gamma, err := corrected(t, p, "kl").Threshold(prob(t, alpha))
	if err != nil {
		t.Fatal(err)
	}
	return gamma.Value()
}

// Mutual information is no max-information: an event that has probability 0.0052
// under independence has 0.05 at 0.1 bits, and 2^0.1 is 1.07.
func TestErratumNotesMutualInformation(t *testing.T) {
	const bits = 0.1
	if gamma := klRule(t, "0.05", bits); !(gamma < 0.00521 && 0.05 > 8*math.Exp2(bits)*gamma) {
		t.Errorf("gamma = %g", gamma)
	}
}

// With P[t > a] in place of P[t >= a] ten heads of ten fair coins, which have
// probability 1/1024, are rejected at every level.
func TestErratumSlidesStrictPValue(t *testing.T) {
	const coins = 10
	tail := func(from int64) (p float64) { // P[t >= from]
		for k := from; k <= coins; k++ {
			p += float64(new(big.Int).Binomial(coins, k).Int64()) / 1024
		}
		return p
	}
	rejected := func(g float64, shift int64) (p float64) { // P[p(t) <= g], p(a) = P[t >= a + shift]
		for a := int64(0); a <= coins; a++ {
			if tail(a+shift) <= g {
				return tail(a)
			}
		}
		return 0
	}
	for g := 1e-6; g < 1; g *= 1.5 {
		if p := rejected(g, 0); p > g {
			t.Errorf("P[t >= a] is at most %g with probability %g", g, p)
		}
		if p := rejected(g, 1); g < 1./1024 && p != 1./1024 {
			t.Errorf("P[t > a] is at most %g with probability %g", g, p)
		}
	}
}

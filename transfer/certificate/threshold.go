package certificate

import (
	"errors"
	"math"
	"math/big"

	"github.com/dpcalc/dpcalc/theory"
)

// Selected returns the file for the threshold of one test that is selected out of a number of tests.
func Selected(tests int64, alpha theory.LogProb) (string, error) {
	return threshold(alpha, big.NewInt(tests), 0, 0)
}

// Gates returns the file for the threshold of up to so many tests behind a gate, until some reject.
func Gates(looks, passes int64, alpha theory.LogProb) (string, error) {
	tests, err := nodes(looks, passes)
	if err != nil {
		return "", err
	}
	return threshold(alpha, tests, looks, passes)
}

// threshold writes that tests with the threshold alpha over their number reject a true null hypothesis with probability
// at most alpha.
func threshold(alpha theory.LogProb, tests *big.Int, looks, passes int64) (string, error) {
	level, err := betaOf(alpha, 9)
	if err != nil || math.Abs(level.ln()-alpha.Ln()) > 1e-12*(1-alpha.Ln()) {
		return "", errors.New("a file proves levels alpha of at most nine digits, from 1e-100")
	}
	gamma := level.shared(tests)
	return filled("threshold", map[string]any{"tests": tests, "looks": looks, "passes": passes, "alpha": level, "level": gamma,
		"numbers": gamma.apart() + " " + level.apart()}) + ending, nil
}

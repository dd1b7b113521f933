package certificate

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/dpcalc/dpcalc/theory"
)

// Selected returns the file for the threshold of one test that is selected out of a number of tests.
func Selected(tests int64, alpha theory.LogProb) (string, error) {
	return threshold(alpha, big.NewInt(tests), fmt.Sprintf("one test selected out of %d", tests),
		"(tests : list Test) (selected : Omega -> Test)",
		fmt.Sprintf("length tests = Z.to_nat %d -> (forall w, In (selected w) tests) ->\n  ", tests),
		"null (selected w) /\\ p (selected w) w <= %s",
		fmt.Sprintf("number selects p_value. apply (description_plan Omega Test P p null %d %%s tests selected number selects", tests))
}

// Gates returns the file for the threshold of up to so many tests behind a gate, until some reject.
func Gates(looks, passes int64, alpha theory.LogProb) (string, error) {
	tests, err := nodes(looks, passes)
	if err != nil {
		return "", err
	}
	return threshold(alpha, tests, fmt.Sprintf("up to %d tests behind a gate, until %d reject", looks, passes),
		"(chosen : list bool -> Test)", "",
		fmt.Sprintf("exists later v,\n    rejections Omega Test p (%%s) chosen (Z.to_nat %d) (Z.to_nat %d) w = "+
			"later ++ true :: v /\\\n    null (chosen v)", passes, looks),
		fmt.Sprintf("p_value. apply (gates_plan Omega Test P p null %d %d %%s chosen", looks, passes))
}

// threshold writes that tests with the threshold alpha over their number reject a true null hypothesis with probability
// at most alpha.
func threshold(alpha theory.LogProb, tests *big.Int, about, selection, hypotheses, wrong, apply string) (
	string, error) {
	level, err := betaOf(alpha)
	if err != nil || math.Abs(level.ln()-alpha.Ln()) > 1e-12*(1-alpha.Ln()) {
		return "", errors.New("a file proves levels alpha of at most nine digits, from 1e-100")
	}
	gamma := level.shared(tests)
	numbers := fmt.Sprintf("%v %v %v %v", gamma.num, gamma.over, level.num, level.over)
	return opening(fmt.Sprintf("Threshold of dpcalc: %s, alpha = %s.\n   The threshold is alpha / %v.", about, level, tests),
		"Tree Count Gate Plans Thresholds") + fmt.Sprintf(`Theorem plan (Omega Test : Type) (P : outer Omega) (p : Test -> Omega -> R) (null : Test -> Prop)
  %s :
  %s(forall t, null t -> P (fun w => p t w <= %[3]s) <= %[3]s) ->
  P (fun w => %s) <= %s.
Proof.
  intros %s p_value).
  %s%s`, selection, hypotheses, gamma, fmt.Sprintf(wrong, gamma), level, fmt.Sprintf(apply, numbers), proof, ending), nil
}

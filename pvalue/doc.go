// Package pvalue corrects p-values of tests that were chosen after the data had been
// seen.
//
// A test that was fixed in advance has P[p <= gamma] <= gamma. If the analyst first
// looked at the data, by steps that a [maxinfo.Plan] describes, the threshold gamma
// that keeps the probability of a false rejection below alpha is smaller. A
// [Correction] gives it by one theorem, with its inverse, the adjusted p-value:
//
//	P[p_T <= Threshold(alpha)] <= alpha,  and  p <= Threshold(alpha) if and only if Adjusted(p) <= alpha
//
// for the null hypothesis of the selected test T. The first statement is strict. The second holds up to
// rounding and, where a theorem has a free parameter, 1e-7 of the logarithm; of a [Test], which is a
// correction at one level, it holds exactly.
//
// A newcomer describes in a plan how the test was selected, and calls [Tests] for the test by every
// correction and [Best] for the one that rejects most. The steps of the plan may stand in any order. [Articles]
// tells what the corrections are, and [Goal] which plan leaves a threshold that is wanted.
//
// The interval for the selected quantity needs the level of [Test.Confidence]. Tests behind a gate are a plan with
// the step [maxinfo.Gates], or a [Series] with levels of their own; [Pairs] and [ParseEValue] give their p-values.
//
// A correction protects that one test. Several reported tests need a [Family] step on
// the adjusted values as well.
package pvalue

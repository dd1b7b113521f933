// Package mechanism runs the mechanisms whose privacy theory bounds, and computes the
// exact law of a mechanism with finitely many outcomes.
//
// A parameter struct describes a mechanism. Package theory proves its privacy from
// these parameters: Pure, GDP or BoundedRange. There are three ways to use it.
//
//   - Noise ([Laplace], [Gaussian]) is added to one value, or to fill a slice.
//   - Start begins an interaction on a caller's random source: a [Run], which answers
//     one query at a time and refuses once nothing is left to spend.
//   - On fixes the input and returns a [Finite]: the probability of each outcome, and a
//     function that runs the mechanism. The two share no code but the rounding of the
//     input, so that each checks the other. [Adaptive] composes such mechanisms.
//
// # The lattice
//
// All noise is discrete. A value is rounded to the nearest multiple of
//
//	step = sensitivity/resolution
//
// and the noise is a random multiple of it. The sensitivity is a whole number of
// steps, so values that differ by at most the sensitivity still do once they are
// rounded: ties go up everywhere, and rounding to one side commutes with shifts. An
// output is a function of the integer that counts its steps, and the set of possible
// outputs does not depend on the input; in particular not on its low bits.
//
// Laplace noise on the lattice is the two-sided geometric law
//
//	P[k] = tanh(h/2) e^(-h|k|),   h = step/scale,
//
// whose probabilities at two values that lie a sensitivity apart have a ratio of at
// most e^(sensitivity/scale), exactly and at every resolution. Gaussian noise is the
// normal variable rounded to the lattice, which is post-processing of a value on it.
//
// Resolution 0 stands for the least power of two with step <= 2^-30 scale. Rounding
// then moves a value by no more than 2^-31 scale, and P[|noise| >= x] exceeds
// e^(-x/scale) by no more than the factor e^(2^-31) at the points of the lattice.
//
// Truncation belongs at the end. An answer may be clamped to a range, tails lumped in
// the end points; the noise of a comparison may not. The longest streak of "below" is
// likeliest at the largest noisy threshold that a query can still exceed. If truncated
// noise ends there, no larger threshold makes up for a neighbour's larger queries, and
// sparse vector loses privacy with every "below". So comparisons have noise without
// bounds here, and the laws sum it out.
//
// # Limits
//
// They serve to check bounds, and to answer queries about a holdout that is not a
// secret. They are not hardened for the release of private data. Missing are:
//
//   - Random sources come from math/rand/v2. A seed is short and chosen by the
//     caller, and PCG can be predicted from its output. ChaCha8 with a secret seed is
//     the better choice; no source is checked.
//   - Exponential and normal variables go through the float64 logarithm, which is off
//     by a unit in the last place. On the finest lattice the probability of a point at
//     distance x is off by a factor of up to 1 ± 2^-19 (1 + x/scale). The tail thins out
//     with the random bits of a draw, from 60 scales or 9 standard deviations on, and
//     ends at 88 and 13.
//   - The caller answers for the sensitivity of the float64 that is handed over. A sum of
//     float64 can move further than the sum of real numbers. Dividing by a step that is
//     not a power of two may break a tie the other way; a multiple of 1/n never is one.
//   - Time is not constant. A draw takes longer where the first random word is small,
//     where a pair is rejected and where the noise is large.
package mechanism

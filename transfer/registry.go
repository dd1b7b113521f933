package transfer

import (
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/thresholdout"
)

func source(key, where string) theory.Source { return theory.Source{Key: key, Where: where} }

const (
	independent     = "rows independent from one population"
	identical       = "rows independent and identically distributed"
	independentOnly = "rows independent"
	fixed           = "queries fixed before the data are seen"
	wholeInput      = "epsilon is the privacy, for replacing one row, of the whole interaction that produces each function"
	inInterval      = "answers are clipped to the interval that holds the query's values"
	training        = "training set independent of the holdout"
)

// What is done in practice for several methods.
const (
	inAdvance = "Write all m queries down before looking at the holdout, then answer each with its value on it. One " +
		"query chosen after an answer was seen voids the guarantee."
	inParts = "Shuffle, cut the holdout into m equal parts, answer query j with its value on part j and never touch " +
		"that part again."
	passOrFail = "Test j passes if and only if its mean on the holdout is at least its bar plus tau. Show this bit and " +
		"nothing else, no score, no margin, no rank; show nothing at all after pass B."
	addGaussian = "Add independent N(0, noise_scale^2) to every answer, including to repeated queries, and stop after m " +
		"answers."
	addLaplace = "Add independent Laplace noise of scale noise_scale to every answer, including to repeated queries, " +
		"and stop after m answers."
	runThresholdout = "Run Thresholdout with threshold and noise_scale as stated: answer from the training set, and " +
		"from the holdout with noise where the two differ by more than the noisy threshold. It covers the answers while " +
		"fewer than B queries have overfitted the training set; then it stops."
	privateOutput = "For a procedure that is itself private and puts out functions, such as a private learner: its " +
		"functions' values on the data are then within tau of the population. It does not say how to answer queries."
)

// differences is where the tails of differences are proved.
var differences = []theory.Source{source("dpcalc", "docs/theorems/feedback.md#differences")}

// registry lists the methods in printing order.
var registry = []Method{
	{
		Name:    "hoeffding",
		Summary: "queries fixed in advance, exact answers: Hoeffding with a union bound",
		Formula: "n >= ln(2m/beta)/(2 tau^2), from P[|E_S[phi]-P[phi]| >= tau] <= 2 exp(-2 n tau^2) for each of m " +
			"queries; for functions of sensitivity D/n, tau/D for tau (McDiarmid)",
		Practice: "The reference for what adaptivity costs. " + inAdvance,
		Proof:    Published,
		Baseline: true,
		Sources:  []theory.Source{source("hoeffding63", "Theorem 2"), source("mcdiarmid89", "")},
		Assumes:  []string{independent, fixed},
		OneSided: true,
		rule:     closed{kinds: allKinds, need: hoeffding},
	},
	{
		Name:    "hoeffding-kl",
		Summary: "queries fixed in advance: Hoeffding's relative-entropy form",
		Formula: "the least n with sup_p [exp(-n kl(p+tau||p)) + exp(-n kl(p-tau||p))] <= beta/m, a term being 0 where " +
			"p+-tau leaves [0,1]",
		Practice: inAdvance + " The gain over hoeffding, from the sharper form of the same theorem, grows with tau.",
		Proof:    Published,
		Sources:  []theory.Source{source("hoeffding63", "Theorem 1")},
		Assumes:  []string{independent, fixed},
		OneSided: true,
		Tails:    differences,
		rule:     byQuery{fixedQuery{kinds: linear}, perQuery(oneLook{kinds: means}, false)},
	},
	{
		Name:    "binomial",
		Summary: "0/1 queries fixed in advance: exact binomial tails, or a bound on them",
		Formula: "V(n) = sup_p [Phi(-sqrt(2n kl(p+tau-1/n||p))) + Phi(-sqrt(2n kl(p-tau+1/n||p)))] <= beta/m with n tau " +
			">= 1, a term being 0 where p+-tau leaves [0,1], or as hoeffding-kl if that needs less; where this is at most " +
			"10,000 and beta/m <= 1/2, the least n such that every n' >= n has sup_p P[|Bin(n',p)/n' - p| >= tau] <= beta/m",
		Practice: inAdvance + " For accuracies and error rates. It is the least n for the empirical mean and a union " +
			"bound, or above 10,000 rows at most about 2/tau more. Another estimator can do with fewer rows.",
		Proof:    Published,
		Sources:  []theory.Source{source("chen11", ""), source("zubkov13", "Theorem 1")},
		Assumes:  []string{identical, fixed},
		OneSided: true,
		rule:     byQuery{fixedQuery{kinds: zeroOne, exact: true}, perQuery(oneLook{kinds: zeroOne, exact: true}, false)},
	},
	{
		Name:     "splitting",
		Summary:  "a fresh part of the holdout for every query",
		Formula:  "n = m ceil(ln(2m/beta)/(2 tau^2))",
		Practice: inParts + " Simple and hard to beat for a handful of queries.",
		Proof:    Published,
		Adaptive: true,
		Splits:   true,
		Sources:  []theory.Source{source("hoeffding63", "Theorem 2"), source("dwork15preserving", "Section 1")},
		Assumes:  []string{identical},
		OneSided: true,
		rule:     closed{kinds: means, split: true, need: hoeffding},
	},
	{
		Name:     "splitting-exact",
		Summary:  "as splitting, each part sized by the exact or relative-entropy requirement",
		Formula:  "n = m n', n' of binomial for 0/1 queries and of hoeffding-kl otherwise",
		Practice: inParts + " The parts are the smallest that are proved sufficient.",
		Proof:    Published,
		Adaptive: true,
		Splits:   true,
		Sources:  []theory.Source{source("hoeffding63", "Theorem 1"), source("chen11", ""), source("zubkov13", "Theorem 1")},
		Assumes:  []string{identical},
		OneSided: true,
		Tails:    differences,
		rule: byQuery{
			fixedQuery{kinds: linear, split: true, exact: true},
			perQuery(oneLook{kinds: means, exact: true}, true),
		},
	},
	{
		Name:    "rounding",
		Summary: "every answer rounded to one of L cell midpoints: description length",
		Formula: "2m L^(m-1) exp(-2n (tau - 1/(2L))^2) <= beta, for the best whole L",
		Practice: "Divide [0,1] into the stated number of cells and answer with the midpoint of the cell that holds the " +
			"query's value on the holdout. No randomness is needed. Leak nothing else: a timing, a rank or a second digit is " +
			"a longer description.",
		Proof:    Published,
		Adaptive: true,
		Rounds:   true,
		Sources:  []theory.Source{source("dwork15generalization", "Section 3, description length")},
		Assumes:  []string{independent},
		rule:     closed{kinds: linear, need: rounding, run: runRounding},
	},
	{
		Name:    "rounding-widths",
		Summary: "every answer rounded, to cells whose width is chosen for each query",
		Formula: "V_1 <= beta, V_m = 2A(tau), V_j = max{c_j V_(j+1) + A(tau-w_j) + A(tau), (c_j-1) V_(j+1) + " +
			"2A(tau-w_j)}, w_j = tau/c_j, A(s) = exp(-n min_p kl(p+s||p)); for the best whole c_j >= 2",
		Practice: "Answer query j with the nearest multiple of its width, from the table of the plan, and the last query " +
			"with its value; then clip to [0,1]. No randomness is needed. The widths are public and fixed in advance. Leak " +
			"nothing else.",
		Proof:    Derived,
		Adaptive: true,
		Sources:  []theory.Source{source("dpcalc", "docs/theorems/feedback.md#rounding-widths")},
		Assumes:  []string{independentOnly},
		rule:     widthsRule,
	},
	{
		Name:    "gaussian-schedule",
		Summary: "Gaussian noise that falls from query to query: the joint bound",
		Formula: "eps_j <= beta/(m+1) for j < m and eps_m <= 2 beta/(m+1); eps_j = min over a > 1 of e^(D_(j-1)/a') " +
			"min{2 T^(1/a'), (2 T + 2 (2^a'-1) P[N > tau/sd_j] U)^(1/a')}, a' = a/(a-1), D_j the Renyi divergence of order a " +
			"that j answers reveal, T and U the tail bounds T_a' and T_(a'-1) of sample and noise together; one-sided, " +
			"T^(1/a') in place of the lesser; gaussian where that is less",
		Practice: "Add independent N(0, sd_j^2) to answer j, with sd_j from the schedule; noise_first is the first and " +
			"noise_last the last and smallest, 0 where the last answer needs none. Stop after m answers.",
		Proof:     Derived,
		Adaptive:  true,
		OneSided:  true,
		Scheduled: true,
		Sources: []theory.Source{source("dpcalc", "docs/theorems/transfer.md#gaussian-schedule"),
			source("dpcalc", "docs/theorems/transfer.md#joint-bound")},
		Assumes: []string{independentOnly},
		rule:    orMoment{onHalf{scheduledNoise}, scheduledMoment},
	},
	{
		Name:    "gaussian",
		Summary: "Gaussian noise, the joint bound",
		Formula: "sum over j <= m of eps_j <= beta at one noise sd for all answers, eps_j as for gaussian-schedule; " +
			"gaussian-cvar where that is less",
		Practice: addGaussian,
		Proof:    Derived,
		Adaptive: true,
		OneSided: true,
		Sources: []theory.Source{source("dpcalc", "docs/theorems/transfer.md#gaussian"),
			source("dpcalc", "docs/theorems/transfer.md#joint-bound")},
		Assumes: []string{independentOnly},
		rule:    orMoment{onHalf{evenNoiseRule}, evenMoment},
	},
	{
		Name:    "gaussian-cvar",
		Summary: "Gaussian noise, the CVaR transfer theorem",
		Formula: "tau = C s + D s_mu(beta), mu = D sqrt(m)/(n s), C the CVaR at beta of the max of m |N(0,1)|, s_mu the " +
			"stability of mu-GDP",
		Practice: addGaussian + " For sensitive queries and comparisons too; rows need not be identically distributed.",
		Proof:    Derived,
		Adaptive: true,
		Sources:  []theory.Source{source("dpcalc", "docs/theorems/transfer.md#gaussian-cvar")},
		Assumes:  []string{independentOnly},
		rule:     onHalf{optimised{kinds: anyQuery, reach: gaussianCVaR}},
	},
	{
		Name:    "gaussian-jung20",
		Summary: "Gaussian noise, transfer theorem of Jung et al. with the exact privacy profile",
		Formula: "tau = s x + D(e^epsilon-1) + (sqrt(b)+sqrt(w delta))^2/beta; b = P[max of m |N(0,1)| > x], delta the " +
			"exact profile of m answers with noise s; w = 2 (linear), 4D (others)",
		Practice: addGaussian,
		Proof:    Published,
		Adaptive: true,
		Sources: []theory.Source{source("jung20", "transfer theorem"), source("balle18", "Theorem 8"),
			source("dong22", "Corollary 3.3")},
		Assumes: []string{independent, inInterval},
		rule:    onHalf{optimised{kinds: anyQuery, reach: from(gaussianJung20)}},
	},
	{
		Name:     "gaussian-rogers20",
		Summary:  "Gaussian noise, mutual information and the monitor argument",
		Formula:  "tau = min over u > 1 of sqrt(u/(2 n beta)) + (1/n) sqrt(2 m n ln(4m/beta)/(u-1-ln u))",
		Practice: addGaussian + " The failure probability enters as 1/beta: not for small beta.",
		Proof:    Published,
		Adaptive: true,
		Sources:  []theory.Source{source("rogers20", "mutual information and monitor argument"), source("bun16", "")},
		Assumes:  []string{independent},
		rule:     onHalf{optimised{kinds: linear, reach: from(gaussianRogers20)}},
	},
	{
		Name:    "gaussian-bassily16",
		Summary: "Gaussian noise, transfer theorem of Bassily et al.",
		Formula: "tau = 18 epsilon D + s Q; epsilon < 1/3, delta/epsilon = beta/(2m), n >= ln(4 epsilon/delta)/epsilon^2, " +
			"Q the (1-beta/2)-quantile of the max of m |N(0,1)|",
		Practice: addGaussian + " Kept for comparison.",
		Proof:    Published,
		Adaptive: true,
		Sources:  []theory.Source{source("bassily16", "transfer theorem"), source("balle18", "Theorem 8")},
		Assumes:  []string{independent},
		rule:     onHalf{optimised{kinds: anyQuery, reach: from(gaussianBassily16)}},
	},
	{
		Name:    "laplace",
		Summary: "Laplace noise, the CVaR transfer theorem",
		Formula: "tau = C s + D s(beta), s = D/(n epsilon0), C the CVaR at beta of the max of m |Lap(1)|, s(beta) the " +
			"stability of m-fold epsilon0-DP, pure or composed, whichever is less",
		Practice: addLaplace,
		Proof:    Derived,
		Adaptive: true,
		Sources:  []theory.Source{source("dpcalc", "docs/theorems/transfer.md#laplace")},
		Assumes:  []string{independentOnly},
		rule:     onHalf{optimised{kinds: anyQuery, reach: laplaceCVaR}},
	},
	{
		Name:    "laplace-jung20",
		Summary: "Laplace noise, pure transfer theorem of Jung et al.",
		Formula: "tau = s x + (e^epsilon-1) + sqrt(2 ln(1/(beta-b))/n), s = m/(n epsilon), b = P[max of m |Lap(1)| > x]; " +
			"for other than linear queries tau = s x + D(e^epsilon-1) + b max(1,D)/beta",
		Practice: addLaplace + " Laplace noise pays m where Gaussian " +
			"noise pays sqrt m: for few queries only.",
		Proof:    Published,
		Adaptive: true,
		Sources: []theory.Source{source("jung20", "transfer theorem for pure differential privacy"),
			source("dwork06calibrating", "Laplace mechanism")},
		Assumes: []string{independent, inInterval},
		rule:    onHalf{optimised{kinds: anyQuery, reach: from(laplaceJung20)}},
	},
	{
		Name:    "gate",
		Summary: "only pass or fail is shown: the tree of what could be asked",
		Formula: "N A(tau) <= beta, N = sum over l <= min(B,m-1) of C(m-1,l), A(s) = exp(-n min_p kl(p+s||p)); at a " +
			"known bar c the greater of exp(-n kl(c+tau||c)) and exp(-n kl(c+tau||c+2tau)); exact tails for 0/1 queries; " +
			"Lemma 5 for differences",
		Practice: passOrFail + " What passes is above its bar, and what is 2 tau above its bar passes. A retry gets the " +
			"same bit.",
		Proof:     Derived,
		Adaptive:  true,
		OneSided:  true,
		Feedbacks: []Feedback{Gate},
		Sources: []theory.Source{source("dpcalc", "docs/theorems/feedback.md#gate"),
			source("dpcalc", "docs/theorems/feedback.md#tails")},
		Assumes: []string{independentOnly},
		rule:    gateRule,
	},
	{
		Name:    "gate-renggli19",
		Summary: "only pass or fail is shown: the published count of ease.ml/ci",
		Formula: "N exp(-2 n tau^2) <= beta, N = m until the first pass, 2^m for more; a difference: two estimates with " +
			"tau/2 and beta/2 each, or with a disagreement d: n = ln(4N/beta)/(d h(tau/d)), h(u) = (1+u) ln(1+u) - u",
		Practice:  passOrFail + " Kept for comparison: from the second pass on it counts every sequence of verdicts.",
		Proof:     Published,
		Adaptive:  true,
		OneSided:  true,
		Feedbacks: []Feedback{Gate},
		Sources:   []theory.Source{source("renggli19", "Sections 3 and 4")},
		Assumes:   []string{independent},
		rule:      closed{kinds: means, need: gateRenggli19, needs: passesFit},
	},
	{
		Name:    "sparse-validate",
		Summary: "a guess comes with each query and is corrected where it is wrong, without noise",
		Formula: "W A(tau-T) + sum over i < B of N_i r_i <= beta, r_i = max{2A(s_i), A(T-t0) + A(T)}, s_i = tau + T - " +
			"2tau/(c_i+1); N_i, W count the nodes: docs/theorems/feedback.md; for the best T, or T as given by --hold without " +
			"the second part of r_i",
		Practice: "If the guess is within the threshold of the value on the holdout, the answer is the guess. If not, the " +
			"answer is the guess moved by what exceeds the threshold, rounded up to a multiple of the cell's width, from the " +
			"table of the plan: a flag. After B flags nothing is answered, not even a right guess. The widths and the " +
			"threshold are public and fixed in advance; no guess may come from the holdout otherwise.",
		Proof:     Derived,
		Adaptive:  true,
		Budgeted:  true,
		Feedbacks: []Feedback{Flags},
		Sources: []theory.Source{source("dpcalc", "docs/theorems/feedback.md#sparse-validate"),
			source("dpcalc", "docs/theorems/feedback.md#tails")},
		Assumes: []string{independentOnly, training},
		rule:    sparseRule,
	},
	{
		Name:    "ladder",
		Summary: "only the best score so far is shown, in steps that are wide at the start",
		Formula: "sum over l < K-1 of W_l exp(-n kl(u_(l+1)||v_l - tau)) + sum over 0 < l < K of N_(l-1) exp(-n " +
			"kl(u_l||v_l + tau)) <= beta; W_l = C(m+l-2,l), N_l = C(m+l-1,l+1), losses u, v; exact tails for 0/1 losses",
		Practice: "Show the value of the highest boundary that any score has reached so far, from the table of the plan, " +
			"and nothing else. It is within tau of the best population score so far at all times, and of the incumbent's own. " +
			"The table is public and fixed in advance.",
		Proof:     Derived,
		Adaptive:  true,
		Feedbacks: []Feedback{Best},
		Sources:   []theory.Source{source("dpcalc", "docs/theorems/feedback.md#ladder")},
		Assumes:   []string{independentOnly},
		rule:      ladderRule,
	},
	{
		Name:    "ladder-blum15",
		Summary: "only the best score so far is shown: the published Ladder with one step",
		Formula: "exp(-2 e^2 n + (1/eta + 2) ln(4m/eta) + 1) <= beta at tau = e + eta, for the best step eta",
		Practice: "Show a new best score, rounded to a multiple of the step, when it exceeds the last one shown by the " +
			"step. Kept for comparison.",
		Proof:     Published,
		Adaptive:  true,
		Feedbacks: []Feedback{Best},
		Sources:   []theory.Source{source("blum15", "Theorem 3.1")},
		Assumes:   []string{independent},
		rule: closed{kinds: linear, need: ladderBlum15, run: func(g Goal) Mechanism {
			_, step := ladderBlum15Of(g).Need()
			return Mechanism{Step: step}
		}},
	},
	{
		Name:    "sealed",
		Summary: "the finalists are scored once, together, on rows that nobody has looked at",
		Formula: "as hoeffding-kl for m finalists, as binomial for 0/1 queries; McDiarmid for functions of sensitivity D/n",
		Practice: "Look at other rows as you like and choose m finalists. Score all of them on the sealed rows in one go, " +
			"show the scores, and never use these rows again.",
		Proof:     Published,
		Adaptive:  true,
		OneSided:  true,
		Feedbacks: []Feedback{Final},
		Sources: []theory.Source{source("hoeffding63", "Theorem 1"), source("chen11", ""), source("zubkov13", "Theorem 1"),
			source("mcdiarmid89", "")},
		Tails:   differences,
		Assumes: []string{independent},
		rule:    sealedRule,
	},
	{
		Name:    "transcripts",
		Summary: "a number of queries that could be asked in all, counted by the user",
		Formula: "N sup_p [exp(-n kl(p+tau||p)) + exp(-n kl(p-tau||p))] <= beta; exact tails for 0/1 queries; Lemma 5 " +
			"for differences",
		Practice: "Count the queries that could be asked after every sequence of responses that may be shown, all of them " +
			"together: that is N. For responses of b bits and m queries it is at most 2^(bm)/(1 - 2^-b).",
		Proof:     Published,
		Adaptive:  true,
		Counted:   true,
		OneSided:  true,
		Feedbacks: []Feedback{Answers},
		Sources: []theory.Source{source("dwork15generalization", "Section 3, description length"),
			source("hoeffding63", "Theorem 1"), source("chen11", ""), source("zubkov13", "Theorem 1")},
		Tails:   differences,
		Assumes: []string{independent},
		rule:    transcriptsRule,
	},
	{
		Name:    "thresholdout",
		Summary: "Thresholdout with the noise that suits n, the CVaR transfer theorem",
		Formula: "tau/4 > sigma CVaR_beta(N1) + kappa/beta + s(beta), T = 3 tau/4, s the stability of 2B steps of " +
			"1/(sigma n)-DP",
		Practice:  runThresholdout,
		Proof:     Derived,
		Adaptive:  true,
		Budgeted:  true,
		Feedbacks: []Feedback{Answers, Flags},
		Sources:   []theory.Source{source("dpcalc", "docs/theorems/thresholdout.md#thresholdout-sharp")},
		Assumes:   []string{independentOnly, training},
		rule:      onHalf{optimised{kinds: linear, needs: budgetGiven, reach: thresholdoutCVaR}},
	},
	{
		Name:      "thresholdout-dwork15",
		Summary:   "Thresholdout, Theorem 3.3: the lesser of its two requirements",
		Formula:   "n >= min{n0, n1}(B, sigma, tau/8, beta/(2m)) with T = 3 tau/4, sigma = tau/(96 ln(4m/beta))",
		Practice:  runThresholdout,
		Proof:     Published,
		Adaptive:  true,
		Budgeted:  true,
		Feedbacks: []Feedback{Answers, Flags},
		Sources:   []theory.Source{source("dwork15generalization", "Thresholdout"), source("dwork15holdout", "")},
		Assumes:   []string{independent, training},
		rule:      onHalf{thresholdoutRule(lesserRequirement)},
	},
	{
		Name:      "thresholdout-dwork15-n0",
		Summary:   "Thresholdout, Theorem 3.3 through pure privacy (n0)",
		Formula:   "n0(B, sigma, t, b) = max{2B/(sigma t), ln(6/b)/t^2} at t = tau/8, b = beta/(2m)",
		Practice:  runThresholdout + " Its rows grow as B.",
		Proof:     Published,
		Adaptive:  true,
		Budgeted:  true,
		Feedbacks: []Feedback{Answers, Flags},
		Sources: []theory.Source{source("dwork15generalization", "Thresholdout"),
			source("dwork15preserving", "pure differential privacy")},
		Assumes: []string{independent, training},
		rule:    onHalf{thresholdoutRule(thresholdout.Requirement.N0)},
	},
	{
		Name:    "thresholdout-dwork15-n1",
		Summary: "Thresholdout, Theorem 3.3 through approximate privacy (n1, exact form)",
		Formula: "n1(B, sigma, t, b) = max{(4/(sigma t)) sqrt(32 B (ln 2 + (4/t) ln(8/b))), 48 ln(8/b)/t^2} at t = " +
			"tau/8, b = beta/(2m)",
		Practice:  runThresholdout + " Its rows grow as sqrt B, from a much higher start.",
		Proof:     Published,
		Adaptive:  true,
		Budgeted:  true,
		Feedbacks: []Feedback{Answers, Flags},
		Sources: []theory.Source{source("dwork15generalization", "Thresholdout"),
			source("dwork15preserving", "approximate differential privacy")},
		Assumes: []string{independent, training},
		rule:    onHalf{thresholdoutRule(thresholdout.Requirement.N1)},
	},
	{
		Name:      "dp",
		Summary:   "output of an epsilon-DP procedure: the tilt theorem",
		Formula:   "n >= ln(2m/beta)/(2 (tau - tanh(epsilon/4))^2), epsilon = tau unless given",
		Practice:  privateOutput,
		Proof:     Derived,
		Procedure: true,
		Sources:   []theory.Source{source("dpcalc", "docs/theorems/transfer.md#dp")},
		Assumes:   []string{independentOnly, wholeInput},
		rule: closed{kinds: linear, need: dpTilt, epsilon: tiltEpsilon, needs: dpTiltNeeds,
			run: func(g Goal) Mechanism { return Mechanism{Epsilon: tiltEpsilon(g)} }},
	},
	{
		Name:      "dp-maxinfo",
		Summary:   "output of an epsilon-DP procedure, epsilon = tau^2: max-information",
		Formula:   "n >= ln(2m/beta)/tau^2 at epsilon = tau^2",
		Practice:  privateOutput,
		Proof:     Published,
		Procedure: true,
		Sources:   []theory.Source{source("dwork15generalization", "max-information of pure differential privacy")},
		Assumes:   []string{independent, wholeInput},
		rule:      dpRule(dpMaxInfo, "tau^2", func(tau float64) float64 { return tau * tau }, nil),
	},
	{
		Name:      "dp-dwork15",
		Summary:   "output of an epsilon-DP procedure, epsilon = tau",
		Formula:   "n >= ln(6m/beta)/tau^2 at epsilon = tau",
		Practice:  privateOutput + " It asks for far weaker privacy than dp-maxinfo.",
		Proof:     Published,
		Procedure: true,
		Sources:   []theory.Source{source("dwork15preserving", "pure differential privacy")},
		Assumes:   []string{independent, wholeInput},
		rule:      dpRule(dpDwork, "tau", func(tau float64) float64 { return tau }, nil),
	},
	{
		Name:      "dp-approx-dwork15",
		Summary:   "output of an (epsilon, delta)-DP procedure, epsilon = tau/4",
		Formula:   "n >= 48 ln(8m/beta)/tau^2 at epsilon = tau/4, delta = (beta/(8m))^(4/tau)",
		Practice:  privateOutput + " The delta it asks for is far below what float64 can hold: see ln_delta.",
		Proof:     Published,
		Procedure: true,
		Sources:   []theory.Source{source("dwork15preserving", "approximate differential privacy")},
		Assumes:   []string{independent, wholeInput},
		rule:      dpRule(dpApprox, "tau/4", func(tau float64) float64 { return tau / 4 }, lnDeltaApprox),
	},
}

package articles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/printed"
)

// symbol is a letter or a word of the field, as explain tells it.
type symbol struct {
	name    string
	aliases []string // what else people type for it
	summary string
	text    string
	where   string // the flags and columns that hold it
}

// glossary is what every command's symbols mean, in the order in which a plan needs them.
var glossary = []symbol{
	{
		name:    "n",
		aliases: []string{"samples", "rows", "row", "records", "sample"},
		summary: "the number of rows of the sample",
		text: `A row is what is drawn independently from the population: one patient, not one visit. All rows
			together are the sample, and the flag and the column that count them are called samples.`,
		where: "--samples (-n) of samplesize, pvalue-correct, maxinfo, transfer and advise",
	},
	{
		name:    "m",
		aliases: []string{"queries", "query"},
		summary: "the number of queries",
		text: `A query is a question to the sample whose answer somebody sees: the accuracy of one model, the mean
			of one column. Each may be chosen in view of the answers before it. Every answer that leaves
			counts, also to a repeated question.`,
		where: "--queries (-m) of samplesize, advise and the source gaussian of pvalue-correct",
	},
	{
		name:    "tau",
		aliases: []string{"accuracy", "error", "tau-achieved", "tau_achieved"},
		summary: "the accuracy: how far an answer may be from its population value",
		text: `Except with probability at most beta, every one of the m answers is within tau of what it would be
			on the whole population. It is an absolute error: tau = 0.03 for an accuracy is three points. tau
			achieved is what the printed whole numbers certify, never above the tau that was asked for.`,
		where: "--tau (-t) of samplesize and advise; the columns tau and tau_achieved",
	},
	{
		name:    "beta",
		aliases: []string{"failure", "confidence"},
		summary: "the failure probability, for all answers together",
		text: `The probability that some answer is farther than tau from its population value is at most beta. 1 -
			beta is the confidence, so 95% confidence is beta = 0.05. It may be as small as 1e-4343; ln_beta
			is its natural logarithm.`,
		where: "--beta (-b) or --confidence of samplesize and advise; the columns beta and ln_beta",
	},
	{
		name:    "B",
		aliases: []string{"budget"},
		summary: "the budget of Thresholdout: how many flagged queries are answered",
		text: `Thresholdout answers from the training set until that and the holdout differ by more than a noisy
			threshold. Such a query is flagged and answered from the holdout, with noise. After B flagged
			queries it stops.`,
		where: "--budget (-B) of samplesize and experiment; --budget of advise",
	},
	{
		name:    "T",
		aliases: []string{"threshold"},
		summary: "the threshold of Thresholdout, or of a p-value",
		text: `In samplesize, T is the difference between training set and holdout from which on a query is
			flagged. In pvalue-correct, the threshold gamma is the greatest p-value at which the selected
			test may still reject at level alpha.`,
		where: "the column threshold",
	},
	{
		name:    "sigma",
		aliases: []string{"sd", "noise", "noise-sd", "noise-scale", "noise_scale"},
		summary: "the size of the noise that is added to an answer",
		text: `For Gaussian noise the standard deviation, for Laplace noise the scale b of the density
			e^(-|x|/b)/(2b). It is part of the guarantee: without the noise nothing is certified.`,
		where: "the columns noise_scale and noise_first; --noise-sd of pvalue-correct and advise",
	},
	{
		name:    "L",
		aliases: []string{"cells"},
		summary: "the number of cells that answers are rounded to",
		text: `The method rounding divides [0,1] into L cells of the same width and answers with the midpoint of
			the cell. Fewer possible answers reveal less of the sample.`,
		where: "the column cells",
	},
	{
		name:    "D",
		aliases: []string{"sensitivity"},
		summary: "the sensitivity: one row moves a query by at most D/n",
		text: `D = 1 for a mean of values in [0,1]. For another statistic it is n times the most by which replacing
			one row can change it.`,
		where: "--sensitivity of samplesize, transfer and advise",
	},
	{
		name:    "epsilon",
		summary: "the privacy loss of differential privacy",
		text: `A procedure is epsilon-differentially private if replacing one row changes the probability of any
			outcome by a factor of at most e^epsilon. A small epsilon means that the outcome tells little
			about the sample. Steps on the same rows add up; dpcalc compose adds them.`,
		where: "--epsilon of pvalue-correct, transfer, compose, audit, advise and the dp rows of samplesize",
	},
	{
		name:    "delta",
		aliases: []string{"ln-delta", "ln_delta"},
		summary: "the slack of approximate differential privacy",
		text: `(epsilon, delta)-differential privacy allows each probability an excess of delta beside the factor
			e^epsilon. delta has to be far below 1/n to mean anything. ln_delta is its natural logarithm.`,
		where: "--delta of pvalue-correct, transfer and compose; the column ln_delta",
	},
	{
		name:    "mu",
		summary: "the parameter of Gaussian differential privacy",
		text: `A procedure is mu-GDP if two neighbouring samples are at least as hard to tell apart by its outcome
			as N(0,1) and N(mu,1). A Gaussian answer with standard deviation s to a query that one row moves
			by at most 1/n has mu = 1/(n s). mu of k steps on the same rows is mu sqrt(k) if they have the
			same.`,
		where: "--mu of pvalue-correct and compose",
	},
	{
		name:    "rho",
		summary: "the parameter of zero-concentrated differential privacy",
		text: `A procedure is rho-zCDP if the Renyi divergence of every order a > 1 between its outcomes on two
			neighbouring samples is at most a rho. Steps on the same rows add up. mu-GDP is mu^2/2-zCDP.`,
		where: "the formulas of pvalue-correct and the row zcdp of compose",
	},
	{
		name:    "alpha",
		aliases: []string{"level"},
		summary: "the probability of a false rejection",
		text: `A test of a true null hypothesis rejects with probability at most alpha, here for a test that was
			selected from the data. In transfer, alpha is another thing: the accuracy of a private mechanism
			on the sample itself.`,
		where: "--alpha (-a) of pvalue-correct; --alpha of transfer and advise",
	},
	{
		name:    "gamma",
		summary: "the threshold of a p-value: reject if p is at most gamma",
		text: `The greatest p-value at which the selected test may reject at level alpha; it is at most alpha.
			p_adjusted says the same from the other side: the test rejects if p_adjusted is at most alpha.`,
		where: "the columns threshold and p_adjusted of pvalue-correct and advise",
	},
	{
		name:    "max-information",
		aliases: []string{"maxinfo", "bits"},
		summary: "how much more likely any event is on the sample that was looked at",
		text: `If the max-information between a sample and what was learnt from it is k bits, no event about the
			two is more than 2^k times likelier than on a fresh sample. It turns a statement about fresh
			rows, such as a p-value, into one about the rows at hand.`,
		where: "dpcalc maxinfo; --bits or --nats of pvalue-correct",
	},
	{
		name:    "mutual-information",
		aliases: []string{"nats"},
		summary: "how much was learnt of the sample on average",
		text: `The divergence between the joint law of sample and answers and that of independent ones. In nats it
			takes natural logarithms, in bits those of base two: a nat is 1.4427 bits.`,
		where: "the source mutual-info of pvalue-correct and maxinfo",
	},
	{
		name:    "holdout",
		aliases: []string{"ledger", "look", "looks", "leaderboard", "board"},
		summary: "the rows whose labels nobody sees but through a ledger of looks",
		text: `A look is an answer to one submission of predictions: dpcalc holdout takes it by the plan's method,
			writes it down before it is shown, and refuses what the plan does not cover. The submitter usually
			has the features of the rows, so the promise is conditional on them: the truth of a look is the
			mean over fresh labels of the same rows, or of those of its part under splitting. It is the
			population's value only for predictions of a model that was made without these rows. The rows
			have to be independent, and nothing else about
			their labels may get out. A prediction that is no label of any row is wrong and not refused, and the
			metrics, bars and classes that a look may name are declared when the ledger is made.`,
		where: "dpcalc holdout init, score, status, log, verify, retire, token and serve",
	},
	{
		name:    "slack",
		summary: "the probability that a bound on information is exceeded",
		text: `Max-information of k bits with slack b allows every event an excess of b beside the factor 2^k. A
			test at level alpha pays for it: gamma = (alpha - b) 2^(-k).`,
		where: "--slack of pvalue-correct and maxinfo",
	},
}

// symbolNamed finds a symbol by its name or by what else people type for it. Letters
// differ by case where both are symbols.
func symbolNamed(name string) *symbol {
	exactly := func(typed string) bool { return typed == name }
	nearly := func(typed string) bool { return strings.EqualFold(typed, name) }
	for _, same := range []func(string) bool{exactly, nearly} {
		for i := range glossary {
			if s := &glossary[i]; same(s.name) || slices.ContainsFunc(s.aliases, same) {
				return s
			}
		}
	}
	return nil
}

func symbolNames() []string {
	names := make([]string, len(glossary))
	for i, s := range glossary {
		names[i] = s.name
	}
	return names
}

func (s *symbol) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", s.name, s.summary)
	printed.Wrap(&b, s.text)
	b.WriteString("\nWhere\n")
	printed.Wrap(&b, s.where)
	return b.String()
}

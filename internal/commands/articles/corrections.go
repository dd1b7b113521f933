package articles

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/commands/steps"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// The methods of maxinfo and pvalue-correct, in printing order. Their proofs, sources
// and hypotheses are those of the libraries; here is what they say of themselves.
var corrections = []article{
	{
		name:     "max-info-any",
		command:  "maxinfo, pvalue-correct",
		summary:  "pure differential privacy, any law of the rows",
		formula:  "I_inf <= n epsilon nats; gamma = alpha exp(-n epsilon)",
		practice: []string{"For rows that may depend on each other: repeated measurements, families, time series. It costs a factor e^epsilon for every row, so it serves small samples and very small epsilon. Such a step may follow others."},
	},
	{
		name:     "max-info-dwork15",
		command:  "maxinfo, pvalue-correct",
		summary:  "pure differential privacy, independent rows: the published bound",
		formula:  "I_inf^b <= epsilon^2 n/2 + epsilon sqrt(n ln(2/b)/2) nats; gamma = max_b (alpha-b) exp(-I_inf^b)",
		practice: []string{"The bound to cite where only published theorems may be used. Its b is free and searched; renyi is never worse."},
	},
	{
		name:     "renyi",
		command:  "maxinfo, pvalue-correct",
		summary:  "pure differential privacy or Gaussian noise, independent rows: the sharp bound",
		formula:  "D_a <= a rho for every order a > 1, rho = n epsilon^2/8: gamma = exp(-(sqrt(ln(1/alpha)) + sqrt(rho))^2) and the adjusted p is exp(-max(0, sqrt(ln(1/p)) - sqrt(rho))^2); for Gaussian noise on linear queries ln gamma = -min_(a>1) D_a + (a/(a-1)) ln(1/alpha)",
		practice: []string{"Epsilon is the privacy of everything that was seen before the test was selected. Keep rho well below ln(1/alpha): the threshold is alpha exp(-rho - 2 sqrt(rho ln(1/alpha)))."},
	},
	{
		name:     "kl",
		command:  "maxinfo, pvalue-correct",
		summary:  "mutual information between sample and answers: the exact bound",
		formula:  "gamma <= alpha solves kl(alpha||gamma) = I, the mutual information in nats: n epsilon^2/8 for pure differential privacy, n mu^2/2 for GDP, at most (n m/2) ln(1 + 1/(4 n^2 sd^2)) for Gaussian noise",
		practice: []string{"No correction that uses the mutual information alone is better. At the usual alpha renyi leaves more where it applies."},
	},
	{
		name:     "approx-dp",
		command:  "maxinfo, pvalue-correct",
		summary:  "(epsilon, delta)-differential privacy or GDP, independent rows",
		formula:  "as renyi, with rho = n epsilon tanh(epsilon/2), at alpha - n delta (1 + e^(-epsilon)) in place of alpha; for GDP at the best point of the privacy curve",
		practice: []string{"Nothing is left unless delta is below about alpha/(2n). Private steps at the beginning count as one, whose epsilons and deltas add up; other kinds of steps follow it."},
	},
	{
		name:     "group",
		command:  "maxinfo, pvalue-correct",
		summary:  "(epsilon, delta)-differential privacy or GDP, any law of the rows",
		formula:  "gamma = (alpha - delta_n) e^(-n epsilon), delta_n = delta (e^(n epsilon)-1)/(e^epsilon-1); for GDP gamma = Phi(Phi^-1(alpha) - n mu)",
		practice: []string{"The privacy of the whole sample as one group. For rows that may depend on each other; of use where n epsilon or n mu is of the order of one."},
	},
	{
		name:     "description",
		command:  "maxinfo",
		summary:  "one answer out of N possible ones, any law of the rows",
		formula:  "P[E] <= N max_y P[E_y]; I_inf^b <= ln(N/b) nats",
		practice: []string{"Count every answer that could have been given, not only those that were. Such a step may follow others: its factor N multiplies theirs."},
	},
	{
		name:     "bonferroni",
		command:  "pvalue-correct",
		summary:  "one test selected among N possible ones, any law of the rows",
		formula:  "gamma = alpha/N",
		practice: []string{"For an analyst who saw one of N possible answers, or chose among N tests after seeing all of the data. Count every test that could have been selected."},
	},
	{
		name:     "rogers16",
		command:  "maxinfo, pvalue-correct",
		summary:  "mutual information: the published bound through max-information",
		formula:  "I_inf^b <= (I + 0.54)/b bits; gamma = (alpha/2) 2^(-(2/alpha)(I + 0.54)), I in bits",
		practice: []string{"The bound to cite where only published theorems may be used; kl is never worse and mostly many orders of magnitude better."},
	},
	{
		name:     "russo-zou16",
		command:  "pvalue-correct",
		summary:  "mutual information: the published rule of Russo and Zou",
		formula:  "gamma = min{ e^(-I/alpha^2)/2, alpha/2 }, I in bits",
		practice: []string{"For comparison; kl is never worse."},
	},
	{
		name:     "max-info",
		command:  "maxinfo, pvalue-correct",
		summary:  "max-information of k bits with slack b, known from elsewhere",
		formula:  "gamma = (alpha - b) 2^(-k)",
		practice: []string{"For a mechanism with a bound of its own. If the bound holds for every law of the data, data=any lets the step follow others."},
	},
}

// correctionArticles completes [corrections] from the libraries.
func correctionArticles() ([]article, error) {
	all := slices.Clone(corrections)
	learn := func(name, source string, proof theory.Proof, assumes []string, sources []theory.Source) {
		i := slices.IndexFunc(all, func(a article) bool { return a.name == name })
		if i < 0 {
			return
		}
		a := &all[i]
		a.proof = proof
		if text := source + ": " + strings.Join(assumes, "; "); !slices.Contains(a.hypotheses, text) {
			a.hypotheses = append(slices.Clone(a.hypotheses), text)
		}
		for _, s := range sources {
			if !slices.Contains(a.sources, s) {
				a.sources = append(slices.Clone(a.sources), s)
			}
		}
	}
	for _, plan := range steps.Exemplars() {
		source, _, _ := strings.Cut(plan.Steps[0].String(), ":")
		chain, err := plan.Chain()
		if err != nil {
			return nil, err
		}
		for _, m := range chain.Methods {
			learn(m.Name, source, m.Proof, m.Assumes, m.Sources)
		}
		found, err := pvalue.Corrections(plan)
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			learn(c.Name, source, c.Proof, c.Assumes, c.Sources)
		}
	}
	return all, nil
}

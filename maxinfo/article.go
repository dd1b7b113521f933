package maxinfo

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/theory"
)

// Articles describes the methods of a [Chain], in printing order. Proof, sources and hypotheses come from the methods
// for one step of each of the [Kinds]. A hypothesis begins with the name of the kind.
func Articles() ([]theory.Article, error) {
	all := slices.Clone(articles)
	for _, k := range kinds {
		plan := Plan{Samples: 1000, Data: ProductData, Steps: []Step{k.Example}}
		chain, err := plan.Chain()
		if err != nil {
			return nil, err
		}
		for _, m := range chain.Methods {
			if i := slices.IndexFunc(all, func(a theory.Article) bool { return a.Name == m.Name }); i >= 0 {
				m.tells(&all[i], k)
			}
		}
	}
	return all, nil
}

// tells adds what a method says of itself to its article.
func (m Method) tells(a *theory.Article, k Kind) {
	a.Proof = m.Proof
	a.Assumes = append(a.Assumes, k.Name+": "+strings.Join(m.Assumes, "; "))
	for _, s := range m.Sources {
		if !slices.Contains(a.Sources, s) {
			a.Sources = append(a.Sources, s)
		}
	}
}

// articles has the names of all methods and what they do not say of themselves.
var articles = []theory.Article{
	{
		Name:     "max-info-any",
		Summary:  "pure differential privacy, any law of the rows",
		Formula:  "I_inf <= n epsilon nats; gamma = alpha exp(-n epsilon)",
		Practice: "For rows that may depend on each other: repeated measurements, families, time series. It costs a factor e^epsilon for every row, so it serves small samples and very small epsilon. Such a step may follow others, for max-information too.",
	},
	{
		Name:     "max-info-dwork15",
		Summary:  "pure differential privacy, independent rows: the published bound",
		Formula:  "I_inf^b <= epsilon^2 n/2 + epsilon sqrt(n ln(2/b)/2) nats; gamma = max_b (alpha-b) exp(-I_inf^b)",
		Practice: "The bound to cite where only published theorems may be used. Its b is free and searched; renyi is never worse.",
	},
	{
		Name:     "renyi",
		Summary:  "pure differential privacy or Gaussian noise, independent rows: the sharp bound",
		Formula:  "D_a <= a rho for every order a > 1, rho = n epsilon^2/8: gamma = exp(-(sqrt(ln(1/alpha)) + sqrt(rho))^2) and the adjusted p is exp(-max(0, sqrt(ln(1/p)) - sqrt(rho))^2); for Gaussian noise on linear queries ln gamma = -min_(a>1) D_a + (a/(a-1)) ln(1/alpha)",
		Practice: "Epsilon is the privacy of everything that was seen before the test was selected. Keep rho well below ln(1/alpha): the threshold is alpha exp(-rho - 2 sqrt(rho ln(1/alpha))).",
	},
	{
		Name:     "kl",
		Summary:  "mutual information between sample and answers: the exact bound",
		Formula:  "gamma <= alpha solves kl(alpha||gamma) = I, the mutual information in nats: n epsilon^2/8 for pure differential privacy, n mu^2/2 for GDP, n rho for zCDP, at most (n m/2) ln(1 + 1/(4 n^2 sd^2)) for Gaussian noise",
		Practice: "No correction that uses the mutual information alone is better. At the usual alpha renyi leaves more where it applies.",
	},
	{
		Name:     "approx-dp",
		Summary:  "(epsilon, delta)-differential privacy, GDP, zCDP or RDP, independent rows",
		Formula:  "as renyi, with rho = n epsilon tanh(epsilon/2), at alpha - n delta (1 + e^(-epsilon)) in place of alpha; for GDP, zCDP and RDP at the best point of the privacy curve",
		Practice: "Nothing is left unless delta is below about alpha/(2n). Neighbouring private steps count as one, whose epsilons and deltas add up. For max-information they stand first; for p-values at any place.",
	},
	{
		Name:     "group",
		Summary:  "(epsilon, delta)-differential privacy, GDP or zCDP, any law of the rows",
		Formula:  "gamma = (alpha - delta_n) e^(-n epsilon), delta_n = delta (e^(n epsilon)-1)/(e^epsilon-1); for GDP gamma = Phi(Phi^-1(alpha) - n mu), for zCDP exp(-(sqrt(ln(1/alpha)) + n sqrt(rho))^2)",
		Practice: "The privacy of the whole sample as one group. For rows that may depend on each other; of use where n epsilon or n mu is of the order of one.",
	},
	{
		Name:     "description",
		Summary:  "one answer out of N possible ones, any law of the rows",
		Formula:  "P[E] <= N max_y P[E_y]; I_inf^b <= ln(N/b) nats",
		Practice: "Count every answer that could have been given, not only those that were. Such a step may follow others: its factor N multiplies theirs.",
	},
	{
		Name:     "gates",
		Summary:  "tests behind a gate that shows a verdict only, any law of the rows",
		Formula:  "I_inf^b <= ln(N/b) nats, N = sum_(l<=B) C(m,l) sequences of verdicts in m looks with at most B passes; gamma = alpha/N, N = sum_(l<=min(B,m-1)) C(m-1,l)",
		Practice: "For one test set that judges every change. All false rejections on the path count, so no family step follows. Nothing but pass or fail may be shown, and the data are retired at the last pass. An e-value passes at e >= 1/gamma. An interval behind the gate needs more: see the confidence.",
	},
	{
		Name:     "rogers16",
		Summary:  "mutual information: the published bound through max-information",
		Formula:  "I_inf^b <= (I + 0.54)/b bits; gamma = (alpha/2) 2^(-(2/alpha)(I + 0.54)), I in bits",
		Practice: "The bound to cite where only published theorems may be used; kl is never worse and mostly many orders of magnitude better.",
	},
	{
		Name:     "max-info",
		Summary:  "max-information of k bits with slack b, known from elsewhere",
		Formula:  "gamma = (alpha - b) 2^(-k)",
		Practice: "For a mechanism with a bound of its own. If the bound holds for every law of the data, data=any lets the step follow others for max-information, and its slack count once for p-values.",
	},
}

// JointArticles says what there is to say of the values of a [Joint] table beside max-info, whose
// article is among [Articles].
func JointArticles() []theory.Article { return slices.Clone(jointArticles) }

const finiteLaw = "the joint law of sample and answers is the table"

var jointArticles = []theory.Article{
	{
		Name:     "approx-max-info",
		Summary:  "the max-information of a table with slack, exactly",
		Formula:  "I_inf^b = ln max (P[E] - b)/Q[E] over the events E with P[E] > b, Q the product of the marginal laws",
		Practice: "For a mechanism with finitely many answers on finitely many samples, as the truth that a bound is compared with.",
		Proof:    theory.Published,
		Sources: []theory.Source{maxInformation,
			{Key: "dpcalc", Where: "docs/theorems/maxinfo.md#exact-max-information-of-a-table"}},
		Assumes: []string{finiteLaw},
	},
	{
		Name:     "mutual-info",
		Summary:  "the mutual information of a table, exactly",
		Formula:  "I = sum over x, y of P(x,y) ln(P(x,y)/Q(x,y)), Q the product of the marginal laws",
		Practice: "A plan takes it for one step, as mutual-info, and kl uses it without a bound in between.",
		Proof:    theory.Published,
		Sources: []theory.Source{{Key: "vanerven14", Where: "divergence of order 1"},
			{Key: "dpcalc", Where: "docs/theorems/maxinfo.md#kl"}},
		Assumes: []string{finiteLaw},
	},
}

package pvalue

import (
	"slices"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

const quotedRussoZou16 = "russo-zou16"

var russoZou16Sources = []theory.Source{
	{Key: "russo16", Where: "as quoted in the slides"}, {Key: "dpcalc", Where: "docs/theorems/pvalue.md#russo-zou16"},
}

// Articles describes the corrections, in printing order. A correction that keeps the name of a method of package
// maxinfo has that method's article.
func Articles() ([]theory.Article, error) {
	methods, err := maxinfo.Articles()
	if err != nil {
		return nil, err
	}
	var all []theory.Article
	for _, a := range methods {
		switch a.Name {
		case "description":
			a = menu(a)
		case "rogers16":
			all = append(all, a)
			a = russoZou(a)
		}
		all = append(all, a)
	}
	all = append(all, composedArticle)
	for i := range all {
		all[i].Checked, all[i].Missing = checkedRows[all[i].Name], partlyChecked[all[i].Name]
	}
	return all, nil
}

// composedArticle is the article of the correction by several theorems.
var composedArticle = theory.Article{
	Name:     composed,
	Summary:  "several steps, each by the theorem that leaves most",
	Formula:  "gamma = gamma_J(...gamma_2(gamma_1(alpha))), gamma_j the correction of step j alone",
	Practice: "For steps of which each has several theorems. The steps may stand in any order, and those for independent rows at any place. Neighbouring private steps count as one, or one by one, whichever leaves more.",
	Proof:    theory.Derived,
	Sources:  []theory.Source{compositionSource},
	Assumes:  []string{"the hypotheses of the theorems used, for every earlier answer held fixed"},
}

// menu makes the article of Bonferroni's correction from the article of the description.
func menu(a theory.Article) theory.Article {
	a.Name = string(Bonferroni)
	a.Summary = "one test selected among N possible ones, any law of the rows"
	a.Formula = "gamma = alpha/N"
	a.Practice = "For an analyst who saw one of N possible answers, or chose among N tests after seeing all of the data. Count every test that could have been selected."
	return a
}

// russoZou makes the article of the rule of Russo and Zou from the article of the rule of Rogers et al.
func russoZou(a theory.Article) theory.Article {
	a.Name = quotedRussoZou16
	a.Summary = "mutual information: the published rule of Russo and Zou"
	a.Formula = "gamma = min{ e^(-I/alpha^2)/2, alpha/2 }, I in bits"
	a.Practice = "For comparison; kl is never worse."
	a.Sources = russoZou16Sources
	return a
}

// FamilyArticles says what there is to say of the [Families] beside Bonferroni's step, whose article
// is among [Articles]: m p-values count as the N tests of a menu.
func FamilyArticles() []theory.Article { return slices.Clone(familyArticles) }

const (
	validAlone = "every p-value is valid by itself"
	anyLaw     = "any dependence of the p-values"
)

var familySource = theory.Source{Key: "dpcalc", Where: "docs/theorems/pvalue.md#several-tests"}

var familyArticles = []theory.Article{
	{
		Name:     string(Holm),
		Summary:  "Holm's step-down: no false rejection at all among m tests",
		Formula:  "max over j <= i of (m-j+1) p_(j), for p_(1) <= ... <= p_(m), at most 1",
		Practice: "For a report in which not one rejection may be false. It rejects whatever Bonferroni does.",
		Proof:    theory.Published,
		Sources:  []theory.Source{{Key: "holm79"}, familySource},
		Assumes:  []string{validAlone, anyLaw},
	},
	{
		Name:     string(BenjaminiHochberg),
		Summary:  "Benjamini and Hochberg's step-up: the expected share of false rejections",
		Formula:  "min over j >= i of (m/j) p_(j), for p_(1) <= ... <= p_(m), at most 1",
		Practice: "For a screen whose hits are looked at again: alpha is the expected share of false ones among them, not the probability of any.",
		Proof:    theory.Published,
		Sources:  []theory.Source{{Key: "benjamini95"}, familySource},
		Assumes:  []string{validAlone, "independent or positively regression dependent p-values"},
	},
	{
		Name:     string(BenjaminiYekutieli),
		Summary:  "Benjamini and Yekutieli's step-up: as bh, under any dependence",
		Formula:  "min over j >= i of H_m (m/j) p_(j), H_m = 1 + 1/2 + ... + 1/m, at most 1",
		Practice: "For a screen whose hits are looked at again, where nothing is known of how the p-values depend on each other: alpha is the expected share of false ones among the hits. Against bh it costs a factor of about ln m.",
		Proof:    theory.Published,
		Sources:  []theory.Source{{Key: "benjamini01"}, familySource},
		Assumes:  []string{validAlone, anyLaw},
	},
}

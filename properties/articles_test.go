package properties

import (
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/docs"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/theorem"
)

// registries are the articles of every registry of the libraries.
func registries(t *testing.T) [][]theory.Article {
	t.Helper()
	var methods, theorems, compositions []theory.Article
	for _, m := range transfer.Methods() {
		methods = append(methods, m.Article())
	}
	for _, th := range theorem.All() {
		theorems = append(theorems, th.Article)
	}
	for _, m := range theory.CompositionMethods() {
		compositions = append(compositions, m.Article)
	}
	chains, err := maxinfo.Articles()
	if err != nil {
		t.Fatal(err)
	}
	corrections, err := pvalue.Articles()
	if err != nil {
		t.Fatal(err)
	}
	return [][]theory.Article{
		methods, theorems, compositions, chains, maxinfo.JointArticles(), corrections, pvalue.FamilyArticles(),
	}
}

// A name stands once in a registry, and means the same in all of them.
func TestArticleNamesAreUnique(t *testing.T) {
	known := map[string]theory.Article{}
	for _, registry := range registries(t) {
		var names []string
		for _, a := range registry {
			if slices.Contains(names, a.Name) {
				t.Errorf("%s stands twice", a.Name)
			}
			names = append(names, a.Name)
			if other, ok := known[a.Name]; ok && (other.Formula != a.Formula || other.Summary != a.Summary) {
				t.Errorf("%s is %q and %q", a.Name, other.Summary, a.Summary)
			}
			known[a.Name] = a
		}
	}
}

// Every article says all there is to say: nothing is empty, its sources are in the bibliography
// or are sections of the theorems, which the tests of docs open, and the first one is where its proof is said to be.
func TestArticlesAreComplete(t *testing.T) {
	for _, a := range slices.Concat(registries(t)...) {
		texts := append([]string{a.Name, a.Summary, a.Formula, a.Practice}, a.Assumes...)
		if slices.Contains(texts, "") || len(a.Sources) == 0 || len(a.Assumes) == 0 {
			t.Errorf("something is not said: %+v", a)
			continue
		}
		for _, s := range a.Sources {
			if s.Key != "dpcalc" && !strings.Contains(docs.References, "{"+s.Key+",") {
				t.Errorf("%s: the bibliography has no %s", a.Name, s.Key)
			}
		}
		proof := theory.Published
		if a.Sources[0].Key == "dpcalc" {
			proof = theory.Derived
		}
		if a.Proof != proof {
			t.Errorf("%s is %q and its first source is %s", a.Name, a.Proof, a.Sources[0])
		}
	}
}

// The articles name every correction and every family step.
func TestArticlesNameEveryCorrection(t *testing.T) {
	names := map[string]bool{string(pvalue.NoFamily): true}
	for _, a := range slices.Concat(registries(t)...) {
		names[a.Name] = true
	}
	for _, f := range pvalue.Families() {
		if !names[string(f)] {
			t.Errorf("the family step %s has no article", f)
		}
	}
	for _, k := range maxinfo.Kinds() {
		plan := maxinfo.Plan{Samples: 100, Data: maxinfo.ProductData, Steps: []maxinfo.Step{k.Example}}
		tests, err := pvalue.Tests(plan, -3)
		if err != nil {
			t.Fatal(err)
		}
		own, err := pvalue.Articles()
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range tests {
			i := slices.IndexFunc(own, func(a theory.Article) bool { return a.Name == test.Correction.Name })
			if i < 0 {
				t.Errorf("the correction %s has no article", test.Correction.Name)
				continue
			}
			for _, s := range test.Correction.Sources {
				if !slices.Contains(own[i].Sources, s) {
					t.Errorf("the article of %s does not name %v", own[i].Name, s)
				}
			}
		}
	}
}

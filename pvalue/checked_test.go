package pvalue

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// Which rows Coq checks, by plan. Every other method of these plans is not checked.
func TestCheckedRows(t *testing.T) {
	one, two := maxinfo.OneOf(10), maxinfo.OneOf(3)
	pure, weaker := maxinfo.PureDP{Epsilon: 0.01}, maxinfo.PureDP{Epsilon: 0.02}
	gate := maxinfo.Gates{Looks: 20, Passes: 3}
	for _, c := range []struct {
		what  string
		data  maxinfo.Data
		steps []maxinfo.Step
		want  []string
	}{
		{"outcomes", maxinfo.AnyData, []maxinfo.Step{one}, []string{"bonferroni"}},
		{"outcomes, twice", maxinfo.AnyData, []maxinfo.Step{one, two}, []string{"bonferroni"}},
		{"privacy", maxinfo.ProductData, []maxinfo.Step{pure}, []string{"renyi"}},
		{"privacy, twice", maxinfo.ProductData, []maxinfo.Step{pure, weaker}, []string{"renyi"}},
		{"privacy of rows of any law", maxinfo.AnyData, []maxinfo.Step{pure}, nil},
		{"privacy, then outcomes", maxinfo.ProductData, []maxinfo.Step{pure, one}, []string{"renyi"}},
		{"outcomes between privacy", maxinfo.ProductData, []maxinfo.Step{pure, one, weaker}, []string{"renyi"}},
		{"a gate", maxinfo.AnyData, []maxinfo.Step{gate}, []string{"gates"}},
		{"a gate, then outcomes", maxinfo.AnyData, []maxinfo.Step{gate, one}, nil},
		{"outcomes, then a gate", maxinfo.AnyData, []maxinfo.Step{one, gate}, nil},
		{"approximate privacy", maxinfo.ProductData, []maxinfo.Step{maxinfo.ApproxDP{Epsilon: 0.01, LnDelta: -100}}, nil},
		{"GDP", maxinfo.ProductData, []maxinfo.Step{maxinfo.GDP{Mu: 0.01}}, nil},
		{"zCDP", maxinfo.ProductData, []maxinfo.Step{maxinfo.ZCDP{Rho: 1e-4}}, nil},
		{"zCDP of rows of any law", maxinfo.AnyData, []maxinfo.Step{maxinfo.ZCDP{Rho: 1e-4}}, nil},
		{"noise", maxinfo.ProductData, []maxinfo.Step{maxinfo.Gaussian{Queries: 10, SD: 0.1}}, nil},
		{"privacy, then noise", maxinfo.ProductData, []maxinfo.Step{pure, maxinfo.Gaussian{Queries: 10, SD: 0.1}}, nil},
		{"information", maxinfo.AnyData, []maxinfo.Step{maxinfo.MutualInformation{Nats: 1}}, nil},
		{"max-information", maxinfo.AnyData, []maxinfo.Step{maxinfo.MaxInformation{Nats: 1, Slack: theory.Zero}}, nil},
		{"outcomes, then max-information", maxinfo.AnyData,
			[]maxinfo.Step{one, maxinfo.MaxInformation{Nats: 1, Slack: -9, Always: true}}, nil},
	} {
		all, err := Corrections(maxinfo.Plan{Samples: 1000, Data: c.data, Steps: c.steps})
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		var got []string
		for _, row := range all {
			if row.InCoq {
				got = append(got, row.Name)
			}
			if row.Proof == theory.Coq {
				t.Errorf("%s, %s: the proof is %s whatever Coq checks", c.what, row.Name, row.Proof)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: Coq checks %v, want %v", c.what, got, c.want)
		}
	}
}

// Coq knows every theorem that a row rests on, given no published one, and another file of proofs uses it at numbers.
func TestTheoremsOfCheckedRows(t *testing.T) {
	list, err := os.ReadFile("../proofs/axioms.txt")
	if err != nil {
		t.Fatal(err)
	}
	met, err := os.ReadFile("../proofs/PvalueInstances.v")
	if err != nil {
		t.Fatal(err)
	}
	articles, err := Articles()
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for _, a := range articles {
		if len(a.Checked) != len(checkedRows[a.Name]) || len(a.Missing) != len(partlyChecked[a.Name]) {
			t.Errorf("the article of %s has %d and %d kinds of rows in Coq", a.Name, len(a.Checked), len(a.Missing))
		}
		for _, c := range slices.Concat(a.Checked, a.Missing) {
			for _, name := range c.Theorems {
				names++
				line := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `:.*$`).FindString(string(list))
				if line == "" || strings.Contains(line, " given ") || len(c.Given) > 0 {
					t.Errorf("%s, %s: axioms.txt says %q, the row is given %v", a.Name, name, line, c.Given)
				}
				_, theorem, _ := strings.Cut(name, ".")
				if c.Missing == "" && !regexp.MustCompile(`\b`+theorem+`\b`).Match(met) {
					t.Errorf("%s: no instance of %s", a.Name, name)
				}
			}
		}
	}
	if names < 12 {
		t.Errorf("%d names of theorems, want at least 12", names)
	}
}

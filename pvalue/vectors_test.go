package pvalue

import (
	"math"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/internal/vectors"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

func prob(t testing.TB, text string) theory.LogProb {
	t.Helper()
	p, err := theory.ParseLogProb(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// corrected returns the correction of one step by name.
func corrected(t testing.TB, p maxinfo.Plan, name string) Correction {
	t.Helper()
	all, err := Corrections(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("%v: no correction %s", p.Steps, name)
	return Correction{}
}

// The reference values have 17 digits and a source of their own. A threshold is never
// above, except by the rounding of the reference, and within 1e-10, relative in its
// logarithm.
func checkVector(t *testing.T, c Correction, alpha theory.LogProb, want float64) {
	t.Helper()
	gamma, err := c.Threshold(alpha)
	if err != nil {
		t.Fatal(err)
	}
	if above := gamma.Ln() - want; above > 1e-15*math.Abs(want) || above < -1e-10*math.Abs(want) {
		t.Errorf("%s at %v: ln gamma = %.17g, want %.17g (%g above)", c.Name, alpha, gamma.Ln(), want, above)
	}
}

func TestPureVectors(t *testing.T) {
	for _, row := range vectors.Rows(t, "pvalue-pure-dp.csv") {
		p := maxinfo.Plan{
			Samples: int64(row.Float(t, "samples")), Data: maxinfo.ProductData,
			Steps: []maxinfo.Step{maxinfo.PureDP{Epsilon: row.Float(t, "epsilon")}},
		}
		for _, name := range []string{"renyi", "max-info-dwork15", "max-info-any"} {
			checkVector(t, corrected(t, p, name), prob(t, row["alpha"]), row.Float(t, name+".ln"))
		}
	}
}

func TestMutualInformationVectors(t *testing.T) {
	for _, row := range vectors.Rows(t, "pvalue-mutual-info.csv") {
		p := maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.MutualInformation{Nats: theory.Nats(row.Float(t,
			"bits") * math.Ln2)}}}
		for column := range row {
			if name, ok := strings.CutSuffix(column, ".ln"); ok {
				checkVector(t, corrected(t, p, name), prob(t, row["alpha"]), row.Float(t, column))
			}
		}
	}
}

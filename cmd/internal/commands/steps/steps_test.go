package steps

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/maxinfo"
)

// A step reads as what it prints.
func TestStepsRoundTrip(t *testing.T) {
	for _, text := range []string{
		"pure-dp:epsilon=0.01", "approx-dp:epsilon=0,delta=1e-4343", "gdp:mu=0.001", "gaussian:queries=100,noise-sd=1e-150",
		"description:outcomes=100", "description:outcomes=1", "description:bits=1000", "mutual-info:bits=0.1",
		"mutual-info:bits=0",
		"max-info:bits=10", "max-info:bits=10,slack=1e-9", "max-info:bits=10,slack=0.5,data=any", "max-info:bits=10,data=any",
	} {
		step, _, err := ParseStep(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := step.String(); got != text {
			t.Errorf("%s prints as %s", text, got)
		}
	}
	for other, same := range map[string]string{
		"description:outcomes=1k": "description:outcomes=1000", "mutual-info:nats=0": "mutual-info:bits=0",
		"gdp:mu=1/1000":                "gdp:mu=0.001",
		"approx-dp:delta=1%,epsilon=1": "approx-dp:epsilon=1,delta=0.01", "max-info:bits=10,data=product": "max-info:bits=10",
	} {
		a, _, err := ParseStep(other)
		b, _, err2 := ParseStep(same)
		if err != nil || err2 != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%s is %v, %s is %v: %v, %v", other, a, same, b, err, err2)
		}
	}
}

// Bits are never read as fewer nats.
func TestBitsInNats(t *testing.T) {
	ln2, _ := new(big.Float).SetPrec(200).SetString("0.693147180559945309417232121458176568075500134360255254120680009")
	short := 0
	for _, bits := range []float64{0.1, 1, 2, 3, 7, 10, 12.5, 100, 1e-9, 1e9, 0.3, 1e-300, 1e300} {
		d := &Details{Said: map[string]string{"bits": fmt.Sprint(bits)}}
		got := float64(d.information())
		exact := new(big.Float).SetPrec(200).Mul(big.NewFloat(bits), ln2)
		if gap, _ := new(big.Float).Sub(big.NewFloat(got), exact).Float64(); gap < -1.5e-16*got || gap > 4e-16*got {
			t.Errorf("%g bits are %.17g nats, off by %g", bits, got, gap/got)
		} else if gap < 0 {
			short++
		}
		if again := d.information().Bits(); again < bits {
			t.Errorf("%g bits print as %.17g", bits, again)
		}
	}
	if short > 6 {
		t.Errorf("%d of 13 are below, by rounding", short)
	}
}

// The chain of the command is the library's: the second of two steps that each hold
// for every law adds its bits.
func TestStepsAdd(t *testing.T) {
	bits := func(steps ...string) float64 {
		plan := TypedPlan{}
		for _, text := range steps {
			step, _, err := ParseStep(text)
			if err != nil {
				t.Fatal(err)
			}
			plan.Steps = append(plan.Steps, step)
		}
		plan.Samples, plan.Data = 100, maxinfo.AnyData
		chain, err := plan.Chain()
		if err != nil {
			t.Fatal(err)
		}
		k, err := chain.MaxInformation(chain.Methods[0], commandtest.LnProb(t, "0"))
		if err != nil {
			t.Fatal(err)
		}
		return k.Bits()
	}
	a, b := bits("max-info:bits=3,data=any"), bits("pure-dp:epsilon=0.01")
	if sum := bits("max-info:bits=3,data=any", "pure-dp:epsilon=0.01"); math.Abs(sum-a-b) > 1e-12 ||
		math.Abs(a-3) > 1e-12 || math.Abs(b-math.Log2E) > 1e-12 {
		t.Errorf("%g and %g are %g", a, b, sum)
	}
}

// Each kind says of its steps what the library says: whether they need the number of rows, and whether their privacy is
// converted.
func TestKindsAreTheLibrarys(t *testing.T) {
	kinds := Kinds()
	for i, k := range maxinfo.Kinds() {
		if i >= len(kinds) || kinds[i].Name != k.Name {
			t.Fatalf("the command has no kind %s at that place", k.Name)
		}
		private := maxinfo.Plan{Steps: []maxinfo.Step{k.Example}}.Validate() != nil
		_, sources, err := maxinfo.Replaced(k.Example)
		if err != nil || kinds[i].Private != private || (kinds[i].Replaced != nil) != (sources != nil) {
			t.Errorf("%s: private %v, want %v; converted %v, want %v; %v", k.Name, kinds[i].Private, private, kinds[i].Replaced != nil, sources != nil, err)
		}
	}
	if len(kinds) != len(maxinfo.Kinds()) {
		t.Errorf("%d kinds, want %d", len(kinds), len(maxinfo.Kinds()))
	}
}

package transfer

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// Plans that were certified by other runs, orders, shares and tangents stay certified: ledgers carry their noise. The
// file has the 27 shortest of 44 plans, of 2,260 random ones, that the runs of a search do not certify, and 9 of 1,000
// that its tangents do not. With less noise none do.
func TestEarlierNoise(t *testing.T) {
	file, err := os.Open("testdata/noise.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plans := 0
	for lines := bufio.NewScanner(file); lines.Scan(); plans++ {
		var plan struct {
			Goal  Goal                `json:"goal"`
			Noise []theory.NoiseBlock `json:"noise"`
		}
		if err := json.Unmarshal(lines.Bytes(), &plan); err != nil {
			t.Fatal(err)
		}
		a, less := Answer{Goal: plan.Goal}, Answer{Goal: plan.Goal}
		if err := a.CertifyNoise(plan.Noise); err != nil || a.Beta > plan.Goal.Beta {
			t.Errorf("%+v: beta %v, want %v: %v", plan.Goal, a.Beta, plan.Goal.Beta, err)
		}
		for i := range plan.Noise {
			plan.Noise[i].Scale *= 0.8
		}
		if err := less.CertifyNoise(plan.Noise); err != nil || less.Beta <= plan.Goal.Beta {
			t.Errorf("%+v: with four fifths of the noise beta %v: %v", plan.Goal, less.Beta, err)
		}
	}
	if plans < 36 {
		t.Errorf("%d plans", plans)
	}
}

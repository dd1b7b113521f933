package properties

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// The worked example of docs/use/p-values.md: 1,024 rows, 100 yes-or-no attributes that are fair coins, and an
// exact (Clopper and Pearson) interval for the share of the one that was selected.
const (
	coverageRows       = 1024
	coverageAttributes = 100
)

// misses reports whether the exact interval of so many yes excludes the true share, 1/2.
func misses(t *testing.T, yes int, level pvalue.Confidence) bool {
	t.Helper()
	most := int64(max(yes, coverageRows-yes))
	p, err := pvalue.Pairs{Wins: most, Losses: coverageRows - most}.PValue()
	if err != nil {
		t.Fatal(err)
	}
	return p.Ln() <= level.Miss.Ln()-math.Ln2
}

// confidence is the level that the best correction asks for at alpha = 0.05.
func confidence(t *testing.T, step maxinfo.Step) pvalue.Confidence {
	t.Helper()
	plan := maxinfo.Plan{Samples: coverageRows, Data: maxinfo.ProductData, Steps: []maxinfo.Step{step}}
	tests, err := pvalue.Tests(plan, theory.LogProb(math.Log(0.05)))
	if err != nil {
		t.Fatal(err)
	}
	level, err := tests[pvalue.Best(tests)].Confidence()
	if err != nil {
		t.Fatal(err)
	}
	return level
}

// An interval at the level that the correction asks for misses what was selected with probability at most 0.05,
// whether the largest share was taken or one by the exponential mechanism; at 95% it misses more. The number of
// misses in 4,000 runs is above 290 with probability below 1e-9 where each misses with probability 0.05.
func TestCoverageOfSelectedIntervals(t *testing.T) {
	const runs, most = 4000, 290
	if p := (num.Binomial{N: runs, P: 0.05}).LnAtLeast(most + 1); p > -9*math.Ln10 {
		t.Fatalf("false alarms with probability e^%g", p)
	}
	naive, err := pvalue.ParseConfidence("0.95")
	if err != nil {
		t.Fatal(err)
	}
	epsilon := 4 / math.Sqrt(coverageRows) // 4 for epsilon sqrt n
	arms := []struct {
		name   string
		level  pvalue.Confidence
		scale  float64 // of the Gumbel noise on the number of yes
		misses [2]int  // at this level and at 95%
		naive  int     // at least so many misses at 95%
	}{
		{"largest of 100", confidence(t, maxinfo.OneOfNats(theory.Nats(math.Log(coverageAttributes)))), 0,
			[2]int{}, runs * 9 / 10},
		{"exponential mechanism", confidence(t, maxinfo.PureDP{Epsilon: epsilon}), 2 / epsilon, [2]int{}, most},
	}
	r := rand.New(rand.NewPCG(511, 512))
	for range runs {
		var yes [coverageAttributes]int
		for i := range yes {
			for range coverageRows / 64 {
				yes[i] += bits.OnesCount64(r.Uint64())
			}
		}
		for a := range arms {
			best, score := 0, math.Inf(-1)
			for i, k := range yes {
				s := float64(k) - arms[a].scale*math.Log(r.ExpFloat64())
				if s > score {
					best, score = i, s
				}
			}
			for j, level := range []pvalue.Confidence{arms[a].level, naive} {
				if misses(t, yes[best], level) {
					arms[a].misses[j]++
				}
			}
		}
	}
	for _, arm := range arms {
		t.Logf("%s: misses %.4f at level %s, %.4f at 0.95", arm.name, float64(arm.misses[0])/runs, arm.level.Text(3),
			float64(arm.misses[1])/runs)
		if arm.misses[0] > most {
			t.Errorf("%s: %d of %d intervals at level %s miss", arm.name, arm.misses[0], runs, arm.level)
		}
		if arm.misses[1] < arm.naive {
			t.Errorf("%s: only %d of %d intervals at level 0.95 miss", arm.name, arm.misses[1], runs)
		}
	}
}

// interval returns the exact interval of k yes among the rows.
func interval(k int64, miss float64) (lo, hi float64) {
	half := math.Log(miss / 2)
	lo = num.Floats{Lo: 1e-9, Hi: 1, Guess: 0.5}.Least(func(p float64) bool {
		return p == 1 || num.Binomial{N: coverageRows, P: p}.LnAtLeast(k) >= half
	})
	hi = num.Floats{Lo: 1e-9, Hi: 1, Guess: 0.5}.Least(func(p float64) bool {
		return p == 1 || num.Binomial{N: coverageRows, P: p}.LnAtMost(k) <= half
	})
	return lo, hi
}

// The intervals that the page quotes, in per cent: rounded outwards.
func TestIntervalsOfThePage(t *testing.T) {
	page, err := os.ReadFile("../docs/use/p-values.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []pvalue.Confidence{{Miss: theory.LogProb(math.Log(0.05))},
		confidence(t, maxinfo.OneOfNats(theory.Nats(math.Log(coverageAttributes))))} {
		lo, hi := interval(555, level.Miss.Value())
		text := fmt.Sprintf("%.1f%% to %.1f%%", math.Floor(lo*1000)/10, math.Ceil(hi*1000)/10)
		if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), text) {
			t.Errorf("the page does not say %q, the interval at level %s", text, level.Text(4))
		}
	}
}

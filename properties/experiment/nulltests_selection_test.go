package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// Selection is a way to select a test in view of the sample.
type Selection struct {
	Name  string
	Scale float64 // epsilon sqrt(n) of a private selection, 0 of the others
	Plan  maxinfo.Plan
	Finds bool // whether it selects among the attributes

	// choose returns the count of the selected pattern, and the attribute that the
	// pattern is, -1 if none.
	choose func(r *rand.Rand, s sample) (count, attribute int)
}

// Threshold returns the highest threshold that a theorem gives for the selection, and
// the name of the correction.
func (s Selection) Threshold(alpha theory.LogProb) (theory.LogProb, string, error) {
	all, err := pvalue.Corrections(s.Plan)
	if err != nil {
		return 0, "", err
	}
	best, name := theory.Zero, ""
	for _, c := range all {
		if gamma, err := c.Threshold(alpha); err == nil && gamma >= best {
			best, name = gamma, c.Name
		}
	}
	return best, name, nil
}

// fixed tests the first attribute, whatever the sample says.
func fixed(n int) Selection {
	return Selection{
		Name:  "fixed in advance",
		Plan:  plan(n, maxinfo.OneOf(1)), // one possible test
		Finds: true,
		choose: func(_ *rand.Rand, s sample) (int, int) {
			return s.counts[0], 0
		},
	}
}

// smallest selects the attribute with the smallest p-value among N.
func smallest(n, tests int) Selection {
	return Selection{
		Name:  fmt.Sprintf("smallest p of %d", tests),
		Plan:  plan(n, maxinfo.OneOfNats(theory.Nats(math.Log(float64(tests))))),
		Finds: true,
		choose: func(_ *rand.Rand, s sample) (count, attribute int) {
			for j, c := range s.counts {
				if c > count {
					count, attribute = c, j
				}
			}
			return count, attribute
		},
	}
}

// exponential selects an attribute with probability proportional to e^(epsilon
// count/2). Another record in the place of one moves each count by at most one, so this
// is the exponential mechanism: epsilon-differentially private.
func exponential(n int, scale float64) (Selection, error) {
	weight := scale / math.Sqrt(float64(n)) / 2
	claim, err := theory.Exponential{Sensitivity: 1, Weight: weight}.BoundedRange()
	if err != nil {
		return Selection{}, err
	}
	private, err := claim.Value.Pure()
	if err != nil {
		return Selection{}, err
	}
	return Selection{
		Name:  "exponential mechanism",
		Scale: scale,
		Plan:  plan(n, maxinfo.PureDP(private.Value)),
		Finds: true,
		choose: func(r *rand.Rand, s sample) (count, attribute int) {
			best := math.Inf(-1)
			for j, c := range s.counts { // the largest of weight count + Gumbel noise
				if u := weight*float64(c) - math.Log(r.ExpFloat64()); u > best {
					best, count, attribute = u, c, j
				}
			}
			return count, attribute
		},
	}, nil
}

// memorised flips each label with probability 1/(1+e^epsilon), which is randomized
// response and epsilon-differentially private, and tests the pattern of flipped labels:
// a model that has learned the private labels by heart, tested where it was trained.
func memorised(n int, scale float64) Selection {
	epsilon := scale / math.Sqrt(float64(n))
	flip := 1 / (1 + math.Exp(epsilon))
	return Selection{
		Name:  "memorised labels",
		Scale: scale,
		Plan:  plan(n, maxinfo.PureDP{Epsilon: epsilon}),
		choose: func(r *rand.Rand, s sample) (int, int) {
			pattern := make([]uint64, len(s.label))
			for i := range pattern {
				pattern[i] = s.label[i] ^ biased(r, flip)
			}
			return s.agreements(pattern), -1
		},
	}
}

func plan(n int, step maxinfo.Step) maxinfo.Plan {
	return maxinfo.Plan{Samples: int64(n), Data: maxinfo.ProductData, Steps: []maxinfo.Step{step}}
}

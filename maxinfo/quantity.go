package maxinfo

import (
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Quantity is a number in a plan that may be left out and looked for.
type Quantity struct {
	Name   string  // as the command line names it
	Whole  bool    // it is a whole number
	Ln     bool    // its values are logarithms: of a probability
	Least  float64 // the range of its values
	Most   float64
	Raises bool // a larger value reveals less
	// With returns the plan with a value in the range.
	With func(x float64) Plan
}

// Noun is what the quantity is called in a sentence about one value: the number of looks, the epsilon.
func (q Quantity) Noun() string {
	if strings.HasSuffix(q.Name, "s") {
		return "number of " + q.Name
	}
	return q.Name
}

// samples is the name of the quantity of the plan itself.
const samples = "samples"

// Quantities lists the quantities of a plan: its steps' in order, then the number of rows. The thresholds of some kinds
// of steps rise with the rows, and the thresholds of others fall. The rows are no quantity of a plan that has steps of
// both kinds, or of neither. Passes of a gate that are as many as its looks stay so, unless there could not be more of
// either. The error is the DomainError of [Plan.Validate], but for the order of the steps.
func (p Plan) Quantities() ([]Quantity, error) {
	if err := p.domain(); err != nil {
		return nil, err
	}
	var all []Quantity
	for i, s := range p.Steps {
		for _, part := range s.parts() {
			all = append(all, Quantity{part.name, part.whole, part.ln, part.least, part.most, part.raises, func(x float64) Plan {
				other := p
				other.Steps = slices.Clone(p.Steps)
				other.Steps[i] = part.with(x)
				return other
			}})
		}
	}
	var rises, falls bool
	for _, s := range p.Steps {
		rows := s.roles().rows
		rises, falls = rises || rows == rising, falls || rows == falling
	}
	if rises != falls {
		all = append(all, Quantity{samples, true, false, 1, counts, rises, func(x float64) Plan {
			other := p
			other.Samples = int64(x)
			return other
		}})
	}
	return all, nil
}

// part is a quantity of one step.
type part struct {
	name        string
	whole, ln   bool
	least, most float64
	raises      bool
	with        func(x float64) Step
}

const (
	tiniest = 1e-300
	largest = 1e300
	counts  = 1 << 53
)

func (s PureDP) parts() []part {
	return []part{{"epsilon", false, false, tiniest, largest, false, func(x float64) Step { return PureDP{x} }}}
}

func (s ApproxDP) parts() []part {
	return []part{
		{"epsilon", false, false, tiniest, largest, false, func(x float64) Step { return ApproxDP{x, s.LnDelta} }},
		{"delta", false, true, -largest, -tiniest, false, func(x float64) Step {
			return ApproxDP{s.Epsilon, theory.LogProb(x)}
		}},
	}
}

func (s GDP) parts() []part {
	return []part{{"mu", false, false, tiniest, largest, false, func(x float64) Step { return GDP{x} }}}
}

func (s ZCDP) parts() []part {
	return []part{{"rho", false, false, tiniest, largest, false, func(x float64) Step { return ZCDP{x} }}}
}

// A curve has no single number.
func (s RDP) parts() []part { return nil }

func (s Gaussian) parts() []part {
	return []part{
		{"queries", true, false, 1, counts, false, func(x float64) Step { return Gaussian{int64(x), s.SD} }},
		{"noise-sd", false, false, 1e-150, 1e150, true, func(x float64) Step { return Gaussian{s.Queries, x} }},
	}
}

func (s Description) parts() []part {
	return []part{
		{"outcomes", true, false, 1, counts, false, func(x float64) Step {
			return Description{theory.Nats(num.Log(x) * up)}
		}},
		{"bits", false, false, 0, largest, false, func(x float64) Step { return Description{nats(x)} }},
	}
}

func (s Gates) parts() []part {
	least, passes := float64(s.Passes), func(int64) int64 { return s.Passes }
	if s.Passes == s.Looks && s.Looks < counts {
		least, passes = 1, func(looks int64) int64 { return looks }
	}
	return []part{
		{"looks", true, false, least, counts, false, func(x float64) Step { return Gates{int64(x), passes(int64(x))} }},
		{"passes", true, false, 1, float64(s.Looks), false, func(x float64) Step { return Gates{s.Looks, int64(x)} }},
	}
}

func (s MutualInformation) parts() []part {
	return []part{{"bits", false, false, 0, largest, false, func(x float64) Step { return MutualInformation{nats(x)} }}}
}

func (s MaxInformation) parts() []part {
	return []part{{"bits", false, false, 0, largest, false, func(x float64) Step {
		return MaxInformation{nats(x), s.Slack, s.Always}
	}}}
}

// nats returns an amount in bits, rounded up.
func nats(bits float64) theory.Nats { return theory.Nats(bits * math.Ln2 * (1 + 0x1p-51)) }

// Replaced returns the step for neighbours by replacement of a row, if its privacy was stated for adding or
// removing one; see docs/theorems/theory.md#neighbours. It has the sources of the conversion, and none if the
// step has no privacy to convert.
func Replaced(s Step) (Step, []theory.Source, error) {
	if replaced := s.roles().replaced; replaced != nil {
		return replaced()
	}
	return s, nil, nil
}

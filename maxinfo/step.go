package maxinfo

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dpcalc/dpcalc/theory"
)

// A Step is one way in which an analyst learned from the sample, with what is known
// about it.
type Step interface {
	// Validate returns a DomainError for the first field outside its domain.
	Validate() error
	// String names the step and its parameters, as the command line writes them.
	String() string

	// private reports whether the step is differentially private, everywhere whether
	// it has a bound that holds for every law of the data.
	private() bool
	everywhere() bool
}

// PureDP is an epsilon-differentially private answer.
type PureDP struct {
	Epsilon float64 // > 0
}

// ApproxDP is an (epsilon, delta)-differentially private answer.
type ApproxDP struct {
	Epsilon float64        // >= 0
	LnDelta theory.LogProb // in (0, 1)
}

// GDP is a mu-Gaussian differentially private answer.
type GDP struct {
	Mu float64 // > 0
}

// Gaussian is the answers to Queries adaptively chosen linear queries, means of
// values in [0,1], with N(0, SD^2) on each.
type Gaussian struct {
	Queries int64
	SD      float64
}

// Description is an answer out of Outcomes possible ones, whatever their order.
type Description struct {
	Outcomes theory.Nats // ln of their number, >= 0
}

// MutualInformation is an answer that shares at most Nats of information with this
// sample.
type MutualInformation struct {
	Nats theory.Nats // >= 0
}

// MaxInformation is an answer of known max-information: P[E] <= e^Nats Q[E] + Slack.
type MaxInformation struct {
	Nats  theory.Nats    // >= 0
	Slack theory.LogProb // below 1
	// Always says that the bound holds for every law of the data, dependent records
	// included, and not just for that of this sample.
	Always bool
}

func (s PureDP) Validate() error { return positive("epsilon", s.Epsilon) }

func (s ApproxDP) Validate() error {
	if err := theory.Domain(s.Epsilon >= 0 && s.Epsilon <= math.MaxFloat64, "epsilon", s.Epsilon, "a number >= 0"); err != nil {
		return err
	}
	return theory.Domain(s.LnDelta.Interior(), "delta", s.LnDelta, "a probability in (0, 1)")
}

func (s GDP) Validate() error { return positive("mu", s.Mu) }

func (s Gaussian) Validate() error { return s.transcript(1).Validate() }

func (s Gaussian) transcript(n int64) GaussianTranscript {
	return GaussianTranscript{Samples: n, Queries: s.Queries, SD: s.SD}
}

func (s Description) Validate() error { return amount("outcomes", s.Outcomes) }

func (s MutualInformation) Validate() error { return amount("mutual information", s.Nats) }

func (s MaxInformation) Validate() error {
	if err := amount("max-information", s.Nats); err != nil {
		return err
	}
	return theory.Domain(s.Slack.Valid() && s.Slack < 0, "slack", s.Slack, "a probability in [0, 1)")
}

func positive(param string, x float64) error {
	return theory.Domain(x > 0 && x <= math.MaxFloat64, param, x, "a number > 0")
}

func amount(param string, x theory.Nats) error {
	return theory.Domain(x >= 0 && x <= math.MaxFloat64, param, float64(x), "a number >= 0")
}

func (PureDP) private() bool            { return true }
func (ApproxDP) private() bool          { return true }
func (GDP) private() bool               { return true }
func (Gaussian) private() bool          { return true }
func (Description) private() bool       { return false }
func (MutualInformation) private() bool { return false }
func (MaxInformation) private() bool    { return false }

func (PureDP) everywhere() bool            { return true }
func (ApproxDP) everywhere() bool          { return false }
func (GDP) everywhere() bool               { return false }
func (Gaussian) everywhere() bool          { return false }
func (Description) everywhere() bool       { return true }
func (MutualInformation) everywhere() bool { return false }
func (s MaxInformation) everywhere() bool  { return s.Always }

func (s PureDP) String() string { return fmt.Sprintf("pure-dp:epsilon=%v", s.Epsilon) }

func (s ApproxDP) String() string {
	return fmt.Sprintf("approx-dp:epsilon=%v,delta=%v", s.Epsilon, s.LnDelta)
}

func (s GDP) String() string { return fmt.Sprintf("gdp:mu=%v", s.Mu) }

func (s Gaussian) String() string {
	return fmt.Sprintf("gaussian:queries=%d,noise-sd=%v", s.Queries, s.SD)
}

func (s Description) String() string {
	if n := math.Exp(float64(s.Outcomes)); n < 1e9 && math.Abs(n-math.Round(n)) < 1e-6 {
		return fmt.Sprintf("description:outcomes=%.0f", n)
	}
	return "description:bits=" + bits(s.Outcomes)
}

func (s MutualInformation) String() string {
	return "mutual-info:bits=" + bits(s.Nats)
}

func (s MaxInformation) String() string {
	text := "max-info:bits=" + bits(s.Nats)
	if s.Slack != theory.Zero {
		text += ",slack=" + s.Slack.String()
	}
	if s.Always {
		text += ",data=any"
	}
	return text
}

// bits writes the shortest number of bits that reads as the same amount.
func bits(x theory.Nats) string {
	for digits := range 17 {
		text := strconv.FormatFloat(x.Bits(), 'g', digits+1, 64)
		if b, err := strconv.ParseFloat(text, 64); err == nil && theory.Nats(b*math.Ln2) == x {
			return strconv.FormatFloat(b, 'g', -1, 64)
		}
	}
	return strconv.FormatFloat(x.Bits(), 'g', -1, 64)
}

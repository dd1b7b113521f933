package maxinfo

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// A Step is one way in which an analyst learned from the sample, with the numbers that bound it.
type Step interface {
	// Validate returns a DomainError for the first field outside its domain.
	Validate() error
	// String names the step and its parameters, as the command line writes them.
	String() string

	roles() roles
	parts() []part // its quantities
}

// roles is what theorems say about a step at each place of a plan, and what they assume of it. A place without an
// answer is closed to the step. It is written without field names, as [privacy] is, so
// that a new step does not compile until it has answers.
type roles struct {
	// privacy is the step's privacy on n records. Steps that have one compose.
	privacy func(n int64) (privacy, error)
	// first lists the methods for a step at the beginning that is not private. It may
	// take over what the later steps add.
	first func(l *Later) []Method
	// later adds, for n records, what the step costs after others, by a bound that holds
	// for every law of the data.
	later func(l *Later, n int64)
	// assumes lists what every bound on the step assumes of what was asked.
	assumes []string
	// rows says how its thresholds go with the number of records: they are rising, level or falling.
	rows int
	// replaced converts its privacy, if that was stated for adding or removing a record; nil if it has none that was.
	replaced func() (Step, []theory.Source, error)
}

const rising, level, falling = 1, 0, -1

// Kind is a kind of step.
type Kind struct {
	Name    string // what its [Step.String] begins with
	Summary string // one line
	Example Step   // a valid step of this kind, which may stand first
}

// Kinds lists the kinds of steps in printing order.
func Kinds() []Kind { return slices.Clone(kinds) }

var kinds = []Kind{
	{"pure-dp", "an answer of pure differential privacy", PureDP{Epsilon: 0.01}},
	{"approx-dp", "an answer of (epsilon, delta)-differential privacy", ApproxDP{Epsilon: 0.01, LnDelta: -100}},
	{"gdp", "an answer of Gaussian differential privacy", GDP{Mu: 0.01}},
	{"zcdp", "an answer of zero-concentrated differential privacy", ZCDP{Rho: 0.0001}},
	{"rdp", "an answer of Renyi differential privacy", RDP{Points: exampleCurve}},
	{"gaussian", "linear queries, answered with Gaussian noise", Gaussian{Queries: 10, SD: 0.1}},
	{"description", "one answer out of a number of possible ones", OneOf(100)},
	{"gates", "the verdicts of tests behind a gate", Gates{Looks: 20, Passes: 3}},
	{"mutual-info", "an answer of known mutual information with the sample", MutualInformation{Nats: 1}},
	{"max-info", "an answer of known max-information", MaxInformation{Nats: 1, Slack: theory.Zero}},
}

var exampleCurve = []theory.RenyiPoint{{Order: 8, Epsilon: 0.001}, {Order: 32, Epsilon: 0.005}}

// kindOf returns the name of the step's kind, with which its text begins.
func kindOf(s Step) string {
	name, _, _ := strings.Cut(s.String(), ":")
	return name
}

// isPrivate reports whether a step is differentially private, everywhere whether it has
// a bound that holds for every law of the data.
func isPrivate(s Step) bool       { return s.roles().privacy != nil }
func holdsEverywhere(s Step) bool { return s.roles().later != nil }

// privacy is a step's differential privacy: of three parts, one (epsilon, delta)-private, one mu-GDP
// and one with a bound of its Renyi divergences.
type privacy struct {
	epsilon float64
	lnDelta theory.LogProb
	mu      float64
	renyi   Divergence
	// info bounds the information of the step, given the answers before it, for
	// independent records; +Inf if nothing does.
	info theory.Nats
	// answers are noisy ones to linear queries, if the step is that.
	answers Gaussian
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

// ZCDP is a rho-zero-concentrated differentially private answer.
type ZCDP struct {
	Rho float64 // > 0, in nats
}

// RDP is a Renyi differentially private answer: a divergence for each of some orders.
type RDP struct {
	Points []theory.RenyiPoint // one or more
}

// Gaussian is the answers to Queries adaptively chosen linear queries, means of
// values in [0,1], with N(0, SD^2) on each.
type Gaussian struct {
	Queries int64
	SD      float64
}

// Description is an answer out of a number of possible ones: [OneOf] a number, or [OneOfNats].
type Description struct {
	outcomes theory.Nats // ln of their number, >= 0
}

// OneOf returns the step of an answer out of so many possible ones, at least 1.
func OneOf(outcomes int64) Description {
	return OneOfNats(theory.Nats(num.Log(float64(max(outcomes, 0)))))
}

// OneOfNats returns the step of an answer out of e^ln possible ones, ln >= 0, more than an int64 holds if need be.
func OneOfNats(ln theory.Nats) Description { return Description{ln} }

// Gates is the verdicts of up to Looks tests, each chosen in view of the verdicts before it, until
// Passes of them have rejected. Nothing but the verdicts is shown.
type Gates struct {
	Looks  int64 // from 1 to 2^53
	Passes int64 // from 1 to Looks
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
	// included, and not just for the law of this sample.
	Always bool
}

func (s PureDP) Validate() error { return positive("epsilon", s.Epsilon) }

func (s ApproxDP) Validate() error {
	if err := theory.Domain(s.Epsilon >= 0 && s.Epsilon <= math.MaxFloat64, "epsilon", s.Epsilon,
		"a number >= 0"); err != nil {
		return err
	}
	return theory.Domain(s.LnDelta.IsInterior(), "delta", s.LnDelta, "a probability in (0, 1)")
}

func (s GDP) Validate() error { return positive("mu", s.Mu) }

func (s ZCDP) Validate() error { return positive("rho", s.Rho) }

func (s RDP) Validate() error { return theory.RDP{Points: s.Points}.Validate() }

func (s Gaussian) Validate() error { return s.transcript(1).Validate() }

func (s Gaussian) transcript(n int64) GaussianTranscript {
	return GaussianTranscript{Samples: n, Queries: s.Queries, SD: s.SD}
}

func (s Description) Validate() error {
	number := num.Exp(float64(s.outcomes))
	return theory.Domain(s.outcomes >= 0 && s.outcomes <= math.MaxFloat64, "outcomes", number, "a number >= 1")
}

func (s Gates) Validate() error {
	const looks = "a whole number from 1 to 9007199254740992"
	if err := theory.Domain(s.Looks >= 1 && s.Looks <= 1<<53, "looks", s.Looks, looks); err != nil {
		return err
	}
	want := fmt.Sprintf("a whole number from 1 to the number of looks, %d", s.Looks)
	return theory.Domain(s.Passes >= 1 && s.Passes <= s.Looks, "passes", s.Passes, want)
}

// Transcripts returns ln of the number of sequences of verdicts, sum_(l<=B) C(m,l) for m looks and B
// passes: with fewer than B passes there are C(m,l) for each l, and C(m,B) end with the B-th. Rounded up.
func (s Gates) Transcripts() theory.Nats { return lnCount(s.Looks, s.Passes) }

// Tests returns ln of the number of tests at which a true null hypothesis may be rejected first,
// sum_(l<=min(B,m-1)) C(m-1,l). Rounded up; see docs/theorems/pvalue.md#tests-behind-a-gate.
func (s Gates) Tests() theory.Nats { return lnCount(s.Looks-1, s.Passes) }

// Intervals returns ln of the number of looks in all transcripts together, one less than [Gates.Transcripts]
// counts: an interval may miss wherever the gate got, at a false null hypothesis too. Rounded up.
func (s Gates) Intervals() theory.Nats {
	all := s.Transcripts()
	if all > 37 {
		return all
	}
	return theory.Nats(num.Log(math.Round(num.Exp(float64(all))-1)) * up)
}

// lnCount returns ln of C(m,0) + ... + C(m,k), rounded up.
func lnCount(m, k int64) theory.Nats {
	ln := num.LnChooseUpTo(m, k)
	if ln.Lo > 0 {
		return theory.Nats(math.Nextafter(ln.Hi, math.Inf(1)))
	}
	return theory.Nats(ln.Hi)
}

func (s MutualInformation) Validate() error { return amount("mutual information", s.Nats) }

func (s MaxInformation) Validate() error {
	if err := amount("max-information", s.Nats); err != nil {
		return err
	}
	return theory.Domain(s.Slack.IsValid() && s.Slack < 0, "slack", s.Slack, "a probability in [0, 1)")
}

func positive(param string, x float64) error {
	return theory.Domain(x > 0 && x <= math.MaxFloat64, param, x, "a number > 0")
}

func amount(param string, x theory.Nats) error {
	return theory.Domain(x >= 0 && x <= math.MaxFloat64, param, float64(x), "a number >= 0")
}

func (s PureDP) roles() roles {
	return roles{
		func(n int64) (privacy, error) {
			return privacy{s.Epsilon, theory.Zero, 0, Divergence{}, pureInformation(n, s.Epsilon), Gaussian{}}, nil
		},
		nil,
		func(l *Later, n int64) { l.Nats += pureAny(n, s.Epsilon) },
		nil, falling,
		func() (Step, []theory.Source, error) {
			b, err := theory.Pure(s).Replaced()
			return PureDP(b.Value), b.Sources, err
		},
	}
}

// composing has the roles of a step whose privacy for a record is all that is known of it.
func composing(privacy func(n int64) (privacy, error), replaced func() (Step, []theory.Source, error)) roles {
	return roles{privacy, nil, nil, nil, falling, replaced}
}

func (s ApproxDP) roles() roles {
	return composing(func(int64) (privacy, error) {
		return privacy{s.Epsilon, s.LnDelta, 0, Divergence{}, theory.Nats(math.Inf(1)), Gaussian{}}, nil
	}, func() (Step, []theory.Source, error) {
		b, err := theory.Approx(s).Replaced()
		return ApproxDP(b.Value), b.Sources, err
	})
}

func (s GDP) roles() roles {
	return composing(func(n int64) (privacy, error) {
		info := theory.Nats(float64(n) * (s.Mu * (s.Mu / 2)) * up)
		return privacy{0, theory.Zero, s.Mu, Divergence{}, info, Gaussian{}}, nil
	}, func() (Step, []theory.Source, error) {
		b, err := theory.GDP(s).Replaced()
		return GDP(b.Value), b.Sources, err
	})
}

func (s ZCDP) roles() roles {
	return composing(func(n int64) (privacy, error) {
		info := theory.Nats(float64(n) * s.Rho * up)
		return privacy{0, theory.Zero, 0, Divergence{Rho: s.Rho}, info, Gaussian{}}, nil
	}, func() (Step, []theory.Source, error) {
		b, err := theory.ZCDP(s).Replaced()
		return ZCDP(b.Value), b.Sources, err
	})
}

func (s RDP) roles() roles {
	return composing(func(n int64) (privacy, error) {
		least := math.Inf(1) // the divergence of order 1 is at most the divergence of any other order
		for _, p := range s.Points {
			least = min(least, p.Epsilon)
		}
		info := theory.Nats(float64(n) * least * up)
		return privacy{0, theory.Zero, 0, Divergence{Points: s.Points}, info, Gaussian{}}, nil
	}, func() (Step, []theory.Source, error) {
		b, err := theory.RDP(s).Replaced()
		return RDP(b.Value), b.Sources, err
	})
}

func (s Gaussian) roles() roles {
	return roles{func(n int64) (privacy, error) {
		mu, err := theory.GaussianQueries{Queries: s.Queries, Samples: n, SD: s.SD}.GDP()
		return privacy{0, theory.Zero, mu.Value.Mu, Divergence{}, s.transcript(n).capacity(), s}, err
	}, nil, nil, []string{linear}, rising, nil} // the number of records is known
}

func (s Description) roles() roles {
	return roles{
		nil,
		func(l *Later) []Method {
			// It adds nothing to be first: all answers out of a range count as one.
			all := Range{s.outcomes + l.Outcomes}
			l.Outcomes = 0
			return []Method{ranged(all)}
		},
		func(l *Later, _ int64) { l.Outcomes += s.outcomes },
		nil, level, nil,
	}
}

func (s Gates) roles() roles {
	return roles{
		nil,
		func(l *Later) []Method {
			all := Range{s.Transcripts() + l.Outcomes}
			l.Outcomes = 0
			return []Method{gated(s, all)}
		},
		func(l *Later, _ int64) { l.Outcomes += s.Transcripts() },
		nil, level, nil,
	}
}

func (s MutualInformation) roles() roles {
	return roles{
		nil,
		func(*Later) []Method { return []Method{informed(s.Nats), informedRogers16(s.Nats)} },
		nil,
		nil, level, nil,
	}
}

func (s MaxInformation) roles() roles {
	later := func(l *Later, _ int64) {
		l.Nats += s.Nats
		l.Slack = sumUp(l.Slack, s.Slack)
	}
	if !s.Always {
		later = nil
	}
	return roles{nil, func(*Later) []Method { return []Method{given(s)} }, later, nil, level, nil}
}

func (s PureDP) String() string { return fmt.Sprintf("pure-dp:epsilon=%v", s.Epsilon) }

func (s ApproxDP) String() string {
	return fmt.Sprintf("approx-dp:epsilon=%v,delta=%v", s.Epsilon, s.LnDelta)
}

func (s GDP) String() string { return fmt.Sprintf("gdp:mu=%v", s.Mu) }

func (s ZCDP) String() string { return fmt.Sprintf("zcdp:rho=%v", s.Rho) }

func (s RDP) String() string {
	points := make([]string, len(s.Points))
	for i, p := range s.Points {
		points[i] = fmt.Sprintf("order=%v,epsilon=%v", p.Order, p.Epsilon)
	}
	return "rdp:" + strings.Join(points, ";")
}

func (s Gates) String() string { return fmt.Sprintf("gates:looks=%d,passes=%d", s.Looks, s.Passes) }

func (s Gaussian) String() string {
	return fmt.Sprintf("gaussian:queries=%d,noise-sd=%v", s.Queries, s.SD)
}

func (s Description) String() string {
	if n := num.Exp(float64(s.outcomes)); n < 1e9 && math.Abs(n-math.Round(n)) < 1e-6 {
		return fmt.Sprintf("description:outcomes=%.0f", n)
	}
	return "description:bits=" + bits(s.outcomes)
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

package transfer

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/feedback"
)

// Proof says where the proof of a method's theorem is.
type Proof = theory.Proof

// The two kinds of proof.
const (
	Published = theory.Published
	Derived   = theory.Derived
)

// Status says what kind of answer a row is.
type Status = theory.Status

// The kinds of answers.
const (
	OK            = theory.OK            // the value is certified
	Vacuous       = theory.Vacuous       // the theorem holds and says nothing: tau or beta is trivial
	Infeasible    = theory.Infeasible    // no value within range satisfies the theorem
	NotApplicable = theory.NotApplicable // a hypothesis of the theorem fails
)

// Mechanism is what to run. A field that does not belong to the method is zero.
type Mechanism struct {
	Noise      theory.NoiseKind // "" if the answers carry none
	Scale      float64          // see theory.NoiseKind; Thresholdout's sigma; of a schedule the last and least
	ScaleFirst float64          // the first and greatest of a schedule's scales
	Schedule   Schedule         // the noise of each query, if it falls from one to the next
	Threshold  float64          // Thresholdout's T
	Cells      int64            // rounding: the number L of cells that [0,1] is divided into
	Epsilon    float64          // the privacy that the theorem was applied with
	LnDelta    theory.LogProb   // ln delta that goes with Epsilon; 0 if the theorem has none

	LowVariance bool // the certificate rests on Goal.Disagreement, AtLeast or Variance

	PassAt      Option                // gate: the least score on the holdout that passes, if the bar is known
	PassCount   int64                 // gate: and the least count, for 0/1 queries at a known bar
	LnNodes     Option                // gate, sealed, transcripts: ln of how many queries could be asked
	QueryWidths []feedback.QueryWidth // rounding-widths: how wide the cells of the queries are
	FlagWidths  []theory.FlagWidth    // sparse-validate: how wide the cells are after so many flags
	Chunks      int64                 // sparse-validate: the parts of the holdout, each for one flag; 0 stands for 1
	FalseFlag   theory.LogProb        // sparse-validate: the chance that a right guess is flagged, of a query
	Step        float64               // ladder-blum15: the step of the board
	Board       []theory.Step         // ladder: from which score on which value is shown
}

// Schedule is noise that falls from one query to the next, in the order of the queries.
type Schedule interface {
	Blocks() iter.Seq[theory.NoiseBlock]
}

// Scheduled reports whether the noise belongs to a schedule, which has a first and a last
// scale. They are equal where one noise for all answers certifies more than noise that falls.
func (m Mechanism) Scheduled() bool { return m.Schedule != nil || m.ScaleFirst > 0 }

// Answer is one row: the goal with its unknown filled in, and what to run.
type Answer struct {
	Goal                  // the goal, with the solved value in place of the unknown
	TauAchieved float64   // the accuracy certified for Samples, Queries and Beta
	Mechanism   Mechanism // what to run
	Status      Status
	Reason      string // why the status is not OK, or what limits an OK value
}

// Noise yields the standard deviation or scale of each answer's noise, in runs of
// equal ones, in the order of the queries. It yields nothing if there is no noise.
func (a Answer) Noise() iter.Seq[theory.NoiseBlock] {
	switch run := a.Mechanism; {
	case run.Schedule != nil:
		return run.Schedule.Blocks()
	case run.Noise == "":
		return func(func(theory.NoiseBlock) bool) {}
	default:
		return func(yield func(theory.NoiseBlock) bool) {
			yield(theory.NoiseBlock{Queries: a.Queries, Scale: run.Scale})
		}
	}
}

// Method is one theorem as a planning rule. Methods are values: a new one is a
// new entry of the registry.
type Method struct {
	Name      string          // as on the command line
	Summary   string          // one line
	Formula   string          // the inequality, in plain text
	Practice  string          // what to do, and what the theorem does not promise
	Proof     Proof           // published or derived
	Adaptive  bool            // whether it answers adaptively chosen queries; reference rows and DP procedures do not
	Procedure bool            // whether the guarantee is for the output of a DP procedure
	Budgeted  bool            // whether it needs Goal.Budget
	Counted   bool            // whether it needs Goal.Transcripts or its logarithm
	Splits    bool            // whether every query has a part of the holdout of its own
	Scheduled bool            // whether the noise may change from query to query
	Rounds    bool            // whether answers are midpoints of Mechanism.Cells cells
	Baseline  bool            // whether it is the one that drawings show as what adaptivity is compared with
	OneSided  bool            // whether it has a form of its own for Goal.OneSided; others keep both sides
	Uses      []string        // of the flags of one kind of feedback or query, those that its inequality makes use of
	Feedbacks []Feedback      // what its promise is about; nil stands for the answers and for whatever is shown less
	Sources   []theory.Source // where the theorem is proved
	Tails     []theory.Source // the derived lemma that an answer about a [Difference] rests on as well, if any
	Assumes   []string        // hypotheses that code cannot check

	rule   rule // for both sides of values in [0,1], and for whatever has no rule of its own below
	other  rule // for one side, and for differences; nil if rule serves them
	low    rule // where the second moment is known to be small, and it asks for less; nil if nothing is gained
	halves bool // whether differences are decided by half of them
}

// ruleFor is the method's theorem for a goal.
func (m Method) ruleFor(g Goal) rule {
	r := m.rule
	if m.other != nil && (g.OneSided || g.Query == Difference) {
		r = m.other
	}
	if m.halves && g.Query == Difference {
		r = halved{r}
	}
	if m.low != nil && g.moment() != nil {
		r = either{first: m.low, second: r}
	}
	if m.Adaptive && g.PastLooks > 0 {
		r = afterLooks{r}
	}
	return r
}

// Reference reports whether the method is for queries that were fixed before the data were
// seen: what adaptivity is compared with.
func (m Method) Reference() bool { return !m.Adaptive && !m.Procedure }

// Serves reports whether the method's promise is one for an analyst who is shown that. Reference rows are for
// queries fixed in advance, whatever is shown; a procedure's output is no answer to a gate or a board.
func (m Method) Serves(f Feedback) bool {
	switch {
	case m.Reference():
		return true
	case m.Procedure:
		return f == Answers
	case m.Feedbacks != nil:
		return slices.Contains(m.Feedbacks, f)
	}
	return f != Final
}

// shownBy names the kinds of feedback that the method serves.
func (m Method) shownBy() string {
	var names []string
	for f := Answers; f <= Final; f++ {
		if m.Serves(f) {
			names = append(names, f.String())
		}
	}
	return strings.Join(names, " or ")
}

// MethodsFor returns the methods that serve a kind of feedback, in printing order.
func MethodsFor(f Feedback) []Method {
	return slices.DeleteFunc(Methods(), func(m Method) bool { return !m.Serves(f) })
}

// Article says what there is to say of the method.
func (m Method) Article() theory.Article {
	return theory.Article{
		Name: m.Name, Summary: m.Summary, Formula: m.Formula, Practice: m.Practice, Proof: m.Proof,
		Sources: m.Sources, Assumes: m.Assumes,
	}
}

// Proven says where the proof of an answer to g is, and what it rests on.
func (m Method) Proven(g Goal) (Proof, []theory.Source) {
	if g.Query != Difference || m.Tails == nil {
		return m.Proof, m.Sources
	}
	return Derived, slices.Concat(m.Sources, m.Tails)
}

// Exact reports whether the samples of an answer are the least number for which the
// method's inequality holds: with one fewer it fails. A method with free parameters
// searches for them, and what it finds may be up to two thousandths above that.
func (m Method) Exact() bool { return m.rule.tight() }

// Methods returns the registry in printing order.
func Methods() []Method { return slices.Clone(registry) }

// Lookup returns the method of that name.
func Lookup(name string) (Method, bool) {
	for _, m := range registry {
		if m.Name == name {
			return m, true
		}
	}
	return Method{}, false
}

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

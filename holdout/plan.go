package holdout

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// Plan is the plan of a ledger: what plan.json has, and the goal that it stands for.
type Plan struct {
	form.Plan

	goal   transfer.Goal
	remark string
	sealed []byte // plan.json
}

// Low returns what a candidate's record without a value counts as, nil if it is refused.
func (p *Plan) Low() *float64 {
	if p.Missing != MissingLow {
		return nil
	}
	lowest, _ := p.Units.Interval()
	return &lowest
}

// Remark is what the certificate of a new plan says beside its numbers, such as what of the goal the method makes no
// use of. It is "" for a plan of which there is nothing to say, and for one that was read.
func (p *Plan) Remark() string { return p.remark }

func promiseOf(g transfer.Goal) Promise {
	return Promise{
		Samples: g.Samples, Queries: g.Queries, Tau: g.Tau, Beta: g.Beta, Query: g.Query.String(),
		Feedback: g.Feedback.String(), Passes: g.Passes, Bar: given(g.Bar), Floor: g.Floor, Flags: g.Budget, Hold: g.Hold,
		GuessError: given(g.GuessError), Disagreement: g.Disagreement, AtLeast: g.AtLeast, Variance: g.Variance,
		SecondMoment: g.SecondMoment, Checked: g.Checked, Decided: g.Decided.String(), OneSided: g.OneSided,
	}
}

// goalOf is the goal that is promised.
func goalOf(p Promise, sample transfer.Sample) (g transfer.Goal, err error) {
	if g.Query, err = transfer.ParseQuery(p.Query); err != nil {
		return g, err
	}
	g.Samples, g.Queries, g.Tau, g.Beta, g.Budget = p.Samples, p.Queries, p.Tau, p.Beta, p.Flags
	g.Sample = sample
	g.Shown = transfer.Shown{
		Passes: p.Passes, Bar: option(p.Bar), Floor: p.Floor, Hold: p.Hold, GuessError: option(p.GuessError),
		Disagreement: p.Disagreement, AtLeast: p.AtLeast, Variance: p.Variance,
		SecondMoment: p.SecondMoment, Checked: p.Checked, OneSided: p.OneSided,
	}
	if g.Feedback, err = transfer.ParseFeedback(p.Feedback); err != nil {
		return g, err
	}
	if g.Decided, err = transfer.ParseDecided(p.Decided); err != nil {
		return g, err
	}
	if u := g.Unknown(); u != transfer.None && (p.Test == "" || u != transfer.Tau) {
		return g, fmt.Errorf("got no %s", u)
	}
	return g, g.Validate()
}

func given(o transfer.Option) *float64 {
	if !o.Given {
		return nil
	}
	return &o.Value
}

func option(x *float64) transfer.Option {
	if x == nil {
		return transfer.Option{}
	}
	return transfer.Some(*x)
}

// Terms are the promise that a new ledger is made for.
type Terms struct {
	Goal      transfer.Goal // Samples may be left 0; of Queries, Tau and Beta one may be 0 and is solved
	Method    string        // "" for the best of Methods
	Methods   []string      // of which a ledger runs one; nil for all that it runs
	Metrics   []string      // that a look may ask, the first if it names none; nil for accuracy alone
	Units     Units         // what the metrics need beside their names
	Match     Match         // when a prediction equals a label; "" for Exact
	Missing   string        // of columns: what a record without a value is; "" for MissingRefused
	Classes   []string      // the predictions that are declared, which are public; nil if any text is one
	Bars      []float64     // gate: the bars that a look may ask; nil if it may ask any
	Test      string        // gate of differences: one of [Tests], in place of bars and a tau; "" for none
	Labels    string        // the labels' file, to be found again; "" if they are in none
	Incumbent Submission    // of differences: the values that the first candidate is compared with
	Open      bool          // an open ledger, of whose goal there is beta alone
	Most      float64       // open: the most nats that a response costs; 0 for [UsualMost]
	Features  *Features     // public columns of the rows; nil for none; a fixed plan has them for its Group
	Group     string        // the column of the features that says which rows are a cluster; "" for independent rows
	Weights   string        // of clusters: what counts alike; "" for [ByClusters]
	Items     *Items        // the benchmark that the rows are a uniform subset of; nil for rows of their own
	Law       string        // one of [Laws]; "" for that of the metrics

	sizes *Sizes // of the clusters
	pairs *Pairs // of an AUC
	rows  int64  // of the labels

	Ask         []string // open: what teams may ask, KIND:KEY=VALUE,...
	MostPerTeam float64  // open: nats that the looks of one team may cost together; 0 for no limit
}

// Methods returns the methods that a ledger runs.
func Methods() (names []string) {
	for _, p := range practices {
		names = append(names, p.method)
	}
	return names
}

// Certify computes the certificate of the terms for so many rows, and the plan to be run: by the method named, or by
// the best that a ledger runs. The error is an [InputError], a [PlanError] or a DomainError.
func Certify(t Terms, samples int64) (*Plan, error) {
	if err := t.declare(); err != nil {
		return nil, err
	}
	t.Goal.Decided = decidedBy(t.Goal, t.Classes, t.sampled())
	if t.Open {
		return openPlan(t, samples)
	}
	if t.Test != "" {
		return testPlan(t, samples)
	}
	if err := arrives(t.Goal, samples, !t.sampled() && t.pairs == nil); err != nil {
		return nil, err
	}
	goal := t.Goal
	t.rows, goal.Open = samples, goal.Open || t.Method == openMethod
	if goal.Sample, samples = t.sample(samples); t.Goal.Sample != nil && t.Goal.Sample != goal.Sample {
		if t.pairs != nil {
			return nil, inputf("got a goal for other rows, want %d positive and %d negative ones, as the labels have", t.pairs.Positives, t.pairs.Negatives)
		}
		if t.sampled() {
			return nil, inputf("got a goal for other clusters or another benchmark, want those of --group and --weights, or of --population")
		}
		return nil, inputf("got a goal for clusters or for a benchmark, or of an AUC, want --group, --population or --metrics auc, which say where they are")
	}
	records := "labels"
	if t.sizes != nil && t.Weights != ByRows {
		records = "clusters"
	}
	switch {
	case goal.Samples == 0:
		goal.Samples = samples
	case goal.Samples != samples && goal.Arrival == nil:
		return nil, inputf("samples: got %d, want %d, the number of %s, or none", goal.Samples, samples, records)
	}
	if err := looksAt(goal); err != nil {
		return nil, err
	}
	methods, err := methodsOf(t.Method, t.Methods, goal.Open)
	if err != nil {
		return nil, err
	}
	free := goal.Open && goal.Queries == 0 && goal.Tau == 0
	if free {
		if goal.Tau = goal.Unit() / 2; goal.Disagreement > 0 { // which an answer without any data has
			goal.Tau = min(goal.Tau, goal.Disagreement)
		}
	}
	if err := errors.Join(goal.Validate(), goal.Overspent()); err != nil {
		return nil, err
	}
	// A search ends within a tolerance of where a certificate does, and now and then beyond it. There the promise has a
	// hair of beta more than the goal that is solved.
	var p *Plan
	for _, hair := range []theory.LogProb{0, 1e-9, 1e-6} {
		p, err = certify(methods, goal, t, hair, free)
		if missed := (*CorruptError)(nil); !errors.As(err, &missed) {
			return p, err
		}
	}
	return nil, &PlanError{Checked: goal.Unknown() == transfer.None, Reason: err.Error()}
}

// certify is [Certify] for the methods, solved with a hair less of ln beta than is promised, and for the tau of the
// last look if tau is free. The error is a [CorruptError] if the mechanism does not keep the promise.
func certify(methods []transfer.Method, goal transfer.Goal, t Terms, hair theory.LogProb, free bool) (*Plan, error) {
	promised := goal.Beta
	if promised != 0 {
		goal.Beta -= hair
	}
	rows, best, err := transfer.Solve(nil, methods, goal)
	if err != nil {
		return nil, err
	}
	if best < 0 {
		var reasons []string
		for _, r := range rows {
			if r.Status != transfer.NotApplicable || t.Method != "" {
				reasons = append(reasons, r.Method.Name+": "+r.Reason)
			}
		}
		return nil, &PlanError{Checked: goal.Unknown() == transfer.None, Reason: strings.Join(reasons, "; ")}
	}
	if rows[best].Beta == theory.Zero {
		return nil, inputf("beta: got none, and nothing can go wrong under this plan; want a probability in (0, 1)")
	}
	if err := rows[best].Validate(); err != nil { // of a guess error above the tau that was solved for, say
		return nil, err
	}
	p := &Plan{Plan: form.Plan{
		Schema: form.FixedSchema, Method: rows[best].Method.Name,
		Metric: t.Metrics[0], Metrics: t.Metrics, Match: t.Match, Classes: t.Classes, Units: t.Units, Bars: t.Bars,
	}, goal: rows[best].Goal, remark: rows[best].Reason}
	p.Group, p.Population, p.Pairs = t.group(), t.population(), t.pairs
	if free {
		p.goal.Tau = rows[best].TauAchieved
	}
	if goal.Arrival != nil {
		p.Arrival = &Arrival{Rows: t.rows}
	}
	for _, bar := range p.Bars {
		if err := p.checkFixed(&Submission{Question: Question{Bar: &bar}}); err != nil {
			return nil, inAll("bars", err)
		}
	}
	if p.Mechanism, err = practiceOf(p.Method).run(rows[best].Answer); err != nil {
		return nil, err
	}
	if p.goal.Beta += hair; promised != 0 {
		p.goal.Beta = promised
	}
	p.Promise = promiseOf(p.goal)
	return p, p.Certified()
}

// decidedBy says whether predictions tell on which rows a candidate differs from the incumbent, and are counted, as a
// check of the disagreement is. Clusters count by shares of such rows.
func decidedBy(g transfer.Goal, classes []string, sampled bool) transfer.Decided {
	gates := g.Query == transfer.Difference && g.Feedback == transfer.Gate
	counted := g.Checked && g.Disagreement > 0
	switch random := sampled || g.Arrival != nil; {
	case !gates || !counted || random:
		return transfer.Undecided
	case len(classes) == 2:
		return transfer.TwoClasses
	}
	return transfer.AnyClasses
}

// decidedAs checks that a plan has the decided rows that it says.
func (p *Plan) decidedAs() error {
	d, sampled := p.goal.Decided, !p.design().Independent()
	if d == transfer.Undecided || d == decidedBy(p.goal, p.Classes, sampled) {
		return nil
	}
	return fmt.Errorf("got the decided rows %s, which its classes and rows do not have", shown(p.Promise.Decided))
}

// looksAt refuses goals whose queries are no means of values of the rows, or that no ledger can keep.
func looksAt(g transfer.Goal) error {
	switch {
	case g.Checked && g.Query != transfer.Difference:
		return inputf("enforce: got it with %s queries, want differences, on which no label is needed to enforce it", g.Query)
	case g.Query == transfer.Sensitive || g.Query == transfer.Minimization:
		return inputf("query: got %s, want bounded, binary or difference: a look is a mean over the rows", g.Query)
	case g.Transcripts != 0 || g.LnTranscripts != 0:
		return inputf("transcripts: got a number of them, want none: a ledger counts looks")
	case g.Open && g.Feedback != transfer.Answers:
		return inputf("feedback: got %s without a number of looks, want answers, or an open ledger", g.Feedback)
	case g.Range != (transfer.Range{}):
		return inputf("range: got one, want none: a fixed plan is in [0, 1], and open ledgers have ranges")
	case g.Epsilon != 0:
		return inputf("epsilon: got %v, want none: no method that a ledger runs takes one", g.Epsilon)
	case g.Sensitivity != 0:
		return inputf("sensitivity: got %v, want none: a look is a mean over the rows", g.Sensitivity)
	case g.PastLooks != 0:
		return inputf("past-looks: got %d, want none: the rows of a ledger are looked at by nobody else", g.PastLooks)
	}
	return nil
}

// openMethod is the method of answers of which nobody knows the number.
const openMethod = "gaussian-open"

// methodsOf returns the method of that name, or all methods of the list that a ledger runs: without a number of looks
// the open one alone, which has no other use.
func methodsOf(name string, among []string, open bool) (list []transfer.Method, err error) {
	if name != "" && practiceOf(name) == nil {
		return nil, inputf("method: got %s, want one that a ledger runs: %s", shown(name), strings.Join(Methods(), ", "))
	}
	for _, p := range practices {
		named, listed := name == "" || name == p.method, among == nil || slices.Contains(among, p.method)
		if m, _ := transfer.Lookup(p.method); named && listed && m.Open == open {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return nil, inputf("method: got %s, want one that a ledger runs: %s", shown(strings.Join(among, ", ")),
			strings.Join(Methods(), ", "))
	}
	return list, nil
}

// Certified checks that the plan's mechanism keeps its promise: the inequality of the method's theorem, evaluated once
// at the noise, counts, widths or steps of plan.json. The error says which theorem does not certify it, and why. The
// law of an open ledger needs no certificate.
func (p *Plan) Certified() error {
	if p.IsOpen() {
		return checkLaw(p.Open, p.Promise.Beta)
	}
	if p.Promise.Test != "" {
		return p.testCertified()
	}
	method, ok := transfer.Lookup(p.Method)
	if !ok {
		return corrupt("plan.json: got the unknown method %s", shown(p.Method))
	}
	if err := method.Admits(p.goal); err != nil {
		return p.uncertified(err.Error())
	}
	beta, err := practiceOf(p.Method).failure(p)
	if err != nil || beta != 0 && beta <= p.goal.Beta {
		return err
	}
	answer, err := method.Solve(p.goal)
	switch {
	case err != nil:
		return err
	case answer.Status != transfer.OK:
		return p.uncertified(answer.Reason)
	case beta == 0:
		return p.uncertified("the mechanism of plan.json is none of its mechanisms")
	}
	return p.uncertified(fmt.Sprintf("the mechanism of plan.json fails with probability %v, and the promise is %v", beta,
		p.goal.Beta))
}

// uncertified says which theorem does not certify the plan, and why.
func (p *Plan) uncertified(why string) error {
	return corrupt("plan.json: the plan has no certificate by the theorem of %s: %s", p.Method, why)
}

// encode writes plan.json.
func (p *Plan) encode() (err error) {
	p.sealed, err = p.Seal()
	return err
}

// decodePlan reads plan.json, and checks its seal and its fields.
func decodePlan(text []byte) (*Plan, error) {
	written, err := form.ReadPlan(text)
	if err != nil {
		return nil, err
	}
	p := &Plan{Plan: *written, sealed: slices.Clone(text)}
	if err := design.Check(&p.Plan); err != nil {
		return nil, corrupt("plan.json: %v", err)
	}
	open := p.IsOpen()
	fits := open == (p.Schema == form.OpenSchema)
	if p.Schema == form.ColumnSchema {
		fits = p.HasColumns()
	}
	if !fits {
		return nil, corrupt("plan.json: got the schema %s, which does not go with its law", shown(p.Schema))
	}
	if !open {
		if p.goal, err = goalOf(p.Promise, p.design().Sample(p.design().Sizes())); err == nil {
			p.goal.Arrival, p.goal.Open = p.stages(), p.Method == openMethod
			err = p.goal.Validate()
		}
		if err == nil {
			err = p.decidedAs()
		}
		if err == nil && p.Arrival != nil {
			err = arrives(p.goal, p.Arrival.Rows, p.goal.Sample == nil && p.Group == nil)
		}
	} else if p.Promise.Samples < 1 {
		err = errors.New("got no rows")
	} else if p.Arrival != nil {
		err = errors.New("got rows that arrive in an open ledger, which has no rows of a plan")
	} else {
		p.goal = transfer.Goal{Samples: p.Promise.Samples, Beta: p.Promise.Beta}
		err = checkLaw(p.Open, p.Promise.Beta)
	}
	missing := p.Missing == "" || p.Missing == MissingLow
	if !missing || p.Readings < 0 || p.Readings > Readings {
		return nil, fmt.Errorf("plan.json: got the readings %d and %s for missing values, want readings up to %d, which this version knows",
			p.Readings, shown(p.Missing), Readings)
	}
	p.Match = cmp.Or(p.Match, Exact)
	if !slices.Contains(append(Matches(), form.Composed), p.Match) {
		err = cmp.Or(err, fmt.Errorf("got the match %s, want %s", shown(string(p.Match)), ways()))
	}
	if run := open || p.Promise.Test != "" || practiceOf(p.Method) != nil; err == nil && !run {
		err = fmt.Errorf("got the method %s, want one of %s", shown(p.Method), strings.Join(Methods(), ", "))
	}
	if err != nil {
		return nil, corrupt("plan.json: %v", err)
	}
	return p, nil
}

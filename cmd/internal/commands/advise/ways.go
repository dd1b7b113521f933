package advise

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/transfer"
)

// The ways to look at a test set.
const (
	asPlanned    = "plan"
	fewerLooks   = "fewer looks"
	lessFeedback = "less feedback"
	sealedRows   = "sealed rows"
	openLedger   = "open ledger"
)

// someLook is the look that an open ledger is told of, where nobody knows how many there will be.
const someLook = 100

// fewer is by how much fewer looks are fewer, where no accuracy says it.
const fewer = 10

// a planner compares ways to look.
type planner struct {
	goal     transfer.Goal // a number of rows or an accuracy that nobody gave is zero
	feedback string
	adaptive bool
	clusters bool // whether a row of the goal is a cluster
	noise    bool
	training bool

	passes, budget, finalists int64
	tau, beta                 string // as they were typed, "" for none
}

// accuracy asks for a plan and answers with the ways to carry it out.
func (i *interview) accuracy() ([]advice, error) {
	p := planner{clusters: i.clusters}
	rows := "samples"
	if i.clusters {
		rows = "clusters"
	}
	p.goal.Samples, _ = numbers.Counts.Parse(i.ask(rows))
	p.adaptive = i.ask("adaptive") == "yes"
	if p.adaptive {
		p.feedback = i.ask("feedback")
	}
	looks := find("queries")
	if p.feedback == transfer.Final.String() {
		looks = looks.of("How many finalists are scored, once and together?",
			"Rows that nobody has looked at cannot have been overfitted, whatever led to the finalists.")
	}
	if !p.adaptive || p.feedback == transfer.Final.String() {
		looks.standard = "" // they are counted
	}
	p.goal.Queries, _ = numbers.Counts.Parse(i.put(looks))
	if p.goal.Queries == 0 {
		p.goal.Open, p.goal.Queries = true, someLook
	}
	i.limits(&p)
	query := find("query")
	if i.clusters { // the mean over a cluster is neither 0 nor 1
		ofRows := func(c choice) bool { return slices.Contains([]string{"binary", "f1", "auc"}, c.name) }
		query.choices = slices.DeleteFunc(slices.Clone(query.choices), ofRows)
	}
	kind := i.put(query)
	if m, ok := gates[kind]; ok && i.failure == nil {
		return i.gate(&p, m)
	}
	if i.failure == nil {
		p.goal.Query, i.failure = transfer.ParseQuery(kind)
	}
	i.moved(&p.goal)
	p.beta = i.ask("beta")
	p.goal.Beta, _ = numbers.Probabilities.Parse(p.beta)
	i.distance(&p)
	if i.failure != nil {
		return nil, i.failure
	}
	return p.compare()
}

// limits asks for what the kinds of feedback that are compared are limited by. Who is unsure is not asked, since all
// kinds are compared.
func (i *interview) limits(p *planner) {
	if !p.adaptive || i.failure != nil {
		return
	}
	kinds := p.kinds()
	count := func(f transfer.Feedback, flag string, set func(*transfer.Goal, int64)) (n int64) {
		q := find(flag)
		q.quiet = q.quiet || p.feedback != f.String()
		g := p.goal
		g.Feedback = f
		n, _ = numbers.Counts.Parse(i.put(q.within(g, func(g *transfer.Goal, raw string) {
			n, _ := numbers.Counts.Parse(raw)
			set(g, n)
		})))
		return n
	}
	p.training = slices.Contains(kinds, transfer.Answers) && i.ask("training") == "yes"
	if slices.Contains(kinds, transfer.Gate) {
		p.passes = count(transfer.Gate, "passes", func(g *transfer.Goal, n int64) { g.Passes = n })
	}
	if slices.Contains(kinds, transfer.Flags) || p.training {
		p.budget = count(transfer.Flags, "budget", func(g *transfer.Goal, n int64) { g.Budget = n })
	}
	if !slices.Contains(kinds, transfer.Final) {
		p.finalists, _ = numbers.Counts.Parse(i.ask("finalists"))
		p.noise = i.ask("noise") == "yes"
	}
}

// moved asks by how much a row moves a query, where the kind of query does not say it.
func (i *interview) moved(g *transfer.Goal) {
	number := func(flag string, set func(*transfer.Goal, float64)) {
		within := func(g *transfer.Goal, raw string) {
			x, _ := numbers.Positives.Parse(raw)
			set(g, x)
		}
		within(g, i.put(find(flag).within(*g, within)))
	}
	switch {
	case !g.Query.IsMean():
		number("sensitivity", func(g *transfer.Goal, x float64) { g.Sensitivity = x })
	case g.Query.IsSigned():
		number("disagreement", func(g *transfer.Goal, x float64) { g.Disagreement = x })
	}
}

// distance asks how far an answer may be off, which may stay open where the rows are known.
func (i *interview) distance(p *planner) {
	within := func(g *transfer.Goal, raw string) { g.Tau, _ = numbers.Positives.Parse(raw) }
	q := find("tau").within(p.goal, within)
	if p.goal.Samples == 0 {
		q.standard = ""
	}
	p.tau = i.put(q)
	within(&p.goal, p.tau)
}

// compare answers by every way that there is, the first one first.
func (p *planner) compare() ([]advice, error) {
	var all []advice
	for _, w := range p.ways() {
		a, err := p.advise(w)
		if err != nil {
			return nil, err
		}
		if a.way != asPlanned && !p.helps(a, all) {
			continue
		}
		all = append(all, a)
	}
	best := p.best(all)
	if p.goal.Open && all[0].status == transfer.OK { // as it was asked for
		best = 0
	}
	if best >= 0 {
		all[best].best = true
	}
	return all, nil
}

// a way is a goal with its name. Its unknown is the number of rows, or the accuracy where that is given.
type way struct {
	name string
	goal transfer.Goal
}

// kinds lists the kinds of feedback to compare on rows that are looked at, the one that was meant first. Every score
// stands for a user who is unsure.
func (p *planner) kinds() []transfer.Feedback {
	meant, err := transfer.ParseFeedback(p.feedback)
	if err != nil {
		meant = transfer.Answers
	}
	final := func(f transfer.Feedback) bool { return f == transfer.Final }
	return append([]transfer.Feedback{meant}, slices.DeleteFunc(meant.Less(), final)...)
}

// ways are what to compare: the plan and the three ways out. For who is unsure the sealed rows are the first.
func (p *planner) ways() []way {
	if !p.adaptive {
		return []way{{asPlanned, p.showing(transfer.Answers)}}
	}
	kinds := p.kinds()
	sealed := way{sealedRows, p.sealed()}
	if p.goal.Open {
		if kinds[0] == transfer.Answers { // each score of an open ledger has its price
			kinds = kinds[1:]
		}
		open := each.Of(kinds, func(f transfer.Feedback) way { return way{openLedger, p.showing(f)} })
		return append(open, sealed)
	}
	plan := way{asPlanned, p.showing(kinds[0])}
	fewer := way{fewerLooks, p.fewer(plan.goal)}
	if kinds[0] == transfer.Final {
		return []way{plan, fewer}
	}
	out := each.Of(kinds[1:], func(f transfer.Feedback) way { return way{lessFeedback, p.showing(f)} })
	if p.feedback == unsure {
		return slices.Concat([]way{sealed}, out, []way{plan, fewer})
	}
	return slices.Concat([]way{plan, fewer}, out, []way{sealed})
}

// asked is the goal with one unknown: the rows, or the accuracy.
func (p *planner) asked() transfer.Goal {
	g := p.goal
	if g.Samples > 0 {
		g.Tau = 0
	}
	return g
}

// showing is the goal with a kind of feedback on rows that are looked at.
func (p *planner) showing(f transfer.Feedback) transfer.Goal {
	g := p.asked()
	switch f {
	case transfer.Gate:
		return g.Showing(f, p.passes)
	case transfer.Flags:
		return g.Showing(f, p.budget)
	}
	if g.Feedback = f; f == transfer.Answers && p.training {
		g.Budget = p.budget
	}
	return g
}

// sealed is the goal for the finalists. They take as many rows as the accuracy needs, if there are so many, or
// half of them, and the rest is there to be looked at freely.
func (p *planner) sealed() transfer.Goal {
	g := p.asked().Showing(transfer.Final, p.finalists)
	if g.Samples > 0 {
		if needs := p.needs(g); needs > 0 && needs <= p.goal.Samples {
			g.Samples = needs
		} else {
			g.Samples = (g.Samples + 1) / 2
		}
	}
	return g
}

// fewer is the goal with fewer looks: as many as the rows allow at the accuracy, if both are given.
func (p *planner) fewer(g transfer.Goal) transfer.Goal {
	if p.checks() {
		g.Queries, g.Tau = 0, p.goal.Tau
		return g
	}
	g.Queries = (g.Queries + fewer - 1) / fewer
	g.Passes, g.Budget = min(g.Passes, g.Queries), min(g.Budget, g.Queries)
	return g
}

// checks reports whether there are rows and an accuracy that they may or may not give.
func (p *planner) checks() bool { return p.goal.Samples > 0 && p.goal.Tau > 0 }

// needs is how many rows the accuracy that was asked for takes, 0 if none was or no number will do.
func (p *planner) needs(g transfer.Goal) int64 {
	if !p.checks() {
		return 0
	}
	g.Samples, g.Tau = 0, p.goal.Tau
	_, a, err := p.solve(g)
	if err != nil {
		return 0
	}
	return a.Samples
}

// solve answers a goal by the best method that the interview leaves, nil if there is none.
func (p *planner) solve(g transfer.Goal) (method *transfer.Method, best transfer.Answer, err error) {
	for _, m := range methodsFor(g) {
		if m.Procedure || m.Adaptive != p.adaptive {
			continue
		}
		a, err := m.Solve(g)
		if err != nil {
			return nil, best, err
		}
		if a.Status != transfer.OK || a.Mechanism.Noise != "" && !p.noise {
			continue
		}
		if method == nil || a.IsBetter(best, g.Unknown()) {
			method, best = &m, a
		}
	}
	return method, best, nil
}

// methodsFor returns the methods for a number of looks, or for an open ledger.
func methodsFor(g transfer.Goal) []transfer.Method {
	if !g.Open {
		return transfer.MethodsFor(g.Feedback)
	}
	return slices.DeleteFunc(transfer.Methods(), func(m transfer.Method) bool {
		return !m.IsOpen() || !m.Serves(g.Feedback)
	})
}

// advise answers by one way.
func (p *planner) advise(w way) (a advice, err error) {
	method, answer, err := p.solve(w.goal)
	a = advice{way: w.name, plan: w.goal, status: transfer.OK}
	switch {
	case err != nil:
		return a, err
	case method == nil:
		a.status, a.reason = transfer.Infeasible, "no method answers this goal; its table says for each why not"
		if !p.noise {
			a.reason = "no method answers this goal without noise on the answers; the rows of its table with noise may"
		}
		a.words = p.command(w.goal)
		return a, nil
	}
	a.method, a.plan = method.Name, answer.Goal
	a.proof, _ = method.Proven(answer)
	a.words = append(p.command(w.goal), "--method", method.Name)
	if p.checks() {
		a.needs = p.needs(answer.Goal)
		a.enough = answer.Tau <= p.goal.Tau
		a.checked = true
	}
	a.run = p.ledger(w.goal, method)
	if len(method.Unused(answer)) == 0 { // which are of the way, and nobody has typed them
		a.note = answer.Reason
	}
	a.said = p.reason(a)
	a.reason = a.said + " " + method.Practice
	return a, nil
}

// reason says what the rows give, or how many it takes.
func (p *planner) reason(a advice) string {
	g := a.plan
	noun := "look"
	if g.Feedback == transfer.Final {
		noun = "finalist"
	}
	row := "row"
	if p.clusters {
		row = "cluster"
	}
	rows, looks := record.Plural(g.Samples, row), record.Plural(g.Queries, noun)
	margin := record.People(record.Number(g.Tau))
	said := fmt.Sprintf("%s with the margin %s %s %s.", looks, margin, verb(g.Queries, "needs", "need"), rows)
	if p.goal.Samples > 0 {
		said = fmt.Sprintf("%s on %s %s the margin %s.", looks, rows, verb(g.Queries, "has", "have"), margin)
	}
	rest := record.Plural(p.goal.Samples-g.Samples, row)
	switch {
	case a.way == openLedger:
		return fmt.Sprintf("An open ledger needs no number of looks. Show %s: %s Earlier looks have a smaller margin, and the ledger answers later ones too.", goals.Shows(g), said)
	case !p.adaptive:
		return "The looks are fixed before you see the data: " + said
	case a.way == sealedRows && p.goal.Samples > g.Samples:
		return fmt.Sprintf("Look freely at %s, and seal the other %s: %s", rest, record.Separated(g.Samples), said)
	case a.way == sealedRows:
		return "Look freely at other rows, and seal these: " + said
	}
	return "Show " + goals.Shows(g) + ": " + said
}

// verb returns the verb of so many.
func verb(n int64, of1, ofMore string) string {
	if n == 1 {
		return of1
	}
	return ofMore
}

// command is the command line that answers a goal.
func (p *planner) command(g transfer.Goal) []string {
	return append([]string{"dpcalc", "samplesize"}, p.stated(g)...)
}

// stated are the flags that state a goal.
func (p *planner) stated(g transfer.Goal) (words []string) {
	count := func(flag string, n int64) {
		if n > 0 {
			words = append(words, flag, strconv.FormatInt(n, 10))
		}
	}
	count("-n", g.Samples)
	count("-m", g.Queries)
	if g.Tau > 0 {
		words = append(words, "-t", p.tau)
	}
	words = append(words, "-b", p.beta)
	count("-B", g.Budget)
	if g.Query != transfer.Bounded {
		words = append(words, "--query", g.Query.String())
	}
	for _, x := range []struct {
		flag  string
		value float64
	}{{"--sensitivity", g.Sensitivity}, {"--disagreement", g.Disagreement}} {
		if x.value > 0 {
			words = append(words, x.flag, strconv.FormatFloat(x.value, 'g', -1, 64))
		}
	}
	if g.Open {
		words = append(words, "--open")
	}
	if g.Feedback != transfer.Answers {
		words = append(words, "--feedback", g.Feedback.String())
	}
	count("--passes", g.Passes)
	return words
}

// ledgers are the methods that a ledger runs. A test compares them with its own list, which the page does not link.
var ledgers = []string{"gaussian-schedule", "gaussian", "gate", "ladder", "sparse-validate", "sealed", "splitting", "gaussian-open"}

// ledger is the command line that begins to carry a plan out, nil if no ledger does.
func (p *planner) ledger(g transfer.Goal, m *transfer.Method) []string {
	runs := g.Open || slices.Contains(ledgers, m.Name)
	if !g.Query.IsMean() || g.Queries == 0 || !runs {
		return nil
	}
	words := []string{"dpcalc", "holdout", "init", "DIR", "--labels", "FILE"}
	if p.clusters {
		words = append(words, "--features", "FILE", "--group", "COLUMN")
	}
	if g.Query.IsSigned() {
		words = append(words, "--incumbent", "FILE")
	}
	if g.Open {
		return append(words, "-b", p.beta, "--open")
	}
	return append(append(words, p.stated(g)...), "--method", m.Name)
}

// helps reports whether a way out is worth telling. Who is unsure sees every kind of feedback.
func (p *planner) helps(a advice, all []advice) bool {
	at := slices.IndexFunc(all, func(a advice) bool { return a.way == asPlanned })
	switch {
	case a.way == fewerLooks:
		return a.status == transfer.OK && a.plan.Queries < p.goal.Queries && !all[at].enough
	case a.way == sealedRows, at < 0, all[at].status != transfer.OK:
		return true
	}
	return a.status == transfer.OK && p.rank(a, all[at]) < 0
}

// rank compares two answers by what was unknown: the tau that rows give, or how many rows it takes.
func (p *planner) rank(a, b advice) int {
	if p.goal.Samples > 0 {
		return cmp.Compare(a.plan.Tau, b.plan.Tau)
	}
	return cmp.Compare(a.plan.Samples, b.plan.Samples)
}

// most is the order in which ways out that are good enough are preferred: the free look first, then what shows most.
var most = []transfer.Feedback{transfer.Final, transfer.Answers, transfer.Best, transfer.Flags, transfer.Gate}

// best is the index of the best plan, -1 if none has an answer: the plan as it was meant where that will do,
// or else a way out that gives the accuracy asked for, or what comes closest to it.
func (p *planner) best(all []advice) int {
	best := -1
	for k, a := range all {
		if a.status == transfer.OK && (best < 0 || p.prefers(a, all[best])) {
			best = k
		}
	}
	return best
}

// prefers reports whether one answer is the better advice.
func (p *planner) prefers(a, b advice) bool {
	order := func(a advice) int {
		switch {
		case a.way == asPlanned:
			return -1
		case a.way == fewerLooks:
			return len(most)
		}
		return slices.Index(most, a.plan.Feedback)
	}
	fixed := p.feedback != unsure && !p.checks()
	switch {
	case a.enough != b.enough:
		return a.enough
	case a.enough, fixed:
		return order(a) < order(b)
	case a.way == fewerLooks || b.way == fewerLooks:
		return b.way == fewerLooks
	}
	return p.rank(a, b) < 0
}

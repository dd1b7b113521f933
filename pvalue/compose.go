package pvalue

import (
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// Rules compose along the links of a plan (docs/theorems/pvalue.md#composition-of-corrections).

// bestOf is the rule that leaves most, of several about the same answers.
func bestOf(rules []rule) rule {
	if len(rules) == 1 {
		return rules[0]
	}
	return rule{
		threshold: func(x float64) float64 {
			most := math.Inf(-1)
			for _, r := range rules {
				most = max(most, r.threshold(x))
			}
			return most
		},
		worst: func(x float64) float64 {
			least := 0.0
			for _, r := range rules {
				least = min(least, r.worst(x))
			}
			return least
		},
	}
}

// charged is a rule for a law within the slack of the real one, W + slack.
func charged(c charging, r rule) rule {
	if math.IsInf(c.slack, -1) {
		return r
	}
	return rule{
		threshold: func(x float64) float64 {
			if x = c.left(x); math.IsInf(x, -1) {
				return x
			}
			return r.threshold(x)
		},
		worst: func(x float64) float64 { return upwards(num.LogAddExp(r.worst(x), c.slack)) },
	}
}

// An option is one theorem about a link.
type option struct {
	maxinfo.Method
	rule rule
	wide rule // the same for an interval
}

func (o option) isUsable() bool { return o.Limit != nil }

// A link is a step, or several as one, with the theorems about it.
type link struct {
	maxinfo.Link
	all  []option // in printing order
	free []option // those that apply
	best []option // those among them that no other is always better than
}

// sharper names, for a published theorem, the one that is never worse (docs/theorems/maxinfo.md).
var sharper = map[string]string{"max-info-dwork15": "renyi", "rogers16": "kl", quotedRussoZou16: "kl"}

// linkOf returns a link of a plan; nothing follows the last one.
func linkOf(l maxinfo.Link, last bool) link {
	var all []option
	for _, m := range l.Methods {
		o := option{Method: m}
		if m.Limit != nil {
			o.rule = ruleFor(m.Limit)
			o.wide = o.rule
		}
		switch limit := m.Limit.(type) {
		case maxinfo.Range:
			o.Name = string(Bonferroni)
		case maxinfo.Gate:
			if last {
				o.rule, o.wide = counted(limit.Gates.Tests()), counted(limit.Gates.Intervals())
			}
		case maxinfo.Rogers16:
			all = append(all, o)
			o.Name, o.Sources = quotedRussoZou16, russoZou16Sources
			o.rule = russoZou16(float64(limit.Nats)).absolute()
			o.wide = o.rule
		}
		all = append(all, o)
	}
	made := link{Link: l, all: all}
	made.free = slices.DeleteFunc(slices.Clone(all), func(o option) bool { return !o.isUsable() })
	made.best = slices.DeleteFunc(slices.Clone(made.free), func(o option) bool { return made.speaks(sharper[o.Name]) })
	return made
}

// linksOf returns the links of a plan.
func linksOf(p maxinfo.Plan) ([]link, error) {
	found, err := p.Links()
	if err != nil {
		return nil, err
	}
	links := each.Of(found, func(l maxinfo.Link) link { return linkOf(l, l.Last == len(p.Steps)-1) })
	return links, nil
}

// counted is the rule for e^ln tests.
func counted(ln theory.Nats) rule { return ratio(maxinfo.Ratio{Nats: ln, Slack: theory.Zero}) }

// speaks reports whether a theorem of the name applies.
func (l link) speaks(name string) bool {
	return slices.ContainsFunc(l.free, func(o option) bool { return o.Name == name })
}

// options returns the option of a name, or else the best.
func (l link) options(name string) []option {
	if i := slices.IndexFunc(l.free, func(o option) bool { return o.Name == name }); i >= 0 {
		return l.free[i : i+1]
	}
	return l.best
}

// rule returns the rule of a link by the theorem of a name, or by the best if it does not speak.
func (l link) rule(name string, pick func(option) rule) rule {
	all := each.Of(l.options(name), pick)
	return bestOf(all)
}

// An edge leads over the steps of a link.
type edge struct {
	from, to int
	rule     rule
	speaks   bool
}

// A graph is the ways from the first step of a plan to its end, by links that follow each other: those
// among them that take an edge that speaks, if that is needed. With W_e the bound of an edge, the bound of a way
// is W_1(W_2(...)), and the best way counts. So the threshold of the first link is taken at alpha, the threshold of
// the next link at the first threshold, and so on.
type graph struct {
	steps int
	needs bool
	edges []edge // by their beginning
}

// pair is what there is for the ways that have not met an edge that speaks, and for those that have.
type pair [2]float64

func (g graph) result(p pair) float64 {
	if g.needs {
		return p[1]
	}
	return max(p[0], p[1])
}

// after returns the state of a way of state i after, or before, an edge.
func (e edge) after(i int) int {
	if e.speaks {
		return 1
	}
	return i
}

// rule returns the rule of the best way.
func (g graph) rule() rule {
	if len(g.edges) == 1 {
		return g.edges[0].rule
	}
	return rule{
		threshold: func(x float64) float64 { return g.result(g.levels(x)[g.steps]) },
		worst:     g.worst,
	}
}

// levels returns the greatest level that the steps before each one leave.
func (g graph) levels(x float64) []pair {
	nothing := math.Inf(-1)
	level := make([]pair, g.steps+1)
	for i := range level {
		level[i] = pair{nothing, nothing}
	}
	level[0][0] = x
	for _, e := range g.edges {
		for i, y := range level[e.from] {
			if y < lowest {
				continue
			}
			most := &level[e.to][e.after(i)]
			*most = max(*most, min(y, e.rule.threshold(y)))
		}
	}
	return level
}

// worst returns the least probability that a way shows, from its end to its beginning.
func (g graph) worst(x float64) float64 {
	probability := make([]pair, g.steps+1)
	for i := range probability {
		probability[i] = pair{1, 1} // no way
	}
	probability[g.steps][0] = x
	for _, e := range slices.Backward(g.edges) {
		for i, y := range probability[e.to] {
			if y > 0 {
				continue
			}
			if y < 0 {
				y = min(0, max(y, e.rule.worst(bounded(y))))
			}
			least := &probability[e.from][e.after(i)]
			*least = min(*least, y)
		}
	}
	least := probability[0]
	if g.needs {
		return min(0, least[1])
	}
	return min(0, least[0], least[1])
}

// bounded raises the logarithm of a positive probability to where rules are defined.
func bounded(x float64) float64 {
	if math.IsInf(x, -1) {
		return x
	}
	return max(x, lowest)
}

// graphOf returns the graph of a plan's links by the theorem of a name, and by the best where it does not speak.
// It has the edges that are on a way.
func graphOf(links []link, name string, pick func(link) rule) graph {
	g := graph{needs: name != composed}
	for _, l := range onWays(links, name) {
		g.steps = max(g.steps, l.Last+1)
		g.edges = append(g.edges, edge{l.First, l.Last + 1, pick(l), l.speaks(name)})
	}
	return g
}

// onWays returns the links that are on a way through the plan on which the theorem of a name speaks, none if there
// is no such way.
func onWays(links []link, name string) (on []link) {
	steps := 0
	for _, l := range links {
		steps = max(steps, l.Last+1)
	}
	// Whether a way leads there from the beginning, and from there to the end: any, and one that speaks.
	from, to := make([][2]bool, steps+1), make([][2]bool, steps+1)
	from[0][0], to[steps][0] = true, true
	extend := func(a, b *[2]bool, l link) { // ways at a go on to b
		if len(l.free) > 0 && a[0] {
			b[0] = true
			b[1] = b[1] || a[1] || l.speaks(name)
		}
	}
	for _, l := range links {
		extend(&from[l.First], &from[l.Last+1], l)
	}
	for _, l := range slices.Backward(links) {
		extend(&to[l.Last+1], &to[l.First], l)
	}
	for _, l := range links {
		a, b := from[l.First], to[l.Last+1]
		elsewhere := a[1] || b[1]
		speaks := name == composed || elsewhere || l.speaks(name)
		through := a[0] && b[0]
		if len(l.free) > 0 && through && speaks {
			on = append(on, l)
		}
	}
	return on
}

// A charging is a graph for what a slack leaves of alpha: e^-Inf for none.
type charging struct {
	graph
	slack float64
}

// chargings returns the graphs of a plan by the theorem of a name: with the slack of every step where it stands, and
// with the slacks of later steps that hold for every law of the data taken once, from the whole.
func chargings(links []link, name string, pick func(option) rule) []charging {
	best := func(l link) rule { return l.rule(name, pick) }
	all := []charging{{graphOf(links, name, best), math.Inf(-1)}}
	slack := math.Inf(-1)
	for _, l := range links {
		r, ok := l.slack()
		switch {
		case ok && slack > math.Inf(-1):
			slack = upwards(num.LogAddExp(slack, r.Slack.Ln()))
		case ok:
			slack = r.Slack.Ln()
		}
	}
	if slack > math.Inf(-1) {
		all = append(all, charging{graphOf(links, name, func(l link) rule {
			if r, ok := l.slack(); ok {
				return counted(r.Nats)
			}
			return best(l)
		}), slack})
	}
	return all
}

// left returns the level that the slack leaves, -Inf for nothing.
func (c charging) left(x float64) float64 {
	if math.IsInf(c.slack, -1) {
		return x
	}
	if x = down(without(x, c.slack)); x < lowest {
		return math.Inf(-1)
	}
	return x
}

// composition returns the rule of a plan: the best of its graphs.
func composition(all []charging) rule {
	rules := each.Of(all, func(c charging) rule { return charged(c, c.graph.rule()) })
	return bestOf(rules)
}

// slack returns the bound of a later step whose slack may be taken from the whole.
func (l link) slack() (maxinfo.Ratio, bool) {
	if !l.Always || l.First == 0 {
		return maxinfo.Ratio{}, false
	}
	r, ok := l.free[0].Limit.(maxinfo.Ratio)
	return r, ok && r.Slack > theory.Zero
}

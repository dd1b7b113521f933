//go:build realdata

// Package realdata searches for a good model on real rows with a holdout's help, and checks the promises. It is
// run by go test -tags realdata ./properties/realdata, and writes its tables and its figure with -update.
package realdata

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

var update = flag.Bool("update", false, "rewrite the tables in docs/use/evidence.md and docs/img/real.svg")

const (
	looks       = 200 // models that a search tries
	repetitions = 200
	passes      = 5   // of the gate
	finalists   = 5   // of the sealed rows
	firstBar    = 0.5 // of the gate, and what the board's baseline scores: one of the two constant classifiers does
	raise       = 0.05
	beta        = 0.05
)

// A pool is real rows whose uniform law is the population: pool[k][i] is 1 if classifier k is right on row i, else -1.
type pool [][]int16

func readPool(t *testing.T, name string) pool {
	t.Helper()
	packed, err := os.ReadFile("testdata/" + name + ".txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	var p pool
	for line := range strings.Lines(string(text)) {
		var right []int16
		for _, c := range strings.TrimSuffix(line, "\n") {
			right = append(right, 2*int16(c-'0')-1)
		}
		p = append(p, right)
	}
	return p
}

func (p pool) rows() int { return len(p[0]) }

// A model is a vote of classifiers: how many are right on a row, less how many are wrong. A tie is wrong.
type model []int16

// score is the mean over rows, each counted so many times, of whether the vote is right.
func (m model) score(times []int) float64 {
	right, all := 0, 0
	for i, n := range times {
		if all += n; m[i] > 0 {
			right += n
		}
	}
	return float64(right) / float64(all)
}

// A setting is a pool and a holdout drawn from it with replacement: independent rows of the population.
type setting struct {
	pool
	all, drawn, never []int      // how often a row counts for the population, on the holdout, among the rows never drawn
	halves            [2][]int   // the holdout in two
	noise             *rand.Rand // of the answers
}

func draw(p pool, r *rand.Rand) setting {
	none := func() []int { return make([]int, p.rows()) }
	s := setting{pool: p, all: slices.Repeat([]int{1}, p.rows()), drawn: none(), never: none(),
		halves: [2][]int{none(), none()}, noise: rand.New(rand.NewPCG(r.Uint64(), r.Uint64()))}
	for j := range p.rows() {
		i := r.IntN(p.rows())
		s.drawn[i]++
		s.halves[j%2][i]++
	}
	for i, n := range s.drawn {
		if n == 0 {
			s.never[i] = 1
		}
	}
	return s
}

// search tries models one after the other. Each is the best so far with some more classifiers, the more the longer none
// was better. Whether it is better only the feedback says; false is the end.
func (s setting) search(r *rand.Rand, better func(m model) (yes, more bool)) {
	best := make(model, s.rows())
	for j, misses := 0, 0; j < looks; j++ {
		m := slices.Clone(best)
		added := 2 + 2*(misses/20)
		if j == 0 {
			added = 1
		}
		for range added {
			for i, right := range s.pool[r.IntN(len(s.pool))] {
				m[i] += right
			}
		}
		yes, more := better(m)
		if misses++; yes {
			best, misses = m, 0
		}
		if !more {
			return
		}
	}
}

// An outcome is what one search ends with.
type outcome struct {
	claim  float64 // the score shown of the winner
	winner model
	worst  float64 // the furthest that a number shown was from its model's population score; a gate's is the score behind
	broken bool    // whether anything shown was not as promised
}

// An arm is a kind of feedback.
type arm struct {
	name string
	goal *transfer.Goal // nil if nothing is promised
	run  func(s setting, plan transfer.Answer, search *rand.Rand) (outcome, error)
}

var arms = []arm{
	{"every score", nil, naive},
	{"gaussian-schedule", &transfer.Goal{Queries: looks}, gaussian},
	{"ladder", &transfer.Goal{Queries: looks, Shown: transfer.Shown{Feedback: transfer.Best, Floor: firstBar}}, ladder},
	{"gate", &transfer.Goal{Queries: looks, Shown: transfer.Shown{Feedback: transfer.Gate, Passes: passes}}, gate},
	{"sealed", &transfer.Goal{Queries: finalists, Shown: transfer.Shown{Feedback: transfer.Final}}, sealed},
}

// share is the part of the rows that the promise is about: the sealed ones are half.
func (a arm) share() int64 {
	if a.name == "sealed" {
		return 2
	}
	return 1
}

// solve plans with that many rows for the tau they allow, or with 0 for the rows that tau needs.
func (a arm) solve(t *testing.T, rows int, tau float64) transfer.Answer {
	t.Helper()
	g := *a.goal
	g.Samples, g.Tau, g.Beta, g.Query = int64(rows)/a.share(), tau, theory.LogProb(math.Log(beta)), transfer.Binary
	method, ok := transfer.Lookup(a.name)
	plan, err := method.Solve(g)
	if !ok || err != nil || plan.Status != transfer.OK {
		t.Fatal(a.name, plan.Status, plan.Reason, err)
	}
	return plan
}

// naive shows every score, and promises nothing.
func naive(s setting, _ transfer.Answer, r *rand.Rand) (o outcome, err error) {
	s.search(r, func(m model) (yes, more bool) {
		score := m.score(s.drawn)
		o.worst = max(o.worst, math.Abs(score-m.score(s.all)))
		if yes = score > o.claim; yes {
			o.claim, o.winner = score, m
		}
		return yes, true
	})
	return o, nil
}

// gaussian answers with noise: every answer is within tau.
func gaussian(s setting, plan transfer.Answer, r *rand.Rand) (o outcome, err error) {
	run, err := mechanism.GaussianAnswers{Samples: plan.Samples, Noise: slices.Collect(plan.Noise())}.Start(s.noise)
	if err != nil {
		return o, err
	}
	o.claim = math.Inf(-1)
	s.search(r, func(m model) (yes, more bool) {
		answer, ok := run.Ask(m.score(s.drawn))
		if !ok {
			err = errors.New("an answer was refused")
		}
		away := math.Abs(answer - m.score(s.all))
		o.worst, o.broken = max(o.worst, away), o.broken || away > plan.Tau
		if yes = answer > o.claim; yes {
			o.claim, o.winner = answer, m
		}
		return yes, ok
	})
	return o, err
}

// ladder shows a board: at any time it is within tau of the best model so far, and when it moves, of the new one.
func ladder(s setting, plan transfer.Answer, r *rand.Rand) (o outcome, err error) {
	run, err := mechanism.Ladder{Queries: plan.Queries, Board: plan.Mechanism.Board}.Start()
	if err != nil {
		return o, err
	}
	best := firstBar
	s.search(r, func(m model) (yes, more bool) {
		var shown float64
		if shown, yes, err = run.Submit(m.score(s.drawn)); err != nil {
			return false, false
		}
		truth := m.score(s.all)
		best = max(best, truth)
		o.broken = o.broken || math.Abs(shown-best) > plan.Tau
		if yes {
			away := math.Abs(shown - truth)
			o.worst, o.broken = max(o.worst, away), o.broken || away > plan.Tau
			o.claim, o.winner = shown, m
		}
		return yes, true
	})
	return o, err
}

// gate shows whether a model passes a bar, which is raised at every pass: what passes is above the bar, and what is
// two tau above it passes.
func gate(s setting, plan transfer.Answer, r *rand.Rand) (o outcome, err error) {
	run, err := mechanism.Gate{Queries: plan.Queries, Passes: passes, Margin: plan.Tau}.Start()
	if err != nil {
		return o, err
	}
	bar := firstBar
	s.search(r, func(m model) (yes, more bool) {
		score, truth := m.score(s.drawn), m.score(s.all)
		if yes, err = run.Test(score, bar); err != nil {
			return false, false
		}
		o.worst = max(o.worst, math.Abs(score-truth))
		o.broken = o.broken || yes && truth <= bar || !yes && truth >= bar+2*plan.Tau
		if yes {
			o.claim, o.winner = bar, m
			bar += raise
		}
		queries, left := run.Left()
		return yes, queries > 0 && left > 0
	})
	return o, err
}

// sealed shows every score on one half of the rows and, once, the scores of the last five winners on the other half:
// these are within tau.
func sealed(s setting, plan transfer.Answer, r *rand.Rand) (o outcome, err error) {
	var winners []model
	best := 0.0
	s.search(r, func(m model) (yes, more bool) {
		if score := m.score(s.halves[0]); score > best {
			best, winners = score, append(winners, m)
			return true, true
		}
		return false, true
	})
	winners = winners[max(0, len(winners)-finalists):]
	scores := make([]float64, len(winners))
	for i, m := range winners {
		scores[i] = m.score(s.halves[1])
	}
	if scores, err = (&mechanism.Sealed{Finalists: plan.Queries}).Open(scores); err != nil {
		return o, err
	}
	for i, shown := range scores {
		away := math.Abs(shown - winners[i].score(s.all))
		o.worst, o.broken = max(o.worst, away), o.broken || away > plan.Tau
		if shown > o.claim {
			o.claim, o.winner = shown, winners[i]
		}
	}
	return o, nil
}

// A result is an arm on a data set: one number for each repetition.
type result struct {
	arm                       string
	tau, worst                float64
	broken                    int       // how often the promise was not kept
	missed                    int       // how often it was not, if read as if it were about the rows never drawn
	winner, flattery, strange []float64 // the population's score; the claim less it, and less that on the rows never drawn
}

func play(t *testing.T, p pool, a arm) result {
	t.Helper()
	var plan transfer.Answer
	if a.goal != nil {
		plan = a.solve(t, p.rows(), 0)
	}
	res := result{arm: a.name, tau: plan.Tau}
	for rep := range uint64(repetitions) {
		s := draw(p, rand.New(rand.NewPCG(rep, 1)))
		o, err := a.run(s, plan, rand.New(rand.NewPCG(rep, 2)))
		if err != nil || o.winner == nil {
			t.Fatal(a.name, rep, "no winner", err)
		}
		truth, never := o.winner.score(s.all), o.winner.score(s.never)
		res.worst = max(res.worst, o.worst)
		res.flattery = append(res.flattery, o.claim-truth)
		res.strange = append(res.strange, o.claim-never)
		res.winner = append(res.winner, truth)
		if o.broken {
			res.broken++
		}
		if low, high := res.promised(); o.claim-never < low || o.claim-never > high {
			res.missed++
		}
	}
	return res
}

// promised is where the claim less the population's score is to be.
func (r result) promised() (low, high float64) {
	if r.arm == "gate" {
		return -1, 0 // what passes is above the bar, by how much is open
	}
	return -r.tau, r.tau
}

// The searches on both data sets: no promise is broken more often than it may be, a score without a promise flatters,
// and the tables and the figure are the ones of docs/use/evidence.md.
func TestRealData(t *testing.T) {
	table := "| data | shown | tau | furthest off | broken | winner | claimed above it | above rows never drawn | not kept there |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
	figure := figure{y: 18}
	for _, name := range []string{"digits", "cancer"} {
		p := readPool(t, name)
		if len(p) != 120 || p.rows() < 500 {
			t.Fatalf("%s: %d classifiers, %d rows", name, len(p), p.rows())
		}
		figure.panel(fmt.Sprintf("%s, %d rows", name, p.rows()))
		for _, a := range arms {
			res := play(t, p, a)
			// The repetitions are independent: more than 20 of 200 have probability .0012 if each has at most beta.
			if res.broken > 20 {
				t.Errorf("%s: %s broke its promise %d times", name, a.name, res.broken)
			}
			if a.goal == nil && mean(res.flattery) < 0.005 {
				t.Errorf("%s: the winner's score flatters by %.4f only", name, mean(res.flattery))
			}
			table += res.line(name)
			figure.arm(res)
		}
	}
	same(t, "../../docs/img/real.svg", figure.svg())
	page := insert(t, readPage(t), "plans", plans(t))
	same(t, realPage, insert(t, page, "results", table))
}

// plans is what the rows allow, and how many a promise to five points needs.
func plans(t *testing.T) string {
	table := "| shown | tau of 1,500 rows | tau of 500 rows | rows for 5 points |\n| --- | ---: | ---: | ---: |\n"
	for _, a := range arms {
		if a.goal != nil {
			many, few, needed := a.solve(t, 1500, 0), a.solve(t, 500, 0), a.solve(t, 0, 0.05)
			table += fmt.Sprintf("| %s | %s | %s | %d |\n", a.name, points(many.Tau), points(few.Tau), a.share()*needed.Samples)
		}
	}
	return table
}

const realPage = "../../docs/use/evidence.md"

func readPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(realPage)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// insert puts a table in its place on a page.
func insert(t *testing.T, page, place, table string) string {
	t.Helper()
	before, rest, ok := strings.Cut(page, "<!-- "+place+" -->\n")
	_, after, closed := strings.Cut(rest, "<!-- end of "+place+" -->\n")
	if !ok || !closed {
		t.Fatalf("no place for the %s", place)
	}
	return before + "<!-- " + place + " -->\n" + table + "<!-- end of " + place + " -->\n" + after
}

// same compares a file with what it should be, and writes it with -update.
func same(t *testing.T, name, want string) {
	t.Helper()
	got, err := os.ReadFile(name)
	switch {
	case *update:
		err = os.WriteFile(name, []byte(want), 0o644)
	case err == nil && string(got) != want:
		t.Errorf("%s should be\n%s", name, want)
	}
	if err != nil {
		t.Error(err)
	}
}

func (r result) line(data string) string {
	tau, broken, missed := "", "", ""
	if r.tau > 0 {
		tau, broken, missed = points(r.tau), fmt.Sprint(r.broken), fmt.Sprint(r.missed)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", data, r.arm, tau, points(r.worst), broken,
		points(mean(r.winner)), spread(r.flattery), spread(r.strange), missed)
}

func points(x float64) string { return fmt.Sprintf("%.1f", 100*x) }

func spread(x []float64) string {
	return fmt.Sprintf("%s (%s to %s)", points(mean(x)), points(slices.Min(x)), points(slices.Max(x)))
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// A figure has a line for each arm: the promised band, and a dot for each repetition.
type figure struct {
	body strings.Builder
	y    float64
}

const (
	width, left, line = 760, 150, 34
	widest            = 0.30 // of what is drawn on either side
)

func at(x float64) float64 { return left + (width-left-20)*(x+widest)/(2*widest) }

func (f *figure) panel(title string) {
	f.y += 26
	fmt.Fprintf(&f.body, "<text x=\"10\" y=\"%g\" font-weight=\"bold\">%s</text>\n", f.y, title)
	f.y += 8
}

// shownAs is what each kind of feedback shows, in plain words.
var shownAs = map[string]string{
	"every score": "every score", "gaussian-schedule": "scores with noise", "ladder": "best so far", "gate": "pass or fail",
	"sealed": "sealed rows",
}

func (f *figure) arm(r result) {
	low, high := r.promised()
	low = max(low, -widest)
	if r.tau > 0 {
		fmt.Fprintf(&f.body, "<rect x=\"%.1f\" y=\"%g\" width=\"%.1f\" height=\"%d\" fill=\"#cfe2f3\"/>\n",
			at(low), f.y+3, at(high)-at(low), line-6)
	}
	fmt.Fprintf(&f.body, "<text x=\"20\" y=\"%g\">%s</text>\n<path d=\"", f.y+line/2+4, shownAs[r.arm])
	for i, x := range r.flattery {
		fmt.Fprintf(&f.body, "M%.1f %.1fh0", at(x), f.y+7+float64(i%21))
	}
	f.body.WriteString("\" stroke=\"#1c4587\" stroke-width=\"2.5\" stroke-linecap=\"round\" opacity=\".6\"/>\n")
	f.y += line
}

func (f *figure) svg() string {
	var all strings.Builder
	fmt.Fprintf(&all, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %g\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", width, f.y+48)
	fmt.Fprintf(&all, "<text x=\"10\" y=\"20\" font-size=\"15\">How far each kind of feedback flatters the winner</text>\n")
	all.WriteString(f.body.String())
	for tick := -0.3; tick < 0.31; tick += 0.1 {
		fmt.Fprintf(&all, "<path d=\"M%.1f 32V%g\" stroke=\"#888\" stroke-width=\".5\"/>\n"+
			"<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%.0f</text>\n", at(tick), f.y+6, at(tick), f.y+20, 100*tick+1e-9)
	}
	fmt.Fprintf(&all, "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">claimed of the winner minus its true value, in points</text>\n"+
		"<text x=\"%.1f\" y=\"%g\" text-anchor=\"end\">flattering →</text>\n</svg>\n", at(0), f.y+38, at(widest), f.y+38)
	return all.String()
}

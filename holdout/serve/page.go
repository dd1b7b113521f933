package serve

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"fmt"
	"html"
	"html/template"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/holdout/column"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/transfer"
)

var (
	//go:embed board.css
	style string
	//go:embed board.js
	script string
	//go:embed board.html
	layout string

	boardLayout = template.Must(template.New("board").Parse(layout))
)

// sourceOf names a text of the page by its hash, which the header of the page allows.
func sourceOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// sheet fills the layout of the page. A sheet without a board asks for a token alone.
type sheet struct {
	Style   template.CSS
	Script  template.JS
	Tokens  bool
	Board   *board
	Metrics []string // that a look may ask
	Asks    []choice // of what an answer shows, nil where there is no choice
	Guess   bool     // whether a look may have a guess
	Column  string   // of the predictions
	Meaning []string
}

// board is what the page shows of the looks.
type board struct {
	Locked  bool // whether it wants a token
	Left    string
	Columns []string
	Places  [][]string
	Looks   template.HTML
	Chain   string
}

// choice is a question that a team may ask, as the query of an address and in words.
type choice struct{ Query, Words string }

// fill returns the page.
func (s *Server) fill(of sheet) []byte {
	of.Style, of.Script, of.Tokens = template.CSS(style), template.JS(script), s.Tokens != nil
	var b bytes.Buffer
	if err := boardLayout.Execute(&b, of); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}

// boardPage is the board as a page. Every text in it is escaped.
func boardPage(s *Server, now holdout.Status, lines []holdout.Line) []byte {
	p := now.Plan
	served := p.Served()
	answers, _ := p.Column(served[0])
	shown := &board{Locked: s.Tokens != nil && !s.Public, Left: left(now), Chain: now.Chain}
	shown.Columns, shown.Places = places(p, lines, len(served) > 1)
	var looks strings.Builder
	fields := column.ForPeople(column.LineFieldsOf(p), func(l holdout.Line) holdout.Line { return l })
	writeTable(&looks, without(fields, "event", "conditions"), lines)
	shown.Looks = template.HTML(looks.String())
	asks, guess := s.choices(p)
	return s.fill(sheet{Board: shown, Metrics: served, Asks: asks, Guess: guess, Column: answers,
		Meaning: []string{meaning(p), terms(now)}})
}

// left says in words how many looks are left.
func left(s holdout.Status) string {
	var said string
	switch p := s.Plan.Promise; {
	case s.Retired:
		said = fmt.Sprintf("The board has ended after %s.", counted(s.Looks, "look"))
	case s.Plan.IsOpen():
		said = fmt.Sprintf("There is no limit on looks. %s so far used %s nats of the error budget. %s", capital(counted(s.Looks, "look")),
			above(s.Spent), foretold(s))
	case s.Remaining.Looks == 0:
		said = fmt.Sprintf("No look is left: all teams together took %s.", counted(s.Looks, "look"))
	default:
		said = fmt.Sprintf("%s of %d left, for all teams together.", capital(counted(s.Remaining.Looks, "look")), p.Queries)
		if p.Feedback == transfer.Gate.String() && p.Passes > 0 {
			said += fmt.Sprintf(" The board ends after %s more.", passes(s.Remaining.Passes))
		}
	}
	if s.Torn > 0 {
		said += fmt.Sprintf(" A crash cut %s short, which counts as taken.", counted(s.Torn, "look"))
	}
	return said
}

// foretold says how far a candidate that fails a gate of an open ledger may be above the bar, "" where no gate is
// offered.
func foretold(s holdout.Status) string {
	margin, err := s.Margin()
	gate := func(ask string) bool { return strings.HasPrefix(ask, holdout.ShowPass) }
	if err != nil || margin >= 1 || !slices.ContainsFunc(s.Plan.Open.Ask, gate) { // at 1 it follows from the predictions
		return ""
	}
	return s.Foretold()
}

func passes(n int64) string {
	if n == 1 {
		return "one pass"
	}
	return fmt.Sprintf("%d passes", n)
}

// counted is a number of things in words.
func counted(n int64, thing string) string {
	switch n {
	case 0:
		return "no " + thing
	case 1:
		return "one " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// terms are the numbers of the promise.
func terms(s holdout.Status) string {
	p := s.Plan.Promise
	if s.Plan.IsOpen() {
		return fmt.Sprintf("%d rows, beta %s.", s.Rows, p.Beta)
	}
	return fmt.Sprintf("%d rows, %d looks, tau %s, beta %s, method %s.", p.Samples, p.Queries, text.Up(p.Tau), p.Beta, s.Plan.Method)
}

// choices are the questions that a team may ask, and whether one of them has a guess.
func (s *Server) choices(p *holdout.Plan) (list []choice, guess bool) {
	if !p.IsOpen() {
		bars := s.Bars
		if bars == nil {
			bars = p.Bars
		}
		for _, bar := range bars {
			at := text.Shortest(bar)
			list = append(list, choice{"bar=" + at, "pass or fail at the bar " + at})
		}
		return list, p.Promise.Feedback == transfer.Flags.String()
	}
	for _, offer := range p.Open.Ask {
		kind, rest, _ := strings.Cut(offer, ":")
		guess = guess || kind == holdout.ShowGuess
		list = append(list, combined(kind, rest)...)
	}
	return list, guess
}

// shows are the kinds of looks in words.
var shows = map[string]string{
	holdout.ShowPass: "pass or fail", holdout.ShowBest: "the best score so far", holdout.ShowScore: "a rounded score",
	holdout.ShowGuess: "whether your guess holds", holdout.ShowReject: "whether a test finds it better",
}

// combined are the questions of an offer: each value of a parameter with each of the others.
func combined(kind, items string) []choice {
	var names []string
	values := make(map[string][]string)
	for _, item := range strings.Split(items, ",") {
		name, value, ok := strings.Cut(item, "=")
		if ok && values[name] == nil {
			names = append(names, name)
		}
		values[name] = append(values[name], value)
	}
	list := []choice{{"show=" + kind, shows[kind]}}
	for _, name := range names {
		var longer []choice
		for _, c := range list {
			for _, value := range values[name] {
				longer = append(longer, choice{c.Query + "&" + name + "=" + url.QueryEscape(value), c.Words + ", " + name + " " + value})
			}
		}
		list = longer
	}
	return list
}

// standing is what the board says of a look: its answer in words, and the interval of its true value.
type standing struct {
	answer       string
	lower, upper *float64
}

// words are the verdicts in words.
var words = map[string]string{
	holdout.Pass: "passed", holdout.Fail: "failed", holdout.Holds: "guess holds", holdout.Moved: "guess is off",
	holdout.Improved: "new best", holdout.Kept: "no better than the best", holdout.Raise: "new best",
	holdout.Keep: "no better than the best", holdout.Rejected: "better than the incumbent",
	holdout.NotRejected: "not found better", holdout.Refused: "refused: differs by too much",
}

// standingOf reads a look. Its interval follows from the promise of the plan and from what was shown.
func standingOf(p *holdout.Plan, l holdout.Line) standing {
	said := []string{words[l.Verdict]}
	if l.Response != nil {
		said = append(said, text.Shortest(*l.Response))
	}
	if l.Bar != nil {
		said = append(said, "at the bar "+text.Shortest(*l.Bar))
	}
	st := standing{answer: strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), " ")}
	if p.IsOpen() {
		st.lower, st.upper = l.Lower, l.Upper
		if l.Known.Lower != nil {
			st.lower, st.upper = l.Known.Lower, l.Known.Upper
		}
		return st
	}
	tau := p.Tau(l.Look)
	switch {
	case l.Bar == nil && l.Response == nil:
	case l.Verdict == holdout.Pass:
		st.lower = l.Bar
	case l.Verdict == holdout.Fail && len(l.All) == 0 && !p.Promise.OneSided: // of several bars a fail names none
		upper := *l.Bar + 2*tau
		st.upper = &upper
	case l.Response != nil && l.Verdict != holdout.Kept:
		lower, upper := *l.Response-tau, *l.Response+tau
		if st.lower = &lower; !p.Promise.OneSided {
			st.upper = &upper
		}
	}
	return st
}

// digits are the decimals that people see, and slack is how much of the last one a number that has as many may be off.
const digits, slack = 1e4, 1e-8

// below and above write a number to four decimals, rounded down or up.
func below(x float64) string { return decimals(math.Floor(x*digits + slack)) }
func above(x float64) string { return decimals(math.Ceil(x*digits - slack)) }

func decimals(x float64) string { return strconv.FormatFloat(x/digits+0, 'f', -1, 64) }

// interval is where a true value is, rounded outwards.
func (st standing) interval() string {
	switch {
	case st.lower != nil && st.upper != nil:
		return "from " + below(*st.lower) + " to " + above(*st.upper)
	case st.lower != nil:
		return "above " + below(*st.lower)
	case st.upper != nil:
		return "below " + above(*st.upper)
	}
	return ""
}

// least is the lower end, below all others where there is none.
func (st standing) least() float64 {
	if st.lower == nil {
		return math.Inf(-1)
	}
	return *st.lower
}

// place is a team on the board, by one metric and on the same rows: its best look, and how many it took.
type place struct {
	line  holdout.Line
	of    standing
	looks int64
}

// places are the rows of the board: a team's best look each, sorted by the lower end of the true value and by the time
// where these are equal. A look of no team stands for itself.
func places(p *holdout.Plan, lines []holdout.Line, metrics bool) (columns []string, rows [][]string) {
	var list []*place
	known := make(map[string]*place)
	inTime := func(a, b holdout.Line) int { return cmp.Compare(a.Look, b.Look) }
	for _, l := range slices.SortedFunc(slices.Values(lines), inTime) {
		key := strings.Join([]string{l.Team, l.Metric, l.Where}, "\x00")
		if l.Team == "" {
			key = strconv.FormatInt(l.Look, 10)
		}
		at, of := known[key], standingOf(p, l)
		if at == nil {
			at = &place{line: l, of: of}
			known[key] = at
			list = append(list, at)
		} else if of.least() > at.of.least() {
			at.line, at.of = l, of
		}
		at.looks++
	}
	slices.SortStableFunc(list, func(a, b *place) int {
		return cmp.Or(cmp.Compare(a.line.Metric, b.line.Metric), cmp.Compare(a.line.Where, b.line.Where),
			cmp.Compare(b.of.least(), a.of.least()), cmp.Compare(a.line.Look, b.line.Look))
	})
	budget := p.IsOpen() && p.Open.MostPerTeam > 0
	all := []entry{
		{"Team", true, func(at *place) string { return at.line.Team }},
		{"Model", true, func(at *place) string { return at.line.Name }},
		{"Metric", metrics, func(at *place) string { return at.line.Metric }},
		{"Rows", true, func(at *place) string { return at.line.Where }},
		{"Best answer", true, func(at *place) string { return at.of.answer }},
		{"True value", true, func(at *place) string { return at.of.interval() }},
		{"Looks taken", true, func(at *place) string { return strconv.FormatInt(at.looks, 10) }},
		{"Left to the team", budget, func(at *place) string { return nats(p, at.line.Team, lines) }},
		{"Time", true, func(at *place) string { return moment(at.line.Time) }},
	}
	all = slices.DeleteFunc(all, func(c entry) bool {
		return !c.shown || !slices.ContainsFunc(list, func(at *place) bool { return c.cell(at) != "" })
	})
	for _, at := range list[:min(len(list), mostListed)] {
		rows = append(rows, each.Of(all, func(c entry) string { return c.cell(at) }))
	}
	return each.Of(all, func(c entry) string { return c.title }), rows
}

// entry is a column of the board.
type entry struct {
	title string
	shown bool
	cell  func(*place) string
}

// nats says what an open ledger has left for a team.
func nats(p *holdout.Plan, team string, lines []holdout.Line) string {
	left := p.Open.MostPerTeam
	for _, l := range lines {
		if l.Team == team && l.Price != nil {
			left -= *l.Price
		}
	}
	return fmt.Sprintf("%s of %v nats", below(max(left, 0)), p.Open.MostPerTeam)
}

// moment is a time to the minute.
func moment(at string) string {
	day, clock, ok := strings.Cut(strings.TrimSuffix(at, "Z"), "T")
	if !ok || len(clock) < len("15:04") {
		return at
	}
	return day + " " + clock[:len("15:04")] + " UTC"
}

// told says what came of a look, for people.
func told(a holdout.Answer, bar *float64) string {
	l := holdout.Line{}
	if a.Open != nil {
		l = *a.Open
	}
	l.Look, l.Verdict, l.Response = a.Look, a.Verdict, a.Response
	if l.Bar == nil {
		l.Bar = bar
	}
	st := standingOf(a.Plan, l)
	said := fmt.Sprintf("Look %d: %s.", a.Look, st.answer)
	if within := st.interval(); within != "" {
		said += fmt.Sprintf(" The true value is %s.", within)
	}
	if a.Known {
		said += " These predictions were sent before: nothing was spent."
	}
	return said
}

// resultMark is where the page has the result of what was sent.
const resultMark = `<div id="result" role="status">`

// withResult puts a result into a page.
func withResult(page []byte, result string) []byte {
	return bytes.Replace(page, []byte(resultMark), []byte(resultMark+"<p>"+html.EscapeString(result)+"</p>"), 1)
}

package serve

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/holdout/column"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/transfer"
)

// shown keeps what was read of the ledger, the pages of board and status made of it, and the looks' file as it was.
type shown struct {
	mu     sync.Mutex
	of     fs.FileInfo
	status holdout.Status
	lines  []holdout.Line
	pages  map[string][]byte
}

// looksFile has a line for every look, and grows with each.
const looksFile = "looks.jsonl"

// page makes a page, or returns the one that was made of the same looks, with the status that it was made of.
func (s *Server) page(name string, f form) ([]byte, holdout.Status, error) {
	c := &s.shown
	c.mu.Lock()
	defer c.mu.Unlock()
	now, err := os.Stat(filepath.Join(s.dir, looksFile))
	if err != nil {
		return nil, c.status, err
	}
	if c.of == nil || c.of.Size() != now.Size() || !c.of.ModTime().Equal(now.ModTime()) {
		status, lines, err := s.ledger.Read()
		if err != nil {
			return nil, status, err
		}
		if c.of = now; status.InHand { // there is more to show soon, of the same file
			c.of = nil
		}
		c.status, c.lines, c.pages = status, ranked(status.Plan, lines), make(map[string][]byte)
	}
	if c.pages[name] == nil {
		c.pages[name] = f.write(s.Version, c.status, c.lines)
	}
	return c.pages[name], c.status, nil
}

// form is a form of an answer, by the name of ?format=.
type form struct {
	name, kind string
	write      func(string, holdout.Status, []holdout.Line) []byte
}

// The forms of the status and of the board. The first is the default.
var (
	statusForms = []form{
		{"json", kindJSON, statusIn(inJSON)},
		{"csv", kindCSV, statusIn(inCSV)},
	}
	boardForms = []form{
		{"html", kindHTML, boardPage},
		{"json", kindJSON, boardIn(inJSON)},
		{"csv", kindCSV, boardIn(inCSV)},
	}
)

func (s *Server) status(_ http.ResponseWriter, r *http.Request, _ string) reply {
	return s.inForm(r, statusForms)
}

func (s *Server) board(_ http.ResponseWriter, r *http.Request, _ string) reply {
	return s.inForm(r, boardForms)
}

// inForm answers in the form that was asked for, of an open ledger with the margin after ?queries= more gates of which
// ?passes= pass.
func (s *Server) inForm(r *http.Request, forms []form) reply {
	got := r.URL.Query().Get("format")
	var names []string
	for _, f := range forms {
		names = append(names, f.name)
	}
	at := slices.Index(names, cmp.Or(got, names[0]))
	if at < 0 {
		return line(http.StatusBadRequest, "format: got %s, want %s", text.Shown(got), text.OrList(names))
	}
	f := forms[at]
	body, now, err := s.page(r.URL.Path+" "+f.name, f)
	if err != nil {
		return broken(http.StatusInternalServerError, err)
	}
	if query := r.URL.Query(); now.Plan.IsOpen() && (query.Has("queries") || query.Has("passes")) {
		then := now
		for name, into := range map[string]*int64{"queries": &then.Ahead.Looks, "passes": &then.Ahead.Passes} {
			if typed := query.Get(name); typed != "" {
				if *into, err = strconv.ParseInt(typed, 10, 64); err != nil {
					return line(http.StatusBadRequest, "%s: got %s, want a whole number", name, text.Shown(typed))
				}
			}
		}
		if _, err := then.Margin(); err != nil {
			return line(http.StatusBadRequest, "%v", err)
		}
		switch {
		case r.URL.Path == "/status":
			body = f.write(s.Version, then, nil)
		case f.kind == kindHTML:
			body = bytes.Replace(body, []byte(now.Foretold()), []byte(then.Foretold()), 1)
		}
	}
	return reply{code: http.StatusOK, kind: f.kind, body: body}
}

// statusIn is the status without the path of the labels.
func statusIn(write encoding) func(string, holdout.Status, []holdout.Line) []byte {
	return func(version string, s holdout.Status, _ []holdout.Line) []byte {
		return rows(version, write, without(column.StatusFieldsOf(s.Plan), "labels"), s)
	}
}

// boardIn is the board without the fingerprints, by which a guess at somebody's predictions could be checked.
func boardIn(write encoding) func(string, holdout.Status, []holdout.Line) []byte {
	return func(version string, s holdout.Status, lines []holdout.Line) []byte {
		return rows(version, write, without(column.LineFieldsOf(s.Plan), "fingerprint", "key", "chain"), lines...)
	}
}

// without are the fields without some names.
func without[R any](fields []column.Field[R], names ...string) []column.Field[R] {
	return slices.DeleteFunc(slices.Clone(fields), func(f column.Field[R]) bool { return slices.Contains(names, f.Name) })
}

// ranked are the looks that have a place on the board: the best number first, and otherwise in their order.
func ranked(p *holdout.Plan, lines []holdout.Line) []holdout.Line {
	list := slices.DeleteFunc(slices.Clone(lines), func(l holdout.Line) bool { return l.Event != holdout.Looked })
	if numbered(p) {
		slices.SortStableFunc(list, func(a, b holdout.Line) int { return cmp.Compare(*b.Response, *a.Response) })
	}
	return list
}

// numbered reports whether each look is shown a number that says how good it is.
func numbered(p *holdout.Plan) bool {
	return p.Promise.Feedback == transfer.Answers.String() || p.Promise.Feedback == transfer.Best.String()
}

// mostListed is how many looks the page lists; csv and json have all.
const mostListed = 1000

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:80rem;margin:2rem auto;padding:0 1rem}` +
	`table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .75rem .25rem 0;` +
	`border-bottom:1px solid #8888;max-width:16rem;overflow-wrap:break-word}:root{color-scheme:light dark}`

// styleHash is the hash of the style, which the header of the page allows.
var styleHash = func() string {
	sum := sha256.Sum256([]byte(style))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}()

// boardPage is the board as a page. Every text in it is escaped.
func boardPage(_ string, s holdout.Status, lines []holdout.Line) []byte {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>The board</title><style>" + style +
		"</style></head><body>\n<h1>The board</h1>\n")
	p := s.Plan.Promise
	fmt.Fprintf(&b, "<p>The ledger is %s: %d looks taken", s.State(), s.Looks)
	if s.Plan.IsOpen() {
		fmt.Fprintf(&b, ", which cost %s nats together. %s", text.Up(s.Spent), s.Foretold())
	} else {
		fmt.Fprintf(&b, ", %d remain.", s.Remaining.Looks)
	}
	if s.Torn > 0 {
		fmt.Fprintf(&b, " A crash has cut %d of them short: they are spent.", s.Torn)
	}
	fmt.Fprintf(&b, "</p>\n<p>%s</p>\n<p>%s</p>\n", html.EscapeString(meaning(s.Plan)), html.EscapeString(s.Plan.Independence()))
	if s.Plan.IsOpen() {
		fmt.Fprintf(&b, "<p>%d rows, beta %s. Teams may ask: %s.</p>\n", s.Rows, p.Beta,
			html.EscapeString(strings.Join(s.Plan.Open.Ask, "; ")))
	} else {
		fmt.Fprintf(&b, "<p>%d rows, %d looks, tau %s, beta %s, method %s.</p>\n", p.Samples, p.Queries,
			text.Up(p.Tau), p.Beta, html.EscapeString(s.Plan.Method))
	}
	fields := column.ForPeople(column.LineFieldsOf(s.Plan), func(l holdout.Line) holdout.Line { return l })
	writeTable(&b, without(fields, "event", "conditions"), lines)
	fmt.Fprintf(&b, "<p>Chain: <code>%s</code></p>\n</body></html>\n", html.EscapeString(s.Chain))
	return []byte(b.String())
}

// meaning tells the promise of the board.
func meaning(p *holdout.Plan) string {
	of := "the same rows"
	if p.Mechanism.Parts > 0 {
		of = "the rows of its part"
	}
	truth := " The truth of a look is the mean over fresh labels of " + of + ". It is the population's value only for predictions of a model that was made without these rows."
	promise := "With probability at least 1 - beta, "
	if p.IsOpen() {
		return promise + "the truth of every look is in its interval, however many looks there are." + truth
	}
	within := "is within tau of its truth"
	if p.Promise.OneSided {
		within = "exceeds its truth by at most tau"
	}
	switch p.Promise.Feedback {
	case transfer.Gate.String():
		if p.Promise.Test != "" {
			return promise + "what passes is truly better than the incumbent that it was compared with: likelier to be right alone than wrong alone, on the mean over the same rows with fresh labels. By how much nobody has promised."
		}
		promise += "what passes is truly above its bar"
		if !p.Promise.OneSided {
			promise += ", and what is 2 tau above its bar passes"
		}
		promise += "."
	case transfer.Best.String():
		promise += "every number, the best so far, " + strings.Replace(within, "its truth", "the best truth so far", 1) + "."
	case transfer.Flags.String():
		promise += "every number " + within + "."
		if p.Method == "sparse-validate" { // the others show their own number
			promise += " It is the guess that came with the look, unless it moved."
		}
	default:
		promise += "every number " + within + ". Where two differ by 2 tau or less, their order may be the other one."
	}
	return promise + truth
}

// writeTable writes the looks, without the columns that hold nothing.
func writeTable(b *strings.Builder, fields []column.Field[holdout.Line], lines []holdout.Line) {
	if len(lines) == 0 {
		b.WriteString("<p>No look was taken.</p>\n")
		return
	}
	listed := lines[:min(len(lines), mostListed)]
	columns := slices.DeleteFunc(fields, func(f column.Field[holdout.Line]) bool {
		return !slices.ContainsFunc(listed, func(l holdout.Line) bool { return cellOf(f, l).people() != "" })
	})
	b.WriteString("<table>\n<tr>")
	for _, f := range columns {
		b.WriteString("<th>" + strings.ReplaceAll(f.Name, "_", " ") + "</th>")
	}
	b.WriteString("</tr>\n")
	for _, l := range listed {
		b.WriteString("<tr>")
		for _, f := range columns {
			b.WriteString("<td><bdi>" + html.EscapeString(cellOf(f, l).people()) + "</bdi></td>")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>\n")
	if more := len(lines) - len(listed); more > 0 {
		fmt.Fprintf(b, "<p>%d more looks are in <a href=\"?format=csv\">csv</a>.</p>\n", more)
	}
}

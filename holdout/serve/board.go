package serve

import (
	"bytes"
	"cmp"
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
		c.pages[name] = f.write(s, c.status, c.lines)
	}
	return c.pages[name], c.status, nil
}

// form is a form of an answer, by the name of ?format=.
type form struct {
	name, kind string
	write      func(*Server, holdout.Status, []holdout.Line) []byte
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
			body = f.write(s, then, nil)
		case f.kind == kindHTML && foretold(now) != "":
			body = bytes.Replace(body, []byte(foretold(now)), []byte(foretold(then)), 1)
		}
	}
	return reply{code: http.StatusOK, kind: f.kind, body: body}
}

// statusIn is the status without the path of the labels.
func statusIn(write encoding) func(*Server, holdout.Status, []holdout.Line) []byte {
	return func(server *Server, s holdout.Status, _ []holdout.Line) []byte {
		return rows(server.Version, write, without(column.StatusFieldsOf(s.Plan), "labels"), s)
	}
}

// boardIn is the board without the fingerprints, by which a guess at somebody's predictions could be checked.
func boardIn(write encoding) func(*Server, holdout.Status, []holdout.Line) []byte {
	return func(server *Server, s holdout.Status, lines []holdout.Line) []byte {
		return rows(server.Version, write, without(column.LineFieldsOf(s.Plan), "fingerprint", "key", "chain"), lines...)
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

// meaning tells the promise of the board.
func meaning(p *holdout.Plan) string {
	of := "the same rows"
	if p.Mechanism.Parts > 0 {
		of = "the rows of its part"
	}
	truth := " The true value of a look is the expected score if " + of + " were labelled again. It is the population's value only for predictions of a model that was made without these rows."
	promise := "With probability at least 1 - beta, "
	if p.IsOpen() {
		return promise + "the true value of every look is in its interval, however many looks there are." + truth
	}
	within := "is within tau of its true value"
	if p.Promise.OneSided {
		within = "exceeds its true value by at most tau"
	}
	switch p.Promise.Feedback {
	case transfer.Gate.String():
		if p.Promise.Test != "" {
			return promise + "a candidate that passes is truly better than the incumbent that it was compared with: likelier to be right alone than wrong alone, on the mean over the same rows with fresh labels. A pass does not say by how much."
		}
		promise += "the true value of a candidate that passes is above its bar"
		if !p.Promise.OneSided {
			promise += ", and a candidate that is 2 tau above its bar passes"
		}
		promise += "."
	case transfer.Best.String():
		promise += "every number, the best so far, " + strings.Replace(within, "its true value", "the best true value so far", 1) + "."
	case transfer.Flags.String():
		promise += "every number " + within + "."
		if p.Method == "sparse-validate" { // the others show their own number
			promise += " It is the guess that came with the look, unless it moved."
		}
	default:
		promise += "every number " + within + ". If two numbers differ by 2 tau or less, their true values may be in the other order."
	}
	return promise + truth
}

// writeTable writes the looks, without the columns that hold nothing.
func writeTable(b *strings.Builder, fields []column.Field[holdout.Line], lines []holdout.Line) {
	listed := lines[:min(len(lines), mostListed)]
	columns := slices.DeleteFunc(fields, func(f column.Field[holdout.Line]) bool {
		return !slices.ContainsFunc(listed, func(l holdout.Line) bool { return cellOf(f, l).people() != "" })
	})
	b.WriteString("<table>\n<thead><tr>")
	for _, f := range columns {
		b.WriteString("<th scope=\"col\">" + strings.ReplaceAll(f.Name, "_", " ") + "</th>")
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, l := range listed {
		b.WriteString("<tr>")
		for _, f := range columns {
			b.WriteString("<td><bdi>" + html.EscapeString(cellOf(f, l).people()) + "</bdi></td>")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>\n")
	if more := len(lines) - len(listed); more > 0 {
		fmt.Fprintf(b, "<p>%d more looks are in <a href=\"?format=csv\">csv</a>.</p>\n", more)
	}
}

package serve

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/transfer"
)

// form is the page's form with fields, NAME and VALUE in turns; predictions are a file.
func (a asks) form(fields ...string) asks {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		make := w.CreateFormField
		if fields[i] == "predictions" {
			make = func(name string) (io.Writer, error) { return w.CreateFormFile(name, "predictions.csv") }
		}
		into, err := make(fields[i])
		if err != nil {
			panic(err)
		}
		fmt.Fprint(into, fields[i+1])
	}
	w.Close()
	return asks{method: "POST", path: "/board", kind: w.FormDataContentType(), body: b.String()}
}

// result is the text of the result on a page.
func result(page string) string {
	_, rest, _ := strings.Cut(page, resultMark)
	text, _, _ := strings.Cut(rest, "</div>")
	return text
}

// The form takes the look that POST /looks takes: it costs once, and its result stands on the page. Nothing is spent by
// a form without a token, without a file, or with wrong predictions.
func TestForm(t *testing.T) {
	labels, predictions := holdoutOf(t, 3)
	tokens, secrets := teams(t, 2)
	dir := create(t, labels, holdout.Terms{Goal: transfer.Goal{Queries: 3, Tau: 0.2,
		Shown: transfer.Shown{Feedback: transfer.Gate, Passes: 2}}})
	s := run(t, dir, labels, Options{Tokens: tokens, Bars: []float64{0.5, 0.25}})
	looks := func() int64 {
		status, err := holdout.ReadStatus(dir)
		if err != nil {
			t.Fatal(err)
		}
		return status.Looks
	}
	for _, c := range []struct {
		code   int
		says   string
		looks  int64
		fields []string
	}{
		{401, "does not know this token", 0, []string{"predictions", predictions(400)}},
		{401, "does not know this token", 0, []string{"token", secrets[0] + "x", "predictions", predictions(400)}},
		{200, "", 0, []string{"token", secrets[0]}},
		{400, "got 400 missing ids", 0, []string{"token", secrets[0], "ask", "bar=0.5", "predictions", "id,prediction\n"}},
		{400, "want one of 0.5 0.25", 0, []string{"token", secrets[0], "ask", "bar=0.6", "predictions", predictions(400)}},
		{200, "Look 1: passed at the bar 0.5. The true value is above 0.5.", 1,
			[]string{"token", " " + secrets[0] + "\n", "ask", "bar=0.5", "name", "<b>", "predictions", predictions(400)}},
		{200, "These predictions were sent before: nothing was spent.", 1,
			[]string{"token", secrets[1], "ask", "bar=0.5", "predictions", predictions(400)}},
		{200, "Look 2: failed at the bar 0.25. The true value is below 0.65.", 2,
			[]string{"token", secrets[1], "ask", "bar=0.25", "predictions", predictions(0)}},
		{200, "Look 3: passed", 3, []string{"token", secrets[1], "ask", "bar=0.25", "predictions", predictions(390)}},
		{409, "No look was taken: the plan is used up.", 3, []string{"token", secrets[1], "ask", "bar=0.5", "predictions", predictions(10)}},
	} {
		page := s.ask(t, c.code, asks{}.form(c.fields...))
		if got := result(page); !strings.Contains(got, c.says) || c.says == "" && got != "" || looks() != c.looks {
			t.Errorf("%q: got %q and %d looks, want %q and %d", c.fields[:len(c.fields)-1], got, looks(), c.says, c.looks)
		}
		if strings.Contains(page, "<b>") || strings.Contains(page, secrets[0]) {
			t.Error("a text of somebody is markup, or a token comes back")
		}
		if locked := !strings.Contains(page, `id="board"`); locked != (c.code == 401) {
			t.Errorf("%d: the board is shown to no team, or not to a team", c.code)
		}
	}
	stranger := asks{method: "GET", path: "/board", headers: map[string]string{"Accept": "text/html"}}
	if page := s.ask(t, 401, stranger); !strings.Contains(page, `name="token"`) || strings.Contains(page, "bar") {
		t.Errorf("a browser without a token got %s", page)
	}
	s.ask(t, 400, asks{method: "POST", path: "/board", kind: "text/csv", body: "x"})
}

// A place is a team's best look by the lower end, the earlier where two are equal, and teams stand in that order.
func TestPlaces(t *testing.T) {
	labels, predictions := holdoutOf(t, 3)
	tokens, secrets := teams(t, 4)
	s := run(t, create(t, labels, holdout.Terms{Unlimited: holdout.Unlimited{Open: true, Ask: []string{"pass:bar=0.5,bar=0.6", "best:step=0.1"}}}), labels,
		Options{Tokens: tokens, Public: true})
	for _, c := range []struct {
		team, right int
		query       string
	}{
		{3, 100, "?show=pass&bar=0.5&name=low"}, {1, 300, "?show=pass&bar=0.5&name=first"}, {0, 310, "?show=pass&bar=0.6&name=high"},
		{2, 100, "?show=pass&bar=0.6&name=late"}, {0, 120, "?show=pass&bar=0.6&name=worse"},
	} {
		a := looks(predictions(c.right), c.query)
		a.token = secrets[c.team]
		s.ask(t, 200, a)
	}
	page := s.ask(t, 200, asks{method: "GET", path: "/board"})
	best, _, _ := strings.Cut(page, "<details>")
	at := -1
	for _, name := range []string{"high", "first", "low", "late"} {
		next := strings.Index(best, "<bdi>"+name+"</bdi>")
		if next <= at {
			t.Errorf("%s stands at %d, after %d\n%s", name, next, at, best)
		}
		at = next
	}
	if strings.Contains(best, "worse") || strings.Contains(strings.ToLower(best), "rank") {
		t.Error(best)
	}
}

// Every value of a parameter of an offer is a choice with every value of the others, which the ledger takes.
func TestChoices(t *testing.T) {
	list := combined("pass", "bar=0.8,where=lang=de,bar=0.9,where=lang=en&fr")
	want := []choice{
		{"show=pass&bar=0.8&where=lang%3Dde", "pass or fail, bar 0.8, where lang=de"},
		{"show=pass&bar=0.8&where=lang%3Den%26fr", "pass or fail, bar 0.8, where lang=en&fr"},
		{"show=pass&bar=0.9&where=lang%3Dde", "pass or fail, bar 0.9, where lang=de"},
		{"show=pass&bar=0.9&where=lang%3Den%26fr", "pass or fail, bar 0.9, where lang=en&fr"},
	}
	if fmt.Sprint(list) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", list, want)
	}
	if one := combined("best", ""); len(one) != 1 || one[0].Query != "show=best" {
		t.Errorf("got %v", one)
	}
}

// Intervals are rounded outwards to four decimals, and a number that has four stays.
func TestIntervalsOutwards(t *testing.T) {
	for _, c := range []struct {
		x           float64
		down, above string
	}{{0.12345, "0.1234", "0.1235"}, {0.6, "0.6", "0.6"}, {-0.12341, "-0.1235", "-0.1234"}, {0.7 + 0.1, "0.8", "0.8"}, {0, "0", "0"}} {
		if below(c.x) != c.down || above(c.x) != c.above {
			t.Errorf("%v: got %s and %s, want %s and %s", c.x, below(c.x), above(c.x), c.down, c.above)
		}
	}
}

// Ledgers of F1 and of other ratios are served, and an F1 look stands on the board with its interval.
func TestServedRatios(t *testing.T) {
	labels, predictions := holdoutOf(t, 3)
	terms := holdout.Terms{Asks: holdout.Asks{Metrics: []string{"f1", "jaccard"}},
		Unlimited: holdout.Unlimited{Open: true, Ask: []string{"pass:bar=0.3"}}}
	terms.Units.Positive = "a"
	s := run(t, create(t, labels, terms), labels, Options{})
	page := s.ask(t, 200, asks{}.form("metric", "f1", "ask", "show=pass&bar=0.3", "name", "one", "predictions", predictions(390)))
	if got := result(page); !strings.Contains(got, "Look 1: passed at the bar 0.3. The true value is from 0.3") {
		t.Error(got)
	}
	for _, want := range []string{"<option>jaccard</option>", "<bdi>f1</bdi>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in %s", want, page)
		}
	}
}

package serve

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net"
	"regexp"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/theory"
)

// price is a row of an open ledger's answers and prices.
type price struct {
	Show, Verdict              string
	Price, Spent, Lower, Upper *float64
	From, Below                *float64
	NextPass                   *float64 `json:"next_pass"`
	KnownLower                 *float64 `json:"known_lower"`
	KnownUpper                 *float64 `json:"known_upper"`
	Remaining                  *int64   `json:"remaining_looks"`
}

func prices(t *testing.T, text string) (list []price) {
	t.Helper()
	var answer struct{ Rows []price }
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err, text)
	}
	return answer.Rows
}

// offered are terms of an open ledger that teams may ask three things.
func offered() holdout.Terms {
	return holdout.Terms{
		Unlimited: holdout.Unlimited{Open: true, Ask: []string{"pass:bar=0.5,bar=0.6", "score:step=0.2", "guess:within=0.1,step=0.1"}},
	}
}

// A served open ledger answers what was declared, at its price, and nothing else.
func TestServedOpenLedger(t *testing.T) {
	labels, predictions := holdoutOf(t, 4)
	tokens, secrets := teams(t, 2)
	terms := offered()
	terms.MostPerTeam = 12
	dir := create(t, labels, terms)
	told := (*holdout.InputError)(nil)
	if _, err := New(dir, labels, Options{}); !errors.As(err, &told) || !strings.HasPrefix(err.Error(), "tokens: ") {
		t.Errorf("a limit of each team is served without teams: %v", err)
	}
	s := run(t, dir, labels, Options{Tokens: tokens, Rate: 1e6})
	get := func(path string) asks { return asks{method: "GET", path: path, token: secrets[0]} }
	post := func(team int, body, query string) asks {
		a := looks(body, query)
		a.token = secrets[team]
		return a
	}
	listed := prices(t, s.ask(t, 200, get("/price?show=pass&bar=0.5")))
	if len(listed) != 2 || listed[1].From == nil || listed[0].NextPass == nil {
		t.Fatalf("got the prices %+v", listed)
	}
	for query, want := range map[string]string{
		"": "got a look that was not declared", "?show=pass": "not declared", "?show=pass&bar=0.55": "not declared",
		"?show=best": "not declared", "?show=score&step=0.1": "not declared", "?show=pass&bar=0.5&expect=0.1": "not declared",
		"?show=pass&bar=0.5&where=a=b": "not declared", "?show=score&metric=column:x": "want accuracy",
		"?show=guess": "guess: got nothing", "?show=score&step=x": "want a number", "?show=all": "not declared",
		"?show=reject&test=sign": "not declared", "?looks=1": "got the parameter looks",
	} {
		if got := s.ask(t, 400, post(0, predictions(300), query)); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
		if got := s.ask(t, 400, get("/price"+query)); !strings.Contains(got, want) {
			t.Errorf("price %s: got %s, want %s", query, got, want)
		}
	}
	first := prices(t, s.ask(t, 200, post(0, predictions(300), "?show=pass&bar=0.5")))[0]
	if first.Verdict != holdout.Pass || *first.Price != *listed[1].Price || *first.Lower != *listed[1].Lower ||
		first.Remaining != nil {
		t.Errorf("got %+v, priced %+v", first, listed[1])
	}
	again := prices(t, s.ask(t, 200, post(1, predictions(300), "?show=pass&bar=0.5")))[0]
	if *again.Spent != *first.Spent {
		t.Errorf("a known look cost something: %+v", again)
	}
	s.ask(t, 200, post(0, predictions(300), "?show=score"))
	s.ask(t, 200, post(0, predictions(300), "?show=guess&guess=0.75&step=0.1"))
	for k := 0; ; k++ {
		code, body, _, err := sends(s.address, post(0, random(uint64(k)), "?show=score"))
		told := regexp.MustCompile(`"reason":"a response of this look may cost [0-9.]+ nats, and [0-9.]+ are left to the team"}`).MatchString(body)
		if err != nil || k > 20 || code == 409 != strings.Contains(body, `"price":null`) || code == 409 != told {
			t.Fatal(code, body, err)
		}
		if code == 409 {
			break
		}
	}
	s.ask(t, 200, post(1, predictions(200), "?show=pass&bar=0.6"))
	board := prices(t, s.ask(t, 200, get("/board?format=json")))
	var lower, upper float64
	upper = 1
	for _, l := range board[:3] {
		lower, upper = max(lower, *l.Lower), min(upper, *l.Upper)
	}
	if *board[0].KnownLower != lower || *board[0].KnownUpper != upper {
		t.Errorf("got known %v to %v, want %v to %v", *board[0].KnownLower, *board[0].KnownUpper, lower, upper)
	}
	if page := s.ask(t, 200, get("/board")); !strings.Contains(page, "nats of the error budget") || strings.Contains(page, "for all teams") {
		t.Errorf("got the page %s", page)
	}
	if status := s.ask(t, 200, get("/status")); !strings.Contains(status, `"spent":`) {
		t.Errorf("got the status %s", status)
	}
	margin := func(query string) float64 {
		var answer struct{ Rows []struct{ Margin float64 } }
		if err := json.Unmarshal([]byte(s.ask(t, 200, get("/status"+query))), &answer); err != nil {
			t.Fatal(err)
		}
		return answer.Rows[0].Margin
	}
	if now, later := margin(""), margin("?queries=10&passes=3"); !(now > 0 && later > now) {
		t.Errorf("got the margins %v and %v", now, later)
	}
	const later = "If a candidate fails a gate after 10 more looks for a pass, of which 3 pass, its true value is at most 0."
	if page := s.ask(t, 200, get("/board?queries=10&passes=3")); !strings.Contains(page, later) {
		t.Errorf("got the page %s", page)
	}
	if page := s.ask(t, 200, get("/board")); !strings.Contains(page, "If a candidate fails a gate now, its true value is at most 0.") {
		t.Errorf("got the page %s", page)
	}
	s.ask(t, 200, get("/status?queries=10&format=csv"))
	for _, query := range []string{"?queries=x", "?queries=-1", "?queries=2&passes=3", "?passes=1"} {
		s.ask(t, 400, get("/status"+query))
	}
	if _, err := holdout.Verify(dir, ""); err != nil {
		t.Error(err)
	}
}

// A look that is taken beside a server is in its ledger: the next look of a client follows it, at the price after it.
func TestLookBesideAServer(t *testing.T) {
	labels, predictions := holdoutOf(t, 7)
	dir := create(t, labels, offered())
	s := run(t, dir, labels, Options{})
	listed := func() price {
		return prices(t, s.ask(t, 200, asks{method: "GET", path: "/price?show=pass&bar=0.6"}))[0]
	}
	first := prices(t, s.ask(t, 200, looks(predictions(300), "?show=score")))[0]
	before := listed()
	organiser, err := holdout.Open(dir, labels)
	if err != nil {
		t.Fatal(err)
	}
	bar := 0.6
	form := holdout.File{In: strings.NewReader(predictions(200)), Column: "prediction"}
	local, err := organiser.Score(context.Background(), holdout.Submission{Values: form.Rows,
		Question: holdout.Question{Show: holdout.ShowPass, Bar: &bar}})
	if err != nil {
		t.Fatal(err)
	}
	after := listed()
	off := *after.Spent - local.Spent - *after.Price
	if local.Look != 2 || math.Abs(off) > 1e-9 || *after.Spent <= *before.Spent {
		t.Errorf("got the price %v in all after look %d at %v, and %v before", *after.Spent, local.Look, local.Spent, *before.Spent)
	}
	next := prices(t, s.ask(t, 200, looks(predictions(310), "?show=pass&bar=0.6")))[0]
	if want := local.Spent + *next.Price; math.Abs(*next.Spent-want) > 1e-9 || *first.Spent >= *next.Spent {
		t.Errorf("got %v nats in all, want %v", *next.Spent, want)
	}
	if v, err := holdout.Verify(dir, ""); err != nil || v.Looks != 3 {
		t.Error(v.Looks, err)
	}
}

// A server whose ledger gets other rows stops.
func TestServerOfChangedRowsStops(t *testing.T) {
	labels, predictions := holdoutOf(t, 5)
	dir := create(t, labels, offered())
	s, err := New(dir, labels, Options{})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(context.Background(), listener) }()
	organiser, err := holdout.Open(dir, labels)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := organiser.Extend(context.Background(), holdout.Extension{Drop: []string{"r7"}})
	if !changed || err != nil {
		t.Fatal(changed, err)
	}
	code, body, _, err := sends(listener.Addr().String(), looks(predictions(300), "?show=pass&bar=0.5"))
	if err != nil || code != 500 || strings.Contains(body, "rows") {
		t.Errorf("got %d %s, %v", code, body, err)
	}
	extended := (*holdout.ExtendedError)(nil)
	if err := <-ended; !errors.As(err, &extended) {
		t.Errorf("got %v", err)
	}
}

// What cannot be asked is refused when the ledger is made.
func TestOffers(t *testing.T) {
	labels, _ := holdoutOf(t, 6)
	told := (*holdout.InputError)(nil)
	for _, ask := range []string{"", "pass", "pass:", "pass:bar", "pass:bar=x", "pass:bar=2", "pass:step=0.1", "all", "best:step=0",
		"score:near=0.1", "reject", "reject:test=t", "guess:expect=1", "pass:bar=0.5,expect=0"} {
		terms := holdout.Terms{Unlimited: holdout.Unlimited{Open: true, Ask: []string{ask}}}
		terms.Goal.Beta = theory.LogProb(-3)
		if _, err := holdout.Certify(terms, labels.Samples()); !errors.As(err, &told) || !strings.HasPrefix(err.Error(), "ask: ") {
			t.Errorf("%q: got %v", ask, err)
		}
	}
}

package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// rowCount is how many rows the tests' holdout has.
const rowCount = 400

// holdoutOf makes labels "a" and "b" from a seed, and predictions that are right on so many rows.
func holdoutOf(t testing.TB, seed uint64) (labels *holdout.Labels, predictions func(right int) string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var ids, classes []string
	for i := range rowCount {
		ids, classes = append(ids, fmt.Sprint("r", i)), append(classes, []string{"a", "b"}[r.IntN(2)])
	}
	labels, err := holdout.NewLabels(holdout.Columns(ids, classes))
	if err != nil {
		t.Fatal(err)
	}
	return labels, func(right int) string {
		var b strings.Builder
		b.WriteString("id,prediction\n")
		for i, c := range classes {
			if i >= right {
				c = map[string]string{"a": "b", "b": "a"}[c]
			}
			fmt.Fprintf(&b, "%s,%s\n", ids[i], c)
		}
		return b.String()
	}
}

// random are predictions from a seed.
func random(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 2))
	var b strings.Builder
	b.WriteString("id,prediction\n")
	for i := range rowCount {
		fmt.Fprintf(&b, "r%d,%s\n", i, []string{"a", "b"}[r.IntN(2)])
	}
	return b.String()
}

func beta(t testing.TB, text string) theory.LogProb {
	t.Helper()
	p, err := theory.ParseLogProb(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// create makes a ledger.
func create(t testing.TB, labels *holdout.Labels, terms holdout.Terms) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "ledger")
	terms.Goal.Beta = beta(t, "0.9")
	if terms.Goal.Query != transfer.Difference && !terms.Open {
		terms.Goal.Query = transfer.Binary
	}
	if _, err := holdout.Create(dir, labels, terms); err != nil {
		t.Fatal(err)
	}
	return dir
}

// answers are the terms of a plan that shows answers.
func answers(m int64) holdout.Terms {
	return holdout.Terms{Method: "gaussian", Goal: transfer.Goal{Queries: m, Tau: 0.99}}
}

// site is a server that runs.
type site struct {
	*Server
	address string
	stop    func() // and wait for the end
}

// run serves a ledger on a free port until the test ends.
func run(t testing.TB, dir string, labels *holdout.Labels, o Options) site {
	t.Helper()
	s, err := New(dir, labels, o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return site{s, l.Addr().String(), stop}
}

// asks is a request and what is special about it.
type asks struct {
	method, path, token, kind, host, body string
	headers                               map[string]string
}

// client reuses no connection, as most scripts.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}

// sends sends a request.
func sends(address string, a asks) (code int, body string, header http.Header, err error) {
	r, err := http.NewRequest(a.method, "http://"+address+a.path, strings.NewReader(a.body))
	if err != nil {
		return 0, "", nil, err
	}
	if a.token != "" {
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	if a.kind != "" {
		r.Header.Set("Content-Type", a.kind)
	}
	if a.host != "" {
		r.Host = a.host
	}
	for name, value := range a.headers {
		r.Header.Set(name, value)
	}
	response, err := client.Do(r)
	if err != nil {
		return 0, "", nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), response.Header, err
}

// ask sends a request and wants a code.
func (s site) ask(t testing.TB, want int, a asks) string {
	t.Helper()
	code, body, _, err := sends(s.address, a)
	if err != nil || code != want {
		t.Fatalf("%s %s: got %d, %v, want %d\n%s", a.method, a.path, code, err, want, body)
	}
	return body
}

// looks posts csv.
func looks(body, query string) asks {
	return asks{method: "POST", path: "/looks" + query, kind: "text/csv", body: body}
}

// row is the one row of an answer in JSON.
type row struct {
	Look        int64    `json:"look"`
	Name        string   `json:"name"`
	Verdict     *string  `json:"verdict"`
	Response    *float64 `json:"response"`
	Remaining   int64    `json:"remaining_looks"`
	Fingerprint string   `json:"fingerprint"`
	Chain       string   `json:"chain"`
	Repeated    bool     `json:"repeated"`
}

func rowIn(text string) (row, error) {
	var answer struct {
		Schema string
		Rows   []row
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return row{}, err
	}
	if answer.Schema != "dpcalc/holdout/1" || len(answer.Rows) != 1 {
		return row{}, fmt.Errorf("no row of a look: %s", text)
	}
	return answer.Rows[0], nil
}

func (s site) look(t testing.TB, want int, a asks) row {
	t.Helper()
	got, err := rowIn(s.ask(t, want, a))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// A look, its repetition in other forms and orders, the status, the board, and the end of the plan.
func TestLooks(t *testing.T) {
	labels, predictions := holdoutOf(t, 1)
	dir := create(t, labels, answers(2))
	s := run(t, dir, labels, Options{})
	if page := s.ask(t, 200, asks{method: "GET", path: "/board"}); !strings.Contains(page, "No look was taken") {
		t.Error(page)
	}
	first := s.look(t, 200, looks(predictions(300), "?name=first"))
	if first.Look != 1 || first.Name != "first" || first.Response == nil || first.Remaining != 1 || first.Repeated {
		t.Errorf("%+v", first)
	}
	lines := strings.Split(strings.TrimSpace(predictions(300)), "\n")
	tabs := "prediction\tid\n"
	objects := ""
	for _, line := range slices.Backward(lines[1:]) {
		id, class, _ := strings.Cut(line, ",")
		tabs += class + "\t" + id + "\n"
		objects += fmt.Sprintf("{\"id\":%q,\"prediction\":%q}\n", id, class)
	}
	for kind, body := range map[string]string{
		"text/csv; charset=utf-8": predictions(300), "text/tab-separated-values": tabs, "application/jsonl": objects,
	} {
		a := looks(body, "?name=again")
		a.kind = kind
		again := s.look(t, 200, a)
		if again.Look != 1 || !again.Repeated || *again.Response != *first.Response || again.Chain != first.Chain {
			t.Errorf("%s: %+v", kind, again)
		}
	}
	last := s.look(t, 200, looks(predictions(200), ""))
	if last.Look != 2 || last.Remaining != 0 {
		t.Errorf("%+v", last)
	}
	if body := s.ask(t, 409, looks(predictions(100), "")); !strings.Contains(body, `"reason":"the plan is used up"}`) {
		t.Errorf("a refusal does not say why: %s", body)
	}
	refused := s.look(t, 409, looks(predictions(100), ""))
	if refused.Look != 0 || refused.Response != nil || refused.Verdict != nil || refused.Chain != last.Chain {
		t.Errorf("%+v", refused)
	}
	if again := s.look(t, 200, looks(predictions(300), "")); again.Look != 1 || !again.Repeated {
		t.Errorf("%+v", again)
	}
	status := s.ask(t, 200, asks{method: "GET", path: "/status"})
	if !strings.Contains(status, `"state":"used up","looks":2,`) || strings.Contains(status, "labels") {
		t.Error(status)
	}
	csv := s.ask(t, 200, asks{method: "GET", path: "/board?format=csv"})
	if got := strings.Count(csv, "\n"); got != 3 || strings.Contains(csv, first.Fingerprint) {
		t.Error(csv)
	}
	page := s.ask(t, 200, asks{method: "GET", path: "/board"})
	for _, want := range []string{"No look is left: all teams together took 2 looks.", "<bdi>first</bdi>", last.Chain, "tau 0.99"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in %s", want, page)
		}
	}
	for _, name := range []string{"X-Forwarded-For", "Forwarded", "Via"} {
		passed := asks{method: "GET", path: "/board", headers: map[string]string{name: "for=192.0.2.1"}}
		if text := s.ask(t, 421, passed); !strings.Contains(text, "want one of this machine: there are no tokens") {
			t.Error(text)
		}
	}
	if head := s.ask(t, 200, asks{method: "HEAD", path: "/board"}); head != "" {
		t.Error(head)
	}
}

// The board has the best number first, and a gate's board the looks in their order.
func TestRanks(t *testing.T) {
	labels, predictions := holdoutOf(t, 1)
	s := run(t, create(t, labels, holdout.Terms{Method: "splitting", Goal: transfer.Goal{Queries: 3, Tau: 0.99}}), labels,
		Options{})
	var want []float64
	for _, right := range []int{200, 400, 0} {
		want = append(want, *s.look(t, 200, looks(predictions(right), "")).Response)
	}
	slices.Sort(want)
	slices.Reverse(want)
	var board struct{ Rows []row }
	if err := json.Unmarshal([]byte(s.ask(t, 200, asks{method: "GET", path: "/board?format=json"})), &board); err != nil {
		t.Fatal(err)
	}
	for i, r := range board.Rows {
		if *r.Response != want[i] {
			t.Errorf("%v at place %d, want %v", *r.Response, i, want[i])
		}
	}
	page := s.ask(t, 200, asks{method: "GET", path: "/board"})
	if !strings.Contains(page, "if the rows of its part were labelled again") {
		t.Error(page)
	}
	gate := run(t, create(t, labels, holdout.Terms{Goal: transfer.Goal{Queries: 3, Tau: 0.2,
		Shown: transfer.Shown{Feedback: transfer.Gate}}}), labels, Options{Bars: []float64{0.5}})
	for _, right := range []int{100, 400} {
		gate.look(t, 200, looks(predictions(right), "?bar=0.5"))
	}
	page = gate.ask(t, 200, asks{method: "GET", path: "/board"})
	if fails, passes := strings.Index(page, "fail</bdi>"), strings.Index(page, "pass</bdi>"); fails < 0 || fails > passes {
		t.Error(page)
	}
	if first, last := strings.Index(page, "passed at the bar"), strings.Index(page, "failed at the bar"); first < 0 || first > last {
		t.Error(page)
	}
}

// The page says what a number is under flags: the guess where the method shows that, and otherwise the method's own.
func TestMeaningOfNumbersUnderFlags(t *testing.T) {
	for method, guess := range map[string]bool{"sparse-validate": true, "gaussian": false, "splitting": false} {
		goal := transfer.Goal{Samples: 1_000_000, Queries: 20, Tau: 0.1, Beta: beta(t, "0.05"), Budget: 2,
			Query: transfer.Binary, Shown: transfer.Shown{Feedback: transfer.Flags}}
		plan, err := holdout.Certify(holdout.Terms{Goal: goal, Method: method}, goal.Samples)
		if err != nil {
			t.Fatal(err)
		}
		text := meaning(plan)
		if strings.Contains(text, "It is the guess that came with the look") != guess || !strings.Contains(text,
			"every number is within tau of its true value") {
			t.Errorf("%s: %s", method, text)
		}
	}
}

// A ledger that is rolled back under a server takes no look, also before its first.
func TestRolledBackServer(t *testing.T) {
	t.Run("fixed", func(t *testing.T) { rolledBack(t, answers(9), "") })
	t.Run("open", func(t *testing.T) { rolledBack(t, offered(), "?show=score") })
}

func rolledBack(t *testing.T, terms holdout.Terms, query string) {
	labels, predictions := holdoutOf(t, 1)
	dir := create(t, labels, terms)
	s := run(t, dir, labels, Options{})
	first := s.look(t, 200, looks(predictions(200), query))
	s.stop()
	s = run(t, dir, labels, Options{})
	if err := os.Truncate(filepath.Join(dir, looksFile), 0); err != nil {
		t.Fatal(err)
	}
	for _, right := range []int{200, 300} {
		if text := s.ask(t, 500, looks(predictions(right), query)); strings.Contains(text, first.Chain) {
			t.Error(text)
		}
	}
}

// A server whose ledger gets another plan stops at the next look, or at the next status that it reads. It shows nothing
// of either plan any more, and says why.
func TestReplacedPlanStopsServer(t *testing.T) {
	labels, predictions := holdoutOf(t, 1)
	for _, next := range []asks{looks(predictions(300), ""), looks(predictions(200), ""), {method: "GET", path: "/status"}} {
		dir, other := create(t, labels, answers(9)), create(t, labels, answers(8))
		s, err := New(dir, labels, Options{})
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(t.Context(), l) }()
		at := site{s, l.Addr().String(), nil}
		at.look(t, 200, looks(predictions(200), ""))
		plan, err := os.ReadFile(filepath.Join(other, "plan.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "plan.json"), plan, 0o600); err != nil {
			t.Fatal(err)
		}
		at.ask(t, 500, next)
		replaced := (*holdout.ReplacedError)(nil)
		if err := <-ended; !errors.As(err, &replaced) {
			t.Errorf("%s %s: it ended with %v", next.method, next.path, err)
		}
	}
}

// failing is a listener that the system refuses connections to, as where no more files may be opened.
type failing struct {
	net.Listener
	fails atomic.Int32
}

// refusedByTheSystem is an error after which a server goes on.
type refusedByTheSystem struct{}

func (refusedByTheSystem) Error() string   { return "too many open files" }
func (refusedByTheSystem) Timeout() bool   { return true }
func (refusedByTheSystem) Temporary() bool { return true }

func (f *failing) Accept() (net.Conn, error) {
	if f.fails.Add(-1) >= 0 {
		return nil, refusedByTheSystem{}
	}
	return f.Listener.Accept()
}

// The log is told of connections that the system refuses, and the server goes on.
func TestRefusedConnectionsAreTold(t *testing.T) {
	labels, predictions := holdoutOf(t, 1)
	var told []Event
	s, err := New(create(t, labels, answers(9)), labels, Options{Log: func(e Event) { told = append(told, e) }})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	door := &failing{Listener: l}
	door.fails.Store(2)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, door) }()
	site{s, l.Addr().String(), nil}.look(t, 200, looks(predictions(200), ""))
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if len(told) != 3 || told[0].Error != "too many open files" || told[1].Error != told[0].Error || told[2].Status != 200 {
		t.Errorf("%+v", told)
	}
}

// teams makes tokens of so many teams.
func teams(t testing.TB, n int) (tokens *Tokens, secrets []string) {
	t.Helper()
	var file string
	for i := range n {
		secret, line, err := NewToken(fmt.Sprint("team ", i))
		if err != nil {
			t.Fatal(err)
		}
		file += line + "\n"
		secrets = append(secrets, secret)
	}
	tokens, err := ReadTokens(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return tokens, secrets
}

// Two hundred clients at once, each with a file of its own, sent twice, and one that all have: every look is answered
// once and written once, and none is lost or free.
func TestTwoHundredClients(t *testing.T) {
	labels, _ := holdoutOf(t, 1)
	dir := create(t, labels, answers(3000))
	tokens, secrets := teams(t, 20)
	s := run(t, dir, labels, Options{Tokens: tokens, Rate: 1000})
	const clients = 200
	var group sync.WaitGroup
	var mu sync.Mutex
	seen := make(map[string][]row)
	for k := range clients {
		group.Go(func() {
			for _, body := range []string{random(uint64(k + 1)), random(0), random(uint64(k + 1))} {
				a := looks(body, "")
				a.token = secrets[k%len(secrets)]
				code, text, _, err := sends(s.address, a)
				got, wrong := rowIn(text)
				if err = errors.Join(err, wrong); err != nil || code != 200 {
					t.Errorf("got %d, %v, %s", code, err, text)
					return
				}
				mu.Lock()
				seen[got.Fingerprint] = append(seen[got.Fingerprint], got)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if len(seen) != clients+1 {
		t.Fatalf("%d looks, want %d", len(seen), clients+1)
	}
	_, lines, err := holdout.Read(dir)
	if err != nil || len(lines) != clients+1 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for _, list := range seen {
		fresh := 0
		line := lines[list[0].Look-1]
		for _, got := range list {
			if !got.Repeated {
				fresh++
			}
			if got.Look != line.Look || *got.Response != *line.Response || got.Fingerprint != line.Fingerprint {
				t.Errorf("answered as %+v and written as %+v", got, line)
			}
		}
		if fresh != 1 || len(list) != 2 && len(list) != clients {
			t.Errorf("look %d: %d answers, %d of them new", line.Look, len(list), fresh)
		}
	}
	if v, err := holdout.Verify(dir, ""); err != nil || v.Looks != clients+1 || v.Torn != 0 {
		t.Errorf("%+v, %v", v, err)
	}
}

// A server that is stopped answers a look whose predictions are on their way, cuts off a client that goes on sending,
// and takes nothing new.
func TestGracefulStop(t *testing.T) {
	labels, predictions := holdoutOf(t, 1)
	dir := create(t, labels, answers(9))
	s := run(t, dir, labels, Options{})
	s.patience = 1500 * time.Millisecond
	body := predictions(300)
	slow := func() net.Conn {
		c, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		fmt.Fprintf(c, "POST /looks HTTP/1.1\r\nHost: %s\r\nContent-Type: text/csv\r\nContent-Length: %d\r\n\r\n%s",
			s.address, len(body), body[:100])
		return c
	}
	one, never := slow(), slow()
	for inHand := 0; inHand < 2; time.Sleep(time.Millisecond) { // both headers have come
		s.limits.mu.Lock()
		if b := s.limits.buckets[""]; b != nil {
			inHand = b.busy
		}
		s.limits.mu.Unlock()
	}
	ended := make(chan struct{})
	go func() { s.stop(); close(ended) }()
	for {
		c, err := net.Dial("tcp", s.address)
		if err != nil {
			break
		}
		c.Close()
		time.Sleep(5 * time.Millisecond)
	}
	if _, err := io.WriteString(one, body[100:]); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(one)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 200 OK") {
		t.Errorf("%s, %v", answer, err)
	}
	if answer, err := io.ReadAll(never); err == nil && strings.HasPrefix(string(answer), "HTTP/1.1 200") {
		t.Errorf("%s", answer)
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the server goes on")
	}
	if v, err := holdout.Verify(dir, ""); err != nil || v.Looks != 1 || v.Torn != 0 {
		t.Errorf("%+v, %v", v, err)
	}
}

// A server does not end before a look that has begun, also where its client is cut off. No look begins after the end:
// its client was told nothing, and would have spent it.
func TestLookInHand(t *testing.T) {
	labels, predictions := holdoutOf(t, 1)
	scores := create(t, labels, answers(2))
	candidates, _ := differences(t, labels, predictions(100))
	for dir, query := range map[string]string{scores: "", candidates: "?bar=0"} {
		s := run(t, dir, labels, Options{})
		s.look(t, 200, looks(predictions(200), query))
		s.ending.RLock() // as a look does
		ended := make(chan struct{})
		go func() { s.stop(); close(ended) }()
		select {
		case <-ended:
			t.Fatal("the server has ended")
		case <-time.After(100 * time.Millisecond):
		}
		s.ending.RUnlock()
		<-ended
		late := make(chan int, 1)
		go func() {
			r := httptest.NewRequest("POST", "/looks"+query, strings.NewReader(predictions(300)))
			r.Header.Set("Content-Type", "text/csv")
			late <- s.Server.look(httptest.NewRecorder(), r, "").code
		}()
		select {
		case code := <-late:
			t.Errorf("a look after the end: %d", code)
		case <-time.After(300 * time.Millisecond):
		}
		if v, err := holdout.Verify(dir, ""); err != nil || v.Looks != 1 {
			t.Errorf("%d looks, %v", v.Looks, err)
		}
	}
}

// A team whose clients are slow keeps neither another team waiting nor more than its share in memory.
func TestSlowBodies(t *testing.T) {
	labels, predictions := holdoutOf(t, 1)
	tokens, secrets := teams(t, 2)
	s := run(t, create(t, labels, answers(9)), labels, Options{Tokens: tokens, Rate: 1000})
	var slow []net.Conn
	for range teamBodies {
		slow = append(slow, dial(t, s, secrets[0], "Content-Length: 1000\r\n\r\nid,prediction\n"))
	}
	for len(s.limits.bodies) < teamBodies {
		time.Sleep(time.Millisecond)
	}
	a := looks(predictions(200), "")
	a.token = secrets[1]
	s.ask(t, 200, a)
	waits := make(chan int, 1)
	own := looks(predictions(300), "")
	own.token = secrets[0]
	go func() {
		code, _, _, _ := sends(s.address, own)
		waits <- code
	}()
	select {
	case code := <-waits:
		t.Fatalf("a fifth at once: %d", code)
	case <-time.After(100 * time.Millisecond):
	}
	slow[0].Close()
	if code := <-waits; code != 200 {
		t.Errorf("got %d", code)
	}
	for _, c := range slow {
		c.Close()
	}
	s.stop()
	if n := len(s.limits.bodies) + len(s.limits.buckets["team 0"].bodies); n != 0 {
		t.Errorf("%d bodies are read for ever", n)
	}
}

// What cannot be served is refused before it is.
func TestNotServed(t *testing.T) {
	labels, _ := holdoutOf(t, 1)
	final := create(t, labels, holdout.Terms{Goal: transfer.Goal{Queries: 3, Tau: 0.5,
		Shown: transfer.Shown{Feedback: transfer.Final}}})
	told := (*holdout.InputError)(nil)
	if _, err := New(final, labels, Options{}); !errors.As(err, &told) || !strings.Contains(err.Error(), "finalists") {
		t.Errorf("got %v", err)
	}
	open := create(t, labels, holdout.Terms{Unlimited: holdout.Unlimited{Open: true}})
	if _, err := New(open, labels, Options{}); !errors.As(err, &told) || !strings.Contains(err.Error(), "made without --ask") {
		t.Errorf("got %v", err)
	}
	dir := create(t, labels, answers(3))
	others, _ := holdoutOf(t, 2)
	changed := (*holdout.ChangedError)(nil)
	if _, err := New(dir, others, Options{}); !errors.As(err, &changed) {
		t.Errorf("got %v", err)
	}
	s, err := New(dir, labels, Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := s.Serve(context.Background(), l); !errors.As(err, &told) {
		t.Errorf("got %v", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(text), "gaussian", "splitting", 1)
	if err := os.WriteFile(filepath.Join(dir, "plan.json"), []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	corrupt := (*holdout.CorruptError)(nil)
	if _, err := New(dir, labels, Options{}); !errors.As(err, &corrupt) {
		t.Errorf("got %v", err)
	}
}

// A team has its rate, ten seconds of it at once, and so many requests that are being answered; others do not feel it.
func TestRates(t *testing.T) {
	now := time.Unix(0, 0)
	l := newLimits(2)
	l.now = func() time.Time { return now }
	enter := func(team string, n int) (let int) {
		for range n {
			if _, ok := l.enter(team); ok {
				let++
				l.leave(team)
			}
		}
		return let
	}
	if got := enter("a", 1000); got != 20 {
		t.Errorf("%d at once", got)
	}
	if got := enter("b", 5); got != 5 {
		t.Errorf("%d of another team", got)
	}
	now = now.Add(1500 * time.Millisecond)
	if refused, ok := l.enter("a"); !ok || refused != 980 {
		t.Errorf("%d refused, %v", refused, ok)
	}
	l.leave("a")
	if got := enter("a", 100); got != 2 {
		t.Errorf("%d after 1.5 s", got)
	}
	now = now.Add(-time.Hour) // a clock that is set back
	if got := enter("a", 100); got != 0 {
		t.Errorf("%d by an earlier clock", got)
	}
	l = newLimits(1e6)
	for i := range atOnce + 1 {
		if _, ok := l.enter("a"); ok != (i < atOnce) {
			t.Errorf("request %d: %v", i, ok)
		}
	}
	l.leave("a")
	if _, ok := l.enter("a"); !ok {
		t.Error("a request that has ended still counts")
	}
}

// A token is found by its hash, and lines that are none are refused.
func TestTokens(t *testing.T) {
	tokens, secrets := teams(t, 3)
	for i, secret := range append(secrets, "", "dpcalc_", secrets[0]+"x", secrets[0][1:]) {
		for _, scheme := range []string{"Bearer ", "bearer ", "Basic ", ""} {
			r := &http.Request{Header: http.Header{"Authorization": {scheme + secret}}}
			team, ok := tokens.team(r)
			if want := i < 3 && strings.EqualFold(scheme, "bearer "); ok != want || ok && team != fmt.Sprint("team ", i) {
				t.Errorf("%s%s: %s, %v", scheme, secret, team, ok)
			}
		}
	}
	two := &http.Request{Header: http.Header{"Authorization": {"Bearer " + secrets[0], "Bearer " + secrets[1]}}}
	if team, ok := tokens.team(two); ok {
		t.Errorf("two tokens are %s", team)
	}
	hash := strings.Repeat("ab", 32)
	padded, err := ReadTokens(strings.NewReader("\n a b  " + hash + "\r\n\n"))
	if err != nil || padded.list[0].team != "a b" {
		t.Errorf("%+v, %v", padded, err)
	}
	for text, want := range map[string]string{
		"":                                    "got no line, want NAME SHA256-HEX",
		"a " + hash[2:]:                       "line 1: got no SHA-256 at its end",
		"a " + hash + "\n" + hash:             `line 2: team: got ""`,
		"a " + hash + "\nb " + hash:           "line 2: got the token of an earlier line",
		"a\x1b[1m " + hash:                    "line 1: team: got",
		strings.Repeat("a", 101) + " " + hash: "line 1: team: got 101 characters",
		"a\t" + hash:                          "line 1: got no SHA-256 at its end",
	} {
		input := (*holdout.InputError)(nil)
		if _, err := ReadTokens(strings.NewReader(text)); !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	for _, team := range []string{"", " a", "a\n"} {
		if _, _, err := NewToken(team); err == nil {
			t.Errorf("%q is the name of a team", team)
		}
	}
	if strings.Contains(fmt.Sprintf("%+v %s", tokens, tokens), secrets[0]) {
		t.Error("the tokens are in memory")
	}
}

// Who submits chooses neither the metric nor the bar: a column of ones would lead the board, and a look at a bar that
// everything passes would spend the passes of all.
func TestWhoSubmitsChoosesNothing(t *testing.T) {
	labels, predictions := holdoutOf(t, 1)
	ones := "id,win\n"
	for i := range rowCount {
		ones += fmt.Sprintf("r%d,1\n", i)
	}
	gate := holdout.Terms{Goal: transfer.Goal{Queries: 3, Tau: 0.2,
		Shown: transfer.Shown{Feedback: transfer.Gate, Passes: 1}}}
	dir := create(t, labels, gate)
	if _, err := New(dir, labels, Options{}); err == nil || !strings.Contains(err.Error(), "bars: got none") {
		t.Errorf("got %v, want bars", err)
	}
	s := run(t, dir, labels, Options{Bars: []float64{0.7}})
	for path, want := range map[string]string{
		"/looks?bar=0":                         "bar: got 0, want one of 0.7",
		"/looks?bar=0.7&metric=column:win":     "metric: got column:win, want accuracy",
		"/looks?metric=accuracy&bar=0.6999999": "bar: got 0.6999999, want one of 0.7",
	} {
		if text := s.ask(t, 400, asks{method: "POST", path: path, kind: "text/csv", body: ones}); !strings.Contains(text, want) {
			t.Errorf("%s: got %s, want %s", path, text, want)
		}
	}
	if got := s.look(t, 200, looks(predictions(100), "")); got.Verdict == nil || *got.Verdict != holdout.Fail {
		t.Errorf("the only bar may be left out: %+v", got)
	}
	for name, c := range map[string]struct {
		change func(*holdout.Terms)
		bars   []float64
		want   string
	}{
		"declared":  {func(p *holdout.Terms) { p.Bars = []float64{0.7} }, nil, ""},
		"known":     {func(p *holdout.Terms) { p.Goal.Bar = transfer.Some(0.7) }, nil, ""},
		"twice":     {func(p *holdout.Terms) { p.Bars = []float64{0.7} }, []float64{0.6}, "bars: got 1, want none"},
		"no gate":   {func(p *holdout.Terms) { *p = answers(3) }, []float64{0.6}, "bars: got 1, want none"},
		"a column":  {func(p *holdout.Terms) { *p = answers(3); p.Metrics = []string{"column:win"} }, nil, "want one that the ledger computes"},
		"a further": {func(p *holdout.Terms) { *p = answers(3); p.Metrics = []string{"column:win", holdout.Accuracy} }, nil, ""},
	} {
		terms := gate
		c.change(&terms)
		_, err := New(create(t, labels, terms), labels, Options{Bars: c.bars})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

// A token is in no line of the log, wherever in its request a client has put it.
func TestNoTokenIsLogged(t *testing.T) {
	labels, predictions := holdoutOf(t, 1)
	tokens, secrets := teams(t, 1)
	var log strings.Builder
	s := run(t, create(t, labels, answers(2)), labels, Options{Tokens: tokens, Log: func(e Event) {
		text, err := json.Marshal(e)
		if err != nil {
			t.Error(err)
		}
		log.Write(text)
	}})
	token := secrets[0]
	named := looks(predictions(200), "?token="+token)
	for _, a := range []asks{
		named, {method: "GET", path: "/" + token}, {method: "GET", path: "/looks/" + token}, {method: "GET", path: "/board;" + token},
		{method: token, path: "/looks"}, {method: token, path: "/"}, {method: "GET", path: "/%64pcalc" + token[6:]},
		{method: "GET", path: "/status", headers: map[string]string{"Authorization": token}},
		{method: "GET", path: "/board?format=" + token, token: token},
	} {
		if code, _, _, err := sends(s.address, a); err != nil || code == 200 {
			t.Errorf("%s %s: got %d, %v", a.method, a.path, code, err)
		}
	}
	named.token, named.path = token, "/looks"
	s.ask(t, 200, named)
	s.stop()
	if text := log.String(); strings.Contains(text, token[7:]) || strings.Count(text, `"path":"other"`) != 6 || !strings.Contains(text, `"path":"/looks"`) {
		t.Errorf("got the log %s", text)
	}
}

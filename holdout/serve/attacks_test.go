package serve

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/transfer"
)

var update = flag.Bool("update", false, "write the table of attacks to its page")

// attack is something that was tried, and what came back.
type attack struct {
	tried, answer string
	code          int // that is wanted
	says          string
	asks          asks
}

// page is where the table stands.
const page = "../../docs/check/server.md"

// What was tried against a server, and what came back, is as the page has it. Nothing is spent but the looks that were
// answered, and no file is made.
func TestAttacks(t *testing.T) {
	t.Run("fixed", func(t *testing.T) { compare(t, attacked(t, answers(20))) })
	t.Run("open", func(t *testing.T) {
		attacked(t, holdout.Terms{Unlimited: holdout.Unlimited{Open: true, Ask: []string{"score:step=0.2"}}})
	})
}

// attacked tries everything against a server of one kind of look, and returns the table.
func attacked(t *testing.T, terms holdout.Terms) string {
	labels, predictions := holdoutOf(t, 1)
	dir := create(t, labels, terms)
	tokens, secrets := teams(t, 3)
	s := run(t, dir, labels, Options{Tokens: tokens, MaxBody: 1 << 20})
	hasty := run(t, dir, labels, Options{Tokens: tokens, Timeout: 300 * time.Millisecond})
	right, wrong := secrets[0], secrets[0][:len(secrets[0])-1]
	named := func(name string) asks {
		a := looks(predictions(300), "?name="+url.QueryEscape(name))
		a.token = right
		return a
	}
	board := func(form string) asks { return asks{method: "GET", path: "/board?format=" + form, token: right} }
	with := func(a asks, change func(*asks)) asks {
		change(&a)
		return a
	}
	header := func(name, value string) asks {
		return with(named("x"), func(a *asks) { a.headers = map[string]string{name: value} })
	}
	list := []attack{
		{tried: "no token", code: 401, says: "got no token",
			asks: with(named("x"), func(a *asks) { a.token = "" })},
		{tried: "a token that lacks its last letter", code: 401, says: "got no token",
			asks: with(named("x"), func(a *asks) { a.token = wrong })},
		{tried: "the hash of a token in place of it", code: 401, says: "got no token",
			asks: with(named("x"), func(a *asks) { a.token = fmt.Sprintf("%x", tokens.list[0].sum) })},
		{tried: "a token in the address", code: 401, says: "got no token",
			asks: asks{method: "GET", path: "/status?token=" + right}},
		{tried: "the board without a token, where it is not public", code: 401, says: "got no token",
			asks: asks{method: "GET", path: "/board"}},
		{tried: "another Host, as by a name that was bound anew", code: 421, says: "got the host evil.example",
			asks: with(named("x"), func(a *asks) { a.host = "evil.example" })},
		{tried: "the port of another server in Host", code: 421, says: "got the host",
			asks: with(named("x"), func(a *asks) { a.host = "127.0.0.1:1" })},
		{tried: "a second port in Host", code: 421, says: "got the host 127.0.0.1:", answer: "as any other host",
			asks: with(named("x"), func(a *asks) { a.host = s.address + ":80" })},
		{tried: "`OPTIONS /board` for another Host", code: 421, says: "got the host evil.example",
			asks: asks{method: "OPTIONS", path: "/board", token: right, host: "evil.example"}},
		{tried: "the page of another site, by Origin", code: 403, says: "got a request from the page of another site",
			asks: header("Origin", "https://evil.example")},
		{tried: "the page of another site, by Sec-Fetch-Site", code: 403,
			says: "got a request from the page of another site", asks: header("Sec-Fetch-Site", "cross-site")},
		{tried: "a form of a page", code: 400, says: "got the Content-Type application/x-www-form-urlencoded",
			asks: with(named("x"), func(a *asks) { a.kind = "application/x-www-form-urlencoded" })},
		{tried: "a compressed body", code: 400, says: "got the encoding gzip", asks: header("Content-Encoding", "gzip")},
		{tried: "`DELETE /board`", code: 405, says: "got DELETE, want GET",
			asks: asks{method: "DELETE", path: "/board", token: right}},
		{tried: "`/looks.jsonl`", code: 404, says: "want /looks, /price, /status or /board",
			asks: asks{method: "GET", path: "/looks.jsonl", token: right}},
		{tried: "`/board/../plan.json`", code: 404, says: "want /looks, /price, /status or /board",
			asks: asks{method: "GET", path: "/board/../plan.json", token: right}},
		{tried: "`/%2e%2e/plan.json`", code: 404, says: "want /looks, /price, /status or /board",
			asks: asks{method: "GET", path: "/%2e%2e/plan.json", token: right}},
		{tried: "a parameter that there is not", code: 400, says: "got the parameter noise",
			asks: with(named("x"), func(a *asks) { a.path = "/looks?noise=0" })},
		{tried: "a metric that is a path", code: 400, says: "want accuracy: over HTTP",
			asks: with(named("x"), func(a *asks) { a.path = "/looks?metric=../labels.csv" })},
		{tried: "a name with an end of line", code: 400, says: "name: got", asks: named("a\nb")},
		{tried: "a name that turns the direction of writing", code: 400, says: "name: got", asks: named("a\u202eb")},
		{tried: "a name that is no UTF-8", code: 400, says: "name: got", asks: named("a\xff")},
		{tried: "a name of 101 letters", code: 400, says: "name: got 101 characters", asks: named(strings.Repeat("n", 101))},
		{tried: "predictions without a row, to be told the ids", code: 400, says: "(r0, r1, r2, r3, r4, ...)",
			asks: with(named("x"), func(a *asks) { a.body = "id,prediction\n" })},
		{tried: "a prediction that is no label, to be told the labels", code: 400, says: "got 399 missing ids (r1, ",
			asks: with(named("x"), func(a *asks) { a.body = "id,prediction\nr0,?\n" })},
		{tried: "a column of ones as a metric, to lead the board", code: 400, says: "want accuracy: over HTTP",
			asks: with(named("x"), func(a *asks) {
				a.path, a.body = "/looks?metric=column:win", "id,win\n"+strings.Repeat("r0,1\n", rowCount)
			})},
		{tried: "the form of the board with another team's name and no token", code: 401, says: "does not know this token",
			answer: "the page, which says so", asks: board("").form("name", "x", "predictions", predictions(300))},
		{tried: "the form sent by the page of another site", code: 403, says: "got a request from the page of another site",
			asks: with(board("").form("token", right, "predictions", predictions(300)), func(a *asks) {
				a.headers = map[string]string{"Sec-Fetch-Site": "cross-site"}
			})},
		{tried: "a form with a field of 1 MB", code: 401, says: "does not know this token", answer: "the page, which says so",
			asks: board("").form("token", strings.Repeat("x", 1<<20))},
		{tried: "a path as a name", code: 200, says: `"name":"../../etc/passwd"`, asks: named("../../etc/passwd"),
			answer: "a name like any other"},
		{tried: "a formula as a name", code: 200, says: `"look":2`, answer: "a name like any other",
			asks: with(named("=HYPERLINK(\"http://evil.example\")"), func(a *asks) { a.body = predictions(200) })},
		{tried: "the board in csv after it", code: 200, says: `'=HYPERLINK`, asks: board("csv"),
			answer: "the name behind an apostrophe: no formula"},
		{tried: "a script as a name", code: 200, says: `"look":3`, answer: "a name like any other",
			asks: with(named("<script>alert(1)</script>"), func(a *asks) { a.body = predictions(100) })},
		{tried: "the board's page after it", code: 200, says: "&lt;script&gt;alert(1)&lt;/script&gt;", asks: board("html"),
			answer: "the name as a text, on a page whose policy allows its own script alone"},
	}
	var table strings.Builder
	table.WriteString("| tried | came back |\n| --- | --- |\n")
	write := func(tried, came string) { fmt.Fprintf(&table, "| %s | %s |\n", tried, came) }
	for _, a := range list {
		code, text, h, err := sends(s.address, a.asks)
		if err != nil || code != a.code || !strings.Contains(text, a.says) {
			t.Errorf("%s: got %d, %v, %s, want %d, %s", a.tried, code, err, text, a.code, a.says)
		}
		if strings.Contains(strings.Replace(text, "<script type=\"module\">"+script, "", 1), "<script") && h.Get("Content-Type") != kindJSON {
			t.Errorf("%s: %s", a.tried, text)
		}
		if policy := h.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") ||
			strings.Contains(policy, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", a.tried, h)
		}
		write(a.tried, came(code, a.answer, text))
	}
	for _, a := range []struct {
		tried string
		site  site
		tries func(*testing.T, site, string) string
	}{
		{"a body that says it has 1 GB", s, declared},
		{"a body without a length and without an end", s, endless},
		{"a row of 2 MB in them", s, longRow},
		{"a row of nothing but separators", s, commas},
		{"a header of 1 MB", s, header1MB},
		{"a client that sends half of its header", hasty, halfHeader},
		{"a client that sends half of its predictions", hasty, halfBody},
		{"10,000 requests at once from one token", s, flood},
	} {
		write(a.tried, a.tries(t, a.site, right))
	}
	other := named("x")
	other.token = secrets[1]
	s.ask(t, 200, other)
	write("another team, right after these", "200, at once")
	if list, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	if v, err := holdout.Verify(dir, ""); err != nil || v.Looks != 3 {
		t.Errorf("%+v, %v", v, err)
	}
	return table.String()
}

// came is what came back, in a cell of the table.
func came(code int, answer, text string) string {
	if answer != "" {
		return fmt.Sprintf("%d, %s", code, answer)
	}
	return fmt.Sprintf("%d `%s`", code, strings.TrimSpace(text))
}

// compare compares the table with its page, or writes it.
func compare(t *testing.T, table string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- table: attacks -->\n", "<!-- end -->"
	before, rest, ok := strings.Cut(string(text), begin)
	got, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatalf("%s has no table of attacks", page)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+table+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if got != table {
		t.Errorf("%s has another table; want (-update)\n%s", page, table)
	}
}

// dial connects and sends the beginning of a look.
func dial(t *testing.T, s site, token, rest string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := fmt.Fprintf(c, "POST /looks HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: text/csv\r\n%s", s.address, token, rest); err != nil {
		t.Fatal(err)
	}
	return c
}

// answered reads the answer on a connection.
func answered(t *testing.T, c net.Conn, want int) string {
	t.Helper()
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != want {
		t.Errorf("got %d, %v, %s, want %d", r.StatusCode, err, text, want)
	}
	return came(r.StatusCode, "", string(text))
}

func declared(t *testing.T, s site, token string) string {
	c := dial(t, s, token, "Content-Length: 1073741824\r\n\r\n")
	return strings.Replace(answered(t, c, 413), "1048576", "67108864", 1) + ", before any of it is read"
}

func endless(t *testing.T, s site, token string) string {
	c := dial(t, s, token, "Transfer-Encoding: chunked\r\n\r\nf\r\nid,prediction\r\n\r\n")
	var sent atomic.Int64
	go func() {
		chunk := "5000\r\n" + strings.Repeat("r0,a\n", 1<<12) + "\r\n"
		for {
			n, err := io.WriteString(c, chunk)
			if sent.Add(int64(n)); err != nil {
				return
			}
		}
	}()
	text := answered(t, c, 413)
	c.Close()
	if n := sent.Load(); n > 64<<20 {
		t.Errorf("it took %d bytes", n)
	}
	return strings.Replace(text, "1048576", "67108864", 1)
}

// longRow sends a row for which half of the most that is read would do.
func longRow(t *testing.T, s site, token string) string {
	return refused(t, s, token, "id,prediction\nr0,\""+strings.Repeat("a", 2<<20)+"\"\n", "got more than 1048576 bytes")
}

func commas(t *testing.T, s site, token string) string {
	return refused(t, s, token, "id,prediction"+strings.Repeat(",", 1<<19)+"\n", "got more than 200000 cells")
}

// refused sends predictions that are refused.
func refused(t *testing.T, s site, token, body, says string) string {
	limit := s.MaxBody
	s.MaxBody = DefaultMaxBody
	defer func() { s.MaxBody = limit }()
	a := looks(body, "")
	a.token = token
	text := s.ask(t, 400, a)
	if !strings.Contains(text, says) {
		t.Errorf("got %s", text)
	}
	return came(400, "", text)
}

func header1MB(t *testing.T, s site, token string) string {
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	go func() {
		_, _ = fmt.Fprintf(c, "GET /board HTTP/1.1\r\nHost: %s\r\nX: %s\r\n\r\n", s.address, strings.Repeat("x", 1<<20))
	}()
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "HTTP/1.1 431") {
		t.Errorf("got %s, %v", line, err)
	}
	return "431, and the connection is closed"
}

func halfHeader(t *testing.T, s site, token string) string {
	c := dial(t, s, token, "X: ")
	if text, err := io.ReadAll(c); len(text) > 0 && !strings.HasPrefix(string(text), "HTTP/1.1 4") || isTimeout(err) {
		t.Errorf("got %s, %v", text, err)
	}
	return "the connection is closed after 10 seconds"
}

func halfBody(t *testing.T, s site, token string) string {
	c := dial(t, s, token, "Content-Length: 1000\r\n\r\nid,prediction\n")
	return strings.Replace(answered(t, c, 400), "300ms", "1m0s", 1)
}

func isTimeout(err error) bool {
	var net net.Error
	return errors.As(err, &net) && net.Timeout()
}

// flood sends requests on one connection, as fast as they are taken.
func flood(t *testing.T, s site, token string) string {
	const count = 10_000
	now := time.Now()
	s.limits.mu.Lock()
	s.limits.buckets = make(map[string]*bucket)
	s.limits.now = func() time.Time { return now }
	s.limits.mu.Unlock()
	defer func() {
		s.limits.mu.Lock()
		s.limits.now = time.Now
		s.limits.mu.Unlock()
	}()
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	go func() {
		one := fmt.Sprintf("GET /status HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", s.address, token)
		_, _ = io.WriteString(c, strings.Repeat(one, count))
	}()
	in := bufio.NewReader(c)
	codes := make(map[int]int)
	for range count {
		r, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(codes, err)
		}
		_, _ = io.Copy(io.Discard, r.Body)
		codes[r.StatusCode]++
	}
	if codes[200] != burstSeconds*DefaultRate || codes[200]+codes[429] != count {
		t.Errorf("%v", codes)
	}
	return fmt.Sprintf("%d times 200, %d times 429", codes[200], codes[429])
}

var (
	chains = regexp.MustCompile(`("chain":"|<code>|,)[0-9a-f]{64}`)
	times  = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:]+Z`)
	paces  = regexp.MustCompile(`"(looks_per_day|days_left)":[^,]+|,,[^,\n]*,[^,\n]*,(?:gate|open,)`)
)

// Three holdouts have the same rows, and other labels in another order, in the third of them other classes. Where the
// plan's responses are the same, all that is answered is the same, headers included, but for the chain and the time.
// Nothing of plan.json leaves that is not meant to.
func TestNothingOfTheLabelsLeaves(t *testing.T) {
	t.Run("fixed", func(t *testing.T) {
		leaves(t, holdout.Terms{Goal: transfer.Goal{Queries: 12, Tau: 0.2,
			Shown: transfer.Shown{Feedback: transfer.Gate, Passes: 2}}}, Options{Bars: []float64{0.5, 0.7, 0.8}})
	})
	t.Run("open", func(t *testing.T) {
		leaves(t, holdout.Terms{Unlimited: holdout.Unlimited{Open: true, Ask: []string{"pass:bar=0.7,bar=0.8"}}}, Options{})
	})
}

func leaves(t *testing.T, terms holdout.Terms, options Options) {
	var worlds []string
	requests := []asks{
		looks(random(1), "?bar=0.7"), looks(random(2), "?bar=0.8&name=two"), looks(random(1), "?bar=0.7"),
		looks(random(3), ""), looks(random(3), "?bar=2"), looks("id,prediction\n", "?bar=0.5"),
		looks("id,prediction\nr7,x\n", "?bar=0.5"), looks("id,prediction\nr7,a\nr7,a\nr399,b\n", "?bar=0.5"),
		looks(strings.ReplaceAll(random(5), ",a", ",I don't know"), "?bar=0.7"),
		looks(strings.ReplaceAll(random(6), ",a", ","), "?bar=0.7"),
		looks(random(4), "?bar=0.7&metric=column:prediction"), looks("", "?bar=0.5"),
		{method: "GET", path: "/status"}, {method: "GET", path: "/status?format=csv"}, {method: "GET", path: "/board"},
		{method: "GET", path: "/board?format=csv"}, {method: "GET", path: "/board?format=json"},
		asks{}.form("ask", "bar=0.7", "predictions", random(1)), asks{}.form("ask", "bar=0.8", "predictions", random(8)),
		asks{}.form("ask", "bar=0.5", "predictions", "id,prediction\nr7,x\n"), asks{}.form(),
		{method: "GET", path: "/board?format=xml"}, {method: "GET", path: "/"}, {method: "GET", path: "/price?show=score"},
		{method: "GET", path: "/price?bar=0.8"}, {method: "GET", path: "/board?queries=3&passes=1"},
		{method: "POST", path: "/mcp", body: random(7)}, {method: "POST", path: "/mcp", body: random(1)},
		{method: "POST", path: "/mcp", body: "id,prediction\nr7,x\n"}, {method: "GET", path: "/mcp"},
	}
	for _, to := range routes {
		if !slices.ContainsFunc(requests, func(a asks) bool {
			path, _, _ := strings.Cut(a.path, "?")
			return path == to.path && a.method == to.method
		}) {
			t.Errorf("%s %s is not asked: give it a case", to.method, to.path)
		}
	}
	for seed := range uint64(3) {
		labels, _ := shuffled(t, seed)
		terms.Labels = "/secret/labels.csv"
		dir := create(t, labels, terms)
		var s site
		options.Agents = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			code, text := s.Ask(r.Context(), TeamOf(r.Context()), Asked{
				Path: "/looks", Query: url.Values{"bar": {"0.7"}}, Predictions: r.Body, Kind: kindCSV})
			w.Header().Set("Content-Type", kindJSON)
			w.WriteHeader(code)
			fmt.Fprint(w, text)
		})
		s = run(t, dir, labels, options)
		var all strings.Builder
		for _, a := range requests {
			code, text, h, err := sends(s.address, a)
			if err != nil {
				t.Fatal(err)
			}
			h.Del("Date")
			if strings.HasPrefix(a.path, "/status") {
				h.Del("Content-Length") // the paces differ
			}
			fmt.Fprintln(&all, code, h, text)
		}
		got := all.String()
		status, err := holdout.ReadStatus(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"/secret", status.Plan.Salt, status.Plan.Labels.Fingerprint, dir} {
			if strings.Contains(got, secret) {
				t.Errorf("%s leaves", secret)
			}
		}
		got = paces.ReplaceAllString(times.ReplaceAllString(chains.ReplaceAllString(got, "${1}CHAIN"), "TIME"), "PACE")
		worlds = append(worlds, got)
	}
	for _, other := range worlds[1:] {
		if worlds[0] != other || strings.Count(worlds[0], `"verdict":"fail"`) < 4 {
			t.Errorf("%s\nis not\n%s", worlds[0], other)
		}
	}
}

// shuffled are labels in an order of their own, the second seed's sorted by their class, and the third seed's of other
// classes.
func shuffled(t *testing.T, seed uint64) (*holdout.Labels, []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	var ids, classes []string
	for _, i := range r.Perm(rowCount) {
		ids, classes = append(ids, fmt.Sprint("r", i)), append(classes, []string{"a", "b"}[r.IntN(2)])
	}
	if seed == 1 {
		slices.Sort(classes)
		slices.Reverse(classes)
	}
	if seed == 2 {
		for i := range classes {
			classes[i] = []string{"0", "12.5", "a", "a long text"}[i%4]
		}
	}
	labels, err := holdout.NewLabels(holdout.Columns(ids, classes))
	if err != nil {
		t.Fatal(err)
	}
	return labels, classes
}

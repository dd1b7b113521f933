package holdout

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// teller is a standard error that tells where the server answers.
type teller struct {
	mu   sync.Mutex
	text bytes.Buffer
	at   chan string
}

func (w *teller) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, at, ok := strings.Cut(string(b), "serving "); ok {
		w.at <- strings.TrimSpace(at)
	}
	return w.text.Write(b)
}

// serving runs a command line until it is stopped.
func serving(t *testing.T, line string) (address string, stop func() (code int, stdout, stderr string)) {
	t.Helper()
	var out bytes.Buffer
	errs := &teller{at: make(chan string, 1)}
	s := &outfile.Session{Context: context.Background(), Stdin: strings.NewReader(""), Stdout: &out, Stderr: errs}
	ended := make(chan int, 1)
	go func() { ended <- commandtest.RunIn(s, append([]string{"dpcalc"}, strings.Fields(line)...)) }()
	stop = func() (int, string, string) {
		if !s.Stop() {
			t.Error("nothing is served")
		}
		return <-ended, out.String(), errs.text.String()
	}
	select {
	case address = <-errs.at:
	case code := <-ended:
		t.Fatalf("exit %d: %s", code, errs.text.String())
	case <-time.After(20 * time.Second):
		t.Fatal("nothing is served")
	}
	return address, stop
}

// newToken makes a token, and appends its line to a file.
func newToken(t *testing.T, team, file string) string {
	t.Helper()
	code, stdout, stderr := commandtest.Dpcalc("holdout", "token", team, "-f", "json")
	var got struct {
		Rows []struct{ Team, Token, Line string }
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != 0 || got.Rows[0].Team != team {
		t.Fatal(code, err, stdout, stderr)
	}
	old, _ := os.ReadFile(file)
	write(t, file, string(old)+got.Rows[0].Line+"\n")
	return got.Rows[0].Token
}

// post sends predictions.
func post(t *testing.T, address, token, file string) (code int, body string) {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPost, address, in)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "text/tab-separated-values")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// A ledger is served, asked by two teams and from the command line, and stopped. The row is the command's, the log has
// a line for each request, and neither has a token.
func TestServe(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000, 600, 700, 800)
	runs(t, 0, "holdout init ledger --labels labels.csv -m 4 -t 0.2 -b 0.05 --query binary --feedback best")
	one, two := newToken(t, "team one", "tokens.txt"), newToken(t, "zwei", "tokens.txt")
	address, stop := serving(t, "holdout serve ledger --addr 127.0.0.1:0 --tokens tokens.txt --log log.jsonl --rate 50")
	if !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatal(address)
	}
	code, first := post(t, address+"/looks?name=first", one, "p600.tsv")
	if code != 200 || !strings.Contains(first, `"look":1,"name":"first"`) {
		t.Fatal(code, first)
	}
	if code, text := post(t, address+"/looks", "dpcalc_", "p700.tsv"); code != 401 {
		t.Error(code, text)
	}
	if code, text := post(t, address+"/looks", two, "p700.tsv"); code != 200 || !strings.Contains(text, `"look":2`) {
		t.Error(code, text)
	}
	row(t, 0, "holdout score ledger p800.tsv")
	again := row(t, 0, "holdout score ledger p600.tsv")
	if again["name"] != "first" || again["repeated"] != true {
		t.Errorf("%v", again)
	}
	code, text := post(t, address+"/looks", one, "p600.tsv")
	if code != 200 || !strings.Contains(text, fmt.Sprintf(`"chain":"%s","repeated":true`, again["chain"])) {
		t.Error(code, text, again)
	}
	code, stdout, stderr := stop()
	if code != 0 || !strings.Contains(stdout, "looks taken") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	log, err := os.ReadFile("log.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var events []string
	for line := range strings.Lines(string(log)) {
		var e struct {
			Time, Team, Path string
			Status, Look     int
			Remaining        int `json:"remaining_looks"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		events = append(events, fmt.Sprint(e.Team, e.Path, e.Status, " ", e.Look, e.Remaining))
	}
	if got, want := strings.Join(events, ", "),
		"team one/looks200 1 3, /looks401 0 0, zwei/looks200 2 2, team one/looks200 1 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, secret := range []string{one, two} {
		if strings.Contains(string(log)+stdout+stderr, secret) {
			t.Error("a token is in the log")
		}
	}
	list, _ := runs(t, 0, "holdout log ledger -f csv")
	if !strings.Contains(list, ",team one,\n") || !strings.Contains(list, ",zwei,\n") {
		t.Error(list)
	}
	runs(t, 0, "holdout verify ledger")
}

// Without a log, what goes wrong at a request is a line of standard error: the client is told nothing of it.
func TestErrorsWithoutLog(t *testing.T) {
	for _, log := range []string{"", " --log log.jsonl"} {
		t.Chdir(t.TempDir())
		rows(t, 1000, 600)
		runs(t, 0, "holdout init ledger --labels labels.csv -m 4 -t 0.2 -b 0.05 --query binary")
		address, stop := serving(t, "holdout serve ledger --addr 127.0.0.1:0"+log)
		write(t, "ledger/looks.jsonl", "edited\n")
		if code, text := post(t, address+"/looks", "", "p600.tsv"); code != 500 || !strings.Contains(text, "log says why") {
			t.Error(code, text)
		}
		write(t, "ledger/looks.jsonl", "")
		_, _, stderr := stop()
		_, said, _ := strings.Cut(stderr, "\n")
		const want = "dpcalc: holdout: this machine: POST /looks: looks.jsonl "
		if log == "" && (strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, want)) || log != "" && said != "" {
			t.Errorf("%q: stderr has %q, want %q", log, said, want)
		}
	}
}

// What cannot be served is one line before anything is, with the exit code of its kind.
func TestNotServed(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000)
	runs(t, 0, "holdout init ledger --labels labels.csv -m 3 -t 0.2 -b 0.05")
	runs(t, 0, "holdout init final --labels labels.csv -m 3 -t 0.2 -b 0.05 --feedback final")
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	write(t, "tokens.txt", "a 123\n")
	write(t, "none.txt", "\n")
	write(t, "other.csv", "id,label\n1,cat\n")
	for _, c := range []struct {
		code int
		line string
		want string
	}{
		{usage.ExitUsage, "token", "holdout token: got no NAME, want dpcalc holdout token NAME..."},
		{usage.ExitUsage, "token a a", "holdout token: got the team a twice, want each once"},
		{usage.ExitUsage, "token a --append tokens.txt", "--append: tokens.txt: line 1: got no SHA-256 at its end"},
		{usage.ExitFailure, "token a --append nothing/tokens.txt", "--append: open nothing/tokens.txt"},
		{usage.ExitUsage, "token --names none.txt", "--names: none.txt: got no name, want one on each line"},
		{usage.ExitUsage, "token a --addr x", "holdout token: --addr belongs to holdout serve"},
		{usage.ExitUsage, "token \x1b[1m", "holdout: team: got \"\\x1b[1m\", want printable characters"},
		{usage.ExitUsage, "serve", "holdout serve: got no DIR, want dpcalc holdout serve DIR"},
		{usage.ExitFailure, "serve nothing", "got no ledger there"},
		{usage.ExitUsage, "serve ledger --addr 8090", "--addr: got 8090, want HOST:PORT, such as 127.0.0.1:8090"},
		{usage.ExitUsage, "serve ledger --addr 127.0.0.1:99999", "--addr: got 127.0.0.1:99999, want HOST:PORT"},
		{usage.ExitUsage, "serve ledger --addr :8090", "--addr: got :8090, want HOST:PORT"},
		{usage.ExitUsage, "serve ledger --addr 0.0.0.0:0", "without --tokens, want --tokens FILE or a loopback address"},
		{usage.ExitFailure, "serve ledger --addr " + busy.Addr().String(), "address already in use"},
		{usage.ExitFailure, "serve ledger --tokens nothing.txt", "--tokens: open nothing.txt"},
		{usage.ExitFailure, "serve ledger --tokens ledger", "--tokens: ledger: is a directory"},
		{usage.ExitUsage, "serve ledger --tokens tokens.txt", "--tokens: tokens.txt: line 1: got no SHA-256 at its end"},
		{usage.ExitUsage, "serve ledger --tokens none.txt", "--tokens: none.txt: got no line, want NAME SHA256-HEX"},
		{usage.ExitUsage, "serve ledger --rate 0", "--rate: got 0, want a positive number"},
		{usage.ExitFailure, "serve ledger --log nothing/log", "--log: open nothing/log"},
		{usage.ExitUsage, "serve final", "got a plan for finalists"},
		{usage.ExitFailure, "serve ledger --labels other.csv", "the labels are not those that the ledger was made for"},
		{usage.ExitUsage, "serve ledger --incumbent labels.csv", "--incumbent: got one, want none"},
		{usage.ExitUsage, "serve ledger --incumbent -", "--incumbent: got -, want a file"},
	} {
		stdout, stderr := runs(t, c.code, "holdout "+c.line)
		if stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s:\n%s%swant %s", c.line, stdout, stderr, c.want)
		}
	}
}

// The line of a terminal has a name of any length.
func TestShortened(t *testing.T) {
	for team, want := range map[string]string{
		"": "this machine", "zwei": "zwei", strings.Repeat("é", 30): strings.Repeat("é", 30),
		strings.Repeat("é", 31): strings.Repeat("é", 27) + "...",
	} {
		if got := shortened(team); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// One command makes the tokens of 500 teams. Standard output has each team's token, the file its hash, and a second
// token of a team is refused before anything is written.
func TestTokensOfManyTeams(t *testing.T) {
	t.Chdir(t.TempDir())
	var names strings.Builder
	for i := range 499 {
		fmt.Fprintf(&names, "team %d\r\n", i)
	}
	write(t, "teams.txt", "\ufeff"+names.String())
	stdout, stderr := runs(t, 0, "holdout token red --names teams.txt --append tokens.txt")
	if stderr != "" {
		t.Error(stderr)
	}
	text, err := os.ReadFile("tokens.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if len(lines) != 500 || strings.Count(string(text), "\n") != 500 {
		t.Fatalf("got %d tokens and the file %s", len(lines), text)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		team, secret, _ := strings.Cut(lines[i], "\t")
		if want := fmt.Sprintf("%s %x", team, sha256.Sum256([]byte(secret))); line != want {
			t.Fatalf("got the line %s, want %s", line, want)
		}
	}
	runs(t, usage.ExitUsage, "holdout token blue red --append tokens.txt")
	if after, err := os.ReadFile("tokens.txt"); err != nil || string(after) != string(text) {
		t.Error("a refused command has written", err)
	}
	runs(t, 0, "holdout token blue --append tokens.txt")
	if stdout, stderr := runs(t, 0, "holdout token green"); !strings.HasPrefix(stdout, "green\tdpcalc_") || !strings.HasPrefix(stderr, "green ") {
		t.Errorf("got %s and %s", stdout, stderr)
	}
}

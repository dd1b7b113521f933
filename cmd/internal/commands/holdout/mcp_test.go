package holdout

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An agent is a client of the protocol's library, and every byte that it was sent.
type agent struct {
	t       *testing.T
	session *mcp.ClientSession
	got     *bytes.Buffer
	stop    func() (code int, stderr string)
}

// connected is an agent on a transport.
func connected(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// piped runs a command line with an agent on its standard input and output.
func piped(t *testing.T, line string) *agent {
	t.Helper()
	in, toIn := io.Pipe()
	fromOut, out := io.Pipe()
	a := &agent{t: t, got: new(bytes.Buffer)}
	var stderr bytes.Buffer
	s := &outfile.Session{Context: context.Background(), Stdin: in, Stdout: out, Stderr: &stderr}
	ended := make(chan int, 1)
	go func() {
		code := commandtest.RunIn(s, append([]string{"dpcalc"}, strings.Fields(line)...))
		out.Close()
		in.Close()
		ended <- code
	}()
	seen := io.TeeReader(fromOut, a.got)
	a.session = connected(t, &mcp.IOTransport{Reader: io.NopCloser(seen), Writer: toIn})
	a.stop = sync.OnceValues(func() (int, string) {
		toIn.Close()
		_ = a.session.Close()
		code := <-ended
		return code, stderr.String()
	})
	t.Cleanup(func() { a.stop() })
	return a
}

// bearer sends a token with every request, and keeps the answers with their headers.
type bearer struct {
	token string
	got   *bytes.Buffer
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	answer.Body.Close()
	answer.Body = io.NopCloser(bytes.NewReader(body))
	headers := answer.Header.Clone()
	if bytes.Contains(body, []byte("looks_per_day")) {
		headers.Del("Content-Length") // of a pace
	}
	fmt.Fprintf(b.got, "%d %v\n%s\n", answer.StatusCode, headers, body)
	return answer, nil
}

// overHTTP is an agent of a server.
func overHTTP(t *testing.T, address, token string) *agent {
	t.Helper()
	a := &agent{t: t, got: new(bytes.Buffer)}
	a.session = connected(t, &mcp.StreamableClientTransport{Endpoint: address + "/mcp", DisableStandaloneSSE: true,
		HTTPClient: &http.Client{Transport: bearer{token, a.got}}})
	t.Cleanup(func() { _ = a.session.Close() })
	return a
}

// calls calls a tool, and returns its text.
func (a *agent) calls(tool string, arguments map[string]any) (text string, failed bool) {
	a.t.Helper()
	r, err := a.session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	if len(r.Content) != 1 {
		a.t.Fatalf("%s %v: got %d contents", tool, arguments, len(r.Content))
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

// wants checks an answer.
func (a *agent) wants(tool string, arguments map[string]any, failed bool, says string) {
	a.t.Helper()
	if text, wrong := a.calls(tool, arguments); wrong != failed || !strings.Contains(text, says) {
		a.t.Errorf("%s %v: got %v, %s, want %v, %s", tool, arguments, wrong, text, failed, says)
	}
}

// tools are the names of the tools.
func (a *agent) tools() (names []string) {
	a.t.Helper()
	list, err := a.session.ListTools(context.Background(), nil)
	if err != nil {
		a.t.Fatal(err)
	}
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

type given = map[string]any

// secretLabel is a label that no answer may have.
const secretLabel = "quagga"

// judged makes a folder with an open ledger, and a folder of an agent whose predictions are right in every row.
func judged(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, dir := range []string{"judge", "mine", "mine/deep"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	columnText(t, "judge/labels.csv", "label", always(secretLabel))
	columnText(t, "judge/labels-as.csv", "prediction", always(secretLabel))
	columnText(t, "mine/good.csv", "prediction", always(secretLabel))
	columnText(t, "mine/bad.csv", "prediction", always("horse"))
	columnText(t, "mine/deep/bad.csv", "prediction", always("horse"))
	columnText(t, "mine/wins.csv", "win", always("1"))
	code, _, stderr := commandtest.Dpcalc(strings.Fields("holdout init judge/ledger --labels judge/labels.csv -b 0.5 --open " +
		"--ask pass:bar=0.5 --ask score:step=0.5 --most-per-team 3")...)
	if code != 0 {
		t.Fatal(stderr)
	}
}

// A client of the library asks every tool on a pipe. What was declared is answered, and nothing else is.
func TestMCP(t *testing.T) {
	judged(t)
	a := piped(t, "mcp judge/ledger --folder mine")
	if got, want := a.tools(), []string{"correct", "look", "plan", "power", "price", "status"}; !slices.Equal(got, want) {
		t.Errorf("got the tools %v, want %v", got, want)
	}
	a.wants("plan", given{"queries": 1000, "tau": 0.1, "beta": "5%", "method": []string{"gaussian", "hoeffding"}}, false, "530")
	a.wants("plan", given{"queries": 1000, "tau": 1.5, "beta": 0.05}, true, "--tau: got 1.5")
	a.wants("power", given{"queries": 1, "threshold": 0.6, "query": "binary", "effect": 0.2, "power": 0.8}, false, "gate      39")
	a.wants("correct", given{"p": 0.003, "alpha": 0.05, "by": "pure-dp", "epsilon": 0.01, "samples": "10k"}, false, "0.0145544")
	a.wants("correct", given{"p-values": []any{0.01, "0.0001"}, "alpha": 0.05, "by": "description", "outcomes": 40,
		"family": "holm"}, false, "0.0001,0.008")
	a.wants("correct", given{"p-values": []any{"a,b"}, "alpha": 0.05, "by": "description", "outcomes": 40}, true, "a,b")
	for _, file := range []string{"schedule", "check-schedule", "output", "format"} {
		a.wants("plan", given{"queries": 10, "tau": 0.1, "beta": 0.05, file: "x.csv"}, true, "got the argument "+file)
	}

	for _, file := range []string{"mine/bad.csv", "/etc/passwd", "nothing.csv"} { // an argument that may be a file elsewhere
		a.wants("plan", given{"clusters": file, "queries": 10, "beta": 0.05}, true, file+": got a file, want none: there are no files here")
	}

	a.wants("price", given{"show": "pass"}, false, `"verdict":"fail"`)
	a.wants("status", nil, false, `"looks":0`)
	a.wants("look", given{"show": "pass", "file": "bad.csv", "name": "first"}, false, `"verdict":"fail"`)
	a.wants("look", given{"show": "pass", "file": "deep/../deep/bad.csv"}, false, `"repeated":true`)
	rows := given{}
	for i := range worldRows {
		rows[fmt.Sprint("r", i)] = secretLabel
	}
	a.wants("look", given{"show": "pass", "bar": 0.5, "predictions": rows}, false, `"verdict":"pass"`)
	a.wants("look", given{"show": "pass", "file": "good.csv"}, false, `"repeated":true`)
	a.wants("status", given{"queries": 10, "passes": 2}, false, `"looks":2`)

	for _, wrong := range []struct {
		with given
		says string
	}{
		{given{"show": "pass", "bar": 0.6}, "not declared"}, {given{"show": "best"}, "not declared"},
		{given{"show": "score", "step": 0.001}, "not declared"}, {given{"show": "score", "where": "label=" + secretLabel}, "not declared"},
		{given{"show": "pass", "expect": 0.01}, "not declared"}, {given{}, "not declared"},
		{given{"show": "pass", "metric": "column:win"}, "got the argument metric"},
		{given{"show": "score", "metric": "auc"}, "got the argument metric"},
		{given{"show": "pass", "labels": "mine/good.csv"}, "got the argument labels"},
		{given{"show": "pass", "bar": []any{nil}}, "bar: got a list, an object or null"},
	} {
		wrong.with["file"] = "good.csv"
		a.wants("look", wrong.with, true, wrong.says)
		delete(wrong.with, "file")
		a.wants("price", wrong.with, true, wrong.says)
	}
	a.wants("look", given{"show": "pass"}, true, "predictions: got none")
	a.wants("look", given{"show": "pass", "file": "good.csv", "predictions": rows}, true, "predictions: got none, or both")
	a.wants("look", given{"show": "pass", "predictions": given{"r1": secretLabel}}, true, "missing ids")
	a.wants("look", given{"show": "pass", "file": "wins.csv"}, true, "prediction")
	a.wants("look", given{"show": "score", "predictions": rows}, true, "are left to the team")
	a.wants("status", nil, false, `"looks":2`)
	if code, stderr := a.stop(); code != 0 || !strings.Contains(stderr, "The labels can be read by") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if text := a.got.String(); strings.Contains(text, secretLabel) || strings.Contains(text, "judge/labels") {
		t.Errorf("an answer has a label or the name of its file: %s", text)
	}
}

// A session that is written to standard input at once, which then ends.
func said(t *testing.T, line string, messages ...string) (answers map[string]string, stderr string) {
	t.Helper()
	text := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
` + strings.Join(messages, "\n")
	code, stdout, stderr := commandtest.DpcalcReading(text, strings.Fields("dpcalc " + line)[1:]...)
	if code != 0 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	answers = make(map[string]string)
	for _, line := range strings.Split(strings.TrimSpace(stdout), "\n") {
		var got struct {
			ID            json.RawMessage
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		answers[string(got.ID)] += string(got.Result) + string(got.Error)
	}
	return answers, stderr
}

// called is a line that calls a tool.
func called(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// Every request is answered that was read before standard input ends, however long the last takes, and its look is the
// one that the log has.
func TestMCPOneShot(t *testing.T) {
	judged(t)
	rows := make(map[string]string)
	for i := range worldRows {
		rows[fmt.Sprint("r", i)] = secretLabel
	}
	object, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	asText, err := json.Marshal(string(object))
	if err != nil {
		t.Fatal(err)
	}
	answers, _ := said(t, "mcp judge/ledger", called(1, "look", `{"show":"pass","predictions":`+string(object)+`}`))
	if !strings.Contains(answers["1"], `\"verdict\":\"pass\"`) {
		t.Errorf("got %s, want the answer of a look", answers["1"])
	}
	// The same look again: an object that arrives as a text is decoded, and so are all arguments.
	whole, err := json.Marshal(`{"show": "pass", "bar": null, "predictions": ` + string(object) + `}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, arguments := range []string{`{"show":"pass","predictions":` + string(asText) + `}`, string(whole)} {
		answers, _ = said(t, "mcp judge/ledger", called(1, "look", arguments))
		if !strings.Contains(answers["1"], `\"repeated\":true`) {
			t.Errorf("%.60s: got %s", arguments, answers["1"])
		}
	}
	messages := []string{called(9, "plan", `{"queries":1000,"tau":0.1,"beta":0.05}`)}
	for id := range 5 {
		messages = append(messages, called(10+id, "plan", `{"queries":10,"tau":0.1,"beta":0.05,"method":"hoeffding"}`))
	}
	answers, _ = said(t, "mcp", messages...)
	if len(answers) != 7 {
		t.Errorf("got %d answers, want 7", len(answers))
	}
}

// Null is absent, "true" is true, and a list that arrives as a text is a list. Other texts stay what they are.
func TestMCPArguments(t *testing.T) {
	const goal = `"queries":10,"tau":0.1,"beta":0.05`
	for _, pair := range [][2]string{
		{`{` + goal + `,"full":"true"}`, `{` + goal + `,"full":true}`}, {`{` + goal + `,"full":"False"}`, `{` + goal + `,"full":false}`},
		{`{` + goal + `,"full":null,"passes":null,"method":null}`, `{` + goal + `}`},
		{`{` + goal + `,"method":"[\"gaussian\", \"hoeffding\"]"}`, `{` + goal + `,"method":["gaussian","hoeffding"]}`},
		{`"{\"queries\":10,\"tau\":0.1,\"beta\":0.05}"`, `{` + goal + `}`},
	} {
		answers, _ := said(t, "mcp", called(1, "plan", pair[0]), called(2, "plan", pair[1]))
		if answers["1"] != answers["2"] || strings.Contains(answers["1"], "isError") || answers["1"] == "" {
			t.Errorf("%s: got %s, want %s", pair[0], answers["1"], answers["2"])
		}
	}
	const family = `"alpha":0.05,"by":"description","outcomes":40,"family":"holm"`
	answers, _ := said(t, "mcp", called(1, "correct", `{"p-values":"[0.01, \"0.0001\"]",`+family+`}`),
		called(2, "correct", `{"p-values":[0.01,"0.0001"],`+family+`}`), called(3, "correct", `{"p-values":"[0.01",`+family+`}`),
		called(4, "plan", `{`+goal+`,"full":"maybe"}`))
	if answers["1"] != answers["2"] || !strings.Contains(answers["3"], "got [0.01") || !strings.Contains(answers["4"], "want true or false") {
		t.Errorf("got %s", answers)
	}
}

// A line that is no message gets an error with its id, and what comes after it is answered.
func TestMCPMalformed(t *testing.T) {
	ask := func(id int) string {
		return called(id, "plan", `{"queries":10,"tau":0.1,"beta":0.05,"method":"hoeffding"}`)
	}
	answers, stderr := said(t, "mcp", ask(1), `{"jsonrpc":"2.0","id":2,"method":`, "", ask(3), `{"jsonrpc":"1.0","id":4,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"five"}{}`, `["x"]`, `7`, ask(6)+"\r", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, "\xff", ask(7))
	for _, id := range []string{"1", "3", "6", "7"} {
		if !strings.Contains(answers[id], "hoeffding") {
			t.Errorf("%s: got %q", id, answers[id])
		}
	}
	if got := answers["null"]; strings.Count(got, `"code":-32700`) != 3 || strings.Count(got, `"code":-32600`) != 3 ||
		!strings.Contains(answers["4"], `"code":-32600`) || len(answers) != 7 || stderr != "" {
		t.Errorf("got %s, %s", answers, stderr)
	}
}

// No path leads out of the folder, and what is not opened is told apart from nothing else.
func TestMCPPaths(t *testing.T) {
	judged(t)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{
		"mine/labels.csv": "../judge/labels-as.csv", "mine/there": "../judge", "mine/root.csv": filepath.Join(here, "judge/labels-as.csv"),
	} {
		if err := os.Symlink(to, link); err != nil && runtime.GOOS != "windows" {
			t.Fatal(err)
		}
	}
	if err := os.Link("judge/labels.csv", "mine/hard.csv"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("mine/folder.csv", 0o700); err != nil {
		t.Fatal(err)
	}
	a := piped(t, "mcp judge/ledger --folder mine")
	said := ""
	for _, path := range []string{
		"../judge/labels-as.csv", "deep/../../judge/labels-as.csv", filepath.Join(here, "judge/labels-as.csv"), "labels.csv", "root.csv",
		"there/labels-as.csv", "hard.csv", "folder.csv", "missing.csv", "/dev/stdin.csv", ".csv", "bad.csv/../good.csv", "\x00.csv",
		"..\\judge\\labels-as.csv", "judge/ledger/looks.jsonl", "../judge/ledger/looks.jsonl",
	} {
		text, failed := a.calls("look", given{"show": "pass", "file": path})
		if said == "" {
			said = text
		}
		if !failed || text != said || strings.Contains(text, secretLabel) {
			t.Errorf("%q: got %v, %s, want %s", path, failed, text, said)
		}
	}
	a.wants("look", given{"show": "pass", "file": "../judge/ledger/plan.json"}, true, "another suffix")
	a.wants("status", nil, false, `"looks":0`)
	for _, folder := range []string{"judge", ".", "judge/ledger", here} {
		code, _, stderr := commandtest.Dpcalc("mcp", "judge/ledger", "--folder", folder)
		if code != 2 || !strings.Contains(stderr, "want a folder without them") {
			t.Errorf("--folder %s: exit %d, %s", folder, code, stderr)
		}
	}
}

// The same tools are answered over HTTP, for each team by its token.
func TestServeMCP(t *testing.T) {
	judged(t)
	token := newToken(t, "one", "tokens.txt")
	address, stop := serving(t, "holdout serve judge/ledger --tokens tokens.txt --mcp --addr 127.0.0.1:0 -f json")
	a := overHTTP(t, address, token)
	if got, want := a.tools(), []string{"correct", "look", "plan", "power", "price", "status"}; !slices.Equal(got, want) {
		t.Errorf("got the tools %v, want %v", got, want)
	}
	rows := given{}
	for i := range worldRows {
		rows[fmt.Sprint("r", i)] = "horse"
	}
	a.wants("look", given{"show": "pass", "predictions": rows, "name": "mine"}, false, `"verdict":"fail"`)
	a.wants("look", given{"show": "pass", "predictions": rows, "bar": 0.6}, true, "not declared")
	a.wants("look", given{"show": "pass", "file": "mine/good.csv"}, true, "got the argument file")
	a.wants("price", given{"show": "score"}, false, `"price"`)
	a.wants("plan", given{"queries": 1000, "tau": 0.1, "beta": 0.05, "method": "hoeffding"}, false, "530")
	for _, wrong := range []struct {
		method, path, token string
		code                int
	}{
		{"POST", "/mcp", "", 401}, {"POST", "/mcp", token + "x", 401}, {"GET", "/mcp", token, 405}, {"POST", "/mcp/x", token, 404},
	} {
		r, err := http.NewRequest(wrong.method, address+wrong.path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+wrong.token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != wrong.code {
			t.Errorf("%s %s: got %d, want %d", wrong.method, wrong.path, answer.StatusCode, wrong.code)
		}
	}
	if code, stdout, stderr := stop(); code != 0 || !strings.Contains(stdout, `"looks":1`) {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	_, log, _ := commandtest.Dpcalc("holdout", "log", "judge/ledger", "-f", "json")
	if !strings.Contains(log, `"team":"one"`) {
		t.Error(log)
	}
	address, stop = serving(t, "holdout serve judge/ledger --tokens tokens.txt --addr 127.0.0.1:0 -f json")
	r, err := (&http.Client{Transport: bearer{token, new(bytes.Buffer)}}).Post(address+"/mcp", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusNotFound {
		t.Errorf("without --mcp: got %d", r.StatusCode)
	}
	stop()
}

// Without a ledger there are the tools that see no data.
func TestMCPAlone(t *testing.T) {
	a := piped(t, "mcp")
	if got, want := a.tools(), []string{"correct", "plan", "power"}; !slices.Equal(got, want) {
		t.Errorf("got the tools %v, want %v", got, want)
	}
	if code, stderr := a.stop(); code != 0 || stderr != "" {
		t.Errorf("exit %d, %s", code, stderr)
	}
	for line, says := range map[string]string{
		"mcp --folder .": "--folder: got it without the folder of a ledger", "mcp a b": "got 2 arguments", "mcp nothing": "nothing",
	} {
		if code, _, stderr := commandtest.Dpcalc(strings.Fields(line)...); code == 0 || !strings.Contains(stderr, says) {
			t.Errorf("%s: exit %d, %s", line, code, stderr)
		}
	}
}

// everything asks an agent's ledger with every tool, and with files of the folder if it may.
func (a *agent) everything(files bool) {
	questions := []given{{}, {"show": "pass", "bar": 0.5}, {"show": "score"}, {"show": "guess", "guess": 0.3}, {"show": "best"},
		{"bar": 0.1}, {"bar": 0.6}, {"guess": 1}, {"show": "pass", "metric": "column:judge"}, {"show": "pass", "where": "label=yes"}}
	for _, q := range questions {
		if slices.Contains(a.tools(), "price") {
			a.calls("price", q)
		}
		for _, text := range []string{"zebra", "NaN"} {
			rows := given{}
			for i := range worldRows {
				rows[fmt.Sprint("r", i)] = text
			}
			a.calls("look", with(q, "predictions", rows))
		}
		a.calls("look", with(q, "predictions", given{"r1": "yes", "x": "no"}))
		if files {
			for _, file := range []string{"zebra.csv", "few.csv", "judge.csv", "../labels.csv", "missing.csv", "tied.csv"} {
				a.calls("look", with(q, "file", file))
			}
		}
	}
	a.calls("status", nil)
	a.calls("status", given{"queries": 10})
	a.calls("plan", given{"queries": 10, "tau": 0.1, "beta": 0.05, "method": "hoeffding"})
	a.calls("correct", given{"p": 0.003, "alpha": 0.05, "by": "description", "outcomes": 40})
}

// with are the arguments with one more.
func with(a given, name string, value any) given {
	more := given{name: value}
	maps.Copy(more, a)
	return more
}

// pipes asks ledgers on a pipe.
func (w *world) pipes() {
	t := w.t
	if err := os.Mkdir("mine", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"zebra.csv", "few.csv", "judge.csv"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, "mine/"+name, string(text))
	}
	if err := os.Symlink("../labels.csv", "mine/tied.csv"); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	for _, line := range []string{
		"mcp offer --folder mine --labels labels.csv --features shade.csv", "mcp open --bars 0.6", "mcp difference --incumbent zebra.csv --bars 0.1",
		"mcp gate --folder .", "mcp priced", "mcp whole --population all.csv",
	} {
		w.uses(strings.Fields(line))
		ledger := strings.Fields(line)[1]
		if ledger == "gate" || ledger == "priced" {
			code, stdout, stderr := commandtest.Dpcalc(strings.Fields(line)...)
			w.looks(false, ledger, fmt.Sprintf("$ %s\nexit %d\n%s%s", line, code, stdout, stderr))
			continue
		}
		a := piped(t, line)
		a.everything(ledger == "offer")
		code, stderr := a.stop()
		w.looks(false, ledger, fmt.Sprintf("$ %s\nexit %d\n%s\n%s", line, code, strings.ReplaceAll(a.got.String(), `\"`, `"`), stderr))
	}
}

package holdout

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// rows writes labels and predictions that are right on so many rows, each in an order of its own.
func rows(t testing.TB, n int, right ...int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	classes := make([]string, n)
	var text strings.Builder
	text.WriteString("id,label\n")
	for i := range classes {
		classes[i] = []string{"cat", "dog"}[r.IntN(2)]
		fmt.Fprintf(&text, "r%d,%s\n", i, classes[i])
	}
	write(t, "labels.csv", text.String())
	for _, count := range right {
		var text strings.Builder
		text.WriteString("prediction\tnote\tid\n")
		for k, i := range r.Perm(n) {
			prediction := classes[i]
			if k >= count {
				prediction = map[string]string{"cat": "dog", "dog": "cat"}[prediction]
			}
			fmt.Fprintf(&text, "%s\t\"a, b\"\tr%d\n", prediction, i)
		}
		write(t, fmt.Sprintf("p%d.tsv", count), text.String())
	}
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// runs runs a command line and wants an exit code.
func runs(t *testing.T, want int, line string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := commandtest.Dpcalc(strings.Fields(line)...)
	if code != want {
		t.Fatalf("%s: exit %d, want %d\n%s%s", line, code, want, stdout, stderr)
	}
	return stdout, stderr
}

// row is the only row of a command line in JSON.
func row(t *testing.T, want int, line string) map[string]any {
	t.Helper()
	stdout, _ := runs(t, want, line+" -f json")
	var got struct {
		Schema string
		Rows   []map[string]any
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || len(got.Rows) != 1 || got.Schema != "dpcalc/holdout/1" {
		t.Fatalf("%s: %v, %s", line, err, stdout)
	}
	return got.Rows[0]
}

// A gate from its plan to its end, with the exit codes of the contract.
func TestStory(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000, 600, 700, 800, 900)
	made := row(t, 0, "holdout init ledger --labels labels.csv -m 3 -t 0.1 -b 0.05 --query binary --feedback gate --method gate --passes 1")
	if made["method"] != "gate" || made["samples"] != 1000. || made["status"] != "ok" {
		t.Errorf("%v", made)
	}
	before := row(t, 0, "holdout verify ledger")["chain"]
	if before != made["chain"] {
		t.Error("init and verify do not tell the same chain")
	}
	dry := row(t, 0, "holdout score ledger p700.tsv --bar 0.7 --dry-run")
	if dry["look"] != 1. || dry["verdict"] != nil || dry["chain"] != before {
		t.Errorf("%v", dry)
	}
	failed := row(t, 4, "holdout score ledger p700.tsv --bar 0.7 --name cautious")
	if failed["verdict"] != "fail" || failed["response"] != nil || failed["remaining_looks"] != 2. ||
		failed["remaining_passes"] != 1. ||
		failed["remaining_flags"] != nil || failed["tau"] != 0.1 || failed["beta"] != 0.05 {
		t.Errorf("%v", failed)
	}
	again := row(t, 4, "holdout score ledger p700.tsv --bar 0.70 --name renamed")
	if again["look"] != 1. || again["name"] != "cautious" || again["repeated"] != true || again["remaining_looks"] != 2. {
		t.Errorf("%v", again)
	}
	passed := row(t, 0, "holdout score ledger p800.tsv --bar 0.7")
	if passed["verdict"] != "pass" || passed["remaining_looks"] != 0. || passed["look"] != 2. {
		t.Errorf("%v", passed)
	}
	refused := row(t, 3, "holdout score ledger p900.tsv --bar 0.7")
	if refused["verdict"] != nil || refused["response"] != nil || refused["look"] != nil ||
		refused["chain"] != passed["chain"] {
		t.Errorf("%v", refused)
	}
	if _, stderr := runs(t, 3,
		"holdout score ledger p900.tsv --bar 0.7"); stderr != "dpcalc: holdout: refused: the plan is used up\n" {
		t.Error(stderr)
	}
	status := row(t, 0, "holdout status ledger")
	if status["state"] != "used up" || status["looks"] != 2. || status["torn"] != 0. || status["remaining_looks"] != 0. {
		t.Errorf("%v", status)
	}
	log, _ := runs(t, 0, "holdout log ledger -f csv")
	lines := strings.Split(log, "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0],
		"look,event,time,name,metric,verdict,response,bar,guess,fingerprint,chain") ||
		!strings.HasPrefix(lines[1], "1,look,2") || !strings.Contains(lines[1], ",cautious,accuracy,fail,,0.7,,") {
		t.Error(log)
	}
	if found := row(t, 0, fmt.Sprintf("holdout verify ledger --chain %s", failed["chain"])); found["found_after"] != 1. {
		t.Errorf("%v", found)
	}
	runs(t, 1, "holdout verify ledger --chain "+strings.Repeat("ab", 32))
	if ended := row(t, 0, "holdout retire ledger"); ended["state"] != "retired" {
		t.Errorf("%v", ended)
	}
	if _, stderr := runs(t, 3, "holdout score ledger p900.tsv --bar 0.7"); !strings.Contains(stderr,
		"the ledger is retired") {
		t.Error(stderr)
	}
	row(t, 4, "holdout score ledger p700.tsv --bar 0.7") // a known look is answered still
}

// A scenario of a plan file is a plan.
func TestPlanFile(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 5000, 4000)
	write(t, "plan.yaml", "schema: dpcalc/plan-file/1\ndefaults: {beta: 5%}\nscenarios:\n"+
		"  - {name: loop, queries: 20, tau: 0.1, method: gaussian}\n  - {name: grid, queries: [1, 2], tau: 0.1}\n")
	made := row(t, 0, "holdout init a --labels labels.csv --plan plan.yaml --scenario loop")
	if made["method"] != "gaussian" || made["queries"] != 20. {
		t.Errorf("%v", made)
	}
	for line, want := range map[string]string{
		"--plan plan.yaml":                       "--scenario: got nothing, want one of loop, grid",
		"--plan plan.yaml --scenario lop":        "--scenario: got lop, want one of loop, grid, did you mean loop?",
		"--plan plan.yaml --scenario grid":       "plan.yaml: scenario grid: got 2 goals, want one",
		"--scenario loop":                        "--scenario: got it without --plan",
		"--plan plan.yaml --scenario loop -m 20": "--queries: given with --plan",
	} {
		if _, stderr := runs(t, 2, "holdout init b --labels labels.csv "+line); !strings.Contains(stderr, want) {
			t.Errorf("%s: %s, want %s", line, stderr, want)
		}
	}
}

// A scenario whose rows are clusters or a benchmark is a plan for a ledger that says where these are, and one that says
// nothing of its rows is a plan for any. What does not fit is named by the key of the file.
func TestPlanFileOfSamples(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 400)
	labels, err := os.ReadFile("labels.csv")
	if err != nil {
		t.Fatal(err)
	}
	dogs := strings.Count(string(labels), "dog")
	var groups, items strings.Builder
	groups.WriteString("id,document\n")
	items.WriteString("id\n")
	for i := range 400 {
		fmt.Fprintf(&groups, "r%d,%d\n", i, i/10)
		fmt.Fprintf(&items, "r%d\nx%d\n", i, i)
	}
	write(t, "groups.csv", groups.String())
	write(t, "items.csv", items.String())
	for i, c := range []struct{ keys, flags, want string }{
		{"clusters: 40x10", "", "plan.yaml: scenario a: clusters: got 40x10, want it with --group COLUMN, which says which rows are a cluster"},
		{"population: 800", "", "plan.yaml: scenario a: population: got 800, want it with --population FILE, which has the items"},
		{"query: auc, class-counts: '100,300'", "", "plan.yaml: scenario a: class-counts: got 100,300, want it with --metrics auc --positive TEXT, which say which rows are positive"},
		{"query: auc, class-counts: '100,300'", "--metrics auc --positive dog", "got a goal for other rows, want DOGS positive and CATS negative ones, as the labels have"},
		{"clusters: 50x8", "--group document --features groups.csv", "samples: got 50, want 40, the number of clusters, or none"},
		{"clusters: 50x8, weights: rows", "--group document --features groups.csv --weights rows", "got a goal for other clusters or another benchmark"},
		{"population: 801", "--population items.csv", "got a goal for other clusters or another benchmark"},
		{"clusters: 40x10", "--group document --features groups.csv", ""},
		{"clusters: 40x10, weights: rows", "--group document --features groups.csv --weights rows", ""},
		{"passes: 2", "--group document --features groups.csv", ""},
		{"population: 800", "--population items.csv", ""},
		{"query: auc, class-counts: 'DOGS,CATS'", "--metrics auc --positive dog", ""},
		{"passes: 2", "--metrics auc --positive dog --law classes", ""},
	} {
		for _, text := range []*string{&c.keys, &c.want} {
			*text = strings.NewReplacer("DOGS", fmt.Sprint(dogs), "CATS", fmt.Sprint(400-dogs)).Replace(*text)
		}
		write(t, "plan.yaml", "schema: dpcalc/plan-file/1\nscenarios:\n  - {name: a, queries: 20, beta: 5%, feedback: gate, "+c.keys+"}\n")
		line := fmt.Sprintf("holdout init made%d --labels labels.csv --plan plan.yaml %s", i, c.flags)
		if c.want == "" {
			runs(t, 0, line)
			continue
		}
		if out, stderr := runs(t, 2, line); out != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s, %s: %s%s, want %s", c.keys, c.flags, out, stderr, c.want)
		}
	}
}

// A declaration that the plan's method makes no use of is said to be unused, as samplesize says it.
func TestUnusedDeclarations(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 400)
	var marks strings.Builder
	marks.WriteString("id,judge\n")
	for i := range 400 {
		fmt.Fprintf(&marks, "r%d,0.%d\n", i, i%10)
	}
	write(t, "judge.csv", marks.String())
	const line = " --labels labels.csv --incumbent judge.csv --metrics column:judge --query difference -m 20 -b 0.05 --second-moment 0.05 --enforce"
	for shown, want := range map[string]any{"answers": "second-moment is not used", "gate": nil} {
		for _, dry := range []string{" --dry-run", ""} {
			if got := row(t, 0, "holdout init "+shown+line+dry+" --feedback "+shown); got["reason"] != want {
				t.Errorf("%s%s: %v, want %v", shown, dry, got, want)
			}
		}
		runs(t, 0, "holdout verify "+shown)
	}
}

// Tables are read as csv, tsv and JSON lines, with other columns, in any order, with a byte order mark and CRLF; one
// submission is one look in whatever form.
func TestForms(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "labels.csv", "id,label\n1,yes\n2,no\n\"3,5\",yes\n")
	write(t, "a.csv", "\ufeffid;extra;prediction\r\n2;x;no\r\n\r\n\"3,5\";;no\r\n1;\"a;b\";yes\r\n")
	write(t, "a.tsv", "prediction\tid\nyes\t1\nno\t2\nno\t3,5\n")
	write(t, "a.jsonl", "{\"id\": 1, \"prediction\": \"yes\"}\n\n"+
		"{\"prediction\":\"no\",\"id\":\"2\",\"x\":[1]}\n{\"id\":\"3,5\",\"prediction\":\"no\"}\n")
	runs(t, 0, "holdout init ledger --labels labels.csv -m 1 -t 0.9 -b 0.4 --method splitting")
	for i, name := range []string{"a.csv", "a.tsv", "a.jsonl"} {
		got := row(t, 0, "holdout score ledger "+name)
		if got["look"] != 1. || got["response"] != 2./3 || got["repeated"] != (i > 0) {
			t.Errorf("%s: %v", name, got)
		}
	}
	text, err := os.ReadFile("a.csv")
	if err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := commandtest.DpcalcReading(string(text), "holdout", "score", "ledger", "-", "-f", "csv")
	if code != 0 || !strings.Contains(stdout, "0.6666666666666666") {
		t.Error(code, stdout, stderr)
	}
}

// Labels, predictions, features and ids as a spreadsheet writes them, with a line sep=; and decimal commas, give the
// looks that the same numbers with points give: wherever numbers are read, and where they are served.
func TestTablesOfSpreadsheets(t *testing.T) {
	for name, c := range map[string]struct {
		init   string
		labels [2]string // of two rows, with commas
		column string
		cells  [2]string
	}{
		"a column":          {"--metrics column:score", [2]string{"yes", "no"}, "score", [2]string{"0,5", "1,0"}},
		"a range":           {"--metrics column:score --range -2,20", [2]string{"yes", "no"}, "score", [2]string{"1,234", "-1,5"}},
		"numbers":           {"--match number", [2]string{"1,5", "2"}, "prediction", [2]string{"1,50", "3,0"}},
		"forecasts":         {"--metrics squared-error --range 0,10", [2]string{"1,234", "2,5"}, "prediction", [2]string{"1,5", "2,5e0"}},
		"probabilities":     {"--metrics log-loss --positive yes", [2]string{"yes", "no"}, "probability", [2]string{"0,25", "0,5"}},
		"text stays a text": {"--metrics accuracy", [2]string{"1,5", "0,5"}, "prediction", [2]string{"1,5", "0,25"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			excel := func(column string, cells [2]string) string {
				return "\ufeffsep=;\r\nid;" + column + "\r\na;" + cells[0] + "\r\nb;" + cells[1] + "\r\n"
			}
			plain := func(text string) string {
				quote := "\""
				if name != "text stays a text" {
					text, quote = strings.ReplaceAll(text, ",", "."), ""
				}
				lines := strings.Split(strings.TrimPrefix(text, "\ufeffsep=;\r\n"), "\r\n")
				for i, line := range lines[1:3] {
					id, cell, _ := strings.Cut(line, ";")
					lines[i+1] = id + "," + quote + cell + quote
				}
				return strings.Replace(strings.Join(lines, "\n"), ";", ",", 1)
			}
			write(t, "labels.csv", excel("label", c.labels))
			write(t, "labels-points.csv", plain(excel("label", c.labels)))
			write(t, "p.csv", excel(c.column, c.cells))
			write(t, "p-points.csv", plain(excel(c.column, c.cells)))
			write(t, "features.csv", "sep=;\nid;part\na;x\nb;x\n")
			write(t, "drop.csv", "\ufeffsep=;\nid;reason\nb;old\n")
			var got [2]map[string]any
			for i, form := range []string{"", "-points"} {
				dir := fmt.Sprint("ledger", i)
				runs(t, 0, "holdout init "+dir+" --labels labels"+form+".csv -b 0.05 --open --features features.csv --ask score:step=0.25 "+c.init)
				got[i] = row(t, 0, "holdout score "+dir+" p"+form+".csv --show score --step 0.25 --name one --where part=x")
			}
			for _, field := range []string{"response", "lower", "upper", "price", "rows"} {
				if got[0][field] != got[1][field] || got[0][field] == nil {
					t.Errorf("%s: got %v, want %v", field, got[0][field], got[1][field])
				}
			}
			runs(t, 0, "holdout extend ledger0 --drop drop.csv")
			if strings.HasPrefix(c.init, "--metrics column") {
				return
			}
			token := newToken(t, "eu", "tokens.txt")
			address, stop := serving(t, "holdout serve ledger1 --addr 127.0.0.1:0 --tokens tokens.txt")
			defer stop()
			in, err := os.Open("p.csv")
			if err != nil {
				t.Fatal(err)
			}
			client := http.Client{Transport: bearer{token, new(bytes.Buffer)}}
			answer, err := client.Post(address+"/looks?show=score", "text/csv", in)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(answer.Body)
			if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(body), fmt.Sprintf(`"response":%v,`, got[1]["response"])) {
				t.Errorf("served: %s, %s, %v, want %v", answer.Status, body, err, got[1]["response"])
			}
		})
	}
}

// Bad input is one line on standard error and exit 2, and the ledger stays as it is.
func TestBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000, 600)
	runs(t, 0, "holdout init ledger --labels labels.csv -m 3 -t 0.2 -b 0.05")
	for name, declares := range map[string]string{"classes": "--classes cat,dog", "columns": "--metrics column:judge",
		"judged": "--metrics accuracy,column:judge", "unbarred": "--feedback gate", "barred": "--feedback gate --bars 0.5,0.7",
	} {
		runs(t, 0, "holdout init "+name+" --labels labels.csv -m 3 -t 0.2 -b 0.05 "+declares)
	}
	looks, err := os.ReadFile("ledger/looks.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "none.csv", "")
	write(t, "few.csv", "id,prediction\nr1,cat\nr1,cat\nzz,cat\n")
	write(t, "class.csv", "id,prediction\nr0,cow\n")
	write(t, "wide.csv", "id,prediction\nr0,cat,x\n")
	write(t, "twice.csv", "id,id,prediction\nr0,r0,cat\n")
	write(t, "column.csv", "id,guess\nr0,cat\n")
	write(t, "bad.jsonl", "{\"id\":1}\n")
	write(t, "worse.jsonl", "[1]\n")
	write(t, "nan.csv", "id,judge\nr0,NaN\n")
	write(t, "labels2.csv", "id,label\nr0,\n")
	const fresh = "init new --labels labels.csv -m 3 -t 0.2 -b 0.05"
	for line, want := range map[string]string{

		"": "holdout: got no action, want init, score, price, status, log, extend, close, verify, retire, token or serve; see dpcalc help holdout",

		"scor ledger": "verify, retire, token or serve, did you mean score?",

		"score":                      "holdout score: got no DIR, want dpcalc holdout score DIR PREDICTIONS...",
		"score ledger":               "holdout score: got no PREDICTIONS, want dpcalc holdout score DIR PREDICTIONS...",
		"status ledger x":            "holdout status: unexpected argument x, want dpcalc holdout status DIR",
		"status ledger --bar 1":      "holdout status: --bar belongs to holdout init, holdout score and holdout price",
		"score ledger p600.tsv -m 3": "holdout score: -m belongs to holdout init and holdout status",

		"score ledger none.csv": "none.csv: got nothing, want a header line with id and prediction",

		"score ledger few.csv": "holdout: few.csv: got 999 missing ids (r0, r2, r3, r4, r5, ...), 1 surplus id (zz), 1 doubled id (r1), want every id",

		"score classes class.csv": "class.csv: id r0: got the prediction cow, want one of the 2 declared classes: cat, dog",

		"score ledger wide.csv":  "wide.csv: line 2: got 3 cells, want 2 as in the header",
		"score ledger twice.csv": "twice.csv: got two columns id, want one",

		"score ledger column.csv": "column.csv: got the columns id, guess, want id and prediction",

		"score ledger bad.jsonl": "line 1: got an object without a text or a number as id or prediction, want both",

		"score ledger worse.jsonl": "worse.jsonl: line 1: got no JSON object",

		"score judged nan.csv --name x --metric column:judge": "nan.csv: id r0: got the value NaN, want a number in [0, 1]",

		"score ledger p600.tsv --metric auc": "dpcalc: --metric: got auc, want accuracy: no other was declared when the ledger was made",

		"score ledger p600.tsv --bar 0.5": "dpcalc: --bar: got 0.5, want a ledger with --feedback gate: this one has --feedback answers",

		"score unbarred p600.tsv --bar 80": "dpcalc: --bar: got 80, want a number in [0, 1], did you mean 80%?",

		"score ledger p600.tsv --guess x": "--guess: got x, want a number",

		"score ledger p600.tsv p600.tsv": "holdout: got 2 submissions, want one",

		"score ledger p600.tsv --name " + strings.Repeat("n",
			101): "dpcalc: --name: got 101 characters, want at most 100",

		"init ledger --labels labels.csv -m 3 -t 0.2 -b 0.05": "want an empty folder or a new one",

		"init new --labels labels.csv -b 0.05":    "holdout init: two of four given: add --queries to get tau, or --tau to get the number of queries",
		"init new -m 3 -t 0.2 -b 0.05":            "--labels: got nothing, want a file",
		"init new --labels - -m 3 -t 0.2 -b 0.05": "--labels: got -, want a file",

		"init new -m 3 -t 0.2 -b 0.05 --labels labels.csv --labels labels.csv": "--labels: got 2 files, want one",

		"init new --open -b 0.05 --labels labels.csv --one-sided": "--one-sided: given with --open, want it left out",

		"init new --labels labels2.csv -m 3 -t 0.2 -b 0.05": "labels2.csv: id r0: got an empty label",

		"init new --labels p600.tsv -m 3 -t 0.2 -b 0.05": "p600.tsv: got the columns prediction, note, id, want id and label",

		fresh + " -n 999": "samples: got 999, want 1000, the number of labels, or none",

		fresh + " --method gate-renggli19": "method: got gate-renggli19, want one that a ledger runs",

		fresh + " --query sensitive": "query: got sensitive, want bounded, binary or difference",

		"score ledger p600.tsv --metric column:judge": "dpcalc: --metric: got column:judge, want accuracy: no other was " +
			"declared when the ledger was made",
		fresh + " --metric accuracy":                          "holdout init: --metric belongs to holdout score and holdout price",
		fresh + " --metrics auc":                              "--positive: got nothing, want the label that counts as positive for auc",
		fresh + " --metrics mcc":                              "--metrics: got mcc, want accuracy",
		fresh + " --metrics auc --positive dog":               "--feedback: got answers with auc, want gate, or --open",
		fresh + " --query auc":                                "--query: got auc, want none: --metrics auc takes the numbers of the classes from the labels",
		fresh + " --law classes":                              "--law: got classes with accuracy, want classes with auc and labels with all others",
		fresh + " --match like":                               "--match: got like, want exact, trim, fold, number",
		fresh + " --match number":                             "--labels: id r0: got the label cat, want a number",
		fresh + " --classes cat":                              "got the label dog, want one of the 1 declared classes: cat",
		fresh + " --bars 0.5":                                 "--bars: got 1, want them for a gate whose plan has no bar",
		fresh + " --feedback gate --bars 0.5,x":               "--bars: got x, want a number",
		fresh + " --feedback gate --bars 0.5,1":               "--bars: got 1, want at most 1 - tau, where tau is 0.2",
		fresh + " --feedback gate --threshold 0.5 --bars 0.5": "--bars: got 1, want them for a gate whose plan has no bar",
		"score barred p600.tsv --bar 0.4":                     "--bar: got 0.4, want one of 0.5 0.7",
		"serve ledger --bars 0.5":                             "--bars: got 1, want none",
		"serve unbarred":                                      "--bars: got none, and none in the plan, want the bars",
		"serve columns":                                       "got a plan for the metric column:judge, want one that the ledger computes",
		fresh + " --passes 2":                                 "--passes needs --feedback gate",
		"init new --labels labels.csv -m 3 -t 0.2 -b 95%":     "--beta",
		fresh + " --query difference":                         "--query difference",
	} {
		if strings.HasSuffix(line, "--query difference") {
			continue // below: it may have no certificate
		}
		stdout, stderr := runs(t, usage.ExitUsage, "holdout "+line)
		if stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%s:\n%s%swant %s", line, stdout, stderr, want)
		}
	}
	if _, stderr := runs(t, 2,
		"holdout init new --labels labels.csv -m 2 -t 0.5 -b 0.05 --query difference"); !strings.Contains(stderr,
		"incumbent: got nothing, want the predictions") {
		t.Error(stderr)
	}
	if _, err := os.Stat("new"); err == nil {
		t.Error("a folder is left")
	}
	if now, err := os.ReadFile("ledger/looks.jsonl"); err != nil || !bytes.Equal(now, looks) {
		t.Error("bad input changed the ledger")
	}
}

// What is not the user's input but the state of files is exit 1: no ledger, changed labels, an edited line. Labels that
// moved are named anew.
func TestFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000, 600, 700)
	runs(t, 0, "holdout init ledger --labels labels.csv -m 3 -t 0.2 -b 0.05")
	for _, line := range []string{"status none", "log none", "verify none", "retire none", "score none p600.tsv"} {
		if stdout, stderr := runs(t, 1, "holdout "+line); stdout != "" || !strings.Contains(stderr, "got no ledger there") {
			t.Errorf("%s: %s", line, stderr)
		}
	}
	if err := os.Rename("labels.csv", "moved.csv"); err != nil {
		t.Fatal(err)
	}
	if _, stderr := runs(t, 1, "holdout score ledger p600.tsv"); !strings.Contains(stderr, "labels.csv: no such file") {
		t.Error(stderr)
	}
	runs(t, 0, "holdout score ledger p600.tsv --labels moved.csv")
	text, err := os.ReadFile("moved.csv")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "labels.csv", strings.Replace(string(text), "cat", "dog", 1))
	if _, stderr := runs(t, 1, "holdout score ledger p700.tsv"); !strings.Contains(stderr,
		"not those that the ledger was made for") {
		t.Error(stderr)
	}
	looks := filepath.Join("ledger", "looks.jsonl")
	if text, err = os.ReadFile(looks); err != nil {
		t.Fatal(err)
	}
	write(t, looks, strings.Replace(string(text), `"look":1`, `"look":0`, 1))
	for _, line := range []string{"verify ledger", "status ledger", "score ledger p700.tsv --labels moved.csv"} {
		if stdout, stderr := runs(t, 1, "holdout "+line); stdout != "" || !strings.Contains(stderr,
			"looks.jsonl is not as it was written") {
			t.Errorf("%s: %s", line, stderr)
		}
	}
}

// A plan that does not certify is exit 4, one without an answer exit 3; both print their row and leave no folder.
func TestNoCertificate(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 100)
	for line, want := range map[string]int{"-m 10 -t 0.05 -b 0.05": 4, "-t 0.001 -b 0.05": 3} {
		got := row(t, want, "holdout init new --labels labels.csv "+line)
		if got["status"] != "infeasible" || got["chain"] != nil || !strings.Contains(got["reason"].(string),
			"rows, and there are 100") {
			t.Errorf("%v", got)
		}
		if _, err := os.Stat("new"); err == nil {
			t.Error("a folder is left")
		}
	}
}

// A refusal names the flag that a method needs, in every form of the row.
func TestReasonNamesTheFlag(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 100)
	got := row(t, 4, "holdout init new --labels labels.csv -m 10 -t 0.2 -b 0.05 --method gate")
	if got["method"] != "gate" || got["reason"] != "gate: needs --feedback gate" {
		t.Errorf("%v", got)
	}
}

// A million rows are scored in 300 MB: some bytes beside their ids. What is measured is the greatest heap while the
// command runs, over what there was before.
func TestMillionRows(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 1_000_000
	table := func(name, header string, row func(i int) int) {
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		out := bufio.NewWriter(f)
		fmt.Fprintln(out, header)
		for i := range n {
			fmt.Fprintf(out, "row-%07d,%d\n", row(i), row(i)%10)
		}
		if err := errors.Join(out.Flush(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	table("labels.csv", "id,label", func(i int) int { return i })
	table("p.csv", "id,prediction", func(i int) int { return n - 1 - i })
	runs(t, 0, "holdout init ledger --labels labels.csv -m 3 -t 0.2 -b 0.05")
	var out bytes.Buffer
	s := &outfile.Session{Context: context.Background(), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out}
	most := mostHeap(func() {
		if code := commandtest.RunIn(s, strings.Fields("dpcalc holdout score ledger p.csv")); code != 0 {
			t.Error(out.String())
		}
	})
	if most > 300e6 || most < 8*n {
		t.Errorf("the heap grew by %d MB for %d rows", most>>20, n)
	}
}

// mostHeap is by how many bytes the heap grows at most while do runs, seen every millisecond.
func mostHeap(do func()) (most int64) {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	now := func() int64 { metrics.Read(heap); return int64(heap[0].Value.Uint64()) }
	runtime.GC()
	before := now()
	ended := make(chan struct{})
	go func() { defer close(ended); do() }()
	for {
		select {
		case <-ended:
			return most
		case <-time.After(time.Millisecond):
			most = max(most, now()-before)
		}
	}
}

package holdout

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

// samples is a log of lm-evaluation-harness with two filters, and items of these ids.
func samples(right int, ids ...int) string {
	var b strings.Builder
	for _, filter := range []string{"strict-match", "flexible-extract"} {
		for i, id := range ids {
			x := 0
			if i < right || filter == "flexible-extract" {
				x = 1
			}
			fmt.Fprintf(&b, "{\"doc_id\": %d, \"doc\": {}, \"target\": \"t%d\", \"filter\": %q, \"exact_match\": %d.0}\n", id, id%3, filter, x)
		}
	}
	return b.String()
}

// upTo are the numbers from a to before b.
func upTo(a, b int) (list []int) {
	for ; a < b; a++ {
		list = append(list, a)
	}
	return list
}

// An open ledger lives on logs alone: its labels, new labels, and the values of the looks. The ledger remembers how its
// labels are read.
func TestLogsOfOtherTools(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "first.jsonl", samples(0, upTo(0, 400)...))
	write(t, "good.jsonl", samples(380, upTo(0, 400)...))
	write(t, "more.jsonl", samples(0, upTo(400, 500)...))
	write(t, "all.jsonl", samples(460, upTo(0, 500)...))
	write(t, "table.csv", "doc_id,exact_match\n1,1\n")
	const from = " --from lm-eval --only filter=strict-match"
	run := func(want int, line string) string {
		t.Helper()
		code, stdout, stderr := commandtest.Dpcalc(append([]string{"holdout"}, strings.Fields(line)...)...)
		if code != want {
			t.Fatalf("%s: exit %d, want %d\n%s%s", line, code, want, stdout, stderr)
		}
		return stdout + stderr
	}
	run(0, "init ledger --labels first.jsonl"+from+" -b 5% --open --metrics column:exact_match")
	run(0, "verify ledger")
	said := run(0, "score ledger good.jsonl --name good --show score --near 0.95 --step 0.02 -f json"+from)
	var looks struct {
		Rows []struct {
			Rows      int64
			CellFrom  float64 `json:"cell_from"`
			CellBelow float64 `json:"cell_below"`
		}
	}
	if err := json.NewDecoder(strings.NewReader(said)).Decode(&looks); err != nil { // standard error has counts
		t.Fatal(err)
	}
	if r := looks.Rows[0]; r.Rows != 400 || !(r.CellFrom <= 0.95 && 0.95 < r.CellBelow) {
		t.Errorf("got %+v, want a cell of 400 rows around 380/400", r)
	}
	run(0, "extend ledger --labels more.jsonl"+from)
	if said := run(2, "score ledger good.jsonl --name late --show score"+from); !strings.Contains(said, "want every id of the labels once") {
		t.Errorf("got %s", said)
	}
	if said := run(0, "score ledger all.jsonl --name all --show pass --bar 0.8 -f json"+from); !strings.Contains(said, `"rows":500`) {
		t.Errorf("got %s, want a look of 500 rows", said)
	}
	run(0, "verify ledger")
	for _, name := range []string{"ledger/plan.json", "ledger/looks.jsonl"} {
		if text, err := os.ReadFile(name); err != nil || strings.Count(string(text), `"lm-eval"`) != 1 {
			t.Errorf("%s: got %s, %v, want how the labels are read", name, text, err)
		}
	}
	for _, c := range []struct{ line, want string }{
		{"score ledger all.jsonl --name other --show score --from lm-eval", "got records of several filter"},
		{"score ledger all.jsonl --name other --show score --from lm-evl", "--from: got lm-evl, want inspect, lm-eval, promptfoo, csv"},
		{"score ledger table.csv --name other --show score --id doc_id", "--id: got it for table.csv, which is no log that is known, want --from"},
		{"score ledger all.jsonl --name other --show score --only filter" + from, "--only: got filter, want PATH=VALUE"},
		{"score ledger all.jsonl --name other --show score --value acc" + from, "got no acc, want a number, or --missing low at init; there are doc"},
		{"score ledger all.jsonl --name other --show score --metric accuracy" + from,
			"all.jsonl: got a log of lm-eval and the metric accuracy, want column:NAME"},
		{"extend ledger" + from, "--from: got it without --labels"},
	} {
		if said := run(2, c.line); !strings.Contains(said, c.want) || strings.Count(strings.TrimSuffix(said, "\n"), "\n") > 0 {
			t.Errorf("%s: got %s, want a line with %s", c.line, said, c.want)
		}
	}
}

// enters begins a test in an empty folder, and returns the folders of the logs of the field and of earlier ledgers.
func enters(t *testing.T) (field, earlier string) {
	t.Helper()
	field, err := filepath.Abs("../../evallog/testdata/field")
	if err != nil {
		t.Fatal(err)
	}
	if earlier, err = filepath.Abs("testdata/logs"); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	return field, earlier
}

// oneLine reports whether a text is one line with another text in it.
func oneLine(text, want string) bool {
	return strings.Contains(text, want) && strings.Count(text, "\n") == 1
}

// Logs are told by their content, and a log of labels says which metric it is for. An item is a row, however often it
// was repeated, and a column needs no labels.
func TestInitOfLogs(t *testing.T) {
	field, _ := enters(t)
	for i, c := range []struct {
		line string // behind init
		rows int
		want string // in the plan, or in the error
	}{
		{"promptfoo_repeat.json", 3, `"column:score"`},
		{"promptfoo_repeat.json --id testIdx", 0, "items 0 and 1 have the same vars, and would be two rows of one item: want --id vars"},
		{"promptfoo_repeat.json --metrics accuracy --value vars.q", 3, `"accuracy"`},
		{"promptfoo_output.jsonl", 2, `"column:score"`},
		{"promptfoo_v2_two_prompts.json", 0, "got records of several prompt.label: A, B, want one of them, as by --only prompt.label=A"},
		{"promptfoo_v2_two_prompts.json --only prompt.label=A", 2, `"column:score"`},
		{"inspect_dup_entry.eval", 2, `"column:match"`},
		{"inspect_empty_target.json", 2, `"column:judge"`},
		{"inspect_empty_target.json --metrics accuracy", 0, "inspect_empty_target.json: id 1: got an empty label"},
		{"inspect_unscored.json", 2, `"column:judge"`},
		{"inspect_yes_no.json", 2, `"column:check"`},
		{"lmeval_empty_target.jsonl", 2, `"column:acc"`},
		{"lmeval_json_array.jsonl", 2, `"column:acc"`},
		{"lmeval_json_array.jsonl --metrics accuracy", 2, `"accuracy"`},
		{"lmeval_no_filter_key.jsonl", 0, "line 3: item 0: got two records of one doc_id, want one: this version names no filter: split the file"},
		{"lmeval_two_on_a_line.jsonl", 0, "line 1: got more after a value"},
		{"openai_evals.jsonl", 0, "line 1: got an object without a text or a number as id or label, want both"},
	} {
		name, flags, _ := strings.Cut(c.line, " ")
		dir := fmt.Sprint("ledger", i)
		code, stdout, stderr := commandtest.Dpcalc(append([]string{"holdout", "init", dir, "--labels", filepath.Join(field, name), "-b", "5%",
			"--open", "-f", "json"}, strings.Fields(flags)...)...)
		plan, _ := os.ReadFile(filepath.Join(dir, "plan.json"))
		rows := fmt.Sprintf(`"samples":%d,`, c.rows)
		refused := code == 2 && stdout == "" && oneLine(stderr, c.want)
		made := code == 0 && strings.Contains(stdout, rows) && strings.Contains(string(plan), c.want)
		if c.rows == 0 && !refused || c.rows > 0 && !made {
			t.Errorf("%s: exit %d, %s%s, want %d rows and %s in %s", c.line, code, stdout, stderr, c.rows, c.want, plan)
		}
	}
	two := `{"version": 2, "samples": [{"id": 1, "epoch": 1, "scores": {"b": {"value": 1}, "a": {"value": 1}}}]}`
	write(t, "two.json", "\ufeff"+two)
	if _, stderr := runs(t, 2, "holdout init two --labels two.json -b 5% --open"); !strings.Contains(stderr, "want one of column:a, column:b") {
		t.Errorf("got %s", stderr)
	}
	_, stderr := runs(t, 0, "holdout init two --labels two.json -b 5% --open --metrics column:a --missing low -f json")
	for _, want := range []string{"Read only logs of your own runs, never a submitter's", "A missing value counts as 0, and every interval is about that metric"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("got %s, want %s", stderr, want)
		}
	}
}

// Twenty-five tests, each of which passes or fails in all of its twenty repeats, and passes with probability 1/2: the
// chance that their mean passes a gate at a bar of 1/2 is a binomial tail, which has to be at most the 5% that are
// promised. It is 34.5% where the repeats are rows.
func TestRepeatsAreNoRows(t *testing.T) {
	t.Chdir(t.TempDir())
	const tests, repeats = 25, 20
	var results []string
	for i := range tests * repeats {
		results = append(results, fmt.Sprintf(`{"testIdx": %d, "promptIdx": 0, "success": true, "score": 1, "vars": {"q": %d}, "testCase": {"assert": [%d]}}`,
			i, i%tests, i%tests))
	}
	write(t, "log.json", `{"evalId": "e", "results": {"version": 3, "results": [`+strings.Join(results, ",\n")+`]}}`)
	runs(t, 0, "holdout init ledger --labels log.json --from promptfoo --metrics column:score -b 5% --open")
	stdout, _ := runs(t, 0, "holdout price ledger --show pass --bar 0.5 -f json")
	var price struct {
		Rows []struct {
			Verdict string
			From    *float64
			Rows    int
		}
	}
	if err := json.Unmarshal([]byte(stdout), &price); err != nil {
		t.Fatal(err)
	}
	pass := price.Rows[len(price.Rows)-1]
	from := pass.From
	if pass.Verdict != "pass" || from == nil || pass.Rows != tests {
		t.Fatalf("got %s, want the least score that passes, of %d rows", stdout, tests)
	}
	passes := new(big.Rat)
	for k := range int64(tests + 1) {
		if float64(k)/tests >= *from {
			chance := new(big.Int).Binomial(tests, k)
			passes.Add(passes, new(big.Rat).SetFrac(chance, new(big.Int).Lsh(big.NewInt(1), tests)))
		}
	}
	if passes.Cmp(big.NewRat(5, 100)) > 0 {
		chance, _ := passes.Float64()
		t.Errorf("a score of %v passes, which has the chance %v, want at most 0.05", *from, chance)
	}
}

// inspectLog is a log of Inspect with inputs and values of a score.
func inspectLog(inputs, values []string) string {
	var samples []string
	for i, input := range inputs {
		samples = append(samples, fmt.Sprintf(`{"id": %d, "epoch": 1, "input": %q, "target": "", "scores": {"m": {"value": %s}}}`, i, input, values[i]))
	}
	return `{"version": 2, "status": "success", "eval": {}, "samples": [` + strings.Join(samples, ",\n") + "]}\n"
}

// A log of other items is no look at these, although its ids are the same, and costs nothing. Nor is an incumbent's.
func TestJoinsByPosition(t *testing.T) {
	field, _ := enters(t)
	values := []string{"1", "0", "1"}
	write(t, "one.json", inspectLog([]string{"a", "b", "c"}, values))
	write(t, "again.json", inspectLog([]string{"a", "b", "c"}, values))
	write(t, "other.json", inspectLog([]string{"a", "x", "c"}, values))
	runs(t, 0, "holdout init ledger --labels one.json -b 5% --open")
	look := "--show score --name m -f json"
	for _, how := range []string{"", " --id id", " --from inspect"} {
		if _, stderr := runs(t, 2, "holdout score ledger other.json "+look+how); stderr !=
			"dpcalc: other.json: item 1 asks something else than in the labels' log, want a log of the same items\n" {
			t.Errorf("%s: got %s", how, stderr)
		}
	}
	stdout, _ := runs(t, 0, "holdout status ledger -f json")
	if !strings.Contains(stdout, `"looks":0`) {
		t.Errorf("got %s, want no look", stdout)
	}
	runs(t, 0, "holdout score ledger again.json --show score --name n")
	if _, stderr := runs(t, 2, "holdout init compared --labels one.json --incumbent other.json -b 5% --open"); !strings.Contains(stderr,
		"other.json: item 1 asks something else") {
		t.Errorf("got %s", stderr)
	}
	write(t, "one.json", inspectLog([]string{"a", "x", "c"}, values))
	if _, stderr := runs(t, 1, "holdout score ledger other.json "+look); !strings.Contains(stderr, "the labels are not those") {
		t.Errorf("labels with another input: got %s", stderr)
	}
	one, other := filepath.Join(field, "promptfoo_sample_a.json"), filepath.Join(field, "promptfoo_sample_b.json")
	runs(t, 0, "holdout init prompts --labels "+one+" -b 5% --open --id testIdx")
	if _, stderr := runs(t, 2, "holdout score prompts "+other+" --id testIdx "+look); !strings.Contains(stderr, "item 0 asks something else") {
		t.Errorf("got %s", stderr)
	}
	runs(t, 0, "holdout init variables --labels "+one+" -b 5% --open")
	if _, stderr := runs(t, 2, "holdout score variables "+other+" "+look); !strings.Contains(stderr, "want every id of the labels once") {
		t.Errorf("got %s", stderr)
	}
}

// A record without a value is refused, or counts as the low end of the range before repeats are averaged. How many
// there are is said on standard error alone: the rows are the same as for a log that has the low end itself.
func TestMissingValues(t *testing.T) {
	t.Chdir(t.TempDir())
	inputs := []string{"a", "b", "c", "d"}
	write(t, "labels.json", inspectLog(inputs, []string{"1", "1", "1", "1"}))
	write(t, "gaps.json", inspectLog(inputs, []string{"1", "NaN", "1", "null"}))
	write(t, "lows.json", inspectLog(inputs, []string{"1", "-1", "1", "-1"}))
	write(t, "gaps.csv", "id,m\n0,1\n1,\n2,1\n3,NaN\n")
	write(t, "lows.csv", "id,m\n0,1\n1,-1\n2,1\n3,-1\n")
	write(t, "fewer.csv", "id,m\n0,1\n1,\n2,1\n")
	write(t, "labels.csv", "id,label\n0,a\n")
	const law = " --labels labels.json -b 5% --open --range=-1,1"
	runs(t, 0, "holdout init refuse"+law)
	runs(t, 0, "holdout init refused --missing refuse"+law)
	look := " --show score --near 0 --name n -f json"
	for _, line := range []string{"refuse gaps.json", "refused gaps.json"} {
		if _, stderr := runs(t, 2, "holdout score "+line+look); !strings.Contains(stderr, "gaps.json: line 2: item 1: unscored (NaN), want a number") {
			t.Errorf("%s: got %s", line, stderr)
		}
	}
	if _, stderr := runs(t, 2, "holdout score refuse gaps.csv"+look); !strings.Contains(stderr, "gaps.csv: id 1: got the value") {
		t.Errorf("got %s", stderr)
	}
	unlike := regexp.MustCompile(`"(fingerprint|chain|key|time)":"[^"]*"`)
	seen := make(map[string][]string)
	for _, form := range []string{"json", "csv"} {
		for i, file := range []string{"gaps." + form, "lows." + form} {
			dir := "low-" + file
			runs(t, 0, "holdout init "+dir+" --missing low"+law)
			for _, line := range []string{"score " + dir + " " + file + " --dry-run" + look, "score " + dir + " " + file + look,
				"log " + dir + " -f json", "status " + dir + " -f json"} {
				stdout, stderr := runs(t, 0, "holdout "+line)
				said := strings.Contains(stderr, file+": 2 without a value, which count as -1\n")
				if want := i == 0 && strings.HasPrefix(line, "score"); said != want {
					t.Errorf("%s: got %q on standard error", line, stderr)
				}
				seen[file] = append(seen[file], strings.ReplaceAll(unlike.ReplaceAllString(stdout, ""), dir, "dir"))
			}
		}
		if gaps, lows := seen["gaps."+form], seen["lows."+form]; !slices.Equal(gaps, lows) {
			t.Errorf("got %s\nand %s, want the same", gaps, lows)
		}
	}
	for _, c := range []struct{ line, want string }{
		{"score low-gaps.json fewer.csv --show score --name other", "got 1 missing id (3)"},
		{"init compared --missing low --incumbent gaps.json" + law, "gaps.json: line 2: item 1: unscored (NaN)"},
		{"init wrong --missing high" + law, "--missing: got high, want refuse or low"},
		{"init wrong --missing low --labels labels.csv -b 5% --open", "--missing: got low, want it with a column"},
	} {
		if _, stderr := runs(t, 2, "holdout "+c.line); !oneLine(stderr, c.want) {
			t.Errorf("%s: got %s, want %s", c.line, stderr, c.want)
		}
	}
}

// A metric whose name has a comma is in quotes.
func TestMetricsWithCommas(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "labels.csv", "id,label\n1,\n2,\n")
	write(t, "values.csv", "id,\"exact_match,strict\",b\n1,1,0\n2,0,0\n")
	code, _, stderr := commandtest.Dpcalc("holdout", "init", "ledger", "--labels", "labels.csv", "-b", "5%", "--open", "--metrics",
		`"column:exact_match,strict",column:b`)
	if code != 0 {
		t.Fatal(stderr)
	}
	for _, metric := range []string{"column:exact_match,strict", "column:b"} {
		if code, _, stderr := commandtest.Dpcalc("holdout", "score", "ledger", "values.csv", "--show", "score", "--near", "0.5", "--name", "n",
			"--metric", metric); code != 0 {
			t.Errorf("%s: %s", metric, stderr)
		}
	}
	if code, _, stderr := commandtest.Dpcalc("holdout", "score", "ledger", "values.csv", "--name", "m",
		"--show", `score:near=0.1,"metric=column:exact_match,strict"`); code != 0 {
		t.Error(stderr)
	}
}

// A ledger of an earlier version reads its logs as it was made to, and is refused by name where its rows are repeats of
// one item. One of a later version is refused.
func TestLogsOfEarlierLedgers(t *testing.T) {
	_, earlier := enters(t)
	if err := os.CopyFS(".", os.DirFS(earlier)); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("answer.json")
	if err != nil {
		t.Fatal(err)
	}
	got, _ := runs(t, 0, "holdout score tests right.csv --show score --near 0.5 -f json")
	if want := strings.Replace(string(want), `"repeated":false`, `"repeated":true,"key":null`, 1); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	runs(t, 0, "holdout score tests right.csv --show pass --bar 0.1")
	runs(t, 0, "holdout verify tests")
	write(t, "two.csv", "id,prediction\n0,x\n1,#### 7\n")
	runs(t, 0, "holdout price filters two.csv --show score")
	for _, action := range []string{"verify", "status", "log"} {
		runs(t, 0, "holdout "+action+" repeats")
	}
	for _, line := range []string{"score repeats repeats.json --name n --show score", "price repeats --show score", "extend repeats --labels tests.json"} {
		const want = "repeats.json: items 0 and 1 have the same vars: an earlier version took repeats of one item for rows, and its promise is void"
		if _, stderr := runs(t, 2, "holdout "+line); !strings.Contains(stderr, "the labels: ") || !oneLine(stderr, want) {
			t.Errorf("%s: got %s", line, stderr)
		}
	}
}

package holdout

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
)

// A ledger with rows that come between the looks, from its plan file to its end: the exit code 3 for a look whose rows
// have not come, and the number of rows in each answer. A served one answers the same.
func TestRowsThatCome(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 400, 400)
	table := func(file, column string, from, to int) {
		var b strings.Builder
		fmt.Fprintf(&b, "id,%s\n", column)
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "r%d,%s\n", i, []string{"cat", "dog"}[i%2])
		}
		write(t, file, b.String())
	}
	table("early.csv", "prediction", 0, 300)
	table("late.csv", "prediction", 0, 450)
	table("more.csv", "label", 400, 500)
	write(t, "plan.yaml", "schema: dpcalc/plan-file/1\ndefaults: {beta: 5%}\nscenarios:\n  - {name: stages, arrive: '300:1,450:3'}\n"+
		"  - {name: feed, queries: 30, arrive-rows: 50, arrive-looks: 10}\n  - {name: many, arrive: '401:2'}\n"+
		"  - {name: open, open: true, method: gaussian-open, queries: 30}\n  - {name: gates, open: true, feedback: gate, queries: 30}\n"+
		"  - {name: differ, arrive: '300:1', query: difference}\n")
	for scenario, want := range map[string]string{
		"many": "plan.yaml: arrive: got 400 labels, want at least 401", "gates": "plan.yaml: feedback: got gate without a number",
		"differ": "plan.yaml: arrive: got it with differences",
	} {
		if out, stderr := runs(t, 2, "holdout init new --labels labels.csv --plan plan.yaml --scenario "+scenario); out != "" ||
			!strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %s%s, want %s", scenario, out, stderr, want)
		}
	}
	for _, scenario := range []string{"feed", "open", "stages"} {
		row(t, 0, "holdout init "+scenario+" --labels labels.csv --plan plan.yaml --scenario "+scenario)
		row(t, 0, "holdout verify "+scenario)
	}
	if first := row(t, 0, "holdout score stages early.csv"); first["look"] != 1. || first["rows"] != 300. {
		t.Errorf("%v", first)
	}
	refused := "dpcalc: holdout: refused: look 2 is about the first 450 rows, and 400 are at hand: add 50 rows before it\n"
	if _, stderr := runs(t, 3, "holdout score stages late.csv"); stderr != refused {
		t.Errorf("got %s, want %s", stderr, refused)
	}
	if s := row(t, 0, "holdout status stages"); s["samples"] != 400. || s["next_rows"] != 450. || s["remaining_looks"] != 2. {
		t.Errorf("%v", s)
	}
	runs(t, 2, "holdout extend stages --labels more.csv --replace")
	row(t, 0, "holdout extend stages --labels more.csv")
	address, stop := serving(t, "holdout serve stages --addr 127.0.0.1:0")
	for _, c := range []struct {
		file string
		code int
		want string
	}{{"late.csv", 200, `"look":2,`}, {"early.csv", 200, `"look":1,`}, {"labels.csv", 400, "want id and prediction"}} {
		body, err := os.Open(c.file)
		if err != nil {
			t.Fatal(err)
		}
		a, err := http.Post(address+"/looks", "text/csv", body)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := a.Write(&text); err != nil || a.StatusCode != c.code || !strings.Contains(text.String(), c.want) {
			t.Errorf("%s: got %s (%v), want %d and %s", c.file, &text, err, c.code, c.want)
		}
	}
	stop()
	out, _ := runs(t, 0, "holdout log stages -f csv")
	if lines := strings.Split(out, "\n"); !strings.HasSuffix(lines[1], ",300") || !strings.HasSuffix(lines[2], ",500") ||
		!strings.HasSuffix(lines[3], ",450") {
		t.Errorf("the log is %s", out)
	}
	row(t, 0, "holdout verify stages")
	made := row(t, 0, "holdout init free --labels labels.csv -b 0.05 --method gaussian-open")
	one := row(t, 0, "holdout score free p400.tsv")
	if !(one["tau"].(float64) < made["tau"].(float64)/2) || one["response"].(float64) < 0.5 { // noise that is cut at 2.8 sd
		t.Errorf("%v of %v", one, made)
	}
	if _, stderr := runs(t, 2, "holdout init new --labels labels.csv --method gaussian-open"); !strings.Contains(stderr, "holdout init: one of four given") {
		t.Error(stderr)
	}
}

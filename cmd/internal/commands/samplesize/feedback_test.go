package samplesize

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// rowsBy are all rows of a command by their methods.
func rowsBy(t *testing.T, command string) map[string]map[string]any {
	t.Helper()
	args := append(strings.Fields("samplesize "+command), "--full", "-f", "json")
	code, out, stderr := commandtest.Dpcalc(args...)
	var got struct{ Rows []map[string]any }
	if err := json.Unmarshal([]byte(out), &got); code != usage.ExitOK || err != nil {
		t.Fatalf("%s: exit %d, %v, %s", command, code, err, stderr)
	}
	rows := map[string]map[string]any{}
	for _, r := range got.Rows {
		rows[r["method"].(string)] = r
	}
	return rows
}

// Where a binomial tail at one row fewer equals the failure probability, the number of rows is not called exact; next
// to that it is. One of the ties is P[Bin(2,1/2) = 2] = 1/4, the other P[Bin(1,.3) >= 1] = .3.
func TestTiesAreNotExact(t *testing.T) {
	const gate = "-m 1 --passes 1 --feedback gate --query binary --method gate "
	for command, want := range map[string]string{
		gate + "-t .3 -b .25 --threshold .5":                                                  "fewest rows: 3, at most",
		gate + "-t .3 -b .249999999 --threshold .5":                                           "fewest rows: 3, exact",
		gate + "-t .3 -b .250000001 --threshold .5":                                           "fewest rows: 2, exact",
		"-m 1 -t .7 -b .3 --query binary --feedback final --one-sided --method sealed":        "fewest rows: 2, at most",
		"-m 1 -t .7 -b .30000001 --query binary --feedback final --one-sided --method sealed": "fewest rows: 1, exact",
	} {
		if code, out, stderr := commandtest.Dpcalc(strings.Fields("samplesize " + command)...); !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, %s%s, want %q", command, code, out, stderr, want)
		}
	}
}

// Where no error can be as large as what is promised against, the failure probability is 0 in every format.
func TestWhatCannotFail(t *testing.T) {
	for _, command := range []string{
		"-m 3 -n 10 -t .1 --feedback gate --threshold -.2 --one-sided --method gate --query difference --disagreement .1",
		"-m 3 -n 10 -t .1 --feedback gate --threshold 0 --one-sided --method gate",
		"-m 3 -n 10 -t .1 --feedback gate --threshold 0 --one-sided --method gate --query binary",
	} {
		for _, row := range rowsBy(t, command) {
			if row["status"] != "ok" || row["beta"] != 0.0 {
				t.Errorf("%s: %v", command, row)
			}
		}
		book := filepath.Join(t.TempDir(), "book.xlsx")
		code, _, stderr := commandtest.Dpcalc(append(strings.Fields("samplesize "+command), "--output", book)...)
		if code != usage.ExitOK {
			t.Errorf("%s: exit %d, %s", command, code, stderr)
		}
	}
	short := []string{"samplesize", "-m", "100", "-n", "10", "-t", ".01", "--output", filepath.Join(t.TempDir(), "book.xlsx")}
	if code, _, stderr := commandtest.Dpcalc(short...); code != usage.ExitNoAnswer {
		t.Errorf("a workbook of no certified failure probability: exit %d, %s", code, stderr)
	}
}

// The plans of the page on feedback, whose numbers were found by another program. The star is the least of the rows.
func TestFeedbackPlans(t *testing.T) {
	for _, c := range []struct{ command, want string }{
		{"-m 32 -t .01 -b 1e-4 --feedback gate --passes 1",
			"gate 55729 gate-renggli19 63381"},
		{"-m 32 -t .01 -b 1e-4 --feedback gate --passes 5",
			"gate 98287 gate-renggli19 156956"},
		{"-m 32 -t .01 -b 1e-4 --feedback gate",
			"gate 143641 gate-renggli19 156956"},
		{"-m 32 -t .01 -b 1e-4 --feedback gate --threshold .95",
			"gate 25530"},
		{"-m 32 -t .01 -b 1e-4 --feedback gate --query difference --disagreement .1 --threshold .02 --one-sided",
			"gate 61472 gate-renggli19 67706"},
		{"-m 32 -t .01 -b 1e-4 --feedback gate --query difference --disagreement .1 --threshold .02 --one-sided --passes 1",
			"gate 25384 gate-renggli19 29048"},
		{"-m 100 -t .1 -b .05 --feedback best",
			"ladder 2046"},
		{"-m 1000 -t .1 -b .05 --feedback best",
			"ladder 3066 ladder-blum15 42551"},
		{"-m 1000 -t .1 -b .05 --feedback best --floor .5",
			"ladder 1186"},
		{"-m 1000 -t .1 -b .05 --feedback flags --budget 1",
			"sparse-validate 5326"},
		{"-m 1000 -t .1 -b .05 --feedback flags --budget 10",
			"sparse-validate 44247"},
		{"-m 1000 -t .1 -b .05 --feedback flags --budget 1 --guess-error 0",
			"sparse-validate 1385"},
		{"-m 1000 -t .1 -b .05 --feedback flags --budget 1 --hold .05",
			"sparse-validate 599"},
		{"-m 1000 -t .1 -b .05 --feedback flags --budget 10 --hold .05",
			"sparse-validate 10602"},
		{"-m 1 -t .1 -b .05 --feedback final",
			"sealed 137"},
		{"-m 10 -t .1 -b .05",
			"rounding-widths 925 rounding 2544"},
	} {
		command, fields := c.command, strings.Fields(c.want)
		rows := rowsBy(t, command)
		for i := 0; i < len(fields); i += 2 {
			most, err := strconv.ParseFloat(fields[i+1], 64)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := rows[fields[i]]["samples"].(float64)
			if searched := fields[i] == "ladder" || fields[i] == "sparse-validate"; !ok || got > most && !searched ||
				got > most*1.001 || got < most*0.99 {
				t.Errorf("%s: %s needs %v rows, want %v", command, fields[i], rows[fields[i]]["samples"], most)
			}
		}
		for name, r := range rows {
			if r["best"] == true {
				continue
			}
			for other, best := range rows {
				if better := best["best"] == true && r["status"] == "ok" && r["adaptive"] == true; better &&
					r["samples"].(float64) < best["samples"].(float64) {
					t.Errorf("%s: the star is at %s, and not at %s", command, other, name)
				}
			}
		}
	}
}

// What a row says of what is shown.
func TestFeedbackFields(t *testing.T) {
	for command, want := range map[string]string{
		"-m 8 -t .1 -b .05 --feedback gate --method gate":                              "gate feedback=gate passes=8 one_sided=false pass_at=<nil> bar=<nil>",
		"-m 8 -t .1 -b .05 --feedback gate --threshold .5 --passes 2 --method gate":    "gate passes=2 bar=0.5 pass_at=0.6",
		"-m 8 -t .1 -b .05 --feedback gate --one-sided --method gate":                  "gate one_sided=true",
		"-m 8 -t .1 -b .05 --feedback gate --one-sided --method gaussian-cvar":         "gaussian-cvar one_sided=false",
		"-m 8 -t .1 -b .05 --feedback best --floor .3 --method ladder":                 "ladder floor=0.3 feedback=best",
		"-m 8 -t .1 -b .05 --feedback flags -B 2 --method sparse-validate":             "sparse-validate guess_error=0.05 hold=<nil> budget=2 parts=<nil>",
		"-m 8 -t .1 -b .05 --feedback flags -B 2 --hold .04 --method sparse-validate":  "sparse-validate guess_error=<nil> hold=0.04 threshold=0.04",
		"-m 1 -t .1 -b .05 --feedback final --method sealed":                           "sealed feedback=final adaptive=true ln_transcripts=0",
		"-m 2 -t .1 -b .05 --query difference --method hoeffding-kl":                   "hoeffding-kl disagreement=1 proof=derived",
		"-m 2 -t .1 -b .05 --query difference --disagreement .2 --method hoeffding-kl": "hoeffding-kl disagreement=0.2",
		"-m 4 -t .1 -b .05 --past-looks 2 --query binary --method gaussian-schedule":   "gaussian-schedule past_looks=2",
		"-m 4 -t .1 -b .05 --ln-transcripts 3 --method transcripts":                    "transcripts ln_transcripts=3",
	} {
		rows := rowsBy(t, command)
		fields := strings.Fields(want)
		for _, f := range fields[1:] {
			key, value, _ := strings.Cut(f, "=")
			if got, ok := rows[fields[0]][key]; !ok || fmt.Sprint(got) != value {
				t.Errorf("%s: %s is %v, want %s", command, key, got, value)
			}
		}
	}
}

// Rows for another feedback are absent, and where they are named they say what they need.
func TestRowsOfAnotherFeedback(t *testing.T) {
	for feedback, absent := range map[string]string{
		"answers": "gate gate-renggli19 ladder ladder-blum15 sparse-validate sealed transcripts",
		"gate":    "ladder sealed sparse-validate thresholdout dp transcripts", "best": "gate sealed thresholdout dp",
		"flags -B 1": "gate ladder sealed dp", "final": "gate ladder gaussian-schedule splitting rounding dp",
	} {
		rows := rowsBy(t, "-m 8 -t .1 -b .05 --feedback "+feedback)
		for name := range strings.FieldsSeq(absent) {
			if _, ok := rows[name]; ok {
				t.Errorf("--feedback %s has the row %s", feedback, name)
			}
		}
		if _, ok := rows["hoeffding"]; !ok {
			t.Errorf("--feedback %s has no reference row", feedback)
		}
	}
	code, out, _ := commandtest.Dpcalc(strings.Fields("samplesize -m 8 -t .1 -b .05 --method gate -f csv")...)
	if code != usage.ExitNoAnswer || !strings.Contains(out, ",not_applicable,needs --feedback gate,") {
		t.Errorf("exit %d, %s", code, out)
	}
}

// Every value that cannot be is refused in one line.
func TestFeedbackRefusals(t *testing.T) {
	for command, want := range map[string]string{
		"-m 8 --feedback gate --passes 9":                         "--passes: got 9, want at most the number of queries",
		"-m 8 --feedback gate --passes 0":                         "--passes: got 0, want a whole number from 1 to 9007199254740992",
		"-m 8 --feedback gate --threshold .9":                     "--threshold: got 0.9, want a number in [0, 0.9), and a query that is a mean",
		"-m 8 --feedback gate --threshold -.1":                    "--threshold: got -0.1, want a number in [0, 0.9), and a query that is a mean",
		"-m 8 --passes 2":                                         "--passes needs --feedback gate",
		"-m 8 --feedback best --passes 2":                         "--passes needs --feedback gate",
		"-m 8 --feedback gate --floor .2":                         "--floor needs --feedback best",
		"-m 8 --feedback best --floor 1":                          "--floor: got 1, want a number in [0, 1)",
		"-m 8 --feedback flags":                                   "--budget: got nothing, want how many flags --feedback flags may raise",
		"-m 8 --feedback flags -B 9":                              "--budget: got 9, want at most the number of queries",
		"-m 8 --feedback flags -B 1 --hold .1":                    "--hold: got 0.1, want a number in (0, 0.1)",
		"-m 8 --feedback flags -B 1 --guess-error .1":             "--guess-error: got 0.1, want a number in [0, 0.1)",
		"-m 8 --feedback flags -B 1 --guess-error .01 --hold .05": "--guess-error: given with --hold, want one of the two",
		"-m 8 --disagreement .5":                                  "--disagreement needs --query difference",
		"-m 8 --query difference --disagreement 1.5":              "--disagreement: got 1.5, want a number in (0, 1]",
		"-m 8 --query binary --at-least .5":                       "--at-least: got 0.5, want a number in (0.5, 1)",
		"-m 8 --query binary --at-least 1":                        "--at-least: got 1, want a number in (0.5, 1)",
		"-m 8 --query binary --at-least nine":                     "--at-least: got nine, want a number in (0.5, 1)",
		"-m 8 --at-least .9":                                      "--at-least needs --query binary",
		"-m 8 --variance .26":                                     "--variance: got 0.26, want a number in (0, 0.25]",
		"-m 8 --variance 0":                                       "--variance: got 0, want a number in (0, 0.25]",
		"-m 8 --query sensitive --variance .1":                    "--variance needs --query bounded or binary",
		"-m 8 --query binary --at-least .9 --variance .1":         "--variance: given with --at-least, want one of the two",
		"-m 8 --query difference --disagreement .1 --variance .1": "--variance needs --query bounded or binary",
		"-m 8 --query difference --disagreement .1 --at-least .9": "--at-least needs --query binary",
		"-m 8 --enforce":                                          "--enforce: got true, want false, or a disagreement, at-least or second-moment to enforce",
		"-m 8 --variance .1 --enforce":                            "--enforce: got true, want false, or a disagreement, at-least or second-moment to enforce",
		"-m 8 --two-classes":                                      "--two-classes: got it, want --query difference, --disagreement, --enforce and --feedback gate too",
		"-m 8 --transcripts .5":                                   "--transcripts: got .5, want a number of at least 1, or a power such as 2^80",
		"-m 8 --transcripts 9 --ln-transcripts 3":                 "--ln-transcripts: given with --transcripts, want one of the two",
		"-m 8 --feedback gate --budget 3":                         "--budget needs --feedback flags",
		"-m 8 --feedback score":                                   "--feedback: got score, want answers, gate, best, flags or final",
		"-m 8 --feedback gate --schedule x.csv":                   "--schedule: got gate as the best method, which runs on no table, want another --method",
	} {
		args := append(strings.Fields("samplesize -t .1 -b .05"), strings.Fields(command)...)
		code, out, stderr := commandtest.Dpcalc(args...)
		if code != usage.ExitUsage || out != "" || !strings.HasPrefix(stderr, "dpcalc: "+want) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %s%s, want %s", command, code, out, stderr, want)
		}
	}
	// Of many goals such a one is a row.
	code, out, stderr := commandtest.Dpcalc(strings.Fields("samplesize -m 4,8 -t .1 -b .05 --feedback gate --passes 6 --method gate -f csv")...)
	if code != usage.ExitOK || strings.Count(out, ",not_applicable,needs passes of at most the number of queries,") != 1 {
		t.Errorf("exit %d, %s%s", code, out, stderr)
	}
}

// The table that a method runs on is written line by line.
func TestTablesToRunOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.csv")
	for command, want := range map[string]struct {
		head  string
		lines int // 0 for any
	}{
		"-m 1000 -t .1 -b .05 --feedback best":                               {"boundary,value", 0},
		"-m 100 -t .1 -b .05 --feedback flags -B 7 --method sparse-validate": {"flag,width", 7},
		"-m 20 -t .1 -b .05 --method rounding-widths":                        {"query,width", 20},
		"-m 20 -t .1 -b .05 --method gaussian":                               {"query,noise_scale,cut", 20},
		"-m 20 -t .1 -b .05":                                                 {"query,noise_scale,cut", 20},
	} {
		os.Remove(path)
		code, _, stderr := commandtest.Dpcalc(append(strings.Fields("samplesize "+command), "--schedule", path)...)
		text, err := os.ReadFile(path)
		if code != usage.ExitOK || err != nil {
			t.Fatalf("%s: exit %d, %s, %v", command, code, stderr, err)
		}
		lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		if err != nil || strings.Join(lines[0], ",") != want.head || want.lines != 0 && len(lines) != want.lines+1 ||
			len(lines) < 3 {
			t.Errorf("%s: %d lines, %v, %v", command, len(lines), lines[0], err)
		}
		for i, line := range lines[1:] {
			if want.lines != 0 && line[0] != strconv.Itoa(i+1) {
				t.Errorf("%s: line %d begins with %s", command, i+1, line[0])
			}
		}
	}
}

// A plan file keeps every flag of a goal, and a scenario's own hold replaces a guess error of the defaults.
func TestFeedbackInPlanFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, command := range []string{
		"-m 32 -t .01 -b 1e-4 --feedback gate --query difference --disagreement .1 --threshold .02 --one-sided --passes 1",
		"-m 100 -t .1 -b .05 --feedback flags -B 3 --guess-error .01", "-m 100 -t .1 -b .05 --feedback flags -B 3 --hold .05",
		"-m 100 -t .1 -b .05 --feedback best --floor .5", "-m 10 -t .1 -b .05 --transcripts 2^20",
		"-m 10 -t .1 -b .05 --ln-transcripts 9", "-m 10 -t .1 -b .05 --past-looks 1 --query binary",
	} {
		file := fmt.Sprintf("plan%d.yaml", i)
		savePlan(t, file, strings.Fields(command)...)
		_, want, stderr := commandtest.Dpcalc(append(strings.Fields("samplesize "+command), "-f", "csv")...)
		_, got, more := commandtest.Dpcalc("plan", "run", file, "-f", "csv")
		if stripped := strings.ReplaceAll(strings.TrimPrefix(got, "scenario,"), "\nplan,", "\n"); stripped != want ||
			stderr+more != "" {
			t.Errorf("%s: %s%s\n%s\nwant\n%s", command, stderr, more, stripped, want)
		}
	}
	text := "defaults: {queries: 100, tau: 0.1, beta: 0.05, feedback: flags, budget: 3, guess-error: 0.01}\n" +
		"scenarios: [{name: a}, {name: b, hold: 0.05}, {name: c, one-sided: maybe}]\n"
	if err := os.WriteFile("p.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := commandtest.Dpcalc("plan", "run", "p.yaml"); code != usage.ExitUsage ||
		!strings.Contains(stderr, "scenario c: one-sided: got maybe, want true or false") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// A table of all methods says what less feedback would cost or give, whatever is unknown: each line has the flags of
// the command that says so too. Other tables do not.
func TestLessFeedback(t *testing.T) {
	line := regexp.MustCompile(`(?m)^  [a-z].*?  +(?:tau |beta )?([0-9.,e-]+)(?: rows| queries)?  (--feedback .*)$`)
	for command, want := range map[string]int{
		"-m 1000 -t .1 -b .05": 3, "-m 2 -t .1 -b .05": 2, "-m 10 -n 1000 -b .05": 2, "-m 1000 -n 10k -b .05": 3,
		"-n 1000 -t .1 -b .05": 2, "-m 1000 -n 20k -t .1": 3, "-m 1000 -n 10k -t .1 -b .05": 3,
		"-m 1000 -n 1k -t .1 -b .05": 3,
		"-m 100 -n 10 -b .05":        3, "-m 1000 -t .1 -b .05 --full": 3,
		"-m 1000 -n 10k -b .05 --query difference --disagreement .1": 2,
		"-m 1 -t .1 -b .05": 0, "-m 10 -t .1 -b .05 --method gaussian": 0, "-m 10 -t .1 -b .05 --feedback gate": 0,
		"-m 10,20 -n 1000 -b .05": 0, "-m 10 -t .1 -b .05 --past-looks 1 --query binary": 0,
	} {
		_, out, _ := commandtest.Dpcalc(strings.Fields("samplesize " + command)...)
		ways := line.FindAllStringSubmatch(out, -1)
		if len(ways) != want || strings.Contains(out, "Show less") != (want > 0) {
			t.Errorf("%s: %d ways, want %d\n%s", command, len(ways), want, out)
		}
		for _, way := range ways {
			same := strings.TrimSuffix(command, " --full")
			if _, more, ok := strings.Cut(way[2], " -m 1"); ok && more == "" {
				same = regexp.MustCompile(`-m \d+`).ReplaceAllString(same, "")
			}
			if strings.Count(command, "-n ")+strings.Count(command, "-t ") == 2 && strings.Contains(command, "-m ") &&
				strings.Contains(command, "-b ") { // a check is told what its rows give
				same = strings.Replace(same, "-t .1", "", 1)
			}
			code, best, stderr := commandtest.Dpcalc(append(strings.Fields("samplesize --best "+same), strings.Fields(way[2])...)...)
			if code != 0 || !strings.Contains(best, " "+strings.ReplaceAll(way[1], ",", "")+" ") {
				t.Errorf("%s: %q, but with these flags\n%s%s", command, way[0], best, stderr)
			}
		}
	}
}

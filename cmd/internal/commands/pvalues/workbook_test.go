package pvalues

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands/steps"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/csvfile"
	"github.com/dpcalc/dpcalc/cmd/internal/expr"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/xuri/excelize/v2"
)

// followed are the corrections with explicit formulas, by the kind of the first step.
var followed = map[string][]string{
	"pure-dp": {"max-info-any", "renyi", "kl"}, "approx-dp": {"approx-dp", "group"}, "gdp": {"group", "kl"},
	"gaussian": {"group", "kl"}, "description": {"bonferroni"}, "mutual-info": {"rogers16", "kl"},
	"max-info": {"max-info"}, "zcdp": {"approx-dp", "group", "kl"}, "gates": {"gates"},
}

// liveCorrections are commands whose workbooks have every kind of cell.
var liveCorrections = []string{
	"--alpha 0.05 --by pure-dp --epsilon 0.01 -n 10k --p 0.003",
	"--alpha 0.05 --by pure-dp --epsilon 0.01 -n 10k",
	"--alpha 0.05 --by approx-dp --epsilon 0.01 --delta 1e-30 -n 10k --p 1e-4343",
	"--alpha 0.05 --by approx-dp --epsilon 0.0001 --delta 1e-12 -n 10k --p 0.003",
	"--alpha 0.05 --by approx-dp --epsilon 0 --delta 1e-400 -n 10k --p 0.003",
	"--alpha 0.05 --by gdp --mu 0.001 -n 10k --p 0",
	"--alpha 0.05 --by gaussian -m 100 --noise-sd 10 -n 10k --p 1e-20",
	"--alpha 0.05 --by description --outcomes 100 --p 0.003",
	"--alpha 1e-4343 --by description --bits 10 --p 1",
	"--alpha 0.05 --by mutual-info --bits 0.1 --p 0.003",
	"--alpha 0.05 --by mutual-info --nats 0.001 --p 0.003 --method rogers16",
	"--alpha 0.05 --by max-info --bits 3 --slack 0.01 --p 0.0001",
	"--alpha 0.05 --by max-info --nats 2000 --p 0.0001",
	"--alpha 0.05 --by max-info --bits 3 --slack 0.01 --data any --p 0.0001",
	"--alpha 0.05 --by steps -n 10k --step pure-dp:epsilon=0.005 --step pure-dp:epsilon=0.005 --step description:outcomes=100 --step max-info:bits=2,slack=0.001,data=any --step pure-dp:epsilon=0.0001 --p 0.00001",
	"--alpha 0.05 --by steps -n 10k --step gdp:mu=0.0001 --step gaussian:queries=100,noise-sd=10 --p 0.00001",
	"--alpha 0.05 --by steps -n 10k --step gaussian:queries=100,noise-sd=10 --step gaussian:queries=50,noise-sd=9 --p 0.00001",
	"--alpha 0.05 --by steps -n 10k --step description:outcomes=10 --step description:bits=3 --step max-info:bits=1,slack=0.01,data=any --step max-info:bits=1,slack=0.02,data=any",
	"--alpha 0.05 --by steps -n 10k --step approx-dp:epsilon=0.0001,delta=1e-12 --step pure-dp:epsilon=0.0001 --p 0.01",
	"--alpha 0.05 --by pure-dp --epsilon 0.01 -n 10k --data any --p 1e-50",
	"--alpha 0.05 --by zcdp --rho 1e-6 -n 10k --p 1e-3",
	"--alpha 0.05 --by gates --looks 20 --passes 3 --p 1e-5",
	"--alpha 0.05 --by gates --looks 20 --p 1e-5",
	"--alpha 0.05 --by gates --looks 1000 --passes 40",
	"--alpha 0.05 --by description --outcomes 2^80 --p 1e-30",
	"--alpha 0.05 --by steps -n 10k --step description:outcomes=10 --step pure-dp:epsilon=0.005 --p 0.001",
	"--alpha 0.05 --by steps -n 10k --step gates:looks=5,passes=2 --step zcdp:rho=1e-7 --step gates:looks=6",
	"--alpha 0.05 --by steps -n 10k --step max-info:bits=1,slack=0.01 --step gdp:mu=0.00001 --step description:outcomes=3",
	"--alpha 0.05 --by steps -n 10k --step zcdp:rho=1e-8 --step zcdp:rho=2e-8 --p 0.01",
}

// liveRows reads the table of a sheet Live by method and column, and where its rows are.
func liveRows(t *testing.T, f *excelize.File) (table map[string]map[string]string, at map[string]int) {
	t.Helper()
	table, at = make(map[string]map[string]string), make(map[string]int)
	var head []string
	for i, row := range commandtest.Contents(t, f, "Live") {
		switch {
		case len(row) > 0 && row[0] == "method":
			head = row
		case head != nil && len(row) > 0:
			table[row[0]], at[row[0]] = make(map[string]string), i+1
			for j, text := range row {
				table[row[0]][head[j]] = text
			}
		}
	}
	return table, at
}

// The sheet Live has formulas where there are explicit ones and labelled values
// elsewhere, and both show what dpcalc computes, thresholds not above it and adjusted
// p-values not below.
func TestLiveCorrections(t *testing.T) {
	for _, command := range liveCorrections {
		args := append([]string{"pvalue-correct"}, strings.Fields(command)...)
		f := commandtest.OpenBook(t, args...)
		if got := f.GetSheetList(); !slices.Equal(got, []string{"pvalue-correct", "Live", "About"}) {
			t.Errorf("%s: sheets %v", command, got)
		}
		inputs, _ := commandtest.LiveTable(t, f)
		if p, u := value(t, f, inputs["problem"]), value(t, f, inputs["unchanged"]); p != "none" || u != "yes" {
			t.Errorf("%s: problem %q, unchanged %q", command, p, u)
		}
		if words := value(t, f, inputs["command"]); inputs["command"] != "" {
			again := append(strings.Fields(words)[1:], "-f", "csv")
			_, want, _ := commandtest.Dpcalc(append(args, "-f", "csv")...)
			if _, got, stderr := commandtest.Dpcalc(again...); got != want {
				t.Errorf("%s: %s writes %s%s", command, words, got, stderr)
			}
		} else if !strings.Contains(command, "e-4343") && !strings.Contains(command, "e-400") &&
			!strings.Contains(command, "2^80") {
			t.Errorf("%s: no command", command)
		}
		table, at := liveRows(t, f)
		rows := commandtest.RowsOf(t, args...)
		if len(table) != len(rows) {
			t.Fatalf("%s: rows %v", command, table)
		}
		kind, _, _ := strings.Cut(strings.Fields(command)[slices.Index(strings.Fields(command), "--by")+1], ":")
		if kind == bySteps {
			kind, _, _ = strings.Cut(strings.Fields(command)[slices.Index(strings.Fields(command), "--step")+1], ":")
		}
		words := strings.Fields(command)
		var stepKinds []string
		for i, word := range words {
			if name, _, ok := strings.Cut(word, ":"); ok && words[i-1] == "--step" {
				stepKinds = append(stepKinds, name)
			}
		}
		expected := followed[kind]
		if len(stepKinds) > 1 {
			expected = nil
		}
		for _, row := range rows {
			name := row["method"].(string)
			got := table[name]
			formula, _ := f.GetCellFormula("Live", fmt.Sprint("B", at[name]))
			if strings.HasPrefix(formula, `IF(unchanged="yes"`) {
				formula = ""
			}
			if follows := row["status"] == "ok" && slices.Contains(expected, name); follows != (formula != "") &&
				row["status"] != "vacuous" {
				t.Errorf("%s: %s has the formula %q", command, name, formula)
			}
			exact := formula != "" && len(stepKinds) < 2 && !strings.Contains(command, "--passes 40") &&
				!(kind == "zcdp" && name == "approx-dp") && name != "kl"
			source := "value"
			switch {
			case row["status"] == "vacuous":
				source = noThreshold
			case row["status"] == "not_applicable":
				source = row["reason"].(string)
			case exact:
				source = "formula"
			}
			if got["source"] != source || got["proof"] != row["proof"] {
				t.Errorf("%s: %s is %v, want %s", command, name, got, source)
			}
			if row["status"] != "ok" {
				if got["threshold"] != "none" {
					t.Errorf("%s: %s has the threshold %s", command, name, got["threshold"])
				}
				continue
			}
			loose := 0.0
			if name == "group" && (kind == "gdp" || kind == "gaussian") { // by the normal law of a spreadsheet
				loose = 1e-6
			}
			checkConfidence(t, command+" "+name, got["confidence"], row, loose)
			checkLive(t, command+" "+name, got, row, loose)
			for j := 2; j <= 6; j++ {
				if formula, _ := f.GetCellFormula("Live",
					commandtest.CellAt(j, at[name])); len(formula) > 4000 { // 8192 are allowed
					t.Errorf("%s: %s has a formula of %d characters", command, name, len(formula))
				}
			}
		}
	}
}

// checkSafe asks of a row that may be below dpcalc's, or of a blank one, that it promises no more.
func checkSafe(t *testing.T, where string, got map[string]string, row map[string]any) {
	t.Helper()
	if got["source"] == onlyDpcalc {
		if got["threshold"]+got["ln threshold"]+got["reject"]+got["confidence"] != "" || got["p adjusted"] != "" &&
			got["p adjusted"] != onlyDpcalc {
			t.Errorf("%s: a stale number in %v", where, got)
		}
		return
	}
	exact, ok := row["ln_threshold"].(float64)
	if ln, err := strconv.ParseFloat(got["ln threshold"], 64); err == nil && (!ok || ln > exact) {
		t.Errorf("%s: ln threshold %s, dpcalc says %v", where, got["ln threshold"], row["ln_threshold"])
	}
	if got["reject"] == "yes" && row["reject"] != true {
		t.Errorf("%s: rejects, dpcalc does not", where)
	}
	want, _ := row["confidence"].(float64)
	if x, err := strconv.ParseFloat(got["confidence"], 64); err == nil && (x < want-1e-15 || x >= 1) {
		t.Errorf("%s: confidence %s, dpcalc says %v", where, got["confidence"], want)
	}
	if got["p adjusted"] != "" && got["p adjusted"] != onlyDpcalc && got["source"] != noThreshold {
		t.Errorf("%s: p adjusted %s", where, got["p adjusted"])
	}
}

// checkConfidence compares a level of intervals with that of JSON: not below it but for the last digit of a file, and
// to within some parts in 1e11 of what it lacks of one and loose more.
func checkConfidence(t *testing.T, where, got string, row map[string]any, loose float64) {
	t.Helper()
	want, ok := row["confidence"].(float64)
	if ok = ok && want < 1; got == overAll || !ok {
		if ok && want < 1-2e-13 {
			t.Errorf("%s: confidence %s, dpcalc says %v", where, got, want)
		}
		return
	}
	if x, err := strconv.ParseFloat(got, 64); err != nil || x < want-1e-15 || x > want+(1e-10+20*loose)*(1-want)+4e-15 {
		t.Errorf("%s: confidence %s, dpcalc says %v", where, got, want)
	}
}

func value(t *testing.T, f *excelize.File, cell string) string {
	t.Helper()
	if cell == "" {
		return ""
	}
	text, err := f.GetCellValue("Live", cell, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// checkLive compares a row of the sheet with one of JSON: on the safe side, to within
// some parts in 1e11 of the logarithm and loose more.
func checkLive(t *testing.T, where string, got map[string]string, row map[string]any, loose float64) {
	t.Helper()
	exact := row["ln_threshold"].(float64)
	slack := (1e-11 + loose) * (1 + math.Abs(exact))
	switch text := got["ln threshold"]; text {
	case belowLn:
		if exact > -706 || got["threshold"] != belowCell {
			t.Errorf("%s: threshold %s (%s), dpcalc says e^%v", where, got["threshold"], text, exact)
		}
	default:
		ln, err := strconv.ParseFloat(text, 64)
		if err != nil || !(ln <= exact && ln >= exact-slack) {
			t.Errorf("%s: ln threshold %s, dpcalc says %v", where, text, exact)
		}
		if got["threshold"] == belowCell {
			if exact > -706.89 {
				t.Errorf("%s: threshold %s, dpcalc says e^%v", where, belowCell, exact)
			}
		} else if x, err := strconv.ParseFloat(got["threshold"], 64); err != nil || x < 1e-307 ||
			math.Abs(math.Log(x)-ln) > 2e-13*(1+math.Abs(ln)) || math.Log(x) > exact {
			t.Errorf("%s: threshold %s of logarithm %v", where, got["threshold"], ln)
		}
	}
	lnP, ok := row["ln_p"].(float64)
	if !ok && row["p"] == nil {
		if got["p adjusted"] != "" || got["reject"] != "" {
			t.Errorf("%s: without p: %v", where, got)
		}
		return
	}
	if !ok {
		lnP = math.Inf(-1)
	}
	reject := row["reject"].(bool)
	if near := math.Abs(lnP-exact) <= slack; got["reject"] != map[bool]string{true: "yes", false: "no"}[reject] &&
		!(near && got["reject"] == "no") && !(got["reject"] == "undecided" && got["ln threshold"] == belowLn && lnP < -700) {
		t.Errorf("%s: reject %s, dpcalc says %v", where, got["reject"], reject)
	}
	if got["p adjusted"] == onlyDpcalc {
		return
	}
	adjusted := math.Inf(-1)
	if ln, ok := row["ln_p_adjusted"].(float64); ok {
		adjusted = ln
	}
	adjusted = max(adjusted, math.Log(1e-307))
	high := adjusted + (1e-10+loose)*(1+math.Abs(adjusted)) + 1e-12*min(math.Abs(lnP), 1e6)
	if loose >= 1e-6 && lnP < -706 { // the normal law is taken at 1e-307
		high = 0
	}
	// A spreadsheet's file has 15 digits.
	if x, err := strconv.ParseFloat(got["p adjusted"], 64); err != nil || x > 1 || math.Log(x) < adjusted-1e-14 ||
		math.Log(x) > high {
		t.Errorf("%s: p adjusted %s, dpcalc says e^%v", where, got["p adjusted"], adjusted)
	}
}

// A table goes into a workbook with the numbers of JSON, its own columns as they are,
// and a decision that follows the sheet Live if that is the whole rule.
func TestCorrectedWorkbook(t *testing.T) {
	const n = 3000
	text, ps := genes(n)
	dir := t.TempDir()
	in := filepath.Join(dir, "genes.csv")
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags     string
		live, own bool // a sheet Live, and a column that follows it
	}{
		{"--by pure-dp --epsilon 0.01 -n 10k", true, true},
		{"--by pure-dp --epsilon 0.01 -n 10k --raw", true, true},
		{"--by pure-dp --epsilon 0.01 -n 10k --family holm", true, false},
		{"--by pure-dp --epsilon 0.01 -n 10k --family bh --family-on raw", true, false},
		{"--by mutual-info --bits 0.1", true, true},
		{"--by steps -n 10k --step rdp:order=8,epsilon=1e-6", false, false},
	} {
		args := append([]string{"pvalue-correct", in, "--alpha", "0.05"}, strings.Fields(c.flags)...)
		var book []byte
		for workers := 1; workers <= 4; workers += 3 {
			path := filepath.Join(dir, "out.xlsx")
			s := &outfile.Session{Context: t.Context(), Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer), Workers: workers}
			if code := commandtest.RunIn(s, append(append([]string{"dpcalc"}, args...), "-o", path)); code != usage.ExitOK {
				t.Fatal(s.Stderr)
			}
			written, err := os.ReadFile(path)
			if err != nil || book != nil && !bytes.Equal(book, written) {
				t.Fatalf("%s: %d workers write other bytes (%v)", c.flags, workers, err)
			}
			book = written
		}
		f, err := excelize.OpenReader(bytes.NewReader(book))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		sheets := []string{"pvalue-correct", "Live", "About"}
		if !c.live {
			sheets = slices.Delete(sheets, 1, 2)
		}
		if got := f.GetSheetList(); !slices.Equal(got, sheets) {
			t.Errorf("%s: sheets %v", c.flags, got)
		}
		_, stdout, _ := commandtest.Dpcalc(append(args, "-f", "json")...)
		var want struct{ Rows []map[string]any }
		if err := json.Unmarshal([]byte(stdout), &want); err != nil {
			t.Fatal(err)
		}
		got := commandtest.Contents(t, f, "pvalue-correct")
		head := []string{"gene", "p", `a "note"`, "p_adjusted", "threshold", "reject", "status"}
		if c.own {
			head = append(head, rejectLive.Name)
		}
		if !slices.Equal(got[0], head) || len(got) != n+1 {
			t.Fatalf("%s: %d rows of %q", c.flags, len(got), got[0])
		}
		for i, row := range want.Rows {
			for _, column := range head[:7] {
				cell := commandtest.At(t, got, i+1, column)
				want := ""
				switch value := row[column].(type) {
				case bool:
					want = map[bool]string{true: "1", false: "0"}[value]
				case string:
					want = strings.ReplaceAll(value, "\r\n", "\n")
					cell = strings.ReplaceAll(cell, "\r\n", "\n")
				case float64:
					x, err := strconv.ParseFloat(cell, 64)
					if ln := row["ln_"+column]; ln == nil || ln.(float64) > -708 {
						if err != nil || x != value {
							t.Fatalf("%s, row %d: %s %q, want %v", c.flags, i, column, cell, value)
						}
					}
					continue
				}
				if number, err := strconv.ParseFloat(want, 64); column == "p" && err == nil && !csvfile.Absent(want) {
					if x, err := strconv.ParseFloat(cell, 64); err != nil || x != number {
						t.Fatalf("%s, row %d: p %q, want %q", c.flags, i, cell, want)
					}
				} else if cell != want {
					t.Fatalf("%s, row %d: %s %q, want %q", c.flags, i, column, cell, want)
				}
			}
			id, _ := f.GetCellStyle("pvalue-correct", commandtest.CellAt(1, i+2))
			if style, err := f.GetStyle(id); err != nil || style.Font.Bold != (row["reject"] == true) {
				t.Fatalf("%s, row %d, reject %v: %+v, %v", c.flags, i, row["reject"], style.Font, err)
			}
			formula, _ := f.GetCellFormula("pvalue-correct", commandtest.CellAt(8, i+2))
			if follows := c.own && !csvfile.Absent(ps[i]); follows != (formula != "") || follows &&
				commandtest.At(t, got, i+1, rejectLive.Name) != commandtest.At(t, got, i+1, "reject") {
				t.Fatalf("%s, row %d: formula %q", c.flags, i, formula)
			}
			x, err := strconv.ParseFloat(ps[i], 64)
			if number := err == nil &&
				(x > 1e-307 && x < 1 || (x == 0 || x == 1) && len(ps[i]) == 1 &&
					!strings.Contains(c.flags, "--raw")); formula != "" && strings.Contains(formula, fmt.Sprint("B", i+2)) != number {
				t.Fatalf("%s, row %d: formula %q for %s", c.flags, i, formula, ps[i])
			}
		}
		about := fmt.Sprint(commandtest.Contents(t, f, "About"))
		for _, want := range []string{"dpcalc pvalue-correct --alpha 0.05 --by", "P-values corrected by",
			"Columns of pvalue-correct", "assumes ", "source: dpcalc docs/theorems/"} {
			if !strings.Contains(about, want) {
				t.Errorf("%s: About lacks %q: %s", c.flags, want, about)
			}
		}
		if c.live && !slices.ContainsFunc(f.GetDefinedName(), func(n excelize.DefinedName) bool {
			return n.Name == thresholdName &&
				value(t, f, strings.ReplaceAll(strings.TrimPrefix(n.RefersTo, "Live!"), "$", "")) != ""
		}) {
			t.Errorf("%s: no cell is named threshold: %v", c.flags, f.GetDefinedName())
		}
	}
}

// A table without records, one with a column of that name, one that is too long or too
// wide, and one without an answer.
func TestCorrectedWorkbookEdges(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.xlsx")
	wide := strings.Repeat("x,", excelize.MaxColumns-4)
	for _, c := range []struct {
		table, flags, says string
		code               int
	}{
		{"p\n", "--outcomes 2", "", usage.ExitOK},
		{"p,reject_live\n0.1,x\n", "--outcomes 2", "dpcalc: standard input: got a column reject_live, want that name free for the result\n", usage.ExitUsage},
		{"p,reject_live\n0.1,x\n", "--outcomes 2 --family by", "", usage.ExitOK},
		{"p\n" + strings.Repeat("1\n", 1<<20), "--outcomes 2", "dpcalc: --output: got 1048576 rows, want at most 1048575 in a workbook, or a .csv file\n", usage.ExitUsage},
		{wide + "p\n", "--outcomes 2", "dpcalc: --output: got 16386 columns, want at most 16384 in a workbook, or a .csv file\n", usage.ExitUsage},
		{"p\n1\n", "--outcomes 2 --method no", "dpcalc: --method: got no, want bonferroni for this source\n",
			usage.ExitUsage},
	} {
		var message bytes.Buffer
		s := &outfile.Session{Context: t.Context(), Stdin: strings.NewReader(c.table), Stdout: new(bytes.Buffer),
			Stderr: &message}
		code := commandtest.RunIn(s,
			append(strings.Fields("dpcalc pvalue-correct - --alpha 0.05 --by description "+c.flags), "-o", path))
		if code != c.code || message.String() != c.says {
			t.Errorf("%.20q: exit %d, %s", c.table, code, message.String())
		}
		if left := commandtest.Files(t, dir); (len(left) == 1) != (code == usage.ExitOK) {
			t.Errorf("%.20q: files %v", c.table, left)
		}
		os.Remove(path)
	}
	if code, _, stderr := commandtest.Dpcalc("pvalue-correct", "--alpha", "0.05", "--by", "max-info", "--bits", "3",
		"--slack", "0.05", "-o", path); code != usage.ExitNoAnswer {
		t.Fatal(stderr)
	}
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if table, _ := liveRows(t, f); table["max-info"]["source"] != noThreshold || table["max-info"]["threshold"] != "none" {
		t.Errorf("%v", table)
	}
}

// A step without amounts leaves no theorem with formulas. A kind with formulas says something of its step, and some
// theorem about it has one.
func TestStepWithoutFormulas(t *testing.T) {
	names := []string{"max-info-any", "renyi", "approx-dp", "group", "max-info", "bonferroni", "rogers16", "gates"}
	for _, name := range names {
		if (amounts{}).rule(name) != nil {
			t.Errorf("%s has a formula without that of a step", name)
		}
	}
	for _, k := range steps.Kinds() {
		if k.Formulas == nil {
			continue
		}
		in := steps.InputCells{}
		for _, key := range k.Keys() {
			in[key] = expr.Cell(key)
		}
		a := amounts{k.Formulas(in), liveChance{ln: expr.N(-1)}}
		if !slices.ContainsFunc(names, func(name string) bool { return a.rule(name) != nil }) {
			t.Errorf("%s has no theorem with a formula", k.Name)
		}
	}
}

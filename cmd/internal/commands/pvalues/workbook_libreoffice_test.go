//go:build libreoffice

package pvalues

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands/steps"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/expr"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/xuri/excelize/v2"
)

// After a change of its inputs the sheet Live has what dpcalc computes for the command
// that it shows, never a greater threshold or a smaller adjusted p-value. Rows without a
// formula say that they stayed behind. What is outside the domain is a sentence.
func TestLibreOfficeCorrections(t *testing.T) {
	const (
		pure     = "--alpha 0.05 --by pure-dp --epsilon 0.01 -n 10k --p 0.003"
		approx   = "--alpha 0.05 --by approx-dp --epsilon 0.0001 --delta 1e-12 -n 10k"
		gdp      = "--alpha 0.05 --by gdp --mu 0.001 -n 10k"
		gaussian = "--alpha 0.05 --by gaussian -m 100 --noise-sd 10 -n 10k --p 1e-20"
		outcomes = "--alpha 0.05 --by description --outcomes 100"
		bits     = "--alpha 0.05 --by description --bits 7 --p 0.01"
		mutual   = "--alpha 0.05 --by mutual-info --bits 0.1 --p 0.003"
		given    = "--alpha 0.05 --by max-info --bits 3 --p 0.0001"
		steps    = "--alpha 0.05 --by steps -n 10k --step pure-dp:epsilon=0.01 --step description:outcomes=100 --step max-info:bits=2,slack=0.001,data=any"
		zcdp     = "--alpha 0.05 --by zcdp --rho 1e-6 -n 10k --p 1e-3"
		gate     = "--alpha 0.05 --by gates --looks 20 --passes 3 --p 1e-5"
		order    = "--alpha 0.05 --by steps -n 10k --step description:outcomes=10 --step pure-dp:epsilon=0.005 --p 0.001"
		mixed    = "--alpha 0.05 --by steps -n 10k --step gates:looks=5,passes=2 --step zcdp:rho=1e-7 --step gates:looks=6"
		atAlpha  = "alpha: want a probability in (0, 1)"
	)
	var changes []commandtest.Change
	for _, start := range liveCorrections {
		changes = append(changes, commandtest.Change{Start: start})
	}
	changes = append(changes, []commandtest.Change{
		{Start: pure, To: map[string]any{"p": 0.02}},
		{Start: pure, To: map[string]any{"p": nil}},
		{Start: pure, To: map[string]any{"p": 0}},
		{Start: pure, To: map[string]any{"p": 1}},
		{Start: pure, To: map[string]any{"p": "much"}},
		{Start: pure, To: map[string]any{"p": 1.5}},
		{Start: pure, To: map[string]any{"epsilon": 0.3}},
		{Start: pure, To: map[string]any{"epsilon": 1e-6, "p": 0.0499999}},
		{Start: pure, To: map[string]any{"alpha": 0.01, "epsilon": 0.02, "samples": 2500}},
		{Start: pure, To: map[string]any{"alpha": 0.999999, "p": 0.9}},
		{Start: pure, To: map[string]any{"alpha": 1e-300, "p": 1e-305}},
		{Start: pure, To: map[string]any{"samples": 1 << 53, "epsilon": 1e-9}},
		{Start: approx, To: map[string]any{"p": 0.01}},
		{Start: approx, To: map[string]any{"epsilon": 0, "delta": 1e-7, "p": 0.001}},
		{Start: approx, To: map[string]any{"epsilon": 0.000001, "delta": 1e-7, "samples": 100, "p": 1e-9}},
		{Start: approx, To: map[string]any{"delta": 0.1}},
		{Start: approx, To: map[string]any{"epsilon": 3, "samples": 7, "delta": 1e-20, "p": 1e-40}},
		{Start: gdp, To: map[string]any{"p": 1e-200}},
		{Start: gdp, To: map[string]any{"mu": 0.0001, "p": 0.01}},
		{Start: gdp, To: map[string]any{"mu": 0.01, "p": 0}},
		{Start: gdp, To: map[string]any{"alpha": 0.9, "mu": 0.00002, "p": 0.8}},
		{Start: gaussian, To: map[string]any{"noise_sd": 1, "samples": 20000}},
		{Start: gaussian, To: map[string]any{"queries": 7, "noise_sd": 3.5}},
		{Start: outcomes, To: map[string]any{"outcomes": 20, "p": 0.0025}},
		{Start: outcomes, To: map[string]any{"outcomes": 1 << 53, "p": 1e-20}},
		{Start: bits, To: map[string]any{"bits": 1100}},
		{Start: bits, To: map[string]any{"bits": 0, "p": 0.05}},
		{Start: mutual, To: map[string]any{"bits": 0.01}},
		{Start: mutual, To: map[string]any{"alpha": 0.001}},
		{Start: mutual, To: map[string]any{"p": 0.3}},
		{Start: given, To: map[string]any{"slack": 0.01}},
		{Start: given, To: map[string]any{"slack": 0.0499999, "p": 0}},
		{Start: given, To: map[string]any{"slack": 0.05, "p": 0}},
		{Start: given, To: map[string]any{"bits": 0, "slack": 1e-20}},
		{Start: steps, To: map[string]any{"epsilon_1": 0.005, "outcomes_2": 3, "bits_3": 0.5, "slack_3": 0, "p": 0.002}},
		{Start: steps, To: map[string]any{"slack_3": 0.04, "p": 1e-9}},
		{Start: steps, To: map[string]any{"slack_3": 0.05, "p": 1e-9}},
		{Start: zcdp, To: map[string]any{"rho": 1e-7, "alpha": 0.01, "p": 0.0004}},
		{Start: zcdp, To: map[string]any{"samples": 100}},
		{Start: gate, To: map[string]any{"looks": 32, "passes": 5}},
		{Start: gate, To: map[string]any{"looks": 1000, "passes": 16}},
		{Start: gate, To: map[string]any{"looks": 1000, "passes": 17}},
		{Start: gate, To: map[string]any{"looks": 1000, "passes": 1000}},
		{Start: gate, To: map[string]any{"looks": 1, "passes": 1, "p": 0.04}},
		{Start: order, To: map[string]any{"epsilon_2": 0.02, "outcomes_1": 3, "p": 0.0001}},
		{Start: order, To: map[string]any{"alpha": 0.5, "p": 0.02}},
		{Start: mixed, To: map[string]any{"looks_1": 7, "rho_2": 2e-7, "looks_3": 3}},
		{Start: mixed, To: map[string]any{"alpha": 1e-9}},
		{Start: gate, To: map[string]any{"passes": 21}, Fault: "passes: want a whole number from 1 to the number of looks"},
		{Start: order, To: map[string]any{"epsilon_2": 0}, Fault: "epsilon of step 2: want a positive number"},
		{Start: pure, To: map[string]any{"alpha": 0}, Fault: atAlpha},
		{Start: pure, To: map[string]any{"alpha": 1}, Fault: atAlpha},
		{Start: pure, To: map[string]any{"alpha": "0,05"}, Fault: atAlpha},
		{Start: pure, To: map[string]any{"alpha": nil}, Fault: atAlpha},
		{Start: pure, To: map[string]any{"epsilon": 0}, Fault: "epsilon: want a positive number"},
		{Start: approx, To: map[string]any{"epsilon": -1}, Fault: "epsilon: want a number of at least 0"},
		{Start: approx, To: map[string]any{"delta": 0}, Fault: "delta: want a probability in (0, 1)"},
		{Start: outcomes, To: map[string]any{"outcomes": 2.5}, Fault: "outcomes: want a whole number from 1 to 2^53"},
		{Start: given, To: map[string]any{"slack": 1}, Fault: "slack: want a probability in [0, 1)"},
		{Start: steps, To: map[string]any{"slack_3": -1}, Fault: "slack of step 3: want a probability in [0, 1)"},
	}...)
	compared, safe := 0, map[string]int{}
	for i, f := range commandtest.Recalculated(t, changes, "pvalue-correct") {
		c := changes[i]
		where := fmt.Sprint(c.Start, " with ", c.To)
		inputs, _ := commandtest.LiveTable(t, f)
		for _, row := range commandtest.Contents(t, f, "Live") {
			for _, text := range row {
				if strings.HasPrefix(text, "#") || strings.HasPrefix(text, "Err:") {
					t.Errorf("%s: %v", where, row)
				}
			}
		}
		if got := value(t, f, inputs["problem"]); got != c.Fault && !(c.Fault == "" && got == "none") {
			t.Errorf("%s: problem %q, want %q", where, got, c.Fault)
		}
		table, _ := liveRows(t, f)
		if c.Fault != "" {
			for name, row := range table {
				says := c.Fault
				if row["threshold"] == "" {
					says = onlyDpcalc
				} else if row["threshold"] != "none" {
					says = "nothing else"
				}
				if row["source"] != says || row["p adjusted"]+row["reject"]+row["confidence"] != "" {
					t.Errorf("%s: %s is %v", where, name, row)
				}
			}
			continue
		}
		args := append([]string{"pvalue-correct"}, strings.Fields(c.Start)...)
		_, isNumber := c.To["p"].(string)
		invalid := isNumber || c.To["p"] == 1.5
		if words := value(t, f, inputs["command"]); words != "" && !invalid {
			args = strings.Fields(words)[1:]
		} else if invalid { // the thresholds are those without a p
			args = args[:len(args)-2]
		} else if c.To != nil {
			t.Fatalf("%s: no command", where)
		}
		onlyP := true
		for name := range c.To {
			onlyP = onlyP && name == "p"
		}
		rows := commandtest.RowsOf(t, args...)
		if len(rows) != len(table) {
			t.Fatalf("%s: %v", where, table)
		}
		for _, row := range rows {
			name := row["method"].(string)
			got := table[name]
			switch {
			case got["source"] == onlyDpcalc || got["source"] == mayBeMore:
				if onlyP {
					t.Errorf("%s: %s is %v", where, name, got)
				}
				safe[got["source"]]++
				checkSafe(t, where+": "+name, got, row)
			case row["status"] == "not_applicable":
			case row["status"] == "vacuous":
				if got["threshold"] != "none" || got["source"] != noThreshold || row["p"] != nil && got["reject"] != "no" {
					t.Errorf("%s: %s is %v, want no threshold", where, name, got)
				}
			default:
				if got["source"] != "formula" && (got["source"] != "value" || !onlyP) {
					t.Errorf("%s: %s is %v", where, name, got)
				}
				loose := 0.0
				if name == "group" && !strings.Contains(c.Start, "approx") || c.To["slack"] == 0.0499999 {
					loose = 1e-6
				}
				compared++
				checkLive(t, where+": "+name, got, row, loose)
				checkConfidence(t, where+": "+name, got["confidence"], row, loose)
			}
		}
	}
	if compared < 100 || safe[onlyDpcalc] < 15 || safe[mayBeMore] < 8 {
		t.Errorf("%d rows compared, %v", compared, safe)
	}
}

// The formulas' thresholds are never above dpcalc's and their adjusted p-values never
// below, for selections, levels and p-values of every size, among them p-values at the
// threshold.
func TestLibreOfficeCorrectionsOneSided(t *testing.T) {
	const cases = 150 // of each kind
	r := rand.New(rand.NewPCG(47, 48))
	logUniform := func(lo, hi float64) float64 { return lo * math.Pow(hi/lo, r.Float64()) }
	count := func(hi float64) int64 { return int64(logUniform(1, hi)) }
	kinds := []func() (step maxinfo.Step, n int64){
		func() (maxinfo.Step, int64) {
			n := count(1e9)
			return maxinfo.PureDP{Epsilon: logUniform(1e-3, 10) / math.Sqrt(float64(n))}, n
		},
		func() (maxinfo.Step, int64) {
			n := count(1e9)
			s := maxinfo.ApproxDP{Epsilon: logUniform(1e-3, 5) / math.Sqrt(float64(n)),
				LnDelta: theory.LogProb(-math.Log(float64(n)) - logUniform(0.5, 800))}
			if r.IntN(4) == 0 {
				s.Epsilon /= math.Sqrt(float64(n)) // where the group bound says something
			}
			return s, n
		},
		func() (maxinfo.Step, int64) {
			n := count(1e9)
			return maxinfo.GDP{Mu: logUniform(1e-3, 50) / float64(n)}, n
		},
		func() (maxinfo.Step, int64) {
			return maxinfo.Gaussian{Queries: count(1e4), SD: logUniform(1, 1e4)}, count(1e6)
		},
		func() (maxinfo.Step, int64) {
			return maxinfo.OneOfNats(theory.Nats(logUniform(1e-3, 800))), 0
		},
		func() (maxinfo.Step, int64) {
			return maxinfo.MutualInformation{Nats: theory.Nats(logUniform(1e-6, 10))}, 0
		},
		func() (maxinfo.Step, int64) {
			s := maxinfo.MaxInformation{Nats: theory.Nats(logUniform(1e-3, 800)), Slack: theory.Zero}
			if r.IntN(3) > 0 {
				s.Slack = theory.LogProb(-logUniform(0.5, 900))
			}
			return s, 0
		},
	}
	kinds = append(kinds, func() (maxinfo.Step, int64) {
		n := count(1e9)
		return maxinfo.ZCDP{Rho: logUniform(1e-6, 10) / float64(n)}, n
	}, func() (maxinfo.Step, int64) {
		looks := count(1e6)
		return maxinfo.Gates{Looks: looks, Passes: min(count(100), looks)}, 0
	})
	f := excelize.NewFile()
	name := regexp.MustCompile(`\b[a-z][a-z_0-9]*\b`)
	quoted, cell := regexp.MustCompile(`"[^"]*"`), regexp.MustCompile(`[A-Z]\{row\}`)
	type asked struct {
		where string
		row   map[string]any
		at    map[string]string // of its columns
		loose float64
	}
	var all []asked
	row := 0
	set := func(at string, c record.Cell, formula string) {
		var err error
		switch {
		case formula != "":
			err = f.SetCellFormula("Sheet1", at, formula)
		case c.Form == record.WordsForm, c.Form == record.ComplementForm:
			err = f.SetCellValue("Sheet1", at, c.S)
		case c.Form != record.Missing:
			var value any = record.PlainText(c)
			if x, bad := strconv.ParseFloat(record.PlainText(c), 64); bad == nil &&
				(c.Form != record.ChanceForm || record.Representable(theory.LogProb(c.F))) {
				value = x
			}
			err = f.SetCellValue("Sheet1", at, value)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for k, kind := range kinds {
		for i := range cases {
			step, n := kind()
			plan := steps.Learned{Plan: maxinfo.Plan{Samples: n, Data: maxinfo.ProductData, Steps: []maxinfo.Step{step}},
				Typed: []string{step.String()}}
			if k < 4 && i%5 == 4 { // composed private steps
				if s, ok := step.(maxinfo.Gaussian); ok {
					s.SD *= 1.5
					step = s
				}
				plan.Steps, plan.Typed = append(plan.Steps, step), append(plan.Typed, step.String())
			}
			later := i%4 == 3
			if later {
				slack := maxinfo.MaxInformation{Nats: theory.Nats(logUniform(1e-3, 5)), Slack: theory.LogProb(-logUniform(2, 50)),
					Always: true}
				plan.Steps = append(plan.Steps, maxinfo.OneOfNats(theory.Nats(math.Log(float64(count(1e6))))), slack)
				plan.Typed = append(plan.Typed, plan.Steps[len(plan.Steps)-2].String(), slack.String())
			}
			// as the text has them
			for j, text := range plan.Typed {
				var err error
				if plan.Steps[j], _, err = steps.ParseStep(text); err != nil {
					t.Fatal(err)
				}
			}
			alpha := theory.LogProb(math.Log(logUniform(1e-8, 0.99)))
			if i%10 == 0 {
				alpha = theory.LogProb(-logUniform(500, 3000))
			}
			alpha, _ = numbers.ParseProb(alpha.String())
			for j, s := range plan.Steps { // where alpha less the slack has its digits
				if s, ok := s.(maxinfo.MaxInformation); ok && math.Abs(s.Slack.Ln()-alpha.Ln()) < 0.01 {
					s.Slack -= 0.1
					plan.Steps[j], plan.Typed[j] = s, s.String()
				}
			}
			corrections, _, err := testsOf(plan.Plan, alpha)
			if err != nil {
				t.Fatal(err)
			}
			about := corrections[i%len(corrections)].Threshold
			p := typedP{theory.LogProb(-logUniform(1e-6, 1500)), true}
			if i%3 > 0 && about < 0 && about > -1e5 {
				p.value = about + theory.LogProb([]float64{-1e-9, -1e-13, 1e-13, 1e-9}[r.IntN(4)])*(1-about)
			}
			p.value, _ = numbers.ParseProb(min(p.value, 0).String())
			l, err := selection{plan: plan, source: map[bool]string{true: bySteps, false: "one"}[len(plan.Typed) > 1],
				alpha: alpha}.live(corrections, &p)
			if err != nil {
				t.Fatal(err)
			}
			if l == nil {
				continue
			}
			row++
			column := 2
			places := map[string]string{"problem": "$A$" + strconv.Itoa(row)}
			set(commandtest.CellAt(1, row), record.Words("none"), "")
			local := func(x expr.X) string {
				if x.None() {
					return ""
				}
				formula := x.String()
				return quoted.ReplaceAllStringFunc(name.ReplaceAllStringFunc(formula, func(s string) string {
					if at, ok := places[s]; ok {
						return at
					}
					return s
				}), func(s string) string { return s })
			}
			for _, in := range l.Inputs {
				if in.Name == "command" {
					continue
				}
				places[in.Name] = "$" + commandtest.CellAt(column, row)
				formula := local(in.Formula)
				if in.Name == "unchanged" { // so that there are no values
					in.Value, formula = record.Words("no"), ""
				}
				set(commandtest.CellAt(column, row), in.Value, formula)
				column++
			}
			for j, c := range corrections {
				if !c.Status.Applies() {
					continue
				}
				a := asked{where: fmt.Sprintf("%v, %s, alpha %v, p %v", plan, c.Correction.Name, alpha, p.value),
					row: map[string]any{"p": 1.0, "ln_threshold": c.Threshold.Ln()}}
				adjusted, err := c.Adjusted(p.value)
				if err != nil {
					t.Fatal(err)
				}
				a.row["ln_p"], a.row["ln_p_adjusted"], a.row["reject"], a.row["status"] = p.value.Ln(), adjusted.Ln(),
					adjusted <= alpha, string(c.Status)
				switch {
				case c.Correction.Name == "group" && k != 1:
					a.loose = 1e-6
				case later || k == 1 || k == 6 ||
					c.Correction.Name == "rogers16": // some of alpha is gone, or its inverse has the weight
					a.loose = 1e-9
				}
				a.at = make(map[string]string)
				own := make(map[string]string)
				for m, title := range l.Columns {
					a.at[title] = commandtest.CellAt(column+m, row)
					own[record.ColumnName(m+1)+"{row}"] = a.at[title]
				}
				for m, c := range l.Rows[j] {
					set(a.at[l.Columns[m]], c.Value, cell.ReplaceAllStringFunc(local(c.Formula), func(s string) string {
						return own[s]
					}))
				}
				column += len(l.Columns)
				all = append(all, a)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "cases.xlsx")
	if err := f.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	calculated := commandtest.Reopened(t, []string{path})[0]
	numbers, near, safe := 0, 0, map[string]int{}
	for _, a := range all {
		got := map[string]string{}
		for title, at := range a.at {
			got[title] = commandtest.Raw(t, calculated, "Sheet1", at)
		}
		if got["source"] == onlyDpcalc || got["source"] == mayBeMore {
			safe[got["source"]]++
			checkSafe(t, a.where, got, a.row)
			continue
		}
		if a.row["status"] != "ok" || got["threshold"] == "none" {
			if a.row["status"] == "vacuous" && got["ln threshold"] == belowLn { // beyond float64, for both
				continue
			}
			// 1e-12 may decide whether there is a threshold
			if got["threshold"] != "none" || got["reject"] != "no" || a.row["status"] == "ok" &&
				a.row["ln_threshold"].(float64) > -20 {
				t.Errorf("%s: %v, dpcalc says %v", a.where, got, a.row)
			}
			continue
		}
		numbers++
		if math.Abs(a.row["ln_p"].(float64)-a.row["ln_threshold"].(float64)) < 1e-8*(1+
			math.Abs(a.row["ln_threshold"].(float64))) {
			near++
		}
		checkLive(t, a.where, got, a.row, a.loose)
	}
	if numbers < 800 || near < 100 || safe[mayBeMore] < 200 {
		t.Errorf("%d thresholds compared, %d p-values at one, %v", numbers, near, safe)
	}
}

// The column reject_live of a table follows the inputs of the sheet Live.
func TestLibreOfficeCorrectedTable(t *testing.T) {
	text, ps := genes(300)
	path := filepath.Join(t.TempDir(), "genes.xlsx")
	corrected(t, 2, text, "--by", "pure-dp", "--epsilon", "0.01", "-n", "10k", "-o", path)
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	inputs, _ := commandtest.LiveTable(t, f)
	changes := []map[string]any{{}, {"epsilon": 0.03}, {"alpha": 0.4, "samples": 100}, {"alpha": 2}, {"epsilon": 10}}
	var paths []string
	for i, change := range changes {
		for name, value := range change {
			if err := f.SetCellValue("Live", inputs[name], value); err != nil {
				t.Fatal(err)
			}
		}
		paths = append(paths, filepath.Join(t.TempDir(), fmt.Sprint(i, ".xlsx")))
		if err := f.SaveAs(paths[i]); err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]any{"alpha": 0.05, "epsilon": 0.01, "samples": 10000} {
			if err := f.SetCellValue("Live", inputs[name], value); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, f := range commandtest.Reopened(t, paths) {
		rows := commandtest.Contents(t, f, "pvalue-correct")
		table, _ := liveRows(t, f)
		gamma, err := strconv.ParseFloat(table["renyi"]["threshold"], 64)
		if (err == nil) != (i < 3) {
			t.Fatalf("%v: %v", changes[i], table)
		}
		both := map[string]int{}
		for k, text := range ps {
			got := commandtest.At(t, rows, k+1, rejectLive.Name)
			want := table["renyi"]["threshold"]
			if p, ok := numbers.ParseProb(text); !ok {
				want = ""
			} else if err == nil {
				want = map[bool]string{true: "1", false: "0"}[p.Value() <= gamma]
			}
			if both[want]++; got != want {
				t.Errorf("%v, p %s: reject_live %q, want %q", changes[i], text, got, want)
			}
		}
		if err == nil && (both["0"] < 20 || both["1"] < 20) {
			t.Errorf("%v: %v", changes[i], both)
		}
	}
}

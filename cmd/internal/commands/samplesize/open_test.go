package samplesize

import (
	"math"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// The margins of an open gate on 5,000 rows, whatever the bar and at one that is known, and the cost of not knowing the
// number of queries beside the plan that knows it.
func TestOpenGate(t *testing.T) {
	for _, c := range []struct {
		command   string
		tau, gate float64
		passAt    float64
		decimals  float64
	}{
		{"-m 1", 0.0197, 0.0146, 0, 1e4},
		{"-m 31 --passes 3", 0.0358, 0.0315, 0, 1e4},
		{"-m 151 --passes 6", 0.0532, 0.0495, 0, 1e4},
		{"-m 1 --threshold .8 --query binary", 0.02260 / 2, 0, 4066. / 5000, 1e5},
		{"-m 31 --passes 3 --threshold .8 --query binary", 0.04904 / 2, 0, 4135. / 5000, 1e5},
		{"-m 151 --passes 6 --threshold .8 --query binary", 0.07432 / 2, 0, 4204. / 5000, 1e5},
	} {
		rows := rowsBy(t, "-n 5000 -b .05 --open --feedback gate "+c.command)
		open, fixed := rows["open-gate"], rows["gate"]
		tau := func(row map[string]any) float64 { return math.Round(row["tau"].(float64)*c.decimals) / c.decimals }
		if math.Abs(tau(open)-c.tau) > 0.6/c.decimals || open["best"] != true || fixed["best"] != false ||
			open["proof"] != "coq" || open["adaptive"] != true {
			t.Errorf("%s: %v, want tau %v", c.command, open, c.tau)
		}
		if c.gate > 0 && tau(fixed) != c.gate {
			t.Errorf("%s: %v, want tau %v", c.command, fixed, c.gate)
		}
		if at, _ := open["pass_at"].(float64); at != c.passAt {
			t.Errorf("%s: passes at %v, want %v", c.command, at, c.passAt)
		}
	}
}

// Each kind of feedback has its open row beside the fixed ones for every unknown, and has the star.
func TestOpenRowsBesideFixedOnes(t *testing.T) {
	for _, c := range []struct{ feedback, open, fixed string }{
		{"gate", "open-gate", "gate"}, {"best", "open-board", "ladder"}, {"flags", "open-guess", "sparse-validate"},
		{"answers", "gaussian-open", "gaussian-schedule"},
	} {
		for _, plan := range []string{
			"-m 30 -t .1 -b .05", "-n 30k -t .1 -b .05", "-m 30 -n 30k -b .05", "-m 30 -n 30k -t .1", "-m 30 -n 30k -t .1 -b .05",
		} {
			if c.feedback != "answers" {
				plan += " --passes 2"
			}
			rows := rowsBy(t, plan+" --open --feedback "+c.feedback)
			if rows[c.open]["status"] != "ok" || rows[c.open]["best"] != true || rows[c.fixed]["status"] != "ok" {
				t.Errorf("%s %s: %v, %v", c.feedback, plan, rows[c.open], rows[c.fixed])
			}
			if got := rows[c.open]["passes"]; strings.Contains("gate best", c.feedback) && got != 2.0 {
				t.Errorf("%s %s: pass %v", c.feedback, plan, got)
			}
		}
		code, out, _ := commandtest.Dpcalc("samplesize", "-m", "30", "-t", ".1", "-b", ".05", "-B", "2", "--feedback", "flags")
		if code != usage.ExitOK || strings.Contains(out, "open-") {
			t.Errorf("an open row without --open: %s", out)
		}
	}
}

// Without --passes the query is the first that passes, and a guess needs no budget.
func TestOpenDefaults(t *testing.T) {
	one := rowsBy(t, "-m 30 -t .1 -b .05 --open --feedback gate --passes 1")
	none := rowsBy(t, "-m 30 -t .1 -b .05 --open --feedback gate")
	for _, name := range []string{"gate", "open-gate"} {
		if one[name]["samples"] != none[name]["samples"] || none[name]["passes"] != 1.0 {
			t.Errorf("%v, without passes %v", one[name], none[name])
		}
	}
	for _, command := range []string{"", "--budget 1", "--passes 1"} {
		rows := rowsBy(t, "-m 30 -t .1 -b .05 --open --feedback flags "+command)
		if rows["sparse-validate"]["budget"] != 1.0 || rows["open-guess"]["status"] != "ok" {
			t.Errorf("%q: %v", command, rows)
		}
	}
}

// What is wrong with an open plan is one line, and the exit code 2.
func TestWrongOpenPlans(t *testing.T) {
	for command, want := range map[string]string{
		"-m 10 --passes 11 --feedback gate":            "--passes: got 11, want at most the number of queries",
		"-m 10 --passes 11 --feedback best":            "--passes: got 11, want at most the number of queries",
		"-m 10 --passes 3 -B 2 --feedback flags":       "--passes: given with --budget, want one of the two",
		"-m 10 --passes 0 --feedback gate":             "--passes: got 0",
		"-m 10 --feedback final":                       "--open: got true, want false",
		"-m 10 --feedback gate --threshold .95":        "--threshold: got 0.95",
		"-m 10 --feedback gate --floor .5":             "--floor needs --feedback best",
		"-m 10 --passes 2":                             "--passes needs --feedback gate",
		"-m 10 --feedback gate --check-schedule x.csv": "--check-schedule",
	} {
		args := append([]string{"samplesize", "--open", "-t", ".1", "-b", ".05"}, strings.Fields(command)...)
		code, out, stderr := commandtest.Dpcalc(args...)
		if code != usage.ExitUsage || out != "" || strings.Count(stderr, "\n") != 1 ||
			!strings.HasPrefix(stderr, "dpcalc: "+want) {
			t.Errorf("%s: exit %d, %s%s", command, code, out, stderr)
		}
	}
}

// Of a grid the row of a goal with too many passes has no answer, and the others stay.
func TestOpenGrid(t *testing.T) {
	code, out, stderr := commandtest.Dpcalc(strings.Fields(
		"samplesize --open --feedback gate -n 5000 -b .05 -m 2,20 --passes 1,3 --best -f csv")...)
	if code != usage.ExitOK || strings.Count(out, "\nopen-gate,") != 3 {
		t.Errorf("exit %d, %s%s", code, out, stderr)
	}
}

// Scores of which nobody knows the number: the row stands beside the row of the fixed number, says how far its schedule
// goes.
func TestGaussianOpen(t *testing.T) {
	for _, c := range []struct {
		command      string
		fixed, worse float64 // about the tau of the fixed plan, and how many times it at most
	}{{"-n 20k -m 1", 0.0087, 1.6}, {"-n 20k -m 150", 0.04, 1.6}, {"-n 20k -m 10k", 0.14, 1.6}} {
		rows := rowsBy(t, "-b .05 --open --method gaussian-open,gaussian-schedule "+c.command)
		open, fixed := rows["gaussian-open"], rows["gaussian-schedule"]
		if tau := fixed["tau"].(float64); !(tau < c.fixed*1.05) || !(open["tau"].(float64) <= c.worse*tau) || open["best"] != true {
			t.Errorf("%s: %v beside %v", c.command, open, fixed)
		}
		if reason, _ := open["reason"].(string); !strings.Contains(reason, "nothing is claimed beyond") {
			t.Errorf("%s: %q", c.command, reason)
		}
	}
}

// --proofs goes by the proof of each goal: Coq checks a gate, of a known variance too, and no flags that hold.
// What is published stays published where Coq checks it as well.
func TestProofsOfEachGoal(t *testing.T) {
	for flags, want := range map[string]string{
		"--feedback gate --proofs published,coq":                        "coq",
		"--feedback gate --threshold .7 --proofs published,coq":         "coq",
		"--feedback gate --variance .01,.02 --proofs published,coq":     "coq",
		"--feedback gate --proofs published":                            "",
		"--feedback final --proofs published":                           "coq",
		"--feedback flags --budget 2 --hold .01 --proofs published,coq": "",
	} {
		rows := commandtest.RowsOf(t, strings.Fields("samplesize --full -m 10 -t .05 -b .05 "+flags)...)
		got := ""
		for _, row := range rows {
			switch row["method"] {
			case "gate", "sealed", "sparse-validate":
				got = row["proof"].(string)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", flags, got, want)
		}
	}
}

// An open row says up to which look of which ledgers it holds: for M nats and N raises or corrections of a step,
// 1 if there is none, the last is the greatest m with 1/2 / (5/2 + m - 1) / (N(N-1)) >= e^-M. A board of 500 looks at
// 20,000 rows has steps of about tau/2 = .00996, 101 of them.
func TestOpenRowsSayWhereTheyHold(t *testing.T) {
	const usual = "open rows hold up to look 1488 of a ledger with --most 8\n"
	for command, want := range map[string]string{
		"-m 1488 --feedback gate":                  usual,
		"-m 1489 --feedback gate":                  usual + "open rows hold up to look 4050 of a ledger with --most 9\n",
		"-m 10,1000000 --passes 3 --feedback gate": usual + "open rows hold up to look 1634507 of a ledger with --most 15\n",
		"-m 500 --feedback best":                   "open rows hold up to look 1194 of a ledger with --most 17\n",
		"-m 500 --feedback answers":                "",
	} {
		code, out, _ := commandtest.Dpcalc(strings.Fields("samplesize -n 20000 -b .05 --open " + command)...)
		var got string
		for line := range strings.Lines(out) {
			if strings.HasPrefix(line, "open rows") {
				got += line
			}
		}
		if code != usage.ExitOK || got != want {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
}

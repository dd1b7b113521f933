package samplesize

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/transfer"
)

// starRow is what the star is decided by.
type starRow struct {
	Method      string
	Samples     float64
	Queries     float64
	Tau         float64
	TauAchieved float64 `json:"tau_achieved"`
	LnBeta      float64 `json:"ln_beta"`
	Adaptive    bool
	Best        bool
	Status      string
}

// By brute force over the rows: no adaptive row beats the starred one, and none that
// ties with it achieves a lesser tau.
func TestStarBreaksTies(t *testing.T) {
	ties := 0
	for unknown, args := range map[string][]string{
		"samples": {"-m", "1,2,3,20", "-t", "0.1,0.2,0.3,0.49", "-b", "0.05,0.3,0.5"},
		"queries": {"-n", "50,200", "-t", "0.3,0.49", "-b", "0.05,0.5"},
		"tau":     {"-n", "50,200", "-m", "1,2,20", "-b", "0.05,0.5"},
		"beta":    {"-n", "50,200", "-m", "1,20", "-t", "0.1,0.49"},
	} {
		for _, query := range []string{"bounded", "binary"} {
			if query == "binary" { // dearer
				if unknown != "samples" {
					continue
				}
				args = []string{"-m", "1,2", "-t", "0.3,0.49", "-b", "0.05,0.5"}
			}
			_, out, _ := commandtest.Dpcalc(append([]string{"samplesize", "--full", "--query", query, "-f", "jsonl"}, args...)...)
			var rows []starRow
			for line := range strings.Lines(out) {
				var r starRow
				if err := json.Unmarshal([]byte(line), &r); err != nil {
					t.Fatal(err)
				}
				rows = append(rows, r)
			}
			value := func(r starRow) float64 {
				all := map[string]float64{"samples": r.Samples, "queries": -r.Queries, "tau": r.Tau, "beta": r.LnBeta}
				return all[unknown]
			}
			for goal := range slices.Chunk(rows, len(transfer.MethodsFor(transfer.Answers))-1) {
				best := slices.IndexFunc(goal, func(r starRow) bool { return r.Best })
				for _, r := range goal {
					if best < 0 || r.Status != "ok" || !r.Adaptive {
						continue
					}
					star := goal[best]
					order := cmp.Or(cmp.Compare(value(star), value(r)), cmp.Compare(star.TauAchieved, r.TauAchieved))
					if order > 0 {
						t.Errorf("%s: the star is at %+v, and not at %+v", unknown, star, r)
					}
					if order < 0 && value(r) == value(star) {
						ties++
					}
				}
			}
		}
	}
	if ties < 10 {
		t.Errorf("%d ties: the goals test nothing", ties)
	}
}

// People do not see what does not apply, and read why below; machines have every row.
func TestInapplicableRows(t *testing.T) {
	goal := []string{"samplesize", "--full", "-m", "5", "-t", "0.1", "-b", "0.05"}
	for _, format := range []string{"table", "markdown", "latex"} {
		_, out, _ := commandtest.Dpcalc(append(goal, "-f", format)...)
		for _, name := range []string{"binomial", "thresholdout-dwork15"} {
			lines := regexp.MustCompile(`(?m)^.*\b`+name+`[:,].*needs a.*$`).FindAllString(commandtest.Unfolded(out), -1)
			shown := regexp.MustCompile(`(?m)^[ |&]*`+name+`[ |&]`).FindAllString(out, -1)
			if len(lines) != 1 || shown != nil {
				t.Errorf("%s: %s is not left out or not explained:\n%s", format, name, out)
			}
		}
		if strings.Contains(out, "not applicable") {
			t.Errorf("%s: a row that is not applicable:\n%s", format, out)
		}
	}
	for _, format := range []string{"csv", "tsv", "json", "jsonl"} {
		_, out, _ := commandtest.Dpcalc(append(goal, "-f", format)...)
		if got := strings.Count(out, "not_applicable"); got != 5 {
			t.Errorf("%s: %d rows that are not applicable, want 5", format, got)
		}
	}
}

// A goal with many reasons still says why each row that is left out is.
func TestLeftOutComesFirst(t *testing.T) {
	_, out, _ := commandtest.Dpcalc("samplesize", "--full", "-n", "1000", "-m", "100", "-t", "0.1", "-b", "0.05")
	if !strings.Contains(out, "thresholdout-dwork15-n1: needs a budget") {
		t.Errorf("no word of the budget:\n%s", out)
	}
}

// The rows that a failed check is told to need are enough, and one fewer are not; so is
// the tau that its rows give. plan run says the same.
func TestShortfall(t *testing.T) {
	t.Chdir(t.TempDir())
	said := regexp.MustCompile(`it needs ([\d,]+) rows; these rows give tau ([0-9.e-]+)\b`)
	for _, goal := range [][3]string{{"1000", "100", "0.1"}, {"50", "3", "0.2"}, {"100k", "10k", "0.01"}} {
		check := func(n, tau string) (int, string) {
			code, out, stderr := commandtest.Dpcalc("samplesize", "--full", "-n", n, "-m", goal[1], "-t", tau, "-b", "0.05")
			if stderr != "" {
				t.Fatal(stderr)
			}
			return code, commandtest.Unfolded(out)
		}
		code, out := check(goal[0], goal[2])
		m := said.FindStringSubmatch(out)
		if code != usage.ExitRefuted || m == nil {
			t.Errorf("%v: exit %d\n%s", goal, code, out)
			continue
		}
		n, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		tau, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			n, tau string
			want   int
		}{
			{strconv.Itoa(n), goal[2], usage.ExitOK}, {strconv.Itoa(n - 1 - n/10_000), goal[2], usage.ExitRefuted},
			{goal[0], fmt.Sprint(tau * 1.00001), usage.ExitOK}, {goal[0], fmt.Sprint(tau * 0.9999), usage.ExitRefuted},
		} {
			if code, out := check(c.n, c.tau); code != c.want {
				t.Errorf("%v: %s rows, tau %s: exit %d, want %d\n%s", goal, c.n, c.tau, code, c.want, out)
			}
		}
		const scenario = "scenarios: [{name: a, samples: %s, queries: %s, tau: %s, beta: 0.05}]"
		file := fmt.Sprintf(scenario, goal[0], goal[1], goal[2])
		if err := os.WriteFile("p.yaml", []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
		if code, out, _ := commandtest.Dpcalc("plan", "run", "p.yaml"); code != usage.ExitRefuted ||
			!strings.Contains(out, m[0]) {
			t.Errorf("plan run does not say %s: exit %d\n%s", m[0], code, out)
		}
	}
}

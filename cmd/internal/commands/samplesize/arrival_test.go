package samplesize

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// Five years of ten scores and a hundred labels a week last from 5,663 first rows or fewer, also where nobody knows
// that it will be five years. All at the start would be 13,798.
func TestFirstRowsOfAFeed(t *testing.T) {
	const weeks = "-m 2600 -t .1 -b .05"
	fed := rowsBy(t, weeks+" --open --arrive-rows 100 --arrive-looks 10")
	start := rowsBy(t, weeks)["gaussian-schedule"]["samples"].(float64)
	for name, most := range map[string]float64{"gaussian-schedule": 5000, "gaussian-open": 5663, "gaussian": 6500} {
		row := fed[name]
		first, last := row["samples"].(float64), row["last_samples"].(float64)
		if !(first <= most && first < start/2) || last != first+25_900 || row["status"] != "ok" {
			t.Errorf("%s: %v rows first, %v at the last query, and %v if all are there at the start", name, first, last, start)
		}
	}
	if fed["gaussian-open"]["best"] != true || fed["splitting"]["status"] != "not_applicable" {
		t.Errorf("%v, %v", fed["gaussian-open"], fed["splitting"])
	}
}

// Stages have what the rows are and which query is the last: tau, beta or a check are asked for. A feed that is written
// as stages has the same rows.
func TestStages(t *testing.T) {
	const stages = " --arrive 300:10,340:20,340:25,500:40"
	tau := rowsBy(t, "-b .05"+stages)["gaussian-schedule"]
	if tau["samples"] != 300.0 || tau["last_samples"] != 500.0 || tau["queries"] != 40.0 || tau["best"] != true {
		t.Errorf("%v", tau)
	}
	for _, command := range []string{"-t .35" + stages, "-t .35 -b .05" + stages, "-m 7 -b .05" + stages} {
		if row := rowsBy(t, command)["gaussian-schedule"]; row["status"] != "ok" {
			t.Errorf("%s: %v", command, row)
		}
	}
	for _, method := range []string{"gaussian-schedule", "gaussian", "gaussian-open", "open-gate"} {
		feedback := "answers"
		if method == "open-gate" {
			feedback = "gate"
		}
		common := "-b .05 --open --feedback " + feedback
		a := rowsBy(t, common+" --arrive 400:5,430:10,460:15")[method]
		b := rowsBy(t, common+" -n 400 -m 15 --arrive-rows 30 --arrive-looks 5")[method]
		if a["tau"] != b["tau"] || a["last_samples"] != 460.0 || b["last_samples"] != 460.0 || a["status"] != "ok" {
			t.Errorf("%s: %v, and as a feed %v", method, a, b)
		}
	}
}

// What is wrong with rows that arrive is one line, and the exit code 2.
func TestWrongArrivals(t *testing.T) {
	for command, want := range map[string]string{
		"--arrive 5:10,4:20":                          "--arrive: got 4 rows after 5, want rows that do not fall",
		"--arrive 5:10,7:10":                          "--arrive: got query 10 after 10, want",
		"--arrive 5:10,7:9":                           "--arrive: got query 9 after 10, want",
		"--arrive 5:10,6":                             "--arrive: got 6, want rows and the last query",
		"--arrive 5:10,:6":                            "--arrive: got :6, want rows and the last query",
		"--arrive 5:0":                                "--arrive: got 5:0, want rows and the last query",
		"--arrive ,":                                  "--arrive: got \"\", want rows and the last query",
		"--arrive 5:10 -n 5":                          "--samples: given with --arrive, want none",
		"--arrive 5:10 -m 11":                         "--queries: got 11, want at most 10",
		"--arrive 5:10 --arrive-rows 5":               "--arrive: given with --arrive-rows",
		"-m 20 --arrive-rows 5":                       "--arrive-rows, --arrive-looks: got one of them",
		"-m 20 --arrive-looks 5":                      "--arrive-rows, --arrive-looks: got one of them",
		"-m 20 --arrive-rows 0 --arrive-looks 2":      "--arrive-rows: got 0, want a whole number",
		"-m 20 --arrive-rows 1,2 --arrive-looks 2":    "--arrive-rows: got 1,2, want",
		"-n 20 --arrive-rows 5 --arrive-looks 2":      "--queries: got nothing, want the last query",
		"-m 1000000 --arrive-rows 5 --arrive-looks 2": "--arrive-looks: got 2, want at most 131071 times",
		"--arrive 5:10 --past-looks 2":                "--past-looks: got 2, want none where rows arrive",
	} {
		args := append([]string{"samplesize", "-t", ".1", "-b", ".05"}, strings.Fields(command)...)
		code, out, stderr := commandtest.Dpcalc(args...)
		if code != usage.ExitUsage || out != "" || strings.Count(stderr, "\n") != 1 ||
			!strings.HasPrefix(stderr, "dpcalc: "+want) {
			t.Errorf("%s: exit %d, %s%s", command, code, out, stderr)
		}
	}
}

// A plan file keeps which rows come, the schedule has a line for every query, and the workbook and the report say what
// the rows are at the last one.
func TestArrivalsInFiles(t *testing.T) {
	dir := t.TempDir()
	plan, schedule := filepath.Join(dir, "plan.yaml"), filepath.Join(dir, "noise.csv")
	for _, arrival := range []string{"--arrive 3000:10,3400:20", "-m 20 -n 3000 --arrive-rows 400 --arrive-looks 10"} {
		savePlan(t, plan, strings.Fields("-b .05 "+arrival)...)
		args := append(strings.Fields("samplesize -b .05 "+arrival), "--schedule", schedule)
		code, _, stderr := commandtest.Dpcalc(args...)
		if code != usage.ExitOK {
			t.Fatalf("%s: exit %d, %s", arrival, code, stderr)
		}
		text, err := os.ReadFile(schedule)
		if lines := strings.Count(string(text), "\n"); err != nil || lines != 21 {
			t.Errorf("%s: %d lines of noise, %v", arrival, lines, err)
		}
		rows := commandtest.RowsOf(t, "plan", "run", plan, "--best")
		if len(rows) != 1 || rows[0]["tau"] != rowsBy(t, "-b .05 "+arrival)["gaussian-schedule"]["tau"] {
			t.Errorf("%s: the plan file has %v", arrival, rows)
		}
		_, out, _ := commandtest.Dpcalc(append(strings.Fields("samplesize -b .05 "+arrival), "--report")...)
		if text := strings.Join(strings.Fields(out), " "); !strings.Contains(text,
			"on a sample of 3000 rows at the first query and 3400 at query 20, ") {
			t.Errorf("%s: %s", arrival, out)
		}
		code, out, stderr = commandtest.Dpcalc(append(strings.Fields("samplesize -b .05 "+arrival), "-f", "csv")...)
		table, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if code != usage.ExitOK || err != nil || !slices.Contains(table[0], "last_samples") {
			t.Errorf("%s: exit %d, %v, %s", arrival, code, err, stderr)
		}
		book := filepath.Join(dir, "plan.xlsx")
		if code, _, stderr := commandtest.Dpcalc(append(strings.Fields("samplesize -b .05 "+arrival), "-o", book)...); code != usage.ExitOK {
			t.Errorf("%s: exit %d, %s", arrival, code, stderr)
		}
		for _, file := range []string{plan, schedule, book} {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
	}
}

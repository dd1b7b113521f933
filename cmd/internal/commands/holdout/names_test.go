package holdout

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// Finalists are named after their files, with the folders that tell them apart, or by as many names. Two equal files
// are two looks: the plan counts files.
func TestNamesOfFinalists(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 100, 60, 80)
	for _, folder := range []string{"one", "two"} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(map[string]string{"one": "p60.tsv", "two": "p80.tsv"}[folder], folder+"/p.tsv"); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("one/p.tsv")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "copy.tsv", string(text))
	const finals = " --labels labels.csv -m 4 -b 0.2 --query binary --feedback final"
	for name, c := range map[string]struct{ flags, want string }{
		"files": {"", "1,one/p.tsv,,0.6\n2,two/p.tsv,,0.8\n3,copy.tsv,,0.6\n4,one/p.tsv,,0.6\n"},
		"named": {" --name a --name b --name c --name d", "1,a,,0.6\n2,b,,0.8\n3,c,,0.6\n4,d,,0.6\n"},
	} {
		runs(t, 0, "holdout init "+name+finals)
		line := "holdout score " + name + " one/p.tsv two/p.tsv copy.tsv ./one/p.tsv -f csv" + c.flags
		for _, dry := range []string{" --dry-run", "", ""} {
			stdout, _ := runs(t, 0, line+dry)
			var got strings.Builder
			for _, row := range strings.Split(stdout, "\n")[1:5] {
				cells := strings.Split(row, ",")
				fmt.Fprintln(&got, strings.Join(cells[:4], ","))
			}
			want := c.want
			if dry != "" {
				want = strings.NewReplacer("0.6", "", "0.8", "").Replace(want)
			}
			if got.String() != want {
				t.Errorf("%s%s: got\n%swant\n%s", name, dry, got.String(), want)
			}
		}
		log, _ := runs(t, 0, "holdout log "+name+" -f csv")
		if strings.Count(log, "\n") != 6 || strings.Count(log, ",look,") != 4 {
			t.Error(log)
		}
	}
	runs(t, 0, "holdout init short"+finals)
	for line, want := range map[string]string{
		"short one/p.tsv two/p.tsv --name a":                                    "--name: got 1 names for 2 files, want one for each",
		"short one/p.tsv --name a --name b":                                     "--name: got 2 names for 1 files, want one for each",
		"short one/p.tsv copy.tsv two/p.tsv one/p.tsv copy.tsv":                 "got 5 submissions, want at least 1 and at most 4",
		"short one/p.tsv two/p.tsv --name a --name " + strings.Repeat("b", 101): "--name: got 101 characters",
	} {
		if _, stderr := runs(t, 2, "holdout score "+line); !strings.Contains(stderr, want) {
			t.Errorf("%s: got %s, want %s", line, stderr, want)
		}
	}
	for _, c := range []struct{ paths, want []string }{
		{[]string{"a.csv", "b.csv", "a.csv"}, []string{"a.csv", "b.csv", "a.csv"}},
		{[]string{"/x/1/p.csv", "/x/2/p.csv", "q.csv"}, []string{"1/p.csv", "2/p.csv", "q.csv"}},
		{[]string{"x/1/p.csv", "y/1/p.csv", "p.csv", "2/p.csv"}, []string{"x/1/p.csv", "y/1/p.csv", "p.csv", "2/p.csv"}},
		{[]string{"-", "a\nb", strings.Repeat("c", 101)}, []string{"", "", ""}},
	} {
		if got := fileNames(c.paths); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.paths, got, c.want)
		}
	}
}

// What a ledger keeps of the machine are paths from its own folder. It is found with its labels where both have moved
// to, by a link too. Labels that nobody says where to find are asked for.
func TestPathsAreRelative(t *testing.T) {
	top := t.TempDir()
	t.Chdir(top)
	for _, folder := range []string{"here", "here/data", "here/ledgers", "there"} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(top, "here", "data"))
	rows(t, 400, 200, 280, 380)
	const ledger = "../ledgers/l"
	runs(t, 0, "holdout init "+ledger+" --labels "+filepath.Join(top, "here", "data", "labels.csv")+" --incumbent p200.tsv "+
		"-m 4 -t 0.2 -b 0.5 --query difference --feedback gate")
	runs(t, 0, "holdout score "+ledger+" "+filepath.Join(top, "here", "data", "p280.tsv")+" --bar 0 --name better")
	kept := ""
	for _, file := range []string{"plan.json", "looks.jsonl"} {
		text, err := os.ReadFile(filepath.Join(ledger, file))
		if err != nil {
			t.Fatal(err)
		}
		kept += string(text)
	}
	status, _ := runs(t, 0, "holdout status "+ledger+" -f json")
	for _, place := range []string{"labels.csv", "p200.tsv", "p280.tsv"} {
		if want := `"../../data/` + place + `"`; !strings.Contains(kept, want) {
			t.Errorf("got %s, want %s", kept, want)
		}
	}
	if strings.Contains(kept+status, top) || !strings.Contains(status, `"labels":"../../data/labels.csv"`) {
		t.Errorf("got %s%s, want no path of the machine", kept, status)
	}
	t.Chdir(top)
	if err := os.Rename("here", "there/moved"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("there/moved/ledgers/l", "link"); err != nil {
		t.Fatal(err)
	}
	if got := row(t, 0, "holdout score link there/moved/data/p380.tsv --bar 0"); got["verdict"] != "pass" {
		t.Errorf("%v", got)
	}
	labels, err := holdout.NewLabels(holdout.Columns([]string{"1"}, []string{"x"}))
	if err != nil {
		t.Fatal(err)
	}
	beta, err := theory.Prob(0.9)
	if err != nil {
		t.Fatal(err)
	}
	plan := holdout.Terms{Method: "splitting", Goal: transfer.Goal{Queries: 1, Tau: 0.9, Beta: beta}}
	if _, err := holdout.Create("bare", labels, plan); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"holdout score bare link", "holdout serve bare"} {
		if _, stderr := runs(t, 2, line); stderr !=
			"dpcalc: --labels: got nothing, want a file: the ledger does not say where its labels are\n" {
			t.Error(stderr)
		}
	}
}

// The line about the predictions needs no label, and a dry run has it too: a column that was swapped shows before it
// costs a look.
func TestPredictionsAreCounted(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 100, 60)
	runs(t, 0, "holdout init ledger --labels labels.csv -m 4 -t 0.3 -b 0.5")
	var swapped strings.Builder
	swapped.WriteString("id,prediction\n")
	for i := range 100 {
		fmt.Fprintf(&swapped, "r%d,%s\n", i, []string{"", " ", "0.5", fmt.Sprint(i)}[i%4])
	}
	write(t, "swapped.csv", swapped.String())
	for line, want := range map[string]string{
		"swapped.csv --dry-run":  "The predictions: 100 rows, 50 of them empty, 28 distinct values\n",
		"p60.tsv --name careful": "The predictions of careful: 100 rows, 0 of them empty, 2 distinct values\n",
	} {
		if stdout, _ := runs(t, 0, "holdout score ledger "+line); strings.Count(stdout, want) != 1 {
			t.Errorf("%s: got %s, want %s", line, stdout, want)
		}
	}
}

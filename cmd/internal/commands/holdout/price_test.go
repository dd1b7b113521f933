package holdout

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

// The note under a price says how much wider a margin gets, or nothing of margins where there is none to widen: the
// margin of F1 follows from predictions that nobody has made yet.
func TestPriceSaysWhatWidens(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 400, 300)
	for _, c := range []struct {
		metrics string
		widens  bool
	}{{"f1 --positive dog", false}, {"accuracy", true}} {
		dir, _, _ := strings.Cut(c.metrics, " ")
		runs(t, 0, "holdout init "+dir+" --labels labels.csv -b 0.05 --open --metrics "+c.metrics)
		out, _ := runs(t, 0, "holdout price "+dir+" p300.tsv --show pass --bar 0.5")
		costs := "This look costs 0.223144 to 1.60944 nats"
		if !strings.Contains(out, costs) || strings.Contains(out, costs+", and widens the margin") != c.widens {
			t.Errorf("%s: got %s", c.metrics, out)
		}
	}
}

// A ledger of differences says of the numbers of score, status, log and init that they are of one, to people and
// machines, and a ledger of scores does not.
func TestRowsSayThatTheyAreOfADifference(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 400, 200, 300)
	of := map[string]string{
		"open --open --incumbent p200.tsv": " --show pass --bar 0.1",
		"gate -m 4 --query difference --feedback gate --passes 2 --disagreement 0.9 --incumbent p200.tsv": " --bar 0.1",
		"plain --open": " --show pass --bar 0.5",
	}
	for terms, asks := range of {
		dir, terms, _ := strings.Cut(terms, " ")
		compared := dir != "plain"
		init := "holdout init " + dir + " --labels labels.csv -b 0.05 " + terms
		for _, line := range []string{init + " --dry-run", init, "holdout score " + dir + " p300.tsv" + asks, "holdout status " + dir, "holdout log " + dir} {
			if code, out, said := commandtest.Dpcalc(strings.Fields(line)...); code != 0 && code != 4 ||
				strings.Contains(out, "truth of\n") != compared || strings.Contains(out, "  difference\n") != compared {
				t.Errorf("%s: exit %d, %s%s", line, code, out, said)
			}
			if line != init {
				_, out, _ := commandtest.Dpcalc(append(strings.Fields(line), "-f", "json")...)
				if strings.Contains(out, `"truth_of":"difference"`) != compared {
					t.Errorf("%s: %s", line, out)
				}
			}
		}
		if dir == "gate" {
			continue
		}
		status, _ := runs(t, 0, "holdout status "+dir)
		report, _ := runs(t, 0, "holdout status "+dir+" --report")
		if strings.Contains(status, "Look 1: the true difference from the incumbent of its model is in [") != compared ||
			strings.Contains(report, "Each truth is of a difference from the incumbent.") != compared {
			t.Errorf("%s: %s%s", dir, status, report)
		}
	}
}

// price compares with the incumbent that score compares with: after a pass, the first incumbent is refused by both with
// the same words, and without --incumbent the bar of price is the bar of the look.
func TestPriceReadsTheIncumbentOfScore(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 400, 200, 300, 330)
	runs(t, 0, "holdout init ledger --labels labels.csv -b 0.05 --open --incumbent p200.tsv")
	runs(t, 0, "holdout price ledger p300.tsv --incumbent p200.tsv --show pass --bar 0.02")
	runs(t, 0, "holdout score ledger p300.tsv --show pass --bar 0.02")
	const asks = " --show pass --bar 0.02"
	for _, file := range []string{"p200.tsv", "p330.tsv"} {
		_, want := runs(t, 2, "holdout score ledger p330.tsv --dry-run --incumbent "+file+asks)
		out, said := runs(t, 2, "holdout price ledger p330.tsv --incumbent "+file+asks)
		if said != want || out != "" || strings.Count(said, "\n") != 1 {
			t.Errorf("--incumbent %s: price prints %s%s, score %s", file, out, said, want)
		}
	}
	runs(t, 0, "holdout price ledger --show reject --test sign")
	var prices struct{ Rows []struct{ From *float64 } }
	out, _ := runs(t, 0, "holdout price ledger p330.tsv -f json"+asks)
	if err := json.Unmarshal([]byte(out), &prices); err != nil || len(prices.Rows) != 2 || prices.Rows[1].From == nil {
		t.Fatalf("%v, %s", err, out)
	}
	look := row(t, 4, "holdout score ledger p330.tsv"+asks)
	if bar := *prices.Rows[1].From; look["cell_below"] != bar {
		t.Errorf("price asks for %v, and the look failed below %v", bar, look["cell_below"])
	}
}

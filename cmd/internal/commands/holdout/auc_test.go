package holdout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

// A ledger of an AUC says its law and its class counts whenever it is made, asked or told of, and nobody serves it.
func TestLedgersOfAnAUC(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 400)
	var scores strings.Builder
	scores.WriteString("id,prediction\n")
	for i := range 400 {
		fmt.Fprintf(&scores, "r%d,%d\n", i, i%7)
	}
	write(t, "scores.csv", scores.String())
	const law = "must be drawn within each class, independent and alike, and every look must be its owner's run of a model that was made without these rows"
	const counts = `"law":"classes","positives":214,"negatives":186}`
	const of = " --labels labels.csv -b 0.05 --metrics auc --positive dog "
	for _, line := range []string{
		"init gate" + of + "-m 20 --feedback gate --passes 2", "score gate scores.csv --bar 0.2", "status gate",
		"init open" + of + "--open", "score open scores.csv --show score", "status open",
	} {
		line += " "
		_, text, _ := commandtest.Dpcalc(strings.Fields("holdout " + strings.Replace(line, "init ", "init --dry-run ", 1))...)
		code, out, said := commandtest.Dpcalc(strings.Fields("holdout " + line + "-f json")...)
		if line[0] == 'i' {
			text += said
		}
		text = commandtest.Unfolded(text)
		told := strings.Contains(text, law) && strings.Contains(text, "is never served") && strings.Contains(out, counts)
		if code != 0 && code != 4 || !told {
			t.Errorf("%s: exit %d\n%s%s%s", line, code, text, out, said)
		}
	}
	if _, report, _ := commandtest.Dpcalc("holdout", "status", "open", "--report"); !strings.Contains(report, "214 positive and 186 negative rows, drawn within each class") ||
		!strings.Contains(report, "Every look was its owner's run of a model that was made without these rows") {
		t.Errorf("got %s", report)
	}
	for _, dir := range []string{"gate", "open"} {
		for _, serve := range []string{"holdout serve " + dir + " --addr 127.0.0.1:0", "mcp " + dir} {
			code, out, said := commandtest.Dpcalc(strings.Fields(serve)...)
			if code != 2 || out != "" || strings.Count(said, "\n") != 1 || !strings.Contains(said, "got a ledger of an AUC, want another") {
				t.Errorf("%s: exit %d, %s%s", serve, code, out, said)
			}
		}
		if code, _, said := commandtest.Dpcalc("holdout", "verify", dir); code != 0 {
			t.Errorf("verify %s: %s", dir, said)
		}
	}
}

// What samplesize says would cost an AUC less is what init makes: gates, and neither boards nor finals. It
// says that no such ledger is served.
func TestSamplesizeOffersWhatInitMakesOfAnAUC(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 400)
	code, table, said := commandtest.Dpcalc(strings.Fields("samplesize --query auc --class-counts 214,186 -m 20 -b 0.05")...)
	_, less, found := strings.Cut(table, "Show less:\n")
	if code != 0 || !found || !strings.Contains(strings.Join(strings.Fields(table), " "), "never served") {
		t.Fatalf("exit %d, %s%s", code, table, said)
	}
	offered := 0
	for line := range strings.Lines(less) {
		_, flags, ok := strings.Cut(line, "  --feedback ")
		if !ok {
			break
		}
		offered++
		line := "holdout init --dry-run ledger --labels labels.csv -b 0.05 --metrics auc --positive dog -m 20 --feedback " + flags
		if code, _, said := commandtest.Dpcalc(strings.Fields(line)...); code != 0 {
			t.Errorf("%s: exit %d, %s", line, code, said)
		}
	}
	if offered == 0 {
		t.Errorf("nothing is offered: %s", table)
	}
}

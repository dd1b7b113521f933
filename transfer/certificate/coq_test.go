//go:build coq

package certificate_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/certificate"
)

// compiled is a folder in which proofs/check has compiled the proofs before.
var compiled = flag.String("compiled", "", "folder for --in of proofs/check")

// TestCoqAcceptsPlansAndNothingLess draws plans of each method: Coq accepts a file, and refuses it with one row fewer
// and with a beta that is a thousandth below the least that is certified. It refuses a threshold for one test more.
// Under the tag whole it draws twenty plans of each method, and else one of each method and of each kind of query. Coq
// reads the files of a batch as modules of one file, in which a proof that is to be refused must fail.
func TestCoqAcceptsPlansAndNothingLess(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	dir, batches := t.TempDir(), make([]strings.Builder, 2)
	if lawtest.Whole {
		batches = make([]strings.Builder, 20)
	}
	next := 0
	put := func(name, text string) {
		text = strings.TrimSuffix(text, "Print Assumptions plan.\n")
		fmt.Fprintf(&batches[next%len(batches)], "Module %s.\n%s\nEnd %[1]s.\n", name, text)
		next++
	}
	last := regexp.MustCompile(`Qed\.\s*$`)
	refused := func(name, text string) {
		text = strings.TrimSuffix(withoutMinimum(text), "Print Assumptions plan.\n")
		put(name, last.ReplaceAllString(text, "Fail Qed. Abort."))
	}
	for i, kind := range drawn(t, draw) {
		m, a := solved(t, kind.method, kind.goal)
		text := file(t, m, a)
		put(fmt.Sprintf("plan%d", i), text)
		fewer := regexp.MustCompile(fmt.Sprintf(`\b%d\b`, a.Samples)).ReplaceAllString(text, fmt.Sprint(a.Samples-1))
		noisy := a.Mechanism.Scheduled()                                // whose search may find a row too many
		if !noisy && (a.Decided == transfer.Undecided || a.Bar.Given) { // else one row fewer has a row fewer that is decided
			refused(fmt.Sprintf("fewer%d", i), fewer)
		}
		g := a.Goal
		g.Beta = 0
		m, least := solved(t, kind.method, g)
		text = file(t, m, least)
		put(fmt.Sprintf("least%d", i), text)
		if g.Query == transfer.Binary && g.Bar.Given { // its beta serves more rows too, and these rows may do better
			continue
		}
		less := regexp.MustCompile(`beta = (\d+)/(\d+)`).FindStringSubmatch(text)
		refused(fmt.Sprintf("less%d", i), thousandthLess(text, less[1], less[2]))
	}
	var proved, more string
	for i := range int64(4) { // thresholds
		tests := 11 + draw.Int64N(80)
		text, err := certificate.Selected(tests, beta(t, "0.05"))
		if i > 0 {
			text, err = certificate.Gates(tests, i, beta(t, "0.05"))
		}
		if err != nil {
			t.Fatal(err)
		}
		proved, more = text, regexp.MustCompile(fmt.Sprintf(`\b%d\b`, tests)).ReplaceAllString(text, fmt.Sprint(tests+1))
		put(fmt.Sprintf("threshold%d", i), proved)
		refused(fmt.Sprintf("more%d", i), more)
	}
	var args, wants []string
	if *compiled != "" {
		args = []string{"--in", *compiled}
	}
	check := func(name, text, want string) {
		path := filepath.Join(dir, name+".v")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		args, wants = append(args, path), append(wants, path+": "+want)
	}
	for i := range batches {
		check(fmt.Sprintf("batch%d", i), batches[i].String(), "proved")
	}
	check("whole", proved, "proved")
	check("more", more, "refused")
	out, _ := exec.Command("../../proofs/check", args...).CombinedOutput()
	for _, want := range wants {
		if !strings.Contains(string(out), want) {
			t.Errorf("want %s in\n%s", want, out)
		}
	}
}

// drawn draws twenty plans of each method, or the few of the quick form.
func drawn(t *testing.T, draw *rand.Rand) (all []kind) {
	if !lawtest.Whole {
		return slices.DeleteFunc(kinds(t, draw), func(k kind) bool { return !k.quick })
	}
	count := map[string]int{}
	for range 20 {
		for _, k := range kinds(t, draw) {
			if count[k.method]++; count[k.method] <= 20 {
				all = append(all, k)
			}
		}
	}
	return all
}

// withoutMinimum drops the theorem about one row fewer.
func withoutMinimum(text string) string {
	before, _, _ := strings.Cut(text, "(* With one row fewer")
	return before
}

// thousandthLess has 999 b over 1000 b' for b over b'.
func thousandthLess(text, b, over string) string {
	times := func(x, by string) string { return "(" + by + " * " + x + ")" }
	text = strings.ReplaceAll(text, "<= "+b+"/"+over, "<= IZR "+times(b, "999")+" / IZR "+times(over, "1000"))
	return strings.ReplaceAll(text, " "+b+" "+over+" ", " "+times(b, "999")+" "+times(over, "1000")+" ")
}

type kind struct {
	method string
	goal   transfer.Goal
	quick  bool
}

// kinds draws a plan of each kind.
func kinds(t *testing.T, draw *rand.Rand) []kind {
	random := func() transfer.Goal {
		return transfer.Goal{Queries: 2 + draw.Int64N(50), Tau: float64(100+draw.IntN(60)) / 1000,
			Beta: beta(t, fmt.Sprint(float64(1+draw.IntN(9))/100))}
	}
	bar := func() transfer.Option { return transfer.Some(float64(50+draw.IntN(18)) / 100) }
	signed := func(g transfer.Goal) transfer.Goal { g.Query, g.Tau = transfer.Difference, 2*g.Tau; return g }
	binary := func(g transfer.Goal) transfer.Goal { g.Query = transfer.Binary; return g }
	best := func(g transfer.Goal) transfer.Goal { g.Feedback = transfer.Best; return g }
	above := func(g transfer.Goal) transfer.Goal { g.Feedback, g.Floor = transfer.Best, 0.4; return g }
	leads := func(g transfer.Goal) transfer.Goal {
		g.Query, g.Disagreement, g.Checked, g.Decided = transfer.Difference, 0.5, true, transfer.TwoClasses
		return g
	}
	one := func(g transfer.Goal) transfer.Goal { g.OneSided = true; return g }
	shown := func(g transfer.Goal) transfer.Goal { g.Queries = 1 + draw.Int64N(4); return g }
	return []kind{
		{"gate", gated(random(), 2, bar()), true},
		{"gate", one(gated(random(), 1, bar())), false},
		{"gate", gated(random(), 1, transfer.Option{}), false},
		{"gate", signed(gated(random(), 1, transfer.Option{})), false},
		{"gate", signed(gated(random(), 2, transfer.Some(-0.05))), false},
		{"gate", one(signed(gated(random(), 2, transfer.Some(0.02)))), true},
		{"gate", binary(gated(random(), 2, bar())), true},
		{"gate", binary(gated(random(), 1, transfer.Option{})), false},
		{"open-gate", opened(random(), 1, transfer.Some(0.6)), false},
		{"open-gate", binary(opened(random(), 2, transfer.Some(0.55))), false},
		{"open-gate", opened(random(), 2, transfer.Option{}), true},
		{"open-board", ranked(random(), 2), true},
		{"open-board", binary(ranked(random(), 1)), false},
		{"ladder", best(random()), false},
		{"ladder", above(random()), true},
		{"ladder", binary(best(random())), false},
		{"ladder", binary(above(random())), true},
		{"sealed", binary(final(random())), false},
		{"sealed", one(binary(final(random()))), false},
		{"sealed", final(random()), false},
		{"sealed", one(final(random())), true},
		{"gaussian-schedule", shown(random()), true},
		{"gaussian-schedule", one(binary(shown(random()))), false},
		{"gate", leads(gated(random(), 2, transfer.Some(0.02))), true},
		{"gate", one(leads(gated(random(), 2, transfer.Some(-0.01)))), false},
		{"gate", leads(gated(random(), 1, transfer.Option{})), false},
	}
}

func file(t *testing.T, m transfer.Method, a transfer.Answer) string {
	text, err := certificate.Of(m, a)
	if err != nil {
		t.Fatalf("%s %+v: %v", m.Name, a.Goal, err)
	}
	return text
}

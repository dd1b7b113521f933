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
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/certificate"
)

// compiled is a folder in which proofs/check has compiled the proofs before.
var compiled = flag.String("compiled", "", "folder for --in of proofs/check")

// TestCoqAcceptsPlansAndNothingLess draws plans of each kind: Coq accepts each file, and refuses it with one row fewer
// and with a beta that is a thousandth below the least that is certified. It refuses a threshold for one test more.
// Coq takes up to a minute for a file, so that all kinds are for the tag whole, and else one of each method and of each
// kind of query.
func TestCoqAcceptsPlansAndNothingLess(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	var files []string
	wants := map[string]string{}
	put := func(name, text, want string) {
		path := filepath.Join(dir, name+".v")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		files, wants[path] = append(files, path), want
	}
	for i, kind := range kinds(t, draw) {
		if !kind.quick && !lawtest.Whole {
			t.Logf("kind %d: the tag whole runs it", i)
			continue
		}
		m, a := solved(t, kind.method, kind.goal)
		text := file(t, m, a)
		put(fmt.Sprintf("plan%d", i), text, "proved")
		fewer := regexp.MustCompile(fmt.Sprintf(`\b%d\b`, a.Samples)).ReplaceAllString(text, fmt.Sprint(a.Samples-1))
		put(fmt.Sprintf("fewer%d", i), withoutMinimum(fewer), "refused")
		g := a.Goal
		g.Beta = 0
		m, least := solved(t, kind.method, g)
		text = file(t, m, least)
		put(fmt.Sprintf("least%d", i), text, "proved")
		if g.Query == transfer.Binary && g.Bar.Given { // its beta serves more rows too, and these rows may do better
			continue
		}
		less := regexp.MustCompile(`beta = (\d+)/(\d+)`).FindStringSubmatch(text)
		put(fmt.Sprintf("less%d", i), withoutMinimum(thousandthLess(text, less[1], less[2])), "refused")
	}
	for i := range int64(4) { // thresholds
		tests := 11 + draw.Int64N(80)
		text, err := certificate.Selected(tests, beta(t, "0.05"))
		if i > 0 {
			text, err = certificate.Gates(tests, i, beta(t, "0.05"))
		}
		if err != nil {
			t.Fatal(err)
		}
		put(fmt.Sprintf("threshold%d", i), text, "proved")
		more := regexp.MustCompile(fmt.Sprintf(`\b%d\b`, tests)).ReplaceAllString(text, fmt.Sprint(tests+1))
		put(fmt.Sprintf("more%d", i), more, "refused")
	}
	if *compiled != "" {
		files = append([]string{"--in", *compiled}, files...)
	}
	out, _ := exec.Command("../../proofs/check", files...).CombinedOutput()
	for path, want := range wants {
		if line := path + ": " + want; !strings.Contains(string(out), line) {
			t.Errorf("want %s in\n%s", line, out)
		}
	}
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
		return transfer.Goal{Queries: 2 + draw.Int64N(50), Tau: float64(80+draw.IntN(80)) / 1000,
			Beta: beta(t, fmt.Sprint(float64(1+draw.IntN(9))/100))}
	}
	bar := func() transfer.Option { return transfer.Some(float64(50+draw.IntN(35)) / 100) }
	signed := func(g transfer.Goal) transfer.Goal { g.Query, g.Tau = transfer.Difference, 2*g.Tau; return g }
	binary := func(g transfer.Goal) transfer.Goal { g.Query = transfer.Binary; return g }
	best := func(g transfer.Goal) transfer.Goal { g.Feedback = transfer.Best; return g }
	above := func(g transfer.Goal) transfer.Goal { g.Feedback, g.Floor = transfer.Best, 0.4; return g }
	one := func(g transfer.Goal) transfer.Goal { g.OneSided = true; return g }
	return []kind{
		{"gate", gated(random(), 2, bar()), true},
		{"gate", one(gated(random(), 1, bar())), false},
		{"gate", gated(random(), 1, transfer.Option{}), false},
		{"gate", signed(gated(random(), 1, transfer.Option{})), false},
		{"gate", signed(gated(random(), 2, transfer.Some(-0.05))), false},
		{"gate", one(signed(gated(random(), 2, transfer.Some(0.02)))), true},
		{"gate", binary(gated(random(), 2, bar())), true},
		{"gate", binary(gated(random(), 1, transfer.Option{})), false},
		{"open-gate", opened(random(), 1, bar()), false},
		{"open-gate", binary(opened(random(), 2, bar())), false},
		{"open-gate", opened(random(), 2, transfer.Option{}), true},
		{"ladder", best(random()), false},
		{"ladder", above(random()), true},
		{"ladder", binary(best(random())), false},
		{"ladder", binary(above(random())), true},
		{"sealed", binary(final(random())), false},
		{"sealed", one(binary(final(random()))), false},
		{"sealed", final(random()), false},
		{"sealed", one(final(random())), true},
	}
}

func file(t *testing.T, m transfer.Method, a transfer.Answer) string {
	text, err := certificate.Of(m, a)
	if err != nil {
		t.Fatalf("%s %+v: %v", m.Name, a.Goal, err)
	}
	return text
}

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package holdout

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/transfer"
)

// childVariable makes the tests' binary a child that takes looks until it kills itself: folder, step, number of the
// step's occurrence at which it does, and the look to begin with.
const childVariable = "DPCALC_HOLDOUT_CHILD"

func TestMain(m *testing.M) {
	if task, ok := os.LookupEnv(childVariable); ok {
		child(strings.Split(task, "\n"))
	}
	os.Exit(m.Run())
}

// The steps of a look at which a child dies. At half it has written half of the line.
var steps = []string{"locked", "answered", "half", "written", "synced", "settled", "shown"}

// child takes looks, each printed once it is known, and kills itself as kill -9 would.
func child(task []string) {
	dir, step := task[0], task[1]
	after, _ := strconv.Atoi(task[2])
	first, _ := strconv.Atoi(task[3])
	die := func(at string) {
		if at != step {
			return
		}
		if after--; after < 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	ids, classes := childRows()
	labels, err := NewLabels(Columns(ids, classes))
	if err != nil {
		panic(err)
	}
	l, err := Open(dir, labels)
	if err != nil {
		fmt.Println("open", err)
		os.Exit(1)
	}
	l.journal.At = die
	l.journal.Sync = func(*os.File) error { return nil } // the system outlives the process
	l.journal.Names = func(string) error { return nil }
	l.journal.Hooks.Write = func(f *os.File, b []byte) (int, error) {
		if step == "half" && after == 0 {
			_, _ = f.Write(b[:len(b)/2])
			die("half")
		}
		if step == "half" {
			after--
		}
		return f.Write(b)
	}
	if len(task) > 4 {
		changed, err := l.Extend(context.Background(), childChange(task[4]))
		fmt.Println("changed", changed, err)
		os.Exit(0)
	}
	for k := first; ; k++ {
		a, err := l.Score(context.Background(), childLook(l, ids, classes, k))
		if err != nil {
			fmt.Println("refused", err)
			os.Exit(0)
		}
		fmt.Println("shown", a.Look, *a.Response)
		die("shown")
		if step == "never" && l.plan.IsOpen() && a.Look >= writersLooks {
			os.Exit(0)
		}
	}
}

// writersLooks is how many looks several writers take together, of an open ledger a few more.
const writersLooks = 40

// childLook is the k-th look that a child takes.
func childLook(l *Ledger, ids, classes []string, k int) Submission {
	s := Submission{Values: Columns(ids, guesses(classes, 0.6, uint64(k)))}
	if l.plan.IsOpen() {
		s.Show = ShowScore
	}
	return s
}

// childTerms returns the terms of a fixed and of an open ledger.
func childTerms(t *testing.T, looks int64, failure string) map[string]Terms {
	return map[string]Terms{
		"fixed": termsOf(looks, 0.99, beta(t, failure), "gaussian"),
		"open":  {Goal: transfer.Goal{Beta: beta(t, "0.05")}, Unlimited: Unlimited{Open: true}},
	}
}

func childRows() (ids, classes []string) {
	for i := range 400 {
		ids, classes = append(ids, fmt.Sprint(i)), append(classes, []string{"a", "b"}[i*i%7%2])
	}
	return ids, classes
}

// A child is killed 500 times, or a share of them, at every step of a look. No answer that was shown is unspent, none
// is spent twice, the files always verify, and only a look whose write was cut is torn.
func TestKilledAtEveryStep(t *testing.T) {
	for kind, terms := range childTerms(t, 5000, "0.99") {
		t.Run(kind, func(t *testing.T) { killed(t, terms) })
	}
}

func killed(t *testing.T, terms Terms) {
	ids, classes := childRows()
	dir := filepath.Join(t.TempDir(), "ledger")
	if _, err := Create(dir, LabelsOf(t, ids, classes), terms); err != nil {
		t.Fatal(err)
	}
	shown := map[int64]float64{}
	before, torn := int64(0), int64(0)
	kills := lawtest.Draws(t, 500)
	for kill := range kills {
		step, after := steps[kill%len(steps)], kill/len(steps)%3
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%s\n%d\n%d", childVariable, dir, step, after, 10*kill))
		out, err := c.Output()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("kill %d at %s: the child was not killed: %v, %s", kill, step, err, out)
		}
		lines := bufio.NewScanner(strings.NewReader(string(out)))
		for lines.Scan() {
			var look int64
			var response float64
			if _, err := fmt.Sscanf(lines.Text(), "shown %d %g", &look, &response); err != nil {
				t.Fatalf("kill %d at %s: %s", kill, step, lines.Text())
			}
			if _, ok := shown[look]; ok {
				t.Fatalf("look %d is shown twice", look)
			}
			shown[look] = response
		}
		h, err := journalOf(dir).Read()
		if err != nil {
			t.Fatalf("kill %d at %s: %v", kill, step, err)
		}
		want := before + int64(after) // looks of which the line is whole
		switch step {
		case "half", "written", "synced", "settled", "shown":
			want++
		}
		if step == "half" {
			torn++
		}
		if h.Looks != want || h.TornLooks != torn {
			t.Fatalf("kill %d at %s: %d looks and %d torn, want %d and %d", kill, step, h.Looks, h.TornLooks, want, torn)
		}
		before = h.Looks
	}
	h, err := journalOf(dir).Read()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
	if want := int64((kills + 4) / len(steps)); h.TornLooks != want {
		t.Errorf("%d torn looks, want %d of %d", h.TornLooks, want, kills)
	}
	for look, response := range shown {
		if l := h.Lines[look-1]; l.Look != look || l.Response == nil || *l.Response != response {
			t.Errorf("look %d was shown as %v and is written as %+v", look, response, l)
		}
	}
	if len(shown) < kills*4/5 {
		t.Errorf("%d looks were shown, want 4 of 5 kills", len(shown))
	}
	spent := 0.
	for _, l := range h.Lines {
		if spent += rule.ValueOr(l.Price, 0); l.Event == Torn && terms.Open {
			spent += transfer.UsualMost
		}
	}
	if got := h.status().Spent; math.Abs(got-spent) > 1e-9*(1+spent) {
		t.Errorf("got %v nats spent, want the prices and %v for each torn look, %v", got, transfer.UsualMost, spent)
	}
}

// childChange is a change of the rows that a child makes.
func childChange(kind string) Extension {
	more, err := NewLabels(Columns([]string{"x", "y"}, []string{"a", "b"}))
	if err != nil {
		panic(err)
	}
	return map[string]Extension{"more": {Labels: more}, "arriving": {Labels: more}, "replace": {Labels: more, Replace: true},
		"drop": {Drop: []string{"0", "7", "399"}}}[kind]
}

// A child that changes the rows is killed at every step. The rows are then as they were or as they are to be, the
// files verify, a second run completes the change, and a third one changes nothing. None of it costs a nat.
func TestKilledExtension(t *testing.T) {
	ids, classes := childRows()
	labels := LabelsOf(t, ids, classes)
	ledgers := childTerms(t, 1, "0.5")
	goal := transfer.Goal{Queries: 2, Tau: 0.5, Beta: beta(t, "0.5"), Arrival: &transfer.Arrival{Rows: 2, Queries: 1}}
	ledgers["arriving"] = Terms{Goal: goal}
	for kind, want := range map[string]int64{"more": 402, "replace": 2, "drop": 397, "arriving": 402} {
		for _, step := range steps[:len(steps)-1] {
			if step == "answered" {
				continue // of a look
			}
			dir := filepath.Join(t.TempDir(), "ledger")
			terms, arrives := ledgers[kind]
			if !arrives {
				terms = ledgers["open"]
			}
			l, err := Create(dir, labels, terms)
			if err != nil {
				t.Fatal(err)
			}
			first := takes(t, l, childLook(l, ids, classes, 1))
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%s\n0\n0\n%s", childVariable, dir, step, kind))
			out, err := c.Output()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("%s at %s: the child was not killed: %v, %s", kind, step, err, out)
			}
			v, err := Verify(dir, "")
			if err != nil || v.Rows != 400 && v.Rows != want || v.Spent != first.Spent {
				t.Fatalf("%s at %s: got %d rows and %v nats, want %v (%v)", kind, step, v.Rows, v.Spent, first.Spent, err)
			}
			for run := range 2 {
				l, err := OpenWith(dir, func(s Status) (all []*Labels, err error) {
					for _, source := range s.Sources {
						more := childChange("more").Labels
						if s.Sources[0].Labels == source.Labels && (s.Rows != 2 || kind != "replace") {
							more = labels
						}
						all = append(all, more)
					}
					return all, nil
				})
				if err != nil {
					t.Fatal(err)
				}
				missing := run == 0 && v.Rows != want
				changed, err := l.Extend(context.Background(), childChange(kind))
				if err != nil || changed != missing {
					t.Errorf("%s at %s, run %d: changed %v, want %v (%v)", kind, step, run, changed, missing, err)
				}
				if now, err := Verify(dir, ""); err != nil || now.Rows != want || now.Spent != v.Spent {
					t.Errorf("%s at %s, run %d: got %d rows and %v nats, want %d and %v (%v)", kind, step, run, now.Rows, now.Spent,
						want, v.Spent, err)
				}
			}
		}
	}
}

// Two writers, in processes of their own and in this one, spend each look once.
func TestTwoWriters(t *testing.T) {
	for kind, terms := range childTerms(t, writersLooks, "0.9") {
		t.Run(kind, func(t *testing.T) { written(t, terms) })
	}
}

func written(t *testing.T, terms Terms) {
	ids, classes := childRows()
	labels := LabelsOf(t, ids, classes)
	dir := filepath.Join(t.TempDir(), "ledger")
	if _, err := Create(dir, labels, terms); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	seen := map[int64]int{}
	count := func(look int64) {
		mu.Lock()
		defer mu.Unlock()
		seen[look]++
	}
	for w := range 2 {
		group.Go(func() {
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), fmt.Sprintf("%s=%s\nnever\n0\n%d", childVariable, dir, 1000*w))
			out, err := c.Output()
			if err != nil {
				t.Errorf("%v, %s", err, out)
			}
			for line := range strings.Lines(string(out)) {
				var look int64
				var response float64
				if n, _ := fmt.Sscanf(line, "shown %d %g", &look, &response); n == 2 {
					count(look)
				}
			}
		})
		group.Go(func() {
			l, err := Open(dir, labels)
			if err != nil {
				t.Error(err)
				return
			}
			for k := 0; ; k++ {
				a, err := l.Score(context.Background(), childLook(l, ids, classes, 5000+1000*w+k))
				var refused *RefusedError
				if errors.As(err, &refused) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				count(a.Look)
				if terms.Open && a.Look >= writersLooks {
					return
				}
			}
		})
	}
	group.Wait()
	for look := int64(1); look <= int64(len(seen)); look++ {
		if seen[look] != 1 {
			t.Errorf("look %d was answered %d times", look, seen[look])
		}
	}
	if n := len(seen); n < writersLooks || n > writersLooks && !terms.Open {
		t.Errorf("got %d looks, want %d, of an open ledger at least", n, writersLooks)
	}
	if v, err := Verify(dir, ""); err != nil || v.Looks != int64(len(seen)) {
		t.Errorf("%+v, %v, %d answers", v, err, len(seen))
	}
}

// lockedLedger is a ledger whose lock somebody else holds until the test ends, and a look at it.
func lockedLedger(t *testing.T) (l *Ledger, dir string, look Submission) {
	t.Helper()
	ids, classes := childRows()
	l, dir = ledgerOf(t, LabelsOf(t, ids, classes), termsOf(3, 0.9, beta(t, "0.9"), "gaussian"))
	held, done := make(chan bool), make(chan bool)
	go func() {
		err := journalOf(dir).Write(context.Background(), func(*history, journal.Writer) error {
			close(held)
			<-done
			return nil
		})
		if done <- true; err != nil {
			t.Error(err)
		}
	}()
	<-held
	t.Cleanup(func() { done <- true; <-done })
	return l, dir, Submission{Values: Columns(ids, classes)}
}

// A look waits for the lock as long as its context allows, and readers do not wait.
func TestLockedLedger(t *testing.T) {
	l, dir, look := lockedLedger(t)
	ctx, cancel := context.WithCancel(context.Background())
	l.journal.At = func(string) { t.Error("a locked ledger took a look") }
	cancel()
	if _, err := l.Score(ctx, look); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if s, err := ReadStatus(dir); err != nil || s.Looks != 0 {
		t.Error(s, err)
	}
}

// A disk without room, as the system reports it: a limit on the size of files cuts the line.
func TestFileSizeLimit(t *testing.T) {
	for kind, terms := range childTerms(t, 30, "0.9") {
		t.Run(kind, func(t *testing.T) { limited(t, terms) })
	}
}

func limited(t *testing.T, terms Terms) {
	ids, classes := childRows()
	labels := LabelsOf(t, ids, classes)
	dir := filepath.Join(t.TempDir(), "ledger")
	if _, err := Create(dir, labels, terms); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "-c", `trap '' XFSZ; ulimit -f 4; exec "$0"`, os.Args[0])
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%s\nnever\n0\n0", childVariable, dir))
	out, err := c.Output()
	if err != nil || !strings.Contains(string(out), "file too large") {
		t.Fatalf("%v, %s", err, out)
	}
	v, err := Verify(dir, "")
	if err != nil || v.Torn != 0 || v.Looks != int64(strings.Count(string(out), "shown")) || v.Looks == 0 {
		t.Errorf("%+v, %v", v, err)
	}
}

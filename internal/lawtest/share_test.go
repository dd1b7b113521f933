package lawtest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A case has one of twelve methods and one of three flags.
func groupsOf(i int) []string { return []string{fmt.Sprint("method ", i%12), fmt.Sprint("flag ", i%3)} }

// taken are the cases that a picker takes, of some in order.
func taken(whole bool, cases []int) (names []int) {
	p := &Picker{whole: whole, groups: make(map[string]bool)}
	for _, i := range cases {
		if p.Takes(fmt.Sprint("case ", i), groupsOf(i)...) {
			names = append(names, i)
		}
	}
	return names
}

func upTo(n int) (cases []int) {
	for i := range n {
		cases = append(cases, i)
	}
	return cases
}

// Every group has a case, whatever the order, and about a tenth of the cases are taken: of 10,000, with a standard
// deviation of 30.
func TestEveryGroupHasACase(t *testing.T) {
	for _, n := range []int{12, 100, 10_000} {
		cases := upTo(n)
		for range 2 {
			got, seen := taken(false, cases), make(map[string]bool)
			for _, i := range got {
				for _, group := range groupsOf(i) {
					seen[group] = true
				}
			}
			if len(seen) != 15 || len(got) < n/10-150 || len(got) > n/10+150 {
				t.Errorf("%d of %d cases, of %d groups, want all 15", len(got), n, len(seen))
			}
			slices.Reverse(cases)
		}
	}
}

// A new case leaves the choice of all others, but that it may stand for its groups.
func TestANewCaseLeavesTheOthers(t *testing.T) {
	before := taken(false, upTo(1000))
	for _, place := range []int{0, 1, 13, 500, 1000} {
		after := taken(false, slices.Insert(upTo(1000), place, 7777))
		after = slices.DeleteFunc(after, func(i int) bool { return i == 7777 })
		for _, i := range before {
			if !slices.Contains(after, i) && i > 12 {
				t.Errorf("case %d goes with a new one at %d", i, place)
			}
		}
		for _, i := range after {
			if !slices.Contains(before, i) {
				t.Errorf("case %d comes with a new one at %d", i, place)
			}
		}
		if gone := len(before) - len(after); gone > 2 {
			t.Errorf("%d cases go with a new one at %d, want one a group at most", gone, place)
		}
	}
}

func TestWholeTakesAll(t *testing.T) {
	if got := taken(true, upTo(1000)); !slices.Equal(got, upTo(1000)) {
		t.Errorf("%d of 1,000 cases", len(got))
	}
}

// A recorder is a test of some name that writes down what it logs, and its errors.
type recorder struct {
	testing.TB
	name   string
	logs   []string
	errors []string
	end    func()
}

func (r *recorder) Helper()                    {}
func (r *recorder) Name() string               { return r.name }
func (r *recorder) Cleanup(end func())         { r.end = end }
func (r *recorder) Logf(s string, args ...any) { r.logs = append(r.logs, fmt.Sprintf(s, args...)) }
func (r *recorder) Errorf(s string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(s, args...))
}

// A share is logged, with how to run all, and only listed tests run one.
func TestNothingIsSkippedInSilence(t *testing.T) {
	r := &recorder{name: "TestSolutionsAgree/gate"}
	runs := []int{Draws(r, 1), Draws(r, 10), Draws(r, 11), Draws(r, 400)}
	p := Pick(r)
	takes := 0
	for i := range 400 {
		if p.Takes(fmt.Sprint(i)) {
			takes++
		}
	}
	r.end()
	want := []int{1, 1, 2, 40}
	logs := []string{"1 of 10 cases", "2 of 11 cases", "40 of 400 cases", fmt.Sprint(takes, " of 400 cases")}
	for i := range logs {
		logs[i] += "; go test -tags whole runs all"
	}
	if Whole {
		want, logs = []int{1, 10, 11, 400}, nil
	}
	if !slices.Equal(runs, want) || !slices.Equal(r.logs, logs) || r.errors != nil {
		t.Errorf("%d: %q, %q, want %d: %q", runs, r.logs, r.errors, want, logs)
	}
	unlisted := &recorder{name: "TestUnheardOf/gate"}
	Draws(unlisted, 5)
	Pick(unlisted)
	if len(unlisted.errors) != 2 || !strings.Contains(unlisted.errors[0], "add it to internal/lawtest/shares.txt") {
		t.Errorf("%q", unlisted.errors)
	}
}

// Every listed test is where the list has it.
func TestListedTestsExist(t *testing.T) {
	for line := range strings.Lines(listed) {
		folder, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		files, err := filepath.Glob(filepath.Join("..", "..", folder, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && regexp.MustCompile(`(?m)^func `+name+`\(`).Match(text)
		})
		if !found {
			t.Errorf("%s has no %s", folder, name)
		}
	}
}

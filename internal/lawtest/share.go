package lawtest

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// share is the part of its cases that a slow test runs: one in so many. Under the tag whole it runs all of them.
const share = 10

// listed names the tests that run a share, each with its package, so that .ci/run can run the whole of them.
//
//go:embed shares.txt
var listed string

// Draws returns how many of count random cases a test runs, and logs it.
func Draws(t testing.TB, count int) int {
	t.Helper()
	checkListed(t)
	run := count
	if !Whole {
		run = (count + share - 1) / share
	}
	logShare(t, run, count)
	return run
}

// A Picker picks the cases that a test runs.
type Picker struct {
	whole    bool
	groups   map[string]bool // those that have a case
	run, all int
}

// Pick returns a picker, which logs at the test's end how many cases it took.
func Pick(t testing.TB) *Picker {
	t.Helper()
	checkListed(t)
	p := &Picker{whole: Whole, groups: make(map[string]bool)}
	t.Cleanup(func() { logShare(t, p.run, p.all) })
	return p
}

// Takes reports whether the test runs a case: one name in ten, by a hash of the name, and the first case of every
// group. So a new case changes no other choice, except that it may be the first of its group.
func (p *Picker) Takes(name string, groups ...string) bool {
	sum := sha256.Sum256([]byte(name))
	takes := p.whole || binary.BigEndian.Uint64(sum[:])%share == 0
	for _, group := range groups {
		takes = takes || !p.groups[group]
	}
	p.all++
	if takes {
		p.run++
		for _, group := range groups {
			p.groups[group] = true
		}
	}
	return takes
}

func logShare(t testing.TB, run, all int) {
	t.Helper()
	if run < all {
		t.Logf("%d of %d cases; go test -tags whole runs all", run, all)
	}
}

func checkListed(t testing.TB) {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	if !slices.ContainsFunc(strings.Split(listed, "\n"), func(line string) bool { return strings.HasSuffix(line, " "+name) }) {
		t.Errorf("%s runs a share of its cases: add it to internal/lawtest/shares.txt, for .ci/run", name)
	}
}

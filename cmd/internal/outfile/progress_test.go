package outfile

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A text takes the place of the one before, and the end removes it. Where nobody looks, nothing is said.
func TestSay(t *testing.T) {
	var out strings.Builder
	p := &Progress{w: &out, drawn: new(atomic.Bool)}
	p.Say("1 look")
	p.Say("2 looks")
	p.End()
	p.End()
	if got, want := out.String(), clearLine+"1 look"+clearLine+"2 looks"+clearLine; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p = nil
	p.Say("nothing")
	p.End()
}

// A line without a number takes the place of the last one, after a second, and End removes it. Where nobody looks,
// nothing is written.
func TestProgressAfter(t *testing.T) {
	var nobody *Progress
	nobody.After("writing")
	var out strings.Builder
	p := &Progress{w: &out, total: 9, unit: "goals", start: time.Now(), drawn: new(atomic.Bool)}
	p.After("too early")
	p.End()
	if out.Len() > 0 {
		t.Errorf("after less than a second: %q", out.String())
	}
	p.start = p.start.Add(-time.Minute)
	p.Step(9)
	p.After("writing")
	p.End()
	if want := "\r9 of 9 goals" + clearLine + "writing" + clearLine; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

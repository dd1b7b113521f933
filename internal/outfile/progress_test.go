package outfile

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A line without a number takes the place of the last one, after a second, and End removes it. Where nobody looks,
// nothing is written.
func TestProgressSay(t *testing.T) {
	var nobody *Progress
	nobody.Say("writing")
	var out strings.Builder
	p := &Progress{w: &out, total: 9, unit: "goals", start: time.Now(), drawn: new(atomic.Bool)}
	p.Say("too early")
	p.End()
	if out.Len() > 0 {
		t.Errorf("after less than a second: %q", out.String())
	}
	p.start = p.start.Add(-time.Minute)
	p.Step(9)
	p.Say("writing")
	p.End()
	if want := "\r9 of 9 goals" + clearLine + "writing" + clearLine; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

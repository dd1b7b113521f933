package outfile

import (
	"strings"
	"testing"
	"time"
)

// A text takes the place of the one before, and the end removes it. Where nobody looks, nothing is said.
func TestSay(t *testing.T) {
	var out strings.Builder
	p := &Progress{w: &out}
	p.Say("1 look")
	p.Say("2 looks")
	p.End()
	p.End()
	if got, want := out.String(), clearLine+"1 look"+clearLine+"2 looks"+clearLine; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	out.Reset()
	p = &Progress{w: &out, unit: "goals"}
	if p.draw(time.Now()); out.Len() > 0 {
		t.Errorf("before a text: %q", out.String())
	}
	p = nil
	p.Say("nothing")
	p.After("nothing")
	p.Step(1)
	p.End()
}

// The line comes after a second, with the time that the rest takes at the pace so far, and after the last step with the
// time that has passed. The end removes it and nothing is drawn after it.
func TestProgressLine(t *testing.T) {
	var out strings.Builder
	start := time.Now()
	p := &Progress{w: &out, total: 900, unit: "goals", since: start}
	at := func(seconds float64) string {
		out.Reset()
		p.draw(start.Add(time.Duration(seconds * float64(time.Second))))
		return strings.TrimPrefix(out.String(), clearLine)
	}
	p.Step(1)
	if got := at(.9); got != "" {
		t.Errorf("before a second: %q", got)
	}
	for _, c := range []struct {
		done    int
		seconds float64
		want    string
	}{
		{1, 1, "1 of 900 goals, 15 min left"},
		{100, 1, "100 of 900 goals, 8 s left"},
		{100, 3600, "100 of 900 goals, 8 h left"},
		{890, 2, "890 of 900 goals, 1 s left"},
		{900, 2, "900 of 900 goals, 2 s"},
	} {
		p.Step(c.done)
		if got := at(c.seconds); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	p.Step(0) // another turn
	start = p.since
	if got, want := at(3), "0 of 900 goals, 3 s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p.After("writing")
	start = p.since
	if got, want := at(3), "writing, 3 s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p.Step(900)
	if got, want := at(3), "900 of 900 goals, 3 s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	out.Reset()
	p.End()
	if out.String() != clearLine || p.draw(start.Add(time.Hour)) || out.String() != clearLine {
		t.Errorf("the end: %q", out.String())
	}
}

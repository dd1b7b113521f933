package outfile

import (
	"bytes"
	"sync/atomic"
	"testing"
)

// A text takes the place of the one before, and the end removes it. Where nobody looks, nothing is said.
func TestSay(t *testing.T) {
	var out bytes.Buffer
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

package outfile

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"
)

// Progress tells on a terminal how far a long grid has come; elsewhere it is nil
// and says nothing.
type Progress struct {
	w     io.Writer
	total int
	unit  string // of what there are total
	start time.Time
	last  time.Time
	drawn *atomic.Bool // of the program
}

// clearLine removes the line of progress.
const clearLine = "\r\x1b[K"

// Progress tells how far a number of goals has come. It is nil where nobody looks.
func (s *Session) Progress(total int) *Progress {
	f, ok := s.Stderr.(*os.File)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return &Progress{w: f, total: total, unit: "goals", start: time.Now(), drawn: &s.drawn}
}

// Of names the unit.
func (p *Progress) Of(unit string) *Progress {
	if p != nil {
		p.unit = unit
	}
	return p
}

// Step tells how many are done.
func (p *Progress) Step(done int) {
	if p == nil {
		return
	}
	now := time.Now()
	if now.Sub(p.start) < time.Second || now.Sub(p.last) < time.Second/5 {
		return
	}
	p.last = now
	p.drawn.Store(true)
	fmt.Fprintf(p.w, "\r%d of %d %s", done, p.total, p.unit)
}

// Say shows a text in place of the line before.
func (p *Progress) Say(text string) {
	if p == nil {
		return
	}
	p.drawn.Store(true)
	fmt.Fprint(p.w, clearLine+text)
}

// After shows the work after the last step, which has no number, if the steps took a second.
func (p *Progress) After(what string) {
	if p != nil && time.Since(p.start) >= time.Second {
		p.Say(what)
	}
}

// End removes the line.
func (p *Progress) End() {
	if p != nil && p.drawn.Swap(false) {
		fmt.Fprint(p.w, clearLine)
	}
}

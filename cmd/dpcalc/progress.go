package main

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"
)

// progress tells on a terminal how far a long grid has come; elsewhere it is nil
// and says nothing.
type progress struct {
	w     io.Writer
	total int
	unit  string // of what there are total
	start time.Time
	last  time.Time
	drawn *atomic.Bool // of the program
}

// clearLine removes the line of progress.
const clearLine = "\r\x1b[K"

func (s *Session) Progress(total int) *progress {
	f, ok := s.Stderr.(*os.File)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return &progress{w: f, total: total, unit: "goals", start: time.Now(), drawn: &s.drawn}
}

// of names the unit.
func (p *progress) of(unit string) *progress {
	if p != nil {
		p.unit = unit
	}
	return p
}

func (p *progress) step(done int) {
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

// end removes the line.
func (p *progress) end() {
	if p != nil && p.drawn.Swap(false) {
		fmt.Fprint(p.w, clearLine)
	}
}

package outfile

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Progress shows on a terminal how far a job has come that lasts over a second: what is done, of how much, and how long
// the rest will take. Elsewhere it is nil and shows nothing.
type Progress struct {
	w    io.Writer
	unit string // of what there are total

	mu          sync.Mutex
	done, total int
	since       time.Time // when none was done
	text        string    // in place of the numbers
	drawn, over bool
}

// clearLine removes the line of progress.
const clearLine = "\r\x1b[K"

// Progress begins a job of so many goals, in place of the one before. It is nil where nobody looks.
func (s *Session) Progress(total int) *Progress {
	if !isTerminal(s.Stderr) {
		return nil
	}
	p := &Progress{w: s.Stderr, total: total, unit: "goals", since: time.Now()}
	s.bar.Swap(p).End()
	go func() {
		for now := range time.Tick(time.Second / 5) {
			if !p.draw(now) {
				return
			}
		}
	}()
	return p
}

// Of names the unit.
func (p *Progress) Of(unit string) *Progress {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.unit = unit
	}
	return p
}

// Step tells how many are done. Fewer than before begin another turn.
func (p *Progress) Step(done int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if done < p.done {
		p.since = time.Now()
	}
	p.done, p.text = done, ""
}

// draw shows the line after the first second, until the end. A job without a number of goals has one only once its work
// is named.
func (p *Progress) draw(now time.Time) (more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	past := now.Sub(p.since)
	waited, named := past >= time.Second || p.drawn, p.total > 0 || p.text != ""
	if waited && named && !p.over {
		p.show(p.line(past))
	}
	return !p.over
}

// line is the line at some time after none was done.
func (p *Progress) line(past time.Duration) string {
	switch {
	case p.text != "":
		return fmt.Sprintf("%s, %s", p.text, span(past))
	case p.done <= 0 || p.done >= p.total:
		return fmt.Sprintf("%d of %d %s, %s", p.done, p.total, p.unit, span(past))
	}
	left := time.Duration(float64(past) / float64(p.done) * float64(p.total-p.done))
	return fmt.Sprintf("%d of %d %s, %s left", p.done, p.total, p.unit, span(left))
}

// span is a time that people wait.
func span(d time.Duration) string {
	switch {
	case d >= 2*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	case d >= 2*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.0f s", max(d.Seconds(), 1))
}

func (p *Progress) show(line string) {
	p.drawn = true
	fmt.Fprint(p.w, clearLine+line)
}

// Say shows a text in place of the line before.
func (p *Progress) Say(text string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true // the text stands as it is
	p.show(text)
}

// After names the work after the last step, which has no number.
func (p *Progress) After(what string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.since = what, time.Now()
}

// End removes the line.
func (p *Progress) End() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over = true; p.drawn {
		p.drawn = false
		fmt.Fprint(p.w, clearLine)
	}
}

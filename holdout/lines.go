package holdout

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/text"
)

// The events of the log.
const (
	Looked  = "look"
	Retired = "retired"
	Changed = "changed" // the rows of an open ledger, or of a plan with rows that arrive
	Torn    = "torn"    // a line that was cut short: its look is spent
)

// Line is a line of looks.jsonl.
type Line struct {
	Event       string   `json:"event"`
	Look        int64    `json:"look,omitempty"` // from 1; 0 for no look
	Time        string   `json:"time"`           // UTC, RFC 3339; no decision depends on it
	Name        string   `json:"name,omitempty"`
	Team        string   `json:"team,omitempty"` // who asked, where several teams do
	Metric      string   `json:"metric,omitempty"`
	Fingerprint string   `json:"fingerprint,omitempty"` // of its values; a look at a column has none
	Key         string   `json:"key,omitempty"`         // of a look at a column
	With        int64    `json:"with,omitempty"`        // of a column: the first look of its command at the same values
	Response    *float64 `json:"response,omitempty"`    // as it was shown
	Verdict     string   `json:"verdict,omitempty"`
	Question
	Incumbent   string `json:"incumbent,omitempty"`   // of differences: the fingerprint of the incumbent's values
	Predictions string `json:"predictions,omitempty"` // and of the candidate's
	Path        string `json:"path,omitempty"`        // and its file, if it is the incumbent from here on
	Shown
	Change
	Close

	Chain  string `json:"-"` // of everything up to this line
	Best   Known  `json:"-"` // of the best truth of all that a board was shown up to this line
	Known  Known  `json:"-"` // of its model, by one metric and on the same rows, from all lines
	Latest bool   `json:"-"` // whether no later line is of its model
}

// Known is what several looks of an open ledger say of a truth together. All of it holds where all intervals do.
type Known struct{ Lower, Upper *float64 }

// String prints the interval of the truth, "" where none is known.
func (k Known) String() string {
	if k.Lower == nil || k.Upper == nil {
		return ""
	}
	return "in " + text.Interval(*k.Lower, *k.Upper)
}

// intersected puts into each line of an open ledger what is known of its model. Lines of one model follow from equal
// predictions, or from one column that several questions of a command were asked of.
func intersected(lines []Line) {
	epoch, of := 0, make(map[string][]int)
	for i, l := range lines {
		if l.Event == Changed {
			epoch++
		}
		model := l.Predictions + l.Incumbent
		switch {
		case l.With > 0:
			model = fmt.Sprint("look ", l.With)
		case IsColumn(l.Metric): // by an earlier version, whose hash tells labels
			model = ""
		}
		if l.Lower != nil && model != "" {
			model += fmt.Sprint("\x00", l.Where, "\x00", epoch)
			of[model] = append(of[model], i)
		}
	}
	for _, list := range of {
		if len(list) == 1 && IsColumn(lines[list[0]].Metric) {
			continue
		}
		var k Known
		for _, i := range list {
			l := lines[i]
			if k.Lower == nil || *l.Lower > *k.Lower {
				k.Lower = l.Lower
			}
			if k.Upper == nil || *l.Upper < *k.Upper {
				k.Upper = l.Upper
			}
		}
		for _, i := range list {
			lines[i].Known = k
		}
		lines[list[len(list)-1]].Latest = true
	}
}

// sealedLine is a line with its chain.
type sealedLine struct {
	*Line
	Sealed string `json:"chain"`
}

// history is the past of a ledger as its files have it.
type history struct {
	plan    *Plan
	lines   []Line
	known   map[string][]int // the lines of the looks, by their fingerprints
	looks   int64            // spent, torn ones included
	torn    int64
	passes  int64
	flags   int64
	refused int64       // of a fixed plan, after one of which nothing is answered
	board   *float64    // the last number shown
	best    *LabelsFile // the incumbent, if a candidate has passed or the rows have changed
	retired bool
	account account // of an open ledger
	rows    rows    // of an open ledger
	chain   string  // the head's
	past    hash.Hash
	read    int64  // bytes of whole lines
	last    string // of these
	tail    string // that follows them
	inHand  bool   // a look was being taken, which is not in it
	buffer  []byte // for a line
	reader  *lineReader
}

// end is where the file ended.
func (h *history) end() int64 { return h.read + int64(len(h.tail)) }

func newHistory(p *Plan) *history {
	h := &history{plan: p, known: make(map[string][]int), past: sha256.New(), account: newAccount()}
	h.rows, h.reader = p.rows(), newLineReader()
	h.chain = planEnds.chain(string(p.sealed))
	h.past.Write(p.sealed)
	return h
}

// take reads the next bytes of looks.jsonl.
func (h *history) take(lines string) error {
	count := strings.Count(lines, "\n")
	h.lines = slices.Grow(h.lines, count+1)
	if len(h.known) == 0 {
		h.known = make(map[string][]int, count+1)
	}
	start, since := h.past, lines // no line but the first since then was torn
	back := func() {
		h.past = fork(start)
		h.past.Write([]byte(since[:len(since)-len(lines)]))
	}
	h.past = fork(start)
	for len(lines) > 0 {
		text, rest, whole := strings.Cut(lines, "\n")
		h.buffer = append(append(h.buffer[:0], text...), '\n')
		linked := lineEnds.open(h.past, h.buffer)
		if !linked {
			back()
		}
		err := h.line(text, linked)
		switch {
		case err != nil:
			back()
			return err
		case !whole:
			back()
			h.tail = text
			return nil
		case !linked:
			h.past.Write(h.buffer)
			start, since = fork(h.past), rest
		}
		h.last, lines = lines[:len(text)+1], rest
		h.read += int64(len(h.last))
	}
	return nil
}

// stands checks that the file begins as it was read, both times under the lock: no look is ever taken back.
func (h *history) stands(file *os.File) error {
	want := h.last + h.tail
	got := make([]byte, len(want))
	n, err := file.ReadAt(got, h.end()-int64(len(want)))
	if err != nil && err != io.EOF {
		return err
	}
	if string(got[:n]) != want {
		return corrupt("looks.jsonl is not as it was when it was read last: it was edited, or an older copy was put back")
	}
	return nil
}

// line takes a line without its end, whose chain follows the past or not. A line of which only the end is missing is as
// good as a whole one. The beginning of a line that a crash can leave is a look. Every other text was edited, or a line
// before it was.
func (h *history) line(text string, linked bool) (err error) {
	number := len(h.lines) + 1
	switch {
	case h.retired:
		return corrupt("looks.jsonl: line %d follows the end", number)
	case !linked && h.cutShort(text):
		h.tear(text)
		return nil
	case !linked:
		return corrupt("looks.jsonl is not as it was written: line %d, or one before it, was edited", number)
	}
	l := &h.reader.line
	if !h.reader.read(text[:len(text)+1-lineEnds.length()]) {
		*l = Line{}
		err = known([]byte(text), &sealedLine{Line: l})
	}
	switch {
	case err != nil:
	case l.Event == Retired:
		h.retired = true
	case l.Event == Changed && h.plan.grows():
		h.rows = h.rows.after(*l)
		h.account.epoch++
		if current := h.incumbent(); current != nil {
			h.best = &LabelsFile{Path: cmp.Or(l.Path, current.Path)}
		}
	case l.Event != Looked || l.Look != h.looks+1:
		err = fmt.Errorf("got %s %d, want look %d", shown(l.Event), l.Look, h.looks+1)
	case l.Conditions != nil && !l.tells():
		err = fmt.Errorf("got %d conditions, want %d with a bar", len(l.Conditions), len(l.All)+1)
	default:
		h.count(l)
		if l.Show == ShowBest {
			l.Best = h.account.best[h.account.scope(l)]
		}
	}
	if err != nil {
		return corrupt("looks.jsonl: line %d: %v", number, err)
	}
	end := len(text) + 1 - len(lineEnds.after)
	h.chain = text[end-chainLength : end]
	l.Chain = h.chain
	h.lines = append(h.lines, *l)
	return nil
}

// count counts the look of the next line.
func (h *history) count(l *Line) {
	h.looks++
	h.known[l.id()] = append(h.known[l.id()], len(h.lines))
	if l.Response != nil {
		h.board = l.Response
	}
	if current := h.incumbent(); current != nil && current.Fingerprint == "" {
		h.best = &LabelsFile{Path: current.Path, Fingerprint: l.Incumbent}
	}
	switch l.Verdict {
	case Pass:
		h.passes++
		if h.promotes(*l) {
			h.best = &LabelsFile{Path: l.Path, Fingerprint: l.Predictions}
		}
	case Moved:
		h.flags++
	case Refused:
		h.refused++
	}
	if h.plan.Open != nil {
		h.account.take(l)
	}
}

// promotes reports whether the candidate of a look is the incumbent from there on. A pass on some of the rows makes
// none.
func (h *history) promotes(l Line) bool {
	return l.Verdict == Pass && h.plan.Incumbent != nil && l.Where == ""
}

// incumbent is the file that a candidate is compared with, nil if the plan is for no differences. After a change of the
// rows it has no fingerprint: its values for the new rows are those of the next look.
func (h *history) incumbent() *LabelsFile {
	if h.best != nil {
		return h.best
	}
	return h.plan.Incumbent
}

// tear counts a line that was cut short. A crash cuts a line only before its sync has returned, and its answer is shown
// only after that: then nobody has seen it. But the end of a file that was copied in part, as to a full disk, looks the
// same, and somebody may have seen that answer. The look is spent therefore, and counts as a pass and as a flag; an
// open ledger pays the most that a response may cost. A change of the rows that was cut short has changed nothing.
func (h *history) tear(text string) {
	if strings.HasPrefix(text, changedHead) {
		h.lines = append(h.lines, Line{Event: Torn})
		return
	}
	h.looks++
	h.torn++
	h.passes++
	h.flags++
	h.refused += one(h.plan.kept("") > 0)
	if law := h.plan.Open; law != nil {
		h.account.left = h.account.left.Child(-law.Most)
	}
	h.lines = append(h.lines, Line{Event: Torn, Look: h.looks})
}

// counts reports whether a line counts as one with a verdict.
func (l Line) counts(verdict string) bool { return l.Verdict == verdict || l.Event == Torn }

// append returns the bytes that add lines, which get their chains. They begin with the end of a last line that
// has none.
func (h *history) append(lines []Line) ([]byte, error) {
	past := fork(h.past)
	var all []byte
	if h.tail != "" {
		past.Write([]byte(h.tail))
		past.Write([]byte("\n"))
		all = []byte("\n")
	}
	for i := range lines {
		text, err := json.Marshal(lines[i])
		if err != nil {
			return nil, err
		}
		sealed := lineEnds.seal(fork(past), text[:len(text)-len("}")])
		past.Write(sealed)
		all = append(all, sealed...)
	}
	return all, nil
}

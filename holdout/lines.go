package holdout

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/transfer"
)

// Line is a line of looks.jsonl, and what follows from it and others.
type Line struct {
	form.Line
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

// history is the past of a ledger as its files have it.
type history struct {
	Past
	known  map[string][]int // the lines of the looks, by their fingerprints
	best   *LabelsFile      // the incumbent, if a candidate has passed or the rows have changed
	rows   rows             // of an open ledger
	chain  string           // the head's
	inHand bool             // a look was being taken, which is not in it
	reader *form.LineReader
}

func newHistory(p *Plan) *history {
	h := &history{Past: Past{plan: p, account: newAccount()}, known: make(map[string][]int)}
	h.rows, h.reader = p.rows(), form.NewLineReader()
	h.chain = journal.PlanEnds.Chain(string(p.sealed))
	return h
}

// Ended reports whether the ledger is retired.
func (h *history) Ended() bool { return h.retired }

// Line takes a whole line with its chain.
func (h *history) Line(text, chain string) error {
	read, err := h.reader.Read(text)
	l := &Line{Line: *read}
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
		return err
	}
	h.chain = chain
	l.Chain = chain
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
	if h.plan.IsOpen() {
		h.account.take(l)
	}
}

// promotes reports whether the candidate of a look is the incumbent from there on. A pass on some of the rows makes
// none.
func (h *history) promotes(l Line) bool {
	return l.Verdict == Pass && h.plan.Compares() && l.Where == ""
}

// incumbent is the file that a candidate is compared with, nil if the plan is for no differences. After a change of the
// rows it has no fingerprint: its values for the new rows are those of the next look.
func (h *history) incumbent() *LabelsFile {
	if h.best != nil {
		return h.best
	}
	return h.plan.Incumbent
}

// Torn counts a line that was cut short. A crash cuts a line only before its sync has returned, and its answer is shown
// only after that: then nobody has seen it. But the end of a file that was copied in part, as to a full disk, looks the
// same, and somebody may have seen that answer. The look is spent therefore, and counts as a pass and as a flag; an
// open ledger pays the most that a response may cost. A change of the rows that was cut short has changed nothing.
func (h *history) Torn(text string) {
	if strings.HasPrefix(text, changedHead) {
		h.lines = append(h.lines, Line{Line: form.Line{Event: Torn}})
		return
	}
	h.tear()
	h.lines = append(h.lines, Line{Line: form.Line{Event: Torn, Look: h.looks}})
}

// counts reports whether a line counts as one with a verdict.
func (l Line) counts(verdict string) bool { return l.Verdict == verdict || l.Event == Torn }

// OneWrite reports whether all lines are one write: finalists are, with the end of their ledger.
func (h *history) OneWrite() bool { return h.plan.goal.Feedback == transfer.Final }

// condition is a gate at one condition of a look: 0 is the look's own bar, on its own rows.
func (l Line) condition(i int) Line {
	one := Line{Line: form.Line{Metric: l.Metric, Shown: l.Conditions[i]}}
	one.Question = Question{Show: ShowPass, Where: l.Where, Bar: l.Bar}
	if i > 0 {
		one.Bar, one.Where = &l.All[i-1].Bar, l.All[i-1].Where
	}
	return one
}

// tells reports whether a line has a bar for each of the conditions that it shows.
func (l Line) tells() bool { return l.Bar != nil && len(l.Conditions) == len(l.All)+1 }

// Told says what a look shows of its conditions, "" where it has one, or was not answered.
func (l Line) Told() string {
	var all []string
	for i, s := range l.Conditions {
		if s.Lower == nil || s.Upper == nil {
			return ""
		}
		c, says := Condition{Bar: *l.condition(i).Bar, Where: l.condition(i).Where}, "sure"
		switch {
		case *s.Lower == *s.Upper:
		case l.Verdict == Pass:
			says = "truth above it"
		default:
			says = "truth at most " + text.Up(*s.Upper)
		}
		all = append(all, fmt.Sprintf("%s: %s", c, says))
	}
	return strings.Join(all, "; ")
}

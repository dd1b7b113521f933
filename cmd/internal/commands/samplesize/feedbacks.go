package samplesize

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/transfer"
)

// takenBy are the flags that one kind of feedback takes alone.
var takenBy = map[string]transfer.Feedback{
	"passes": transfer.Gate, "threshold": transfer.Gate, "bar": transfer.Gate, "floor": transfer.Best,
	"budget": transfer.Flags, "guess-error": transfer.Flags, "hold": transfer.Flags,
}

// shownAlone is the values of a command for one of its kinds of feedback, without the flags that others of them take.
type shownAlone struct {
	usage.Values
	kind   string
	others []string
}

func (v shownAlone) Text(flag string) (string, bool) {
	if flag == goals.FeedbackFlag.Name {
		return v.kind, true
	}
	if of, ok := takenBy[flag]; ok && slices.Contains(v.others, of.String()) {
		return "", false
	}
	return v.Values.Text(flag)
}

// drawFeedbacks draws a line for each kind of feedback: its best plans along the one list of numbers.
func drawFeedbacks(c *commands.Call, kinds []string) error {
	var all []*request
	for _, kind := range kinds {
		one, others := *c, slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k == kind })
		one.Values = shownAlone{c.Values, kind, others}
		s, err := readRequest(&one)
		switch {
		case err != nil:
			return err
		case s.view != plotView && s.view != figureView:
			return usage.Errorf("--feedback: got %s, want one kind in a table; --plot or -o with .svg, .png or .pdf draws a line for each",
				strings.Join(kinds, ","))
		case len(others) != len(kinds)-1:
			return usage.Errorf("--feedback: got %s twice, want each kind once", kind)
		}
		all = append(all, &s)
	}
	figure := func() (record.Figure, error) {
		var d drawing
		var f record.Figure
		var p record.Panel
		for i, s := range all {
			along, solved, panels, err := s.axes()
			if err != nil {
				return f, err
			}
			if len(panels) > 1 {
				return f, usage.Errorf("plot: got several lists of numbers, want one list with several kinds of --feedback")
			}
			if i == 0 {
				d = s.drawing(along, solved)
			}
			rows, err := s.solveAll(c, 0, s.goals, func(int) {})
			if err != nil {
				return f, err
			}
			if d.rows = bestAlone(rows); i == 0 {
				s.grid.Base.Feedback = transfer.Answers // the title names none of the kinds
				f.Title = s.plotTitle(solved, rows)
			}
			g := rows[0][0].Goal
			if along.Unknown == transfer.Queries {
				g.Queries = 0
			}
			d.add(&p, 0, panels[0], goals.Shows(g))
		}
		p.X, p.Y = d.x, d.y
		f.Panels = [][]record.Panel{{p}}
		f.Key, f.Title = commands.TellProofs(f.Panels), append(f.Title, d.undrawn.Tell()...)
		return f, nil
	}
	return commands.Emit(c, all[0].target, commands.Answer[*goals.Row]{Command: "samplesize", Figure: figure, Verdict: all[0].verdict})
}

// bestAlone returns the best row of every goal, or one that is not drawn.
func bestAlone(rows [][]goals.Row) (alone [][]goals.Row) {
	for _, group := range rows {
		r := group[0]
		if best := bestOf(group); best != nil {
			r = *best
		} else {
			r.Status = transfer.Infeasible
		}
		alone = append(alone, []goals.Row{r})
	}
	return alone
}

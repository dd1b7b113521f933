package samplesize

import (
	"fmt"
	"io"
	"slices"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/transfer"
)

// scheduled is the method whose noise changes from query to query.
func scheduled(methods []transfer.Method) *transfer.Method {
	i := slices.IndexFunc(methods, func(m transfer.Method) bool { return m.Scheduled })
	if i < 0 {
		return nil
	}
	return &methods[i]
}

func (s *request) readSchedule(c *commands.Call, limit int64) error {
	path, ok := c.Text("schedule")
	if !ok {
		return nil
	}
	implied, _ := commands.FormatOf(path, c.Formats)
	format, err := c.InDialect(implied)
	if err != nil {
		return err
	}
	s.schedule = commands.Target{Format: format, Path: path}
	switch {
	case format.Encode == nil:
		return usage.Invalid("schedule", path, "a name in .csv, .tsv, .json or .jsonl")
	case alsoWritten(path, s.target.Path):
		return usage.Errorf("--schedule: got the file of --output, want another one")
	case s.goals != 1:
		return usage.Errorf("--schedule: got %d goals, want one", s.goals)
	case scheduled(s.methods) == nil:
		return usage.Errorf("--schedule: got methods without %s, want it among them", scheduled(transfer.Methods()).Name)
	}
	if s.scheduleAnswer, err = scheduled(s.methods).Solve(s.grid.goal(0)); err == nil && s.scheduleAnswer.Queries > limit {
		err = usage.Errorf("--schedule: got %d queries, want at most %d; allow more with --max-rows",
			s.scheduleAnswer.Queries, limit)
	}
	return err
}

// writeSchedule writes the standard deviation of every query's noise. There is no
// file if the method has no answer: its row says why.
func (s *request) writeSchedule(c *commands.Call) error {
	if s.schedule.Path == "" {
		return nil
	}
	answer := s.scheduleAnswer
	if answer.Status != transfer.OK {
		return nil
	}
	e := s.schedule.Format.Encode(record.Result{Command: "schedule", Inputs: s.inputs,
		Columns: []string{"query", "noise_scale"}})
	return c.WriteTo(s.schedule, func(w io.Writer) error {
		query := int64(0)
		b := e.Head(nil)
		for block := range answer.Noise() {
			for range block.Queries {
				query++
				b = e.Row(b, query == 1, []record.Cell{record.Count(query), record.Exactly(block.SD)}, nil)
				if len(b) < 1<<15 {
					continue
				}
				if _, err := w.Write(b); err != nil {
					return err
				}
				if err := c.Context.Err(); err != nil {
					return err
				}
				b = b[:0]
			}
		}
		if query != answer.Queries { // never publish a plan with a query missing
			return fmt.Errorf("the noise schedule covers %d of %d queries", query, answer.Queries)
		}
		_, err := w.Write(e.Foot(b))
		return err
	})
}

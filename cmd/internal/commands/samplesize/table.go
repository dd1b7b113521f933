package samplesize

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// shownAs says what the analyst is shown, if not every answer.
var shownAs = map[transfer.Feedback]string{
	transfer.Gate: "only pass or fail shown", transfer.Best: "only the best score shown",
	transfer.Flags: "guesses corrected where they are wrong", transfer.Final: "scored once, together",
}

// subjects name the quantity that is solved for.
var subjects = map[transfer.Unknown]string{
	transfer.Samples: "Rows needed",
	transfer.Queries: "Queries that can be answered",
	transfer.Tau:     "Accuracy tau reached",
	transfer.Beta:    "Failure probability beta reached",
	transfer.None:    "Check of the plan",
}

// shownWords are the constants of a goal that are words.
func (s *request) shownWords() []string {
	base := s.grid.Base
	words := []string{goals.QueryName(base) + " queries" + rangeWords(base)}
	if said := shownAs[base.Feedback]; said != "" {
		words = append(words, said)
	}
	if base.OneSided {
		words = append(words, "one-sided")
	}
	if base.Open {
		words = append(words, "no number of queries fixed")
	}
	if arrival := goals.ArrivalWords(base); arrival != "" {
		words = append(words, arrival)
	}
	if s.grid.Clusters != nil {
		words = append(words, s.grid.Clusters.Words())
	}
	if area, _ := goals.ClassesWords(base); area != "" {
		words[0] = area
	}
	return words
}

// rangeWords say between what the values are, where that is not 0 and 1.
func rangeWords(g transfer.Goal) string {
	if g.Range == (transfer.Range{}) {
		return ""
	}
	return " from " + record.People(record.Exactly(g.Range.From)) + " to " + record.People(record.Exactly(g.Range.To))
}

// say is what people are told of the rows: the goal's constants in the title, and what to make of them. Spans are the
// noise scales of a schedule, if they are in the table.
func (s *request) say(ctx context.Context, rows [][]goals.Row, spans bool) (title, notes []string, err error) {
	_, constants := s.shown(rows)
	if at := slices.Index(constants, "beta "+goals.DefaultBeta); s.defaulted && at >= 0 {
		constants[at] += " (the default)"
	}
	title = []string{subjects[s.unknown] + ": " + strings.Join(append(constants, s.shownWords()...), ", ")}
	if plan := s.plan(rows); plan != "" {
		title = append([]string{plan}, title...)
	}
	found, err := s.findings(ctx, rows)
	written := s.written(rows)
	needsNoise := func(r goals.Row) bool { return err == nil && r.Best && isNoisy(r.Mechanism) }
	if s.brief && !spans && slices.ContainsFunc(slices.Concat(written...), needsNoise) {
		found[0] = strings.TrimSuffix(found[0], ".") + "; its answers need noise (--" + fullFlag + " shows how much)"
	}
	if s.grid.Clusters != nil {
		found = append(s.grid.Clusters.Notes(), found...)
	}
	if _, note := goals.ClassesWords(s.grid.Base); note != "" {
		found = append([]string{note}, found...)
	}
	notes = slices.Concat(found, s.legend(written), tableNote(written, spans))
	if s.brief {
		notes = append(notes, s.others(written)...)
	}
	return title, notes, err
}

// plan returns the best plan of a single goal as a sentence, or "" if the goal is about more than rows and scores in
// [0,1].
func (s *request) plan(rows [][]goals.Row) string {
	if s.unknown == transfer.Beta || s.unknown == transfer.None {
		return ""
	}
	if !s.brief || len(rows) != 1 || !s.isAboutScores() {
		return ""
	}
	best := bestOf(rows[0])
	if best == nil || best.Sample != nil || best.Beta.Value() < leastSaid {
		return ""
	}
	head := record.Separated(best.Samples) + " rows are enough for "
	if s.unknown == transfer.Samples {
		head = "You need " + record.Separated(best.Samples) + " rows for "
	}
	looks, each := " scores", ", each within "
	if best.Queries == 1 {
		looks, each = " score", " within "
	}
	return head + record.Separated(best.Queries) + looks + each + record.People(record.Number(best.Tau)) +
		" of its true value, with " + confidence(best.Beta) + " confidence."
}

// leastSaid is the least beta that a sentence says as a confidence.
const leastSaid = 1e-6

// isAboutScores reports whether the goal is that each score in [0,1] of independent rows is within tau on either side.
// Then the title names the kind of query, and no more than its numbers beside it.
func (s *request) isAboutScores() bool {
	words := strings.Join(s.shownWords(), ", ")
	return s.promise == "" && (words == "bounded queries" || words == "binary queries")
}

// confidence returns 1 - beta in percent, with the digits of beta that people see.
func confidence(beta theory.LogProb) string {
	share, ok := new(big.Rat).SetString(record.People(record.Chance(beta)))
	if !ok {
		panic("a probability is printed as a number")
	}
	share.Mul(big.NewRat(100, 1), share.Sub(big.NewRat(1, 1), share))
	return strings.TrimRight(strings.TrimRight(share.FloatString(12), "0"), ".") + "%"
}

// ledgers says up to which look of a ledger open rows hold: with the usual most nats of a response, and with enough.
func ledgers(rows [][]goals.Row) (lines []string) {
	open := slices.DeleteFunc(slices.Concat(rows...), func(r goals.Row) bool {
		return !r.Method.IsOpen() || isNoisy(r.Mechanism) || r.Status != transfer.OK
	})
	if len(open) == 0 {
		return nil
	}
	r := slices.MaxFunc(open, func(a, b goals.Row) int { return cmp.Compare(a.MostNats(), b.MostNats()) })
	for _, most := range slices.Compact([]float64{transfer.UsualMost, math.Ceil(max(r.MostNats(), transfer.UsualMost))}) {
		if looks := sort.Search(1<<53, func(m int) bool { r.Queries = int64(m) + 1; return r.MostNats() > most }); looks > 0 {
			lines = append(lines, fmt.Sprintf("open rows hold up to look %d of a ledger with --most %v", looks, most))
		}
	}
	return lines
}

// legend explains the labels that occur.
func (s *request) legend(rows [][]goals.Row) (lines []string) {
	has := func(label string) bool {
		return slices.ContainsFunc(rows, func(group []goals.Row) bool {
			return slices.ContainsFunc(group, func(r goals.Row) bool { return goals.Note(&r) == label })
		})
	}
	if s.promise != "" {
		lines = append(lines, s.promise)
	}
	if has("reference") {
		lines = append(lines, "reference: only for queries fixed before the data are seen")
	}
	if has("fixed number") {
		lines = append(lines, "fixed number: answering stops after so many queries, passes or flags")
	}
	lines = append(lines, ledgers(rows)...)
	if has("dp procedure") {
		lines = append(lines, "dp procedure: for what a private procedure puts out, not for answers to queries")
	}
	if slices.ContainsFunc(rows, func(group []goals.Row) bool {
		return slices.ContainsFunc(group, func(r goals.Row) bool {
			return r.Mechanism.Threshold != 0 && r.Mechanism.Noise != "" && r.Status == transfer.OK
		})
	}) {
		tau := "tau achieved"
		if s.unknown == transfer.Tau {
			tau = "tau"
		}
		lines = append(lines, "thresholdout rows: answers are within "+tau+" while fewer than budget queries had a value on the training set that is off by more than half of it; the threshold is three quarters of it")
	}
	return lines
}

// spanNotes are for tables for people: others have the two ends in columns of their own.
var spanNotes = map[bool]string{
	false: "noise scale a > b: a at first, b at last; --schedule FILE has all noise",
	true:  "noise scale a < b: a at first, b at last; --schedule FILE has all noise",
}

const cutNote = "cut: redraw noise beyond this many standard deviations; do not clip it"

// tableNote explains a noise scale that is the first and the last of a schedule, where noise is cut, and where the
// table of the best row is.
func tableNote(rows [][]goals.Row, spans bool) (lines []string) {
	for _, rises := range []bool{false, true} {
		if spans && slices.ContainsFunc(slices.Concat(rows...), func(r goals.Row) bool {
			return r.Mechanism.Rises() == rises && goals.NoiseCell(r.Mechanism).Form == record.SpanForm
		}) {
			lines = append(lines, spanNotes[rises])
		}
	}
	cut := func(r goals.Row) bool { return r.Mechanism.Cut > 0 }
	if spans && slices.ContainsFunc(slices.Concat(rows...), cut) {
		lines = append(lines, cutNote)
	}
	if len(rows) != 1 {
		return lines
	}
	best := bestOf(rows[0])
	if best == nil || best.Mechanism.Noise != "" {
		return lines
	}
	if t, ok := tableOf(best); ok {
		lines = append(lines, best.Method.Name+" runs on a table of "+listed(t.columns)+
			"; --schedule FILE writes it")
	}
	return lines
}

// listed joins names: "a, b and c".
func listed(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

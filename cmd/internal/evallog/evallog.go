// Package evallog reads the items of an evaluation, each with one value, from the logs that evaluation tools write.
package evallog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/internal/delimited"
	"github.com/dpcalc/dpcalc/internal/each"
)

// Tool is a tool whose logs are read. A log has records, and a record the value of one item. Where a record has
// something is a path of keys with dots between them.
type Tool struct {
	Name    string
	Summary string
	id      string                     // the path of the item
	label   string                     // the path of what is expected of it
	value   func(metric string) string // the path of its value
	alike   string                     // the path of what all records of one evaluation have alike; "" for nothing
	marks   map[string]string          // texts that stand for numbers
	records func(log Log, visit visitor) error
}

// Tools returns the tools.
func Tools() []Tool {
	named := func(metric string) string { return metric }
	return []Tool{
		{Name: "inspect", Summary: "Inspect's log, .eval or .json", id: "id", label: "target", records: inspectSamples,
			value: func(metric string) string { return "scores." + metric + ".value" },
			marks: map[string]string{"C": "1", "P": "0.5", "I": "0", "N": "0"}},
		{Name: "lm-eval", Summary: "samples_*.jsonl of lm-evaluation-harness", id: "doc_id", label: "target", value: named,
			alike: "filter", records: lines},
		{Name: "promptfoo", Summary: "promptfoo's results.json", id: "testIdx", label: "testCase.assert", alike: "promptIdx",
			value: func(metric string) string {
				if metric == "score" || metric == "success" {
					return metric
				}
				return "namedScores." + metric
			}, records: func(log Log, visit visitor) error { return elements(log, visit, "results", "results") }},
		{Name: "csv", Summary: "a table", id: "id", label: "label", value: named, records: cells},
	}
}

// Names returns the names of the tools.
func Names() []string {
	return each.Of(Tools(), func(t Tool) string { return t.Name })
}

// Summaries says which tools there are, and what they write.
func Summaries() string {
	all := each.Of(Tools(), func(t Tool) string { return t.Name + " (" + t.Summary + ")" })
	return strings.Join(all, ", ")
}

// Log is a log: a file with a size, as archives begin at their end.
type Log struct {
	At   io.ReaderAt
	Size int64
}

// Reading is what is read of the logs of a tool. An empty place is that of the tool.
type Reading holdout.Reading

// Validate returns a line that says what is wrong with a reading, "" for nothing.
func (r Reading) Validate() string {
	if !slices.Contains(Names(), r.Tool) {
		return fmt.Sprintf("from: got %s, want %s", strconv.Quote(r.Tool), strings.Join(Names(), ", "))
	}
	for _, condition := range r.Only {
		if path, _, found := strings.Cut(condition, "="); !found || path == "" {
			return fmt.Sprintf("only: got %s, want PATH=VALUE", strconv.Quote(condition))
		}
	}
	return ""
}

// tool is the tool of a valid reading.
func (r Reading) tool() Tool {
	tool, _ := each.First(Tools(), func(t Tool) bool { return t.Name == r.Tool })
	return tool
}

// Values calls visit with every item, in the order of the log, and its value of a metric: the mean over its records,
// which are its epochs or repeats. true and false are 1 and 0. A log in another form is a [delimited.Error].
func (r Reading) Values(log Log, metric string, visit func(id, value string) error) error {
	t := r.tool()
	if r.Value == "" {
		r.Value = t.value(metric)
	}
	sums := make(map[string]*repeats)
	var order []string
	err := r.each(t, log, func(place int, id string, value any) error {
		text, x, err := t.number(value)
		if err != nil {
			return delimited.Errorf(place, "item %s: got %s as %s, want a number, true or false", shown(id), said(value), r.Value)
		}
		s := sums[id]
		if s == nil {
			s = &repeats{first: text}
			sums[id], order = s, append(order, id)
		}
		s.sum, s.count = s.sum+x, s.count+1
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range order {
		if err := visit(id, sums[id].mean()); err != nil {
			return err
		}
	}
	return nil
}

// repeats are the records of one item.
type repeats struct {
	first string
	sum   float64
	count int64
}

// mean is the mean of the repeats, of one the number as it stands.
func (s *repeats) mean() string {
	if s.count == 1 {
		return s.first
	}
	return strconv.FormatFloat(s.sum/float64(s.count), 'g', -1, 64)
}

// Labels calls visit with every item, in the order of the log, and what is expected of it. Records of one item have
// to agree.
func (r Reading) Labels(log Log, visit func(id, label string) error) error {
	t := r.tool()
	if r.Value == "" {
		r.Value = t.label
	}
	known := make(map[string]string)
	return r.each(t, log, func(place int, id string, value any) error {
		label, err := text(value)
		if err != nil {
			return delimited.Errorf(place, "item %s: %v", shown(id), err)
		}
		before, again := known[id]
		switch {
		case !again:
			known[id] = label
			return visit(id, label)
		case before != label:
			return delimited.Errorf(place, "item %s: got two values of %s, want one", shown(id), r.Value)
		}
		return nil
	})
}

// visitor takes a record and its place in the log: a line, or 0.
type visitor func(place int, record map[string]any) error

// each calls visit with the item of every record that counts, and what its path leads to.
func (r Reading) each(t Tool, log Log, visit func(place int, id string, value any) error) error {
	if r.ID == "" {
		r.ID = t.id
	}
	kinds, count := make(map[string]bool), 0
	err := t.records(log, func(place int, record map[string]any) error {
		if !r.counts(record) {
			return nil
		}
		count++
		id, err := at(record, r.ID)
		if err != nil {
			return delimited.Errorf(place, "%v", err)
		}
		name, err := text(id)
		if err != nil || name == "" {
			return delimited.Errorf(place, "got %s as %s, want the name of an item", said(id), r.ID)
		}
		if kind, err := at(record, t.alike); t.alike != "" && err == nil {
			kinds[said(kind)] = true
		}
		if len(kinds) > 1 {
			return nil // the error below names them all
		}
		value, err := at(record, r.Value)
		if err != nil {
			return delimited.Errorf(place, "item %s: %v", shown(name), err)
		}
		return visit(place, name, value)
	})
	switch {
	case err != nil:
		return err
	case len(kinds) > 1:
		all := slices.Sorted(maps.Keys(kinds))
		return delimited.Errorf(0, "got records of several %s: %s, want one of them, as by --only %s=%s", t.alike,
			strings.Join(all, ", "), t.alike, all[0])
	case count == 0:
		return delimited.Errorf(0, "got no record that counts, want one for each item")
	}
	return nil
}

// counts reports whether a record meets all conditions.
func (r Reading) counts(record map[string]any) bool {
	for _, condition := range r.Only {
		path, want, _ := strings.Cut(condition, "=")
		value, err := at(record, path)
		if err != nil || said(value) != want {
			return false
		}
	}
	return true
}

// at is what a path leads to. A key may have dots in it: the longest key is tried first.
func at(record map[string]any, path string) (any, error) {
	if value, ok := find(record, path); ok {
		return value, nil
	}
	return nil, fmt.Errorf("got no %s, want one; there are %s", path, keys(record))
}

func find(record map[string]any, path string) (any, bool) {
	if value, ok := record[path]; ok {
		return value, true
	}
	for end := strings.LastIndexByte(path, '.'); end >= 0; end = strings.LastIndexByte(path[:end], '.') {
		if inner, ok := record[path[:end]].(map[string]any); ok {
			if value, ok := find(inner, path[end+1:]); ok {
				return value, true
			}
		}
	}
	return nil, false
}

// keys names some of the paths of a record, those of objects within objects too.
func keys(record map[string]any) string {
	const most = 20
	var names []string
	for _, key := range slices.Sorted(maps.Keys(record)) {
		inner, _ := record[key].(map[string]any)
		for _, k := range slices.Sorted(maps.Keys(inner)) {
			names = append(names, key+"."+k)
		}
		if len(inner) == 0 {
			names = append(names, key)
		}
	}
	more := ""
	if len(names) > most {
		names, more = names[:most], " and others"
	}
	return strings.Join(names, ", ") + more
}

// number reads a value as a number, and as the text of that number.
func (t Tool) number(value any) (string, float64, error) {
	word := said(value)
	switch mark, ok := t.marks[word]; {
	case ok:
		word = mark
	case strings.EqualFold(word, "true"):
		word = "1"
	case strings.EqualFold(word, "false"):
		word = "0"
	}
	if strings.ContainsFunc(word, func(r rune) bool { return !strings.ContainsRune("0123456789+-.eE", r) }) {
		return "", 0, strconv.ErrSyntax
	}
	x, err := strconv.ParseFloat(word, 64)
	return word, x, err
}

// text is a value as a label or as the name of an item: a text as it stands, all else as JSON.
func text(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case nil:
		return "", fmt.Errorf("got null, want a text")
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// said is a value in a message, and as a condition names it.
func said(value any) string {
	word, err := text(value)
	if err != nil {
		return "null"
	}
	return shortened(word)
}

func shown(id string) string { return strconv.Quote(shortened(id)) }

// shortened keeps the beginning of a long text.
func shortened(word string) string {
	const most = 100
	if len(word) > most {
		word = strings.ToValidUTF8(word[:most], "") + "..."
	}
	return word
}

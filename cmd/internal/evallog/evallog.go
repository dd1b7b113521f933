// Package evallog reads the items of an evaluation, each with one value, from the logs that evaluation tools write.
package evallog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/jsontext"
	"github.com/dpcalc/dpcalc/internal/text"
)

// Tool is a tool whose logs are read. A log has records, and a record the value of one item. Where a record has
// something is a path of keys with dots between them.
type Tool struct {
	Name    string
	Summary string
	id      string                     // what tells items apart
	label   string                     // what is expected of an item
	value   func(metric string) string // the value of a record
	once    []string                   // what no two records have alike
	repeats bool                       // whether records that lack it may be of one item
	alike   []string                   // what all records have alike: the first, or where one lacks it the others
	content []string                   // what an item asks, without what is expected of it
	varies  string                     // a key within the content that differs from run to run
	void    []string                   // by which a record has no value: a PATH that is there, or PATH=VALUE
	marks   map[string]string          // texts that stand for numbers
	list    string                     // where an object has a list of records
	lines   bool                       // whether objects may be records themselves
}

// Tools returns the evaluation tools whose logs are read, and how each names what is read.
func Tools() []Tool {
	named := func(metric string) string { return metric }
	return []Tool{
		{Name: "inspect", Summary: "Inspect's log, .eval or .json", id: "id", label: "target", list: "samples",
			value: func(metric string) string { return "scores." + metric + ".value" }, once: []string{"id", "epoch"},
			content: []string{"input", "choices"}, varies: "id", void: []string{"invalidation"},
			marks: map[string]string{"C": "1", "P": "0.5", "I": "0", "N": "0", "yes": "1", "no": "0"}},
		{Name: "lm-eval", Summary: "samples_*.jsonl of lm-evaluation-harness", id: "doc_id", label: "target", value: named,
			once: []string{"doc_id"}, alike: []string{"filter"}, content: []string{"doc_hash"}, lines: true},
		{Name: "promptfoo", Summary: "promptfoo's results.json or .jsonl", id: "vars", label: "testCase.assert",
			value: func(metric string) string {
				if metric == "score" || metric == "success" {
					return metric
				}
				return "namedScores." + metric
			},
			once: []string{"testIdx", "promptIdx"}, repeats: true,
			alike:   []string{"promptIdx", "provider.id", "prompt.label", "prompt.display"},
			content: []string{"vars"}, varies: "_conversation", void: []string{"failureReason=2", "response.error"},
			list: "results.results", lines: true},
		{Name: "csv", Summary: "a table", id: "id", label: "label", value: named},
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

// Reading is what is read of the logs of a tool. An empty place means the tool's own.
type Reading holdout.Reading

// Validate returns a line that says what is wrong with a reading, which may leave the tool open, "" for nothing.
func (r Reading) Validate() string {
	if r.Tool != "" && !slices.Contains(Names(), r.Tool) {
		return fmt.Sprintf("from: got %s, want %s", text.Shown(r.Tool), strings.Join(Names(), ", "))
	}
	for _, condition := range r.Only {
		if path, _, found := strings.Cut(condition, "="); !found || path == "" {
			return fmt.Sprintf("only: got %s, want PATH=VALUE", text.Shown(condition))
		}
	}
	return ""
}

// tool returns the tool of a valid reading. An earlier version took each test of promptfoo for an item, and a value for
// what it is.
func (r Reading) tool() Tool {
	t, _ := each.First(Tools(), func(t Tool) bool { return t.Name == r.Tool })
	if r.Version > 0 {
		return t
	}
	t.once, t.void, t.alike = nil, nil, t.alike[:min(len(t.alike), 1)]
	if t.Name == "promptfoo" {
		t.id = "testIdx"
	}
	return t
}

// Metrics returns the names of the metrics of a log whose values can be read, of the first record that has some.
func (r Reading) Metrics(log Log) (names []string) {
	t := r.tool()
	if t.Name == "promptfoo" {
		return []string{"score"}
	}
	_ = log.records(t, nil, false, func(_ int, record map[string]any) error {
		of := record
		if t.Name == "inspect" {
			of, _ = record["scores"].(map[string]any)
		}
		for name, value := range of {
			score, _ := value.(map[string]any)
			if t.Name == "inspect" {
				value = score["value"]
			}
			_, text := value.(string)
			_, object := value.(map[string]any)
			_, list := value.([]any)
			switch number := !text || isNaN(value); {
			case object || list || value == nil:
			case name == t.id && number:
			case t.Name == "inspect" || number && name != t.label:
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			return errEnough
		}
		return nil
	})
	slices.Sort(names)
	return names
}

// Recognised returns the name of the tool that wrote a log, "" for a table with the column and for what is no log.
func Recognised(log Log, column string) (tool string) {
	if log.begins("PK\x03\x04") {
		return "inspect"
	}
	lists := each.Of(Tools(), func(t Tool) string { return t.list })
	in := &jsontext.Reader{Lists: lists, Lines: true}
	_ = log.json(in, func(_ int, record map[string]any) error {
		has := func(keys ...string) bool {
			return !slices.ContainsFunc(keys, func(key string) bool { _, ok := record[key]; return !ok })
		}
		switch {
		case has("id", column):
		case has("eval", "status"):
			tool = "inspect"
		case has("vars", "success"):
			tool = "promptfoo"
		case has("doc_id"):
			tool = "lm-eval"
		}
		return errEnough
	})
	if t, ok := each.First(Tools(), func(t Tool) bool { return t.list != "" && t.list == in.List }); ok {
		return t.Name
	}
	return tool
}

// find is what a path leads to. A key may have dots in it: the longest key is tried first.
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

// keys names some of the paths of a record, also of objects within objects.
func keys(record map[string]any) string {
	const most = 20
	var names []string
	for key, value := range record {
		inner, _ := value.(map[string]any)
		for k := range inner {
			names = append(names, key+"."+k)
		}
		if len(inner) == 0 {
			names = append(names, key)
		}
	}
	slices.Sort(names)
	more := ""
	if len(names) > most {
		names, more = names[:most], " and others"
	}
	return strings.Join(names, ", ") + more
}

// meets reports whether a record has a PATH that is not null, or PATH=VALUE.
func meets(record map[string]any, condition string) bool {
	path, want, compared := strings.Cut(condition, "=")
	value, _ := find(record, path)
	return value != nil && (!compared || said(value) == want)
}

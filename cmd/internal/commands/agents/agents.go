// Package agents has the tools that an agent may call: plan, power and correct, which see no data, and price, look and
// status of a ledger, which is asked as over HTTP.
package agents

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/power"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/pvalues"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/samplesize"
	"github.com/dpcalc/dpcalc/cmd/internal/mcp"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/holdout/serve"
	"github.com/dpcalc/dpcalc/internal/parallel"
)

// Instructions are what an agent is told before it calls a tool.
const Instructions = `dpcalc answers questions about a labelled test set without showing it. Call status for what is left and price for what each response of the next look would cost; both are free. Call look only for a candidate that you would keep: its answer is paid for, and nothing more about its score can be had. A fail says that the truth is below an upper end, and is cheap. The same predictions at the same question cost nothing again. Never read, ask for, or print the labels, also where a shell could: an answer is valid only if whoever makes candidates has seen nothing but answers. Call plan before data are collected, power for how probably a better candidate passes, and correct for the p-value of a test that was chosen after looking.`

// property is an argument of a tool.
type property struct {
	Type        any       `json:"type"`
	Description string    `json:"description,omitempty"`
	Items       *property `json:"items,omitempty"`                // of a list
	Values      *property `json:"additionalProperties,omitempty"` // of an object
}

// The types of arguments in JSON.
var (
	word     = []string{"string", "number"}
	answered = []string{"string", "number", "boolean"}
)

// schema is the JSON schema of a tool's arguments.
type schema struct {
	Type       string              `json:"type"`
	Properties map[string]property `json:"properties"`
	Additional bool                `json:"additionalProperties"`
}

// read reads the arguments of a call, numbers as they are written.
func (s schema) read(given json.RawMessage) (a map[string]any, err error) {
	if said := ""; json.Unmarshal(given, &said) == nil { // the whole object as a text
		given = json.RawMessage(said)
	}
	if len(given) == 0 {
		return nil, nil
	}
	if err := decode(given, &a); err != nil {
		return nil, errors.New("got arguments that are no object of JSON, want one")
	}
	names := slices.Sorted(maps.Keys(s.Properties))
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("got the argument %s, want %s", usage.Shown(name), usage.OrList(names))
		}
		if a[name] == nil { // an argument that some clients leave out so
			delete(a, name)
			continue
		}
		a[name] = s.Properties[name].decoded(a[name])
	}
	return a, nil
}

// decoded is an object, a list, true or false where one is wanted and came as a text; any other value as it is.
func (p property) decoded(value any) any {
	said, _ := value.(string)
	var list []any
	var object map[string]any
	switch {
	case p.Items != nil && decode([]byte(said), &list) == nil && list != nil:
		return list
	case p.Values != nil && decode([]byte(said), &object) == nil && object != nil:
		return object
	case p.Type == "boolean" && strings.EqualFold(said, "true"):
		return true
	case p.Type == "boolean" && strings.EqualFold(said, "false"):
		return false
	}
	return value
}

// decode decodes one value of JSON, numbers as they are written.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err := d.Decode(into)
	if _, end := d.Token(); err == nil && end != io.EOF {
		err = errors.New("got more than one value")
	}
	return err
}

// text is a value as a command line has it.
func text(name string, value any) (string, error) {
	switch x := value.(type) {
	case string:
		return x, nil
	case json.Number:
		return x.String(), nil
	case bool:
		return strconv.FormatBool(x), nil
	}
	return "", fmt.Errorf("%s: got a list, an object or null, want a text or a number", name)
}

// texts are the elements of a list, or the one value.
func texts(name string, value any) (all []string, err error) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, one := range list {
		x, err := text(name, one)
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

// Free are the tools that see no data.
func Free() []mcp.Tool {
	return []mcp.Tool{
		command("plan", "How many rows a holdout needs, how many queries it stands, or what accuracy it has: one of samples, queries, tau and "+
			"beta may be left out, and is solved for. It sees no data and costs nothing.", samplesize.Command(), ""),
		command("power", "How probably a candidate that is truly better passes a gate: of samples, effect and power give two, and the third is "+
			"found. It sees no data and costs nothing.", power.Command(), ""),
		command("correct", "What p-values are worth after the data helped to choose the test: the threshold at a level and the adjusted "+
			"p-value, by what the selection was based on. It sees no data.", pvalues.Command(), "p-values"),
	}
}

// command is a command as a tool, with its flags as arguments but for those that name a file. A list of numbers is its
// file.
func command(name, description string, c *commands.Command, list string) mcp.Tool {
	s := schema{Type: "object", Properties: make(map[string]property)}
	flags := slices.DeleteFunc(slices.Clone(c.Flags), func(f usage.Flag) bool { return f.Placeholder() == "FILE" })
	for _, f := range flags {
		p := property{Type: append(word, "array"), Description: strings.ReplaceAll(f.Usage, "`", ""), Items: &property{Type: word}}
		if f.Switch {
			p = property{Type: "boolean", Description: p.Description}
		}
		s.Properties[f.Name] = p
	}
	if list != "" {
		s.Properties[list] = property{Type: "array", Items: &property{Type: word}, Description: "of several tests; family says how they are corrected together"}
	}
	answer := func(ctx context.Context, given json.RawMessage) (string, bool) {
		a, err := s.read(given)
		typed, in := make(usage.Typed), ""
		for _, f := range flags {
			if value, ok := a[f.Name]; ok && err == nil {
				err = take(typed, f, value)
			}
		}
		if values, ok := a[list]; ok && err == nil {
			typed[usage.Arguments] = []string{"-"}
			in, err = column(list, values)
		}
		if err != nil {
			return err.Error(), true
		}
		return run(ctx, c, typed, in)
	}
	return mcp.Tool{Name: name, Description: description, Input: s, Run: answer}
}

// take takes the value of a flag.
func take(typed usage.Typed, f usage.Flag, value any) error {
	if on, ok := value.(bool); ok && f.Switch {
		if on {
			typed[f.Name] = []string{""}
		}
		return nil
	}
	list, err := texts(f.Name, value)
	switch {
	case err != nil:
		return err
	case f.Switch:
		return fmt.Errorf("%s: got %s, want true or false", f.Name, usage.Shown(strings.Join(list, ",")))
	case f.Repeats:
		typed[f.Name] = list
	default:
		typed[f.Name] = []string{strings.Join(list, ",")}
	}
	return nil
}

// column is a table of one column.
func column(name string, values any) (string, error) {
	list, err := texts(name, values)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	for _, cell := range append([]string{"p"}, list...) {
		if err := w.Write([]string{cell}); err != nil {
			return "", err
		}
	}
	w.Flush()
	return b.String(), w.Error()
}

// longest is how long a plan or a correction is waited for and computed.
const longest = 30 * time.Second

// computing has the plans and corrections that are computed at once: a request of an agent may have thousands of calls.
var computing = make(chan struct{}, runtime.NumCPU())

// run runs a command where there are no files, and returns what people are told.
func run(ctx context.Context, c *commands.Command, typed usage.Typed, in string) (said string, failed bool) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	select {
	case computing <- struct{}{}:
		defer func() { <-computing }()
	case <-ctx.Done():
		return "got too many calls at once, want them one after the other", true
	}
	var stdout, stderr bytes.Buffer
	f := &commands.Front{Commands: []*commands.Command{c}, Formats: []record.Format{printed.Table, record.CSV, record.TSV},
		Session: &outfile.Session{Context: ctx, Stdin: strings.NewReader(in), Stdout: &stdout, Stderr: &stderr, Workers: 1,
			Keep: func(string) io.Writer { return io.Discard }}}
	code := f.Exit(parallel.OrFault(func() error { return f.Do(c, typed) }))
	return stdout.String() + stderr.String(), code == usage.ExitUsage || code == usage.ExitFailure
}

// A Ledger is a ledger that agents ask.
type Ledger struct {
	Server *serve.Server
	Plan   *holdout.Plan
	Folder *Folder // of files with predictions; nil where they come with the call
}

// Tools are the tools of a team: what was declared when the ledger was made, and nothing else.
func (l Ledger) Tools(team string) []mcp.Tool {
	may := "The ledger has a fixed plan: " + l.Plan.Method + "."
	question := schema{Type: "object", Properties: make(map[string]property)}
	for _, p := range l.Plan.Asks() {
		if !p.Owner {
			question.Properties[p.Name] = property{Type: word, Description: strings.ReplaceAll(p.Usage, "`", "")}
		}
	}
	if l.Plan.Promise.Test != "" {
		may = "A candidate passes if it is better than the incumbent by wins and losses."
	}
	if l.Plan.Open != nil {
		may = "May be asked: " + strings.Join(l.Plan.Open.Ask, "; ") + ". What has one value may be left out."
	}
	look := question
	look.Properties = maps.Clone(question.Properties)
	look.Properties["name"] = property{Type: "string", Description: "of the candidate, in the log"}
	look.Properties["predictions"] = property{Type: "object", Values: &property{Type: answered},
		Description: "the prediction of every row, by its id"}
	if l.Folder != nil {
		look.Properties["file"] = property{Type: "string", Description: "in place of predictions: a path in the folder of the agent, to a " +
			"table of id and prediction (.csv, .tsv or .jsonl)"}
	}
	ahead := schema{Type: "object", Properties: map[string]property{
		"queries": {Type: word, Description: "the margin after so many more gates of an open ledger"},
		"passes":  {Type: word, Description: "of which so many pass"},
	}}
	ask := func(s schema, path string) func(context.Context, json.RawMessage) (string, bool) {
		return func(ctx context.Context, given json.RawMessage) (string, bool) {
			a, err := s.read(given)
			if err != nil {
				return err.Error(), true
			}
			return l.ask(ctx, team, path, a)
		}
	}
	tools := Free()
	if l.Plan.Open != nil {
		tools = append(tools, mcp.Tool{Name: "price", Input: question, Run: ask(question, "/price"),
			Description: "What each response to the next look would cost, in nats, and what it would say. Nothing is taken. " + may})
	}
	return append(tools,
		mcp.Tool{Name: "look", Input: look, Run: ask(look, "/looks"),
			Description: "Takes a look at a candidate's predictions: the answer is written down and paid for, and repeated at no cost. " + may},
		mcp.Tool{Name: "status", Input: ahead, Run: ask(ahead, "/status"), Description: "How far the ledger has come. It costs nothing."})
}

// ask asks the ledger.
func (l Ledger) ask(ctx context.Context, team, path string, a map[string]any) (said string, failed bool) {
	asked := serve.Asked{Path: path, Query: make(url.Values), Predictions: strings.NewReader("")}
	if path == "/looks" {
		table, done, err := l.predictions(a)
		if err != nil {
			return err.Error(), true
		}
		defer done()
		asked.Predictions, asked.Kind = table.in, table.kind
	}
	for name, value := range a {
		if name == "predictions" || name == "file" {
			continue
		}
		x, err := text(name, value)
		if err != nil {
			return err.Error(), true
		}
		asked.Query.Set(name, x)
	}
	code, body := l.Server.Ask(ctx, team, asked)
	return body, code != http.StatusOK
}

// table is a table of predictions.
type table struct {
	in   io.Reader
	kind string
}

// predictions returns the predictions of a call, or of a file.
func (l Ledger) predictions(a map[string]any) (t table, done func(), err error) {
	rows, inline := a["predictions"]
	file, named := a["file"]
	switch {
	case inline == named:
		return t, nil, errors.New("predictions: got none, or both them and a file, want one of the two")
	case named:
		path, ok := file.(string)
		if !ok {
			return t, nil, errors.New("file: got no text, want a path")
		}
		return l.Folder.open(path)
	}
	list, ok := rows.(map[string]any)
	if !ok {
		return t, nil, errors.New("predictions: got no object, want the predictions by id")
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"id", "prediction"})
	for _, id := range slices.Sorted(maps.Keys(list)) {
		x, err := text("predictions", list[id])
		if err != nil {
			return t, nil, err
		}
		_ = w.Write([]string{id, x})
	}
	w.Flush()
	return table{&b, "text/csv"}, func() {}, w.Error()
}

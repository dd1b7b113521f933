// Package planfile reads and writes plan files: YAML or JSON with defaults and named scenarios. Their keys are flags
// and their values are read as those are, so that 10k, 5%, 1/20 and lists mean the same. A scenario's own key
// overrides a default, null removes it.
package planfile

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/delimited"
)

const schema = "dpcalc/plan-file/1"

// The files to start from say the same. JSON has no comments.
var (
	//go:embed template.yaml
	Template string
	//go:embed template.json
	TemplateJSON string
)

// Keys are the flags that a plan file may set.
type Keys struct {
	All      []string
	Switches []string          // those that are true or false
	Rivals   map[string]string // of two names of one quantity the scenario's own is kept
}

// Scenario is a named one of a file, with its flags.
type Scenario struct {
	Name   string
	Values usage.Values
	refuse func(format string, args ...any) error
}

// Refuse is an error that names the file and the line of the scenario.
func (s Scenario) Refuse(format string, args ...any) error { return s.refuse(format, args...) }

// Wrong says of an error, nil for none, in which scenario it is.
func (s Scenario) Wrong(err error) error {
	if err = numbers.InWords(err); err == nil {
		return nil
	}
	said := err.Error()
	if flag, _, ok := strings.Cut(said, ":"); ok && !strings.Contains(flag, " ") {
		said = strings.TrimPrefix(said, "--") // the file has a key, and nobody gave a flag
	}
	return s.refuse("scenario %s: %s", usage.Shown(s.Name), said)
}

// Read reads a plan file, and hands over the scenarios one by one. Its errors name the file and, but for errors of the
// syntax, the line.
func Read(path string, keys Keys, use func(Scenario) error) error {
	data, err := textOf(path)
	if err != nil {
		return err
	}
	fail := func(n *yaml.Node, format string, args ...any) error {
		return usage.Errorf("%s: line %d: %s", path, n.Line, fmt.Sprintf(format, args...))
	}
	root, err := treeOf(path, data)
	if err != nil {
		return usage.Errorf("%s: %s", path, strings.Join(strings.Fields(err.Error()), " "))
	}
	if root == nil {
		return usage.Errorf("%s: got an empty file, want scenarios", path)
	}
	var defaults []setting
	var list *yaml.Node
	err = eachKey(root, []string{"schema", "defaults", "scenarios"}, fail, func(key string, value *yaml.Node) (err error) {
		switch key {
		case "schema":
			if got := meant(value).Value; got != schema {
				return fail(value, "schema: got %s, want %s", usage.Shown(got), schema)
			}
		case "defaults":
			defaults, err = keys.settings(value, false, fail)
		case "scenarios":
			list = meant(value)
		}
		return err
	})
	if err != nil {
		return err
	}
	if list == nil || list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		return fail(root, "scenarios: got none, want a list of them")
	}
	var names []string
	for _, node := range list.Content {
		own, err := keys.settings(node, true, fail)
		if err != nil {
			return err
		}
		s := Scenario{refuse: func(format string, args ...any) error { return fail(node, format, args...) }}
		for _, set := range own {
			if set.key == "name" && !set.null {
				s.Name = set.value
			}
		}
		switch {
		case strings.ContainsFunc(s.Name, unicode.IsControl):
			return s.Refuse("name: got %s, want one without control characters", usage.Shown(s.Name))
		case s.Name == "":
			return s.Refuse("name: got nothing, want one for every scenario")
		case slices.Contains(names, s.Name):
			return s.Refuse("name: got %s twice, want different names", usage.Shown(s.Name))
		}
		names = append(names, s.Name)
		if s.Values, err = keys.values(keys.overridden(defaults, own)); err != nil {
			return s.Wrong(err)
		}
		if err := use(s); err != nil {
			return err
		}
	}
	return nil
}

// Limits of a plan file. People write far smaller ones; what a program writes in error, or
// someone in malice, must not use up the memory.
const (
	mostBytes = 16 << 20
	mostMarks = 1_000_000 // lines, commas, brackets, dashes: without one there is no further item
	mostDepth = 100       // of lists and mappings in each other
)

// textOf reads a file as far as the limit.
func textOf(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, outfile.Cause(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, outfile.Cause(err))
	}
	if len(data) > mostBytes {
		return nil, usage.Errorf("%s: got more than %d MB, want a plan file of at most that", path, mostBytes>>20)
	}
	marks := 0
	for _, mark := range []string{"\n", ",", "[", "{", "-", "?"} {
		marks += bytes.Count(data, []byte(mark))
	}
	if marks > mostMarks {
		return nil, usage.Errorf("%s: got more than %d lines, commas, brackets and dashes, want a plan file with fewer",
			path, mostMarks)
	}
	return data, nil
}

var errDeep = fmt.Errorf("got lists or mappings more than %d deep, want at most that", mostDepth)

// treeOf reads a file into a tree with line numbers, nil if it is empty.
func treeOf(path string, data []byte) (*yaml.Node, error) {
	isJSON := strings.EqualFold(filepath.Ext(path), ".json")
	encoding, marked := delimited.WideEncoding(data)
	if yamlReads := marked && encoding == "UTF-16" && !isJSON; encoding != "" && !yamlReads {
		return nil, fmt.Errorf("got %s, want UTF-8", encoding)
	}
	if isJSON {
		if len(bytes.TrimSpace(data)) == 0 {
			return nil, nil
		}
		r := jsonReader{Decoder: json.NewDecoder(bytes.NewReader(data)), data: data, line: 1}
		r.UseNumber()
		root, err := r.tree(0)
		if err != nil {
			return nil, r.located(err)
		}
		if _, more := r.Token(); !errors.Is(more, io.EOF) {
			return nil, errors.New("got more than one value, want one")
		}
		return root, nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, inYAML(err, data)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("got more than one document, want one")
	}
	return document.Content[0], shallow(document.Content[0], 1)
}

// inYAML is the error of a text that is no YAML.
func inYAML(err error, data []byte) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	number, _, _ := strings.Cut(strings.TrimPrefix(text, "line "), ":")
	if line, e := strconv.Atoi(number); e == nil && indentedByTab(data, line) {
		return fmt.Errorf("line %d: got a tab, want spaces before a key", line)
	}
	return fmt.Errorf("%s; want YAML", text)
}

// indentedByTab reports whether a tab stands before the text of a line.
func indentedByTab(data []byte, line int) bool {
	lines := bytes.Split(data, []byte("\n"))
	if line < 1 || line > len(lines) {
		return false
	}
	text := lines[line-1]
	return bytes.IndexByte(text[:len(text)-len(bytes.TrimLeft(text, " \t"))], '\t') >= 0
}

// shallow checks the depth of a tree whose root is at this depth.
func shallow(n *yaml.Node, depth int) error {
	if len(n.Content) > 0 && depth > mostDepth {
		return errDeep
	}
	for _, child := range n.Content {
		if err := shallow(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// jsonReader reads JSON as the trees that YAML would make of it.
type jsonReader struct {
	*json.Decoder
	data []byte
	read int64 // up to here the lines have been counted
	line int
}

// located is the error of a text that is no JSON, with its place.
func (r *jsonReader) located(err error) error {
	var syntax *json.SyntaxError
	at, text := int64(len(r.data)), "got the end of the file, want the rest of the JSON"
	switch {
	case errors.As(err, &syntax) && !errors.Is(err, io.ErrUnexpectedEOF):
		at, text = min(syntax.Offset, at), syntax.Error()+", want JSON"
	case !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF):
		return err
	}
	return fmt.Errorf("line %d: %s", 1+bytes.Count(bytes.TrimRight(r.data[:at], "\n"), []byte("\n")), text)
}

// tree reads a value that is inside so many others.
func (r *jsonReader) tree(depth int) (*yaml.Node, error) {
	token, err := r.Token()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	r.line += bytes.Count(r.data[r.read:r.InputOffset()], []byte("\n"))
	r.read = r.InputOffset()
	node := &yaml.Node{Kind: yaml.ScalarNode, Line: r.line}
	switch v := token.(type) {
	case json.Delim:
		if depth == mostDepth {
			return nil, errDeep
		}
		node.Kind = yaml.SequenceNode
		if v == '{' {
			node.Kind = yaml.MappingNode
		}
		for r.More() {
			child, err := r.tree(depth + 1)
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, child)
		}
		_, err = r.Token() // the closing bracket
	case nil:
		node.Tag = "!!null"
	case bool:
		node.Value = strconv.FormatBool(v)
	case json.Number:
		node.Value = v.String()
	case string:
		node.Value = v
	}
	return node, err
}

// meant is the node that an alias stands for, or the node itself.
func meant(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// setting is a key of a plan file with the text of its value, and whether it is null.
type setting struct {
	key, value string
	null       bool
}

func (k Keys) settings(node *yaml.Node, named bool, fail func(*yaml.Node, string, ...any) error) ([]setting, error) {
	keys := slices.Clone(k.All)
	if named {
		keys = slices.Insert(keys, 0, "name")
	}
	var list []setting
	err := eachKey(node, keys, fail, func(key string, value *yaml.Node) error {
		value = meant(value)
		set := setting{key: key, value: value.Value, null: value.Tag == "!!null"}
		switch value.Kind {
		case yaml.ScalarNode:
		case yaml.SequenceNode:
			var items []string
			for _, item := range value.Content {
				if item = meant(item); item.Kind != yaml.ScalarNode {
					return fail(item, "%s: got a nested value, want a list of numbers", key)
				}
				items = append(items, item.Value)
			}
			set.value = strings.Join(items, ", ")
		default:
			return fail(value, "%s: got a nested value, want a number, a word or a list", key)
		}
		list = append(list, set)
		return nil
	})
	return list, err
}

// eachKey calls use for every key of a mapping; an unknown or repeated key is an error.
func eachKey(node *yaml.Node, keys []string, fail func(*yaml.Node, string, ...any) error,
	use func(string, *yaml.Node) error) error {
	at := node
	if node = meant(node); node.Kind != yaml.MappingNode {
		return fail(at, "got %s, want keys with values", usage.Shown(node.Value))
	}
	seen := map[string]bool{}
	for i := 0; i < len(node.Content); i += 2 {
		name := meant(node.Content[i])
		key := name.Value
		switch {
		case name.Kind != yaml.ScalarNode:
			return fail(node.Content[i], "got a nested key, want %s", usage.OrList(keys))
		case key == "<<":
			return fail(node.Content[i], "got a merge key, want the keys written out or in the defaults")
		case !slices.Contains(keys, key):
			return fail(node.Content[i], "unknown key %s%s", usage.Shown(key), wantedKey(key, keys))
		case seen[key]:
			return fail(node.Content[i], "%s: given twice", key)
		}
		seen[key] = true
		if err := use(key, node.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// overridden returns the defaults with a scenario's own settings in their place.
// Of rivals only the scenario's own remains.
func (k Keys) overridden(defaults, own []setting) []setting {
	var list []setting
	for _, d := range defaults {
		if !slices.ContainsFunc(own, func(o setting) bool { return o.key == d.key || o.key == k.Rivals[d.key] }) {
			list = append(list, d)
		}
	}
	return append(list, own...)
}

// values are the flags that the settings stand for.
func (k Keys) values(settings []setting) (usage.Values, error) {
	typed := make(usage.Typed)
	for _, s := range settings {
		switch {
		case s.null || s.key == "name":
		case !slices.Contains(k.Switches, s.key), s.value == "true":
			typed[s.key] = []string{s.value}
		case s.value != "false":
			return nil, usage.Errorf("--%s: got %s, want true or false", s.key, usage.Shown(s.value))
		}
	}
	return typed, nil
}

// Pair is a key with its value.
type Pair struct{ Key, Value string }

// Text is the file of one scenario.
func Text(name string, pairs []Pair) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Run it with: dpcalc plan run FILE\nschema: %s\nscenarios:\n  - name: %s\n", schema,
		yamlScalar(name))
	for _, p := range pairs {
		fmt.Fprintf(&b, "    %s: %s\n", p.Key, yamlScalar(p.Value))
	}
	return b.String()
}

// TextJSON is that file as JSON.
func TextJSON(name string, pairs []Pair) string {
	b := []byte("{\n  \"schema\": \"" + schema + "\",\n  \"scenarios\": [\n    {\n      \"name\": ")
	b = appendJSON(b, name)
	for _, p := range pairs {
		b = append(b, ",\n      "...)
		b = append(record.AppendJSONString(b, p.Key), ": "...)
		b = appendJSON(b, p.Value)
	}
	return string(append(b, "\n    }\n  ]\n}\n"...))
}

func appendJSON(b []byte, text string) []byte {
	if isPlain(text) && json.Valid([]byte(text)) {
		return append(b, text...)
	}
	return record.AppendJSONString(b, text)
}

// yamlScalar quotes a value unless it is a plain word or number.
func yamlScalar(text string) string {
	if isPlain(text) {
		return text
	}
	return strconv.Quote(text)
}

func isPlain(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune(".-/%", r)
	})
}

// mostKeys is how many keys a message lists.
const mostKeys = 4

// wantedKey ends the message on an unknown key.
func wantedKey(key string, keys []string) string {
	hint := usage.DidYouMean(key, keys)
	if hint == "" && len(keys) <= mostKeys {
		return ", want " + usage.OrList(keys)
	}
	return usage.OrSee(hint, "dpcalc help samplesize for the flags, which are the keys")
}

// Package planfile reads plan files: YAML, and JSON as YAML, with defaults and named scenarios. Their keys are flags
// and their values are read as those are, so that 10k, 5%, 1/20 and lists mean the same. A scenario's own key
// overrides a default, null removes it.
package planfile

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/delimited"
)

const schema = "dpcalc/plan-file/1"

// Template is the file to start from.
//
//go:embed template.yaml
var Template string

// Keys are the flags that a plan file may set.
type Keys struct {
	All      []string
	Also     map[string]string // other names of keys
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
	root, err := treeOf(data)
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

// treeOf reads a file into a tree with line numbers, nil if it is empty.
func treeOf(data []byte) (*yaml.Node, error) {
	if encoding, marked := delimited.WideEncoding(data); encoding == "UTF-32" || encoding != "" && !marked {
		return nil, fmt.Errorf("got %s, want UTF-8", encoding)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, inYAML(err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("got more than one document, want one")
	}
	return document.Content[0], nil
}

// inYAML is the error of a text that is no YAML.
func inYAML(err error) error {
	text, want := strings.TrimPrefix(err.Error(), "yaml: "), "YAML"
	switch {
	case strings.Contains(text, "cannot start any token"):
		want = "spaces and no tab before a key, and quotes around a value that begins with %, @ or `"
	case strings.Contains(text, "escape"):
		want = `the character itself, as YAML lacks \/ and \ud83d\ude00 of JSON`
	}
	return fmt.Errorf("%s; want %s", text, want)
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
	keys := slices.Concat(k.All, slices.Sorted(maps.Keys(k.Also)))
	if named {
		keys = slices.Insert(keys, 0, "name")
	}
	var list []setting
	err := eachKey(node, keys, fail, func(key string, value *yaml.Node) error {
		value = meant(value)
		key = cmp.Or(k.Also[key], key)
		if slices.ContainsFunc(list, func(s setting) bool { return s.key == key }) {
			return fail(value, "%s: given twice", key)
		}
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

package samplesize

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/csvfile"
	"github.com/dpcalc/dpcalc/internal/numbers"
	"github.com/dpcalc/dpcalc/internal/outfile"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/transfer"
	"go.yaml.in/yaml/v3"
)

// A plan file is YAML or JSON: defaults, and named scenarios. Their keys are flags of
// samplesize and their values are read as those are, so that 10k, 5%, 1/20 and lists
// mean the same. A scenario's own key overrides a default, null removes it.

const planSchema = "dpcalc/plan-file/1"

const planTemplate = `# A plan for a sample that is queried adaptively. Run it with
#   dpcalc plan run FILE
# Keys are the flags of dpcalc samplesize: three of samples, queries, tau and beta are
# given and the fourth is solved; with all four the plan is checked. A scenario's keys
# override the defaults; null removes one.
schema: dpcalc/plan-file/1
defaults:
  tau: 0.1
  beta: 5%
scenarios:
  - name: model selection
    queries: 100
  - name: leaderboard
    queries: 10k
    tau: 0.05
  - name: holdout at hand
    samples: 20k
    queries: 1000
    tau: null
`

// PlanFile is the command plan.
func PlanFile() *commands.Command {
	return &commands.Command{
		Name:      "plan",
		Summary:   "keep scenarios in a file, solve them again, compare two files",
		Arguments: "init FILE | run FILE | diff OLD NEW",
		Description: "init writes a commented template, which is never written over a file that exists.\n" +
			"run solves every scenario: people see the best row of each, machine formats have all rows.\n" +
			"diff solves two files and says what changed, scenario by scenario.\n" +
			"The file is YAML or JSON; its keys are the flags of samplesize. Exit code 4 if a scenario\n" +
			"that gives all four quantities is not certified.",
		Flags:  []usage.Flag{{Name: "best", Switch: true, Usage: "run: only the best row of each scenario"}},
		Words:  func() []string { return []string{"init", "run", "diff"} },
		Output: commands.Tables,
		Examples: [2]string{
			"dpcalc plan init plan.yaml",
			"dpcalc plan run plan.yaml",
		},
		Run: runPlanFile,
	}
}

func runPlanFile(c *commands.Call) error {
	actions := []string{"init", "run", "diff"}
	want := map[string]int{"init": 1, "run": 1, "diff": 2}
	args := c.Texts(usage.Arguments)
	if len(args) == 0 {
		return usage.Errorf("plan: got nothing, want init FILE, run FILE or diff OLD NEW")
	}
	action, files := args[0], args[1:]
	if !slices.Contains(actions, action) {
		return usage.Errorf("plan: got %s, want init, run or diff%s", usage.Shown(action), usage.DidYouMean(action, actions))
	}
	if len(files) != want[action] {
		return usage.Errorf("plan %s: got %d files, want %d", action, len(files), want[action])
	}
	if c.Is("best") && action != "run" {
		return usage.Errorf("--best: got plan %s, want plan run", action)
	}
	if action == "init" {
		for _, f := range commands.OutputFlags(c.Formats) {
			if _, ok := c.Text(f.Name); ok {
				return usage.Errorf("--%s: got plan init, want plan run or diff", f.Name)
			}
		}
		return newFile(c, "plan init", files[0], planTemplate)
	}
	target, err := c.Target()
	if err != nil {
		return err
	}
	if action == "run" {
		return planRun(c, target, files[0], c.Is("best"))
	}
	return planDiff(c, target, files[0], files[1])
}

// newFile writes a plan file whose name is free.
func newFile(c *commands.Call, where, path, text string) error {
	switch suffix := strings.ToLower(filepath.Ext(path)); suffix {
	case ".yaml", ".yml", ".json":
	default:
		return usage.Errorf("%s: got %s, want a name in .yaml, .yml or .json", where, usage.Shown(path))
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return usage.Errorf("%s: got %s, which exists, want a new file", where, usage.Shown(path))
	}
	if strings.EqualFold(filepath.Ext(path), ".json") {
		var err error
		if text, err = planJSON(text); err != nil {
			return err
		}
	}
	return c.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// scenario is a named goal or grid of goals of a plan file.
type scenario struct {
	name    string
	request request
	rows    [][]row
}

// readPlanFile reads and validates a plan file. Its errors name the file and, but for
// those of the syntax, the line.
func readPlanFile(c *commands.Call, path string) ([]scenario, error) {
	data, err := planText(path)
	if err != nil {
		return nil, err
	}
	fail := func(n *yaml.Node, format string, args ...any) error {
		return usage.Errorf("%s:%d: %s", path, n.Line, fmt.Sprintf(format, args...))
	}
	tooMany := func(n *yaml.Node, scenario string) error {
		return fail(n, "scenario %s: got more than %d goals in the file, want fewer; samplesize writes larger grids",
			usage.Shown(scenario), mostPlanGoals)
	}
	root, err := planTree(path, data)
	if err != nil {
		return nil, usage.Errorf("%s: %s", path, strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " "))
	}
	if root == nil {
		return nil, usage.Errorf("%s: got an empty file, want scenarios", path)
	}
	var defaults []setting
	var list *yaml.Node
	err = eachKey(root, []string{"schema", "defaults", "scenarios"}, fail, func(key string, value *yaml.Node) (err error) {
		switch key {
		case "schema":
			if got := meant(value).Value; got != planSchema {
				return fail(value, "schema: got %s, want %s", usage.Shown(got), planSchema)
			}
		case "defaults":
			defaults, err = readSettings(value, false, fail)
		case "scenarios":
			list = meant(value)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if list == nil || list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		return nil, fail(root, "scenarios: got none, want a list of them")
	}
	var scenarios []scenario
	total := 0
	for _, node := range list.Content {
		own, err := readSettings(node, true, fail)
		if err != nil {
			return nil, err
		}
		s := scenario{}
		for _, set := range own {
			if set.key == "name" && !set.null {
				s.name = set.value
			}
		}
		switch {
		case strings.ContainsFunc(s.name, unicode.IsControl):
			return nil, fail(node, "name: got %s, want one without control characters", usage.Shown(s.name))
		case s.name == "":
			return nil, fail(node, "name: got nothing, want one for every scenario")
		case slices.ContainsFunc(scenarios, func(o scenario) bool { return o.name == s.name }):
			return nil, fail(node, "name: got %s twice, want different names", usage.Shown(s.name))
		}
		typed, err := scenarioValues(overridden(defaults, own))
		if err == nil && int64(total)+leastGoals(typed) > mostPlanGoals {
			return nil, tooMany(node, s.name)
		}
		if err == nil {
			s.request, err = readRequest(&commands.Call{Session: c.Session, Values: typed, Command: Command(),
				Formats: c.Formats})
		}
		if err = numbers.InWords(err); err != nil {
			return nil, fail(node, "scenario %s: %v", usage.Shown(s.name), err)
		}
		if total += s.request.goals; total > mostPlanGoals {
			return nil, tooMany(node, s.name)
		}
		scenarios = append(scenarios, s)
	}
	return scenarios, nil
}

// mostPlanGoals is how many goals all scenarios of a file may have: the rows of all are
// held in memory.
const mostPlanGoals = 20_000

// Limits of a plan file. People write far smaller ones; what a program writes in error, or
// someone in malice, must not use up the memory.
const (
	mostPlanBytes = 16 << 20
	mostPlanMarks = 1_000_000 // lines, commas, brackets, dashes: without one there is no further item
	mostPlanDepth = 100       // of lists and mappings in each other
)

// planText reads a file as far as the limit.
func planText(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, outfile.Cause(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostPlanBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, outfile.Cause(err))
	}
	if len(data) > mostPlanBytes {
		return nil, usage.Errorf("%s: got more than %d MB, want a plan file of at most that", path, mostPlanBytes>>20)
	}
	marks := 0
	for _, mark := range []string{"\n", ",", "[", "{", "-", "?"} {
		marks += bytes.Count(data, []byte(mark))
	}
	if marks > mostPlanMarks {
		return nil, usage.Errorf("%s: got more than %d lines, commas, brackets and dashes, want a plan file with fewer",
			path, mostPlanMarks)
	}
	return data, nil
}

var errDeepPlan = fmt.Errorf("got lists or mappings more than %d deep, want at most that", mostPlanDepth)

// planTree reads a file into a tree with line numbers, nil if it is empty.
func planTree(path string, data []byte) (*yaml.Node, error) {
	isJSON := strings.EqualFold(filepath.Ext(path), ".json")
	encoding, marked := csvfile.WideEncoding(data)
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
		if err == nil {
			if _, more := r.Token(); !errors.Is(more, io.EOF) {
				err = errors.New("got more than one value, want one")
			}
		}
		return root, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("got more than one document, want one")
	}
	return document.Content[0], shallow(document.Content[0], 1)
}

// shallow checks the depth of a tree whose root is at this depth.
func shallow(n *yaml.Node, depth int) error {
	if len(n.Content) > 0 && depth > mostPlanDepth {
		return errDeepPlan
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
		if depth == mostPlanDepth {
			return nil, errDeepPlan
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

// planKeys are the flags of samplesize that a plan file may set.
var planKeys = []string{"samples", "queries", "tau", "beta", "confidence", "budget", "query", "sensitivity", "epsilon",
	"method", "proofs", "zip", "max-rows"}

func readSettings(node *yaml.Node, named bool, fail func(*yaml.Node, string, ...any) error) ([]setting, error) {
	keys := planKeys
	if named {
		keys = append([]string{"name"}, planKeys...)
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
			return fail(node.Content[i], "unknown key %s%s", usage.Shown(key), usage.DidYouMean(key, keys))
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
// Confidence and beta are two names of one quantity.
func overridden(defaults, own []setting) []setting {
	rival := map[string]string{"beta": "confidence", "confidence": "beta"}
	var list []setting
	for _, d := range defaults {
		if !slices.ContainsFunc(own, func(o setting) bool { return o.key == d.key || o.key == rival[d.key] }) {
			list = append(list, d)
		}
	}
	return append(list, own...)
}

// scenarioValues are the flags that the settings stand for.
func scenarioValues(settings []setting) (usage.Values, error) {
	typed := make(usage.Typed)
	for _, s := range settings {
		switch {
		case s.null || s.key == "name":
		case s.key != "zip":
			typed[s.key] = []string{s.value}
		case s.value == "true":
			typed[s.key] = []string{s.value}
		case s.value != "false":
			return nil, usage.Errorf("--zip: got %s, want true or false", usage.Shown(s.value))
		}
	}
	return typed, nil
}

// solveScenarios answers all goals of all scenarios.
func solveScenarios(c *commands.Call, scenarios []scenario, v []verdict) error {
	total := 0
	for _, s := range scenarios {
		total += s.request.goals
	}
	bar := c.Progress(total)
	defer bar.End()
	before := 0
	for k := range scenarios {
		s := &scenarios[k]
		s.rows = make([][]row, s.request.goals)
		err := outfile.Stream(c.Context, io.Discard, s.request.goals, c.Workers,
			func(dst []byte, lo, hi int) (_ []byte, err error) {
				for i := lo; i < hi; i++ {
					if s.rows[i], err = s.request.solve(nil, i, &v[k]); err != nil {
						return dst, err
					}
				}
				return dst, nil
			}, func(done int) { bar.Step(before + done) })
		if err != nil {
			return err
		}
		before += s.request.goals
	}
	return nil
}

// planned is a row of a scenario. For people it is the best of a goal, or none.
type planned struct {
	scenario *scenario
	columns  []column // of the scenario's rows
	row      *row     // nil if there is none
	none     string   // what there is instead
	asked    row      // the goal as it was put
}

func (p planned) verdict() commands.Verdict {
	if p.row == nil {
		return commands.Verdict{}
	}
	return commands.Verdict{Sources: p.row.Method.Sources, Best: p.row.Best}
}

var scenarioName = record.Column[planned]{Name: "scenario",
	Cell: func(p planned) record.Cell { return record.Foreign(p.scenario.name) }}

// scenarioColumns are the columns for machines: those of samplesize after the scenario.
func scenarioColumns(columns []column) []record.Column[planned] {
	all := []record.Column[planned]{scenarioName}
	for j, c := range columns {
		all = append(all, record.Column[planned]{Name: c.Name,
			Cell: func(p planned) record.Cell { return p.columns[j].Cell(p.row) }})
	}
	return all
}

// ofGoal is a column of the best row or, where there is none, of the goal as it was put.
func ofGoal(c column) record.Column[planned] {
	return record.Column[planned]{Name: c.Name, Title: c.Title, Cell: func(p planned) record.Cell {
		if p.row == nil {
			return c.Cell(&p.asked)
		}
		return c.Cell(p.row)
	}}
}

// ofBest is a column of the best row.
func ofBest(c column) record.Column[planned] {
	return record.Column[planned]{Name: c.Name, Cell: func(p planned) record.Cell {
		if p.row == nil {
			return record.Cell{}
		}
		return c.Cell(p.row)
	}}
}

var shortColumns = []record.Column[planned]{
	scenarioName, ofBest(columnMethod),
	{Name: "solved for", Cell: func(p planned) record.Cell {
		return record.Words(map[transfer.Unknown]string{
			transfer.Samples: "rows", transfer.Queries: "queries", transfer.Tau: "tau", transfer.Beta: "beta",
			transfer.None: "check",
		}[p.scenario.request.unknown])
	}},
	ofGoal(columnSamples.Titled("rows")), ofGoal(columnQueries), ofGoal(columnTau), ofGoal(columnBeta),
	ofGoal(columnBudget),
	ofBest(columnNoise), ofBest(columnNoiseSpan),
	{Name: "note", Cell: func(p planned) record.Cell {
		if p.row == nil {
			return record.Words(p.none)
		}
		return record.Words(note(p.row))
	}},
}

func planRun(c *commands.Call, t commands.Target, path string, bestOnly bool) error {
	scenarios, err := readPlanFile(c, path)
	if err != nil {
		return err
	}
	verdicts := make([]verdict, len(scenarios))
	if err := solveScenarios(c, scenarios, verdicts); err != nil {
		return err
	}
	short, err := bestRows(c, scenarios)
	if err != nil {
		return err
	}
	rows := short
	if t.Format.Print == nil {
		rows = allRows(scenarios, bestOnly)
	}
	err = commands.Emit(c, t, commands.Answer[planned]{
		Command: "plan", Inputs: []record.Input{{Name: "file", Value: record.Words(path)}}, Rows: slices.Values(rows),
		Columns: scenarioColumns(scenarios[0].request.columns()), Shown: shortColumns, Verdict: planned.verdict,
		Say: func() (title, notes []string) {
			var best []row
			for _, p := range short {
				if p.row != nil {
					best = append(best, *p.row)
				}
			}
			return []string{"The best method for each scenario of " + path}, scheduleNote(best)
		},
	})
	if err != nil {
		return err
	}
	return outcomeOf(scenarios, verdicts)
}

// bestRows are what people see: of every goal the best row, or that there is none.
func bestRows(c *commands.Call, scenarios []scenario) (rows []planned, err error) {
	for k := range scenarios {
		s := &scenarios[k]
		for _, group := range s.rows {
			p := planned{scenario: s, row: bestOf(group)}
			if p.row == nil {
				p.asked.Goal = asked(group[0].Goal, s.request.unknown)
				p.none, err = s.request.noBest(group)
			}
			if err = errors.Join(err, c.Context.Err()); err != nil {
				return nil, err
			}
			rows = append(rows, p)
		}
	}
	return rows, nil
}

// allRows are what machines see.
func allRows(scenarios []scenario, bestOnly bool) (rows []planned) {
	for k := range scenarios {
		s := &scenarios[k]
		columns := s.request.columns()
		for _, group := range s.rows {
			for i := range group {
				if group[i].Best || !bestOnly {
					rows = append(rows, planned{scenario: s, columns: columns, row: &group[i]})
				}
			}
		}
	}
	return rows
}

// outcomeOf is what the exit code says.
func outcomeOf(scenarios []scenario, verdicts []verdict) error {
	answered := false
	for k := range scenarios {
		checked := scenarios[k].request.unknown == transfer.None
		if checked && verdicts[k].refuted.Load() {
			return usage.Outcome(usage.ExitRefuted)
		}
		answered = answered || checked || verdicts[k].answered.Load()
	}
	if !answered {
		return usage.Outcome(usage.ExitNoAnswer)
	}
	return nil
}

func bestOf(group []row) *row {
	for i := range group {
		if group[i].Best {
			return &group[i]
		}
	}
	return nil
}

func planDiff(c *commands.Call, t commands.Target, oldPath, newPath string) error {
	var sides [2][]scenario
	for i, path := range []string{oldPath, newPath} {
		scenarios, err := readPlanFile(c, path)
		if err != nil {
			return err
		}
		sides[i] = scenarios
	}
	for i := range sides {
		if err := solveScenarios(c, sides[i], make([]verdict, len(sides[i]))); err != nil {
			return err
		}
	}
	var pairs []pair
	for side := range sides {
		for k := range sides[side] {
			s := &sides[side][k]
			for i, group := range s.rows {
				key := pairKey{scenario: s.name}
				if len(s.rows) > 1 {
					key.goal = s.request.goalText(s.request.grid.goal(i))
				}
				at := slices.IndexFunc(pairs, func(q pair) bool { return q.key == key })
				if at < 0 {
					at = len(pairs)
					pairs = append(pairs, pair{key: key})
				}
				best := bestOf(group)
				if best == nil {
					best = &row{Answer: transfer.Answer{Goal: s.request.grid.goal(i), Status: transfer.Infeasible}}
				}
				pairs[at].sides[side] = best
			}
		}
	}
	shown := slices.Concat(pairColumns, bothSides(comparedColumns[0]), bothSides(comparedColumns[1]),
		[]record.Column[pair]{ratioColumn})
	for _, compared := range comparedColumns[2:] {
		shown = append(shown, bothSides(compared)...)
	}
	return commands.Emit(c, t, commands.Answer[pair]{
		Command: "plan-diff",
		Inputs:  []record.Input{{Name: "old", Value: record.Words(oldPath)}, {Name: "new", Value: record.Words(newPath)}},
		Columns: slices.Concat(shown, bothSides(lnBetaColumn)), Shown: shown, Rows: slices.Values(pairs),
		Say: func() (title, notes []string) { return []string{"From " + oldPath + " to " + newPath}, nil },
	})
}

// pairKey is a goal that two plan files have in common: a scenario with one goal by its
// name, one of a grid by its values too.
type pairKey struct{ scenario, goal string }

// pair is the best rows of a goal in the old and in the new file, nil where it is not in
// the file.
type pair struct {
	key   pairKey
	sides [2]*row
}

// comparedColumns are those in which two files may differ.
var comparedColumns = []column{
	{Name: "method", Cell: func(r *row) record.Cell {
		if r.Method == nil {
			return record.Cell{}
		}
		return record.Words(r.Method.Name)
	}},
	columnSamples.Titled("rows"), columnQueries, columnTau, columnBeta, columnBudget, columnQuery, columnSensitivity,
}

var lnBetaColumn = column{Name: "ln_beta", Cell: func(r *row) record.Cell {
	if r.Beta == 0 {
		return record.Cell{}
	}
	return record.Exactly(r.Beta.Ln())
}}

// bothSides are a column of the old file and one of the new.
func bothSides(c column) (both []record.Column[pair]) {
	title := record.Titles([]column{c})[0]
	for side, name := range []string{"old", "new"} {
		both = append(both,
			record.Column[pair]{Name: c.Name + "_" + name, Title: title + " " + name, Cell: func(q pair) record.Cell {
				if q.sides[side] == nil {
					return record.Cell{}
				}
				return c.Cell(q.sides[side])
			}})
	}
	return both
}

var pairColumns = []record.Column[pair]{
	{Name: "scenario", Cell: func(q pair) record.Cell { return record.Foreign(q.key.scenario) }},
	{Name: "goal", Cell: func(q pair) record.Cell { return record.Words(q.key.goal) }},
	{Name: "change", Cell: func(q pair) record.Cell { return record.Words(q.change()) }},
}

var ratioColumn = record.Column[pair]{Name: "samples_ratio", Title: "rows ratio", Cell: func(q pair) record.Cell {
	a, b := q.sides[0], q.sides[1]
	if a == nil || b == nil {
		return record.Cell{}
	}
	if a.Samples == 0 || b.Samples == 0 || a.Samples == b.Samples {
		return record.Cell{}
	}
	return record.Exactly(float64(b.Samples) / float64(a.Samples))
}}

func (q pair) change() string {
	switch {
	case q.sides[0] == nil:
		return "added"
	case q.sides[1] == nil:
		return "removed"
	}
	for _, c := range append(slices.Clone(comparedColumns), lnBetaColumn) {
		if a, b := c.Cell(q.sides[0]), c.Cell(q.sides[1]); !a.Same(b) {
			return "changed"
		}
	}
	return "same"
}

// savedPlan is the plan file of one command line.
func savedPlan(c usage.Values) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Run it with: dpcalc plan run FILE\nschema: %s\nscenarios:\n  - name: plan\n", planSchema)
	for _, key := range planKeys {
		value, ok := c.Text(key)
		switch {
		case key == "zip" && c.Is("zip"):
			value, ok = "true", true
		case key == "zip":
			ok = false
		}
		if ok {
			fmt.Fprintf(&b, "    %s: %s\n", key, yamlScalar(value))
		}
	}
	return b.String()
}

// yamlScalar quotes a value unless it is a plain word or number.
func yamlScalar(text string) string {
	plain := text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune(".-/%", r)
	})
	if plain {
		return text
	}
	return strconv.Quote(text)
}

// planJSON turns a plan file from YAML into JSON of the same order.
func planJSON(text string) (string, error) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return "", err
	}
	var b []byte
	var write func(n *yaml.Node, indent string)
	write = func(n *yaml.Node, indent string) {
		inner := indent + "  "
		switch n.Kind {
		case yaml.MappingNode:
			b = append(b, '{')
			for i := 0; i < len(n.Content); i += 2 {
				if i > 0 {
					b = append(b, ',')
				}
				b = append(append(b, '\n'), inner...)
				b = append(record.AppendJSONString(b, n.Content[i].Value), ':', ' ')
				write(n.Content[i+1], inner)
			}
			b = append(append(append(b, '\n'), indent...), '}')
		case yaml.SequenceNode:
			b = append(b, '[')
			for i, item := range n.Content {
				if i > 0 {
					b = append(b, ',')
				}
				b = append(append(b, '\n'), inner...)
				write(item, inner)
			}
			b = append(append(append(b, '\n'), indent...), ']')
		default:
			if n.Tag == "!!null" || n.Tag != "!!str" && json.Valid([]byte(n.Value)) {
				b = append(b, n.Value...)
			} else {
				b = record.AppendJSONString(b, n.Value)
			}
		}
	}
	write(document.Content[0], "")
	return string(append(b, '\n')), nil
}

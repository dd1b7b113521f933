package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

func maxinfoCommand() *Command {
	return &Command{
		Name:    "maxinfo",
		Summary: "how much the steps of an analysis reveal about the sample",
		Description: "Upper bounds, in bits, of the max-information between the sample and everything that was seen of it,\n" +
			"by every theorem that speaks about the steps: no event is more than 2^bits times likelier than on a\n" +
			"fresh sample, except with probability --slack. Give the steps in order of use:\n\n" + stepGrammar() + "\n\n" +
			"A number of outcomes counts the possible answers; bits and nats are upper bounds. Without data=any the bound\n" +
			"of a max-info step is taken to be known for this sample's law alone. A step whose bound does not hold for\n" +
			"dependent rows may stand first only: give the private steps first, then description and pure-dp.\n" +
			"With --joint FILE (- for standard input), a table of comma or tab separated values with the columns x, y\n" +
			"and p, whose p add up to one: its max-information, that at --slack if given, and its mutual information.",
		Flags: []Flag{
			stepFlag,
			{Name: "samples", Alias: "n", Usage: "`N` rows; private steps need it"},
			dataFlag,
			neighboursFlag,
			{Name: "slack", Usage: "`B`, the probability of exceeding the bound (default 0)"},
			{Name: "joint", Usage: "the exact values of the joint law in `FILE`, in place of steps"},
		},
		Output: Tables,
		Examples: [2]string{
			"dpcalc maxinfo --samples 10k --step pure-dp:epsilon=0.01",
			"dpcalc maxinfo --samples 10k --slack 1% --step pure-dp:epsilon=0.01 --step description:outcomes=100",
		},
		Run: runMaxinfo,
	}
}

// Flags of the commands that take steps.
var (
	stepFlag = Flag{Name: "step", Usage: "one `STEP`, KIND:key=value,...; repeat the flag for each, in order of use", Repeats: true}
	dataFlag = Flag{Name: "data", Usage: "`LAW` of the rows: product (default), which are independent, or any", Words: []string{"product", "any"}}
)

// stepKind is a way of learning from the sample, with what it takes to say how much.
type stepKind struct {
	name     string
	needs    [][]string // of each group, of one or two, one key
	optional []string
	private  bool // its bounds depend on the number of records
	build    func(d *details) maxinfo.Step
	formulas func(in inputNames) stepFormulas // its amounts in a workbook

	// replaced converts it from another convention of neighbours; nil if it has none.
	replaced func(by convention, s maxinfo.Step) (maxinfo.Step, error)
}

// stepKinds lists the kinds in the order of their description. The literals name no
// fields, so that a new kind does not compile until it has all of them.
func stepKinds() []stepKind {
	return []stepKind{
		{"pure-dp", [][]string{{"epsilon"}}, nil, true, func(d *details) maxinfo.Step {
			return maxinfo.PureDP{Epsilon: detail(d, "epsilon", positives)}
		}, func(in inputNames) stepFormulas {
			return stepFormulas{epsilon: in["epsilon"], later: "samples*" + in["epsilon"]}
		}, replacedPure},
		{"approx-dp", [][]string{{"epsilon"}, {"delta"}}, nil, true, func(d *details) maxinfo.Step {
			return maxinfo.ApproxDP{Epsilon: detail(d, "epsilon", nonNegatives), LnDelta: detail(d, "delta", probabilities)}
		}, func(in inputNames) stepFormulas { return stepFormulas{epsilon: in["epsilon"]} }, replacedApprox},
		{"gdp", [][]string{{"mu"}}, nil, true, func(d *details) maxinfo.Step {
			return maxinfo.GDP{Mu: detail(d, "mu", positives)}
		}, func(in inputNames) stepFormulas {
			return stepFormulas{shift: "(samples*" + in["mu"] + ")^2"}
		}, replacedGDP},
		{"gaussian", [][]string{{"queries"}, {"noise-sd"}}, nil, true, func(d *details) maxinfo.Step {
			return maxinfo.Gaussian{Queries: detail(d, "queries", counts), SD: detail(d, "noise-sd", deviations)}
		}, func(in inputNames) stepFormulas {
			return stepFormulas{shift: in["queries"] + "/" + in["noise-sd"] + "^2"}
		}, nil},
		{"description", [][]string{{"outcomes", "bits"}}, nil, false, func(d *details) maxinfo.Step {
			if d.has("outcomes") {
				return maxinfo.Description{Outcomes: theory.Nats(math.Log(float64(detail(d, "outcomes", counts))))}
			}
			return maxinfo.Description{Outcomes: d.information()}
		}, inputNames.information, nil},
		{"mutual-info", [][]string{{"bits", "nats"}}, nil, false, func(d *details) maxinfo.Step {
			return maxinfo.MutualInformation{Nats: d.information()}
		}, inputNames.information, nil},
		{"max-info", [][]string{{"bits", "nats"}}, []string{"slack", "data"}, false, func(d *details) maxinfo.Step {
			s := maxinfo.MaxInformation{Nats: d.information(), Slack: theory.Zero, Always: d.has("data") && detail(d, "data", laws) == maxinfo.AnyData}
			if d.has("slack") {
				s.Slack = detail(d, "slack", belowOne)
			}
			return s
		}, inputNames.information, nil},
	}
}

// deviations are the standard deviations that [maxinfo.GaussianTranscript] takes.
var deviations = kind[float64]{
	want: "a number in [1e-150, 1e150]",
	parse: func(s string) (float64, bool) {
		x, ok := positives.parse(s)
		return x, ok && x >= 1e-150 && x <= 1e150
	},
}

// laws are the names of --data.
var laws = kind[maxinfo.Data]{
	want: "product or any",
	parse: func(s string) (maxinfo.Data, bool) {
		for _, d := range []maxinfo.Data{maxinfo.ProductData, maxinfo.AnyData} {
			if d.String() == s {
				return d, true
			}
		}
		return 0, false
	},
}

// keys lists what a kind takes, in the order of its description.
func (k stepKind) keys() []string { return append(slices.Concat(k.needs...), k.optional...) }

// stepGrammar is the kinds with their keys, a line each.
func stepGrammar() string {
	placeholder := map[string]string{"epsilon": "E", "delta": "D", "mu": "M", "queries": "M", "noise-sd": "S", "outcomes": "N", "bits": "B", "nats": "I", "slack": "B", "data": "any"}
	var lines []string
	for _, k := range stepKinds() {
		var parts []string
		for _, group := range k.needs {
			var ways []string
			for _, key := range group {
				ways = append(ways, key+"="+placeholder[key])
			}
			parts = append(parts, strings.Join(ways, "|"))
		}
		line := "  " + k.name + ":" + strings.Join(parts, ",")
		for _, key := range k.optional {
			line += "[," + key + "=" + placeholder[key] + "]"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func kindNames(kinds []stepKind) []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// details is what was said about one step: the values by their keys.
type details struct {
	where string // what precedes a key in an error message
	dash  string // what precedes a key that the message names further on
	said  map[string]string
	err   error // the first value that makes no sense
}

func (d *details) has(key string) bool { _, ok := d.said[key]; return ok }

// detail reads a value. It is zero if the key was not given.
func detail[T any](d *details, key string, k kind[T]) T {
	var zero T
	raw, ok := d.said[key]
	if !ok {
		return zero
	}
	value, ok := k.parse(raw)
	if !ok {
		if d.err == nil {
			d.err = usagef("%s%s: got %s, want %s", d.where, key, shown(raw), k.wanted(raw))
		}
		return zero
	}
	return value
}

// information reads an amount of information. The nats of an amount in bits are not
// below it.
func (d *details) information() theory.Nats {
	if d.has("bits") {
		bits := detail(d, "bits", nonNegatives)
		nats := theory.Nats(bits * math.Ln2)
		if nats.Bits() < bits {
			nats = theory.Nats(math.Nextafter(float64(nats), math.Inf(1)))
		}
		return nats
	}
	return theory.Nats(detail(d, "nats", nonNegatives))
}

// step builds a step of this kind from its details.
func (k stepKind) step(d *details) (maxinfo.Step, error) {
	for _, group := range k.needs {
		got := slices.DeleteFunc(slices.Clone(group), func(key string) bool { return !d.has(key) })
		switch {
		case len(got) == 0 && len(group) == 1:
			return nil, usagef("%s%s: got nothing, want a value", d.where, group[0])
		case len(got) == 0:
			return nil, usagef("%s%s: got nothing, want it or %s", d.where, group[0], d.dash+group[1])
		case len(got) > 1:
			return nil, usagef("%s%s: given with %s, want one of the two", d.where, got[1], d.dash+got[0])
		}
	}
	step := k.build(d)
	return step, d.err
}

// parseStep reads KIND:key=value,key=value.
func parseStep(raw string) (maxinfo.Step, stepKind, error) {
	name, rest, _ := strings.Cut(raw, ":")
	kinds := stepKinds()
	i := slices.IndexFunc(kinds, func(k stepKind) bool { return k.name == name })
	if i < 0 {
		names := kindNames(kinds)
		hint := didYouMean(name, names)
		if hint == "" {
			hint = ", want " + orList(names)
		}
		return nil, stepKind{}, usagef("--step: unknown step %s%s", shown(name), hint)
	}
	k := kinds[i]
	d := &details{where: "--step " + name + ": ", said: make(map[string]string)}
	for item := range strings.SplitSeq(rest, ",") {
		if rest == "" {
			break
		}
		key, value, ok := strings.Cut(item, "=")
		switch {
		case !ok:
			return nil, k, usagef("%sgot %s, want key=value", d.where, shown(item))
		case !slices.Contains(k.keys(), key):
			hint := didYouMean(key, k.keys())
			if hint == "" {
				hint = ", want " + orList(k.keys())
			}
			return nil, k, usagef("%sunknown key %s%s", d.where, shown(key), hint)
		case d.has(key):
			return nil, k, usagef("%s%s: given twice", d.where, key)
		}
		d.said[key] = value
	}
	step, err := k.step(d)
	return step, k, err
}

// learned is a plan with its steps as they were typed.
type learned struct {
	maxinfo.Plan
	typed      []string
	neighbours convention // of the privacy that was typed, "" if none was
	converted  []string   // the steps by replacement, if they were typed otherwise
}

// add appends a step of a kind, by replacement.
func (l *learned) add(k stepKind, s maxinfo.Step, typed string, by convention) (err error) {
	if k.replaced != nil {
		l.neighbours = by
		if s, err = k.replaced(by, s); err != nil {
			return err
		}
	}
	l.Steps, l.typed = append(l.Steps, s), append(l.typed, typed)
	switch {
	case by != byAdding:
	case k.replaced != nil:
		l.converted = append(l.converted, s.String())
	default:
		l.converted = append(l.converted, typed)
	}
	return nil
}

// byReplacement are the steps as they may be typed by replacement.
func (l learned) byReplacement() []string {
	if l.converted != nil {
		return l.converted
	}
	return l.typed
}

// readLearned reads the flags that tell of a chain of steps.
func readLearned(c Values) (plan learned, err error) {
	typed := c.Texts("step")
	if len(typed) == 0 {
		return plan, usagef("--step: got nothing, want %s", orList(kindNames(stepKinds())))
	}
	by, err := readConvention(c)
	if err != nil {
		return plan, err
	}
	var private string
	for _, text := range typed {
		step, k, err := parseStep(text)
		if err != nil {
			return plan, err
		}
		if k.private && private == "" {
			private = k.name
		}
		if err := plan.add(k, step, text, by); err != nil {
			return plan, err
		}
	}
	return plan, readSample(c, &plan.Plan, private)
}

// readSample reads the flags that tell of the sample; needing names the step that
// cannot do without the number of records, if there is one.
func readSample(c Values, plan *maxinfo.Plan, needing string) error {
	n, ok, err := one(c, "samples", counts)
	if err != nil {
		return err
	}
	if !ok && needing != "" {
		return usagef("--samples: got nothing, want a value: %s needs it", needing)
	}
	plan.Samples, plan.Data = n, maxinfo.ProductData
	if d, ok, err := one(c, "data", laws); err != nil {
		return err
	} else if ok {
		plan.Data = d
	}
	return nil
}

// inputs repeats a plan in the envelope of JSON.
func (l learned) inputs() []input {
	data := cell{}
	if l.Samples != 0 {
		data = wordsCell(l.Data.String())
	}
	return []input{{"samples", countCell(l.Samples)}, {"data", data}, {"steps", listCell(l.typed)}, {neighboursKey, wordsCell(string(l.neighbours))}}
}

// String says what was learned, for a title.
func (l learned) String() string {
	text := strings.Join(l.typed, ", then ")
	if l.Samples != 0 {
		text += fmt.Sprintf(", on %d rows, %s data", l.Samples, l.Data)
	}
	if l.neighbours != "" {
		text += ", " + l.neighbours.String()
	}
	return text
}

// wrongOrder passes on an order of steps that has no theorem as a usage error.
func wrongOrder(err error) error {
	var order *maxinfo.OrderError
	if errors.As(err, &order) {
		return usagef("--step: %v", order)
	}
	return err
}

var maxinfoColumns = []string{"method", "bits", "slack", "ln_slack", "best", "proof", "status", "reason", "sources", "assumes", neighboursKey}

func runMaxinfo(c *Call) error {
	target, err := c.Target()
	if err != nil {
		return err
	}
	slack, hasSlack, err := one(c, "slack", belowOne)
	if err != nil {
		return err
	}
	if !hasSlack {
		slack = theory.Zero
	}
	if path, ok := c.Text("joint"); ok {
		for _, flag := range []string{"step", "samples", "data", neighboursKey} {
			if _, ok := c.Text(flag); ok {
				return usagef("--joint: given with --%s, want one of the two", flag)
			}
		}
		return exactInfo(c, target, path, slack, hasSlack)
	}
	plan, err := readLearned(c)
	if err != nil {
		return err
	}
	chain, err := plan.Chain()
	status, reason, err := rowStatus(wrongOrder(err))
	if err != nil {
		return err
	}
	if status != transfer.OK { // no method has a number for the whole
		chain.Methods = []maxinfo.Method{{Name: "", Needs: &theory.NotApplicableError{}}}
	}
	type bound struct {
		maxinfo.Method
		bits   float64
		status transfer.Status
		reason string
	}
	bounds := make([]bound, len(chain.Methods))
	best := -1
	for i, m := range chain.Methods {
		b := bound{Method: m, status: status, reason: reason}
		if status == transfer.OK {
			k, err := chain.MaxInformation(m, slack)
			if b.status, b.reason, err = rowStatus(err); err != nil {
				return fmt.Errorf("%s: %w", m.Name, err)
			}
			b.bits = k.Bits()
		}
		bounds[i] = b
		if b.status == transfer.OK && (best < 0 || b.bits < bounds[best].bits) {
			best = i
		}
	}
	r := result{command: "maxinfo", inputs: append(plan.inputs(), input{"slack", chanceCell(slack)}), columns: maxinfoColumns}
	var rows, short [][]cell
	var leftOut reasons
	for i, b := range bounds {
		bits := cell{}
		if b.status == transfer.OK {
			bits = exactly(b.bits)
		}
		rows = append(rows, []cell{
			wordsCell(b.Name), bits, chanceCell(slack), exactly(slack.Ln()), truthCell(i == best), wordsCell(string(b.Proof)),
			wordsCell(string(b.status)), wordsCell(b.reason), sourcesCell(plan.neighbours.sources(b.Sources)), listCell(b.Assumes), wordsCell(string(plan.neighbours)),
		})
		if leftOut.leavesOut(b.Name, b.status, b.reason) {
			continue
		}
		short = append(short, []cell{mark(i == best), wordsCell(b.Name), bits, wordsCell(string(b.Proof)), wordsCell(string(b.status)), wordsCell(b.reason)})
	}
	err = emit(c, target, r, rows, func() sheet {
		s := sheet{
			title:   []string{"Max-information at slack " + people(chanceCell(slack)) + ": " + plan.String()},
			columns: []string{"", "method", "bits", "proof", "status", "reason"},
			rows:    short,
		}
		if best >= 0 {
			s.notes = append([]string{"* " + bounds[best].Name + ", fewest bits: " + people(exactly(bounds[best].bits))}, assumed(bounds[best].Assumes)...)
		}
		s.notes = append(s.notes, leftOut.lines()...)
		return s
	})
	if err == nil && best < 0 {
		return outcome(exitNoAnswer)
	}
	return err
}

// mostJointBytes is how long a joint table may be: its cells are held in memory.
const mostJointBytes = 256 << 20

// exactInfo writes the exact values of a joint table.
func exactInfo(c *Call, t Target, path string, slack theory.LogProb, approximate bool) error {
	if path == "" {
		return invalid("joint", path, "a file name")
	}
	in, err := open(c.Session, path)
	if err != nil {
		return err
	}
	defer in.close()
	if extra, err := in.at.ReadAt(make([]byte, 1), mostJointBytes); extra > 0 {
		return usagef("%s: got more than %d MB, want a joint table of at most that, which is held in memory",
			in.name, mostJointBytes>>20)
	} else if err != nil && !errors.Is(err, io.EOF) {
		return in.blame(err)
	}
	joint, err := maxinfo.ReadJoint(in.reader())
	if err != nil {
		return in.blame(err)
	}
	r := result{command: "maxinfo", inputs: []input{{"joint", wordsCell(in.name)}, {"slack", chanceCell(slack)}}, columns: maxinfoColumns}
	var rows, short [][]cell
	add := func(method string, k theory.Nats, slack, lnSlack cell, sources ...theory.Source) {
		rows = append(rows, []cell{
			wordsCell(method), exactly(k.Bits()), slack, lnSlack, {}, wordsCell(string(theory.Published)), wordsCell(string(transfer.OK)), {},
			sourcesCell(sources), listCell(nil), {},
		})
		short = append(short, []cell{wordsCell(method), slack, exactly(k.Bits())})
	}
	wanted := []struct {
		method string
		slack  theory.LogProb
	}{{"max-info", theory.Zero}, {"approx-max-info", slack}}
	if !approximate {
		wanted = wanted[:1]
	}
	for _, w := range wanted {
		k, err := joint.MaxInformation(w.slack)
		if err != nil {
			return err
		}
		add(w.method, k, chanceCell(w.slack), exactly(w.slack.Ln()), theory.Source{Key: "dwork15generalization", Where: "max-information"})
	}
	add("mutual-info", joint.MutualInformation(), cell{}, cell{})
	return emit(c, t, r, rows, func() sheet {
		return sheet{title: []string{"Exact values of the joint law in " + in.name}, columns: []string{"method", "slack", "bits"}, rows: short}
	})
}

// mark is the cell before the best row.
func mark(best bool) cell {
	if best {
		return wordsCell("*")
	}
	return cell{}
}

// assumed is a note on what a bound rests on.
func assumed(hypotheses []string) []string {
	if len(hypotheses) == 0 {
		return nil
	}
	return []string{"Hypotheses: " + strings.Join(hypotheses, "; ")}
}

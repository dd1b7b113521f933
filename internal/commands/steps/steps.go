package steps

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/csvfile"
	"github.com/dpcalc/dpcalc/internal/numbers"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

func Command() *commands.Command {
	return &commands.Command{
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
		Flags: []usage.Flag{
			StepFlag,
			{Name: "samples", Alias: "n", Usage: "`N` rows; private steps need it"},
			DataFlag,
			commands.NeighboursFlag,
			{Name: "slack", Usage: "`B`, the probability of exceeding the bound (default 0)"},
			{Name: "joint", Usage: "the exact values of the joint law in `FILE`, in place of steps"},
		},
		Output: commands.Tables,
		Examples: [2]string{
			"dpcalc maxinfo --samples 10k --step pure-dp:epsilon=0.01",
			"dpcalc maxinfo --samples 10k --slack 1% --step pure-dp:epsilon=0.01 --step description:outcomes=100",
		},
		Run: runMaxinfo,
	}
}

// Flags of the commands that take steps.
var (
	StepFlag = usage.Flag{Name: "step", Usage: "one `STEP`, KIND:key=value,...; repeat the flag for each, in order of use", Repeats: true}
	DataFlag = usage.Flag{Name: "data", Usage: "`LAW` of the rows: product (default), which are independent, or any", Words: []string{"product", "any"}}
)

// Kind is a way of learning from the sample, with what it takes to say how much.
type Kind struct {
	Name     string
	Needs    [][]string // of each group, of one or two, one key
	Optional []string
	Private  bool // its bounds depend on the number of records
	build    func(d *Details) maxinfo.Step
	Formulas func(in InputNames) Formulas // its amounts in a workbook

	// Replaced converts it from another convention of neighbours; nil if it has none.
	Replaced func(by commands.Convention, s maxinfo.Step) (maxinfo.Step, error)
}

// Kinds lists the kinds in the order of their description. The literals name no
// fields, so that a new kind does not compile until it has all of them.
func Kinds() []Kind {
	return []Kind{
		{"pure-dp", [][]string{{"epsilon"}}, nil, true, func(d *Details) maxinfo.Step {
			return maxinfo.PureDP{Epsilon: detail(d, "epsilon", numbers.Positives)}
		}, func(in InputNames) Formulas {
			return Formulas{Epsilon: in["epsilon"], Later: "samples*" + in["epsilon"]}
		}, replacedPure},
		{"approx-dp", [][]string{{"epsilon"}, {"delta"}}, nil, true, func(d *Details) maxinfo.Step {
			return maxinfo.ApproxDP{Epsilon: detail(d, "epsilon", numbers.NonNegatives), LnDelta: detail(d, "delta", numbers.Probabilities)}
		}, func(in InputNames) Formulas { return Formulas{Epsilon: in["epsilon"]} }, replacedApprox},
		{"gdp", [][]string{{"mu"}}, nil, true, func(d *Details) maxinfo.Step {
			return maxinfo.GDP{Mu: detail(d, "mu", numbers.Positives)}
		}, func(in InputNames) Formulas {
			return Formulas{Shift: "(samples*" + in["mu"] + ")^2"}
		}, replacedGDP},
		{"gaussian", [][]string{{"queries"}, {"noise-sd"}}, nil, true, func(d *Details) maxinfo.Step {
			return maxinfo.Gaussian{Queries: detail(d, "queries", numbers.Counts), SD: detail(d, "noise-sd", Deviations)}
		}, func(in InputNames) Formulas {
			return Formulas{Shift: in["queries"] + "/" + in["noise-sd"] + "^2"}
		}, nil},
		{"description", [][]string{{"outcomes", "bits"}}, nil, false, func(d *Details) maxinfo.Step {
			if d.Has("outcomes") {
				return maxinfo.Description{Outcomes: theory.Nats(math.Log(float64(detail(d, "outcomes", numbers.Counts))))}
			}
			return maxinfo.Description{Outcomes: d.information()}
		}, InputNames.information, nil},
		{"mutual-info", [][]string{{"bits", "nats"}}, nil, false, func(d *Details) maxinfo.Step {
			return maxinfo.MutualInformation{Nats: d.information()}
		}, InputNames.information, nil},
		{"max-info", [][]string{{"bits", "nats"}}, []string{"slack", "data"}, false, func(d *Details) maxinfo.Step {
			s := maxinfo.MaxInformation{Nats: d.information(), Slack: theory.Zero, Always: d.Has("data") && detail(d, "data", laws) == maxinfo.AnyData}
			if d.Has("slack") {
				s.Slack = detail(d, "slack", numbers.BelowOne)
			}
			return s
		}, InputNames.information, nil},
	}
}

// Deviations are the standard deviations that [maxinfo.GaussianTranscript] takes.
var Deviations = numbers.Kind[float64]{
	Want: "a number in [1e-150, 1e150]",
	Parse: func(s string) (float64, bool) {
		x, ok := numbers.Positives.Parse(s)
		return x, ok && x >= 1e-150 && x <= 1e150
	},
}

// laws are the names of --data.
var laws = numbers.Kind[maxinfo.Data]{
	Want: "product or any",
	Parse: func(s string) (maxinfo.Data, bool) {
		for _, d := range []maxinfo.Data{maxinfo.ProductData, maxinfo.AnyData} {
			if d.String() == s {
				return d, true
			}
		}
		return 0, false
	},
}

// Keys lists what a kind takes, in the order of its description.
func (k Kind) Keys() []string { return append(slices.Concat(k.Needs...), k.Optional...) }

// stepGrammar is the kinds with their keys, a line each.
func stepGrammar() string {
	placeholder := map[string]string{"epsilon": "E", "delta": "D", "mu": "M", "queries": "M", "noise-sd": "S", "outcomes": "N", "bits": "B", "nats": "I", "slack": "B", "data": "any"}
	var lines []string
	for _, k := range Kinds() {
		var parts []string
		for _, group := range k.Needs {
			var ways []string
			for _, key := range group {
				ways = append(ways, key+"="+placeholder[key])
			}
			parts = append(parts, strings.Join(ways, "|"))
		}
		line := "  " + k.Name + ":" + strings.Join(parts, ",")
		for _, key := range k.Optional {
			line += "[," + key + "=" + placeholder[key] + "]"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func KindNames(kinds []Kind) []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.Name
	}
	return names
}

// Details is what was said about one step: the values by their keys.
type Details struct {
	Where string // what precedes a key in an error message
	Dash  string // what precedes a key that the message names further on
	Said  map[string]string
	err   error // the first value that makes no sense
}

func (d *Details) Has(key string) bool { _, ok := d.Said[key]; return ok }

// detail reads a value. It is zero if the key was not given.
func detail[T any](d *Details, key string, k numbers.Kind[T]) T {
	var zero T
	raw, ok := d.Said[key]
	if !ok {
		return zero
	}
	value, ok := k.Parse(raw)
	if !ok {
		if d.err == nil {
			d.err = usage.Errorf("%s%s: got %s, want %s", d.Where, key, usage.Shown(raw), k.Wanted(raw))
		}
		return zero
	}
	return value
}

// information reads an amount of information. The nats of an amount in bits are not
// below it.
func (d *Details) information() theory.Nats {
	if d.Has("bits") {
		bits := detail(d, "bits", numbers.NonNegatives)
		nats := theory.Nats(bits * math.Ln2)
		if nats.Bits() < bits {
			nats = theory.Nats(math.Nextafter(float64(nats), math.Inf(1)))
		}
		return nats
	}
	return theory.Nats(detail(d, "nats", numbers.NonNegatives))
}

// Step builds a step of this kind from its details.
func (k Kind) Step(d *Details) (maxinfo.Step, error) {
	for _, group := range k.Needs {
		got := slices.DeleteFunc(slices.Clone(group), func(key string) bool { return !d.Has(key) })
		switch {
		case len(got) == 0 && len(group) == 1:
			return nil, usage.Errorf("%s%s: got nothing, want a value", d.Where, group[0])
		case len(got) == 0:
			return nil, usage.Errorf("%s%s: got nothing, want it or %s", d.Where, group[0], d.Dash+group[1])
		case len(got) > 1:
			return nil, usage.Errorf("%s%s: given with %s, want one of the two", d.Where, got[1], d.Dash+got[0])
		}
	}
	step := k.build(d)
	return step, d.err
}

// ParseStep reads KIND:key=value,key=value.
func ParseStep(raw string) (maxinfo.Step, Kind, error) {
	name, rest, _ := strings.Cut(raw, ":")
	kinds := Kinds()
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		names := KindNames(kinds)
		hint := usage.DidYouMean(name, names)
		if hint == "" {
			hint = ", want " + usage.OrList(names)
		}
		return nil, Kind{}, usage.Errorf("--step: unknown step %s%s", usage.Shown(name), hint)
	}
	k := kinds[i]
	d := &Details{Where: "--step " + name + ": ", Said: make(map[string]string)}
	for item := range strings.SplitSeq(rest, ",") {
		if rest == "" {
			break
		}
		key, value, ok := strings.Cut(item, "=")
		switch {
		case !ok:
			return nil, k, usage.Errorf("%sgot %s, want key=value", d.Where, usage.Shown(item))
		case !slices.Contains(k.Keys(), key):
			hint := usage.DidYouMean(key, k.Keys())
			if hint == "" {
				hint = ", want " + usage.OrList(k.Keys())
			}
			return nil, k, usage.Errorf("%sunknown key %s%s", d.Where, usage.Shown(key), hint)
		case d.Has(key):
			return nil, k, usage.Errorf("%s%s: given twice", d.Where, key)
		}
		d.Said[key] = value
	}
	step, err := k.Step(d)
	return step, k, err
}

// Learned is a plan with its steps as they were typed.
type Learned struct {
	maxinfo.Plan
	Typed      []string
	Neighbours commands.Convention // of the privacy that was typed, "" if none was
	converted  []string            // the steps by replacement, if they were typed otherwise
}

// Add appends a step of a kind, by replacement.
func (l *Learned) Add(k Kind, s maxinfo.Step, typed string, by commands.Convention) (err error) {
	if k.Replaced != nil {
		l.Neighbours = by
		if s, err = k.Replaced(by, s); err != nil {
			return err
		}
	}
	l.Steps, l.Typed = append(l.Steps, s), append(l.Typed, typed)
	switch {
	case by != commands.ByAdding:
	case k.Replaced != nil:
		l.converted = append(l.converted, s.String())
	default:
		l.converted = append(l.converted, typed)
	}
	return nil
}

// ByReplacement are the steps as they may be typed by replacement.
func (l Learned) ByReplacement() []string {
	if l.converted != nil {
		return l.converted
	}
	return l.Typed
}

// Read reads the flags that tell of a chain of steps.
func Read(c usage.Values) (plan Learned, err error) {
	typed := c.Texts("step")
	if len(typed) == 0 {
		return plan, usage.Errorf("--step: got nothing, want %s", usage.OrList(KindNames(Kinds())))
	}
	by, err := commands.ReadConvention(c)
	if err != nil {
		return plan, err
	}
	var private string
	for _, text := range typed {
		step, k, err := ParseStep(text)
		if err != nil {
			return plan, err
		}
		if k.Private && private == "" {
			private = k.Name
		}
		if err := plan.Add(k, step, text, by); err != nil {
			return plan, err
		}
	}
	return plan, ReadSample(c, &plan.Plan, private)
}

// ReadSample reads the flags that tell of the sample; needing names the step that
// cannot do without the number of records, if there is one.
func ReadSample(c usage.Values, plan *maxinfo.Plan, needing string) error {
	n, ok, err := numbers.One(c, "samples", numbers.Counts)
	if err != nil {
		return err
	}
	if !ok && needing != "" {
		return usage.Errorf("--samples: got nothing, want a value: %s needs it", needing)
	}
	plan.Samples, plan.Data = n, maxinfo.ProductData
	if d, ok, err := numbers.One(c, "data", laws); err != nil {
		return err
	} else if ok {
		plan.Data = d
	}
	return nil
}

// Inputs repeats a plan in the envelope of JSON.
func (l Learned) Inputs() []record.Input {
	data := record.Cell{}
	if l.Samples != 0 {
		data = record.Words(l.Data.String())
	}
	return []record.Input{{Name: "samples", Value: record.Count(l.Samples)}, {Name: "data", Value: data}, {Name: "steps", Value: record.List(l.Typed)}, {Name: commands.NeighboursKey, Value: record.Words(string(l.Neighbours))}}
}

// String says what was learned, for a title.
func (l Learned) String() string {
	text := strings.Join(l.Typed, ", then ")
	if l.Samples != 0 {
		text += fmt.Sprintf(", on %d rows, %s data", l.Samples, l.Data)
	}
	if l.Neighbours != "" {
		text += ", " + l.Neighbours.String()
	}
	return text
}

// WrongOrder passes on an order of steps that has no theorem as a usage error.
func WrongOrder(err error) error {
	var order *maxinfo.OrderError
	if errors.As(err, &order) {
		return usage.Errorf("--step: %v", order)
	}
	return err
}

var maxinfoColumns = []string{"method", "bits", "slack", "ln_slack", "best", "proof", "status", "reason", "sources", "assumes", commands.NeighboursKey}

func runMaxinfo(c *commands.Call) error {
	target, err := c.Target()
	if err != nil {
		return err
	}
	slack, hasSlack, err := numbers.One(c, "slack", numbers.BelowOne)
	if err != nil {
		return err
	}
	if !hasSlack {
		slack = theory.Zero
	}
	if path, ok := c.Text("joint"); ok {
		for _, flag := range []string{"step", "samples", "data", commands.NeighboursKey} {
			if _, ok := c.Text(flag); ok {
				return usage.Errorf("--joint: given with --%s, want one of the two", flag)
			}
		}
		return exactInfo(c, target, path, slack, hasSlack)
	}
	plan, err := Read(c)
	if err != nil {
		return err
	}
	chain, err := plan.Chain()
	status, reason, err := commands.RowStatus(WrongOrder(err))
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
			if b.status, b.reason, err = commands.RowStatus(err); err != nil {
				return fmt.Errorf("%s: %w", m.Name, err)
			}
			b.bits = k.Bits()
		}
		bounds[i] = b
		if b.status == transfer.OK && (best < 0 || b.bits < bounds[best].bits) {
			best = i
		}
	}
	r := record.Result{Command: "maxinfo", Inputs: append(plan.Inputs(), record.Input{Name: "slack", Value: record.Chance(slack)}), Columns: maxinfoColumns}
	var rows, short [][]record.Cell
	var leftOut commands.Reasons
	for i, b := range bounds {
		bits := record.Cell{}
		if b.status == transfer.OK {
			bits = record.Exactly(b.bits)
		}
		rows = append(rows, []record.Cell{
			record.Words(b.Name), bits, record.Chance(slack), record.Exactly(slack.Ln()), record.Truth(i == best), record.Words(string(b.Proof)),
			record.Words(string(b.status)), record.Words(b.reason), record.Sources(plan.Neighbours.Sources(b.Sources)), record.List(b.Assumes), record.Words(string(plan.Neighbours)),
		})
		if leftOut.LeavesOut(b.Name, b.status, b.reason) {
			continue
		}
		short = append(short, []record.Cell{record.Mark(i == best), record.Words(b.Name), bits, record.Words(string(b.Proof)), record.Words(string(b.status)), record.Words(b.reason)})
	}
	err = commands.Emit(c, target, r, rows, func() record.Sheet {
		s := record.Sheet{
			Title:   []string{"Max-information at slack " + record.People(record.Chance(slack)) + ": " + plan.String()},
			Columns: []string{"", "method", "bits", "proof", "status", "reason"},
			Rows:    short,
		}
		if best >= 0 {
			s.Notes = append([]string{"* " + bounds[best].Name + ", fewest bits: " + record.People(record.Exactly(bounds[best].bits))}, commands.Assumed(bounds[best].Assumes)...)
		}
		s.Notes = append(s.Notes, leftOut.Lines()...)
		return s
	})
	if err == nil && best < 0 {
		return usage.Outcome(usage.ExitNoAnswer)
	}
	return err
}

// mostJointBytes is how long a joint table may be: its cells are held in memory.
const mostJointBytes = 256 << 20

// exactInfo writes the exact values of a joint table.
func exactInfo(c *commands.Call, t commands.Target, path string, slack theory.LogProb, approximate bool) error {
	if path == "" {
		return usage.Invalid("joint", path, "a file name")
	}
	in, err := csvfile.Open(c.Session, path)
	if err != nil {
		return err
	}
	defer in.Close()
	if extra, err := in.At.ReadAt(make([]byte, 1), mostJointBytes); extra > 0 {
		return usage.Errorf("%s: got more than %d MB, want a joint table of at most that, which is held in memory",
			in.Name, mostJointBytes>>20)
	} else if err != nil && !errors.Is(err, io.EOF) {
		return in.Blame(err)
	}
	joint, err := maxinfo.ReadJoint(in.Reader())
	if err != nil {
		return in.Blame(err)
	}
	r := record.Result{Command: "maxinfo", Inputs: []record.Input{{Name: "joint", Value: record.Words(in.Name)}, {Name: "slack", Value: record.Chance(slack)}}, Columns: maxinfoColumns}
	var rows, short [][]record.Cell
	add := func(method string, k theory.Nats, slack, lnSlack record.Cell, sources ...theory.Source) {
		rows = append(rows, []record.Cell{
			record.Words(method), record.Exactly(k.Bits()), slack, lnSlack, {}, record.Words(string(theory.Published)), record.Words(string(transfer.OK)), {},
			record.Sources(sources), record.List(nil), {},
		})
		short = append(short, []record.Cell{record.Words(method), slack, record.Exactly(k.Bits())})
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
		add(w.method, k, record.Chance(w.slack), record.Exactly(w.slack.Ln()), theory.Source{Key: "dwork15generalization", Where: "max-information"})
	}
	add("mutual-info", joint.MutualInformation(), record.Cell{}, record.Cell{})
	return commands.Emit(c, t, r, rows, func() record.Sheet {
		return record.Sheet{Title: []string{"Exact values of the joint law in " + in.Name}, Columns: []string{"method", "slack", "bits"}, Rows: short}
	})
}

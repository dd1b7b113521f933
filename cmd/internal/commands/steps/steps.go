// Package steps has what an analyst learned from the sample, step by step, as it is typed, and the
// command maxinfo, which says how much that reveals.
package steps

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// Flags of the commands that take steps.
var (
	StepFlag = usage.Flag{Name: "step",
		Usage: "one `STEP` as KIND:key=value,...; repeat the flag for each step, in order of use", Repeats: true}
	DataFlag = usage.Flag{Name: "data",
		Usage: "rows follow a `LAW`: product (default; rows are independent and need not be alike) or any",
		Words: []string{"product", "any"}}
)

// Kind is a way of learning from the sample, with what it takes to say how much.
type Kind struct {
	Name     string
	Needs    [][]string // of each group, of one or two, one key
	Optional []string
	Private  bool // its bounds depend on the number of records
	build    func(d *Details) maxinfo.Step

	// Replaced converts it from another convention of neighbours; nil if it has none.
	Replaced func(by commands.Convention, s maxinfo.Step) (maxinfo.Step, error)
}

// Kinds lists the kinds in the order of their description. The literals name no
// fields, so that a new kind does not compile until it has all of them.
func Kinds() []Kind {
	return []Kind{
		{"pure-dp", [][]string{{"epsilon"}}, nil, true, func(d *Details) maxinfo.Step {
			return maxinfo.PureDP{Epsilon: detail(d, "epsilon", numbers.Positives)}
		}, replacedPure},
		{"approx-dp", [][]string{{"epsilon"}, {"delta"}}, nil, true, func(d *Details) maxinfo.Step {
			return maxinfo.ApproxDP{Epsilon: detail(d, "epsilon", numbers.NonNegatives),
				LnDelta: detail(d, "delta", numbers.Probabilities)}
		}, replacedApprox},
		{"gdp", [][]string{{"mu"}}, nil, true, func(d *Details) maxinfo.Step {
			return maxinfo.GDP{Mu: detail(d, "mu", numbers.Positives)}
		}, replacedGDP},
		{"zcdp", [][]string{{"rho"}}, nil, true, func(d *Details) maxinfo.Step {
			return maxinfo.ZCDP{Rho: detail(d, "rho", numbers.Positives)}
		}, replacedRenyi},
		{"rdp", [][]string{{"order"}, {"epsilon"}}, nil, true, func(d *Details) maxinfo.Step {
			return maxinfo.RDP{Points: d.points()}
		}, replacedRenyi},
		{"gaussian", [][]string{{"queries"}, {"noise-sd"}}, nil, true, func(d *Details) maxinfo.Step {
			return maxinfo.Gaussian{Queries: detail(d, "queries", numbers.Counts), SD: detail(d, "noise-sd", deviations)}
		}, nil},
		{"description", [][]string{{"outcomes", "bits"}}, nil, false, func(d *Details) maxinfo.Step {
			if d.Has("outcomes") {
				return maxinfo.OneOfNats(detail(d, "outcomes", Outcomes))
			}
			return maxinfo.OneOfNats(d.information())
		}, nil},
		{"gates", [][]string{{"looks"}}, []string{"passes"}, false, func(d *Details) maxinfo.Step {
			s := maxinfo.Gates{Looks: detail(d, "looks", numbers.Counts)}
			if s.Passes = s.Looks; d.Has("passes") {
				s.Passes = detail(d, "passes", numbers.Counts)
			}
			return s
		}, nil},
		{"mutual-info", [][]string{{"bits", "nats"}}, nil, false, func(d *Details) maxinfo.Step {
			return maxinfo.MutualInformation{Nats: d.information()}
		}, nil},
		{"max-info", [][]string{{"bits", "nats"}}, []string{"slack", "data"}, false, func(d *Details) maxinfo.Step {
			s := maxinfo.MaxInformation{Nats: d.information(), Slack: theory.Zero, Always: d.Has("data") &&
				detail(d, "data", laws) == maxinfo.AnyData}
			if d.Has("slack") {
				s.Slack = detail(d, "slack", numbers.BelowOne)
			}
			return s
		}, nil},
	}
}

// keys are the numbers of steps, each as the flag of a command that takes one step.
var keys = []usage.Flag{
	{Name: "epsilon", Usage: "the privacy `E` of all that was seen, for pure-dp and approx-dp"},
	{Name: "delta", Usage: "the delta `D` of all that was seen"},
	{Name: "mu", Usage: "the Gaussian differential privacy `M` of all that was seen"},
	{Name: "rho", Usage: "the zero-concentrated differential privacy `R` of all that was seen"},
	{Name: "order", Usage: "order `A` of its Renyi divergence"},
	{Name: "queries", Alias: "m", Usage: "`M` linear queries with values in [0,1] were answered with Gaussian noise"},
	{Name: "noise-sd", Usage: "the standard deviation `S` of the noise"},
	{Name: "outcomes", Usage: "`N` answers were possible, or one of `N` tests was selected; 2^80 is fine"},
	{Name: "looks", Usage: "`M` tests stand behind a gate that shows only whether they reject"},
	{Name: "passes", Usage: "the gate, or the series, ends for good at rejection `K` (default: never)"},
	{Name: "bits", Usage: "the description, mutual information or max-information has `B` bits"},
	{Name: "nats", Usage: "the mutual information or max-information has `I` nats, in place of --bits"},
	{Name: "slack", Usage: "the slack `B` of the max-information (default 0)"},
	{Name: "data", Usage: "`any`, if it holds for every law of the data"},
}

// NumberFlags are the flags for the numbers of all kinds whose steps have one number of each sort.
func NumberFlags() (flags []usage.Flag) {
	for _, f := range keys {
		taken := slices.ContainsFunc(Kinds(), func(k Kind) bool {
			return !k.HasSeveral() && slices.Contains(k.Keys(), f.Name)
		})
		if taken && f.Name != DataFlag.Name {
			flags = append(flags, f)
		}
	}
	return flags
}

// placeholder stands for a key's value.
func placeholder(key string) string {
	return keys[slices.IndexFunc(keys, func(f usage.Flag) bool { return f.Name == key })].Placeholder()
}

// deviations are the standard deviations that [maxinfo.GaussianTranscript] takes.
var deviations = numbers.Kind[float64]{
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
		all := []maxinfo.Data{maxinfo.ProductData, maxinfo.AnyData}
		return each.First(all, func(d maxinfo.Data) bool { return d.String() == s })
	},
}

// HasSeveral reports whether a step of this kind is several points, which no flag has.
func (k Kind) HasSeveral() bool { return k.Name == curve }

// Keys lists what a kind takes, in the order of its description.
func (k Kind) Keys() []string { return append(slices.Concat(k.Needs...), k.Optional...) }

// stepGrammar is the kinds with their keys, a line each.
func stepGrammar() string {
	var lines []string
	for _, k := range Kinds() {
		var parts []string
		for _, group := range k.Needs {
			ways := each.Of(group, func(key string) string { return key + "=" + placeholder(key) })
			parts = append(parts, strings.Join(ways, "|"))
		}
		line := "  " + k.Name + ":" + strings.Join(parts, ",")
		for _, key := range k.Optional {
			line += "[," + key + "=" + placeholder(key) + "]"
		}
		if k.Name == curve {
			line += ";..."
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// KindNames lists the names of kinds.
func KindNames(kinds []Kind) []string {
	return each.Of(kinds, func(k Kind) string { return k.Name })
}

// Details is what was said about one step: the values by their keys.
type Details struct {
	Where string // what precedes a key in an error message
	Dash  string // what precedes a key that the message names further on
	Said  map[string]string
	err   error // the first value that makes no sense
}

// Has reports whether a key was given.
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
			return nil, usage.Errorf("%s%s: got nothing, want a value, or %s", d.Where, group[0], d.Dash+group[1])
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
	k, ok := each.First(kinds, func(k Kind) bool { return k.Name == name })
	if !ok {
		names := KindNames(kinds)
		hint := usage.DidYouMean(name, names)
		if hint == "" {
			hint = ", want " + usage.OrList(names)
		}
		return nil, Kind{}, usage.Errorf("--step: unknown step %s%s", usage.Shown(name), hint)
	}
	d := &Details{Where: "--step " + name + ": ", Said: make(map[string]string)}
	parts := []string{rest}
	if name == curve {
		parts = strings.Split(rest, ";")
	}
	for _, part := range parts {
		if err := d.read(k, part); err != nil {
			return nil, k, err
		}
	}
	step, err := k.Step(d)
	return step, k, err
}

// curve is the kind of step that has several values of each key: points of a curve, which are
// separated by semicolons.
const curve = "rdp"

// read reads key=value,key=value.
func (d *Details) read(k Kind, text string) error {
	seen := make(map[string]bool)
	for item := range strings.SplitSeq(text, ",") {
		if text == "" {
			break
		}
		key, value, ok := strings.Cut(item, "=")
		switch {
		case !ok:
			return usage.Errorf("%sgot %s, want key=value", d.Where, usage.Shown(item))
		case !slices.Contains(k.Keys(), key):
			hint := usage.DidYouMean(key, k.Keys())
			if hint == "" {
				hint = ", want " + usage.OrList(k.Keys())
			}
			return usage.Errorf("%sunknown key %s%s", d.Where, usage.Shown(key), hint)
		case seen[key]:
			return usage.Errorf("%s%s: given twice", d.Where, key)
		}
		if seen[key] = true; d.Has(key) {
			value = d.Said[key] + ";" + value
		}
		d.Said[key] = value
	}
	return nil
}

// points reads the points of a curve.
func (d *Details) points() []theory.RenyiPoint {
	orders, epsilons := strings.Split(d.Said["order"], ";"), strings.Split(d.Said["epsilon"], ";")
	if len(orders) != len(epsilons) {
		d.err = usage.Errorf("%sgot %d orders and %d epsilons, want order=A,epsilon=E for each point", d.Where,
			len(orders), len(epsilons))
		return nil
	}
	points := make([]theory.RenyiPoint, len(orders))
	for i := range points {
		one := &Details{Where: d.Where, Said: map[string]string{"order": orders[i], "epsilon": epsilons[i]}}
		points[i] = theory.RenyiPoint{
			Order: detail(one, "order", aboveOne), Epsilon: detail(one, "epsilon", numbers.NonNegatives),
		}
		if d.err == nil {
			d.err = one.err
		}
	}
	return points
}

// aboveOne are the orders of a Renyi divergence.
var aboveOne = numbers.Kind[float64]{
	Want: "a number above 1",
	Parse: func(s string) (float64, bool) {
		x, ok := numbers.Positives.Parse(s)
		return x, ok && x > 1
	},
}

// Outcomes are numbers of possible answers, by their logarithms: 2^32 and more are fine.
var Outcomes = numbers.Kind[theory.Nats]{
	Want: numbers.Counts.Want + ", or a power such as 2^80",
	Parse: func(s string) (theory.Nats, bool) {
		base, exponent, power := strings.Cut(s, "^")
		n, ok := numbers.Counts.Parse(base)
		if !power || !ok {
			return theory.Nats(num.Log(float64(n))), ok
		}
		k, ok := numbers.Counts.Parse(exponent)
		return theory.Nats(math.Nextafter(num.Log(float64(n))*float64(k), math.Inf(1))), ok
	},
}

// TypedPlan is a plan with its steps as they were typed.
type TypedPlan struct {
	maxinfo.Plan
	Typed      []string
	Neighbours commands.Convention // of the privacy that was typed, "" if none was
}

// Add appends a step of a kind, by replacement.
func (l *TypedPlan) Add(k Kind, s maxinfo.Step, typed string, by commands.Convention) (err error) {
	if k.Replaced != nil {
		l.Neighbours = by
		if s, err = k.Replaced(by, s); err != nil {
			return err
		}
	}
	l.Steps, l.Typed = append(l.Steps, s), append(l.Typed, typed)
	return nil
}

// Read reads the flags that tell of a chain of steps.
func Read(c usage.Values) (plan TypedPlan, err error) {
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
func ReadSample(c usage.Values, plan *maxinfo.Plan, needing string) (err error) {
	plan.Data = maxinfo.ProductData
	if given := numbers.Read(c, &err, "samples", numbers.Counts, &plan.Samples); err == nil && !given && needing != "" {
		return usage.Errorf("--samples: got nothing, want a value: %s needs it", needing)
	}
	numbers.Read(c, &err, "data", laws, &plan.Data)
	return err
}

// Inputs repeats a plan in the envelope of JSON.
func (l TypedPlan) Inputs() []record.Input {
	data := record.Cell{}
	if l.Samples != 0 {
		data = record.Words(l.Data.String())
	}
	return []record.Input{{Name: "samples", Value: record.Count(l.Samples)}, {Name: "data", Value: data},
		{Name: "steps", Value: record.List(l.Typed)},
		{Name: commands.NeighboursKey, Value: record.Words(string(l.Neighbours))}}
}

// String says what was learned, for a title.
func (l TypedPlan) String() string {
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

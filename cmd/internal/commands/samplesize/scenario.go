package samplesize

import (
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/transfer"
)

// Scenario reads the one goal of a scenario of a plan file, and the methods that it leaves: the one that it names, or
// those with proofs as it wants them. A scenario that says nothing of its samples has so many. Without a name the file
// has one scenario.
func Scenario(c *commands.Call, path, name string, samples int64) (goal transfer.Goal, methods []string, err error) {
	call := *c
	call.Command = PlanFile()
	scenarios, err := readScenarios(&call, path, func(v usage.Values) usage.Values { return sampled{v, samples} })
	if err != nil {
		return goal, nil, err
	}
	var names []string
	for _, s := range scenarios {
		if names = append(names, s.name); s.name != name && (name != "" || len(scenarios) > 1) {
			continue
		}
		if s.request.goals != 1 {
			return goal, nil, usage.Errorf("%s: scenario %s: got %d goals, want one", path, usage.Shown(s.name), s.request.goals)
		}
		if s.request.asked && len(s.request.methods) > 1 {
			return goal, nil, usage.Errorf("%s: scenario %s: got %d methods, want one", path, usage.Shown(s.name),
				len(s.request.methods))
		}
		for _, m := range s.request.methods {
			methods = append(methods, m.Name)
		}
		return s.request.grid.Goal(0), methods, nil
	}
	if name == "" {
		return goal, nil, usage.Errorf("--scenario: got nothing, want one of %s", strings.Join(names, ", "))
	}
	return goal, nil, usage.Errorf("--scenario: got %s, want one of %s%s", usage.Shown(name), strings.Join(names, ", "),
		usage.DidYouMean(name, names))
}

// sampled are the values of a scenario with a number of samples, unless it has its own.
type sampled struct {
	usage.Values
	samples int64
}

func (s sampled) Text(flag string) (string, bool) {
	text, given := s.Values.Text(flag)
	if flag == "samples" && !given {
		return strconv.FormatInt(s.samples, 10), true
	}
	return text, given
}

package samplesize

import (
	"strings"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/transfer"
)

// Scenario reads the one goal of a scenario of a plan file, and the method if it names one. Without a name the
// file has one scenario.
func Scenario(c *commands.Call, path, name string) (goal transfer.Goal, method string, err error) {
	call := *c
	call.Command = PlanFile()
	scenarios, err := readPlanFile(&call, path)
	if err != nil {
		return goal, "", err
	}
	var names []string
	for _, s := range scenarios {
		if names = append(names, s.name); s.name != name && (name != "" || len(scenarios) > 1) {
			continue
		}
		if s.request.goals != 1 {
			return goal, "", usage.Errorf("%s: scenario %s: got %d goals, want one", path, usage.Shown(s.name), s.request.goals)
		}
		if s.request.asked && len(s.request.methods) > 1 {
			return goal, "", usage.Errorf("%s: scenario %s: got %d methods, want one", path, usage.Shown(s.name),
				len(s.request.methods))
		}
		if s.request.asked {
			method = s.request.methods[0].Name
		}
		return s.request.grid.Goal(0), method, nil
	}
	if name == "" {
		return goal, "", usage.Errorf("--scenario: got nothing, want one of %s", strings.Join(names, ", "))
	}
	return goal, "", usage.Errorf("--scenario: got %s, want one of %s%s", usage.Shown(name), strings.Join(names, ", "),
		usage.DidYouMean(name, names))
}

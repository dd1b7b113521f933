package samplesize

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/transfer"
)

// Scenario reads the one goal of a scenario of a plan file, and the methods that it leaves: the one that it names, or
// those with proofs as it wants them. A scenario that says nothing of its samples is read with so many, and its goal
// has none. Without a name the file has one scenario.
func Scenario(c *commands.Call, path, name string, samples int64) (goal transfer.Goal, methods []string, err error) {
	scenarios, err := readPlanFile(c, path, samples)
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
		for _, m := range s.request.methods { // what a ledger knows of variance it uses
			if m, _ := transfer.Lookup(m.Name); s.request.wantsProof(m, s.request.grid.Goal(0)) {
				methods = append(methods, m.Name)
			}
		}
		if methods == nil {
			return goal, nil, usage.Errorf("%s: scenario %s: %v", path, usage.Shown(s.name), s.request.noneProven())
		}
		if err := s.values.placed(c); err != nil {
			return goal, nil, usage.Errorf("%s: scenario %s: %v", path, usage.Shown(s.name), err)
		}
		if goal = s.request.grid.Goal(0); s.values.isLent() {
			goal.Samples = 0
		}
		return goal, methods, nil
	}
	if name == "" {
		return goal, nil, usage.Errorf("--scenario: got nothing, want one of %s", strings.Join(names, ", "))
	}
	return goal, nil, usage.Errorf("--scenario: got %s, want one of %s%s", usage.Shown(name), strings.Join(names, ", "),
		usage.DidYouMean(name, names))
}

// sampled are the values of a scenario with a number of samples, unless that is 0 or it has its own.
type sampled struct {
	usage.Values
	samples int64
}

func (s sampled) Text(flag string) (string, bool) {
	if flag == "samples" && s.isLent() {
		return strconv.FormatInt(s.samples, 10), true
	}
	return s.Values.Text(flag)
}

// isLent reports whether the number of samples is not the scenario's own.
func (s sampled) isLent() bool {
	if s.samples == 0 {
		return false
	}
	for _, flag := range []string{"samples", goals.ClustersFlag.Name, goals.ClassesFlag.Name, goals.ArriveFlag.Name} {
		if _, own := s.Values.Text(flag); own {
			return false
		}
	}
	return true
}

// placed refuses clusters, benchmarks and classes of which the command line does not say where they are.
func (s sampled) placed(line usage.Values) error {
	for _, of := range []struct{ key, flag, says string }{
		{goals.ClustersFlag.Name, "group", "it with --group COLUMN, which says which rows are a cluster"},
		{goals.PopulationFlag, "population", "it with --population FILE, which has the items"},
		{goals.ClassesFlag.Name, "metrics", "it with --metrics auc --positive TEXT, which say which rows are positive"},
	} {
		_, given := line.Text(of.flag)
		if text, own := s.Values.Text(of.key); own && !given {
			return fmt.Errorf("%s: got %s, want %s", of.key, usage.Shown(text), of.says)
		}
	}
	return nil
}

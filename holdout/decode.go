package holdout

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/transfer"
)

// decodePlan reads plan.json, and checks its seal and its fields.
func decodePlan(text []byte) (*Plan, error) {
	written, err := form.ReadPlan(text)
	if err != nil {
		return nil, err
	}
	p := &Plan{Plan: *written, sealed: slices.Clone(text)}
	if err := design.Check(&p.Plan); err != nil {
		return nil, corrupt("plan.json: %v", err)
	}
	open := p.IsOpen()
	fits := open == (p.Schema == form.OpenSchema)
	if p.Schema == form.ColumnSchema {
		fits = p.HasColumns()
	}
	if !fits {
		return nil, corrupt("plan.json: got the schema %s, which does not go with its law", shown(p.Schema))
	}
	if !open {
		if p.goal, err = goalOf(p.Promise, p.design().Sample(p.design().Sizes())); err == nil {
			p.goal.Arrival, p.goal.Open = p.stages(), p.Method == openMethod
			err = p.goal.Validate()
		}
		if err == nil {
			err = p.decidedAs()
		}
		if err == nil && p.Arrival != nil {
			err = arrives(p.goal, p.Arrival.Rows, p.goal.Sample == nil && p.Group == nil)
		}
	} else if p.Promise.Samples < 1 {
		err = errors.New("got no rows")
	} else if p.Arrival != nil {
		err = errors.New("got rows that arrive in an open ledger, which has no rows of a plan")
	} else {
		p.goal = transfer.Goal{Samples: p.Promise.Samples, Beta: p.Promise.Beta}
		err = checkLaw(p.Open, p.Promise.Beta)
	}
	missing := p.Missing == "" || p.Missing == MissingLow
	if !missing || p.Readings < 0 || p.Readings > Readings {
		return nil, fmt.Errorf("plan.json: got the readings %d and %s for missing values, want readings up to %d, which this version knows",
			p.Readings, shown(p.Missing), Readings)
	}
	p.Match = cmp.Or(p.Match, Exact)
	if !slices.Contains(append(Matches(), form.Composed), p.Match) {
		err = cmp.Or(err, fmt.Errorf("got the match %s, want %s", shown(string(p.Match)), ways()))
	}
	if p.Rule = ruleOf(p); err == nil && p.Rule == nil {
		err = fmt.Errorf("got the method %s, want one of %s", shown(p.Method), strings.Join(Methods(), ", "))
	}
	if err != nil {
		return nil, corrupt("plan.json: %v", err)
	}
	return p, nil
}

// ruleOf finds the rule of a plan, nil for a method that no ledger runs.
func ruleOf(p *Plan) Rule {
	switch {
	case p.IsOpen():
		return openRule{}
	case p.Promise.Test != "":
		return testRule{}
	}
	if practice := practiceOf(p.Method); practice != nil {
		return fixedRule{practice}
	}
	return nil
}

package plans

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/fixed"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/open"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/holdout/terms"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/transfer"
)

// Decode reads plan.json, and checks its seal and its fields.
func Decode(written []byte) (*rule.Plan, error) {
	read, err := form.ReadPlan(written)
	if err != nil {
		return nil, err
	}
	p := &rule.Plan{Plan: *read, Sealed: slices.Clone(written)}
	if err := design.Check(&p.Plan); err != nil {
		return nil, journal.Corrupt("plan.json: %v", err)
	}
	isOpen := p.IsOpen()
	fits := isOpen == (p.Schema == form.OpenSchema)
	if p.Schema == form.ColumnSchema {
		fits = p.HasColumns()
	}
	if !fits {
		return nil, journal.Corrupt("plan.json: got the schema %s, which does not go with its law", text.Shown(p.Schema))
	}
	if !isOpen {
		if p.Goal, err = rule.GoalOf(p.Promise, p.Design().Sample(p.Design().Sizes())); err == nil {
			p.Goal.Arrival, p.Goal.Open = p.Stages(), p.Method == fixed.OpenMethod
			err = p.Goal.Validate()
		}
		if err == nil {
			err = p.DecidedAs()
		}
		if err == nil && p.Arrival != nil {
			err = rule.Arrives(p.Goal, p.Arrival.Rows, p.Goal.Sample == nil && p.Group == nil)
		}
	} else if p.Promise.Samples < 1 {
		err = errors.New("got no rows")
	} else if p.Arrival != nil {
		err = errors.New("got rows that arrive in an open ledger, which has no rows of a plan")
	} else {
		p.Goal = transfer.Goal{Samples: p.Promise.Samples, Beta: p.Promise.Beta}
		err = open.CheckLaw(p.Open, p.Promise.Beta)
	}
	missing := p.Missing == "" || p.Missing == form.MissingLow
	if !missing || p.Readings < 0 || p.Readings > form.Readings {
		return nil, fmt.Errorf("plan.json: got the readings %d and %s for missing values, want readings up to %d, which this version knows",
			p.Readings, text.Shown(p.Missing), form.Readings)
	}
	p.Match = cmp.Or(p.Match, form.Exact)
	if !slices.Contains(append(form.Matches(), form.Composed), p.Match) {
		err = cmp.Or(err, fmt.Errorf("got the match %s, want %s", text.Shown(string(p.Match)), terms.Ways()))
	}
	if p.Rule = ruleOf(p); err == nil && p.Rule == nil {
		err = fmt.Errorf("got the method %s, want one of %s", text.Shown(p.Method), strings.Join(fixed.Methods(), ", "))
	}
	if err != nil {
		return nil, journal.Corrupt("plan.json: %v", err)
	}
	return p, nil
}

// ruleOf finds the rule of a plan, nil for a method that no ledger runs.
func ruleOf(p *rule.Plan) rule.Rule {
	if p.IsOpen() {
		return open.Rule{}
	}
	return fixed.Of(p)
}

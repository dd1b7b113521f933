package privacy

import (
	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/numbers"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

func Transfer() *commands.Command {
	return &commands.Command{
		Name:    "transfer",
		Summary: "population accuracy of a private mechanism that is accurate on the sample",
		Description: "Every transfer theorem's conclusion from P[error on the sample >= alpha] <= beta and\n" +
			"(epsilon, delta)-differential privacy of the whole transcript.",
		Flags: []usage.Flag{
			{Name: "alpha", Usage: "`A`, the accuracy on the sample"},
			{Name: "beta", Usage: "`B`, the failure probability of alpha; 0 is allowed"},
			{Name: "epsilon", Usage: "`E`, the privacy of the transcript"},
			{Name: "delta", Usage: "`D`, its delta; 0 is allowed and the default"},
			commands.NeighboursFlag,
			{Name: "target-beta", Usage: "`B2`, the failure probability of the conclusion"},
			{Name: "samples", Alias: "n", Usage: "`N` rows; some theorems need it"},
			{Name: "query", Usage: "`KIND` of query: bounded (default), binary, sensitive or minimization", Words: commands.QueryKinds},
			{Name: "sensitivity", Usage: "one row moves a sensitive query or a loss by at most `D`/n (default 1); needs --samples"},
		},
		Output: commands.Tables,
		Examples: [2]string{
			"dpcalc transfer --alpha 0.01 --beta 0 --epsilon 0.05 --target-beta 0.05",
			"dpcalc transfer --alpha 0.01 --beta 1e-6 --epsilon 0.05 --delta 1e-9 --target-beta 0.05 -f csv",
		},
		Run: runTransfer,
	}
}

func runTransfer(c *commands.Call) error {
	target, err := c.Target()
	if err != nil {
		return err
	}
	s := transfer.Sampled{LnDelta: theory.Zero}
	var class transfer.Class
	var goal theory.LogProb
	var okAlpha, okBeta, okEpsilon, okTarget, okSensitivity bool
	if s.Alpha, okAlpha, err = numbers.One(c, "alpha", numbers.NonNegatives); err != nil {
		return err
	}
	if s.Beta, okBeta, err = numbers.One(c, "beta", numbers.BelowOne); err != nil {
		return err
	}
	if s.Epsilon, okEpsilon, err = numbers.One(c, "epsilon", numbers.NonNegatives); err != nil {
		return err
	}
	if delta, ok, err := numbers.One(c, "delta", numbers.BelowOne); err != nil {
		return err
	} else if ok {
		s.LnDelta = delta
	}
	if goal, okTarget, err = numbers.One(c, "target-beta", numbers.Probabilities); err != nil {
		return err
	}
	if class.Samples, _, err = numbers.One(c, "samples", numbers.Counts); err != nil {
		return err
	}
	if class.Sensitivity, okSensitivity, err = numbers.One(c, "sensitivity", numbers.Positives); err != nil {
		return err
	}
	by, err := commands.ReadConvention(c)
	if err != nil {
		return err
	}
	query, err := usage.OneOf(c, "query", commands.QueryKinds...)
	if err != nil {
		return err
	}
	if okSensitivity && query == "bounded" {
		if _, ok := c.Text("query"); !ok {
			query = "sensitive" // a sensitivity says what the queries are
		}
	}
	if class.Query, err = transfer.ParseQuery(query); err != nil {
		return err
	}
	for _, need := range []struct {
		flag string
		ok   bool
	}{{"alpha", okAlpha}, {"beta", okBeta}, {"epsilon", okEpsilon}, {"target-beta", okTarget}, {"samples", !okSensitivity || class.Samples != 0}} {
		if !need.ok {
			return usage.Errorf("--%s: got nothing, want a value", need.flag)
		}
	}

	r := record.Result{
		Command: "transfer",
		Inputs: []record.Input{
			{Name: "alpha", Value: record.Exactly(s.Alpha)}, {Name: "beta", Value: record.Chance(s.Beta)}, {Name: "epsilon", Value: record.Exactly(s.Epsilon)}, {Name: "delta", Value: record.Chance(s.LnDelta)},
			{Name: "target_beta", Value: record.Chance(goal)}, {Name: "samples", Value: record.Count(class.Samples)}, {Name: "query", Value: record.Words(query)}, {Name: "sensitivity", Value: record.Number(class.Sensitivity)},
			{Name: commands.NeighboursKey, Value: record.Words(string(by))},
		},
		Columns: []string{"method", "alpha_out", "beta_out", "ln_beta_out", "proof", "status", "reason", "sources", "assumes", commands.NeighboursKey},
	}
	given := theory.Approx{Epsilon: s.Epsilon, LnDelta: s.LnDelta}
	private, err := by.Approx(given)
	if err != nil {
		return err
	}
	s.Epsilon, s.LnDelta = private.Epsilon, private.LnDelta
	var rows, short [][]record.Cell
	var leftOut commands.Reasons
	answered := false
	for _, theorem := range transfer.Theorems() {
		bound, err := theorem.Apply(s, class, goal)
		status, reason, failure := commands.RowStatus(err)
		if failure != nil {
			return failure
		}
		if len(bound.Sources) == 0 {
			bound.Sources = commands.Refusing(err)
		}
		alpha, beta, lnBeta := record.Cell{}, record.Cell{}, record.Cell{}
		if status == transfer.OK {
			alpha, beta, lnBeta = record.Exactly(bound.Value.Alpha), record.Chance(bound.Value.Beta), record.Exactly(bound.Value.Beta.Ln())
			if bound.Value.Alpha >= class.Spread() {
				status, reason = transfer.Vacuous, "alpha is not below the spread of the query"
			} else {
				answered = true
			}
		}
		rows = append(rows, []record.Cell{
			record.Words(theorem.Name), alpha, beta, lnBeta, record.Words(string(theorem.Proof)),
			record.Words(string(status)), record.Words(reason), record.Sources(by.Sources(bound.Sources)), record.List(bound.Assumes), record.Words(string(by)),
		})
		if leftOut.LeavesOut(theorem.Name, status, reason) {
			continue
		}
		short = append(short, []record.Cell{record.Words(theorem.Name), alpha, beta, record.Words(string(theorem.Proof)), record.Words(string(status)), record.Words(reason)})
	}
	err = commands.Emit(c, target, r, rows, func() record.Sheet {
		return record.Sheet{
			Title: []string{"Accuracy on the population, from accuracy " + record.People(record.Exactly(s.Alpha)) + " on the sample except with probability " +
				record.People(record.Chance(s.Beta)) + ", epsilon " + record.People(record.Exactly(given.Epsilon)) + ", delta " + record.People(record.Chance(given.LnDelta)) + ", " + by.String()},
			Columns: []string{"method", "alpha", "beta", "proof", "status", "reason"},
			Rows:    short,
			Notes:   leftOut.Lines(),
		}
	})
	if err == nil && !answered {
		return usage.Outcome(usage.ExitNoAnswer)
	}
	return err
}

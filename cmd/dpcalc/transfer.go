package main

import (
	"errors"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

func transferCommand() *Command {
	return &Command{
		Name:    "transfer",
		Summary: "population accuracy of a private mechanism that is accurate on the sample",
		Description: "Every transfer theorem's conclusion from P[error on the sample >= alpha] <= beta and\n" +
			"(epsilon, delta)-differential privacy of the whole transcript.",
		Flags: []Flag{
			{Name: "alpha", Usage: "`A`, the accuracy on the sample"},
			{Name: "beta", Usage: "`B`, the failure probability of alpha; 0 is allowed"},
			{Name: "epsilon", Usage: "`E`, the privacy of the transcript"},
			{Name: "delta", Usage: "`D`, its delta; 0 is allowed and the default"},
			neighboursFlag,
			{Name: "target-beta", Usage: "`B2`, the failure probability of the conclusion"},
			{Name: "samples", Alias: "n", Usage: "`N` rows; some theorems need it"},
			{Name: "query", Usage: "`KIND` of query: bounded (default), binary, sensitive or minimization", Words: queryKinds},
			{Name: "sensitivity", Usage: "one row moves a sensitive query or a loss by at most `D`/n (default 1); needs --samples"},
		},
		Output: Tables,
		Examples: [2]string{
			"dpcalc transfer --alpha 0.01 --beta 0 --epsilon 0.05 --target-beta 0.05",
			"dpcalc transfer --alpha 0.01 --beta 1e-6 --epsilon 0.05 --delta 1e-9 --target-beta 0.05 -f csv",
		},
		Run: runTransfer,
	}
}

func runTransfer(c *Call) error {
	target, err := c.Target()
	if err != nil {
		return err
	}
	s := transfer.Sampled{LnDelta: theory.Zero}
	var class transfer.Class
	var goal theory.LogProb
	var okAlpha, okBeta, okEpsilon, okTarget, okSensitivity bool
	if s.Alpha, okAlpha, err = one(c, "alpha", nonNegatives); err != nil {
		return err
	}
	if s.Beta, okBeta, err = one(c, "beta", belowOne); err != nil {
		return err
	}
	if s.Epsilon, okEpsilon, err = one(c, "epsilon", nonNegatives); err != nil {
		return err
	}
	if delta, ok, err := one(c, "delta", belowOne); err != nil {
		return err
	} else if ok {
		s.LnDelta = delta
	}
	if goal, okTarget, err = one(c, "target-beta", probabilities); err != nil {
		return err
	}
	if class.Samples, _, err = one(c, "samples", counts); err != nil {
		return err
	}
	if class.Sensitivity, okSensitivity, err = one(c, "sensitivity", positives); err != nil {
		return err
	}
	by, err := readConvention(c)
	if err != nil {
		return err
	}
	query, err := OneOf(c, "query", queryKinds...)
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
			return usagef("--%s: got nothing, want a value", need.flag)
		}
	}

	r := result{
		command: "transfer",
		inputs: []input{
			{"alpha", exactly(s.Alpha)}, {"beta", chanceCell(s.Beta)}, {"epsilon", exactly(s.Epsilon)}, {"delta", chanceCell(s.LnDelta)},
			{"target_beta", chanceCell(goal)}, {"samples", countCell(class.Samples)}, {"query", wordsCell(query)}, {"sensitivity", numberCell(class.Sensitivity)},
			{neighboursKey, wordsCell(string(by))},
		},
		columns: []string{"method", "alpha_out", "beta_out", "ln_beta_out", "proof", "status", "reason", "sources", "assumes", neighboursKey},
	}
	given := theory.Approx{Epsilon: s.Epsilon, LnDelta: s.LnDelta}
	private, err := by.approx(given)
	if err != nil {
		return err
	}
	s.Epsilon, s.LnDelta = private.Epsilon, private.LnDelta
	var rows, short [][]cell
	var leftOut reasons
	answered := false
	for _, theorem := range transfer.Theorems() {
		bound, err := theorem.Apply(s, class, goal)
		status, reason, failure := rowStatus(err)
		if failure != nil {
			return failure
		}
		if len(bound.Sources) == 0 {
			bound.Sources = refusing(err)
		}
		alpha, beta, lnBeta := cell{}, cell{}, cell{}
		if status == transfer.OK {
			alpha, beta, lnBeta = exactly(bound.Value.Alpha), chanceCell(bound.Value.Beta), exactly(bound.Value.Beta.Ln())
			if bound.Value.Alpha >= class.Spread() {
				status, reason = transfer.Vacuous, "alpha is not below the spread of the query"
			} else {
				answered = true
			}
		}
		rows = append(rows, []cell{
			wordsCell(theorem.Name), alpha, beta, lnBeta, wordsCell(string(theorem.Proof)),
			wordsCell(string(status)), wordsCell(reason), sourcesCell(by.sources(bound.Sources)), listCell(bound.Assumes), wordsCell(string(by)),
		})
		if leftOut.leavesOut(theorem.Name, status, reason) {
			continue
		}
		short = append(short, []cell{wordsCell(theorem.Name), alpha, beta, wordsCell(string(theorem.Proof)), wordsCell(string(status)), wordsCell(reason)})
	}
	err = emit(c, target, r, rows, func() sheet {
		return sheet{
			title: []string{"Accuracy on the population, from accuracy " + people(exactly(s.Alpha)) + " on the sample except with probability " +
				people(chanceCell(s.Beta)) + ", epsilon " + people(exactly(given.Epsilon)) + ", delta " + people(chanceCell(given.LnDelta)) + ", " + by.String()},
			columns: []string{"method", "alpha", "beta", "proof", "status", "reason"},
			rows:    short,
			notes:   leftOut.lines(),
		}
	})
	if err == nil && !answered {
		return outcome(exitNoAnswer)
	}
	return err
}

// refusing names the theorem whose hypothesis failed, if it said so.
func refusing(err error) []theory.Source {
	var needs *theory.NotApplicableError
	if errors.As(err, &needs) && needs.Source.Key != "" {
		return []theory.Source{needs.Source}
	}
	return nil
}

// rowStatus turns the refusal of one theorem into its row's status. Other errors
// stay errors.
func rowStatus(err error) (transfer.Status, string, error) {
	var needs *theory.NotApplicableError
	var none *theory.NoAnswerError
	switch {
	case err == nil:
		return transfer.OK, "", nil
	case errors.As(err, &needs):
		return transfer.NotApplicable, err.Error(), nil
	case errors.As(err, &none):
		return transfer.Infeasible, err.Error(), nil
	}
	return "", "", err
}

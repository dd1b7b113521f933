package privacy

import (
	"slices"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/theorem"
)

// unsigned lists the kinds of queries that transfer theorems cover.
var unsigned = commands.QueryNames(func(q transfer.Query) bool { return !q.IsSigned() })

// Transfer is the command transfer.
func Transfer() *commands.Command {
	return &commands.Command{
		Name:    "transfer",
		Summary: "population accuracy of a private mechanism",
		Description: "Every transfer theorem's conclusion from P[error on the sample >= alpha] <= beta and\n" +
			"(epsilon, delta)-differential privacy of the whole transcript.",
		Flags: []usage.Flag{
			{Name: "alpha", Usage: "answers are within `A` of the sample's value"},
			{Name: "beta", Usage: "failure probability `B` of alpha; 0 is allowed"},
			{Name: "epsilon", Usage: "the transcript has epsilon `E`"},
			{Name: "delta", Usage: "the transcript has delta `D` (default 0)"},
			commands.NeighboursFlag,
			{Name: "target-beta", Usage: "failure probability `B2` of the conclusion"},
			{Name: "samples", Alias: "n", Also: []string{"rows"}, Usage: "the sample has `N` rows; some theorems need this number"},
			{Name: "query", Usage: "a query is of this `KIND`: bounded (default), binary, sensitive or minimization",
				Words: unsigned},
			{Name: "sensitivity", Usage: "one row moves a sensitive query or a loss by at most `D`/n (default 1); needs --samples"},
		},
		Common: []string{"alpha", "beta", "epsilon", "delta", "target-beta", "samples", "query", "format", "output"},
		Output: commands.Tables,
		Examples: []string{
			"dpcalc transfer --alpha 0.01 --beta 0 --epsilon 0.05 --target-beta 0.05",
			"dpcalc transfer --alpha 0.01 --beta 1e-6 --epsilon 0.05 --delta 1e-9 --target-beta 0.05 -f csv",
		},
		Run: runTransfer,
	}
}

// accuracy is what the command was asked.
type accuracy struct {
	theorem.Sampled
	class  theorem.Class
	target theory.LogProb
	by     commands.Convention
	inputs []record.Input
}

// concluded is a row: what a theorem concludes.
type concluded struct {
	theorem *theorem.Theorem
	by      commands.Convention
	theory.Outcome[theorem.Population]
}

func (r concluded) verdict() commands.Verdict {
	return commands.Verdict{Method: r.theorem.Name, Proof: r.theorem.Proof, Status: r.Status, Reason: r.Reason,
		Sources: r.by.Sources(r.Sources), Assumes: r.Assumes, Neighbours: r.by}
}

// value is a cell of a row that has a value.
func (r concluded) value(c record.Cell) record.Cell { return c.If(r.Status.Applies()) }

type concludedColumn = record.Column[concluded]

var concludedColumns = slices.Concat(commands.VerdictColumns(concluded.verdict, "method"), []concludedColumn{
	{Name: "alpha_out", Title: "alpha", Cell: func(r concluded) record.Cell { return r.value(record.Exactly(r.Value.Alpha)) }},
	{Name: "beta_out", Title: "beta", Cell: func(r concluded) record.Cell { return r.value(record.Chance(r.Value.Beta)) }},
	{Name: "ln_beta_out", Cell: func(r concluded) record.Cell { return r.value(record.Exactly(r.Value.Beta.Ln())) }},
}, commands.VerdictColumns(concluded.verdict, "proof", "status", "reason", "sources", "assumes", commands.NeighboursKey))

func runTransfer(c *commands.Call) error {
	target, err := c.Target()
	if err != nil {
		return err
	}
	a, err := readAccuracy(c)
	if err != nil {
		return err
	}
	private, err := a.by.Approx(theory.Approx{Epsilon: a.Epsilon, LnDelta: a.LnDelta})
	if err != nil {
		return err
	}
	sampled := a.Sampled
	sampled.Epsilon, sampled.LnDelta = private.Epsilon, private.LnDelta
	theorems := theorem.All()
	rows := make([]concluded, len(theorems))
	for i := range theorems {
		rows[i].theorem, rows[i].by = &theorems[i], a.by
		if rows[i].Outcome, err = theorems[i].Conclude(sampled, a.class, a.target); err != nil {
			return err
		}
	}
	return commands.Emit(c, target, commands.Answer[concluded]{
		Command: "transfer", Inputs: a.inputs, Rows: commands.List(rows), Verdict: concluded.verdict,
		Columns: concludedColumns,
		Shown:   record.Named(concludedColumns, "method", "alpha_out", "beta_out", "proof", "status", "reason"),
		Say: func() (title, notes []string) {
			return []string{"Accuracy on the population, from accuracy " + record.People(record.Exactly(a.Alpha)) +
				" on the sample except with probability " + record.People(record.Chance(a.Beta)) + ", epsilon " +
				record.People(record.Exactly(a.Epsilon)) + ", delta " + record.People(record.Chance(a.LnDelta)) + ", " +
				a.by.String()}, nil
		},
	})
}

func readAccuracy(c *commands.Call) (a accuracy, err error) {
	a.LnDelta = theory.Zero
	okAlpha := numbers.Read(c, &err, "alpha", numbers.NonNegatives, &a.Alpha)
	okBeta := numbers.Read(c, &err, "beta", numbers.BelowOne, &a.Beta)
	okEpsilon := numbers.Read(c, &err, "epsilon", numbers.NonNegatives, &a.Epsilon)
	numbers.Read(c, &err, "delta", numbers.BelowOne, &a.LnDelta)
	okTarget := numbers.Read(c, &err, "target-beta", numbers.Probabilities, &a.target)
	var goal transfer.Goal
	numbers.Read(c, &err, "samples", numbers.Counts, &goal.Samples)
	okSensitivity := numbers.Read(c, &err, "sensitivity", numbers.Positives, &goal.Sensitivity)
	if err != nil {
		return a, err
	}
	if a.by, err = commands.ReadConvention(c); err != nil {
		return a, err
	}
	query, err := usage.OneOf(c, "query", unsigned...)
	if err != nil {
		return a, err
	}
	if _, ok := c.Text("query"); !ok && okSensitivity {
		query = "sensitive" // a sensitivity says what the queries are
	}
	if goal.Query, err = transfer.ParseQuery(query); err != nil {
		return a, err
	}
	for _, need := range []struct {
		flag string
		ok   bool
	}{
		{"alpha", okAlpha}, {"beta", okBeta}, {"epsilon", okEpsilon}, {"target-beta", okTarget},
		{"samples", !okSensitivity || goal.Samples != 0},
	} {
		if !need.ok {
			return a, usage.Errorf("--%s: got nothing, want a value", need.flag)
		}
	}
	if a.class, err = goal.Class(); err != nil {
		return a, err
	}
	a.inputs = []record.Input{
		{Name: "alpha", Value: record.Exactly(a.Alpha)}, {Name: "beta", Value: record.Chance(a.Beta)},
		{Name: "epsilon", Value: record.Exactly(a.Epsilon)}, {Name: "delta", Value: record.Chance(a.LnDelta)},
		{Name: "target_beta", Value: record.Chance(a.target)}, {Name: "samples", Value: record.Count(goal.Samples)},
		{Name: "query", Value: record.Words(query)}, {Name: "sensitivity", Value: record.Number(goal.Sensitivity)},
		{Name: commands.NeighboursKey, Value: record.Words(string(a.by))},
	}
	return a, nil
}

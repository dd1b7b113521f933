package steps

import (
	"errors"
	"io"
	"slices"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/csvfile"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// Command is the command maxinfo.
func Command() *commands.Command {
	return &commands.Command{
		Name:        "maxinfo",
		Summary:     "how much the steps of an analysis reveal about the sample",
		Description: commands.Described("maxinfo", "{steps}", stepGrammar()),
		Flags: []usage.Flag{
			StepFlag,
			{Name: "samples", Alias: "n", Also: []string{"rows"}, Usage: "the sample has `N` rows; private steps need this number"},
			DataFlag,
			commands.NeighboursFlag,
			{Name: "slack", Usage: "probability `B` that the bound is exceeded (default 0)"},
			{Name: "joint", Usage: "the exact values of the joint law in `FILE`, in place of steps"},
		},
		Output: commands.Tables,
		Examples: []string{
			"dpcalc maxinfo --samples 10k --step pure-dp:epsilon=0.01",
			"dpcalc maxinfo --samples 10k --slack 1% --step pure-dp:epsilon=0.01 --step description:outcomes=100",
		},
		Run: runMaxinfo,
	}
}

// revealed is a row: what a method says of the steps, or an exact value of a joint law.
type revealed struct {
	maxinfo.Answer
	slack theory.LogProb
	best  bool
	by    commands.Convention
	exact bool // of a joint law
	mean  bool // and it has no slack
}

func (r revealed) verdict() commands.Verdict {
	return commands.Verdict{Method: r.Name, Best: r.best, Proof: r.Proof, Status: r.Status, Reason: r.Reason,
		Sources: r.by.Sources(r.Sources), Assumes: r.Assumes, Neighbours: r.by}
}

type revealedColumn = record.Column[revealed]

// slackCell is a cell of a row that has a slack.
func slackCell(cell func(theory.LogProb) record.Cell) func(revealed) record.Cell {
	return func(r revealed) record.Cell { return cell(r.slack).If(!r.mean) }
}

var (
	revealedMethod = commands.VerdictColumns(revealed.verdict, "method")[0]
	revealedBits   = revealedColumn{Name: "bits", Cell: func(r revealed) record.Cell {
		return record.Exactly(r.Bound.Bits()).If(r.Status == theory.OK)
	}}
	revealedSlack = revealedColumn{Name: "slack", Cell: slackCell(record.Chance)}
	revealedBest  = revealedColumn{Name: "best", Cell: func(r revealed) record.Cell {
		return record.Truth(r.best).If(!r.exact)
	}}

	revealedColumns = slices.Concat([]revealedColumn{
		revealedMethod, revealedBits, revealedSlack,
		{Name: "ln_slack", Cell: slackCell(func(p theory.LogProb) record.Cell { return record.Exactly(p.Ln()) })},
		revealedBest,
	}, commands.VerdictColumns(revealed.verdict, "proof", "status", "reason", "sources", "assumes", commands.NeighboursKey))
	revealedShown = slices.Concat(commands.VerdictColumns(revealed.verdict, "", "method"), []revealedColumn{revealedBits},
		commands.VerdictColumns(revealed.verdict, "proof", "status", "reason"))
)

// The two questions of the command: the table of a joint law, or steps.
var (
	jointMode = commands.Mode{Name: "joint", Flags: []string{"joint"}}
	stepsMode = commands.Mode{Flags: []string{"step", "samples", "data", commands.NeighboursKey}}
)

func runMaxinfo(c *commands.Call) error {
	target, err := c.Target()
	if err != nil {
		return err
	}
	slack := theory.Zero
	hasSlack := numbers.Read(c, &err, "slack", numbers.BelowOne, &slack)
	if err != nil {
		return err
	}
	if path, ok := c.Text("joint"); ok {
		if flag, _ := c.Stray(jointMode, []commands.Mode{stepsMode}); flag != "" {
			return usage.Errorf("--joint: given with --%s, want one of the two", flag)
		}
		return exactInfo(c, target, path, slack, hasSlack)
	}
	plan, err := Read(c)
	if err != nil {
		return err
	}
	answers, best, err := plan.Answers(slack)
	if err != nil {
		return WrongOrder(err)
	}
	rows := make([]revealed, len(answers))
	for i, a := range answers {
		rows[i] = revealed{Answer: a, slack: slack, best: i == best, by: plan.Neighbours}
	}
	return commands.Emit(c, target, commands.Answer[revealed]{
		Command: "maxinfo", Inputs: append(plan.Inputs(), record.Input{Name: "slack", Value: record.Chance(slack)}),
		Rows: commands.List(rows), Verdict: revealed.verdict, Columns: revealedColumns, Shown: revealedShown,
		Say: func() (title, notes []string) {
			title = []string{"Max-information at slack " + record.People(record.Chance(slack)) + ": " + plan.String()}
			if best < 0 {
				return title, nil
			}
			star := "* " + answers[best].Name + ", fewest bits: " + record.People(record.Exactly(answers[best].Bound.Bits()))
			return title, append([]string{star}, commands.Assumed(answers[best].Assumes)...)
		},
	})
}

// mostJointBytes is how long a joint table may be: its cells are held in memory.
const mostJointBytes = 256 << 20

// exactInfo writes the exact values of a joint table.
func exactInfo(c *commands.Call, t commands.Target, path string, slack theory.LogProb, approximate bool) error {
	joint, name, err := readJoint(c, path)
	if err != nil {
		return err
	}
	var rows []revealed
	add := func(method string, bound theory.Nats, sources ...theory.Source) *revealed {
		m := maxinfo.Method{Name: method, Proof: theory.Published, Sources: sources}
		rows = append(rows,
			revealed{Answer: maxinfo.Answer{Method: m, Bound: bound, Status: theory.OK}, slack: theory.Zero, exact: true})
		return &rows[len(rows)-1]
	}
	wanted := map[string]theory.LogProb{"max-info": theory.Zero, "approx-max-info": slack}
	names := []string{"max-info", "approx-max-info"}
	if !approximate {
		names = names[:1]
	}
	for _, method := range names {
		k, err := joint.MaxInformation(wanted[method])
		if err != nil {
			return err
		}
		add(method, k, theory.Source{Key: "dwork15generalization", Where: "max-information"}).slack = wanted[method]
	}
	add("mutual-info", joint.MutualInformation()).mean = true
	return commands.Emit(c, t, commands.Answer[revealed]{
		Command: "maxinfo",
		Inputs:  []record.Input{{Name: "joint", Value: record.Words(name)}, {Name: "slack", Value: record.Chance(slack)}},
		Rows:    commands.List(rows), Verdict: revealed.verdict, Columns: revealedColumns,
		Shown: []revealedColumn{revealedMethod, revealedSlack, revealedBits},
		Say:   func() (title, notes []string) { return []string{"Exact values of the joint law in " + name}, nil },
	})
}

// readJoint reads a joint table, and returns the name of its file for messages.
func readJoint(c *commands.Call, path string) (*maxinfo.Joint, string, error) {
	if path == "" {
		return nil, "", usage.Invalid("joint", path, "a file name")
	}
	in, err := csvfile.Open(c.Session, path)
	if err != nil {
		return nil, "", err
	}
	defer in.Close()
	if extra, err := in.At.ReadAt(make([]byte, 1), mostJointBytes); extra > 0 {
		return nil, "", usage.Errorf("%s: got more than %d MB, want a joint table of at most that, which is held in memory",
			in.Name, mostJointBytes>>20)
	} else if err != nil && !errors.Is(err, io.EOF) {
		return nil, "", in.Blame(err)
	}
	joint, err := maxinfo.ReadJoint(in.Reader())
	if err != nil {
		return nil, "", in.Blame(err)
	}
	return joint, in.Name, nil
}

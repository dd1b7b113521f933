package holdout

import (
	"fmt"
	"slices"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
)

func extendCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "extend", Arguments: "DIR", Summary: "add rows to a ledger, replace them, or take some out",
		Description: commands.Described("holdout-extend"),
		Flags: slices.Concat(usage.Under(aboutFiles,
			usage.Flag{Name: "labels", Repeats: true, Usage: "the labels of the new rows are in `FILE`"},
			usage.Flag{Name: "incumbent", Usage: "the incumbent's column in the new rows is in `FILE`"},
			usage.Flag{Name: "features", Repeats: true, Usage: "the features of the new rows are in `FILE`"},
			usage.Flag{Name: "replace", Switch: true, Usage: "the new rows take the place of all rows"},
			usage.Flag{Name: "drop", Usage: "take out the rows whose ids are in `FILE`, in its column id"},
		), logFlags),
		Common:   []string{"labels", "incumbent", "features", "replace", "drop", "from", "format", "output"},
		Examples: []string{"dpcalc holdout extend ledger --labels more.csv", "dpcalc holdout extend ledger --drop ids.csv"},
	}, runExtend, 0, 0)
}

func runExtend(c *commands.Call, target commands.Target, dir string, _ []string) error {
	ledger, status, err := openLedger(c, dir, nil, nil)
	if err != nil {
		return err
	}
	e := holdout.Extension{Replace: c.Is("replace")}
	if paths := c.Texts("labels"); len(paths) > 1 {
		return usage.Errorf("--labels: got %d files, want one of new rows", len(paths))
	} else if len(paths) == 1 {
		e.Path = lasting(paths[0])
		metrics := append([]string{}, status.Plan.Metrics...) // none of an earlier version is accuracy
		e.Labels, _, err = newLabels(c, paths[0], status.Plan.Readings, metrics, status.Plan.LabelsAreNumbers())
		if err != nil {
			return err
		}
	} else if _, ok := c.Text("from"); ok {
		return usage.Errorf("--from: got it without --labels, want the file of new rows")
	}
	if e.Labels != nil {
		added := holdout.Terms{Asks: holdout.Asks{Metrics: []string{status.Plan.Metric}, Units: status.Plan.Units}}
		done, err := readIncumbent(c, status.Plan.Readings, e.Labels, &added)
		defer done()
		if err != nil {
			return err
		}
		e.Incumbent = added.Incumbent.Values
	} else if c.IsGiven("incumbent") {
		return usage.Errorf("--incumbent: got it without --labels, want the file of new rows")
	}
	if e.Features, err = readFeatures(c); err != nil {
		return err
	}
	if law := status.Plan.Open; e.Features != nil && law != nil && law.Features != nil {
		before, err := featuresOf(c, status, dir, nil)
		if err == nil {
			err = ledger.UseFeatures(before...)
		}
		if err != nil {
			return err
		}
	}
	if path, ok := c.Text("drop"); ok {
		f, err := openFile(c, path, "id")
		if err != nil {
			return err
		}
		defer f.Close()
		err = f.rows(func(id, _ string) error {
			e.Drop = append(e.Drop, id)
			return nil
		})
		if err != nil {
			return f.blame(err)
		}
	}
	changed, refused := ledger.Extend(c.Context, e)
	status, err = holdout.ReadStatus(dir)
	if err != nil {
		return err
	}
	answer := statusOf(status, dir)
	answer.Shown = but(answer.Shown, "looks_per_day")
	answer.Say = func() (title, notes []string) {
		said := "The rows of %s have changed: later looks are asked of them as they are now"
		switch {
		case changed && status.Plan.Arrival != nil:
			said = "Rows came to %s: each look is about the first rows that are planned for it"
		case !changed && e.Replace:
			said = "The rows of %s are as they were: these are all of them, with the same labels"
		case !changed:
			said = "The rows of %s are as they were: these ids came or went before, and no label was compared"
		}
		return []string{fmt.Sprintf(said, usage.Shown(dir))}, []string{alone, "chain " + status.Chain}
	}
	return emitted(c, target, refused, answer)
}

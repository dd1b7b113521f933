package holdout

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/holdout/column"
	"github.com/dpcalc/dpcalc/internal/text"
)

func priceCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "price", Arguments: "DIR [PREDICTIONS]", Summary: "print what the next look of an open ledger would cost",
		Description: commands.Described("holdout-price"),
		Flags: slices.Concat([]usage.Flag{{Name: "effect", Heading: aboutShown,
			Usage: "how probable a pass or a rejection is if the true value is `E` above the bar, or above the incumbent: a forecast, not a guarantee"}},
			questionFlags, movedFlags, logFlags),
		Common: []string{"show", "bar", "guess", "near", "step", "metric", "where", "test", "effect", "format", "output"},
		Examples: []string{
			"dpcalc holdout price ledger --show pass --bar 0.8",
			"dpcalc holdout price ledger --show score --near 0.85",
		},
	}, runPrice, 0, 1)
}

func runPrice(c *commands.Call, target commands.Target, dir string, paths []string) error {
	ledger, status, err := openLedger(c, dir, c.Texts("labels"), c.Texts("features"))
	if err != nil {
		return err
	}
	asked, err := questionsOf(c)
	if err != nil {
		return err
	}
	if len(asked) > 1 {
		return usage.Errorf("holdout price: got %d questions, want one: what a look costs depends on the one before it", len(asked))
	}
	list, open, err := readSubmissions(asked[0], ledger, status, dir, paths)
	defer open.close()
	if err != nil {
		return err
	}
	one := list[0]
	bar := one.Bar
	if one.Show != holdout.ShowPass {
		one.Bar = nil
	}
	effect, guessed, err := numbers.One(c, "effect", numbers.Positives)
	if err != nil {
		return err
	}
	if guessed {
		one.Effect = &effect
	}
	prices, err := ledger.Price(one, bar)
	if err == nil {
		open.tell()
	}
	now, _ := status.Margin()
	return emitted(c, target, err, commands.Answer[holdout.Response]{
		Command: "holdout-price", Inputs: folder(dir), Rows: commands.List(prices), Columns: responses,
		Shown: forPeople(column.ResponseFields, func(r holdout.Response) holdout.Line { return r.Line }, "next_margin"),
		Say: func() (title, notes []string) {
			notes = []string{"price: the part of the error budget that an answer uses, in nats: after a price of x, e^-x of it is left"}
			if guessed {
				notes = append(notes, "power: a forecast and not a guarantee, for rows that are alike and a true value there")
			}
			if last := prices[len(prices)-1]; last.Others > 0 {
				notes = append(notes, fmt.Sprintf("others: %d more answers, each for at most this price", last.Others+1))
			}
			if len(prices) > 1 {
				notes = append(notes, cost(prices, now))
			}
			return []string{"What the next look of " + usage.Shown(dir) + " would cost; none was taken"}, notes
		},
	})
}

// cost tells people what a look costs, and how much wider the margin of a gate is after it.
func cost(prices []holdout.Response, now float64) string {
	cheap, dear := math.Inf(1), 0.
	narrow, wide := math.Inf(1), 0.
	for _, r := range prices {
		cheap, dear = min(cheap, *r.Price), max(dear, *r.Price)
		narrow, wide = min(narrow, r.Margin), max(wide, r.Margin)
	}
	says := fmt.Sprintf("This look costs %s to %s nats", text.Up(cheap), text.Up(dear))
	if text.Up(wide) != text.Up(now) { // a ratio has the margin 1, as its own depends on the predictions
		says += fmt.Sprintf(", and widens the margin of a gate over all rows from %s to between %s and %s",
			text.Up(now), text.Up(narrow), text.Up(wide))
	}
	return says + "."
}

package holdout

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
)

// An offer is refused when the ledger is made if a team could pay for no look at all, and made from the price on that
// the dearest response of a first look has by [Ledger.Price]. A team that may spend as much then takes its look.
func TestOffersThatNoTeamCanAfford(t *testing.T) {
	ids, classes := rowsOf(t, 300, 9)
	labels, other := LabelsOf(t, ids, classes), make([]string, len(classes))
	copy(other, classes)
	for i := range 90 {
		other[i] = map[string]string{"a": "b", "b": "a"}[classes[i]]
	}
	look := func(l *Ledger, show string, step float64) Submission {
		s := Submission{Team: "t", Values: Columns(ids, other), Question: Question{Show: show}}
		switch x := 0.5; show {
		case ShowPass:
			s.Bar = &x
		case ShowGuess:
			s.Guess = &x
			fallthrough
		default:
			s.Step = &step
		}
		return s
	}
	for _, metric := range []string{Accuracy, "f1"} {
		for _, c := range []struct {
			show, ask string
			step      float64 // of the cheapest look
		}{
			{ShowPass, "pass:bar=0.5", 0}, {ShowScore, "score:step=0.02", 0.02}, {ShowGuess, "guess:step=0.05", 0.05},
			{ShowBest, "best:step=0.01", 0.01}, {ShowBest, "best:step=0.01,step=0.2", 0.2},
		} {
			terms := Terms{Asks: Asks{Metrics: []string{metric}}, Unlimited: Unlimited{Open: true, Ask: []string{c.ask}}}
			terms.Goal.Beta = beta(t, "0.05")
			if metric == "f1" {
				terms.Units.Positive = "a"
			}
			free, _ := ledgerOf(t, labels, terms)
			prices, err := free.Price(look(free, c.show, c.step), nil)
			if err != nil {
				t.Fatal(err)
			}
			dearest := 0.
			for _, r := range prices {
				dearest = max(dearest, *r.Price)
			}
			terms.MostPerTeam = dearest * (1 - 1e-6)
			wrong, said := (*InputError)(nil), 0.
			_, err = Create(filepath.Join(t.TempDir(), "poor"), labels, terms)
			if errors.As(err, &wrong) {
				_, _ = fmt.Sscanf(err.Error(), "ask: got "+c.show+", of which a first look may cost %g nats", &said)
			}
			if !(said >= dearest && said <= dearest+1e-3) {
				t.Errorf("%s, %s with %v nats: got %v, want an offer that costs %v", metric, c.ask, terms.MostPerTeam, err, dearest)
			}
			terms.MostPerTeam = dearest * (1 + 1e-6)
			enough, err := Create(filepath.Join(t.TempDir(), "enough"), labels, terms)
			if err != nil {
				t.Errorf("%s, %s with %v nats: %v", metric, c.ask, terms.MostPerTeam, err)
				continue
			}
			if _, err := enough.Score(context.Background(), look(enough, c.show, c.step)); err != nil {
				t.Errorf("%s, %s with %v nats: %v", metric, c.ask, terms.MostPerTeam, err)
			}
		}
	}
}

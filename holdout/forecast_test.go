package holdout

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/open"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/forecast"
	tails "github.com/dpcalc/dpcalc/transfer/open"
)

// The forecast of a price is a binomial sum from the least score that passes on, at the truth that was guessed; of a
// test, from the wins on that reject at the level of the look, on the rows on which the predictions differ.
func TestForecastOfALook(t *testing.T) {
	binomial := func(n, from int64, p float64) (sum float64) {
		for k := from; k <= n; k++ {
			ln := func(m int64) float64 { v, _ := math.Lgamma(float64(m) + 1); return v }
			sum += math.Exp(ln(n) - ln(k) - ln(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log(1-p))
		}
		return sum
	}
	l, _, _, _ := openLedger(t, 400)
	bar, effect := 0.7, 0.08
	asks := Submission{Question: Question{Show: ShowPass, Bar: &bar}, Effect: &effect}
	list, err := l.Price(asks, nil)
	if err != nil || len(list) != 2 || list[0].Power != nil || list[1].Power == nil {
		t.Fatal(list, err)
	}
	if want := binomial(400, int64(math.Round(*list[1].From*400)), 0.78); math.Abs(*list[1].Power-want) > 1e-9 {
		t.Errorf("a pass: got %v, want %v", *list[1].Power, want)
	}
	for want, s := range map[string]Submission{
		"effect: got 0.08 with --show score": {Question: Question{Show: ShowScore}, Effect: &effect},
		"effect: got 0.4, want at most 0.3":  {Question: Question{Show: ShowPass, Bar: &bar}, Effect: float(0.4)},
		"effect: got -1, want a positive":    {Question: Question{Show: ShowPass, Bar: &bar}, Effect: float(-1)},
	} {
		if _, err := l.Price(s, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	ids, classes := rowsOf(t, 400, 1)
	incumbent := right(classes, 200)
	duels, _ := ledgerOf(t, LabelsOf(t, ids, classes), Terms{
		Goal:      transfer.Goal{Beta: beta(t, "0.05")},
		Incumbent: Submission{Values: Columns(ids, incumbent), Path: "incumbent.csv"},
		Asks:      Asks{Classes: []string{"a", "b"}},
		Unlimited: Unlimited{Open: true},
	})
	s := challenge(ids, duel(classes, 60, 20), incumbent)
	s.Show, s.Test, s.Effect = ShowReject, SignTest, &effect
	list, err = duels.Price(s, nil)
	if err != nil || list[1].Power == nil {
		t.Fatal(list, err)
	}
	wins := int64(0) // P[Bin(80, 1/2) >= wins] is at most 0.05 times the share 1/5 of a rejection
	for binomial(80, wins, 0.5) > 0.05/5 {
		wins++
	}
	if want := binomial(80, wins, 0.5+0.08*400/80/2); math.Abs(*list[1].Power-want) > 1e-9 {
		t.Errorf("a rejection: got %v, want %v", *list[1].Power, want)
	}
	bar = 0
	s.Show, s.Test, s.Bar = ShowPass, "", &bar
	if list, err = duels.Price(s, nil); err != nil || list[1].Power == nil {
		t.Fatal(list, err)
	}
	wins = int64(math.Ceil((80 + *list[1].From*400) / 2))
	if want := binomial(80, wins, 0.5+0.08*400/80/2); math.Abs(*list[1].Power-want) > 1e-9 {
		t.Errorf("a pass of a difference: got %v, want %v", *list[1].Power, want)
	}
}

// A margin after many looks is the margin of the account which takes them one by one, within 1e-12, also beyond the
// look from which on the share of a pass is held at its least, and where looks may be refused.
func TestMarginsAheadOneByOne(t *testing.T) {
	plain, _, _, _ := openLedger(t, 4000)
	ids, labels, old, _ := judged(t, 4000, 0, 1, 0.1)
	kept, _ := keptLedger(t, ids, labels, old, 0.02, Units{})
	for name, l := range map[string]*Ledger{"plain": plain, "kept": kept} {
		for _, past := range []map[string][2]int64{
			{}, {ShowPass: {40, 3}, Refused: {60, 20}}, {ShowPass: {5000, 0}, Refused: {5010, 10}},
		} {
			for _, ahead := range []Ahead{{Looks: 1, Passes: 1}, {Looks: 1489}, {Looks: 3000, Passes: 5}, {Looks: 50_000},
				{Looks: 1_000_000, Passes: 40}} {
				if ahead.Looks > 50_000 && past[ShowPass] == [2]int64{} {
					continue // two of these take a second each
				}
				s, _, err := l.Read()
				if err != nil {
					t.Fatal(err)
				}
				for show, counts := range past {
					s.account.Looks[show], s.account.Rare[show] = counts[0], counts[1]
				}
				a, ln := s.account.Copy(), num.DD{}
				for k := range ahead.Looks {
					passed := rule.BoolToInt(k < ahead.Passes)
					next := open.NextGate(a, s.Plan)
					ln = ln.AddFloat(next.LnRest).AddFloat(next.LnShare(int(passed)))
					a.Looks[ShowPass]++
					a.Looks[Refused] += rule.BoolToInt(next.Line.RefusedAbove > 0)
					a.Rare[ShowPass] += passed
				}
				a.Left = tails.Budget(ln.Float())
				want := open.Margin(a, s.Plan, s.Rows, s.Clusters)
				s.Ahead = ahead
				got, err := s.Margin()
				if err != nil || math.Abs(got-want) > 1e-12*want {
					t.Errorf("%s after %v, %+v: got %v, want %v (%v)", name, past, ahead, got, want, err)
				}
			}
		}
	}
}

// A forecast before there are rows is how often a ledger passes a candidate whose rows are drawn anew: of 150 ledgers
// for each gate, each of which takes one look, as many pass as a binomial law with that probability allows but for
// 1e-9 on either side. The seeds are fixed, so that the test fails always or never.
func TestForecastOfLedgers(t *testing.T) {
	const rows, bar, differ, trials = 120, 0.6, 0.4, 150
	base := transfer.Goal{Samples: rows, Queries: 3, Beta: beta(t, "0.05"), Query: transfer.Binary}
	base.Feedback, base.Passes, base.Bar = transfer.Gate, 1, transfer.Some(bar)
	paired := base
	paired.Query, paired.Bar, paired.Disagreement = transfer.Difference, transfer.Option{}, differ
	opened := Terms{Goal: transfer.Goal{Beta: base.Beta}, Unlimited: Unlimited{Open: true}}
	ids, classes := rowsOf(t, rows, 3)
	incumbent := right(classes, rows/2)
	bare := paired
	bare.Disagreement = 0
	fixedTest := Terms{
		Goal:      bare,
		Test:      SignTest,
		Incumbent: Submission{Values: Columns(ids, incumbent), Path: "incumbent.csv"},
		Asks:      Asks{Classes: []string{"a", "b"}},
	}
	fixedTest.Goal.Samples = 0
	fixedGate := Terms{Goal: base}
	fixedGate.Goal.Samples = 0
	first := base
	first.Queries = 1 // of an open ledger each look here is the first
	for name, c := range map[string]struct {
		terms    Terms
		forecast forecast.Gate
		show     string
	}{
		"gate":      {fixedGate, forecast.Gate{Goal: base, Effect: 0.1}, ""},
		"open-gate": {opened, forecast.Gate{Goal: first, Effect: 0.12, Open: true}, ShowPass},
		"sign":      {fixedTest, forecast.Gate{Goal: paired, Effect: 0.15, Tested: true, Duel: true}, ""},
	} {
		want, err := c.forecast.Solve()
		if err != nil {
			t.Fatal(name, err)
		}
		lead := c.forecast.Effect
		r, passed := rand.New(rand.NewPCG(11, 12)), int64(0)
		for range trials {
			candidate, s := slices.Clone(incumbent), Submission{Question: Question{Show: c.show}}
			if level := bar; c.forecast.Tested {
				for i := range rows {
					// As many rows are won or lost as the guess says, whatever the incumbent does on them.
					switch x := r.Float64(); {
					case x < (differ+lead)/2:
						incumbent[i], candidate[i] = other(classes[i]), classes[i]
					case x < differ:
						incumbent[i], candidate[i] = classes[i], other(classes[i])
					default:
						incumbent[i], candidate[i] = classes[i], classes[i]
					}
				}
				c.terms.Incumbent.Values = Columns(ids, incumbent)
				s.Incumbent, s.Path = Columns(ids, incumbent), "new.csv"
			} else {
				for i := range rows {
					if candidate[i] = classes[i]; r.Float64() >= bar+lead {
						candidate[i] = other(classes[i])
					}
				}
				s.Bar = &level
			}
			s.Values = Columns(ids, candidate)
			l, _ := ledgerOf(t, LabelsOf(t, ids, classes), c.terms)
			if verdict := takes(t, l, s).Verdict; verdict == Pass || verdict == Rejected {
				passed++
			}
		}
		law := num.Binomial{N: trials, P: want.Power}
		likely := min(law.LnAtLeast(passed), law.LnAtMost(passed)) > math.Log(1e-9)
		if !likely || want.Power < 0.2 || want.Power > 0.8 {
			t.Errorf("%s: %d of %d pass, the forecast is %v", name, passed, trials, want.Power)
		}
	}
}

// other is the other of two classes.
func other(class string) string { return map[string]string{"a": "b", "b": "a"}[class] }

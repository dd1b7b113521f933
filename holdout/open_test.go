package holdout

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// openLedger is an open ledger of so many 0/1 labels at beta 5%.
func openLedger(t testing.TB, samples int) (l *Ledger, dir string, ids []string, classes []string) {
	t.Helper()
	ids, classes = make([]string, samples), make([]string, samples)
	for i := range ids {
		ids[i], classes[i] = fmt.Sprint("r", i), fmt.Sprint(i%2)
	}
	labels, err := NewLabels(Columns(ids, classes))
	if err != nil {
		t.Fatal(err)
	}
	beta, err := theory.ParseLogProb("0.05")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir() + "/ledger"
	l, err = Create(dir, labels, Terms{Goal: transfer.Goal{Beta: beta}, Open: true})
	if err != nil {
		t.Fatal(err)
	}
	return l, dir, ids, classes
}

// firstRight are predictions of which the first so many are right.
func firstRight(classes []string, count int) []string {
	list := make([]string, len(classes))
	for i, c := range classes {
		if list[i] = c; i >= count {
			list[i] = "wrong"
		}
	}
	return list
}

// The prices of a gate at .8 of 5,000 rows are those of open.md, computed there by other programs.
func TestPriceOfAGate(t *testing.T) {
	l, dir, ids, classes := openLedger(t, 5000)
	bar := 0.8
	ask := func() (pass, fail Response) {
		t.Helper()
		list, err := l.Price(Submission{Question: Question{Show: ShowPass}, Bar: &bar}, nil)
		if err != nil || len(list) != 2 {
			t.Fatal(list, err)
		}
		return list[1], list[0]
	}
	check := func(name string, got *float64, want, within float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > within {
			t.Errorf("%s: got %v, want %v", name, or(got, math.NaN()), want)
		}
	}
	pass, fail := ask()
	check("a pass", pass.From, 0.8132, 0)
	check("the upper end after a fail", fail.Upper, 0.8226016, 5e-8)
	check("the next pass after a fail", fail.NextPass, 0.8148, 1)
	for k := range 10 {
		a, err := l.Score(context.Background(), Submission{Values: Columns(ids, firstRight(classes, 3000+k)), Bar: &bar,
			Question: Question{Show: ShowPass}})
		if err != nil || a.Verdict != Fail {
			t.Fatal(a, err)
		}
	}
	pass, fail = ask()
	check("a pass after ten fails", pass.From, 0.818, 0)
	check("the upper end after ten fails", fail.Upper, 0.8290632, 5e-8)
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
}

// ln of the average of (2q)^W (2(1-q))^L over q by Simpson's rule, and the exact test by binomial sums.
func TestEvidence(t *testing.T) {
	for _, c := range [][2]int64{{0, 0}, {1, 0}, {0, 1}, {7, 2}, {30, 12}, {12, 30}, {200, 150}} {
		wins, losses := float64(c[0]), float64(c[1])
		const steps = 20000
		sum := 0.
		for k := range steps + 1 {
			q := 0.5 + 0.5*float64(k)/steps
			weight := []float64{2, 4}[k%2]
			if k == 0 || k == steps {
				weight = 1
			}
			sum += weight * math.Pow(2*q, wins) * math.Pow(2*(1-q), losses)
		}
		want := math.Log(sum / 3 / steps)
		if got := evidence(c[0], c[1], false); !(got <= want+1e-9 && got >= want-1e-8) {
			t.Errorf("%v: got %v nats, want %v", c, got, want)
		}
		tail, pmf := 0., math.Pow(0.5, wins+losses)
		for k := 0.; k <= wins+losses; k++ {
			if k >= wins {
				tail += pmf
			}
			pmf *= (wins + losses - k) / (k + 1)
		}
		if got := evidence(c[0], c[1], true); !(got <= -math.Log(tail)+1e-9 && got >= -math.Log(tail)-1e-8) {
			t.Errorf("%v: got %v nats, want %v", c, got, -math.Log(tail))
		}
	}
}

// Three unlike rows with ties, whose wins are no likelier than their losses: the mean of e^evidence over all outcomes
// is at most 1, and next to it where wins and losses are equally likely.
func TestEvidenceOfUnlikeRows(t *testing.T) {
	grid, greatest := []float64{0, 0.25, 0.5, 0.75, 1}, 0.
	var laws [][2]float64 // of wins and losses
	for _, w := range grid {
		for _, l := range grid {
			if w+l <= 1 {
				laws = append(laws, [2]float64{w, l})
			}
		}
	}
	for _, a := range laws {
		for _, b := range laws {
			for _, c := range laws {
				if a[0]+b[0]+c[0] > a[1]+b[1]+c[1] {
					continue
				}
				mean := 0.
				for outcome := range 27 {
					p, wins, losses := 1., int64(0), int64(0)
					for i, row := range [][2]float64{a, b, c} {
						switch []int{outcome % 3, outcome / 3 % 3, outcome / 9}[i] {
						case 0:
							p, wins = p*row[0], wins+1
						case 1:
							p, losses = p*row[1], losses+1
						default:
							p *= 1 - row[0] - row[1]
						}
					}
					mean += p * math.Exp(evidence(wins, losses, false))
				}
				greatest = max(greatest, mean)
				if mean > 1 {
					t.Errorf("%v %v %v: the mean of E is %v", a, b, c, mean)
				}
			}
		}
	}
	if greatest < 1-1e-9 {
		t.Errorf("the greatest mean is %v, want one next to 1", greatest)
	}
}

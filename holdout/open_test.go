package holdout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	tails "github.com/dpcalc/dpcalc/transfer/open"
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
	l, err = Create(dir, labels, Terms{
		Goal:      transfer.Goal{Beta: beta},
		Asks:      Asks{Metrics: []string{Accuracy, "column:f"}},
		Unlimited: Unlimited{Open: true},
	})
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

// The prices of a gate at .8 of 5,000 rows are the prices of open.md, computed there by other programs.
func TestPriceOfAGate(t *testing.T) {
	l, dir, ids, classes := openLedger(t, 5000)
	bar := 0.8
	ask := func() (pass, fail Response) {
		t.Helper()
		list, err := l.Price(Submission{Question: Question{Show: ShowPass, Bar: &bar}}, nil)
		if err != nil || len(list) != 2 {
			t.Fatal(list, err)
		}
		return list[1], list[0]
	}
	check := func(name string, got *float64, want, within float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > within {
			t.Errorf("%s: got %v, want %v", name, rule.ValueOr(got, math.NaN()), want)
		}
	}
	pass, fail := ask()
	check("a pass", pass.From, 0.8132, 0)
	check("the upper end after a fail", fail.Upper, 0.8226016, 5e-8)
	check("the next pass after a fail", fail.NextPass, 0.8148, 1)
	for k := range 10 {
		a, err := l.Score(context.Background(), Submission{Values: Columns(ids, firstRight(classes, 3000+k)),
			Question: Question{Show: ShowPass, Bar: &bar}})
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
		duel := tails.Duel{Wins: c[0], Losses: c[1]}
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
		if got := duel.Evidence(false); !(got <= want+1e-9 && got >= want-1e-8) {
			t.Errorf("%v: got %v nats, want %v", c, got, want)
		}
		tail, pmf := 0., math.Pow(0.5, wins+losses)
		for k := 0.; k <= wins+losses; k++ {
			if k >= wins {
				tail += pmf
			}
			pmf *= (wins + losses - k) / (k + 1)
		}
		if got := duel.Evidence(true); !(got <= -math.Log(tail)+1e-9 && got >= -math.Log(tail)-1e-8) {
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
					mean += p * math.Exp(tails.Duel{Wins: wins, Losses: losses}.Evidence(false))
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

// The margins of a ledger of 5,000 rows are the margins of a scan of 960 bars by another program, with kl and the Beta
// code in closed form; a scan is a hair below the worst bar. No gate of 0/1 values has more, and gates of other values
// have as much, whether the looks were foretold or taken.
func TestMargin(t *testing.T) {
	l, _, ids, classes := openLedger(t, 5000)
	read := func() Status {
		t.Helper()
		s, _, err := l.Read()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := read()
	for _, c := range []struct {
		looks, passes int64
		want          float64
	}{{0, 0, .0393857}, {10, 0, .0466964}, {10, 2, .0626610}, {30, 2, .0716167}, {30, 10, .0988380}, {150, 0, .0558957},
		{150, 5, .1064899}, {1000, 30, .2352762}} {
		s.Ahead = Ahead{Looks: c.looks, Passes: c.passes}
		got, err := s.Margin()
		if err != nil || math.Abs(got-c.want) > 2e-7 {
			t.Errorf("after %d looks and %d passes: got %v, want %v (%v)", c.looks, c.passes, got, c.want, err)
		}
	}
	s.Ahead = Ahead{Looks: 12, Passes: 2}
	foretold, err := s.Margin()
	if err != nil {
		t.Fatal(err)
	}
	for k := range 12 {
		bar := 0.9
		if k < 2 {
			bar = 0.5
		}
		if _, err := l.Score(context.Background(), Submission{Values: Columns(ids, firstRight(classes, 4000+k)),
			Question: Question{Show: ShowPass, Bar: &bar}}); err != nil {
			t.Fatal(err)
		}
	}
	now, err := read().Margin()
	if err != nil || math.Abs(now-foretold) > 1e-12 {
		t.Errorf("got %v, and %v was foretold (%v)", now, foretold, err)
	}
	widest := map[string]float64{}
	for _, metric := range []string{Accuracy, "column:f"} {
		for bar := 0.01; bar < 0.9; bar += 0.03 {
			list, err := l.Price(Submission{Metric: metric, Question: Question{Show: ShowPass, Bar: &bar}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			widest[metric] = max(widest[metric], *list[0].Upper-bar)
		}
	}
	// The convex tails of a column are sharper than the relative entropy, which the margin is of.
	if counts, others := widest[Accuracy], widest["column:f"]; counts > now || others > now || others < 0.9*now {
		t.Errorf("got the margin %v, and gates have %v", now, widest)
	}
	wrong := (*InputError)(nil)
	for _, s.Ahead = range []Ahead{{Looks: -1}, {Looks: 3, Passes: 4}, {Looks: 3, Passes: -1}, {Looks: 1_000_001}} {
		if _, err := s.Margin(); !errors.As(err, &wrong) {
			t.Errorf("%v: got %v", s.Ahead, err)
		}
	}
}

// A bar that no score can pass has a price and no least score, and a look at it is refused.
func TestPriceOfABarThatNoScorePasses(t *testing.T) {
	l, dir, ids, classes := openLedger(t, 20)
	bar := 0.99
	ask := Submission{Question: Question{Show: ShowPass, Bar: &bar}}
	list, err := l.Price(ask, nil)
	if err != nil || len(list) != 1 || list[0].Verdict != Pass || list[0].From != nil || list[0].Upper != nil {
		t.Fatal(list, err)
	}
	if want := math.Log(5); math.Abs(*list[0].Price-want) > 1e-12 {
		t.Errorf("got the price %v, want %v", *list[0].Price, want)
	}
	ask.Values = Columns(ids, classes)
	wrong := (*InputError)(nil)
	if _, err := l.Score(context.Background(), ask); !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), "bar: no score can pass") {
		t.Error(err)
	}
	if s, err := ReadStatus(dir); err != nil || s.Looks != 0 {
		t.Error(s.Looks, err)
	}
}

// No byte of an open ledger's log can be edited unnoticed.
func TestEditedOpenLedger(t *testing.T) {
	l, dir, ids, classes := openLedger(t, 200)
	for k, show := range []string{ShowScore, ShowBest, ShowScore} {
		if _, err := l.Score(context.Background(), Submission{Values: Columns(ids, firstRight(classes, 150+k)),
			Question: Question{Show: show}}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, looksFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range text[:len(text)-1] {
		edited := bytes.Clone(text)
		if edited[i] ^= 1; edited[i] == '\n' || text[i] == '\n' {
			continue // lines that are cut or joined have their own test
		}
		if err := os.WriteFile(path, edited, 0o600); err != nil {
			t.Fatal(err)
		}
		if v, err := Verify(dir, ""); err == nil {
			t.Fatalf("byte %d of %q: %+v", i, text, v)
		}
	}
}

// What is known of the best truth of a board is no less than any lower end and no more than the greatest upper end of
// its looks, and a change of the rows begins anew. Other kinds of looks say nothing of it.
func TestBestTruthOfABoard(t *testing.T) {
	l, dir, ids, classes := openLedger(t, 1000)
	step := 0.05
	best := func(known *Known, count int, s Submission) {
		t.Helper()
		s.Values = Columns(ids, firstRight(classes, count))
		s.Step = &step
		a, err := l.Score(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if s.Show == ShowBest {
			known.Lower = float(max(rule.ValueOr(known.Lower, 0), *a.Open.Lower))
			known.Upper = float(max(rule.ValueOr(known.Upper, 0), *a.Open.Upper))
		} else {
			known = &Known{}
		}
		if got := a.Open.Best; !alike(got.Lower, known.Lower) || !alike(got.Upper, known.Upper) {
			t.Errorf("%d right: got %s to %s, want %s to %s", count, printed(got.Lower), printed(got.Upper), printed(known.Lower),
				printed(known.Upper))
		}
	}
	board, first := Submission{Question: Question{Show: ShowBest}}, Known{}
	for _, count := range []int{500, 700, 650, 900, 100} {
		best(&first, count, board)
		best(&first, count+1, Submission{Question: Question{Show: ShowScore}})
	}
	if *first.Upper-*first.Lower > 0.2 {
		t.Errorf("got %v to %v", *first.Lower, *first.Upper)
	}
	if _, err := l.Extend(context.Background(), Extension{Drop: ids[990:]}); err != nil {
		t.Fatal(err)
	}
	var err error
	if l, err = Open(dir, labelsIn(t, ids, classes)); err != nil {
		t.Fatal(err)
	}
	ids, classes = ids[:990], classes[:990]
	best(&Known{}, 300, board)
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
}

// The margin that the price of a response foretells is the status' margin after it, and is no less than the margin now.
func TestForetoldMargins(t *testing.T) {
	l, _, ids, classes := openLedger(t, 1000)
	margin := func() float64 {
		t.Helper()
		s, _, err := l.Read()
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.Margin()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for k, show := range []string{ShowPass, ShowScore, ShowBest, ShowPass, ShowScore} {
		s := Submission{Question: Question{Show: show}}
		if show == ShowPass {
			s.Bar = float(0.6)
		} else {
			s.Step = float(0.2)
		}
		list, err := l.Price(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		before := margin()
		s.Values = Columns(ids, firstRight(classes, 500+100*k))
		a, err := l.Score(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			off := math.Abs(r.Margin-margin()) > 1e-12 || r.Margin <= before
			if off && alike(r.Price, a.Open.Price) && alike(r.From, a.Open.From) {
				t.Errorf("%s: got the margin %v after %v, and %v was foretold", show, margin(), before, r.Margin)
			}
		}
		if !slices.ContainsFunc(list, func(r Response) bool { return alike(r.From, a.Open.From) }) {
			t.Errorf("%s: no response from %v had a price", show, printed(a.Open.From))
		}
	}
}

// What is judged elsewhere after a ledger is closed has alpha W of its tests: a level of .05 after a look that left a
// part of W is less by that part.
func TestLevelOfAClosedLedger(t *testing.T) {
	l, dir, ids, classes := openLedger(t, 100)
	bar := 0.5
	s := Submission{Values: Columns(ids, right(classes, 90)), Question: Question{Show: ShowPass, Bar: &bar}}
	a, err := l.Score(t.Context(), s)
	if err != nil || !(*a.Open.Price > 0.1) {
		t.Fatal(a, err)
	}
	_, closed, err := CloseLedger(t.Context(), dir, 0.05, 3)
	want := math.Log(0.05/3) - *a.Open.Price
	if got := closed.Level().Ln(); err != nil || !(got <= want+1e-12 && got > want-1e-9) {
		t.Errorf("got the level e^%v, want e^%v (%v)", got, want, err)
	}
}

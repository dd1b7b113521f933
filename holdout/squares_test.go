package holdout

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/open"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/transfer"
	tails "github.com/dpcalc/dpcalc/transfer/open"
)

// judged are rows with marks of a judge from lowest to highest, for an incumbent and for a candidate that is close.
func judged(t testing.TB, n int, lowest, highest, apart float64) (ids []string, labels *Labels, old, near []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(44, 20))
	var classes []string
	for i := range n {
		x := r.Float64()
		y := min(max(x+apart*r.NormFloat64(), 0), 1)
		ids, classes = append(ids, fmt.Sprint("r", i)), append(classes, fmt.Sprint(i%2))
		old = append(old, fmt.Sprint(lowest+(highest-lowest)*x))
		near = append(near, fmt.Sprint(lowest+(highest-lowest)*y))
	}
	return ids, labelsIn(t, ids, classes), old, near
}

// keptLedger is an open ledger of differences of a column, whose mean square is kept at most.
func keptLedger(t testing.TB, ids []string, labels *Labels, old []string, most float64, units Units) (*Ledger, string) {
	t.Helper()
	dir := t.TempDir() + "/ledger"
	l, err := Create(dir, labels, Terms{
		Goal:      transfer.Goal{Beta: beta(t, "0.05"), Known: transfer.Known{SecondMoment: most}},
		Incumbent: Submission{Values: Columns(ids, old), Path: dir + ".csv"},
		Asks:      Asks{Metrics: []string{"column:judge"}, Units: units},
		Unlimited: Unlimited{Open: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	return l, dir
}

// A candidate close to the incumbent has an interval far narrower than one of any difference; one that is not close is
// refused, at a price, and nothing is said of it. All responses together cost what there is.
func TestSecondMomentOfColumns(t *testing.T) {
	ids, labels, old, near := judged(t, 900, 0, 1, 0.05)
	l, dir := keptLedger(t, ids, labels, old, 0.01, Units{})
	far := make([]string, len(old))
	for i := range far {
		far[i] = fmt.Sprint(i % 2)
	}
	bar := 0.
	ask := func(values []string, show string) Submission {
		s := Submission{Metric: "column:judge", Values: Columns(ids, values), Incumbent: Columns(ids, old), Question: Question{Show: show}}
		if show == ShowPass {
			s.Bar = &bar
		}
		return s
	}
	for _, show := range []string{ShowScore, ShowPass} {
		list, err := l.Price(named(l, ask(near, show)), &bar)
		if err != nil {
			t.Fatal(err)
		}
		sum, dearest := 0., 0.
		for _, r := range list {
			if r.Others == 0 {
				sum += math.Exp(-*r.Price)
			} else {
				sum += math.Exp(-*r.Price) * float64(r.Others+1)
			}
			dearest = max(dearest, *r.Price)
		}
		last := list[len(list)-1]
		if refused := show == ShowPass && (last.Verdict != Refused || math.Abs(*last.Price-math.Log(20)) > 1e-9); refused ||
			show == ShowPass && !(sum <= 1 && sum > 1-1e-9) || dearest > transfer.UsualMost {
			t.Errorf("%s: shares of %v together, the dearest at %v: %+v", show, sum, dearest, last)
		}
	}
	wide := 2 * tails.Around{Margin: tails.Differences{Rows: 900, Disagreement: 1}}.Widest(math.Log(0.05/4),
		math.Log(0.05/4), 0) / 2
	a := takes(t, l, ask(near, ShowScore))
	if width := *a.Open.Upper - *a.Open.Lower; !(width < wide/2) || a.Open.RefusedAbove != 0.01 {
		t.Errorf("an interval of the length %v, and %v without a second moment: %+v", width, wide, a.Open)
	}
	truth := 0.
	for i := range old {
		var x, y float64
		fmt.Sscan(old[i], &x)
		fmt.Sscan(near[i], &y)
		truth += (y - x) / float64(len(old))
	}
	if !(*a.Open.Lower <= truth && truth <= *a.Open.Upper && math.Abs(*a.Response-truth) <= 0.011) {
		t.Errorf("the score %v: %+v", truth, a.Open)
	}
	for _, show := range []string{ShowScore, ShowPass} {
		a = takes(t, l, ask(far, show))
		if a.Verdict != Refused || a.Response != nil || *a.Open.Lower != -1 || *a.Open.Upper != 1 || a.Open.From != nil {
			t.Errorf("a candidate far off: %+v, %+v", a, a.Open)
		}
		repeated := ask(far, show)
		repeated.Name, repeated.Again, repeated.Values = a.Name, true, nil
		if again := takes(t, l, repeated); !again.Known || again.Spent != a.Spent || again.Verdict != Refused {
			t.Errorf("once more: %+v", again)
		}
	}
	test := ask(far, ShowReject)
	test.Test = SignTest
	if a := takes(t, l, test); a.Open.RefusedAbove != 0 || a.Verdict == Refused {
		t.Errorf("a test needs no second moment: %+v", a.Open)
	}
	if v, err := Verify(dir, ""); err != nil || v.Looks != 4 {
		t.Error(v, err)
	}
	text := string(looksOf(t, dir))
	for _, edit := range [][2]string{{`"kept":0.01`, `"kept":0.001`}, {`"verdict":"refused",`, ``}, {`"kept":0.01,`, ``}} {
		changed := strings.Replace(text, edit[0], edit[1], 1)
		if err := replayed(rechained(t, l.plan, []byte(changed))); changed == text || err == nil {
			t.Errorf("%s for %s is not seen", edit[1], edit[0])
		}
	}
	status, err := ReadStatus(dir)
	if err != nil {
		t.Fatal(err)
	}
	margin, _ := status.Margin()
	if status.Ahead = (Ahead{Looks: 50, Passes: 2}); !(margin < wide) {
		t.Errorf("the margin %v", margin)
	}
	if later, _ := status.Margin(); !(later > margin && later < 1) {
		t.Errorf("the margin %v after more looks", later)
	}
}

// However many looks were refused, no response costs more than the most, which is what a line that was cut short costs,
// and the shares of all are at most 1 together.
func TestRefusalsLeaveSomething(t *testing.T) {
	ids, labels, old, _ := judged(t, 900, 0, 1, 0.05)
	l, _ := keptLedger(t, ids, labels, old, 0.01, Units{})
	line := Line{Line: form.Line{
		Question: Question{Show: ShowPass, Bar: float(0)},
		Shown:    Shown{RefusedAbove: 0.01, Counted: form.Counted{Rows: 900, Differ: 900}},
		Request:  form.Request{Metric: "column:judge"},
	}}
	for _, most := range []float64{2, 2.5, 8, 36} {
		p := *l.plan
		law := *p.Open
		law.Most, p.Open = most, &law
		if err := open.CheckLaw(&law, p.Promise.Beta); err != nil {
			t.Fatal(err)
		}
		for _, looks := range []int64{0, 1, 16, 60, 1000, 20_000, 1 << 60} {
			for _, c := range [][2]int64{{0, 0}, {looks, 0}, {0, looks}, {looks, looks}} {
				a := rule.NewAccount()
				a.Looks[Refused], a.Rare[Refused], a.Looks[ShowPass], a.Rare[ShowPass] = looks, c[0], looks, c[1]
				cells, err := open.CellsOf(a, &p, line, open.TailsOf(&p, line))
				if err != nil {
					t.Fatal(err)
				}
				sum := 0.
				for _, cell := range cells.Responses() {
					price := -cells.LnOf(cell)
					if sum += math.Exp(-price); !(price <= most*(1+1e-15)) {
						t.Errorf("most %v, %d looks, %v of them refused and passed: the response %d costs %v", most, looks, c, cell, price)
					}
				}
				if !(sum <= 1 && sum > 1-1e-12) {
					t.Errorf("most %v, %d looks, %v of them refused and passed: shares of %v together", most, looks, c, sum)
				}
			}
		}
	}
}

// A range costs nothing: in the units of the marks the same cells are at the same prices.
func TestSecondMomentInARange(t *testing.T) {
	ids, labels, old, near := judged(t, 300, 0, 1, 0.1)
	_, _, wideOld, wideNear := judged(t, 300, 1, 6, 0.1)
	share, _ := keptLedger(t, ids, labels, old, 0.02, Units{})
	wide, dir := keptLedger(t, ids, labels, wideOld, 0.5, Units{Range: &[2]float64{1, 6}})
	ask := func(old, values []string, step float64) Submission {
		return Submission{Metric: "column:judge", Values: Columns(ids, values), Incumbent: Columns(ids, old),
			Question: Question{Show: ShowScore, Step: &step}}
	}
	a, b := takes(t, share, ask(old, near, 0.02)), takes(t, wide, ask(wideOld, wideNear, 0.1))
	off := math.Abs(*a.Open.Price-*b.Open.Price) + math.Abs(5**a.Open.Lower-*b.Open.Lower)
	off += math.Abs(5**a.Response - *b.Response)
	if off > 1e-6 {
		t.Errorf("%+v and %+v", a.Open, b.Open)
	}
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
}

// A fixed plan for a column ends with a look above its second moment, and a line that was cut short may have been one.
// Of predictions it refuses a candidate that differs on too many rows, whatever the labels are, and that costs nothing.
func TestSecondMomentOfPlans(t *testing.T) {
	ids, labels, old, near := judged(t, 400, 0, 1, 0.2)
	terms := Terms{Incumbent: Submission{Values: Columns(ids, old)}, Asks: Asks{Metrics: []string{"column:judge"}}}
	terms.Goal = transfer.Goal{Queries: 20, Beta: beta(t, "0.05"), Query: transfer.Difference}
	terms.Goal.Shown = transfer.Shown{Feedback: transfer.Gate, Passes: 1}
	terms.Goal.Known = transfer.Known{SecondMoment: 0.13, Checked: true}
	bar := 0.1
	ask := func(values []string) Submission {
		return Submission{Values: Columns(ids, values), Incumbent: Columns(ids, old), Question: Question{Bar: &bar}}
	}
	far := make([]string, len(old))
	for i := range far {
		far[i] = fmt.Sprint(i % 2)
	}
	for _, feedback := range []transfer.Feedback{transfer.Gate, transfer.Final} {
		terms.Goal.Feedback, terms.Goal.Passes = feedback, rule.BoolToInt(feedback == transfer.Gate)
		l, dir := ledgerOf(t, labels, terms)
		if p := l.plan; p.Method == "gate" && math.Abs(p.Promise.Tau-0.0727661) > 1e-6 || p.Promise.SecondMoment != 0.13 {
			t.Errorf("%s: %+v", p.Method, p.Promise)
		}
		looks := []Submission{named(l, ask(near)), named(l, ask(far))}
		if feedback == transfer.Final {
			looks[0].Bar, looks[1].Bar = nil, nil
			answers, err := l.ScoreAll(context.Background(), looks)
			if err != nil || answers[0].Response == nil || answers[1].Response != nil || answers[1].Verdict != Refused {
				t.Errorf("%+v, %v", answers, err)
			}
		} else {
			if a := takes(t, l, looks[0]); a.Verdict != Fail {
				t.Errorf("%+v", a)
			}
			if a := takes(t, l, looks[1]); a.Verdict != Refused || a.Response != nil || a.Remaining != (Remaining{}) {
				t.Errorf("%+v", a)
			}
			bar = 0.2
			over := (*RefusedError)(nil)
			if _, err := l.Score(context.Background(), named(l, ask(near))); !errors.As(err, &over) {
				t.Errorf("after the end: %v", err)
			}
			bar = 0.1
		}
		h := newHistory(l.plan)
		h.Torn(`{"event":"look"`)
		if h.Plan.Rule.Remaining(h.Past) != (Remaining{}) {
			t.Error("a line that was cut short may have been a refusal")
		}
		if _, err := Verify(dir, ""); err != nil {
			t.Error(err)
		}
	}

	terms = Terms{Goal: transfer.Goal{Queries: 20, Beta: beta(t, "0.05"), Query: transfer.Difference}}
	terms.Goal.Shown = transfer.Shown{Feedback: transfer.Gate, Passes: 1}
	terms.Goal.Known = transfer.Known{SecondMoment: 0.25}
	var said [2]string
	for k := range said {
		ids, classes := rowsOf(t, 400, uint64(k))
		base, other := make([]string, 400), make([]string, 400)
		for i := range base {
			base[i], other[i] = fmt.Sprint(i%3), fmt.Sprint((i+int(rule.BoolToInt(i%3 == 0)))%3)
		}
		terms.Incumbent = Submission{Values: Columns(ids, base)}
		l, _ := ledgerOf(t, labelsIn(t, ids, classes), terms)
		_, err := l.Score(context.Background(),
			Submission{Values: Columns(ids, other), Incumbent: Columns(ids, base), Question: Question{Bar: &bar}})
		status, lines, bad := Read(l.rows.Dir)
		if bad != nil || len(lines) > 0 || status.Looks > 0 {
			t.Errorf("a refusal costs something: %v, %v", lines, bad)
		}
		said[k] = fmt.Sprint(err)
	}
	if said[0] != said[1] || !strings.Contains(said[0], "differs from the incumbent on 134 of 400 rows") {
		t.Errorf("what is said depends on the labels: %v", said)
	}
}

// A second moment is declared where it says something, and one line says what is wrong.
func TestDeclaredSecondMoments(t *testing.T) {
	ids, labels, old, _ := judged(t, 50, 0, 1, 0.1)
	classes := make([]string, 50)
	base := Submission{Values: Columns(ids, old)}
	words := Submission{Values: Columns(ids, classes)}
	column := []string{"column:judge"}
	of := func(known transfer.Known) transfer.Goal {
		return transfer.Goal{Queries: 5, Beta: beta(t, "0.05"), Query: transfer.Difference, Known: known}
	}
	free := func(v float64) transfer.Goal {
		return transfer.Goal{Beta: beta(t, "0.05"), Known: transfer.Known{SecondMoment: v}}
	}
	for _, c := range []struct {
		want  string
		terms Terms
	}{
		{"second-moment: got 0.1 without an incumbent", Terms{Goal: free(0.1), Asks: Asks{Metrics: column}, Unlimited: Unlimited{Open: true}}},
		{"second-moment: got 0.1 with accuracy, want a column", Terms{Goal: free(0.1), Incumbent: words, Unlimited: Unlimited{Open: true}}},
		{"second-moment: got 2, want a number in (0, 1]", Terms{Goal: free(2), Incumbent: base, Asks: Asks{Metrics: column}, Unlimited: Unlimited{Open: true}}},
		{"second-moment: got -1, want a number in (0, 1]", Terms{Goal: free(-1), Incumbent: base, Asks: Asks{Metrics: column}, Unlimited: Unlimited{Open: true}}},
		{"second-moment: got NaN, want a number in (0, 1]", Terms{Goal: free(math.NaN()), Incumbent: base, Asks: Asks{Metrics: column}, Unlimited: Unlimited{Open: true}}},
		{"enforce: got nothing with the second moment of a column", Terms{Goal: of(transfer.Known{SecondMoment: 0.1}), Incumbent: base, Asks: Asks{Metrics: column}}},
		{"enforce: got it with accuracy, want none", Terms{Goal: of(transfer.Known{SecondMoment: 0.1, Checked: true}), Incumbent: words}},
		{"disagreement: got 0.1 with column:judge, want --second-moment and --enforce", Terms{Goal: of(transfer.Known{Disagreement: 0.1}), Incumbent: base, Asks: Asks{Metrics: column}}},
		{"most: got 1.5 with a second moment, want nats from 2 to 36", Terms{Goal: free(0.1), Incumbent: base, Asks: Asks{Metrics: column}, Unlimited: Unlimited{Open: true, Most: 1.5}}},
		{"metrics: got nothing", Terms{Goal: free(0.1), Incumbent: base, Asks: Asks{Metrics: []string{}}, Unlimited: Unlimited{Open: true}}},
		{"second-moment: got it beside a disagreement", Terms{Goal: of(transfer.Known{SecondMoment: 0.1, Disagreement: 0.1}), Incumbent: words}},
	} {
		_, err := Create(t.TempDir()+"/x", labels, c.terms)
		if wrong := (*InputError)(nil); !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

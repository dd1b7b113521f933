package holdout

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/fixed"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// arrivingRows are the rows from one number to another, with labels that follow from the number.
func arrivingRows(from, to int) (ids, classes []string) {
	for i := from; i < to; i++ {
		ids, classes = append(ids, fmt.Sprint("r", i)), append(classes, fmt.Sprint(i*i%7%2))
	}
	return ids, classes
}

// arrivingTerms are for two looks at 400 rows, two at 600 and one at 650.
func arrivingTerms(t testing.TB) Terms {
	return Terms{Goal: transfer.Goal{Samples: 400, Queries: 5, Beta: beta(t, "0.05"), Arrival: &transfer.Arrival{
		Stages: []transfer.Stage{{Until: 2}, {More: 200, Until: 4}, {More: 250, Until: 5}}}}}
}

// arrivingLedger has 450 rows at first.
func arrivingLedger(t testing.TB) (l *Ledger, dir string) {
	t.Helper()
	ids, classes := arrivingRows(0, 450)
	dir = filepath.Join(t.TempDir(), "ledger")
	l, err := Create(dir, labelsIn(t, ids, classes), arrivingTerms(t))
	if err != nil {
		t.Fatal(err)
	}
	return l, dir
}

// arrived opens the ledger with the rows that came later in files up to these numbers.
func arrived(t testing.TB, dir string, ends ...int) *Ledger {
	t.Helper()
	var files []*Labels
	from := 0
	for _, to := range append([]int{450}, ends...) {
		ids, classes := arrivingRows(from, to)
		files, from = append(files, labelsIn(t, ids, classes)), to
	}
	l, err := Open(dir, files...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// firstRows are predictions of so many rows, right but for one in a number, which tells submissions apart.
func firstRows(rows, wrong int) (s Submission, mean float64) {
	ids, classes := arrivingRows(0, rows)
	right := 0
	for i := range classes {
		if i%wrong == 0 {
			classes[i] = "wrong"
		} else {
			right++
		}
	}
	return Submission{Values: Columns(ids, classes)}, float64(right) / float64(rows)
}

// Every look is about exactly the rows that are planned for it, whatever has come: the answer is within the cut of its
// noise of their mean, and no predictions of other rows are taken. A look whose rows have not all come is refused and
// costs nothing, and the line says how many are to come. A look that is known is repeated at its own rows.
func TestLooksAtTheFirstRows(t *testing.T) {
	l, dir := arrivingLedger(t)
	var noise []theory.NoiseBlock
	for _, b := range l.plan.Mechanism.Noise {
		for range b.Queries {
			noise = append(noise, b)
		}
	}
	planned := []int{400, 400, 600, 600, 650}
	coming, ends := []int{590, 700}, []int{}
	hand := 450
	for look, rows := range planned {
		s, mean := firstRows(rows, 3+look)
		if noise[look].Rows != int64(rows) {
			t.Fatalf("look %d has noise for %d rows, want %d", look+1, noise[look].Rows, rows)
		}
		for hand < rows {
			before := looksOf(t, dir)
			waiting := (*RefusedError)(nil)
			want := fmt.Sprintf("refused: look %d is about the first %d rows, and %d are at hand: add %d rows before it", look+1, rows,
				hand, rows-hand)
			some, _ := firstRows(hand, 3)
			for _, early := range []Submission{s, some} {
				a, err := l.Score(context.Background(), early)
				if !errors.As(err, &waiting) || err.Error() != want || a.Response != nil {
					t.Fatalf("got %+v, %v, want %s", a, err, want)
				}
			}
			bar := 0.5
			for field, change := range map[string]func(*Submission){
				"name: ": func(s *Submission) { s.Name = "\x1b[31m" }, "team: ": func(s *Submission) { s.Team = "\n" },
				"bar: ": func(s *Submission) { s.Bar = &bar }, "metric: ": func(s *Submission) { s.Metric = "rmse" },
				"show: ": func(s *Submission) { s.Show = ShowScore },
			} {
				wrong, early := (*InputError)(nil), s
				change(&early)
				a, err := l.Score(context.Background(), early)
				if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), field) {
					t.Errorf("got %+v, %v, want an error of %s", a, err, field)
				}
			}
			if string(looksOf(t, dir)) != string(before) {
				t.Fatal("a look that waits has written something")
			}
			to := coming[0]
			coming = coming[1:]
			ids, classes := arrivingRows(hand, to)
			changed, err := l.Extend(context.Background(), Extension{Labels: labelsIn(t, ids, classes)})
			if !changed || err != nil {
				t.Fatal(changed, err)
			}
			gone := (*ExtendedError)(nil)
			if _, err := l.Score(context.Background(), s); !errors.As(err, &gone) {
				t.Errorf("opened before rows came: got %v", err)
			}
			hand, ends = to, append(ends, to)
			l = arrived(t, dir, ends...)
		}
		wrong := (*InputError)(nil)
		for _, other := range []int{rows - 1, rows + 1, hand, planned[0], 650} {
			if more, _ := firstRows(other, 9); other != rows && other <= hand {
				if a, err := l.Score(context.Background(), more); !errors.As(err, &wrong) {
					t.Errorf("look %d at %d rows takes %d: %+v, %v", look+1, rows, other, a, err)
				}
			}
		}
		a, err := l.Score(context.Background(), s)
		if err != nil || a.Look != int64(look+1) || a.Rows != int64(rows) {
			t.Fatalf("look %d: %+v, %v", look+1, a, err)
		}
		if most := noise[look].Cut * noise[look].Scale * 1.001; math.Abs(*a.Response-mean) > most {
			t.Errorf("look %d: got %v, want within %v of %v", look+1, *a.Response, most, mean)
		}
		again, _ := firstRows(planned[0], 3)
		known, err := l.Score(context.Background(), again)
		if err != nil || !known.Known || known.Look != 1 || known.Rows != 400 {
			t.Errorf("the first look after look %d: %+v, %v", look+1, known, err)
		}
	}
	over := (*RefusedError)(nil)
	last, _ := firstRows(650, 20)
	if _, err := l.Score(context.Background(), last); !errors.As(err, &over) || !strings.Contains(err.Error(), "used up") {
		t.Errorf("got %v after the last look", err)
	}
	v, err := Verify(dir, "")
	if err != nil || v.Looks != 5 || v.Rows != 700 {
		t.Errorf("got %+v, %v", v, err)
	}
}

// Rows are added to a plan with rows that arrive, and nothing else: none is replaced or dropped, none comes twice, and
// slices, groups, benchmarks and differences have no plan.
func TestRowsThatArriveAreKept(t *testing.T) {
	l, dir := arrivingLedger(t)
	ids, classes := arrivingRows(450, 500)
	more := labelsIn(t, ids, classes)
	old, oldClasses := arrivingRows(440, 460)
	for want, e := range map[string]Extension{
		"extend: got rows to replace": {Labels: more, Replace: true},
		"extend: got rows to drop":    {Drop: []string{"r1"}},
		"features: got some":          {Labels: more, Features: featuresOf(t, ids)},
		"labels: got the id r440":     {Labels: labelsIn(t, old, oldClasses)},
		"labels: got nothing":         {},
	} {
		want = strings.Replace(want, "rows to drop", "rows to replace or to drop", 1)
		wrong := (*InputError)(nil)
		changed, err := l.Extend(context.Background(), e)
		if changed || !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, %v, want %s", changed, err, want)
		}
	}
	s, _ := firstRows(400, 3)
	s.Question = Question{Show: ShowPass, Where: "part=half"}
	if _, err := l.Score(context.Background(), s); err == nil || !strings.HasPrefix(err.Error(), "show: ") {
		t.Errorf("a slice: got %v", err)
	}
	if len(looksOf(t, dir)) > 0 {
		t.Error("something was written")
	}
	for want, change := range map[string]func(*Terms){
		"arrive: got it with differences":        func(t *Terms) { t.Goal.Query = transfer.Difference },
		"arrive: got it with the feedback best":  func(t *Terms) { t.Goal.Feedback = transfer.Best },
		"arrive: got it with the feedback final": func(t *Terms) { t.Goal.Feedback = transfer.Final },
		"arrive: got it with --group": func(t *Terms) {
			t.Group = "doc"
			t.Find(&Sizes{Count: 450, Rows: 450, Largest: 1, Squares: 450}, nil)
		},
		"arrive: got 450 labels, want at least": func(t *Terms) { t.Goal.Samples = 451 },
		"test: got more than": func(t *Terms) {
			t.Test, t.Goal.Feedback, t.Goal.Query = SignTest, transfer.Gate, transfer.Difference
		},
		"open: got other terms than beta": func(t *Terms) { t.Open = true },
	} {
		terms := arrivingTerms(t)
		change(&terms)
		if _, err := Certify(terms, 450); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A plan or a log that was edited does not verify: noise that is louder, for other rows, or
// for no number of them, and looks at other rows or before they came.
func TestEditedArrivals(t *testing.T) {
	l, dir := arrivingLedger(t)
	for name, change := range map[string]func(*Plan){
		"louder":         func(p *Plan) { p.Mechanism.Noise[0].Scale *= 1.5 },
		"fewer at first": func(p *Plan) { p.Mechanism.Noise[0].Rows, p.Mechanism.Noise[1].Rows = 300, 300 },
		"fewer later":    func(p *Plan) { p.Mechanism.Noise[4].Rows = 500 },
		"no rows":        func(p *Plan) { p.Mechanism.Noise[0].Rows = 0 },
		"no arrival":     func(p *Plan) { p.Arrival = nil },
		"a wide answer":  func(p *Plan) { p.Mechanism.Noise[0].Tau = 0.9 },
		"no noise":       func(p *Plan) { p.Mechanism.Noise = nil },
		"fewer in file":  func(p *Plan) { p.Arrival = &form.Arrival{Rows: 399} },
		"a board":        func(p *Plan) { p.Promise.Feedback = "best" },
		"clusters": func(p *Plan) {
			sizes := Sizes{Count: 400, Rows: 400, Largest: 1, Squares: 400}
			p.Group = &form.Group{Column: "doc", Weights: ByClusters, Clusters: sizes, Features: &LabelsFile{}}
		},
		"no arrival, and noise for a negative number of rows": func(p *Plan) {
			p.Arrival, p.Promise.Queries = nil, 2
			p.Mechanism.Noise = []theory.NoiseBlock{p.Mechanism.Noise[0], p.Mechanism.Noise[1]}
			p.Mechanism.Noise[0].Rows, p.Mechanism.Noise[1].Rows = -400, -400
		},
	} {
		edited := *l.plan
		edited.Mechanism.Noise = slices.Clone(l.plan.Mechanism.Noise)
		change(&edited)
		if err := reverified(&edited); err == nil {
			t.Errorf("%s: verifies", name)
		}
	}
	free, err := Certify(Terms{Goal: transfer.Goal{Beta: beta(t, "0.05")}, Unlimited: Unlimited{Open: true}}, 450)
	if err != nil {
		t.Fatal(err)
	}
	free.Arrival = &form.Arrival{Rows: 450}
	if err := reverified(free); err == nil {
		t.Error("an open ledger with rows that arrive: verifies")
	}
	text := files(t, dir)[planFile]
	more := *l.plan
	more.Arrival = &form.Arrival{Rows: 500}
	if err := encode(&more); err != nil {
		t.Fatal(err)
	}
	for plan, want := range map[string]string{string(more.Sealed): "made for 500 rows, and its labels are 450", text: "<nil>"} {
		if err := os.WriteFile(filepath.Join(dir, planFile), []byte(plan), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, l.rows.Files...); !strings.HasSuffix(fmt.Sprint(err), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, planFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := firstRows(400, 3)
	if _, err := l.Score(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	ids, classes := arrivingRows(450, 700)
	if _, err := l.Extend(context.Background(), Extension{Labels: labelsIn(t, ids, classes)}); err != nil {
		t.Fatal(err)
	}
	h, err := journalOf(dir).Read()
	if err != nil || replayed(h) != nil {
		t.Fatal(err, replayed(h))
	}
	for name, edit := range map[string]func([]Line) []Line{
		"other rows": func(l []Line) []Line { l[0].Rows = 450; return l },
		"replaced":   func(l []Line) []Line { l[1].Replace = true; return l },
		"dropped":    func(l []Line) []Line { l[1].Dropped = []string{"r1"}; return l },
		"none came":  func(l []Line) []Line { l[1].Rows = 450; return l },
		"too early": func(l []Line) []Line {
			second, third := l[0], l[0]
			second.Look, third.Look, third.Rows = 2, 3, 600
			return []Line{l[0], second, third, l[1]}
		},
	} {
		edited := *h
		edited.Lines = edit(slices.Clone(h.Lines))
		if err := replayed(&edited); err == nil {
			t.Errorf("%s: verifies", name)
		}
	}
}

// An extension whose line was cut anywhere leaves the rows before it. Its beginning, which may be the beginning of a
// look, is a look, whose noise is spent.
func TestArrivalCutAnywhere(t *testing.T) {
	l, dir := arrivingLedger(t)
	s, _ := firstRows(400, 3)
	if _, err := l.Score(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	before := looksOf(t, dir)
	ids, classes := arrivingRows(450, 700)
	more := labelsIn(t, ids, classes)
	if _, err := l.Extend(context.Background(), Extension{Labels: more}); err != nil {
		t.Fatal(err)
	}
	line := looksOf(t, dir)[len(before):]
	for cut := 1; cut < len(line); cut++ {
		for _, zeros := range []int{0, 5} {
			looksOf(t, dir, before, line[:cut], make([]byte, zeros))
			h, err := journalOf(dir).Read()
			if err != nil {
				t.Fatalf("cut after %d bytes and %d zeros: %v", cut, zeros, err)
			}
			rows, looks := int64(450), int64(1)
			if cut == len(line)-1 && zeros == 0 {
				rows = 700
			} else if cut < len(rule.ChangedHead) {
				looks = 2
			}
			if h.Samples() != rows || h.Looks != looks {
				t.Fatalf("cut after %d bytes and %d zeros: got %d rows and %d looks, want %d and %d", cut, zeros, h.Samples(), h.Looks,
					rows, looks)
			}
			if cut%40 != 0 || zeros > 0 {
				continue
			}
			l, err := Open(dir, l.rows.Files...)
			if err != nil {
				t.Fatal(err)
			}
			if changed, err := l.Extend(context.Background(), Extension{Labels: more}); !changed || err != nil {
				t.Fatalf("cut after %d bytes: the extension was not made: %v", cut, err)
			}
			if v, err := Verify(dir, ""); err != nil || v.Rows != 700 {
				t.Fatalf("cut after %d bytes: %+v, %v", cut, v, err)
			}
		}
	}
	two := len(line) + len(`{"event":"retired","time":"2006-01-02T15:04:05Z","chain":""}`+"\n") + 64
	looksOf(t, dir, before, make([]byte, two))
	if _, err := journalOf(dir).Read(); err == nil {
		t.Error("zeros in the place of an extension and the end are taken for one line that a crash has cut")
	}
}

// gaussian-open has no number of looks: look j is within a tau of its own, as far as the schedule has been computed,
// and the line says so beyond. A ledger for more looks begins with the noise of one for fewer.
func TestLooksWithoutANumber(t *testing.T) {
	goal := transfer.Goal{Beta: beta(t, "0.05")}
	free, err := Certify(Terms{Goal: goal, Method: fixed.OpenMethod}, 400)
	if err != nil {
		t.Fatal(err)
	}
	goal.Queries = 6
	six, err := Certify(Terms{Goal: goal, Method: fixed.OpenMethod}, 400)
	if err != nil {
		t.Fatal(err)
	}
	for look := range int64(6) {
		one, _ := rule.NoiseAt(six.Mechanism.Noise, look)
		many, _ := rule.NoiseAt(free.Mechanism.Noise, look)
		if one.Scale != many.Scale || one.Cut != many.Cut {
			t.Errorf("look %d has the noise %v of 6 and %v of %d", look+1, one, many, free.Promise.Queries)
		}
		if tau := six.Tau(look + 1); tau > six.Tau(look+2) && look < 5 || tau > six.Promise.Tau || tau != free.Tau(look+1) {
			t.Errorf("look %d of 6 is within %v, and of %d within %v", look+1, tau, free.Promise.Queries, free.Tau(look+1))
		}
	}
	if m := free.Promise.Queries; m < 50 || !(free.Promise.Tau < 0.5) || !(six.Promise.Tau < free.Promise.Tau) {
		t.Errorf("got %d looks within %v, and 6 within %v", m, free.Promise.Tau, six.Promise.Tau)
	}
	ids, classes := arrivingRows(0, 400)
	dir := filepath.Join(t.TempDir(), "ledger")
	l, err := Create(dir, labelsIn(t, ids, classes), Terms{Goal: goal, Method: fixed.OpenMethod})
	if err != nil {
		t.Fatal(err)
	}
	for look := range 6 {
		s, mean := firstRows(400, 3+look)
		a, err := l.Score(context.Background(), s)
		b, _ := rule.NoiseAt(six.Mechanism.Noise, int64(look))
		if err != nil || math.Abs(*a.Response-mean) > b.Cut*b.Scale*1.001 {
			t.Fatalf("look %d: %+v, %v", look+1, a, err)
		}
	}
	s, _ := firstRows(400, 20)
	if _, err := l.Score(context.Background(), s); err == nil ||
		err.Error() != "refused: the schedule has been computed up to look 6, and nothing is claimed beyond" {
		t.Errorf("beyond the last: %v", err)
	}
	if _, err := l.Extend(context.Background(), Extension{Labels: moreRows(t, 0)}); err == nil {
		t.Error("rows came to a plan without arrivals")
	}
	if v, err := Verify(dir, ""); err != nil || v.Looks != 6 {
		t.Error(v, err)
	}
	for want, terms := range map[string]Terms{
		"feedback: got gate without": {Goal: transfer.Goal{Beta: goal.Beta, Queries: 5, Shown: transfer.Shown{Feedback: transfer.Gate}}},
		"goal: got two or more":      {Goal: transfer.Goal{Queries: 5}},
	} {
		terms.Method = fixed.OpenMethod
		if _, err := Certify(terms, 400); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

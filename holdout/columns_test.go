package holdout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/transfer"
)

// unread is a table that must not be read.
func unread(t *testing.T) Table {
	return func(func(id, value string) error) error {
		t.Error("values were read")
		return errors.New("read")
	}
}

// columnTerms are terms of ledgers that are asked of a column.
func columnTerms(t testing.TB, ids, base []string) map[string]Terms {
	column := []string{"column:ok"}
	goal := func(f transfer.Feedback, q transfer.Query) transfer.Goal {
		return transfer.Goal{Queries: 40, Tau: 0.5, Beta: beta(t, "0.1"), Query: q, Shown: transfer.Shown{Feedback: f}}
	}
	open := transfer.Goal{Beta: beta(t, "0.1")}
	gate := goal(transfer.Gate, transfer.Difference)
	gate.Tau, gate.Queries = 0.9, 20
	return map[string]Terms{
		"open":  {Goal: open, Asks: Asks{Metrics: column}, Unlimited: Unlimited{Open: true}},
		"mixed": {Goal: open, Asks: Asks{Metrics: []string{Accuracy, "column:ok"}}, Unlimited: Unlimited{Open: true}},
		"gate":  {Goal: goal(transfer.Gate, transfer.Binary), Asks: Asks{Metrics: column}},
		"best":  {Goal: goal(transfer.Best, transfer.Bounded), Asks: Asks{Metrics: column}},
		"difference": {Goal: open, Incumbent: Submission{Values: Columns(ids, base)}, Asks: Asks{Metrics: column},
			Unlimited: Unlimited{Open: true}},
		"compared": {Goal: gate, Incumbent: Submission{Values: Columns(ids, base)}, Asks: Asks{Metrics: column}},
	}
}

// asksColumn is a look at a column of a ledger, which fails wherever it can pass or fail.
func asksColumn(p *Plan, name string, ids, values []string) Submission {
	s := Submission{Name: name, Metric: "column:ok", Values: Columns(ids, values)}
	if p.IsOpen() {
		s.Show = ShowPass
	}
	if p.IsOpen() || p.Goal.Feedback == transfer.Gate {
		s.Bar = float(0.4)
	}
	if p.Goal.Query == transfer.Difference {
		s.Bar = float(0.05)
	}
	return s
}

// Two candidates of equal values are two looks, each with its price: an answer that says that values are equal says
// that two candidates are right on the same rows.
func TestEqualColumnsAreTwoLooks(t *testing.T) {
	ids, classes := rowsOf(t, 400, 1)
	ok := slices.Repeat([]string{"1", "0", "0", "0"}, 100)
	for kind, terms := range columnTerms(t, ids, ok) {
		l, dir := ledgerOf(t, LabelsOf(t, ids, classes), terms)
		a := takes(t, l, asksColumn(l.plan, "first", ids, ok))
		b := takes(t, l, asksColumn(l.plan, "second", ids, ok))
		if a.Look != 1 || b.Look != 2 || b.Known || a.Fingerprint+b.Fingerprint != "" || a.Key == b.Key {
			t.Errorf("%s: %+v and %+v", kind, a, b)
		}
		if a.Open != nil && !(b.Spent > a.Spent) {
			t.Errorf("%s: the second look is free", kind)
		}
		if _, err := Verify(dir, ""); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// A key that has an answer is refused before any value is read, and its answer needs no values. A look without a name
// has no key.
func TestKeysOfColumns(t *testing.T) {
	ids, classes := rowsOf(t, 400, 1)
	ok := slices.Repeat([]string{"1", "0", "0", "0"}, 100)
	for kind, terms := range columnTerms(t, ids, ok) {
		l, dir := ledgerOf(t, LabelsOf(t, ids, classes), terms)
		first := asksColumn(l.plan, "prompt 17", ids, ok)
		a := takes(t, l, first)
		before := files(t, dir)
		again, other, unnamed, log := first, first, first, first
		again.Again, again.Values = true, nil
		b, err := l.Score(context.Background(), again)
		same := b.Known && b.Look == 1 && b.Key == a.Key && b.Verdict == a.Verdict
		if err != nil || !same || printed(b.Response) != printed(a.Response) {
			t.Errorf("%s: again: %+v, %v", kind, b, err)
		}
		other.Name, other.Again = "prompt 18", true
		unnamed.Name = ""
		for _, c := range []struct {
			want string
			s    Submission
		}{
			{`name: "prompt 17" is look 1: --again prints its answer, another --name takes a new look`, first},
			{`again: got no look at column:ok by the name "prompt 18" and this question`, other},
			{"name: got nothing, want a name for a look at column:ok", unnamed},
		} {
			c.s.Values = unread(t)
			for _, look := range []func() error{
				func() error { _, err := l.Score(context.Background(), c.s); return err },
				func() error { _, err := l.Preview(c.s); return err },
			} {
				wrong := (*InputError)(nil)
				if err := look(); !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: got %v, want %s", kind, err, c.want)
				}
			}
		}
		if fmt.Sprint(files(t, dir)) != fmt.Sprint(before) {
			t.Errorf("%s: a refused look has changed the files", kind)
		}
		log.Reading = &Reading{Tool: "csv", Value: "ok"}
		if c := takes(t, l, log); c.Look != 2 || c.Key == a.Key {
			t.Errorf("%s: another reading is not another look: %+v", kind, c)
		}
	}
	l, _ := ledgerOf(t, LabelsOf(t, ids, classes), Terms{Goal: transfer.Goal{Beta: beta(t, "0.1")},
		Unlimited: Unlimited{Open: true}})
	_, err := l.Score(context.Background(), Submission{Again: true, Name: "x", Question: Question{Show: ShowScore}})
	if err == nil || !strings.Contains(err.Error(), "want none but of a column") {
		t.Errorf("again without a column: %v", err)
	}
}

// Files do not depend on the values of columns but through answers: two ledgers of one salt and one clock, asked of
// columns with the same answers and other values, have the same bytes, and kept files of the same size.
func TestColumnFilesTellNothing(t *testing.T) {
	ids, classes := rowsOf(t, 400, 1)
	bases := [2][]string{slices.Repeat([]string{"0", "0", "0", "1"}, 100), slices.Repeat([]string{"0", "1", "0", "0"}, 100)}
	firsts := [2][]string{slices.Repeat([]string{"1", "0", "0", "0"}, 100), slices.Repeat([]string{"0", "1", "0", "0"}, 100)}
	seconds := [2][]string{slices.Repeat([]string{"0", "0", "1", "0"}, 100), slices.Repeat([]string{"0", "1", "0", "0"}, 100)}
	for kind, terms := range columnTerms(t, ids, bases[0]) {
		var seen [2]string
		for world := range seen {
			if terms.Incumbent.Values != nil {
				terms.Incumbent.Values = Columns(ids, bases[world])
			}
			dir := filepath.Join(t.TempDir(), "ledger")
			l, plan, err := prepared(dir, LabelsOf(t, ids, classes), terms)
			if err != nil {
				t.Fatal(err)
			}
			fix(l)
			if err := l.create(plan); err != nil {
				t.Fatal(err)
			}
			plan.Salt = strings.Repeat("s", 52)
			if err := encode(plan); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, planFile), plan.Sealed, 0o600); err != nil {
				t.Fatal(err)
			}
			forget(l)
			for i, values := range [][]string{firsts[world], seconds[world], firsts[world]} {
				s := asksColumn(l.plan, fmt.Sprint("candidate ", i), ids, values)
				if i == 2 && l.plan.Compares() { // and is the incumbent from there on
					s.Bar = float(-0.95)
				}
				a := takes(t, l, s)
				if i == 2 && l.plan.Compares() && a.Verdict != Pass {
					t.Errorf("%s: %+v", kind, a)
				}
				seen[world] += fmt.Sprintln(a.Look, a.Verdict, printed(a.Response), a.Key, a.Chain)
			}
			for _, name := range slices.Sorted(func(yield func(string) bool) {
				for name := range files(t, dir) {
					yield(name)
				}
			}) {
				text := files(t, dir)[name]
				if strings.HasPrefix(name, "incumbent-") {
					text = fmt.Sprint(len(text))
				}
				seen[world] += name + "\n" + text
			}
		}
		if seen[0] != seen[1] {
			t.Errorf("%s:\n%s\nand\n%s", kind, seen[0], seen[1])
		}
	}
}

// A pass makes the candidate the incumbent, whose values the ledger keeps: the next one is compared with these, and
// with no file. What is kept is on the disk before the line that names it.
func TestIncumbentOfAColumn(t *testing.T) {
	r := rand.New(rand.NewPCG(58, 1))
	ids, classes := rowsOf(t, 300, 1)
	columns := make([][]string, 4)
	for k := range columns {
		for range ids {
			columns[k] = append(columns[k], fmt.Sprint(float64(r.IntN(20)+10*k)/100))
		}
	}
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), columnTerms(t, ids, columns[0])["difference"])
	score := func(name string, values []string, q Question, bar *float64) (Answer, error) {
		return l.Score(context.Background(), Submission{Name: name, Values: Columns(ids, values), Question: barred(q, bar)})
	}
	mean := func(values []string) (sum float64) {
		for _, text := range values {
			var x float64
			fmt.Sscan(text, &x)
			sum += x / float64(len(values))
		}
		return sum
	}
	base := 0
	for k := 1; k < len(columns); k++ {
		a, err := score(fmt.Sprint("score ", k), columns[k], Question{Show: ShowScore}, nil)
		want := mean(columns[k]) - mean(columns[base])
		if err != nil || !(*a.Open.From-1e-9 <= want && want <= *a.Open.Below+1e-9) {
			t.Errorf("look at %d against %d: %+v, want %v, %v", k, base, a.Open, want, err)
		}
		gate := fmt.Sprint("gate ", k)
		if a, err = score(gate, columns[k], Question{Show: ShowPass}, float(-0.9)); err != nil || a.Verdict != Pass {
			t.Fatalf("%+v, %v", a, err)
		}
		base = k
		_, err = score(gate, columns[k], Question{Show: ShowScore}, nil)
		if err == nil || !strings.Contains(err.Error(), "got the incumbent itself") {
			t.Errorf("the incumbent by its name: %v", err)
		}
	}
	if kept := len(files(t, dir)); kept != 2+4 {
		t.Errorf("%d files, want two and those of four incumbents", kept)
	}
	filed := Submission{Name: "x", Values: Columns(ids, columns[0]), Incumbent: unread(t)}
	filed.Show = ShowScore
	if _, err := l.Score(context.Background(), filed); err == nil {
		t.Error("an incumbent by a file is taken")
	}
	for _, step := range []string{"written", "cut"} { // the candidate cannot be kept: its look is not taken
		before := files(t, dir)
		fix(l)
		write := l.journal.Hooks.Write
		l.journal.Hooks.Write = func(f *os.File, b []byte) (int, error) {
			if strings.HasPrefix(filepath.Base(f.Name()), "incumbent-") {
				n, _ := write(f, b[:len(b)/2])
				return n, errors.New("the disk is full")
			}
			if step == "cut" {
				return write(f, b)
			}
			t.Error("a line was written before the values that it names")
			return 0, errors.New("too early")
		}
		if _, err := score("late", columns[0], Question{Show: ShowPass}, float(-0.9)); err == nil {
			t.Error("a look without its kept values is answered")
		}
		if after := files(t, dir); after[looksFile] != before[looksFile] || after[planFile] != before[planFile] {
			t.Errorf("%s: the look was taken", step)
		}
	}
	fix(l)
	if a, err := score("late", columns[0], Question{Show: ShowPass}, float(-0.9)); err != nil || a.Verdict != Pass {
		t.Errorf("after a full disk: %+v, %v", a, err)
	}
	if v, err := Verify(dir, ""); err != nil || v.Looks != 7 {
		t.Error(v, err)
	}
	path := filepath.Join(dir, filepath.Base(seen(t, l).incumbent().Path))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte(" "), []byte(" x"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(dir, ""); err == nil {
		t.Error("an edited incumbent verifies")
	}
}

// Looks at a column are of one model only where one command asked them of the same values, which are read once.
func TestColumnsJoinWithinACommand(t *testing.T) {
	ids, classes := rowsOf(t, 400, 1)
	ok := slices.Repeat([]string{"1", "0", "1", "0"}, 100)
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), columnTerms(t, ids, nil)["open"])
	ask := func(name string, batch Batch, values Table, q Question, bar *float64) {
		t.Helper()
		takes(t, l, Submission{Name: name, Batch: batch, Metric: "column:ok", Values: values, Question: barred(q, bar)})
	}
	score, pass := Question{Show: ShowScore}, Question{Show: ShowPass}
	ask("one", nil, Columns(ids, ok), score, nil)
	ask("two", nil, Columns(ids, ok), pass, float(0.3))
	batch := Batch{}
	ask("three", batch, Columns(ids, ok), score, nil)
	ask("three", batch, unread(t), pass, float(0.3))
	ask("three", batch, unread(t), pass, float(0.4))
	_, lines, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		joined, want := line.Known.Lower != nil, i >= 2
		wide := want && (*line.Known.Lower < 0.4 || *line.Known.Upper > *lines[2].Upper)
		if joined != want || wide || line.With != []int64{1, 2, 3, 3, 3}[i] {
			t.Errorf("line %d: with %d, known %+v", i+1, line.With, line.Known)
		}
	}
}

// When the rows change, the owner gives the incumbent's values in the new rows, and the ledger goes on.
func TestIncumbentAfterAChange(t *testing.T) {
	l, dir, ids, classes := openLedger(t, 200)
	_ = l
	labels := labelsIn(t, ids, classes)
	dir += "-column"
	base, candidate := slices.Repeat([]string{"0.25"}, 200), slices.Repeat([]string{"0.5"}, 200)
	l, err := Create(dir, labels, Terms{
		Goal:      transfer.Goal{Beta: beta(t, "0.1")},
		Incumbent: Submission{Values: Columns(ids, base)},
		Asks:      Asks{Metrics: []string{"column:f"}},
		Unlimited: Unlimited{Open: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	var ids2 []string
	for i := range 100 {
		ids2 = append(ids2, fmt.Sprint("s", i))
	}
	more := labelsIn(t, ids2, classes[:100])
	step := 0.02
	at := func(name string, of []string, values []string) Submission {
		return Submission{Name: name, Values: Columns(of, values), Question: Question{Show: ShowScore, Step: &step}}
	}
	for _, e := range []Extension{
		{Labels: more}, {Labels: more, Incumbent: Columns(ids2[1:], base[:99])},
		{Drop: ids[:10], Incumbent: Columns(ids, base)},
	} {
		if changed, err := l.Extend(context.Background(), e); changed && err == nil {
			t.Errorf("%+v is taken", e)
		}
	}
	ones := Columns(ids2, slices.Repeat([]string{"1"}, 100))
	if _, err := l.Extend(context.Background(), Extension{Labels: more, Incumbent: ones}); err != nil {
		t.Fatal(err)
	}
	if l, err = Open(dir, labels, more); err != nil {
		t.Fatal(err)
	}
	a := takes(t, l, at("added", slices.Concat(ids, ids2), slices.Concat(candidate, candidate[:100])))
	if want := (200*0.25 - 100*0.5) / 300; !(*a.Open.From-1e-9 <= want && want <= *a.Open.Below+1e-9) {
		t.Errorf("after new rows: %+v, want %v", a.Open, want)
	}
	if _, err := l.Extend(context.Background(), Extension{Drop: ids2[:50]}); err != nil {
		t.Fatal(err)
	}
	if l, err = Open(dir, labels, more); err != nil {
		t.Fatal(err)
	}
	a = takes(t, l, at("dropped", slices.Concat(ids, ids2[50:]), slices.Concat(candidate, candidate[:50])))
	if want := (200*0.25 - 50*0.5) / 250; !(*a.Open.From-1e-9 <= want && want <= *a.Open.Below+1e-9) {
		t.Errorf("after a drop: %+v, want %v", a.Open, want)
	}
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
}

package holdout

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/holdout/fixed"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// rowsOf makes so many ids with labels "a" and "b" from a fixed seed.
func rowsOf(t testing.TB, n int, seed uint64) (ids, classes []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		ids = append(ids, fmt.Sprintf("row-%05d", i))
		classes = append(classes, []string{"a", "b"}[r.IntN(2)])
	}
	return ids, classes
}

func LabelsOf(t testing.TB, ids, classes []string) *Labels {
	t.Helper()
	labels, err := NewLabels(Columns(ids, classes))
	if err != nil {
		t.Fatal(err)
	}
	return labels
}

func beta(t testing.TB, text string) theory.LogProb {
	t.Helper()
	p, err := theory.ParseLogProb(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The files of a ledger.
const (
	planFile  = journal.PlanFile
	looksFile = journal.LinesFile
)

// ledgerOf makes a ledger with fixed noise and clock.
func ledgerOf(t testing.TB, labels *Labels, terms Terms) (*Ledger, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ledger")
	l, err := Create(dir, labels, terms)
	if err != nil {
		t.Fatal(err)
	}
	fix(l)
	return l, dir
}

// fix gives a ledger noise and times that do not change from run to run, and no sync.
func fix(l *Ledger) {
	source := rand.New(rand.NewPCG(7, 8))
	l.noise = func() (*rand.Rand, error) { return source, nil }
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	l.now = func() time.Time { now = now.Add(time.Hour); return now }
	l.journal.Hooks = journal.Standard()
	l.journal.Sync = func(*os.File) error { return nil }
	l.journal.Names = func(string) error { return nil }
}

// forget makes a ledger read its files anew.
func forget(l *Ledger) {
	hooks := l.journal.Hooks
	l.journal = journalOf(l.rows.Dir)
	l.journal.Hooks = hooks
}

// seen is the history of a ledger.
func seen(t testing.TB, l *Ledger) *history {
	t.Helper()
	h, err := l.journal.Read()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// past is a history with the chain of its lines.
type past struct {
	*history
	*journal.Chain
}

// reread reads lines.
func reread(p *Plan, lines string) (past, error) {
	h := past{newHistory(p), journal.NewChain(p.Sealed)}
	return h, h.Take(lines, h)
}

// appended are the bytes that add lines.
func (h past) appended(t testing.TB, lines ...form.Line) []byte {
	t.Helper()
	var texts [][]byte
	for _, l := range lines {
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	return h.Appended(texts...)
}

// guesses are predictions that are right on a share of the rows.
func guesses(classes []string, right float64, seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 2))
	out := slices.Clone(classes)
	for i := range out {
		if r.Float64() >= right {
			out[i] = map[string]string{"a": "b", "b": "a"}[out[i]]
		}
	}
	return out
}

func accuracy(classes, predictions []string) float64 {
	right := 0
	for i := range classes {
		if classes[i] == predictions[i] {
			right++
		}
	}
	return float64(right) / float64(len(classes))
}

func termsOf(m int64, tau float64, b theory.LogProb, method string) Terms {
	return Terms{Goal: transfer.Goal{Queries: m, Tau: tau, Beta: b, Query: transfer.Binary}, Method: method}
}

// bothKinds runs a test on a fixed and on an open ledger of one beta.
func bothKinds(t *testing.T, fixed Terms, test func(*testing.T, Terms)) {
	t.Run("fixed", func(t *testing.T) { test(t, fixed) })
	t.Run("open", func(t *testing.T) {
		test(t, Terms{Goal: transfer.Goal{Beta: fixed.Goal.Beta}, Unlimited: Unlimited{Open: true}})
	})
}

// numberOf is a look at a ledger of some terms that shows a number.
func numberOf(terms Terms, values Table) (s Submission) {
	if s.Values = values; terms.Open {
		s.Show = ShowScore
	}
	return s
}

// Answers follow the plan: the k-th look has the k-th noise, from the source, and the plan's last look is
// the last.
func TestScoreFollowsTheSchedule(t *testing.T) {
	ids, classes := rowsOf(t, 2000, 1)
	labels := LabelsOf(t, ids, classes)
	l, dir := ledgerOf(t, labels, termsOf(5, 0.15, beta(t, "0.05"), "gaussian-schedule"))
	method, _ := transfer.Lookup("gaussian-schedule")
	answer, err := method.Solve(transfer.Goal{Samples: 2000, Queries: 5, Tau: 0.15, Beta: beta(t, "0.05"),
		Query: transfer.Binary})
	if err != nil {
		t.Fatal(err)
	}
	var sds []float64
	for block := range answer.Noise() {
		sds = append(sds, slices.Repeat([]float64{block.Scale}, int(block.Queries))...)
	}
	source := rand.New(rand.NewPCG(7, 8))
	chains := map[string]bool{}
	for k := range 5 {
		predictions := guesses(classes, 0.6, uint64(k))
		got, err := l.Score(context.Background(), Submission{Name: fmt.Sprint("model ", k), Values: Columns(ids,
			predictions)})
		if err != nil {
			t.Fatal(err)
		}
		want := accuracy(classes, predictions)
		if sds[k] > 0 {
			noise, err := fixed.Gaussian(transfer.Goal{Samples: 2000}, theory.NoiseBlock{Scale: sds[k]}).Noise()
			if err != nil {
				t.Fatal(err)
			}
			want = noise.Answer(source, want)
		}
		if *got.Response != want || got.Look != int64(k+1) || got.Remaining.Looks != int64(4-k) {
			t.Errorf("look %d: got %v, %d left, want %v", got.Look, *got.Response, got.Remaining.Looks, want)
		}
		chains[got.Chain] = true
	}
	if len(chains) != 5 {
		t.Errorf("%d chains", len(chains))
	}
	got, err := l.Score(context.Background(), Submission{Values: Columns(ids, guesses(classes, 0.7, 99))})
	var refused *RefusedError
	if !errors.As(err, &refused) || got.Response != nil || got.Look != 0 {
		t.Errorf("beyond the plan: %+v, %v", got, err)
	}
	for chain := range chains {
		if _, err := Verify(dir, chain); err != nil {
			t.Errorf("chain %s: %v", chain, err)
		}
	}
	if _, err := Verify(dir, strings.Repeat("0", 64)); err == nil {
		t.Error("a chain of nobody is found")
	}
}

// A known fingerprint costs nothing, in any order of the rows and under any name, after the last look too, and from
// another process.
func TestKnownLooksAreFree(t *testing.T) {
	ids, classes := rowsOf(t, 500, 1)
	labels := LabelsOf(t, ids, classes)
	l, dir := ledgerOf(t, labels, termsOf(2, 0.3, beta(t, "0.1"), ""))
	first := guesses(classes, 0.8, 3)
	a, err := l.Score(context.Background(), Submission{Name: "one", Values: Columns(ids, first)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Score(context.Background(), Submission{Values: Columns(ids, guesses(classes, 0.5, 4))}); err != nil {
		t.Fatal(err)
	}
	reversed, back := slices.Clone(ids), slices.Clone(first)
	slices.Reverse(reversed)
	slices.Reverse(back)
	again, err := Open(dir, labels)
	if err != nil {
		t.Fatal(err)
	}
	b, err := again.Score(context.Background(), Submission{Name: "another name", Values: Columns(reversed, back)})
	if err != nil || *b.Response != *a.Response || b.Look != 1 || !b.Known || b.Name != "one" || b.Remaining.Looks != 0 {
		t.Errorf("got %+v, %v, want look 1 again", b, err)
	}
	if b.Chain == a.Chain {
		t.Error("a repeated answer has an old chain")
	}
	s, err := Retire(context.Background(), dir)
	if err != nil || s.State() != "retired" {
		t.Fatal(s, err)
	}
	if b, err = again.Score(context.Background(), Submission{Values: Columns(ids, first)}); err != nil || !b.Known {
		t.Errorf("after the end: %+v, %v", b, err)
	}
	if v, err := Verify(dir, a.Chain); err != nil || v.After != 1 {
		t.Errorf("%+v, %v", v, err)
	}
}

// Splitting touches each row for one look at most, in an order that is drawn once.
func TestSplitting(t *testing.T) {
	ids, classes := rowsOf(t, 103, 1)
	labels := LabelsOf(t, ids, classes)
	l, dir := ledgerOf(t, labels, termsOf(4, 0.6, beta(t, "0.4"), "splitting"))
	order, err := fixed.Permutation(l.plan.Mechanism.Permutation, 103)
	if err != nil {
		t.Fatal(err)
	}
	sorted := slices.Sorted(slices.Values(order))
	for i, row := range sorted {
		if row != int32(i) {
			t.Fatal("not a permutation")
		}
	}
	for k := range 4 {
		predictions := guesses(classes, 0.6, uint64(k))
		right := 0
		for _, row := range order[25*k : 25*k+25] {
			if predictions[row] == classes[row] {
				right++
			}
		}
		again, err := Open(dir, labels) // as another process would
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.Score(context.Background(), Submission{Values: Columns(ids, predictions)})
		if err != nil || *got.Response != float64(right)/25 {
			t.Errorf("look %d: got %v, want %v/25, %v", k+1, got, right, err)
		}
	}
}

// Values of a metric are averaged as they are.
func TestColumnMetric(t *testing.T) {
	ids, classes := rowsOf(t, 50, 1)
	labels := LabelsOf(t, ids, classes)
	l, _ := ledgerOf(t, labels, Terms{
		Goal:   transfer.Goal{Queries: 1, Tau: 0.3, Beta: beta(t, "0.1")},
		Method: "splitting",
		Asks:   Asks{Metrics: []string{"column:judge"}},
	})
	cells := slices.Repeat([]string{"0.25", "1e-1"}, 25)
	got, err := l.Score(context.Background(), Submission{Name: "first", Values: Columns(ids, cells)})
	if err != nil || math.Abs(*got.Response-0.175) > 1e-12 {
		t.Fatal(got, err)
	}
}

// What is refused costs nothing and leaves the files as they were.
func TestBadInput(t *testing.T) {
	ids, classes := rowsOf(t, 400, 1)
	labels := LabelsOf(t, ids, classes)
	plan := termsOf(3, 0.3, beta(t, "0.05"), "")
	plan.Metrics = []string{Accuracy, "column:x"}
	l, dir := ledgerOf(t, labels, plan)
	before := files(t, dir)
	with := func(change func(i, p []string) ([]string, []string)) Table {
		i, p := change(slices.Clone(ids), slices.Clone(classes))
		return Columns(i, p)
	}
	for want, s := range map[string]Submission{
		"got 7 missing ids (row-00000, row-00001, row-00002, row-00003, row-00004, ...)": {
			Values: with(func(i, p []string) ([]string, []string) { return i[7:], p[7:] })},
		"1 surplus id (x)": {
			Values: with(func(i, p []string) ([]string, []string) { return append(i, "x"), append(p, "a") })},
		"1 doubled id (row-00003)": {
			Values: with(func(i, p []string) ([]string, []string) { return append(i, i[3]), append(p, "a") })},
		"1 missing id (row-00001), 1 doubled id (row-00000)": {
			Values: with(func(i, p []string) ([]string, []string) { i[1] = i[0]; return i, p })},
		"metric: got column:y, want accuracy or column:x: no other was declared": {Metric: "column:y", Values: Columns(ids,
			slices.Repeat([]string{"1"}, 400))},
		"metric: got f1, want accuracy":      {Metric: "f1", Values: Columns(ids, classes)},
		`metric: got column:, want accuracy`: {Metric: "column:", Values: Columns(ids, classes)},
		"got the value NaN, want a number in [0, 1]": {Name: "x", Metric: "column:x", Values: Columns(ids,
			slices.Repeat([]string{"NaN"}, 400))},
		"got the value 0x1p-1, want a number in [0, 1]": {Name: "x", Metric: "column:x", Values: Columns(ids,
			slices.Repeat([]string{"0x1p-1"}, 400))},
		"got the value 1.5, want a number in [0, 1]": {Name: "x", Metric: "column:x", Values: Columns(ids,
			slices.Repeat([]string{"1.5"}, 400))},
		"got the value 0.5, want 0 or 1 as the plan": {Name: "x", Metric: "column:x", Values: Columns(ids,
			slices.Repeat([]string{"0.5"}, 400))},
		`name: got "a\nb", want printable characters`: {Name: "a\nb", Values: Columns(ids, classes)},
		"name: got 101 characters, want at most 100":  {Name: strings.Repeat("x", 101), Values: Columns(ids, classes)},
		"got 400 ids and 399 values":                  {Values: Columns(ids, classes[1:])},
	} {
		_, err := l.Score(context.Background(), s)
		var input *InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if !maps.Equal(before, files(t, dir)) {
		t.Error("bad input changed the files")
	}
}

// files are the bytes of a ledger's folder.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range list {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name()] = string(text)
	}
	return all
}

// Labels are refused with the reason, and so are terms; no folder is left.
func TestNoLedger(t *testing.T) {
	for want, table := range map[string]Table{
		"got no rows":                      Columns(nil, nil),
		"row 2: got an empty id":           Columns([]string{"a", ""}, []string{"x", "y"}),
		"id b: got an empty label":         Columns([]string{"a", "b"}, []string{"x", ""}),
		"2 doubled ids (a, b), want every": Columns([]string{"a", "b", "a", "b"}, []string{"x", "x", "x", "x"}),
	} {
		if _, err := NewLabels(table); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	ids, classes := rowsOf(t, 100, 1)
	labels := LabelsOf(t, ids, classes)
	good := termsOf(3, 0.3, beta(t, "0.05"), "")
	dir := filepath.Join(t.TempDir(), "new")
	for want, change := range map[string]func(*Terms){
		"the plan has no certificate: ":                            func(t *Terms) { t.Goal.Tau = 0.01 },
		"method: got laplace, want one that a ledger runs":         func(t *Terms) { t.Method = "laplace" },
		"samples: got 99, want 100, the number of labels":          func(t *Terms) { t.Goal.Samples = 99 },
		"query: got sensitive, want bounded, binary or difference": func(t *Terms) { t.Goal.Query = transfer.Sensitive },
		"metrics: got mcc, want accuracy, column:NAME":             func(t *Terms) { t.Metrics = []string{"mcc"} },
		"metrics: got accuracy twice":                              func(t *Terms) { t.Metrics = []string{Accuracy, Accuracy} },
		"metrics: got nothing":                                     func(t *Terms) { t.Metrics = []string{} },
		"match: got like, want exact, trim, fold, number":          func(t *Terms) { t.Match = "like" },
		"classes: got b twice":                                     func(t *Terms) { t.Classes = []string{"a", "b", "b"} },
		"classes: got \"B \" twice":                                func(t *Terms) { t.Match, t.Classes = Fold, []string{"a", "b", "B "} },
		"classes: got an empty one":                                func(t *Terms) { t.Match, t.Classes = Trim, []string{"a", " "} },
		"bars: got 1, want them for a gate":                        func(t *Terms) { t.Bars = []float64{0.5} },
		"two or more unknowns":                                     func(t *Terms) { t.Goal.Tau, t.Goal.Queries = 0, 0 },
	} {
		bad := good
		change(&bad)
		if _, err := Create(dir, labels, bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: a folder is left", want)
		}
	}
	if _, err := Create(filepath.Join(dir, "below"), labels, good); err == nil {
		t.Error("a folder in no folder")
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, labels, good); err != nil { // an empty one will do
		t.Fatal(err)
	}
	if _, err := Create(dir, labels, good); err == nil || !strings.Contains(err.Error(), "want an empty folder or a new one") {
		t.Errorf("got %v", err)
	}
	for path, want := range map[string]os.FileMode{"": 0o700, planFile: 0o600, looksFile: 0o600} {
		info, err := os.Stat(filepath.Join(dir, path))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, want %v, %v", path, info.Mode().Perm(), want, err)
		}
	}
}

// A plan that leaves one thing open is solved, and its solution is promised.
func TestSolvedPlan(t *testing.T) {
	ids, classes := rowsOf(t, 5000, 1)
	labels := LabelsOf(t, ids, classes)
	p, err := Certify(Terms{Goal: transfer.Goal{Queries: 20, Beta: beta(t, "0.05")}}, labels.Samples())
	if err != nil {
		t.Fatal(err)
	}
	if !(p.Promise.Tau > 0.03 && p.Promise.Tau < 0.1) || p.Method != "gaussian-schedule" {
		t.Errorf("got %v by %s", p.Promise.Tau, p.Method)
	}
	var none *PlanError
	if _, err := Certify(Terms{Goal: transfer.Goal{Tau: 0.001, Beta: beta(t, "0.05")}}, 10); !errors.As(err, &none) ||
		none.Checked {
		t.Errorf("got %v", err)
	}
	never := transfer.Goal{Queries: 1, Tau: 0.1}
	never.Feedback, never.OneSided, never.Bar = transfer.Gate, true, transfer.Some(0)
	if _, err := Certify(Terms{Goal: never, Method: "gate"}, 10); err == nil || !strings.Contains(err.Error(), "nothing can go wrong") {
		t.Errorf("a plan of the failure probability 0: %v", err)
	}
	if err := p.Certified(); err != nil {
		t.Error(err)
	}
	p.Mechanism.Noise[0].Scale /= 2
	if err := p.Certified(); err == nil {
		t.Error("half the noise is certified")
	}
	p.Mechanism.Noise[0].Scale *= 2
	for i := range p.Mechanism.Noise {
		p.Mechanism.Noise[i].Scale *= 1.01
	}
	if err := p.Certified(); err == nil {
		t.Error("noise above the schedule's is certified at the least tau")
	}
}

// Labels that changed in any way are refused.
func TestChangedLabels(t *testing.T) {
	ids, classes := rowsOf(t, 300, 1)
	_, dir := ledgerOf(t, LabelsOf(t, ids, classes), termsOf(2, 0.3, beta(t, "0.05"), ""))
	var changed *ChangedError
	for what, change := range map[string]func(i, c []string){
		"a label": func(i, c []string) { c[9] = "c" },
		"swapped": func(i, c []string) {
			k := slices.IndexFunc(c, func(x string) bool { return x != c[0] })
			c[0], c[k] = c[k], c[0]
		},
		"an id":    func(i, c []string) { i[0] = "other" },
		"in order": func(i, c []string) { i[0], i[1], c[0], c[1] = i[1], i[0], c[1], c[0] },
	} {
		i, c := slices.Clone(ids), slices.Clone(classes)
		change(i, c)
		if _, err := Open(dir, LabelsOf(t, i, c)); !errors.As(err, &changed) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if _, err := Open(dir, LabelsOf(t, ids, classes)); err != nil {
		t.Error(err)
	}
}

// Neither a label, nor the noise, nor the score that noise was added to is in any file: the bytes are searched for the
// score in every form in which Go writes it, and for the row's labels.
func TestNothingSecretInTheFiles(t *testing.T) {
	ids, _ := rowsOf(t, 3000, 1)
	r := rand.New(rand.NewPCG(5, 5))
	classes := make([]string, len(ids))
	for i := range classes {
		classes[i] = []string{"secretclassone", "secretclasstwo"}[r.IntN(2)]
	}
	labels := LabelsOf(t, ids, classes)
	l, dir := ledgerOf(t, labels, termsOf(4, 0.2, beta(t, "0.05"), "gaussian"))
	var secrets []string
	for k := range 4 {
		predictions := slices.Clone(classes)
		for i := range 700 + 13*k {
			predictions[i] = "secretclassone"
		}
		got, err := l.Score(context.Background(), Submission{Values: Columns(ids, predictions)})
		if err != nil {
			t.Fatal(err)
		}
		score := accuracy(classes, predictions)
		noise := *got.Response - score
		right := int(math.Round(score * 3000))
		secrets = append(secrets, fmt.Sprint(score), fmt.Sprintf("%.6f", score), fmt.Sprint(noise), fmt.Sprintf("%.6f",
			noise),
			fmt.Sprintf(":%d,", right), fmt.Sprintf(":%d}", right))
	}
	secrets = append(secrets, "secretclass", "row-00000")
	for name, text := range files(t, dir) {
		for _, s := range secrets {
			if strings.Contains(text, s) {
				t.Errorf("%s has %s", name, s)
			}
		}
	}
}

// The clock decides nothing: with one that runs backwards all is as before, but no pace is told.
func TestClockBackwards(t *testing.T) {
	ids, classes := rowsOf(t, 300, 1)
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), termsOf(3, 0.3, beta(t, "0.05"), ""))
	now := time.Date(2026, 5, 5, 0, 0, 0, 0, time.UTC)
	l.now = func() time.Time { now = now.Add(-48 * time.Hour); return now }
	for k := range 3 {
		if _, err := l.Score(context.Background(), Submission{Values: Columns(ids, guesses(classes, 0.5,
			uint64(k)))}); err != nil {
			t.Fatal(err)
		}
	}
	v, err := Verify(dir, "")
	if err != nil || v.Looks != 3 || v.LooksPerDay != 0 || v.State() != "used up" {
		t.Errorf("%+v, %v", v, err)
	}
}

// Every byte of both files is covered: whichever is changed, verification fails.
func TestEveryByteIsCovered(t *testing.T) {
	ids, classes := rowsOf(t, 200, 1)
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), termsOf(3, 0.4, beta(t, "0.1"), "splitting"))
	for k := range 2 {
		if _, err := l.Score(context.Background(), Submission{Values: Columns(ids, guesses(classes, 0.5,
			uint64(k)))}); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files(t, dir) {
		path := filepath.Join(dir, name)
		for i := range len(text) {
			for _, change := range []byte{1, 0x20} {
				edited := []byte(text)
				edited[i] ^= change
				if err := os.WriteFile(path, edited, 0o600); err != nil {
					t.Fatal(err)
				}
				corrupt := (*CorruptError)(nil)
				if v, err := Verify(dir, ""); !errors.As(err, &corrupt) {
					t.Fatalf("%s: byte %d changed unnoticed: %+v, %v", name, i, v, err)
				}
			}
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A file that ends anywhere is never corrupt: whole looks stand, and one that was cut short is spent and nothing else.
func TestTornLines(t *testing.T) {
	bothKinds(t, termsOf(4, 0.4, beta(t, "0.1"), "gaussian"), tornAnywhere)
}

func tornAnywhere(t *testing.T, terms Terms) {
	ids, classes := rowsOf(t, 200, 1)
	labels := LabelsOf(t, ids, classes)
	l, dir := ledgerOf(t, labels, terms)
	path := filepath.Join(dir, looksFile)
	ask := func(k int) (Answer, error) {
		return l.Score(context.Background(), numberOf(terms, Columns(ids, guesses(classes, 0.5, uint64(k)))))
	}
	if _, err := ask(0); err != nil {
		t.Fatal(err)
	}
	one := len(files(t, dir)[looksFile])
	if _, err := ask(1); err != nil {
		t.Fatal(err)
	}
	text := files(t, dir)[looksFile]
	for end := one; end < len(text); end++ {
		if err := os.WriteFile(path, []byte(text[:end]), 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := journalOf(dir).Read()
		want := int64(2)
		if end == one {
			want = 1
		}
		if err != nil || v.Looks != want {
			t.Fatalf("cut at %d: %v, %v", end, v.Looks, err)
		}
		forget(l)
		if a, err := ask(2); err != nil || a.Look != want+1 {
			t.Fatalf("cut at %d: then %+v, %v", end, a, err)
		}
		if v, err = journalOf(dir).Read(); err != nil || v.Looks != want+1 {
			t.Fatalf("cut at %d: after it %v, %v", end, v.Looks, err)
		}
		// a second crash, after the end of the torn line alone was written
		if err := os.WriteFile(path, []byte(text[:end]+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if v, err = journalOf(dir).Read(); end > one && (err != nil || v.Looks != 2) {
			t.Fatalf("cut at %d and ended: %v, %v", end, v.Looks, err)
		}
	}
}

// A folder of a full disk: the answer is not returned, and the ledger is as it was.
func TestFullDisk(t *testing.T) {
	bothKinds(t, termsOf(3, 0.4, beta(t, "0.1"), "gaussian"), fullDisk)
}

func fullDisk(t *testing.T, terms Terms) {
	ids, classes := rowsOf(t, 200, 1)
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), terms)
	full := errors.New("no space left")
	before := files(t, dir)
	ask := func() (Answer, error) {
		return l.Score(context.Background(), numberOf(terms, Columns(ids, classes)))
	}
	for _, part := range []int{0, 1, 100} {
		l.journal.Hooks.Write = func(f *os.File, b []byte) (int, error) {
			n, _ := f.Write(b[:part])
			return n, full
		}
		if a, err := ask(); !errors.Is(err, full) || a.Response != nil {
			t.Fatalf("got %+v, %v", a, err)
		}
		if !maps.Equal(before, files(t, dir)) {
			t.Error("something was written")
		}
	}
	l.journal.Hooks.Write = journal.Standard().Write
	l.journal.Sync = func(*os.File) error { return full }
	if a, err := ask(); !errors.Is(err, full) || a.Response != nil {
		t.Fatalf("got %+v, %v", a, err)
	}
	synced := 0
	l.journal.Sync = func(f *os.File) error { synced++; return f.Sync() }
	l.journal.Names = func(dir string) error { synced += 10; return journal.SyncFolder(dir) }
	if !maps.Equal(before, files(t, dir)) {
		t.Error("a line stays that was never on the disk")
	}
	a, err := ask()
	if err != nil || a.Known || a.Look != 1 || synced != 11 {
		t.Errorf("got %+v, %v after %d syncs", a, err, synced)
	}
}

// An answer is returned after its line was written and synced, and then its folder; so is a known one.
func TestWrittenBeforeShown(t *testing.T) {
	ids, classes := rowsOf(t, 200, 1)
	l, _ := ledgerOf(t, LabelsOf(t, ids, classes), termsOf(2, 0.4, beta(t, "0.1"), "gaussian"))
	var order []string
	l.journal.At = func(step string) { order = append(order, step) }
	l.journal.Hooks.Write = func(f *os.File, b []byte) (int, error) { order = append(order, "write"); return f.Write(b) }
	l.journal.Sync = func(f *os.File) error { order = append(order, "sync"); return f.Sync() }
	l.journal.Names = func(dir string) error { order = append(order, "names"); return journal.SyncFolder(dir) }
	for _, want := range []string{"locked answered write written sync synced names settled",
		"locked sync synced names settled"} {
		order = nil
		takes(t, l, Submission{Values: Columns(ids, classes)})
		if got := strings.Join(order, " "); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// Lines are JSON, one a look, and their chain is what the answer carried.
func TestLinesAreJSON(t *testing.T) {
	ids, classes := rowsOf(t, 200, 1)
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), termsOf(2, 0.4, beta(t, "0.1"), "gaussian"))
	a, err := l.Score(context.Background(), Submission{Name: "é <b>", Values: Columns(ids, classes)})
	if err != nil {
		t.Fatal(err)
	}
	text := []byte(files(t, dir)[looksFile])
	var line struct {
		Look                     int64
		Name, Fingerprint, Chain string
		Response                 float64
	}
	if err := json.Unmarshal(bytes.TrimSpace(text), &line); err != nil || bytes.Count(text, []byte("\n")) != 1 {
		t.Fatal(err)
	}
	if line.Chain != a.Chain || line.Response != *a.Response || line.Name != "é <b>" || line.Look != 1 {
		t.Errorf("%+v, want %+v", line, a)
	}
	var plan map[string]any
	if err := json.Unmarshal([]byte(files(t, dir)[planFile]), &plan); err != nil || plan["schema"] != form.FixedSchema {
		t.Error(err, plan)
	}
}

// The chain is a hash of the labels' fingerprint that every answer carries. Who guesses all labels and knows the rest
// of the plan cannot check the guess with it: two ledgers of the same labels, plan and time have different chains.
func TestChainHidesTheLabels(t *testing.T) {
	ids, classes := rowsOf(t, 200, 1)
	chains := map[string]bool{}
	for range 2 {
		labels := LabelsOf(t, ids, classes)
		l := newLedger(filepath.Join(t.TempDir(), "ledger"))
		fix(l)
		plan, err := Certify(termsOf(3, 0.4, beta(t, "0.1"), "gaussian"), labels.Samples())
		if err != nil {
			t.Fatal(err)
		}
		if err := l.create(plan); err != nil {
			t.Fatal(err)
		}
		status, err := ReadStatus(l.rows.Dir)
		if err != nil || len(plan.Salt) < 52 {
			t.Fatal(plan.Salt, err)
		}
		chains[status.Chain] = true
	}
	if len(chains) != 2 {
		t.Error("the same labels have the same chain: it can be guessed")
	}
}

// The team is written down with its look and is no part of the fingerprint.
func TestTeams(t *testing.T) {
	ids, classes := rowsOf(t, 200, 1)
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), termsOf(3, 0.4, beta(t, "0.1"), "gaussian"))
	for i, team := range []string{"red", "blue"} {
		a, err := l.Score(context.Background(), Submission{Team: team, Values: Columns(ids, classes)})
		if err != nil || a.Look != 1 || a.Known != (i > 0) {
			t.Errorf("%+v, %v", a, err)
		}
	}
	if _, lines, err := Read(dir); err != nil || len(lines) != 1 || lines[0].Team != "red" {
		t.Errorf("%+v, %v", lines, err)
	}
	for _, s := range []Submission{{Team: "a\nb"}, {Team: strings.Repeat("é", 101)}, {Name: "\u202e", Team: "\x00"}} {
		s.Values = Columns(ids, classes)
		wrong := (*InputError)(nil)
		if _, err := l.Score(context.Background(), s); !errors.As(err, &wrong) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// The file of the labels may be sorted by them. What is told of a submission, its fingerprint included, does not depend
// on the order of the rows or on the class of the first.
func TestNothingTellsTheOrderOfTheFile(t *testing.T) {
	ids, classes := []string{"r10", "r2", "r3", "r1"}, []string{"b", "b", "a", "a"}
	told := func(order []int) (all string) {
		var i, c []string
		for _, row := range order {
			i, c = append(i, ids[row]), append(c, classes[row])
		}
		l, _ := ledgerOf(t, LabelsOf(t, i, c), termsOf(2, 0.9, beta(t, "0.9"), "gaussian"))
		for _, s := range []Table{
			Columns(nil, nil), Columns([]string{"r1"}, []string{"?"}), Columns([]string{"r3"}, []string{"a"}),
		} {
			_, err := l.Score(context.Background(), Submission{Values: s})
			all += fmt.Sprintln(err)
		}
		return all + takes(t, l, Submission{Values: Columns(ids, []string{"a", "b", "a", "b"})}).Fingerprint
	}
	one := told([]int{0, 1, 2, 3})
	if !strings.Contains(one, "4 missing ids (r1, r2, r3, r10)") {
		t.Error(one)
	}
	for _, order := range [][]int{{3, 2, 1, 0}, {2, 0, 3, 1}} {
		if other := told(order); other != one {
			t.Errorf("%s\nis not\n%s", other, one)
		}
	}
}

// Why the file is cut back where a write fails: without that the half of a line would be a look that is spent, and
// nobody has seen its answer.
func TestFailedWriteIsCutBack(t *testing.T) {
	bothKinds(t, termsOf(3, 0.4, beta(t, "0.1"), "gaussian"), cutBack)
}

func cutBack(t *testing.T, terms Terms) {
	ids, classes := rowsOf(t, 200, 1)
	labels := LabelsOf(t, ids, classes)
	full := errors.New("no space left")
	for _, c := range []struct {
		cut         func(*os.File, int64) error
		looks, torn int64
	}{
		{journal.Standard().Cut, 1, 0},
		{func(*os.File, int64) error { return nil }, 2, 1},
		{func(*os.File, int64) error { return errors.New("nor to cut") }, 2, 1},
	} {
		l, dir := ledgerOf(t, labels, terms)
		l.journal.Cut = c.cut
		l.journal.Hooks.Write = func(f *os.File, b []byte) (int, error) {
			n, _ := f.Write(b[:len(b)/2])
			return n, full
		}
		ask := func() (Answer, error) {
			return l.Score(context.Background(), numberOf(terms, Columns(ids, classes)))
		}
		if a, err := ask(); !errors.Is(err, full) || a.Response != nil {
			t.Fatalf("got %+v, %v", a, err)
		}
		l.journal.Hooks.Write = journal.Standard().Write
		a, err := ask()
		if err != nil || a.Look != c.looks || a.Known {
			t.Errorf("got %+v, %v, want look %d", a, err, c.looks)
		}
		v, err := Verify(dir, "")
		if err != nil || v.Looks != c.looks || v.Torn != c.torn || v.Chain != a.Chain {
			t.Errorf("got %+v, %v, want %d looks and %d torn", v, err, c.looks, c.torn)
		}
	}
}

// VerifyTelling tells of every line, up to the last byte of the log.
func TestVerifyTells(t *testing.T) {
	ids, classes := rowsOf(t, 50, 1)
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), Terms{Goal: transfer.Goal{Beta: beta(t, "0.05")},
		Unlimited: Unlimited{Open: true}})
	for k := range 3 {
		bar := 0.5 + float64(k)/10
		if _, err := l.Score(t.Context(), Submission{Values: Columns(ids, right(classes, 40)),
			Question: Question{Show: ShowPass, Bar: &bar}}); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(filepath.Join(dir, journal.LinesFile))
	if err != nil {
		t.Fatal(err)
	}
	var told []int64
	if _, err := VerifyTelling(dir, "", func(read int64) { told = append(told, read) }); err != nil {
		t.Fatal(err)
	}
	if len(told) != 3 || !slices.IsSorted(told) || told[2] != info.Size() {
		t.Errorf("told %v of %d bytes", told, info.Size())
	}
}

// BenchmarkReadLog reads an open ledger of 3,000 looks, as every command does.
func BenchmarkReadLog(b *testing.B) {
	ids, classes := rowsOf(b, 1000, 1)
	l, dir := ledgerOf(b, LabelsOf(b, ids, classes), Terms{Goal: transfer.Goal{Beta: beta(b, "0.05")},
		Unlimited: Unlimited{Open: true}})
	for k := range 3000 {
		bar := 0.9 + float64(k)*1e-6
		if _, err := l.Score(b.Context(), Submission{Name: fmt.Sprint("prompt ", k), Values: Columns(ids, right(classes, 800)),
			Question: Question{Show: ShowPass, Bar: &bar}}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := journalOf(dir).Read(); err != nil {
			b.Fatal(err)
		}
	}
}

// replayed is what the rule of a ledger says of its lines.
func replayed(h *history) error { return h.Plan.Rule.Replay(h.Past) }

// encode seals a plan again.
func encode(p *Plan) (err error) {
	p.Sealed, err = p.Seal()
	return err
}

// printed is a number that may be missing.
func printed(x *float64) string {
	if x == nil {
		return ""
	}
	return text.Shortest(*x)
}

// alike reports whether two numbers that may be missing are equal up to a rounding.
func alike(x, y *float64) bool {
	if x == nil || y == nil {
		return x == y
	}
	return math.Abs(*x-*y) <= 1e-9
}

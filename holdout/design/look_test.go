package design

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/metric"
)

// ranked is a look at the AUC of scores.
func ranked(t testing.TB, ids, scores, labels []string) (l Scores) {
	t.Helper()
	in := data.Reader{Rows: data.NewRoster(ids), Match: form.Exact, Units: form.Units{Positive: "1"},
		Metrics: []string{metric.AUC}}
	read, err := in.Read(metric.AUC, false, data.Columns(ids, scores))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := data.NewLabels(data.Columns(ids, labels))
	if err != nil {
		t.Fatal(err)
	}
	l.Values = read
	if l.Labels, err = in.Answers(rows); err != nil {
		t.Fatal(err)
	}
	return l
}

// The AUC is the share of pairs, counted one by one.
func TestArea(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		n := 2 + r.IntN(40)
		ids, scores, labels := make([]string, n), make([]string, n), make([]string, n)
		for i := range n {
			ids[i], labels[i] = fmt.Sprint(i), fmt.Sprint(r.IntN(2))
			scores[i] = fmt.Sprint(float64(r.IntN(1+r.IntN(12))) - 3.5)
		}
		labels[0], labels[1] = "0", "1"
		l := ranked(t, ids, scores, labels)
		halves, pairs := int64(0), int64(0)
		for i := range n {
			for j := range n {
				if labels[i] == "1" && labels[j] == "0" {
					pairs++
					halves += int64(1 + cmp.Compare(l.Values.Of[i], l.Values.Of[j]))
				}
			}
		}
		if want := big.NewRat(halves, 2*pairs); l.Area().Cmp(want) != 0 {
			t.Fatalf("got %v, want %v", l.Area(), want)
		}
	}
}

// A look at the AUC of a million rows.
func BenchmarkArea(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	const n = 1_000_000
	ids, scores, labels := make([]string, n), make([]string, n), make([]string, n)
	for i := range n {
		ids[i], scores[i], labels[i] = fmt.Sprint(i), fmt.Sprint(r.NormFloat64()), fmt.Sprint(r.IntN(2))
	}
	l := ranked(b, ids, scores, labels)
	for b.Loop() {
		l.Area()
	}
}

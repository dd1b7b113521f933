package holdout

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/plans"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// openTerms are the terms of an open ledger with some metrics.
func openTerms(t *testing.T, metrics ...string) Terms {
	t.Helper()
	beta, err := theory.ParseLogProb("0.05")
	if err != nil {
		t.Fatal(err)
	}
	return Terms{Goal: transfer.Goal{Beta: beta}, Asks: Asks{Metrics: metrics}, Unlimited: Unlimited{Open: true}}
}

// A plan says how its logs and missing values are read. One that says what this version does not know is refused, and a
// plan that says nothing is of an earlier version.
func TestReadingsOfPlans(t *testing.T) {
	labels, err := NewLabels(Columns([]string{"a", "b"}, []string{"x", "y"}))
	if err != nil {
		t.Fatal(err)
	}
	terms := openTerms(t, "column:m")
	terms.Missing = MissingLow
	l, err := Create(filepath.Join(t.TempDir(), "ledger"), labels, terms)
	if err != nil {
		t.Fatal(err)
	}
	if p := l.Plan(); p.Readings != Readings || p.Missing != MissingLow || p.Low() == nil || *p.Low() != 0 {
		t.Errorf("got the readings %d and %q for missing values", p.Readings, p.Missing)
	}
	for _, c := range []struct {
		readings int
		missing  string
		known    bool
	}{{0, "", true}, {Readings, "", true}, {Readings, MissingLow, true},
		{Readings + 1, "", false}, {-1, "", false}, {Readings, "high", false}} {
		p := *l.Plan()
		p.Readings, p.Missing = c.readings, c.missing
		if err := encode(&p); err != nil {
			t.Fatal(err)
		}
		got, err := plans.Decode(p.Sealed)
		refused := err != nil && strings.Contains(err.Error(), "which this version knows")
		if c.known && (err != nil || got.Readings != c.readings) || !c.known && !refused {
			t.Errorf("%d, %q: got %v, want that it is known: %v", c.readings, c.missing, err, c.known)
		}
	}
}

// A ledger of columns alone needs no labels, and every other one refuses an empty label.
func TestEmptyLabels(t *testing.T) {
	labels, err := NewRows(Columns([]string{"a", "b"}, []string{"x", ""}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		metrics []string
		want    string
	}{{[]string{"column:m"}, ""}, {[]string{"column:m", "column:n"}, ""}, {nil, "labels: id b: got an empty label"},
		{[]string{"column:m", Accuracy}, "labels: id b: got an empty label"}} {
		_, err := Create(filepath.Join(t.TempDir(), "ledger"), labels, openTerms(t, c.metrics...))
		wrong := (*InputError)(nil)
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &wrong) || err.Error() != c.want) {
			t.Errorf("%s: got %v, want %q", c.metrics, err, c.want)
		}
	}
	if _, err := NewLabels(Columns([]string{"a"}, []string{""})); err == nil {
		t.Error("got an empty label, and no error")
	}
}

// The fingerprint of labels from a log has what the rows ask, but in a ledger of an earlier version.
func TestFingerprintOfContents(t *testing.T) {
	print := func(version int, contents ...Content) string {
		l, err := NewRows(Columns([]string{"a", "b"}, []string{"", ""}))
		if err != nil {
			t.Fatal(err)
		}
		l.From, l.Contents = &Reading{Tool: "inspect", Version: version}, contents
		if c, ok := l.Content("inspect", "b"); contents != nil && (c != contents[1] || ok != (c != Content{})) {
			t.Errorf("got the content %x of b, want %x", c, contents[1])
		}
		for _, of := range [][2]string{{"lm-eval", "a"}, {"inspect", "c"}} {
			if _, ok := l.Content(of[0], of[1]); ok {
				t.Errorf("got a content of %s", of)
			}
		}
		return l.Fingerprint()
	}
	one, other := []Content{{1}, {2}}, []Content{{1}, {3}}
	if print(Readings, one...) == print(Readings, other...) {
		t.Error("other items have the same fingerprint")
	}
	if bare := print(0); bare != print(0, one...) || bare != print(Readings) || bare == print(Readings, one...) {
		t.Error("the contents are in the fingerprint of an earlier version, or not in that of this one")
	}
}

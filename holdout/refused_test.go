package holdout

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/plans"
	"github.com/dpcalc/dpcalc/transfer"
)

// refusedBy scores a submission, and wants an InputError that costs nothing.
func refusedBy(t *testing.T, l *Ledger, s Submission, want string) {
	t.Helper()
	before := files(t, l.rows.Dir)
	input := (*InputError)(nil)
	if _, err := l.Score(context.Background(), s); !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	if !maps.Equal(before, files(t, l.rows.Dir)) {
		t.Errorf("%s: files changed", want)
	}
}

// A gate at a bar that nothing reaches is not asked: its fail would cost a look and say nothing. At 1 - tau a score of
// 1 passes.
func TestBarThatNothingReaches(t *testing.T) {
	ids, classes := rowsOf(t, 1000, 1)
	labels := LabelsOf(t, ids, classes)
	l, _ := ledgerOf(t, labels, shows(transfer.Gate, 9, 0.1, "gate", transfer.Shown{})(t))
	refusedBy(t, l, Submission{Values: Columns(ids, classes), Question: barAt(0.901)}, "bar: got 0.901, want at most 1 - tau")
	if a := takes(t, l, Submission{Values: Columns(ids, classes), Question: barAt(0.9)}); a.Verdict != Pass {
		t.Errorf("%+v", a)
	}
}

// What a plan has no use for is refused: an incumbent without differences, and a path that JSON cannot keep.
func TestUnusedInput(t *testing.T) {
	ids, classes := rowsOf(t, 2000, 1)
	labels := LabelsOf(t, ids, classes)
	l, _ := ledgerOf(t, labels, termsOf(3, 0.4, beta(t, "0.1"), ""))
	refusedBy(t, l, Submission{Values: Columns(ids, classes), Incumbent: Columns(ids, classes)},
		"incumbent: got one, want")
	terms := shows(transfer.Gate, 10, 0.06, "gate", transfer.Shown{})(t)
	terms.Goal.Query = transfer.Difference
	terms.Incumbent = Submission{Values: Columns(ids, right(classes, 1400)), Path: "\xff"}
	terms.Goal.Tau = 0.2
	dir := filepath.Join(t.TempDir(), "new")
	makes := func(terms Terms, want string) {
		t.Helper()
		if _, err := Create(dir, labels, terms); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	makes(terms, `incumbent: got the path "\xff"`)
	terms.Incumbent.Path, terms.Labels = "", "a\xff"
	makes(terms, `labels: got the path "a\xff"`)
	terms.Labels = ""
	l, _ = ledgerOf(t, labels, terms)
	refusedBy(t, l, Submission{Values: Columns(ids, classes), Incumbent: Columns(ids, right(classes, 1400)),
		Question: barAt(0), Path: "b\xff"}, `got the path "b\xff"`)
	without := terms
	without.Incumbent, without.Goal.Query = Submission{Values: Columns(ids, classes)}, transfer.Binary
	makes(without, "incumbent: got one, want --query difference")
	for want, change := range map[string]func(*Terms){
		"epsilon: got 0.1, want none": func(t *Terms) { t.Goal.Epsilon = 0.1 },
		"method: got laplace, want":   func(t *Terms) { t.Methods = []string{"laplace"} },
	} {
		bad := shows(transfer.Answers, 3, 0.4, "", transfer.Shown{})(t)
		change(&bad)
		input := (*InputError)(nil)
		if _, err := Certify(bad, 2000); !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A later version's plan, or line, may promise what this one does not know of. It is refused, with its seal or without
// the schema of this one.
func TestLaterVersions(t *testing.T) {
	ids, classes := rowsOf(t, 200, 1)
	labels := LabelsOf(t, ids, classes)
	l, dir := ledgerOf(t, labels, termsOf(3, 0.4, beta(t, "0.1"), "gaussian"))
	takes(t, l, Submission{Values: Columns(ids, classes)})
	all := files(t, dir)
	// The program before this one takes "dpcalc/ledger/1" alone, and names what it got in its refusal.
	if !strings.Contains(all[planFile], `"schema": "dpcalc/ledger/2",`) {
		t.Errorf("a new plan would be taken by an older program: %s", all[planFile])
	}
	planText, _, _ := strings.Cut(all[planFile], journal.PlanEnds.Before)
	for want, change := range map[string][2]string{
		`unknown field "at_most"`:                 {`"tau":`, `"at_most": 0.5,` + "\n" + `    "tau":`},
		`unknown field "kept"`:                    {`"method":`, `"kept": true,` + "\n" + `  "method":`},
		"got the schema dpcalc/ledger/5, want":    {"dpcalc/ledger/2", "dpcalc/ledger/5"},
		"which does not go with its law":          {"dpcalc/ledger/2", "dpcalc/ledger/3"},
		"ledger/4, which does not go with":        {"dpcalc/ledger/2", "dpcalc/ledger/4"},
		"got the method median, want one of":      {`"gaussian"`, `"median"`},
		`got the schema "", want dpcalc/ledger/1`: {`"schema": "dpcalc/ledger/2",`, ""},
	} {
		sealed := journal.PlanEnds.Seal(sha256.New(), []byte(strings.Replace(planText, change[0], change[1], 1)))
		if bytes.Equal(sealed, []byte(all[planFile])) {
			t.Fatal("nothing was changed")
		}
		if _, err := plans.Decode(sealed); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	line := journal.NewChain(l.plan.Sealed).Sealed([]byte(`{"event":"look","look":1,"time":"x","weight":2`))
	if _, err := reread(l.plan, string(line)); err == nil || !strings.Contains(err.Error(), `unknown field "weight"`) {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, planFile), []byte(all[planFile]), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
}

// Finalists are scored once, also where the process was killed before it wrote that the ledger is retired.
func TestFinalistsOnce(t *testing.T) {
	ids, classes := rowsOf(t, 1000, 1)
	labels := LabelsOf(t, ids, classes)
	l, dir := ledgerOf(t, labels, shows(transfer.Final, 3, 0.1, "", transfer.Shown{})(t))
	takes(t, l, Submission{Values: Columns(ids, right(classes, 700))})
	path := filepath.Join(dir, looksFile)
	text := files(t, dir)[looksFile]
	first := strings.Index(text, "\n") + 1
	for _, end := range []int{first / 2, first - 1, first, first + 10} {
		if err := os.WriteFile(path, []byte(text[:end]), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := Open(dir, labels)
		if err != nil {
			t.Fatal(err)
		}
		var refused *RefusedError
		a, err := again.Score(context.Background(), Submission{Values: Columns(ids, right(classes, 600))})
		if !errors.As(err, &refused) || a.Response != nil {
			t.Errorf("cut at %d: %+v, %v", end, a, err)
		}
		if s, err := ReadStatus(dir); err != nil || s.Remaining.Looks != 0 {
			t.Error(fmt.Sprint(s.Remaining, err))
		}
	}
}

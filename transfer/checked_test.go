package transfer

import (
	"bytes"
	"maps"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/solver"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// The published theorems that theorems in proofs have as hypotheses.
var givenInProofs = map[string]theory.Source{
	"Hoeffding1956":   source("hoeffding56", "Theorem 4"),
	"ZubkovSerov2013": source("zubkov13", "Theorem 1"),
}

// Coq knows each theorem that a checked row rests on, and the row names the published ones that these have as
// hypotheses, and no other.
func TestTheoremsOfCheckedRows(t *testing.T) {
	list, err := os.ReadFile("../proofs/axioms.txt")
	if err != nil {
		t.Fatal(err)
	}
	given := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^([A-Z]\w*\.[\w']+):(?:.* given (.*))?`).FindAllStringSubmatch(string(list), -1) {
		given[m[1]] = strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' || r == ' ' })
	}
	rest := func(name string, c checked) {
		var want []theory.Source
		for _, theorem := range c.theorems {
			hypotheses, ok := given[theorem]
			if !ok {
				t.Errorf("%s, %s: %s is not in axioms.txt", name, c.goals, theorem)
			}
			for _, h := range hypotheses {
				want = each.Union(want, givenInProofs[h])
			}
		}
		got := slices.Clone(c.given)
		for _, s := range [2][]theory.Source{got, want} {
			slices.SortFunc(s, func(a, b theory.Source) int { return strings.Compare(a.Key, b.Key) })
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s, %s: given %v, want %v", name, c.goals, got, want)
		}
	}
	rows := 0
	for name, kinds := range checkedRows {
		m, ok := Lookup(name)
		if !ok {
			t.Errorf("%s is no method", name)
		}
		for i, c := range kinds {
			rows++
			rest(name, c)
			if got := m.Article().Checked[i]; got.Rows != c.goals || !slices.Equal(got.Theorems, c.theorems) {
				t.Errorf("%s says %v of %s", name, got, c.goals)
			}
		}
	}
	if rows != 77 {
		t.Errorf("%d kinds of checked rows, want 77", rows)
	}
}

// coqFile has the names that a file of proofs uses, those that it defines, and the files that it imports.
type coqFile struct{ uses, defines, imports map[string]bool }

func readCoq(t *testing.T, path string) coqFile {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`(?s)\(\*.*?\*\)`).ReplaceAll(text, nil)
	set := func(pattern string, within []byte) map[string]bool {
		found := make(map[string]bool)
		for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(within, -1) {
			found[string(bytes.Join(m[min(1, len(m)-1):], nil))] = true
		}
		return found
	}
	const name = `[A-Za-z_][A-Za-z0-9_']*`
	required := bytes.Join(regexp.MustCompile(`Require [^.]*\.`).FindAll(text, -1), nil)
	return coqFile{set(name, text), set(`(?m)^(?:(?:Theorem|Lemma|Corollary|Definition|Fixpoint) (`+name+`)|  (`+name+`) :)`, text),
		set(name, required)}
}

// Another file of proofs uses each theorem that a row names: its hypotheses can be met, or it does not compile.
func TestTheoremsOfRowsAreMet(t *testing.T) {
	files := map[string]coqFile{}
	for _, pattern := range []string{"../proofs/*.v", "../proofs/*/*.v"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
		}
		for _, path := range paths {
			files[strings.TrimSuffix(filepath.Base(path), ".v")] = readCoq(t, path)
		}
	}
	kinds := slices.Concat(slices.Collect(maps.Values(checkedRows))...)
	names := slices.Concat(each.Of(kinds, func(c checked) []string { return c.theorems })...)
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range names {
		module, theorem, _ := strings.Cut(name, ".")
		met := false
		for user, file := range files {
			another := false // the name may be another thing there
			for other := range files {
				another = another || other != module && files[other].defines[theorem] && (other == user || file.imports[other])
			}
			met = met || user != module && !another && file.uses[theorem]
		}
		if !met {
			t.Errorf("no other file of proofs uses %s", name)
		}
	}
	if len(names) < 100 {
		t.Errorf("%d theorems of rows, want at least 100", len(names))
	}
}

// "checked" has one sense in what explain says.
func TestCheckedHasOneSense(t *testing.T) {
	for _, m := range Methods() {
		a := m.Article()
		for _, text := range append([]string{a.Summary, a.Formula, a.Practice}, a.Assumes...) {
			if strings.Contains(text, "checked") {
				t.Errorf("%s says %q", m.Name, text)
			}
		}
	}
}

var steadyRows = &Arrival{Rows: 5, Queries: 3}

var equalClusters = tail.NewClusters(500, big.NewRat(1000, 1), big.NewRat(2, 1), big.NewRat(2000, 1))

// What Coq checks of each method, by what changes in a goal. Whatever is not listed as checked is not, unless the
// method uses no more of the goal than of one that is listed.
func TestCheckedRows(t *testing.T) {
	changes := map[string]func(*Goal){
		"":                        func(*Goal) {},
		"0/1":                     func(g *Goal) { g.Query = Binary },
		"sensitive":               func(g *Goal) { g.Query = Sensitive },
		"a sensitivity":           func(g *Goal) { g.Query, g.Sensitivity = Sensitive, 2 },
		"minimization":            func(g *Goal) { g.Query, g.Sensitivity = Minimization, 0.5 },
		"difference":              func(g *Goal) { g.Query = Difference },
		"one side":                func(g *Goal) { g.OneSided = true },
		"a bar":                   func(g *Goal) { g.Bar = Some(0.5) },
		"a bar of 0":              func(g *Goal) { g.Bar = Some(0) },
		"0/1 at a bar":            func(g *Goal) { g.Query, g.Bar = Binary, Some(0.5) },
		"a floor":                 func(g *Goal) { g.Floor = 0.5 },
		"passes":                  func(g *Goal) { g.Passes = 2 },
		"a budget":                func(g *Goal) { g.Budget = 2 },
		"a guess error":           func(g *Goal) { g.GuessError = Some(0.01) },
		"held":                    func(g *Goal) { g.Hold = 0.01 },
		"a variance":              func(g *Goal) { g.Variance = 0.01 },
		"a value":                 func(g *Goal) { g.Query, g.AtLeast = Binary, 0.9 },
		"a kept value":            func(g *Goal) { g.Query, g.AtLeast, g.Checked = Binary, 0.9, true },
		"0/1, a variance":         func(g *Goal) { g.Query, g.Variance = Binary, 0.01 },
		"a variance, a bar":       func(g *Goal) { g.Variance, g.Bar = 0.01, Some(0.5) },
		"a disagreement":          func(g *Goal) { g.Query, g.Disagreement = Difference, 0.1 },
		"kept disagreement":       func(g *Goal) { g.Query, g.Disagreement, g.Checked = Difference, 0.1, true },
		"a second moment":         func(g *Goal) { g.Query, g.SecondMoment = Difference, 0.1 },
		"a difference, a bar":     func(g *Goal) { g.Query, g.Bar = Difference, Some(0.1) },
		"clusters":                func(g *Goal) { g.Sample = tail.Clusters{Count: 5} },
		"clusters, a bar":         func(g *Goal) { g.Sample, g.Bar = tail.Clusters{Count: 5}, Some(0.5) },
		"equal clusters":          func(g *Goal) { g.Sample = equalClusters },
		"equal clusters, a bar":   func(g *Goal) { g.Sample, g.Bar = equalClusters, Some(0.5) },
		"differences of clusters": func(g *Goal) { g.Query, g.Sample = Difference, tail.Clusters{Count: 5} },
		"a benchmark":             func(g *Goal) { g.Sample = tail.Subset{Items: 5000} },
		"a benchmark, a bar":      func(g *Goal) { g.Sample, g.Bar = tail.Subset{Items: 5000}, Some(0.5) },
		"a benchmark, a variance": func(g *Goal) { g.Sample, g.Variance = tail.Subset{Items: 5000}, 0.01 },
		"0/1, a benchmark":        func(g *Goal) { g.Query, g.Sample = Binary, tail.Subset{Items: 5000} },
		"0/1, a benchmark, a bar": func(g *Goal) { g.Query, g.Sample, g.Bar = Binary, tail.Subset{Items: 5000}, Some(0.5) },
		"a benchmark, differing":  func(g *Goal) { g.Query, g.Sample = Difference, tail.Subset{Items: 5000} },
		"past looks":              func(g *Goal) { g.PastLooks = 2 },
		"0/1, past looks":         func(g *Goal) { g.Query, g.PastLooks = Binary, 2 },
		"transcripts":             func(g *Goal) { g.Transcripts = 5 },
		"rows that arrive":        func(g *Goal) { g.Arrival = steadyRows },
		"a privacy":               func(g *Goal) { g.Epsilon = 1 },
		"open":                    func(g *Goal) { g.Open = !g.Open },
	}
	sides := slices.Clip([]string{"equal clusters", "", "0/1", "difference", "a disagreement", "a second moment", "a variance", "0/1, a variance", "a value", "clusters"})
	moved := []string{"sensitive", "a sensitivity", "minimization"}
	want := map[string]struct {
		feedback Feedback
		open     bool
		checked  []string
	}{
		"gate": {Gate, false, slices.Concat(sides, moved, []string{"one side", "a bar", "a bar of 0", "0/1 at a bar", "passes",
			"open", "a variance, a bar", "a difference, a bar", "clusters, a bar", "equal clusters, a bar",
			"a benchmark", "a benchmark, a bar", "0/1, a benchmark, a bar"})},
		"ladder":            {Best, false, []string{"", "0/1", "a floor", "open"}},
		"sparse-validate":   {Flags, false, append(sides, "a benchmark", "a budget", "a guess error", "open")},
		"rounding-widths":   {Answers, false, []string{"", "0/1", "a variance", "0/1, a variance", "a value", "0/1, past looks"}},
		"sealed":            {Final, false, slices.Concat(sides, moved, []string{"one side", "a benchmark"})},
		"gaussian":          {Answers, false, []string{"", "0/1", "one side", "rows that arrive"}},
		"gaussian-schedule": {Answers, false, []string{"", "0/1", "one side", "rows that arrive"}},
		"gaussian-open":     {Answers, true, []string{"", "0/1", "one side", "rows that arrive"}},
		"open-gate":         {Gate, true, []string{"", "0/1", "a bar", "a bar of 0", "0/1 at a bar", "passes", "rows that arrive"}},
		"open-board":        {Best, true, []string{"", "0/1", "passes"}},
		"open-guess":        {Flags, true, []string{"", "0/1", "passes", "a budget", "rows that arrive"}},
	}
	for _, m := range Methods() {
		w := want[m.Name]
		goal := func(what string) Goal {
			g := Goal{Samples: 1000, Queries: 10, Tau: 0.05, Beta: -3, Shown: Shown{Feedback: w.feedback, Open: w.open}}
			changes[what](&g)
			return g
		}
		for what := range changes {
			g := goal(what)
			if g.Validate() != nil {
				continue
			}
			used := m.Used(Answer{Goal: g})
			alike := func(listed string) bool { return m.Used(Answer{Goal: goal(listed)}) == used }
			got, _ := m.Proven(Answer{Goal: g})
			if (got == Coq) != slices.ContainsFunc(w.checked, alike) {
				t.Errorf("%s with %q is %s", m.Name, what, got)
			}
		}
	}
}

// Rows of two classes are checked where unequal rows have a binomial tail, and rows of any classes always.
func TestCheckedRowsOfClasses(t *testing.T) {
	m, _ := Lookup("gate")
	for _, c := range []struct {
		decided  Decided
		rows     int64
		oneSided bool
		bar      Option
		want     Proof
	}{
		{TwoClasses, 41, false, Option{}, Coq},
		{TwoClasses, 41, true, Option{}, Coq},
		{TwoClasses, 41, false, Some(0), Coq},
		{TwoClasses, 41, true, Some(0.04), Coq},
		{TwoClasses, 40, false, Option{}, Derived},
		{TwoClasses, 40, false, Some(0), Derived},
		{AnyClasses, 40, false, Option{}, Coq},
		{AnyClasses, 40, true, Option{}, Coq},
		{AnyClasses, 40, false, Some(0), Coq},
		{AnyClasses, 40, true, Some(0.04), Coq},
		{AnyClasses, 40, true, Some(0.4), Coq},
	} {
		g := Goal{Samples: c.rows, Queries: 10, Tau: 0.05, Beta: -3, Query: Difference}
		g.Feedback, g.OneSided, g.Bar = Gate, c.oneSided, c.bar
		g.Disagreement, g.Checked, g.Decided = 0.1, true, c.decided
		if got, _ := m.Proven(Answer{Goal: g}); got != c.want {
			t.Errorf("%+v is %s, want %s", c, got, c.want)
		}
	}
}

// Rows of the joint bound are checked for answers, where the CVaR theorem is not asked.
func TestCheckedRowsOfTheJointBound(t *testing.T) {
	for _, name := range []string{"gaussian", "gaussian-schedule"} {
		m, _ := Lookup(name)
		for _, c := range []struct {
			queries  int64
			beta     theory.LogProb
			feedback Feedback
			want     Proof
		}{
			{1, -2.4, Answers, Coq},
			{1_000_000, -400, Answers, Coq},
			{1_000_001, -3, Answers, Derived},
			{10, -2.2, Answers, Derived},
			{10, 0, Answers, Derived},
			{0, -3, Answers, Derived},
			{10, -3, Gate, Derived},
		} {
			g := Goal{Samples: 1000, Queries: c.queries, Tau: 0.05, Beta: c.beta, Shown: Shown{Feedback: c.feedback}}
			if got, _ := m.Proven(Answer{Goal: g}); got != c.want {
				t.Errorf("%s for %+v is %s, want %s", name, c, got, c.want)
			}
		}
	}
}

// Where rows arrive the CVaR theorem is never asked: any number of queries and any beta is checked, if values are
// shown.
func TestCheckedRowsThatArrive(t *testing.T) {
	for _, name := range []string{"gaussian", "gaussian-schedule", "gaussian-open"} {
		m, _ := Lookup(name)
		for _, c := range []struct {
			query    Query
			oneSided bool
			beta     theory.LogProb
			feedback Feedback
			want     Proof
		}{
			{Bounded, false, -3, Answers, Coq},
			{Bounded, true, -2.2, Answers, Coq},
			{Binary, false, -400, Answers, Coq},
			{Difference, false, -3, Answers, Derived},
			{Bounded, false, -3, Gate, Derived},
		} {
			g := Goal{Samples: 1000, Queries: 2_000_000, Tau: 0.05, Beta: c.beta, Query: c.query, Arrival: steadyRows}
			g.Feedback, g.OneSided, g.Open = c.feedback, c.oneSided, m.IsOpen()
			if got, _ := m.Proven(Answer{Goal: g}); got != c.want {
				t.Errorf("%s for %+v is %s, want %s", name, c, got, c.want)
			}
		}
	}
}

// Where rows of the joint bound are checked, none rests on the CVaR theorem.
func TestCheckedRowsAskNoOtherTheorem(t *testing.T) {
	for _, r := range []solver.Rule{evenNoiseRule, scheduledNoise} {
		e := r.(solver.Either)
		g := Goal{Queries: 1_000_000, Tau: 0.9, Beta: theory.LogProb(-math.Ln10)}
		if e.Serves(g) {
			t.Errorf("%+v asks the CVaR theorem at %+v", r, g)
		}
		if g.Queries++; !e.Serves(g) {
			t.Errorf("%+v does not ask the CVaR theorem at %+v", r, g)
		}
	}
}

// An answer says when its noise is certified by the CVaR theorem alone.
func TestNoiseCertifiedByTheLargest(t *testing.T) {
	m, _ := Lookup("gaussian-cvar")
	for _, c := range []struct {
		queries int64
		beta    float64
		want    bool
	}{{10, 0.05, false}, {100_000, 0.9, true}} {
		a, err := m.Solve(Goal{Queries: c.queries, Tau: 0.3, Beta: theory.LogProb(math.Log(c.beta))})
		if err != nil {
			t.Fatal(err)
		}
		err = a.CertifyNoise([]theory.NoiseBlock{{Queries: c.queries, Scale: a.Mechanism.Scale}})
		if err != nil || a.ByLargest != c.want || a.Beta.Value() > c.beta {
			t.Errorf("%+v: by the largest noise is %v at beta %v, %v", c, a.ByLargest, a.Beta, err)
		}
	}
}

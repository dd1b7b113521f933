package transfer

import (
	"os"
	"strings"
	"testing"
)

// A row is checked only for the goals that the theorems in Coq are about, and Coq knows each of these theorems.
func TestCheckedRows(t *testing.T) {
	list, err := os.ReadFile("../proofs/axioms.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range Methods() {
		if m.checked == nil {
			continue
		}
		for _, theorem := range m.checked.theorems {
			if !strings.Contains("\n"+string(list), "\n"+theorem+":") {
				t.Errorf("%s rests on %s, which is not in axioms.txt", m.Name, theorem)
			}
		}
		if !strings.Contains(m.Article().Checked, m.checked.words) {
			t.Errorf("%s does not say which of its rows are checked", m.Name)
		}
	}
	for what, change := range map[string]func(*Goal){
		"":                   func(*Goal) {},
		"0/1":                func(g *Goal) { g.Query = Binary },
		"sensitive":          func(g *Goal) { g.Query = Sensitive },
		"minimization":       func(g *Goal) { g.Query = Minimization },
		"difference":         func(g *Goal) { g.Query = Difference },
		"one side":           func(g *Goal) { g.OneSided = true },
		"a bar":              func(g *Goal) { g.Bar = Some(0.5) },
		"a variance":         func(g *Goal) { g.Variance = 0.01 },
		"a value":            func(g *Goal) { g.AtLeast = 0.9 },
		"past looks":         func(g *Goal) { g.PastLooks = 2 },
		"rows that arrive":   func(g *Goal) { g.Arrival = &Arrival{Rows: 5, Queries: 3} },
		"a checked accuracy": func(g *Goal) { g.AtLeast, g.Checked = 0.9, true },
	} {
		g := Goal{Samples: 1000, Queries: 10, Beta: 0.05}
		g.Feedback, g.Passes = Gate, 2
		change(&g)
		want := Derived
		if what == "" {
			want = Checked
		}
		if got, _ := gate.Proven(g); got != want {
			t.Errorf("gate with %q is %s, want %s", what, got, want)
		}
	}
}

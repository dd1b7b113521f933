package data

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/metric"
)

// What a row gives to a look is what the metric's definition says of its prediction and its label, which are drawn.
func TestMeet(t *testing.T) {
	r := rand.New(rand.NewPCG(66, 1))
	yes := func(s string) float64 {
		if s == "yes" {
			return 1
		}
		return 0
	}
	for name, want := range map[string]func(prediction, label string, x float64) (n, d float64){
		metric.Accuracy: func(p, l string, _ float64) (float64, float64) { return 1 - math.Abs(yes(p)-yes(l)), 1 },
		"f1":            func(p, l string, _ float64) (float64, float64) { return 2 * yes(p) * yes(l), yes(p) + yes(l) },
		"recall":        func(p, l string, _ float64) (float64, float64) { return yes(p) * yes(l), yes(l) },
		"squared-error": func(_, l string, x float64) (float64, float64) { return 1 - (x-yes(l))*(x-yes(l)), 1 },
		"column:judge":  func(_, _ string, x float64) (float64, float64) { return x, 1 },
		metric.AUC:      func(_, l string, x float64) (float64, float64) { return x, yes(l) },
	} {
		kind, known := metric.Of(name)
		if !known {
			t.Fatalf("there is no metric %s", name)
		}
		var ids, labels, texts, numbers []string
		for i := range 40 {
			ids = append(ids, fmt.Sprint(i))
			labels, texts = append(labels, []string{"yes", "no"}[r.IntN(2)]), append(texts, []string{"yes", "no"}[r.IntN(2)])
			numbers = append(numbers, fmt.Sprint(r.Float64()))
		}
		cells := numbers
		if kind.Reads == metric.Text {
			cells = texts
		}
		in := Reader{Rows: NewRoster(ids), Match: form.Exact, Units: form.Units{Positive: "yes"}, Metrics: []string{name}}
		v, err := in.Read(name, false, Columns(ids, cells))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := NewLabels(Columns(ids, labels))
		if err != nil {
			t.Fatal(err)
		}
		a, err := in.Answers(rows)
		if err != nil {
			t.Fatal(err)
		}
		for row := range ids {
			n, d := a.Meet(&v, row)
			wantN, wantD := want(texts[row], labels[row], v.Of[row])
			if math.Abs(n-wantN) > 1e-15 || math.Abs(d-wantD) > 0 {
				t.Errorf("%s: %s for %s: got %v and %v, want %v and %v", name, cells[row], labels[row], n, d, wantN, wantD)
			}
		}
	}
}

// Labels meet predictions in one function, which decides nothing by a label: no condition of it has one, and no other
// function of the package has a label beside the values of a submission.
func TestLabelsDecideNothing(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range parsed.Decls {
			f, ok := declared.(*ast.FuncDecl)
			if !ok {
				continue
			}
			names := typesOf(f)
			if !slices.Contains(names, "Values") || !slices.Contains(names, "Answers") && !slices.Contains(names, "Labels") {
				continue
			}
			switch found++; f.Name.Name {
			case "Meet":
				ast.Inspect(f.Body, func(n ast.Node) bool { return !t.Failed() && !decides(t, n) })
			case "Score": // by Meet
				for _, of := range []string{"right", "truth"} {
					if mentions(f.Body, of) {
						t.Errorf("%s has the field %s", f.Name.Name, of)
					}
				}
			default:
				t.Errorf("%s has labels and the values of a submission", f.Name.Name)
			}
		}
	}
	if found != 2 {
		t.Errorf("got %d functions with both, want Meet and Score", found)
	}
}

// typesOf are the types of the receiver and the parameters of a function.
func typesOf(f *ast.FuncDecl) (names []string) {
	lists := []*ast.FieldList{f.Type.Params}
	if f.Recv != nil {
		lists = append(lists, f.Recv)
	}
	for _, list := range lists {
		for _, field := range list.List {
			of := field.Type
			if pointer, ok := of.(*ast.StarExpr); ok {
				of = pointer.X
			}
			if id, ok := of.(*ast.Ident); ok {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

// decides reports whether a condition of a node has a label.
func decides(t *testing.T, n ast.Node) bool {
	var conditions []ast.Node
	switch n := n.(type) {
	case *ast.IfStmt:
		conditions = append(conditions, n.Cond)
	case *ast.ForStmt, *ast.RangeStmt:
		t.Errorf("Meet has a loop")
	case *ast.SwitchStmt:
		if n.Tag != nil {
			conditions = append(conditions, n.Tag)
		}
	case *ast.CaseClause:
		for _, e := range n.List {
			conditions = append(conditions, e)
		}
	case *ast.BinaryExpr:
		if n.Op == token.LAND || n.Op == token.LOR {
			conditions = append(conditions, n)
		}
	}
	for _, c := range conditions {
		if mentions(c, "a") {
			t.Errorf("a condition of Meet has the labels")
			return true
		}
	}
	return false
}

// mentions reports whether a node has a name.
func mentions(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

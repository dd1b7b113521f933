package maxinfo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// Every type of step is a kind: a type with the method roles has an example, which is valid, bears
// the name, and has a method.
func TestKindsAreAllSteps(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "step.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "roles" {
			types = append(types, f.Recv.List[0].Type.(*ast.Ident).Name)
		}
	}
	var examples []string
	for _, k := range Kinds() {
		examples = append(examples, reflect.TypeOf(k.Example).Name())
		if name, _, _ := strings.Cut(k.Example.String(), ":"); name != k.Name || k.Summary == "" {
			t.Errorf("the kind %q, %q, has the example %v", k.Name, k.Summary, k.Example)
		}
		if err := k.Example.Validate(); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
	if len(types) == 0 || !slices.Equal(slices.Sorted(slices.Values(types)), slices.Sorted(slices.Values(examples))) {
		t.Errorf("the types of steps are %v, the examples %v", types, examples)
	}
}

// drawnPlan has one to four steps like the examples, in whatever order.
func drawnPlan(r *rand.Rand) Plan {
	p := Plan{Samples: 1 + r.Int64N(1000), Data: Data(r.IntN(2))}
	for range 1 + r.IntN(4) {
		p.Steps = append(p.Steps, Kinds()[r.IntN(len(Kinds()))].Example)
	}
	return p
}

// No plan has a method without an article, nor any whose sources the article does not name, and
// every article belongs to a method.
func TestEveryMethodHasAnArticle(t *testing.T) {
	articles, err := Articles()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	seen := map[string]bool{}
	for range 3000 {
		plan := drawnPlan(r)
		chain, err := plan.Chain()
		if err != nil {
			continue
		}
		for _, m := range chain.Methods {
			seen[m.Name] = true
			i := slices.IndexFunc(articles, func(a theory.Article) bool { return a.Name == m.Name })
			if i < 0 {
				t.Fatalf("%v: the method %s has no article", plan.Steps, m.Name)
			}
			if m.Proof != articles[i].Proof {
				t.Errorf("%v: %s is %s, its article %s", plan.Steps, m.Name, m.Proof, articles[i].Proof)
			}
			for _, s := range m.Sources {
				if !slices.Contains(articles[i].Sources, s) {
					t.Errorf("%v: the article of %s does not name %v", plan.Steps, m.Name, s)
				}
			}
		}
	}
	for _, a := range articles {
		if !seen[a.Name] {
			t.Errorf("no plan has the method %s", a.Name)
		}
	}
}

// The answers of a plan are the bounds of its methods, and the best of them is the least.
func TestAnswersAreTheBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	compared, best := 0, 0
	for range 300 {
		plan, slack := drawnPlan(r), theory.LogProb(-20*r.Float64())
		if r.IntN(3) == 0 {
			slack = theory.Zero
		}
		all, first, err := plan.Answers(slack)
		chain, refused := plan.Chain()
		if (err != nil) != (refused != nil) {
			t.Fatalf("%v: %v, the chain has %v", plan.Steps, err, refused)
		}
		if err != nil {
			continue
		}
		least := -1
		for i, a := range all {
			want, err := chain.MaxInformation(chain.Methods[i], slack)
			if (a.Status == theory.OK) != (err == nil) || (a.Reason == "") != (err == nil) || a.Bound != want {
				t.Errorf("%v: %s has %+v, want %v, %v", plan.Steps, chain.Methods[i].Name, a, want, err)
			}
			if compared++; err == nil && (least < 0 || want < all[least].Bound) {
				least = i
			}
		}
		if first != least {
			t.Errorf("%v: the best is %d, want %d", plan.Steps, first, least)
		}
		if first >= 0 {
			best++
		}
	}
	if compared < 300 || best < 50 {
		t.Errorf("%d answers, %d best ones", compared, best)
	}
	whole, first, err := Plan{Samples: 1 << 53, Steps: []Step{PureDP{Epsilon: 1e300}}}.Answers(theory.Zero)
	if err != nil || len(whole) != 1 || first != -1 {
		t.Fatalf("a plan beyond all numbers: %+v, %d, %v", whole, first, err)
	}
	if whole[0].Status != theory.Infeasible || whole[0].Reason == "" {
		t.Errorf("a plan beyond all numbers: %+v", whole[0])
	}
	if _, _, err := drawnPlan(r).Answers(0); err == nil {
		t.Error("a slack of one")
	}
}

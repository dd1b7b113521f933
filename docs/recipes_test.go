package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mentions returns the files, outside tests, with a string or an identifier.
func mentions(t *testing.T, sources map[string]string, text, identifier string) (in []string) {
	for name, source := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr: // another package's
				if of, ok := n.X.(*ast.Ident); ok && of.Name == "theory" {
					return false
				}
			case *ast.BasicLit:
				value, err := strconv.Unquote(n.Value)
				found = found || err == nil && value == text
			case *ast.Ident:
				found = found || n.Name == identifier
			}
			return !found
		})
		if found {
			in = append(in, name)
		}
	}
	return slices.Sorted(slices.Values(in))
}

// Each recipe of contributing.md names the files of an entry that is there, no fewer and no more, in at most 15 lines.
func TestRecipesNameTheirFiles(t *testing.T) {
	const page = "docs/change/contributing.md"
	text := files(t, page)[page]
	goFiles := files(t, ".go")
	inCode := regexp.MustCompile("`([\\w/]+\\.go)`")
	for _, c := range []struct {
		recipe           string
		name, identifier string   // of an entry
		folders          []string // that the recipe is about
		unused           []string // files that this entry does without
	}{
		{"A method for sample sizes", "thresholdout", "thresholdoutSharp", []string{"transfer/"}, []string{"transfer/checked.go"}},
		{"A source of p-values", "zcdp", "ZCDP", []string{"maxinfo/", "cmd/internal/commands/"}, nil},
		{"A parameter of a look", "within", "Within", []string{"holdout/ask/", "holdout/open/", "holdout/fixed/", "cmd/internal/commands/"},
			[]string{"holdout/fixed/feedback.go"}},
	} {
		_, recipe, _ := strings.Cut(text, "### "+c.recipe+"\n")
		recipe, _, _ = strings.Cut(recipe, "\n#")
		recipe = strings.TrimSpace(recipe)
		if n := strings.Count(recipe, "\n") + 1; n < 3 || n > 15 {
			t.Errorf("%s: %d lines, want 3 to 15", c.recipe, n)
		}
		named := make(map[string]bool)
		for _, m := range inCode.FindAllStringSubmatch(recipe, -1) {
			named[m[1]] = true
		}
		for _, name := range c.unused {
			if !named[name] {
				t.Errorf("%s does not name %s", c.recipe, name)
			}
			delete(named, name)
		}
		got := slices.DeleteFunc(mentions(t, goFiles, c.name, c.identifier), func(name string) bool {
			return !slices.ContainsFunc(c.folders, func(folder string) bool { return strings.HasPrefix(name, folder) })
		})
		if want := slices.Sorted(maps.Keys(named)); !slices.Equal(got, want) {
			t.Errorf("%s: %s is in %q, and the recipe names %q", c.recipe, c.name, got, want)
		}
	}
}

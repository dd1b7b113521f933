// Style reads Go files. It finds lines of more than 120 characters beside their string literals, conditions of more
// than three clauses, comments with a pronoun for a noun or a name alone, and bools that nobody names. Where printed
// numbers must not depend on the machine, it finds elementary functions that do.
//
//	style DIR
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	longestLine = 120
	mostClauses = 3
)

// exact are the folders whose numbers are the same in the page and on the command line. On amd64 the standard
// library has machine code of its own for these functions, and so for those that call them.
var (
	exact   = []string{"theory", "maxinfo", "pvalue", "transfer", "cmd/internal/numbers", "cmd/internal/commands"}
	machine = []string{"Exp", "Log", "Exp2", "Log2", "Log10", "Tanh", "Sinh", "Cosh", "Lgamma", "Gamma", "Erf", "Erfc",
		"Hypot"}
)

func main() {
	found := 0
	err := filepath.WalkDir(os.Args[1], func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files := token.NewFileSet()
		tree, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return err
		}
		found += long(path, string(text), literals(files, tree)) + pronouns(files, tree)
		if strings.HasSuffix(path, "_test.go") {
			return nil
		}
		found += crowded(files, tree) + echoes(files, tree) + unsaid(files, tree)
		within, err := filepath.Rel(os.Args[1], path)
		inside := func(folder string) bool { return strings.HasPrefix(filepath.ToSlash(within), folder+"/") }
		if slices.ContainsFunc(exact, inside) {
			found += dependent(files, tree)
		}
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "style:", err)
		os.Exit(2)
	}
	if found > 0 {
		os.Exit(1)
	}
}

// literals counts the characters of string literals on each line. A sentence in one piece is easier to read, and to
// search for, than a folded one.
func literals(files *token.FileSet, tree *ast.File) map[int]int {
	count := make(map[int]int)
	ast.Inspect(tree, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			line := files.Position(l.Pos()).Line
			for s := range strings.Lines(l.Value) {
				count[line] += utf8.RuneCountInString(strings.TrimRight(s, "\n"))
				line++
			}
		}
		return true
	})
	return count
}

// long tells the lines that are too long. A tab counts for one, a string literal for none.
func long(path, text string, literals map[int]int) (found int) {
	line := 0
	for s := range strings.Lines(text) {
		line++
		if n := utf8.RuneCountInString(strings.TrimRight(s, "\n")) - literals[line]; n > longestLine {
			fmt.Printf("%s:%d: %d characters beside literals\n", path, line, n)
			found++
		}
	}
	return found
}

// crowded tells the conditions with too many clauses: a function is a condition of its own.
func crowded(files *token.FileSet, tree *ast.File) (found int) {
	ast.Inspect(tree, func(n ast.Node) bool {
		e, ok := n.(*ast.BinaryExpr)
		if !ok || e.Op != token.LAND && e.Op != token.LOR {
			return true
		}
		if c := clauses(e); c > mostClauses {
			fmt.Printf("%s: a condition of %d clauses\n", files.Position(e.Pos()), c)
			found++
		}
		return false
	})
	return found
}

// dependent tells the calls of elementary functions that depend on the machine.
func dependent(files *token.FileSet, tree *ast.File) (found int) {
	ast.Inspect(tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if of, ok := s.X.(*ast.Ident); ok && of.Name == "math" && slices.Contains(machine, s.Sel.Name) {
				fmt.Printf("%s: math.%s depends on the machine, want internal/num's\n", files.Position(s.Pos()), s.Sel.Name)
				found++
			}
		}
		return true
	})
	return found
}

// clauses counts what && and || join.
func clauses(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return clauses(e.X)
	case *ast.UnaryExpr:
		return clauses(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			return clauses(e.X) + clauses(e.Y)
		}
	}
	return 1
}

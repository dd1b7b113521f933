package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// Each check finds what breaks its rule, and leaves what keeps it.
func TestNamesAndComments(t *testing.T) {
	for _, c := range []struct {
		name, source string
		check        func(*token.FileSet, *ast.File) int
		want         int
	}{
		{"a pronoun", "// x is that of y.\nvar x int", pronouns, 1},
		{"a pronoun over two lines", "// x are those\n// of y.\nvar x int", pronouns, 1},
		{"a pronoun in a function", "func f() {\n\t// that of y\n}", pronouns, 1},
		{"the noun", "// x is the sum of y, and that is all.\nvar x int", pronouns, 0},
		{"a name again", "// serverError is the error of a server.\nfunc serverError() {}", echoes, 1},
		{"a type's name again", "// A Tool is a tool.\ntype Tool int", echoes, 1},
		{"more than the name", "// serverError reports a port that is taken.\nfunc serverError() {}", echoes, 0},
		{"a formula", "// Squared returns a^2.\nfunc Squared() {}", echoes, 0},
		{"no comment", "func serverError() {}", echoes, 0},
		{"a directive alone", "//go:noinline\nfunc serverError() {}", echoes, 0},
		{"a bool without a predicate", "func given() bool { return true }", unsaid, 1},
		{"a method's", "type T int\nfunc (T) Tight() bool { return true }", unsaid, 1},
		{"predicates", "func isGiven() bool { return true }\nfunc Holds() bool { return true }\nfunc mayFail() bool { return true }\n" +
			"func klHolds() bool { return true }\nfunc wanted() bool { return true }\nfunc Less() bool { return true }", unsaid, 0},
		{"a named result", "func stop() (stopped bool) { return true }", unsaid, 0},
		{"other results", "func f() int { return 1 }\nfunc g() (int, bool) { return 1, true }\nfunc h() {}", unsaid, 0},
	} {
		files := token.NewFileSet()
		tree, err := parser.ParseFile(files, "a.go", "package a\n\n"+c.source, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.check(files, tree); got != c.want {
			t.Errorf("%s: %d found, want %d", c.name, got, c.want)
		}
	}
}

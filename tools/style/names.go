package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// pronoun finds a pronoun that stands for a noun. A reader has to look back for the noun, so comments repeat it.
var pronoun = regexp.MustCompile(`(?i)\b(that|those) of\b`)

// pronouns tells the comments that use a pronoun for a noun.
func pronouns(files *token.FileSet, tree *ast.File) (found int) {
	for _, c := range tree.Comments {
		if m := pronoun.FindString(strings.Join(strings.Fields(c.Text()), " ")); m != "" {
			fmt.Printf("%s: a comment with %q, want the noun\n", files.Position(c.Pos()), m)
			found++
		}
	}
	return found
}

// named calls visit with each name declared outside functions, and its comment.
func named(tree *ast.File, visit func(name *ast.Ident, doc *ast.CommentGroup)) {
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			visit(d.Name, d.Doc)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					visit(s.Name, first(s.Doc, d.Doc))
				case *ast.ValueSpec:
					visit(s.Names[0], first(s.Doc, d.Doc))
				}
			}
		}
	}
}

// first returns the first comment that is there.
func first(comments ...*ast.CommentGroup) *ast.CommentGroup {
	for _, c := range comments {
		if c != nil {
			return c
		}
	}
	return nil
}

// filler are the words that say nothing by themselves.
var filler = strings.Fields("a an the is are of for in on to and or with by its it this returns return holds tells")

// echoes tells the comments that say no more than the name in words.
func echoes(files *token.FileSet, tree *ast.File) (found int) {
	named(tree, func(name *ast.Ident, doc *ast.CommentGroup) {
		said := strings.Fields(strings.TrimPrefix(doc.Text(), name.Name+" "))
		if len(said) == 0 {
			return
		}
		own := append(wordsOf(name.Name), filler...)
		if !slices.ContainsFunc(said, func(word string) bool { return !slices.Contains(own, bare(word)) }) {
			fmt.Printf("%s: the comment of %s says its name again\n", files.Position(name.Pos()), name.Name)
			found++
		}
	})
	return found
}

// bare returns a word in small letters, without punctuation around it and the s of a plural or of a verb.
func bare(word string) string {
	word = strings.ToLower(strings.Trim(word, ".,;:"))
	if slices.Contains(filler, word) {
		return word
	}
	return strings.TrimSuffix(word, "s")
}

// wordsOf splits a name where a capital begins a word.
func wordsOf(name string) (words []string) {
	start := 0
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			words = append(words, bare(name[start:i]))
			start = i
		}
	}
	return append(words, bare(name[start:]))
}

// predicates begin the name of a function that reports whether something is true, beside verbs that end in s and
// participles that end in ed. Less is the name in package sort.
var predicates = strings.Fields("are can may must at less")

// isPredicate reports whether a name says what is true, at its start or behind the noun that it is true of.
func isPredicate(name string) bool {
	if strings.Contains(name, "Is") || strings.Contains(name, "Holds") {
		return true
	}
	first := strings.ToLower(leading.FindString(name))
	return slices.Contains(predicates, first) || strings.HasSuffix(first, "ed") || strings.HasSuffix(first, "s")
}

// leading finds the first word of a name.
var leading = regexp.MustCompile(`^(\p{Lu}|\p{Ll})\p{Ll}*`)

// unsaid tells the functions that return a bool of which neither the name nor a name of the result says what is true.
func unsaid(files *token.FileSet, tree *ast.File) (found int) {
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Type.Results == nil || len(f.Type.Results.List) != 1 {
			continue
		}
		result := f.Type.Results.List[0]
		if isBool(result.Type) && len(result.Names) == 0 && !isPredicate(f.Name.Name) {
			fmt.Printf("%s: %s returns a bool, want a predicate: IsX, HasX, a verb in s\n", files.Position(f.Pos()), f.Name.Name)
			found++
		}
	}
	return found
}

func isBool(e ast.Expr) bool {
	t, ok := e.(*ast.Ident)
	return ok && t.Name == "bool"
}

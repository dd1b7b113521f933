package holdout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The walk that the doc comment describes is what the code does. Each step begins with functions, which are called
// after the functions of the step before: by them, or by a function that calls both in this order.
func TestWalkOfALook(t *testing.T) {
	calls, doc := callsOf(t)
	steps := regexp.MustCompile(`(?m)^ +\d+\. (\w+\.\w+)(?: or (\w+\.\w+))?,`).FindAllStringSubmatch(doc, -1)
	if len(steps) != 10 {
		t.Fatalf("got %d steps, want 10", len(steps))
	}
	var before []string
	for _, step := range steps {
		names := slices.DeleteFunc(step[1:], func(name string) bool { return name == "" })
		for _, name := range names {
			if _, ok := calls[name]; !ok {
				t.Errorf("there is no %s", name)
			}
			for _, earlier := range before {
				if !calls.inOrder(earlier, name) {
					t.Errorf("%s is not called after %s", name, earlier)
				}
			}
		}
		before = names
	}
	for late, early := range map[string]string{"Ledger.add": "Ledger.fresh", "Ledger.writing": "Ledger.askAll", "history.answers": "Ledger.add"} {
		if calls.inOrder(late, early) {
			t.Errorf("%s is called after %s", early, late)
		}
	}
}

// calls has the functions of the package and of its rooms as RECEIVER.NAME, and which of them each uses, in the order
// of its text.
type calls map[string][]string

// callsOf returns the functions of the package and of its rooms, and its doc comment.
func callsOf(t *testing.T) (all calls, doc string) {
	t.Helper()
	house := rooms{t: t, at: token.NewFileSet(), calls: make(calls), checked: make(map[string]*types.Package)}
	files := house.room(".")
	for _, file := range files {
		if file.Doc != nil {
			doc = file.Doc.Text()
		}
	}
	return house.calls, doc
}

// rooms imports the rooms of the package. What is not of these has no place in the walk: other packages are left empty.
type rooms struct {
	t       *testing.T
	at      *token.FileSet
	calls   calls
	checked map[string]*types.Package
}

// Import returns a package, of a room with its functions.
func (r rooms) Import(of string) (*types.Package, error) {
	if r.checked[of] == nil {
		_, room, ours := strings.Cut(of, "/holdout/")
		if walked := []string{"ask", "data", "design", "fixed", "form", "open", "rule", "sample", "terms"}; ours && slices.Contains(walked, room) {
			r.room(room)
		} else {
			r.checked[of] = types.NewPackage(of, path.Base(of))
			r.checked[of].MarkComplete()
		}
	}
	return r.checked[of], nil
}

// room reads the files of a folder, and what its functions use.
func (r rooms) room(folder string) (files []*ast.File) {
	r.t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(r.at, path, nil, parser.ParseComments)
		if err != nil {
			r.t.Fatal(err)
		}
		files = append(files, file)
	}
	found := types.Info{Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object)}
	lenient := types.Config{Importer: r, Error: func(error) {}}
	name := "github.com/dpcalc/dpcalc/holdout/" + folder
	r.checked[name], _ = lenient.Check(name, r.at, files, &found)
	for _, object := range found.Defs {
		if f, ok := object.(*types.Func); ok && r.calls[nameOf(f)] == nil {
			r.calls[nameOf(f)] = nil
		}
	}
	for _, file := range files {
		for _, declared := range file.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok {
				name := nameOf(found.Defs[f.Name].(*types.Func))
				ast.Inspect(f.Body, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						if used, ok := found.Uses[id].(*types.Func); ok {
							r.calls[name] = append(r.calls[name], nameOf(used))
						}
					}
					return true
				})
			}
		}
	}
	return files
}

// nameOf is the name of a function after the type of its receiver.
func nameOf(f *types.Func) string {
	of := f.Signature().Recv()
	if of == nil {
		return f.Name()
	}
	receiver := of.Type()
	if pointer, ok := receiver.(*types.Pointer); ok {
		receiver = pointer.Elem()
	}
	named, ok := receiver.(*types.Named)
	if !ok {
		return f.Name()
	}
	return named.Obj().Name() + "." + f.Name()
}

// inOrder reports whether a function calls another, by others too, or some function calls the one and then the other.
func (all calls) inOrder(first, second string) bool {
	if all.reaches(first, second) {
		return true
	}
	for _, used := range all {
		i := slices.IndexFunc(used, func(name string) bool { return all.reaches(name, first) })
		if i >= 0 && slices.ContainsFunc(used[i+1:], func(name string) bool { return all.reaches(name, second) }) {
			return true
		}
	}
	return false
}

// reaches reports whether a function is another, or calls it by others.
func (all calls) reaches(from, to string) bool {
	seen, next := map[string]bool{from: true}, []string{from}
	for len(next) > 0 {
		name := next[0]
		if next = next[1:]; name == to {
			return true
		}
		for _, used := range all[name] {
			if !seen[used] {
				seen[used], next = true, append(next, used)
			}
		}
	}
	return false
}

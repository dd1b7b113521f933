package articles

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/internal/each"
)

const tableOpen, tableEnd = "<!-- table: theorems -->\n", "<!-- end -->\n"

// section is a theorem on its page, with the parts of its proof.
type section struct{ name, text string }

// theorems returns the sections of a page in order. A heading with a colon is part of the theorem before the colon.
func theorems(page string) []section {
	heading := regexp.MustCompile(`(?m)^(#{2,4}) (.*)\n`)
	var all []section
	at := heading.FindAllStringSubmatchIndex(page, -1)
	for i, m := range at {
		end := len(page)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		name, part, parts := strings.Cut(page[m[4]:m[5]], ":")
		owner := slices.IndexFunc(all, func(s section) bool { return s.name == name })
		switch text := page[m[1]:end]; {
		case m[3]-m[2] == len("##"): // a chapter
		case parts && owner >= 0:
			all[owner].text += part + text
		case !parts:
			all = append(all, section{name, text})
		}
	}
	return all
}

func anchor(name string) string {
	unlinked := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	return strings.ReplaceAll(unlinked.ReplaceAllString(strings.ToLower(name), ""), " ", "-")
}

// givenBy returns the keys of the published theorems that theorems of proofs have as a hypothesis.
func givenBy(t *testing.T) map[string][]string {
	t.Helper()
	list, err := os.ReadFile("../../../../proofs/axioms.txt")
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]string{"Hoeffding1956": "hoeffding56", "ZubkovSerov2013": "zubkov13"}
	given := map[string][]string{}
	for line := range strings.Lines(string(list)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		_, sources, found := strings.Cut(rest, " given ")
		if !found {
			continue
		}
		for source := range strings.SplitSeq(sources, ", ") {
			if keys[source] == "" {
				t.Fatalf("%s: no key for %s", name, source)
			}
			given[name] = append(given[name], keys[source])
		}
	}
	return given
}

var (
	inCoq  = regexp.MustCompile(`(?m)^- In Coq: ((?:.*\n  )*.*)$`)
	proved = regexp.MustCompile(`\bProof\b|\bQED\b`)
	source = regexp.MustCompile(`(?m)^- Source: ((?:.*\n  )*.*)$`)
	quoted = regexp.MustCompile("`([A-Za-z_]+\\.[A-Za-z0-9_']+)`")
	key    = regexp.MustCompile("`([a-z]+\\d\\d[a-z]*)`")
)

// proofOf returns who vouches for a theorem: Coq for statements of the section, its prose, or a source. A section that
// names none of these is a definition or follows at once, and keeps the word that it has.
func proofOf(s section, given map[string][]string, typed string) string {
	keys := map[string]bool{}
	if lines := inCoq.FindAllStringSubmatch(s.text, -1); lines != nil {
		for _, line := range lines {
			for _, name := range quoted.FindAllStringSubmatch(line[1], -1) {
				for _, k := range given[name[1]] {
					keys[k] = true
				}
			}
		}
		return givenText("coq, ", keys)
	}
	if proved.MatchString(s.text) {
		return "prose"
	}
	if line := source.FindStringSubmatch(s.text); line != nil {
		for _, name := range key.FindAllStringSubmatch(line[1], -1) {
			keys[name[1]] = true
		}
	}
	if len(keys) > 0 {
		return givenText("", keys)
	}
	return typed
}

func givenText(before string, keys map[string]bool) string {
	if len(keys) == 0 {
		return strings.TrimSuffix(before, ", ")
	}
	list := each.Of(slices.Sorted(maps.Keys(keys)), func(k string) string { return "`" + k + "`" })
	return before + "given " + strings.Join(list, ", ")
}

// citing returns the methods that rest on each section, by "page.md#section", in printing order. A theorem that has a
// method's name is its own.
func citing(t *testing.T, pages map[string]string) map[string][]string {
	t.Helper()
	all, err := articles()
	if err != nil {
		t.Fatal(err)
	}
	by := map[string][]string{}
	add := func(place, name string) {
		if !slices.Contains(by[place], name) {
			by[place] = append(by[place], name)
		}
	}
	for _, a := range all {
		for file, page := range pages {
			if slices.ContainsFunc(theorems(page), func(s section) bool { return s.name == a.Name }) {
				add(file+"#"+a.Name, a.Name)
			}
		}
		for _, s := range a.Sources {
			if place, ours := strings.CutPrefix(s.Where, "docs/theorems/"); ours {
				add(place, a.Name)
			}
		}
	}
	return by
}

// Each page of theorems opens with a table of its theorems, and has no other: what they give is kept, and who vouches
// for them and which methods rest on them is remade by -update.
func TestTheoremTables(t *testing.T) {
	files, err := filepath.Glob("../../../../docs/theorems/*.md")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	pages, given := map[string]string{}, givenBy(t)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(file) != "README.md" {
			pages[filepath.Base(file)] = string(text)
		}
	}
	row := regexp.MustCompile(`(?m)^\| \[([^\]]+)\]\(#\S+\) \| (.*?) \| .*? \| (.*?) \|$`)
	methods := citing(t, pages)
	for name, page := range pages {
		before, rest, found := strings.Cut(page, tableOpen)
		old, after, closed := strings.Cut(rest, tableEnd)
		if !found || !closed || strings.Contains(before, "\n## ") {
			t.Errorf("%s does not open with a table of its theorems", name)
			continue
		}
		typed := map[string][]string{}
		for _, m := range row.FindAllStringSubmatch(old, -1) {
			typed[m[1]] = m[2:]
		}
		table := "| theorem | what it gives | method | proof |\n| --- | --- | --- | --- |\n"
		for _, s := range theorems(after) {
			cells := typed[s.name]
			if cells == nil {
				cells = []string{"", ""}
			}
			proof, place := proofOf(s, given, cells[1]), name+"#"+anchor(s.name)
			if cells[0] == "" || proof == "" {
				t.Errorf("%s: the table does not say what %s gives, or who proves it", name, s.name)
			}
			names := each.Of(methods[place], func(m string) string { return "`" + m + "`" })
			table += fmt.Sprintf("| [%s](#%s) | %s | %s | %s |\n", s.name, anchor(s.name), cells[0],
				strings.Join(names, ", "), proof)
		}
		switch path := filepath.Join("../../../../docs/theorems", name); {
		case table == old:
		case *commandtest.Update:
			if err := os.WriteFile(path, []byte(before+tableOpen+table+tableEnd+after), 0o644); err != nil {
				t.Error(err)
			}
		default:
			t.Errorf("the table of %s is not of its theorems: run go test ./cmd/internal/commands/articles "+
				"-run TheoremTables -update\n%s", name, table)
		}
	}
}

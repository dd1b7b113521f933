package docs

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// The bibliography is cut at blank lines by whoever cites a single entry, so an
// entry holds none, opens with @type{key, and closes with a } of its own.
func TestReferencesParse(t *testing.T) {
	open := regexp.MustCompile(`^@(article|book|inproceedings|techreport|misc)\{([a-z0-9]+),$`)
	field := regexp.MustCompile(`^  ([a-z]+) += \{(.+)\},$`)
	seen := map[string]bool{}
	for entry := range strings.SplitSeq(strings.TrimSpace(References), "\n\n") {
		lines := strings.Split(entry, "\n")
		head := open.FindStringSubmatch(lines[0])
		if head == nil {
			t.Errorf("an entry begins with %q", lines[0])
			continue
		}
		key := head[2]
		if seen[key] {
			t.Errorf("%s stands twice", key)
		}
		seen[key] = true
		if last := lines[len(lines)-1]; last != "}" {
			t.Errorf("%s ends with %q", key, last)
		}
		fields := map[string]bool{}
		for _, line := range lines[1 : len(lines)-1] {
			f := field.FindStringSubmatch(line)
			switch {
			case f == nil:
				t.Errorf("%s: not a field: %q", key, line)
			case fields[f[1]]:
				t.Errorf("%s: %s stands twice", key, f[1])
			case strings.Count(f[2], "{") != strings.Count(f[2], "}"):
				t.Errorf("%s: unbalanced braces in %q", key, line)
			default:
				fields[f[1]] = true
			}
		}
		for _, want := range []string{"author", "title", "year"} {
			if !fields[want] {
				t.Errorf("%s has no %s", key, want)
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("%d entries, want at least 20", len(seen))
	}
}

// The repository, and the pages, as the tests of this package see them.
var repository, pages = os.DirFS(".."), os.DirFS(".")

// files returns the text files of the repository whose names end in one of the suffixes.
func files(t *testing.T, suffixes ...string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := fs.WalkDir(repository, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == ".git" || name == "dist"):
			return fs.SkipDir
		case d.IsDir() || !slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) }):
			return nil
		}
		text, err := fs.ReadFile(repository, name)
		texts[name] = string(text)
		return err
	})
	if err != nil || len(texts) == 0 {
		t.Fatal(texts, err)
	}
	return texts
}

// opens says why there is no such file, folder or section, "" if there is. A section follows "#".
func opens(tree fs.FS, place string) string {
	file, section, named := strings.Cut(place, "#")
	if _, err := fs.Stat(tree, file); err != nil {
		return "there is no " + file
	}
	if !named {
		return ""
	}
	page, err := fs.ReadFile(tree, file)
	if err != nil || !slices.Contains(anchors(string(page)), section) {
		return file + " has no section #" + section
	}
	return ""
}

var fenced = regexp.MustCompile("(?ms)^```.*?^```$")

// anchors returns the names of a page's sections in links, in order: the headings in small
// letters, without punctuation, hyphens for spaces. The second section of a name ends in -1.
func anchors(page string) []string {
	heading := regexp.MustCompile(`(?m)^#{1,6} +(.*?) *$`)
	unlinked := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	var all []string
	seen := map[string]int{}
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		name := strings.ReplaceAll(unlinked.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")
		count := seen[name]
		seen[name]++
		if count > 0 {
			name = fmt.Sprintf("%s-%d", name, count)
		}
		all = append(all, name)
	}
	return all
}

var link = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// broken returns the links of a page that lead nowhere. What is elsewhere on the web is not asked for.
func broken(tree fs.FS, name, page string) []string {
	var all []string
	for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		target := m[1]
		if strings.HasPrefix(target, "https://") {
			continue
		}
		place := path.Join(path.Dir(name), target)
		if strings.HasPrefix(target, "#") {
			place = name + target
		}
		if why := opens(tree, place); why != "" {
			all = append(all, fmt.Sprintf("%s: the link (%s): %s", name, target, why))
		}
	}
	return all
}

// Every link of every page leads to a file, and to a section that the file has.
func TestPagesLink(t *testing.T) {
	count := 0
	for name, page := range files(t, ".md") {
		count += len(link.FindAllString(page, -1))
		for _, why := range broken(repository, name, page) {
			t.Error(why)
		}
	}
	if count < 300 {
		t.Errorf("%d links were found, want some hundred", count)
	}
}

// What TestPagesLink asks of a link.
func TestBrokenLinksAreSeen(t *testing.T) {
	tree := fstest.MapFS{
		"README.md":      {Data: []byte("# Top")},
		"docs/a.md":      {Data: []byte("# A\n## Two `words`, Joined\n## Twice\n## Twice\n```\n# in code\n```\n")},
		"docs/img/a.svg": {Data: []byte("<svg/>")},
	}
	for _, target := range []string{
		"a.md", "a.md#a", "#a", "#two-words-joined", "#twice", "#twice-1", "../README.md#top", "img/a.svg", "../docs",
		"https://example.org/none",
	} {
		if why := broken(tree, "docs/a.md", string(tree["docs/a.md"].Data)+"[x]("+target+")"); why != nil {
			t.Errorf("%s: %v", target, why)
		}
	}
	for _, target := range []string{
		"b.md", "a.md#b", "#two-words", "#in-code", "#twice-2", "README.md", "../README.md#a", "img/b.svg",
		"../../README.md", "http://a.md",
	} {
		if why := broken(tree, "docs/a.md", string(tree["docs/a.md"].Data)+"[x]("+target+")"); len(why) != 1 {
			t.Errorf("%s: %d complaints, want one: %v", target, len(why), why)
		}
	}
}

var (
	// mention is the path of a document, and its section, in code or prose.
	mention = regexp.MustCompile(`\bdocs/[\w./-]*\.(?:md|bib|svg)(?:#[\w-]*)?`)
	// maker is a function that makes a source of a section of one page.
	maker = regexp.MustCompile(`func (\w+)\(\w+ string\)[^\n]*\n[^\n]*"(docs/[\w./-]+\.md#)" \+`)
)

// sources returns every document that a file of a Go package mentions, with its section.
// made has the functions of the package that make sources, and the page of each.
func sources(text string, made map[string]string) []string {
	all := mention.FindAllString(maker.ReplaceAllString(text, ""), -1)
	for name, page := range made {
		call := regexp.MustCompile(`\b` + name + `\("([^"]*)"\)`)
		for _, m := range call.FindAllStringSubmatch(text, -1) {
			all = append(all, page+m[1])
		}
	}
	return all
}

// Every document that the code, the modules, the page and the pages name is there, with its section.
// The sources of every registry are among them: they are string literals in the code.
func TestMentionsOpen(t *testing.T) {
	texts := files(t, ".go", ".md", ".txt", ".cff", ".yml", ".py", ".R", ".js", ".html", ".ci/run", ".ci/imports.txt")
	made := map[string]map[string]string{}
	for name, text := range texts {
		for _, m := range maker.FindAllStringSubmatch(text, -1) {
			if made[path.Dir(name)] == nil {
				made[path.Dir(name)] = map[string]string{}
			}
			made[path.Dir(name)][m[1]] = m[2]
		}
	}
	cited := map[string]bool{}
	for name, text := range texts {
		if name == "docs/docs_test.go" {
			continue
		}
		for _, place := range sources(text, made[path.Dir(name)]) {
			if why := opens(repository, place); why != "" {
				t.Errorf("%s names %s: %s", name, place, why)
			}
			if strings.HasSuffix(name, ".go") && strings.Contains(place, "#") {
				cited[place] = true
			}
		}
	}
	if len(cited) < 15 {
		t.Errorf("the code cites %d sections, want at least 15", len(cited))
	}
}

// What TestMentionsOpen finds in code.
func TestSourcesAreFound(t *testing.T) {
	const code = "// See docs/a.md.\n" +
		"func derived(anchor string) []Source {\n\treturn []Source{{Where: \"docs/b.md#\" + anchor}}\n}\n" +
		"var x = append(derived(\"one\"), source(\"dpcalc\", \"docs/c.md#two-words\"))\n" +
		"var y = \"docs/d.md#\" + z\n"
	got := sources(code, map[string]string{"derived": "docs/b.md#"})
	want := []string{"docs/a.md", "docs/c.md#two-words", "docs/d.md#", "docs/b.md#one"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if m := maker.FindStringSubmatch(code); m == nil || m[1] != "derived" || m[2] != "docs/b.md#" {
		t.Errorf("the function is not found: %q", m)
	}
}

// The index of the theorems links to every page of theorems. Each page has a table of its own.
func TestTheoremPagesAreIndexed(t *testing.T) {
	names, err := fs.Glob(pages, "theorems/*.md")
	if err != nil || len(names) < 5 {
		t.Fatal(names, err)
	}
	index, err := fs.ReadFile(pages, "theorems/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		page := path.Base(name)
		if page != "README.md" && !regexp.MustCompile(`(?m)^\| \[[^\]]+\]\(`+regexp.QuoteMeta(page)+`\) \|`).Match(index) {
			t.Errorf("%s is not in the table of theorems/README.md", page)
		}
	}
}

// The sections of the theorems are found by name, each on one page: "#" and the name is how a theory.Source names
// what is proved there.
func TestSections(t *testing.T) {
	names, err := fs.Glob(pages, "theorems/*.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, name := range names {
		text, err := fs.ReadFile(pages, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range anchors(string(text)) {
			if other := sections[section]; other != "" {
				t.Errorf("the section %s stands in %s and in docs/%s", section, other, name)
			}
			sections[section] = "docs/" + name
		}
	}
	for section, page := range map[string]string{
		"binomial": "theory", "renyi": "maxinfo", "joint-bound": "transfer", "thresholdout": "thresholdout",
		"composition-of-corrections": "pvalue",
		"zubkov-and-serovs-bound":    "theory", "conventions": "README",
	} {
		if got, want := sections[section], "docs/theorems/"+page+".md"; got != want {
			t.Errorf("%s stands in %q, want %q", section, got, want)
		}
	}
	second := regexp.MustCompile(`-\d+$`)
	for section, page := range sections {
		if second.MatchString(section) {
			t.Errorf("%s: %s may be a second section of one name", page, section)
		}
	}
}

// Every test that a page names is a test of this repository, here or in a module of its own.
func TestTestsAreThere(t *testing.T) {
	declared := map[string]bool{}
	declaration := regexp.MustCompile(`(?m)^func (Test\w+|Fuzz\w+|Example\w+)\(`)
	for _, text := range files(t, "_test.go") {
		for _, m := range declaration.FindAllStringSubmatch(text, -1) {
			declared[m[1]] = true
		}
	}
	named := regexp.MustCompile(`\b(?:Test|Fuzz|Example)[A-Z]\w+`)
	for name, page := range files(t, ".md") {
		for _, test := range named.FindAllString(page, -1) {
			if !declared[test] {
				t.Errorf("%s names %s, and there is no such test", name, test)
			}
		}
	}
}

// Every file of code or data that a page names by its path is there.
func TestFilesAreThere(t *testing.T) {
	named := regexp.MustCompile("`([\\w.-]+/[\\w./-]+\\.(?:go|csv|txt|py|mod))`")
	count := 0
	for name, page := range files(t, ".md") {
		for _, m := range named.FindAllStringSubmatch(page, -1) {
			count++
			if why := opens(repository, m[1]); why != "" {
				t.Errorf("%s names %s: %s", name, m[1], why)
			}
		}
	}
	if count < 20 {
		t.Errorf("%d files were found on the pages, want at least 20", count)
	}
}

// Every number in a row of the errata, as the rules of prose define one, stands in the test that the row names.
func TestErrataNumbersStandInTheirTests(t *testing.T) {
	tests := map[string]string{}
	declared := regexp.MustCompile(`(?ms)(?:^//[^\n]*\n)*^func (Test\w+)\(.*?^}`)
	for _, text := range files(t, "_test.go") {
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			tests[m[1]] = strings.NewReplacer("_", "", ",", "").Replace(m[0])
		}
	}
	row := regexp.MustCompile("(?m)^\\|.*\\| ([^|]+) \\| `(Test\\w+)` \\|$")
	rows := row.FindAllStringSubmatch(files(t, "check/errata.md")["docs/check/errata.md"], -1)
	for _, m := range rows {
		for _, said := range numeral.FindAllString(m[1], -1) {
			if !strings.Contains(tests[m[2]], strings.ReplaceAll(said, ",", "")) {
				t.Errorf("%s: the number %s is not in it", m[2], said)
			}
		}
	}
	if len(rows) < 15 {
		t.Errorf("%d rows were found, want at least 15", len(rows))
	}
}

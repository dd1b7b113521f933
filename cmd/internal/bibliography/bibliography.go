// Package bibliography finds the entries of the bibliography and writes them as references.
package bibliography

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/docs"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
)

// Home is where the program and its proofs are published.
const Home = "https://github.com/dpcalc/dpcalc"

// The versions that a build records are tags, or pseudo-versions that end in a commit, or a commit after "devel".
var (
	pseudoVersion = regexp.MustCompile(`(?:[-.]\d{14}|^devel)-([0-9a-f]{12})$`)
	taggedVersion = regexp.MustCompile(`^v\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$`)
)

// Revision is the tag or the commit of a version, by which its files are found, and ""
// for one that nobody else can have: a build without a version, or of changed files.
func Revision(version string) string {
	if commit := pseudoVersion.FindStringSubmatch(version); commit != nil {
		return commit[1]
	}
	return taggedVersion.FindString(version)
}

// Entry finds a source's entry in the bibliography. An entry begins with
// "@kind{key," and ends with a brace at the start of a line.
// What is proved in docs/theorems is cited as this program.
func Entry(s theory.Source) (string, error) {
	if s.Key == "dpcalc" {
		url := Home
		if at := Revision(usage.Version()); at != "" {
			url += "/blob/" + at + "/docs/theorems/README.md"
		}
		return "@software{dpcalc,\n  author    = {{The dpcalc authors}},\n  title     = {dpcalc: sample sizes for adaptively chosen queries},\n" +
			"  version   = {" + usage.Version() +
			"},\n  note      = {proofs in docs/theorems, not refereed},\n  url       = {" + url + "},\n}\n", nil
	}
	for entry := range strings.SplitAfterSeq(docs.References, "\n}\n") {
		entry = strings.TrimLeft(entry, "\n")
		head, _, _ := strings.Cut(entry, "\n")
		if _, key, ok := strings.Cut(head, "{"); ok && key == s.Key+"," {
			return entry, nil
		}
	}
	return "", fmt.Errorf("the bibliography has no entry %s", s.Key)
}

// Citation writes a BibTeX entry as a line of a list of references.
func Citation(entry string) string {
	field := fieldsOf(entry)
	where := field["journal"] + field["booktitle"] + field["institution"]
	if where == "" {
		where = field["publisher"]
	}
	if v := field["volume"]; v != "" {
		if s := field["series"]; s != "" {
			where += ", " + s
		}
		where += " " + v
		if n := field["number"]; n != "" {
			where += "(" + n + ")"
		}
	}
	if p := field["pages"]; p != "" {
		where += ", " + p
	}
	text := strings.ReplaceAll(field["author"], " and ", ", ") + ". " + field["title"]
	for _, part := range []string{where, field["year"], field["version"]} {
		if part != "" {
			text += ". " + part
		}
	}
	for _, link := range []struct{ name, prefix string }{{"doi", "doi:"}, {"eprint", "arXiv:"}, {"note", ""},
		{"url", ""}} {
		if v := field[link.name]; v != "" {
			text += ". " + link.prefix + v
		}
	}
	return text + "."
}

// fieldsOf reads the fields of a BibTeX entry.
func fieldsOf(entry string) map[string]string {
	field := make(map[string]string)
	for line := range strings.Lines(entry) {
		name, value, _ := strings.Cut(line, "=")
		value = strings.Trim(strings.TrimSpace(value), ",")
		field[strings.TrimSpace(name)] = plainTeX().Replace(strings.TrimSuffix(strings.TrimPrefix(value, "{"), "}"))
	}
	return field
}

// Given names published theorems in a sentence, after a comma: ", given Zubkov and Serov 2013 (Theorem 1)".
// It is "" for none.
func Given(sources []theory.Source) string {
	if len(sources) == 0 {
		return ""
	}
	return ", given " + strings.Join(each.Of(sources, short), " and ")
}

// short names a source by its authors and year.
func short(s theory.Source) string {
	entry, err := Entry(s)
	if err != nil {
		return s.String()
	}
	field := fieldsOf(entry)
	authors := each.Of(strings.Split(field["author"], " and "), func(name string) string {
		return name[strings.LastIndex(name, " ")+1:]
	})
	text := strings.Join(authors, " and ") + " " + field["year"]
	if s.Where != "" {
		text += " (" + s.Where + ")"
	}
	return text
}

// plainTeX undoes the markup that a bibliography uses: accents, braces, dashes.
var plainTeX = sync.OnceValue(func() *strings.Replacer {
	pairs := []string{`\&`, "&", `\l}`, "ł", `\L}`, "Ł", "{", "", "}", "", "--", "–"}
	for mark, letters := range map[string][2]string{
		`\'`: {"aeiouAEIOU", "áéíóúÁÉÍÓÚ"}, "\\`": {"aeiouAEIOU", "àèìòùÀÈÌÒÙ"}, `\"`: {"aeiouAEIOU", "äëïöüÄËÏÖÜ"},
		`\^`: {"aeiouAEIOU", "âêîôûÂÊÎÔÛ"}, `\v{`: {"cszrenCSZREN", "čšžřěňČŠŽŘĚŇ"},
	} {
		accented := []rune(letters[1])
		for i, letter := range letters[0] {
			pairs = append(pairs, mark+string(letter), string(accented[i]))
		}
	}
	return strings.NewReplacer(pairs...)
})

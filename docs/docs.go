// Package docs holds the written part of dpcalc, embedded so that the program can cite and
// explain offline: the bibliography and the Markdown pages. The pages stand in four folders:
// use, theorems, check and change.
package docs

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// References is the bibliography in BibTeX. A theory.Source names an entry by
// its key.
//
//go:embed references.bib
var References string

//go:embed use theorems check change
var pages embed.FS

// Pages returns the Markdown pages by their paths below docs, "use/guide.md" among them.
func Pages() fs.FS { return pages }

// Sections returns where the theorems stand: the page of every section of docs/theorems,
// "docs/theorems/transfer.md" among them, by the section's name in a link, such as
// "joint-bound". A theory.Source of what is proved here is the page, "#" and that name.
// Two pages with a section of one name are an error.
func Sections() (map[string]string, error) {
	names, err := fs.Glob(pages, "theorems/*.md")
	if err != nil {
		return nil, err
	}
	sections := map[string]string{}
	for _, name := range names {
		text, err := fs.ReadFile(pages, name)
		if err != nil {
			return nil, err
		}
		for _, section := range anchors(string(text)) {
			if other := sections[section]; other != "" {
				return nil, fmt.Errorf("the section %s stands in %s and in docs/%s", section, other, name)
			}
			sections[section] = "docs/" + name
		}
	}
	return sections, nil
}

var fenced = regexp.MustCompile("(?ms)^```.*?^```$")

// anchors returns the names of a page's sections in links, in order: the headings in small
// letters, without punctuation, hyphens for spaces. The second section of a name ends in -1.
func anchors(page string) []string {
	// Compiled here, so that a start of the program does not pay for what its commands do not need.
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

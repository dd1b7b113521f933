// Package docs holds the written part of dpcalc, embedded so that the program
// can cite and explain offline: the bibliography and the Markdown pages.
package docs

import (
	"embed"
	"io/fs"
)

// References is the bibliography in BibTeX. A theory.Source names an entry by
// its key.
//
//go:embed references.bib
var References string

//go:embed *.md
var pages embed.FS

// Pages returns the Markdown pages by file name, "theorems.md" among them.
func Pages() fs.FS { return pages }

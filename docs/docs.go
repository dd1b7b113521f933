// Package docs holds the written part of dpcalc. The pages stand in four folders: use, theorems, check and change.
// README.md leads from questions to the sections that answer them. The bibliography is embedded, so that the program
// can cite offline.
package docs

import _ "embed"

// References is the bibliography in BibTeX. A theory.Source names an entry by
// its key.
//
//go:embed references.bib
var References string

package commands

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/bibliography"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
)

// ProofChoices are which methods may be asked for by their proofs, the default first.
var ProofChoices = []string{"all", "published", "published,checked"}

// ProofsFlag asks for methods by their proofs.
var ProofsFlag = usage.Flag{Name: "proofs", Usage: "`WHICH` methods: all (default), published or published,checked",
	Words: ProofChoices}

// ProofWords say of each kind what the proof is.
var ProofWords = map[theory.Proof]string{
	theory.Published: "published in the literature",
	theory.Derived:   "dpcalc's own and has not been refereed",
	theory.Checked:   "checked by Coq, for laws of finite support",
}

// ProofText says where the proof of what is derived is: its public address at the version of this program, or the place
// in the source of a build without one.
func ProofText(proof theory.Proof, sources []theory.Source, t record.Prose) string {
	place := "docs/theorems/README.md"
	if proof == theory.Checked {
		place = "docs/check/proofs.md"
	} else if i := slices.IndexFunc(sources, func(s theory.Source) bool { return s.Key == "dpcalc" }); i >= 0 {
		place = sources[i].Where
	}
	text := t.Escape(place) + " in its source"
	if at := bibliography.Revision(usage.Version()); at != "" {
		text = t.Link(bibliography.Home + "/blob/" + at + "/" + place)
	}
	return strings.Join([]string{"The proof of that method is ", ProofWords[proof], ": ", text, ". "}, "")
}

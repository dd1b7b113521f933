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
var ProofChoices = []string{"all", "published", "published,coq", "coq"}

// ReadProofs reads --proofs. A line or a file from before coq had its name says checked.
func ReadProofs(c usage.Values) (string, error) {
	if asked, _ := c.Text(ProofsFlag.Name); slices.Contains([]string{"published,checked", "checked"}, asked) {
		return strings.Replace(asked, "checked", "coq", 1), nil
	}
	return usage.OneOf(c, ProofsFlag.Name, ProofChoices...)
}

// ProofsFlag asks for methods by their proofs.
var ProofsFlag = usage.Flag{Name: "proofs", Usage: "use the methods with `WHICH` proofs: all (default), published, coq (Coq has checked every theorem; numbers are in floating point), or published,coq",
	Words: ProofChoices}

// ProofWords say of each kind what the proof is.
var ProofWords = map[theory.Proof]string{
	theory.Published: "published in the literature",
	theory.Derived:   "dpcalc's own and has not been refereed",
	theory.Coq:       coqWords(""),
}

// coqWords say what Coq checks, given some theorems.
func coqWords(given string) string {
	return "checked by Coq from the hypotheses to the inequality, for laws of finite support" + given +
		"; the numbers are evaluated in floating point"
}

// PublicPage returns the public address of a page at the version of this program, or its place in the source of a build
// without a version.
func PublicPage(page string) string {
	if at := bibliography.Revision(usage.Version()); at != "" {
		return bibliography.Home + "/blob/" + at + "/" + page
	}
	return page + " in its source"
}

// ProofText says where a proof is that is derived, or that Coq checks given some published theorems: its public address
// at the version of this program, or the place in the source of a build without one.
func ProofText(proof theory.Proof, sources, given []theory.Source, t record.Prose) string {
	place, words := "docs/theorems/README.md", ProofWords[proof]
	if proof == theory.Coq {
		place, words = "docs/check/proofs.md", coqWords(t.Escape(bibliography.Given(given)))
	} else if i := slices.IndexFunc(sources, func(s theory.Source) bool { return s.Key == "dpcalc" }); i >= 0 {
		place = sources[i].Where
	}
	text := t.Escape(PublicPage(place))
	if strings.HasPrefix(text, bibliography.Home) {
		text = t.Link(PublicPage(place))
	}
	return strings.Join([]string{"The proof of that method is ", words, ": ", text, ". "}, "")
}

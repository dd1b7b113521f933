package articles

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/metric"
)

// symbol is a letter or a word of the field, as explain tells it.
type symbol struct {
	name    string
	aliases []string // what else people type for it
	summary string
	text    string
	where   string // the flags and columns that hold it
}

//go:embed glossary.txt
var glossaryText string

// glossary is what every command's symbols mean, in the order in which a plan needs them. Of each the text has a line
// with its name and aliases, one with its summary, a paragraph, and a line that says where it is.
var glossary = append(readGlossary(glossaryText), metricSymbols()...)

func readGlossary(text string) (list []symbol) {
	for entry := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		names, rest, _ := strings.Cut(entry, "\n")
		summary, rest, _ := strings.Cut(rest, "\n")
		paragraph, where, _ := strings.Cut(rest, "\nWhere: ")
		name := strings.Fields(names)
		list = append(list, symbol{name[0], name[1:], summary, paragraph, where})
	}
	return list
}

// metricSymbols are the metrics of package metric.
func metricSymbols() (list []symbol) {
	for _, m := range metric.All() {
		text := "What is promised is about " + m.Promise + "."
		if m.Less {
			text += " Less is better: a gate passes where it is below the bar."
		}
		if m.Class {
			text += " The positive class is named by --positive, never guessed from labels."
		}
		if m.Pairs {
			text += " Its owner alone asks a ledger of it, by a gate or an open ledger, as it is never served."
		}
		where := "--metrics of holdout init, --metric of its looks; docs/use/metrics.md"
		switch {
		case m.Planned():
			where += "; --query of samplesize, as " + m.Query + " queries"
		case m.Ratio != nil:
			where += "; --query of samplesize, with --feedback gate and --threshold"
		case m.Pairs:
			where += "; --query of samplesize, with --class-counts"
		}
		var aliases []string
		if short, _, named := strings.Cut(m.Name, ":"); named { // column for column:NAME
			aliases = []string{short}
		}
		list = append(list, symbol{m.Name, aliases, m.Summary, text, where})
	}
	return list
}

// symbolNamed finds a symbol by its name or by what else people type for it, as the heads of tables are
// typed with spaces. Letters differ by case where both are symbols.
func symbolNamed(name string) *symbol {
	hyphened := strings.NewReplacer(" ", "-", "_", "-").Replace
	exactly := func(typed string) bool { return hyphened(typed) == hyphened(name) }
	nearly := func(typed string) bool { return strings.EqualFold(hyphened(typed), hyphened(name)) }
	for i := range glossary {
		if glossary[i].name == name {
			return &glossary[i]
		}
	}
	for _, same := range []func(string) bool{exactly, nearly} {
		for i := range glossary {
			if s := &glossary[i]; same(s.name) || slices.ContainsFunc(s.aliases, same) {
				return s
			}
		}
	}
	return nil
}

func symbolNames() []string {
	return each.Of(glossary, func(s symbol) string { return s.name })
}

func (s *symbol) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", s.name, s.summary)
	printed.Wrap(&b, s.text)
	b.WriteString("\nWhere\n")
	printed.Wrap(&b, s.where)
	return b.String() + exampleOf(s.name)
}

//go:embed examples.txt
var examplesText string

// exampleOf returns the section of a page with the library's example of a method or symbol, "" if there is none. An
// entry of the text copies what an Example function says and prints.
func exampleOf(name string) string {
	for entry := range strings.SplitSeq(examplesText, "\n\n") {
		head, text, _ := strings.Cut(entry, "\n")
		names, source, _ := strings.Cut(head, " = ")
		if slices.Contains(strings.Fields(names), name) {
			about, output, _ := strings.Cut(strings.TrimSpace(text), "\n  ")
			var b strings.Builder
			printed.Wrap(&b, about)
			return "\nExample: " + source + "\n" + b.String() + "\n  " + output + "\n"
		}
	}
	return ""
}

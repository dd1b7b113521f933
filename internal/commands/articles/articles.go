package articles

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/bibliography"
	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/printed"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

func Explain() *commands.Command {
	return &commands.Command{
		Name:      "explain",
		Summary:   "the formula of a method, its hypotheses, what to do and where it is proved; or what a symbol means",
		Arguments: "METHOD|SYMBOL...",
		Description: "dpcalc methods lists the methods. The symbols are\n" +
			printed.Wrapped(symbolNames(), 100, "\n"),
		Flags: []usage.Flag{textOutputFlag},
		Words: func() []string { return slices.Concat(articleNames(), symbolNames()) },
		Examples: [2]string{
			"dpcalc explain gaussian",
			"dpcalc explain tau beta",
		},
		Run: func(c *commands.Call) error {
			pages, err := pagesNamed(c.Texts(usage.Arguments))
			if err != nil {
				return err
			}
			return writeText(c, strings.Join(pages, "\n"))
		},
	}
}

var textOutputFlag = usage.Flag{Name: "output", Alias: "o", Usage: "write to `FILE`, whole or not at all"}

// writeText writes what has one form only.
func writeText(c *commands.Call, text string) error {
	path, ok := c.Text("output")
	switch {
	case !ok || path == "-":
		return c.Print([]byte(text))
	case path == "":
		return usage.Invalid("output", path, "a file name")
	}
	return c.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// article is what there is to say of a method.
type article struct {
	name, command string // the command whose row it is
	summary       string
	formula       string
	hypotheses    []string
	practice      []string
	proof         theory.Proof
	sources       []theory.Source
}

// articles lists the methods of all commands in printing order.
func articles() ([]article, error) {
	var all []article
	for _, m := range transfer.Methods() {
		a := article{
			name: m.Name, command: "samplesize", summary: m.Summary, formula: m.Formula,
			hypotheses: m.Assumes, practice: []string{m.Practice}, proof: m.Proof, sources: m.Sources,
		}
		if m.Budgeted {
			a.hypotheses = append([]string{"a budget (--budget)"}, m.Assumes...)
		}
		switch {
		case m.Procedure:
			a.practice = append(a.practice, "This is a promise about a private procedure's output. It certifies no plan for answering queries.")
		case !m.Adaptive:
			a.practice = append(a.practice, "A reference: it holds only for queries fixed before the data are seen.")
		}
		all = append(all, a)
	}
	more, err := correctionArticles()
	return append(all, more...), err
}

// articleNames lists their names.
func articleNames() []string {
	names := commands.MethodNames()
	for _, a := range corrections {
		names = append(names, a.name)
	}
	return names
}

func (a article) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", a.name, a.summary)
	section := func(head string, paragraphs ...string) {
		fmt.Fprintf(&b, "\n%s\n", head)
		for _, text := range paragraphs {
			printed.Wrap(&b, text)
		}
	}
	section("Formula", a.formula)
	section("Hypotheses", a.hypotheses...)
	section("In practice", a.practice...)
	sources := []string{}
	for _, s := range a.sources {
		sources = append(sources, s.String())
	}
	section("Proof: "+string(a.proof), sources...)
	return b.String()
}

// Has reports whether explain knows a name.
func Has(name string) bool {
	return symbolNamed(name) != nil || slices.Contains(articleNames(), name)
}

// pagesNamed looks up what explain is asked: methods, and the symbols of the glossary.
func pagesNamed(names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, usage.Errorf("explain: got nothing, want a METHOD, see dpcalc methods, or a SYMBOL such as tau")
	}
	var pages []string
	for _, name := range names {
		if s := symbolNamed(name); s != nil && !slices.Contains(articleNames(), name) {
			pages = append(pages, s.page())
			continue
		}
		found, err := articlesNamed("explain", []string{name}, symbolNames()...)
		if err != nil {
			return nil, err
		}
		pages = append(pages, found[0].page())
	}
	return pages, nil
}

// articlesNamed looks the arguments of a command up. more is what else the command knows.
func articlesNamed(command string, names []string, more ...string) ([]article, error) {
	if len(names) == 0 {
		return nil, usage.Errorf("%s: got nothing, want a METHOD, see dpcalc methods", command)
	}
	all, err := articles()
	if err != nil {
		return nil, err
	}
	found := make([]article, len(names))
	for i, name := range names {
		k := slices.IndexFunc(all, func(a article) bool { return a.name == name })
		if k < 0 {
			what := "method"
			if len(more) > 0 {
				what = "method or symbol"
			}
			hint := usage.OrSee(usage.DidYouMean(name, append(articleNames(), more...)), "dpcalc methods")
			return nil, usage.Errorf("%s: unknown %s %s%s", command, what, usage.Shown(name), hint)
		}
		found[i] = all[k]
	}
	return found, nil
}

func Cite() *commands.Command {
	return &commands.Command{
		Name:      "cite",
		Summary:   "BibTeX entries of the sources of methods",
		Arguments: "METHOD...",
		Flags:     []usage.Flag{textOutputFlag},
		Words:     articleNames,
		Examples: [2]string{
			"dpcalc cite gaussian rounding",
			"dpcalc cite renyi -o sources.bib",
		},
		Run: func(c *commands.Call) error {
			articles, err := articlesNamed("cite", c.Texts(usage.Arguments))
			if err != nil {
				return err
			}
			var entries []string
			seen := make(map[string]bool)
			for _, a := range articles {
				for _, s := range a.sources {
					if seen[s.Key] {
						continue
					}
					seen[s.Key] = true
					entry, err := bibliography.Entry(s)
					if err != nil {
						return err
					}
					entries = append(entries, entry)
				}
			}
			return writeText(c, strings.Join(entries, "\n"))
		},
	}
}

func Methods() *commands.Command {
	return &commands.Command{
		Name:    "methods",
		Summary: "all methods with a line each",
		Output:  commands.Tables,
		Examples: [2]string{
			"dpcalc methods",
			"dpcalc methods -f csv",
		},
		Run: func(c *commands.Call) error {
			target, err := c.Target()
			if err != nil {
				return err
			}
			r := record.Result{Command: "methods", Columns: []string{"method", "summary", "adaptive", "procedure", "budgeted", "proof", "formula", "sources", "assumes", "command"}}
			var rows, short [][]record.Cell
			for _, m := range transfer.Methods() {
				rows = append(rows, []record.Cell{
					record.Words(m.Name), record.Words(m.Summary), record.Truth(m.Adaptive), record.Truth(m.Procedure), record.Truth(m.Budgeted),
					record.Words(string(m.Proof)), record.Words(m.Formula), record.Sources(m.Sources), record.List(m.Assumes), record.Words("samplesize"),
				})
				short = append(short, []record.Cell{record.Words(m.Name), record.Words(string(m.Proof)), record.Words(m.Summary), record.Words("samplesize")})
			}
			more, err := correctionArticles()
			if err != nil {
				return err
			}
			for _, a := range more {
				rows = append(rows, []record.Cell{
					record.Words(a.name), record.Words(a.summary), {}, {}, {},
					record.Words(string(a.proof)), record.Words(a.formula), record.Sources(a.sources), record.List(a.hypotheses), record.Words(a.command),
				})
				short = append(short, []record.Cell{record.Words(a.name), record.Words(string(a.proof)), record.Words(a.summary), record.Words(a.command)})
			}
			return commands.Emit(c, target, r, rows, func() record.Sheet {
				return record.Sheet{Columns: []string{"method", "proof", "summary", "command"}, Rows: short}
			})
		},
	}
}

// Package articles has the commands that explain: what a method is, where it is proved, and
// what the symbols mean.
package articles

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/bibliography"
	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/theorem"
)

// Explain is the command explain, in a program with some commands: it knows their flags and the words of these too.
func Explain(program func() []*commands.Command) *commands.Command {
	return &commands.Command{
		Name:      "explain",
		Summary:   "what a method or a symbol means, and where it is proved",
		Arguments: "METHOD|SYMBOL...",
		Description: "dpcalc methods lists the methods. The symbols are\n" +
			printed.Wrapped(symbolNames(), 100, "\n"),
		Flags: []usage.Flag{fullFlag, textOutputFlag},
		Words: func() []string { return slices.Concat(articleNames(), symbolNames()) },
		Examples: []string{
			"dpcalc explain gaussian",
			"dpcalc explain gate --full",
			"dpcalc explain tau beta",
		},
		Run: func(c *commands.Call) error {
			pages, err := pagesNamed(c.Texts(usage.Arguments), c.Is(fullFlag.Name), program(), c.Formats)
			if err != nil {
				return err
			}
			return writeText(c, strings.Join(pages, "\n"))
		},
	}
}

var fullFlag = usage.Flag{Name: "full", Switch: true, Usage: "name the theorems that Coq has checked for each kind of rows"}

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
	theory.Article
	command  string   // the commands whose rows it is
	needs    []string // hypotheses that a flag provides
	practice []string // what more there is to say of its use
	method   *transfer.Method
}

// articles lists the methods of all commands in printing order.
func articles() ([]article, error) {
	var all []article
	for _, m := range transfer.Methods() {
		a := article{Article: m.Article(), command: "samplesize", method: &m}
		a.Practice = commands.Flagged(a.Practice)
		if m.NeedsBudget() {
			a.needs = []string{"a budget (--budget)"}
		}
		switch {
		case m.Procedure:
			a.practice = []string{"This is a promise about a private procedure's output. It certifies no plan for answering queries."}
		case m.IsReference():
			a.practice = []string{"A reference: it holds only for queries fixed before the data are seen."}
		}
		all = append(all, a)
	}
	revealing, err := maxinfo.Articles()
	if err != nil {
		return nil, err
	}
	correcting, err := pvalue.Articles()
	if err != nil {
		return nil, err
	}
	all = append(all, merged("maxinfo", revealing, "pvalue-correct", correcting)...)
	all = append(all, named("pvalue-correct", pvalue.FamilyArticles())...)
	all = append(all, named("maxinfo", maxinfo.JointArticles())...)
	for _, m := range theory.CompositionMethods() {
		all = append(all, article{Article: m.Article, command: "compose"})
	}
	for _, t := range theorem.All() {
		all = append(all, article{Article: t.Article, command: "transfer"})
	}
	return all, nil
}

func named(command string, list []theory.Article) []article {
	return each.Of(list, func(a theory.Article) article { return article{Article: a, command: command} })
}

// merged lists the methods of two commands, a method of both once. A method of the second alone
// stands before the one that it precedes there.
func merged(first string, some []theory.Article, second string, others []theory.Article) []article {
	all := named(first, some)
	at := len(all)
	for _, other := range slices.Backward(others) {
		i := slices.IndexFunc(all, func(a article) bool { return a.Name == other.Name })
		if i < 0 {
			all = slices.Insert(all, at, article{Article: other, command: second})
			continue
		}
		all[i].command += ", " + second
		all[i].Checked, all[i].Missing = other.Checked, other.Missing // no more than one of the two has any
		at = i
	}
	return all
}

// articleNames lists their names.
func articleNames() []string {
	all, err := articles()
	if err != nil {
		return nil // which every page tells
	}
	return each.Of(all, func(a article) string { return a.Name })
}

// page says what there is to say of a method, with the names of theorems in Coq if it is to be full.
func (a article) page(full bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", a.Name, a.Summary)
	section := func(head string, paragraphs ...string) {
		fmt.Fprintf(&b, "\n%s\n", head)
		for _, text := range paragraphs {
			printed.Wrap(&b, text)
		}
	}
	section("Formula", a.Formula)
	section("Hypotheses", slices.Concat(a.needs, a.Assumes)...)
	section("In practice", append([]string{a.Practice}, a.practice...)...)
	section("Proof: "+string(a.Proof), each.Of(a.Sources, theory.Source.String)...)
	rows := func(all []theory.Checked) []string {
		return each.Of(all, func(c theory.Checked) string { return checkedText(c, full) })
	}
	if len(a.Checked) > 0 {
		about := "Coq has checked every theorem from the hypotheses to the inequality, for laws of finite support; the numbers are evaluated in floating point (docs/check/proofs.md):"
		section("Proof: coq", append([]string{about}, rows(a.Checked)...)...)
	}
	if len(a.Missing) > 0 {
		section("Proof: derived; Coq checks all but a part, for laws of finite support", rows(a.Missing)...)
	}
	if n := len(a.Checked) + len(a.Missing); n > 0 && !full {
		section("The theorems in Coq", "dpcalc explain "+a.Name+" --full")
	}
	return b.String() + exampleOf(a.Name)
}

// checkedText says which rows Coq checks, given which theorems, and if it is to be full by which theorems.
func checkedText(c theory.Checked, full bool) string {
	text := c.Rows
	if c.Missing != "" {
		text += ", but for " + c.Missing
	}
	text += bibliography.Given(c.Given)
	if full {
		text += ": " + strings.Join(c.Theorems, ", ")
	}
	return text
}

// Has reports whether explain knows a name.
func Has(name string) bool {
	return symbolNamed(name) != nil || slices.Contains(articleNames(), name)
}

// pagesNamed looks up what explain is asked: methods, and the symbols of the glossary.
func pagesNamed(names []string, full bool, program []*commands.Command, formats []record.Format) ([]string, error) {
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
			if page := wordPage(name, program, formats); page != "" {
				pages = append(pages, page)
				continue
			}
			return nil, err
		}
		pages = append(pages, found[0].page(full))
	}
	return pages, nil
}

// wordPage says which flags have a name, which may be their column's name, or take it as a word; "" if none does.
func wordPage(word string, program []*commands.Command, formats []record.Format) string {
	var says, kinds []string
	of := make(map[string][]string)
	for _, c := range program {
		for _, f := range c.AllFlags(formats) {
			kind := "a word that a flag takes"
			switch {
			case f.Name == strings.ReplaceAll(word, "_", "-"):
				kind = "a flag"
			case !slices.Contains(f.Words, word):
				continue
			}
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
			text := "--" + f.Name + ": " + strings.ReplaceAll(f.Usage, "`", "")
			if of[text] == nil {
				says = append(says, text)
			}
			of[text] = append(of[text], c.Path())
		}
	}
	if says == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", word, strings.Join(kinds, ", and "))
	for _, text := range says {
		b.WriteString("\n")
		printed.Wrap(&b, text+". Of "+strings.Join(of[text], ", ")+".")
	}
	return b.String()
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
		k := slices.IndexFunc(all, func(a article) bool { return a.Name == name })
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

// Cite is the command cite.
func Cite() *commands.Command {
	return &commands.Command{
		Name:      "cite",
		Summary:   "BibTeX entries of the sources of methods",
		Arguments: "METHOD...",
		Flags:     []usage.Flag{textOutputFlag},
		Words:     articleNames,
		Examples: []string{
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
				for _, s := range a.Sources {
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

// Methods is the command methods.
func Methods() *commands.Command {
	return &commands.Command{
		Name:     "methods",
		Summary:  "all methods with a line each",
		Output:   commands.Tables,
		Examples: []string{"dpcalc methods", "dpcalc methods -f csv"},
		Run: func(c *commands.Call) error {
			target, err := c.Target()
			if err != nil {
				return err
			}
			all, err := articles()
			if err != nil {
				return err
			}
			return commands.Emit(c, target, commands.Answer[article]{
				Command: "methods", Schema: "methods/2", Rows: commands.List(all),
				Columns: methodColumns, Shown: record.Named(methodColumns, "method", "proof", "summary", "command"),
				Verdict: article.verdict,
			})
		},
	}
}

type articleColumn = record.Column[article]

// verdict says that Coq checks the proof if it does of rows for ordinary goals, which page lists.
func (a article) verdict() commands.Verdict {
	if len(a.Checked) > 0 {
		a.Proof = theory.Coq
	}
	return commands.Verdict{Method: a.Name, Proof: a.Proof, Sources: a.Sources, Assumes: a.Assumes}
}

var methodColumns = slices.Concat(commands.VerdictColumns(article.verdict, "method"), []articleColumn{
	{Name: "summary", Cell: func(a article) record.Cell { return record.Words(a.Summary) }},
	{Name: "adaptive", Cell: ofMethod(func(m *transfer.Method) bool { return m.Adaptive })},
	{Name: "procedure", Cell: ofMethod(func(m *transfer.Method) bool { return m.Procedure })},
	{Name: "budgeted", Cell: ofMethod(func(m *transfer.Method) bool { return m.NeedsBudget() })},
}, commands.VerdictColumns(article.verdict, "proof"), []articleColumn{
	{Name: "formula", Cell: func(a article) record.Cell { return record.Words(a.Formula) }},
}, commands.VerdictColumns(article.verdict, "sources", "assumes"), []articleColumn{
	{Name: "command", Cell: func(a article) record.Cell { return record.Words(a.command) }},
})

// ofMethod is what there is to say of methods for sample sizes alone.
func ofMethod(is func(*transfer.Method) bool) func(article) record.Cell {
	return func(a article) record.Cell {
		if a.method == nil {
			return record.Cell{}
		}
		return record.Truth(is(a.method))
	}
}

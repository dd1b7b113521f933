package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/docs"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/urfave/cli/v2"
)

func (p *program) explain() *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "the formula of a method, its hypotheses, what to do and where it is proved; or what a symbol means",
		ArgsUsage: "METHOD|SYMBOL...",
		Args:      true,
		Description: "dpcalc methods lists the methods. The symbols are\n" +
			wrapped(symbolNames(), 100, "\n"),
		Flags: []cli.Flag{textOutputFlag()},
		Action: func(c *cli.Context) error {
			pages, err := pagesNamed(c.Args().Slice())
			if err != nil {
				return err
			}
			return p.writeText(c, strings.Join(pages, "\n"))
		},
	}
}

func textOutputFlag() cli.Flag {
	return textFlag("output", "o", "write to `FILE`, whole or not at all")
}

// writeText writes what has one form only.
func (p *program) writeText(c *cli.Context, text string) error {
	path, ok := given(c, "output")
	switch {
	case !ok || path == "-":
		return p.print([]byte(text))
	case path == "":
		return invalid("output", path, "a file name")
	}
	return p.write(target{path: path}, func(w io.Writer) error {
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
	names := methodNames()
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
			wrap(&b, text)
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

// pagesNamed looks up what explain is asked: methods, and the symbols of the glossary.
func pagesNamed(names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, usagef("explain: got nothing, want a METHOD, see dpcalc methods, or a SYMBOL such as tau")
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

// wrap writes a paragraph in lines of at most 78 columns, indented by two.
func wrap(b *strings.Builder, text string) {
	const width = 78
	column := 0
	for word := range strings.FieldsSeq(text) {
		switch n := len([]rune(word)); {
		case column == 0:
			b.WriteString("  " + word)
			column = 2 + n
		case column+1+n > width:
			b.WriteString("\n    " + word)
			column = 4 + n
		default:
			b.WriteString(" " + word)
			column += 1 + n
		}
	}
	b.WriteByte('\n')
}

// articlesNamed looks the arguments of a command up. more is what else the command knows.
func articlesNamed(command string, names []string, more ...string) ([]article, error) {
	if len(names) == 0 {
		return nil, usagef("%s: got nothing, want a METHOD, see dpcalc methods", command)
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
			hint := orSee(didYouMean(name, append(articleNames(), more...)), "dpcalc methods")
			return nil, usagef("%s: unknown %s %s%s", command, what, shown(name), hint)
		}
		found[i] = all[k]
	}
	return found, nil
}

func (p *program) cite() *cli.Command {
	return &cli.Command{
		Name:      "cite",
		Usage:     "BibTeX entries of the sources of methods",
		ArgsUsage: "METHOD...",
		Args:      true,
		Flags:     []cli.Flag{textOutputFlag()},
		Action: func(c *cli.Context) error {
			articles, err := articlesNamed("cite", c.Args().Slice())
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
					entry, err := reference(s)
					if err != nil {
						return err
					}
					entries = append(entries, entry)
				}
			}
			return p.writeText(c, strings.Join(entries, "\n"))
		},
	}
}

// home is where the program and its proofs are published.
const home = "https://github.com/dpcalc/dpcalc"

// The versions that the toolchain records are tags, or pseudo-versions that end in a
// commit.
var (
	pseudoVersion = regexp.MustCompile(`[-.]\d{14}-([0-9a-f]{12})$`)
	taggedVersion = regexp.MustCompile(`^v\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$`)
)

// revision is the tag or the commit of a version, by which its files are found, and ""
// for one that nobody else can have: a build without a version, or of changed files.
func revision(version string) string {
	if commit := pseudoVersion.FindStringSubmatch(version); commit != nil {
		return commit[1]
	}
	return taggedVersion.FindString(version)
}

// reference finds a source's entry in the bibliography. An entry begins with
// "@kind{key," and ends with a brace at the start of a line.
// What is proved in docs/theorems is cited as this program.
func reference(s theory.Source) (string, error) {
	if s.Key == "dpcalc" {
		url := home
		if at := revision(version()); at != "" {
			url += "/blob/" + at + "/docs/theorems/README.md"
		}
		return "@software{dpcalc,\n  author    = {{The dpcalc authors}},\n  title     = {dpcalc: sample sizes for adaptively chosen queries},\n" +
			"  version   = {" + version() + "},\n  note      = {proofs in docs/theorems, not refereed},\n  url       = {" + url + "},\n}\n", nil
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

func (p *program) methods() *cli.Command {
	return &cli.Command{
		Name:  "methods",
		Usage: "all methods with a line each",
		Flags: outputFlags(),
		Action: func(c *cli.Context) error {
			target, err := outputTarget(c)
			if err != nil {
				return err
			}
			r := result{command: "methods", columns: []string{"method", "summary", "adaptive", "procedure", "budgeted", "proof", "formula", "sources", "assumes", "command"}}
			var rows, short [][]cell
			for _, m := range transfer.Methods() {
				rows = append(rows, []cell{
					wordsCell(m.Name), wordsCell(m.Summary), truthCell(m.Adaptive), truthCell(m.Procedure), truthCell(m.Budgeted),
					wordsCell(string(m.Proof)), wordsCell(m.Formula), sourcesCell(m.Sources), listCell(m.Assumes), wordsCell("samplesize"),
				})
				short = append(short, []cell{wordsCell(m.Name), wordsCell(string(m.Proof)), wordsCell(m.Summary), wordsCell("samplesize")})
			}
			more, err := correctionArticles()
			if err != nil {
				return err
			}
			for _, a := range more {
				rows = append(rows, []cell{
					wordsCell(a.name), wordsCell(a.summary), {}, {}, {},
					wordsCell(string(a.proof)), wordsCell(a.formula), sourcesCell(a.sources), listCell(a.hypotheses), wordsCell(a.command),
				})
				short = append(short, []cell{wordsCell(a.name), wordsCell(string(a.proof)), wordsCell(a.summary), wordsCell(a.command)})
			}
			return p.emit(target, r, rows, func() sheet {
				return sheet{columns: []string{"method", "proof", "summary", "command"}, rows: short}
			})
		},
	}
}

package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The rules of prose, each a word in what [complaints] returns.
const (
	opener = "opener" // no statement opens with Who, Whoever or What
	length = "length" // no sentence has more than 35 words
	nobody = "nobody" // nothing, nobody and no one stand at most 3 times on a page
	you    = "you"    // a page of use addresses its reader 5 times in 1,000 words
	budget = "budget" // a page has at most its number of words
	number = "number" // every number is in a tested block or recomputed
)

const longest = 35

// budgets are the greatest numbers of words of pages, without blocks. Pages of use stand without their folder. Every
// other page may have 2,500.
var budgets = map[string]int{
	"README.md":    700,
	"CHANGELOG.md": 150,

	"docs/check/numerics.md":      1100,
	"docs/change/architecture.md": 900,
	"docs/change/contributing.md": 950,
	"docs/change/decisions.md":    650,
	"docs/check/audit.md":         1000,
	"docs/check/errata.md":        1000,
	"docs/check/performance.md":   1100,
	"docs/check/proofs.md":        1000,
	"docs/check/server.md":        800,

	"python/README.md": 150,
	"r/README.md":      150,
	"page/README.md":   150,
	"tools/README.md":  150,
	"proofs/README.md": 600,

	"start.md": 900,

	"choose.md":               700,
	"leaderboard.md":          1000,
	"gate.md":                 900,
	"agents.md":               900,
	"dpcalc-holdout/SKILL.md": 450,
	"p-values.md":             1900,
	"python.md":               600,
	"r.md":                    450,

	"ledger.md":   2200,
	"output.md":   1000,
	"metrics.md":  800,
	"page.md":     350,
	"glossary.md": 450,

	"guarantee.md":  1100,
	"evidence.md":   1300,
	"comparison.md": 1000,
}

const usualBudget = 2500

var (
	comment  = regexp.MustCompile(`(?s)<!--.*?-->`)
	spans    = regexp.MustCompile(`<!-- n: [^>]*-->[\d.,]+`)
	target   = regexp.MustCompile(`\]\([^()\s]+\)`)
	code     = regexp.MustCompile("`[^`\n]*`")
	indented = regexp.MustCompile(`(?m)^    .*$`)
	table    = regexp.MustCompile(`(?m)^\|.*$`)
	item     = regexp.MustCompile(`^(?:[-*>]|\d+\.) `)
	stop     = regexp.MustCompile(`[.!?:]["')*_\]]*\s+`)
	refusal  = regexp.MustCompile(`(?i)\b(?:nothing|nobody|no one)\b`)
	address  = regexp.MustCompile(`(?i)\byou(?:r|rs)?\b`)
	// numeral has a thousands separator, two decimals or four digits.
	numeral = regexp.MustCompile(`\b\d{1,3}(?:,\d{3})+(?:\.\d+)?\b|\b\d+\.\d{2,}\b|\b\d{4,}\b`)
	anyOf   = regexp.MustCompile(`\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?`)
	// heading is what a word of the glossary means, below its names.
	heading = regexp.MustCompile(`(?m)(?:^\n|\A).*\n(.*)\n`)
	year    = regexp.MustCompile(`^(?:19|20)\d\d$`)
	release = regexp.MustCompile(`\b(?:Go|Python|R|Coq|curl) \(?\d+\.\d+`)
)

// prose is a page without its blocks, comments, tables, and the targets of its links. Code is a word.
func prose(page string) string {
	page = fenced.ReplaceAllString(comment.ReplaceAllString(page, ""), "\n")
	return target.ReplaceAllString(table.ReplaceAllString(indented.ReplaceAllString(page, ""), ""), "]")
}

// sentences returns the sentences of a text with their closing marks. Items, headings and colons end one too.
func sentences(text string) (all []string) {
	var paragraphs []string
	for line := range strings.Lines(code.ReplaceAllString(text, "code")) {
		switch line = strings.TrimSpace(line); {
		case line == "" || strings.HasPrefix(line, "#"):
			paragraphs = append(paragraphs, "")
		case item.MatchString(line) || len(paragraphs) == 0:
			paragraphs = append(paragraphs, item.ReplaceAllString(line, ""))
		default:
			paragraphs[len(paragraphs)-1] += " " + line
		}
	}
	for _, paragraph := range paragraphs {
		from := 0
		for _, at := range append(stop.FindAllStringIndex(paragraph, -1), []int{0, len(paragraph)}) {
			if s := strings.TrimSpace(paragraph[from:at[1]]); s != "" {
				all = append(all, s)
			}
			from = at[1]
		}
	}
	return all
}

// broke returns the openers and lengths that a text gets wrong, by rule.
func broke(text string) map[string][]string {
	wrong := map[string][]string{}
	for _, s := range sentences(text) {
		words := strings.Fields(s)
		first := strings.Trim(words[0], "*_[\"'(")
		asks := strings.Contains(s[len(s)-min(len(s), 3):], "?") || len(words) <= 6
		if slices.Contains([]string{"Who", "Whoever", "What"}, first) && !asks {
			wrong[opener] = append(wrong[opener], s)
		}
		if len(words) > longest {
			wrong[length] = append(wrong[length], s)
		}
	}
	return wrong
}

// complaints returns what a page gets wrong, by rule.
func complaints(name, page string) map[string][]string {
	text := prose(page)
	wrong := broke(text)
	words := len(strings.Fields(text))
	if found := refusal.FindAllString(text, -1); len(found) > 3 {
		wrong[nobody] = []string{fmt.Sprintf("%d of %v", len(found), found)}
	}
	addressed := len(address.FindAllString(text, -1))
	if strings.HasPrefix(name, "docs/use/") && addressed*1000 < 5*words {
		wrong[you] = []string{fmt.Sprintf("%d in %d words", addressed, words)}
	}
	most := budgets[strings.TrimPrefix(name, "docs/use/")]
	if most == 0 {
		most = usualBudget
	}
	if words > most {
		wrong[budget] = []string{fmt.Sprintf("%d words, want at most %d", words, most)}
	}
	if bare := bareNumbers(page); bare != nil {
		wrong[number] = bare
	}
	return wrong
}

// bareNumbers returns the numbers in prose that no test recomputes. A number of a tested block of the page may be
// rounded up or down, and multiplied by 100 for percents and points.
func bareNumbers(page string) (bare []string) {
	var tested []float64
	for _, block := range fenced.FindAllString(page, -1) {
		for _, text := range anyOf.FindAllString(block, -1) {
			x, _ := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
			tested = append(tested, x, 100*x)
		}
	}
	text := code.ReplaceAllString(prose(spans.ReplaceAllString(page, "")), "")
	text = release.ReplaceAllString(text, "")
	for _, said := range numeral.FindAllString(text, -1) {
		plain := strings.ReplaceAll(said, ",", "")
		_, decimals, _ := strings.Cut(plain, ".")
		unit := math.Pow10(-len(decimals))
		x, _ := strconv.ParseFloat(plain, 64)
		near := func(of float64) bool { return math.Abs(of-x) < unit*(1-1e-9) }
		if !year.MatchString(said) && !slices.ContainsFunc(tested, near) {
			bare = append(bare, said)
		}
	}
	return bare
}

// helps returns what a file of Go tells people: its package comment, and the help texts of commands and flags.
func helps(name, text string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var all []string
	if file.Doc != nil {
		all = append(all, file.Doc.Text())
	}
	ast.Inspect(file, func(n ast.Node) bool {
		field, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		key, ok := field.Key.(*ast.Ident)
		if ok && slices.Contains([]string{"Usage", "Summary", "Help", "Practice"}, key.Name) {
			all = append(all, literals(field.Value))
		}
		return true
	})
	return all, nil
}

// literals joins the strings of an expression, with a word where something else is added.
func literals(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return strings.ReplaceAll(text, "`", "")
	case *ast.BinaryExpr:
		return literals(e.X) + literals(e.Y)
	}
	return "word"
}

// judged returns what every text breaks, by its file: the README and pages by all rules, help texts and package
// comments by openers and lengths.
func judged(t *testing.T) map[string]map[string][]string {
	t.Helper()
	all := map[string]map[string][]string{}
	for name, text := range files(t, ".md") {
		page := strings.HasPrefix(name, "docs/") && !strings.HasPrefix(name, "docs/theorems/")
		_, judged := budgets[name]
		if page || judged {
			all[name] = complaints(name, text)
		}
	}
	for name, text := range files(t, ".txt", ".go") {
		texts := []string{text}
		switch {
		case strings.HasSuffix(name, "_test.go"):
			continue
		case strings.HasSuffix(name, ".go"):
			var err error
			if texts, err = helps(name, text); err != nil {
				t.Fatal(err)
			}
		case strings.HasSuffix(name, "articles/glossary.txt"):
			texts = strings.Split(heading.ReplaceAllString(text, "\n$1.\n"), "\n\n")
		case !strings.Contains(name, "commands/descriptions/") && !strings.HasSuffix(name, "advise/questions.txt"):
			continue
		}
		all[name] = map[string][]string{}
		for _, text := range texts {
			for rule, wrong := range broke(indented.ReplaceAllString(text, "")) {
				all[name][rule] = append(all[name][rule], wrong...)
			}
		}
	}
	return all
}

// The README, the pages, help texts and package comments keep the rules of prose.
func TestProse(t *testing.T) {
	for name, wrong := range judged(t) {
		for rule, said := range wrong {
			t.Errorf("%s, %s:\n%s", name, rule, strings.Join(said, "\n"))
		}
	}
}

// Every page of use has a budget, and every budget a page.
func TestPagesHaveBudgets(t *testing.T) {
	use := files(t, ".md")
	for name := range budgets {
		_, root := use[name]
		if _, found := use["docs/use/"+name]; !found && !root {
			t.Errorf("there is a budget of %s, and no such page", name)
		}
	}
	for name := range use {
		if short, inside := strings.CutPrefix(name, "docs/use/"); inside && budgets[short] == 0 {
			t.Errorf("%s has no budget", name)
		}
	}
}

// A page that breaks one rule is seen, and a page that breaks none is not.
func TestProseRulesAreSeen(t *testing.T) {
	const name = "docs/use/r.md"
	long := strings.Repeat("word ", longest)
	for page, want := range map[string]string{
		"You see your score. ": "",
		"You see. What passes is above the bar of your own ledger.":                    opener,
		"You see.\n\n- *Whoever* looks at your ledger again pays the price twice.":     opener,
		"What do you see in the ledger if you look at it again?":                       "",
		"You: " + strings.TrimSpace(long) + ".":                                        "",
		"You see your " + long + ".":                                                   length,
		"You see nothing, nobody, no one; nothing.":                                    nobody,
		"You see nothing, nobody, no one.":                                             "",
		"The ledger takes looks.":                                                      you,
		"You see 5,000 rows.":                                                          number,
		"You see 0.81 of it.":                                                          number,
		"You see it since 2015, with Go 1.26.":                                         "",
		"You see `5,000` rows.\n\n```\n$ dpcalc -n 4000\n0.07402\n```\n":               "",
		"You see 4,000 rows and 7.41 points.\n\n```\n$ dpcalc -n 4000\n0.07402\n```\n": "",
		"You see 4,000 rows and 7.42 points.\n\n```\n$ dpcalc -n 4000\n0.07402\n```\n": number,
		"You see <!-- n: samplesize -n 4000 -->7.42 points.":                           "",
		strings.Repeat("You see. ", usualBudget/2) + "You.":                            budget,
	} {
		wrong := slices.Collect(maps.Keys(complaints(name, page)))
		if got := strings.Join(wrong, " "); got != want {
			t.Errorf("%.80q breaks %q, want %q", page, got, want)
		}
	}
}

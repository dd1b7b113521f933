package printed

import (
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/record"
)

// A pipe, an underscore or a percent sign in a cell does not break the markup.
func TestMarkupIsEscaped(t *testing.T) {
	s := record.Sheet{Columns: []string{"a_b", "n"},
		Rows: [][]record.Cell{{record.Words("kl(p||q) 5% x_1"), record.Count(1)}}}
	for want, format := range map[string]record.Format{
		`| kl(p\|\|q) 5% x\_1 | 1 |`: Markdown,
		`kl(p||q) 5\% x\_1 & 1 \\`:   LaTeX,
	} {
		var b strings.Builder
		if err := format.Print(&b, s); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %s (%v), want %s", format.Name, b.String(), err, want)
		}
	}
}

// On a terminal with colours the star and verdicts have one, in tables alone, and nothing else changes.
func TestColours(t *testing.T) {
	s := record.Sheet{Title: []string{"pass"}, Columns: []string{"", "verdict", "name"}, Notes: []string{"* best"},
		Rows: [][]record.Cell{
			{record.Mark(true), record.Words("pass"), record.Words("passes")}, {record.Mark(false), record.Words("fail"), record.Words("x")},
		}}
	printed := func(f record.Format, colours bool) string {
		var b strings.Builder
		s.Colours = colours
		if err := f.Print(&b, s); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	got := printed(Table, true)
	for _, want := range []string{green + "*" + plain, green + "pass" + plain, red + "fail" + plain} {
		if strings.Count(got, want) != 1 {
			t.Errorf("got %q, want %q in it once", got, want)
		}
	}
	if without := strings.NewReplacer(green, "", red, "", plain, "").Replace(got); without != printed(Table, false) {
		t.Errorf("got %q without colours, want %q", without, printed(Table, false))
	}
	for _, f := range []record.Format{Markdown, LaTeX} {
		if got := printed(f, true); strings.Contains(got, "\x1b") {
			t.Errorf("%s: %q", f.Name, got)
		}
	}
}

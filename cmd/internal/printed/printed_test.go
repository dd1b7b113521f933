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

package printed

import (
	"strings"
	"unicode/utf8"
)

// Wrapped joins words with blanks, and lines of at most so many characters with a gap.
func Wrapped(words []string, width int, gap string) string {
	var b strings.Builder
	column := 0
	for i, word := range words {
		switch {
		case i == 0:
		case column+1+utf8.RuneCountInString(word) > width:
			b.WriteString(gap)
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += utf8.RuneCountInString(word)
	}
	return b.String()
}

// Folded are the lines in lines of at most so many characters. What follows the first of a line is indented.
func Folded(lines []string, width int) (folded []string) {
	for _, line := range lines {
		if utf8.RuneCountInString(line) > width {
			line = Wrapped(strings.Fields(line), width-2, "\n  ")
		}
		folded = append(folded, strings.Split(line, "\n")...)
	}
	return folded
}

// Wrap writes a paragraph in lines of at most 78 columns, indented by two.
func Wrap(b *strings.Builder, text string) {
	const width = 78
	column := 0
	for word := range strings.FieldsSeq(text) {
		switch n := utf8.RuneCountInString(word); {
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

// Fill writes a paragraph in lines of at most 78 columns.
func Fill(b *strings.Builder, text string) {
	b.WriteString(Wrapped(strings.Fields(text), 78, "\n") + "\n")
}

// Capital begins a text with a capital.
func Capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// Package text puts what somebody typed, and lists of names, into sentences.
package text

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// longest is how many bytes of a text are shown.
const longest = 80

// Shown quotes a text that would not read as one word of one line, and cuts a long one.
func Shown(s string) string {
	plain := s != "" && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r == ' ' || !strconv.IsPrint(r)
	})
	if len(s) > longest {
		s, plain = s[:longest-3]+"...", false
	}
	if plain {
		return s
	}
	return strconv.Quote(s)
}

// OrList joins names: "a, b or c".
func OrList(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

package usage

import (
	"fmt"
	"strings"

	"github.com/dpcalc/dpcalc/internal/text"
)

// OrSee is the hint, or where to look.
func OrSee(hint, where string) string {
	if hint == "" {
		return ", see " + where
	}
	return hint
}

// AndList joins names: "a, b and c".
func AndList(names []string) string { return strings.ReplaceAll(OrList(names), " or ", " and ") }

// OrList is [text.OrList].
func OrList(names []string) string { return text.OrList(names) }

// longestName is the longest text that may be a mistyped name.
const longestName = 40

// DidYouMean suggests the nearest of the names, if one is near.
func DidYouMean(got string, names []string) string {
	if len(got) > longestName {
		return ""
	}
	best, least := "", max(1, len(got)/3)+1
	for _, name := range names {
		d := max(len(got)-len(name), len(name)-len(got)) // at least
		if d < least {
			d = distance(got, name)
		}
		if len(got) >= 3 && strings.HasPrefix(name, got) {
			d = 1
		}
		if d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %s?", best)
}

// distance counts the insertions, deletions, substitutions and swaps of neighbours from
// a to b, in which no place is touched twice.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				cost++
			}
			cost = min(cost, rows[i-1][j]+1, rows[i][j-1]+1)
			if swapped(a[:i], b[:j]) {
				cost = min(cost, rows[i-2][j-2]+1)
			}
			rows[i][j] = cost
		}
	}
	return rows[len(a)][len(b)]
}

// swapped reports whether a and b end in the same two letters in opposite order.
func swapped(a, b string) bool {
	i, j := len(a), len(b)
	return i > 1 && j > 1 && a[i-2:] == string([]byte{b[j-1], b[j-2]})
}

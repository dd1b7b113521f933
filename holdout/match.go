package holdout

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/holdout/form"
	"golang.org/x/text/unicode/norm"
)

// LabelsAreNumbers reports whether the labels of the plan are read as numbers, and as a text by none of its metrics.
func (p *Plan) LabelsAreNumbers() bool { return p.Match.LabelsAreNumbers(p.Metrics, p.Units.Positive) }

// normalized returns one text for all texts that are equal.
func normalized(m Match, text string) string {
	if m == Exact {
		return text
	}
	text = strings.TrimSpace(text)
	switch m {
	case Fold:
		return folded(text)
	case form.Composed:
		return norm.NFC.String(folded(norm.NFD.String(text)))
	case Value:
		if plain, ok := canonical(text); ok {
			return plain
		}
	}
	return text
}

// folded replaces every letter by the least of those that differ from it in case alone.
func folded(text string) string {
	if !utf8.ValidString(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, text)
}

// mostExponent is the greatest exponent of a number.
const mostExponent = 1 << 60

// canonical writes a decimal number as its digits without zeros at either end, and a power of ten.
func canonical(text string) (string, bool) {
	sign, rest := "", text
	if rest != "" && strings.ContainsRune("+-", rune(rest[0])) {
		sign, rest = strings.TrimPrefix(rest[:1], "+"), rest[1:]
	}
	digits, power, scaled := strings.Cut(strings.ToLower(rest), "e")
	whole, part, _ := strings.Cut(digits, ".")
	if whole+part == "" || strings.Trim(whole+part, "0123456789") != "" {
		return "", false
	}
	exponent := int64(0)
	if scaled {
		var err error
		if exponent, err = strconv.ParseInt(power, 10, 64); err != nil || max(exponent, -exponent) > mostExponent {
			return "", false
		}
	}
	all := strings.TrimLeft(whole+part, "0")
	if all == "" {
		return "0", true
	}
	short := strings.TrimRight(all, "0")
	exponent += int64(len(all) - len(short) - len(part))
	return sign + short + "e" + strconv.FormatInt(exponent, 10), true
}

// mark stands for a text: 128 bits of its SHA-256. Marks are compared as wholes, so that the time that it takes tells
// nothing of how much of a text is right.
type mark [16]byte

func markOf(text string) mark {
	sum := sha256.Sum256([]byte(text))
	return mark(sum[:16])
}

// equals is 1 for the same mark and 0 for another one.
func (m *mark) equals(other mark) float64 {
	return float64(subtle.ConstantTimeCompare(m[:], other[:]))
}

// right returns the marks of the right predictions. Labels that cannot be predicted are refused: empty ones, those that
// are not declared, and those that are no numbers where numbers are matched. Columns alone need no labels.
func (r reader) right(l *Labels) ([]mark, error) {
	marks := make([]mark, len(l.classes))
	refused := make([]error, len(l.classes))
	for i, c := range l.classes {
		matched := normalized(r.match, c)
		marks[i] = markOf(matched)
		if OnlyColumns(r.metrics) {
			continue
		}
		if c == "" {
			refused[i] = inputf("got an empty label")
		} else if _, ok := canonical(matched); r.match == Value && !ok {
			refused[i] = inputf("got the label %s, want a number, as numbers are matched", shown(c))
		} else if !r.takes(matched) {
			refused[i] = inputf("got the label %s, want %s", shown(c), r.declared())
		}
	}
	right := make([]mark, len(l.class))
	for row, c := range l.class {
		if refused[c] != nil {
			return nil, inputf("labels: id %s: %v", shown(l.ids[row]), refused[c])
		}
		right[row] = marks[c]
	}
	return right, nil
}

// takes reports whether a text, as it is matched, is a prediction: any text, or a class that is declared.
func (r reader) takes(matched string) bool {
	declared := func(c string) bool { return normalized(r.match, c) == matched }
	return r.classes == nil || slices.ContainsFunc(r.classes, declared)
}

// unusual is how programs write the classes 1 and 0 that labels seldom have.
var unusual = regexp.MustCompile(`(?i)^(-?[0-9]+\.0+|true|false)$`)

// remark says why predictions may all be wrong, "" for nothing. It knows the predictions and the declarations alone.
func (r reader) remark(v *values) string {
	usual := func(text string) bool { return !unusual.MatchString(text) }
	switch {
	case r.classes != nil || r.match == Value || len(v.texts) == 0: // another text than a class is refused
	case r.units.Positive != "":
		if !slices.Contains(v.texts, v.class) {
			return "no prediction equals a declared class" + asNumber(v.texts, []string{r.units.Positive})
		}
	case !slices.ContainsFunc(v.texts, usual):
		return "every prediction is written as 1.0 or True are, which equal no label 1, and no class is declared; --match number reads 1.0 as 1"
	}
	return ""
}

// asNumber names the first text that is a class as a number, "" if there is none.
func asNumber(texts, classes []string) string {
	for _, text := range texts {
		number, ok := canonical(text)
		if i := slices.IndexFunc(classes, func(c string) bool { return normalized(Value, c) == number }); ok && i >= 0 {
			return fmt.Sprintf("; --match number reads %s as %s", shown(text), shown(classes[i]))
		}
	}
	return ""
}

// declared names the classes that are declared.
func (r reader) declared() string {
	var names []string
	for _, c := range r.classes[:min(len(r.classes), mostNamed)] {
		names = append(names, shown(c))
	}
	if len(r.classes) > len(names) {
		names = append(names, "...")
	}
	return fmt.Sprintf("one of the %d declared classes: %s", len(r.classes), strings.Join(names, ", "))
}

package data

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

// Normalized returns one text for all texts that are equal.
func Normalized(m form.Match, text string) string {
	if m == form.Exact {
		return text
	}
	text = strings.TrimSpace(text)
	switch m {
	case form.Fold:
		return folded(text)
	case form.Composed:
		return norm.NFC.String(folded(norm.NFD.String(text)))
	case form.Value:
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

// takes reports whether a text, as it is matched, is a prediction: any text, or a class that is declared.
func (r Reader) takes(matched string) bool {
	declared := func(c string) bool { return Normalized(r.Match, c) == matched }
	return r.Classes == nil || slices.ContainsFunc(r.Classes, declared)
}

// unusual is how programs write the classes 1 and 0 that labels seldom have.
var unusual = regexp.MustCompile(`(?i)^(-?[0-9]+\.0+|true|false)$`)

// remark says why predictions may all be wrong, "" for nothing. It knows the predictions and the declarations alone.
func (r Reader) remark(v *Values) string {
	usual := func(text string) bool { return !unusual.MatchString(text) }
	switch {
	case r.Classes != nil || r.Match == form.Value || len(v.texts) == 0: // another text than a class is refused
	case r.Units.Positive != "":
		if !slices.Contains(v.texts, v.class) {
			return "no prediction equals a declared class" + asNumber(v.texts, []string{r.Units.Positive})
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
		if i := slices.IndexFunc(classes, func(c string) bool { return Normalized(form.Value, c) == number }); ok && i >= 0 {
			return fmt.Sprintf("; --match number reads %s as %s", shown(text), shown(classes[i]))
		}
	}
	return ""
}

// declared names the classes that are declared.
func (r Reader) declared() string {
	var names []string
	for _, c := range r.Classes[:min(len(r.Classes), mostNamed)] {
		names = append(names, shown(c))
	}
	if len(r.Classes) > len(names) {
		names = append(names, "...")
	}
	return fmt.Sprintf("one of the %d declared classes: %s", len(r.Classes), strings.Join(names, ", "))
}

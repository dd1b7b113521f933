package numbers

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
)

// This file guesses what a refused value was meant to be. A guess is only ever told:
// the value stays refused.

// mostGuessed is the longest text, in bytes, that is worth a guess.
const mostGuessed = 24

// guess returns what a refused text may have meant, as the end of an error message, or
// "". It tells only what the flag accepts.
func guess(raw string, accepts func(string) bool) string {
	if len(raw) > mostGuessed {
		return ""
	}
	for _, repair := range []func(string) string{withoutGroups, withPoint} {
		if text := repair(raw); text != "" && accepts(text) {
			return fmt.Sprintf(", did you mean %s?", text)
		}
	}
	if accepts(raw + "%") {
		return percentMissing(raw)
	}
	return ""
}

// percentMissing answers a number from 1 to 100 in the place of a share. It returns ""
// for all others. What a number of many digits means is left out.
func percentMissing(raw string) string {
	r, ok := ParseRat(raw)
	if !ok || r.Cmp(big.NewRat(1, 1)) < 0 || r.Cmp(big.NewRat(100, 1)) >= 0 {
		return ""
	}
	meant := percent(r)
	if meant == "" {
		return fmt.Sprintf(", did you mean %s%%?", raw)
	}
	return fmt.Sprintf("; %s means %s, did you mean %s%%?", raw, meant, raw)
}

// percent writes a number in per cent, or returns "" if twelve decimals do not hold it.
func percent(r *big.Rat) string {
	hundredfold := new(big.Rat).Mul(r, big.NewRat(100, 1))
	text := hundredfold.FloatString(12)
	if back, ok := new(big.Rat).SetString(text); !ok || back.Cmp(hundredfold) != 0 {
		return ""
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + "%"
}

var (
	grouped       = pattern(`^[1-9][0-9]{0,2}([.,][0-9]{3})+$`)
	commaGrouped  = pattern(`^[1-9][0-9]{0,2}(,[0-9]{3})+$`)
	pointGrouped  = pattern(`^[1-9][0-9]{0,2}(\.[0-9]{3})+$`)
	decimalComma  = pattern(`^[0-9]*,[0-9]+%?$`)
	needlessZeros = pattern(`^0[0-9]`)
)

// pattern compiles an expression when it is first needed, as most runs of the program need none.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// withoutGroups takes the thousands separators out of 20,500 and 20.500.
func withoutGroups(raw string) string {
	if !grouped().MatchString(raw) {
		return ""
	}
	return strings.NewReplacer(",", "", ".", "").Replace(raw)
}

// withPoint reads 0,05 with a decimal comma.
func withPoint(raw string) string {
	if !decimalComma().MatchString(raw) {
		return ""
	}
	return strings.Replace(raw, ",", ".", 1)
}

// Wanted is what one value is to be, with a guess at what this one was.
func (k Kind[T]) Wanted(raw string) string {
	_, isFloat := any(*new(T)).(float64)
	r, isNumber := ParseRat(raw)
	if isFloat && isNumber {
		if _, fits := floatOf(r); !fits {
			return k.Want + " of a size from 5e-324 to 1.79e308"
		}
	}
	return k.Want + guess(raw, func(text string) bool {
		_, ok := k.Parse(text)
		return ok
	})
}

// oneOrMany refuses a list that may be one number with thousands separators or a
// decimal comma: 20,500 for --samples, and for every flag an element that has leading
// zeros right after its comma, as in 1,000. A space after the comma makes it a list.
func oneOrMany[T any](flag, raw string, k Kind[T]) error {
	items := strings.Split(raw, ",")
	broken := slices.ContainsFunc(items[1:], needlessZeros().MatchString)
	if !broken && !(flag == "samples" && commaGrouped().MatchString(raw)) {
		return nil
	}
	accepts := func(text string) bool {
		_, err := parseItems(flag, text, k)
		return err == nil
	}
	var readings []string
	for _, one := range []string{withoutGroups(raw), withPoint(raw)} {
		if len(readings) == 0 && one != "" && accepts(one) {
			readings = append(readings, one)
		}
	}
	for i := range items {
		items[i] = strings.Trim(items[i], " ")
	}
	if spaced := strings.Join(items, ", "); accepts(spaced) {
		readings = append(readings, fmt.Sprintf("%q with a space", spaced))
	}
	switch len(readings) {
	case 0:
		return usage.Invalid(flag, raw, "numbers without thousands separators or decimal commas")
	case 1:
		return usage.Invalid(flag, raw, k.Want+", did you mean "+readings[0]+"?")
	}
	return usage.Invalid(flag, raw, strings.Join(readings, ", or "))
}

// SuccessOf returns 1 - beta if a failure probability of beta is above one half, which
// may be a confidence that was typed for it.
func SuccessOf(beta theory.LogProb) (success *big.Rat, ok bool) {
	if half, err := theory.ParseLogProb("0.5"); err != nil || beta <= half {
		return nil, false
	}
	failure, ok := parseProbRat(beta.String())
	if !ok {
		return nil, false
	}
	return failure.Sub(big.NewRat(1, 1), failure), true
}

// LikelyFailures refuses a failure probability above one half. flag says whether beta
// was given or the confidence.
func LikelyFailures(flag string, betas []theory.LogProb) error {
	for _, beta := range betas {
		success, ok := SuccessOf(beta)
		switch {
		case !ok:
			continue
		case flag == "confidence":
			return usage.Errorf("--confidence %[1]s is the probability of success; did you mean --beta %[1]s?",
				InPercent(success))
		}
		meant := beta.String() // a confidence may be 1-1e-20 too
		if text := percent(new(big.Rat).Sub(big.NewRat(1, 1), success)); text != "" {
			meant = text
		}
		return usage.Errorf("--beta %s is the probability of failure; did you mean --confidence %s?", beta, meant)
	}
	return nil
}

// InPercent is [percent], or the shortest decimal of the number's float64.
func InPercent(r *big.Rat) string {
	if text := percent(r); text != "" {
		return text
	}
	x, _ := r.Float64()
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// DomainText is a value outside its domain as a line of the command. Of a flag that needs another one it names that.
func DomainText(err *theory.DomainError) string {
	if other, ok := strings.CutPrefix(err.Want, "none beside "); ok {
		other = strings.ReplaceAll(strings.TrimPrefix(other, "a "), " ", "-")
		return fmt.Sprintf("--%s: given with --%s, want one of the two", err.Param, other)
	}
	if needed, ok := strings.CutPrefix(err.Want, "none, or "); ok {
		feedback, shown := strings.CutPrefix(needed, "the feedback ")
		if shown {
			return fmt.Sprintf("--%s needs --feedback %s", err.Param, feedback)
		}
		return fmt.Sprintf("--%s needs --query %s", err.Param, strings.TrimSuffix(needed, " queries"))
	}
	text := "--" + err.Error()
	if strings.Contains(err.Want, "(0, 1)") {
		text += percentMissing(err.Value)
	}
	return text
}

// InWords turns the library's refusal of a value into a usage error and passes all
// others on.
func InWords(err error) error {
	var domain *theory.DomainError
	if errors.As(err, &domain) {
		return usage.Errorf("%s", DomainText(domain))
	}
	return err
}

package printed

import (
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/theory"
)

// The ways of the formats for people.
var (
	plainProse = record.Prose{
		Number: asItIs, Power: powerOfE, Symbol: asItIs, Code: asItIs, Link: asItIs, Escape: asItIs,
		Cite: func(sources []theory.Source) string { return " (" + joined(sources, ", ", "; ") + ")" },
	}
	markdownProse = record.Prose{
		Number: asItIs, Power: powerOfE, Symbol: func(s string) string { return "*" + s + "*" },
		Code:   func(s string) string { return "`" + s + "`" },
		Link:   func(s string) string { return "<" + s + ">" },
		Cite:   func(sources []theory.Source) string { return " [@" + joined(sources, ", ", "; @") + "]" },
		Escape: strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "|", `\|`).Replace,
	}
	latexProse = record.Prose{
		Number: latexNumber,
		Power:  func(s string) string { return latexMath("e^{" + s + "}") },
		Symbol: func(s string) string { return latexMath(latexSymbols.Replace(s)) },
		Code:   func(s string) string { return `\texttt{` + latexText.Replace(s) + "}" },
		Link:   func(s string) string { return `\texttt{` + latexText.Replace(s) + "}" },
		Cite:   latexCite, Escape: latexText.Replace,
	}
)

func asItIs(s string) string { return s }

func powerOfE(s string) string { return "e^" + s }

func latexMath(s string) string { return "$" + s + "$" }

func latexNumber(s string) string {
	mantissa, exponent, ok := strings.Cut(s, "e")
	if !ok {
		return latexMath(strings.ReplaceAll(s, ",", "{,}"))
	}
	return latexMath(mantissa + `\times 10^{` + strings.TrimPrefix(strings.Replace(exponent, "-0", "-", 1), "+") + "}")
}

func latexCite(sources []theory.Source) string {
	var b strings.Builder
	for _, s := range sources {
		b.WriteString(`~\cite`)
		if s.Where != "" {
			b.WriteString("[" + latexText.Replace(s.Where) + "]")
		}
		b.WriteString("{" + s.Key + "}")
	}
	return b.String()
}

// joined lists sources with what in them is meant.
func joined(sources []theory.Source, within, between string) string {
	texts := make([]string, len(sources))
	for i, s := range sources {
		texts[i] = s.Key
		if s.Where != "" {
			texts[i] += within + s.Where
		}
	}
	return strings.Join(texts, between)
}

var (
	latexSymbols = strings.NewReplacer("tau", `\tau`, "beta", `\beta`, "epsilon", `\varepsilon`, "delta", `\delta`,
		"sigma", `\sigma`)
	latexText = strings.NewReplacer(`\`, `\textbackslash{}`, "_", `\_`, "%", `\%`, "#", `\#`, "&", `\&`, "$", `\$`,
		"^", `\^{}`, "<", `$<$`, ">", `$>$`, "{", `\{`, "}", `\}`)
)

package main

import (
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// explain knows every flag and every word that a flag takes, and the verdicts of a ledger.
func TestExplainKnowsFlagsAndTheirWords(t *testing.T) {
	words := map[string]string{"second_moment": "a column"}
	for verdict := range strings.FieldsSeq("pass fail holds moved improved kept raise keep rejected not_rejected refused") {
		words[verdict] = "a verdict"
	}
	flags := 0
	for _, c := range commands.Leaves(newProgram(&outfile.Session{}).Commands) {
		for _, f := range c.AllFlags(formats) {
			flags++
			words[f.Name] = "a flag of " + c.Path()
			for _, word := range f.Words {
				words[word] = "a word of --" + f.Name
			}
		}
	}
	for word, what := range words {
		code, out, stderr := commandtest.Dpcalc("explain", word)
		if code != usage.ExitOK || out == "" || stderr != "" {
			t.Errorf("explain %s, %s: exit %d\n%s%s", word, what, code, out, stderr)
		}
	}
	if _, out, _ := commandtest.Dpcalc("explain", "show"); !strings.Contains(strings.Join(strings.Fields(out), " "),
		"Of holdout score, holdout price.") {
		t.Errorf("explain show names no actions: %s", out)
	}
	if flags < 150 || len(words) < 200 {
		t.Errorf("%d flags, %d words", flags, len(words))
	}
}

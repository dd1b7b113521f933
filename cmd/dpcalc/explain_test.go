package main

import (
	"os"
	"path/filepath"
	"regexp"
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

// explain knows every word that heads a column of a table on the pages, but for the columns of the experiment, which
// its page explains.
func TestExplainKnowsHeadsOfTables(t *testing.T) {
	pages, err := filepath.Glob("../../docs/use/*.md")
	if err != nil {
		t.Fatal(err)
	}
	head := regexp.MustCompile(`(?m)^ +(\S.*)\n-{10,}$`)
	gap := regexp.MustCompile(` {2,}`)
	words := map[string]string{}
	for _, name := range append(pages, "../../README.md") {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range head.FindAllStringSubmatch(string(page), -1) {
			if filepath.Base(name) == "evidence.md" {
				continue
			}
			for _, word := range gap.Split(m[1], -1) {
				words[word] = name
			}
		}
	}
	for _, word := range []string{"nats", "margin", "coq", "fresh labels", "published"} {
		words[word] = "a note or a status"
	}
	for word, name := range words {
		if code, out, stderr := commandtest.Dpcalc("explain", word); code != usage.ExitOK || out == "" {
			t.Errorf("explain %q, of %s: exit %d, %s", word, name, code, stderr)
		}
	}
	if len(words) < 40 {
		t.Errorf("%d words", len(words))
	}
}

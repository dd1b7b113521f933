package main

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// What is given for adding or removing a record is answered as its conversion is when it is
// given for replacing one, by every command that takes a privacy; the sources tell of it.
func TestNeighboursAreConverted(t *testing.T) {
	const added = "--neighbours add-remove"
	delta := fmt.Sprintf("%.17g", 1e-9*(1+math.Exp(0.01)))
	for _, c := range []struct{ given, converted string }{
		{"pvalue-correct --alpha 0.05 --p 0.001 -n 1000 --by pure-dp --epsilon 0.01",
			"pvalue-correct --alpha 0.05 --p 0.001 -n 1000 --by pure-dp --epsilon 0.02"},
		{"pvalue-correct --alpha 0.05 -n 1000 --data any --by gdp --mu 0.001",
			"pvalue-correct --alpha 0.05 -n 1000 --data any --by gdp --mu 0.002"},
		{"pvalue-correct --alpha 0.05 -n 1000 --by approx-dp --epsilon 0.01 --delta 1e-9",
			"pvalue-correct --alpha 0.05 -n 1000 --by approx-dp --epsilon 0.02 --delta " + delta},
		{
			"pvalue-correct --alpha 0.05 -n 1000 --by steps --step gdp:mu=0.001 --step description:outcomes=3 --step pure-dp:epsilon=1e-4",
			"pvalue-correct --alpha 0.05 -n 1000 --by steps --step gdp:mu=0.002 --step description:outcomes=3 --step pure-dp:epsilon=2e-4",
		},
		{"maxinfo -n 1000 --slack 0.001 --step pure-dp:epsilon=0.01 --step max-info:bits=1,data=any",
			"maxinfo -n 1000 --slack 0.001 --step pure-dp:epsilon=0.02 --step max-info:bits=1,data=any"},
		{"maxinfo -n 1000 --step gaussian:queries=3,noise-sd=0.1 --slack 0.01",
			"maxinfo -n 1000 --step gaussian:queries=3,noise-sd=0.1 --slack 0.01"},
		{"compose --epsilon 0.01 --delta 1e-9 --times 30 --target-delta 1e-6",
			"compose --epsilon 0.02 --delta " + delta + " --times 30 --target-delta 1e-6"},
		{"compose --epsilon 0.5 --times 3 --target-delta 1e-6", "compose --epsilon 1 --times 3 --target-delta 1e-6"},
		{"compose --mu 0.1 --times 30 --target-delta 1e-6", "compose --mu 0.2 --times 30 --target-delta 1e-6"},
		{"transfer --alpha 0.1 --beta 0.01 --epsilon 0.01 --delta 1e-9 --target-beta 0.05",
			"transfer --alpha 0.1 --beta 0.01 --epsilon 0.02 --target-beta 0.05 --delta " + delta},
		{"transfer --alpha 0.1 --beta 0.01 --epsilon 0.05 --target-beta 0.05 -n 1000",
			"transfer --alpha 0.1 --beta 0.01 --epsilon 0.1 --target-beta 0.05 -n 1000"},
	} {
		private := !strings.Contains(c.given, "gaussian")
		got, want := commandtest.RowsOf(t, strings.Fields(c.given+" "+added)...),
			commandtest.RowsOf(t, strings.Fields(c.converted)...)
		if len(got) != len(want) || len(got) == 0 {
			t.Fatalf("%s: %d rows, %d", c.given, len(got), len(want))
		}
		for i := range got {
			for key, value := range got[i] {
				other := want[i][key]
				x, isNumber := value.(float64)
				y, _ := other.(float64)
				switch {
				case key == commands.NeighboursKey && private:
					if value != "add-remove" || other != "replace" {
						t.Errorf("%s: neighbours %v, %v", c.given, value, other)
					}
				case key == "proof" && private && other == "coq": // Coq has no theorem about the conversion
					if value != "derived" {
						t.Errorf("%s: proof %v, want derived", c.given, value)
					}
				case key == "sources" && private && len(value.([]any)) > 0:
					list := value.([]any)
					if last := list[len(list)-1]; last != commands.OnNeighbours.String() ||
						!reflect.DeepEqual(list[:len(list)-1], other) {
						t.Errorf("%s: sources %v, want %v and %v", c.given, value, other, commands.OnNeighbours)
					}
				case isNumber && math.Abs(x-y) <= 1e-9*math.Abs(y):
				case !reflect.DeepEqual(value, other):
					t.Errorf("%s: %s is %v, want %v as by %s", c.given, key, value, other, c.converted)
				}
			}
		}
		for _, convention := range []string{"replace", "add-remove"} {
			args := strings.Fields(c.given + " --neighbours " + convention)
			_, table, _ := commandtest.Dpcalc(args...)
			_, envelope, _ := commandtest.Dpcalc(append(args, "-f", "json")...)
			title, _, _ := strings.Cut(commandtest.Unfolded(table), "\n")
			word := map[string]string{"replace": "replac", "add-remove": "add"}[convention]
			if _, said, _ := strings.Cut(title, "neighbours "); strings.Contains(said, word) != private {
				t.Errorf("%v: title %q", args, title)
			}
			if strings.Contains(envelope, `"neighbours":"`+convention+`"`) != private {
				t.Errorf("%v: no convention in %s", args, envelope)
			}
		}
	}
}

func TestNeighboursErrors(t *testing.T) {
	for _, c := range [][2]string{
		{"pvalue-correct --alpha 0.05 --by description --outcomes 3 --neighbours replace",
			"--neighbours: given with --by description"},
		{"pvalue-correct --alpha 0.05 --by gaussian --queries 3 --noise-sd 1 -n 9 --neighbours add-remove",
			"--neighbours: given with --by gaussian"},
		{"pvalue-correct --alpha 0.05 --by pure-dp --epsilon 1 -n 9 --neighbours add",
			"--neighbours: got add, want replace or add-remove"},
		{"pvalue-correct --alpha 0.05 --by approx-dp --epsilon 1 --delta 0.3 -n 9 --neighbours add-remove",
			"--neighbours: got add-remove, want a smaller delta"},
		{"pvalue-correct --alpha 0.05 --by pure-dp --epsilon 1e308 -n 9 --neighbours add-remove",
			"--neighbours: got add-remove, want a smaller epsilon"},
		{"maxinfo --joint x.csv --neighbours replace",
			"--joint: given with --neighbours"},
		{"compose --mu 1e308 --times 3 --target-delta 0.1 --neighbours add-remove",
			"--neighbours: got add-remove, want a smaller mu"},
		{"compose --epsilon 1 --delta 0.5 --times 3 --neighbours add-remove",
			"--neighbours: got add-remove, want a smaller delta"},
		{"transfer --alpha 0.1 --beta 0 --epsilon 0 --delta 0.5 --target-beta 0.1 --neighbours add-remove",
			"--neighbours: got add-remove, want a smaller delta"},
		{"transfer --alpha 0.1 --beta 0 --epsilon 0 --delta 0.5 --target-beta 0.1 --neighbours add-remove,repla",
			"--neighbours: got add-remove,repla, want"},
	} {
		args, want := c[0], c[1]
		code, out, stderr := commandtest.Dpcalc(strings.Fields(args)...)
		if code != usage.ExitUsage || out != "" || !strings.HasPrefix(stderr, "dpcalc: "+want) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, %q", args, code, out, stderr)
		}
	}
}

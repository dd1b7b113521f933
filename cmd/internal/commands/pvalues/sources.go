package pvalues

import (
	"slices"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
)

// sources are what the help on a source says of it, and flags with which it works.
var sources = []struct{ name, says, example string }{
	{"pure-dp", "the choice saw the answers of an epsilon-differentially private program", "--p 0.003 --by pure-dp --epsilon 0.01 --samples 10k"},
	{"approx-dp", "the choice saw the answers of an (epsilon, delta)-differentially private program",
		"--p 0.003 --by approx-dp --epsilon 0.01 --delta 1e-40 --samples 10k"},
	{"gdp", "the choice saw the answers of a mu-Gaussian differentially private program", "--p 0.003 --by gdp --mu 0.005 --samples 10k"},
	{"zcdp", "the choice saw the answers of a rho-zero-concentrated differentially private program", "--p 0.003 --by zcdp --rho 1e-5 --samples 10k"},
	{"gaussian", "the choice saw means of values in [0,1] with Gaussian noise", "--p 0.003 --by gaussian --queries 10 --noise-sd 0.1 --samples 10k"},
	{"description", "the choice was one of a menu that was written down before the data were seen", "--p 0.003 --by description --outcomes 40"},
	{"gates", "the choice saw whether earlier tests on these rows rejected", "--p 0.0001 --by gates --looks 20 --passes 2"},
	{"mutual-info", "the choice has a known mutual information with the data", "--p 1e-6 --by mutual-info --bits 0.1"},
	{"max-info", "the choice has a known max-information with the data", "--p 0.003 --by max-info --bits 3"},
	{bySteps, "the choice saw several of these, one after the other",
		"--p 0.003 --by steps --step pure-dp:epsilon=0.01 --step description:outcomes=3 --samples 10k"},
	{bySeries, "levels of tests one after the other, each chosen in view of the verdicts before", "--by series --tests 10 --rejected 3"},
	{byFree, "the choice saw the rows themselves, plots among them: no p-value of these rows is valid", "--p 0.003 --by free"},
}

// sourceHelp is what the help on a source describes.
func sourceHelp(word string) (*commands.Command, error) {
	by, _ := each.First(flags(), func(f usage.Flag) bool { return f.Name == "by" })
	if other := by.AlsoWords[word]; other != "" {
		word = other
	}
	for _, s := range sources {
		if s.name == word {
			own := slices.DeleteFunc(flags(), func(f usage.Flag) bool { return !slices.Contains(sourceFlags(word), f.Name) })
			return &commands.Command{Name: command + " --by " + word, Summary: s.says, Flags: usage.Under("", own...),
				Examples: []string{"dpcalc " + command + " " + s.example}}, nil
		}
	}
	return nil, usage.Errorf("help %s: got %s, want %s%s", command, usage.Shown(word), usage.OrList(sourceNames()),
		usage.DidYouMean(word, sourceNames()))
}

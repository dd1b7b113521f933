package transfer

import (
	"fmt"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/feedback"
)

// The methods for an analyst who is shown less than answers, without noise. Package feedback has what is counted.

// gateRule is Theorem 3.
var gateRule = union{
	domain: domain{kinds: allKinds, needs: passesFit}, look: oneLook{exact: true, bar: true},
	lnNodes: gateNodes,
	run: func(g Goal, lnNodes float64) Mechanism {
		run := Mechanism{LnNodes: Some(lnNodes)}
		if !g.Bar.Given {
			return run
		}
		run.PassAt = Some(g.Bar.Value + g.Tau)
		if g.Query == Binary {
			g.Beta -= theory.LogProb(lnNodes)
			gate := countRule{}.gate(g)
			run.PassCount, _ = gate.Count(g.Samples, int64(float64(g.Samples)*run.PassAt.Value))
			run.PassAt = Some(float64(run.PassCount) / float64(g.Samples))
		}
		return run
	},
}

func gateNodes(g Goal) float64 {
	ln := feedback.Gate{Queries: g.Queries, Passes: g.passes()}.LnNodes().Float()
	return ln * (1 + 2e-16)
}

// passesFit asks for no more passes than queries.
func passesFit(g Goal) error {
	if g.Queries > 0 && g.Passes > g.Queries {
		return needs("passes of at most the number of queries")
	}
	return nil
}

// gateRenggli19 is the published gate.
func gateRenggli19(g Goal) num.DD {
	if g.Checked {
		g.Disagreement = 0
	}
	return feedback.GateRenggli19{
		Queries: g.Queries, Passes: g.passes(), Tau: g.Tau, LnBeta: g.Beta.Ln(), Difference: g.Query == Difference,
		Disagreement: g.Disagreement,
	}.Need()
}

// transcriptsRule is the union over as many queries as the user counts.
var transcriptsRule = union{
	domain: domain{kinds: allKinds, needs: transcriptsGiven}, look: oneLook{both: true, exact: true},
	lnNodes: lnTranscripts,
	run:     func(_ Goal, lnNodes float64) Mechanism { return Mechanism{LnNodes: Some(lnNodes)} },
	most:    func(g Goal) int64 { return int64(num.Exp(min(lnTranscripts(g), num.Log(MaxCount)))) },
}

func lnTranscripts(g Goal) float64 {
	if g.Transcripts > 1 {
		return math.Nextafter(num.Log(g.Transcripts), math.Inf(1))
	}
	return g.LnTranscripts
}

func transcriptsGiven(g Goal) error {
	if g.Transcripts == 0 && g.LnTranscripts == 0 {
		return needs("a number of transcripts")
	}
	if num.Log(float64(g.Queries)) > lnTranscripts(g)*(1+1e-15) {
		return needs("at least as many transcripts as queries")
	}
	return nil
}

// sealedRule is the union over the finalists.
var sealedRule = func() union {
	u := perQuery(allKinds, true, false)
	u.run = transcriptsRule.run
	return u
}()

// oneScore is the rule for a single look: the score itself.
var oneScore = fixedQuery{domain: domain{kinds: linear}, exact: true}

// ladderRule is Theorem 4, or the score itself where that needs fewer rows.
var ladderRule = either{
	first: board{domain{kinds: linear, needs: ladderNeeds, top: boardLimit}}, second: oneScore, most: 1,
}

func ladderNeeds(g Goal) error {
	if g.Tau == 0 || g.Tau >= feedback.LeastLadderTau {
		return nil
	}
	return needs("a tau of at least " + formatFloat(feedback.LeastLadderTau))
}

// boardLimit is where the tau of a board ends: a constant is as good from there on.
func boardLimit(g Goal) float64 { return (1 - g.Floor) / 2 }

// ladderBlum15 is the published Ladder at its best step.
func ladderBlum15(g Goal) num.DD {
	need, _ := ladderBlum15Of(g).Need()
	return need
}

func ladderBlum15Of(g Goal) feedback.LadderBlum15 {
	return feedback.LadderBlum15{Queries: g.Queries, Tau: g.Tau, LnBeta: g.Beta.Ln()}
}

// sparseRule is Theorem 1, or Theorem 2 where fresh parts of the holdout save a tenth and rarely flag a right guess.
var sparseRule = searched{
	domain: domain{kinds: means, needs: sparseNeeds},
	rows: func(g Goal) float64 {
		m, b := float64(g.Queries), float64(g.Budget)
		return (b*num.Log(math.E*m/b) - g.Beta.Ln()) / (g.Tau * g.Tau)
	},
	built: func(g Goal) bool { _, ok := validatorFor(g); return ok || partsFor(g) > 0 },
	run:   runValidator,
	least: func(g Goal) int64 { return g.Budget },
}

func sparseNeeds(g Goal) error {
	few := g.Budget <= mostFlags || g.Budget <= 10*mostFlags && g.Queries/4 >= g.Budget
	if err := budgetNeeds(g); err != nil || few {
		return err
	}
	return needs(fmt.Sprintf("a budget of at most %d, or %d with four queries for each flag", mostFlags, 10*mostFlags))
}

// mostFlags is how many flags are counted one by one. Ten times as many take no longer where there are several queries
// for each, as the sums of their counts are short.
const mostFlags = 10_000

// validatorFor returns a validator for the plan and whether it keeps the promise: with the threshold asked for, or the
// best one that leaves room for the guess error.
func validatorFor(g Goal) (feedback.Validator, bool) {
	v := feedback.Validator{
		Values: g.values(), Queries: g.Queries, Flags: g.Budget, Tau: g.Tau, Threshold: g.Hold, LnBeta: g.Beta.Ln(),
	}
	if g.heldTo() {
		if !(v.Threshold < v.Tau) {
			return v, false
		}
		ln, _ := v.Bound(g.Samples)
		return v, ln <= v.LnBeta
	}
	v.Guesses, v.Tolerance = true, g.guessError()
	if !(v.Tolerance < v.Tau) {
		return v, false
	}
	v, ln := v.WithBestThreshold(g.Samples)
	return v, ln <= v.LnBeta
}

// partsFor returns the rows of each of B fresh parts that serve one flag each, or 0. They are used where less than one
// right guess of all is flagged and they save a tenth, or one tree does not fit the rows.
func partsFor(g Goal) int64 {
	if !g.heldTo() || g.Budget == 1 || !(g.Hold < g.Tau) {
		return 0
	}
	one := g
	one.Budget, one.Beta = 1, g.Beta-theory.LogProb(num.Log(float64(g.Budget))*(1+1e-15))
	serves := func(n int64) bool {
		one.Samples = n
		_, ok := validatorFor(one)
		return ok
	}
	rows := g.Samples / g.Budget
	if rows == 0 || !serves(rows) {
		return 0
	}
	v := feedback.Validator{Values: g.values(), Threshold: g.Hold}
	if v.LnFalseFlag(rows)+num.Log(float64(g.Queries)) >= 0 {
		return 0
	}
	least := num.Ints{Lo: 1, Hi: rows, Guess: rows}.Least(serves)
	g.Samples = min(g.Samples, least*g.Budget*10/9)
	if _, tree := validatorFor(g); tree {
		return 0
	}
	return rows
}

func runValidator(g Goal) Mechanism {
	if rows := partsFor(g); rows > 0 {
		return Mechanism{
			Threshold: g.Hold, Chunks: g.Budget, FalseFlag: falseFlag(g, rows),
			FlagWidths: []theory.FlagWidth{{}},
		}
	}
	v, _ := validatorFor(g)
	_, widths := v.Bound(g.Samples)
	g.Hold = v.Threshold
	return Mechanism{Threshold: v.Threshold, FlagWidths: widths, FalseFlag: falseFlag(g, g.Samples)}
}

// falseFlag is the chance that a guess that is exactly right is flagged on n rows at the threshold Hold: of the
// worst 0/1 query, which for other values in [0,1] is the one to reckon with; a bound on it for differences.
func falseFlag(g Goal, n int64) theory.LogProb {
	if g.Query == Difference {
		v := feedback.Validator{Values: g.values(), Threshold: g.Hold}
		return theory.LogProb(v.LnFalseFlag(n))
	}
	tail, err := theory.BinomialTail(theory.Deviation{Samples: n, Tau: g.Hold})
	if err != nil {
		return 0
	}
	return tail.Value
}

// widthsRule is Theorem 6.
var widthsRule = bounded{
	searched: searched{
		domain: domain{kinds: linear},
		rows: func(g Goal) float64 {
			m, square := float64(g.Queries), g.Tau*g.Tau // a fit
			return (1.2237*m - 1.767*g.Beta.Ln() + 1.7) / (2 * square * (1 + 2./9*square))
		},
		built: func(g Goal) bool { return lnWidths(g) <= g.Beta.Ln() },
		run: func(g Goal) Mechanism {
			_, widths := widthsOf(g).Bound(g.Samples)
			return Mechanism{QueryWidths: widths}
		},
		least: func(Goal) int64 { return 1 },
	},
	lnFailure: lnWidths,
}

func lnWidths(g Goal) float64 {
	ln, _ := widthsOf(g).Bound(g.Samples)
	return ln
}

func widthsOf(g Goal) feedback.Widths {
	return feedback.Widths{Values: g.values(), Queries: g.Queries, Tau: g.Tau}
}

package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

var transcripts = Method{
	Name:      "transcripts",
	Summary:   "a number of queries that could be asked in all, counted by the user",
	Formula:   "N sup_p [exp(-n kl(p+tau||p)) + exp(-n kl(p-tau||p))] <= beta, or with the convex tail as sealed for N finalists; exact tails for 0/1 queries; Lemma 5 for differences",
	Practice:  "Count the queries that could be asked after every sequence of responses that may be shown, all of them together: that is N. For responses of b bits and m queries it is at most 2^(bm)/(1 - 2^-b).",
	Uses:      []string{disagreementFlag, varianceFlag, atLeastFlag, secondMomentFlag},
	Proof:     Published,
	Adaptive:  true,
	Needs:     transcriptsFlag,
	OneSided:  true,
	Feedbacks: []Feedback{Answers},
	Sources: []theory.Source{source("dwork15generalization", "Section 3, description length"),
		source("hoeffding63", "Theorem 1"), source("chen11", ""), source("zubkov13", "Theorem 1")},
	Tails:    differences,
	Assumes:  []string{independent},
	theorems: theorems{rule: transcriptsRule, drawn: transcriptsRule},
}

var transcriptsRule = solver.Union{
	Domain:  solver.Domain{Kinds: goal.AllKinds, Needs: transcriptsGiven},
	Look:    solver.OneLook{Both: true, Exact: true, Convex: true},
	LnNodes: lnTranscripts,
	Run:     func(_ Goal, lnNodes float64) Mechanism { return Mechanism{LnNodes: Some(lnNodes)} },
	Most:    func(g Goal) int64 { return int64(num.Exp(min(lnTranscripts(g), num.Log(MaxCount)))) },
}

func lnTranscripts(g Goal) float64 {
	if g.Transcripts > 1 {
		return math.Nextafter(num.Log(g.Transcripts), math.Inf(1))
	}
	return g.LnTranscripts
}

func transcriptsGiven(g Goal) error {
	if g.Transcripts == 0 && g.LnTranscripts == 0 {
		return goal.Needs("a number of transcripts")
	}
	if num.Log(float64(g.Queries)) > lnTranscripts(g)*(1+1e-15) {
		return goal.Needs("at least as many transcripts as queries")
	}
	return nil
}

package transfer

import (
	"slices"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// checked is a kind of goals of a method whose rows rest, from the hypotheses to the printed inequality, on theorems
// that Coq checks, given some that are published.
type checked struct {
	goals    string            // which goals these are
	known    func(g Goal) Goal // what the theorems know of a goal: they are about it if it is all of the goal
	theorems []string          // in proofs
	given    []theory.Source   // the published theorems that these have as a hypothesis
}

// checkedRows has the kinds of goals by their methods; the first that knows all that the method uses of a goal counts.
// Coq does not check a row of any other goal.
var checkedRows = map[string][]checked{
	"gate": slices.Concat([]checked{
		kind("values in [0,1]", asked(Bounded, withPasses, withSide), nil, gateByRate, []string{"Certified.gate_certified"}, convexCells),
		kind("values in [0,1] at a known bar", asked(Bounded, withPasses, withSide, atBar), nil, gateAtBar, convexAtBar),
		{"0/1 values", asked(Binary, withPasses, withSide), gateOfCounts, equalRows},
		{"0/1 values at a known bar", asked(Binary, withPasses, withSide, atBar), []string{"Rows.gate_bar_counts", "Rows.gate_bar_counts_one_side", "Guesses.equal_rows"}, equalRows},
		{"values in [0,1] of a known variance at a known bar",
			asked(Bounded, withPasses, withSide, withVariance, atBar),
			slices.Concat(gateAtBar, []string{"KnownVariance.gate_bar_variance", "KnownVariance.gate_bar_variance_one_side"}, convexAtBar, ofRows), nil},
		{"differences at a known bar",
			asked(Difference, withPasses, withSide, withDisagreement, atBar),
			slices.Concat([]string{"Differences.gate_bar_differences", "Differences.gate_bar_differences_one_side", "Leads.lead_up", "Leads.lead_down", "Sides.gate_bar_sides", "Sides.gate_bar_side"}, ofRows), nil},
		{"differences of any classes on counted rows", asked(Difference, withPasses, withSide, ofAnyClasses), gateOfLeads, nil},
		{"differences of any classes on counted rows at a known bar",
			asked(Difference, withPasses, withSide, ofAnyClasses, atBar), slices.Concat(leadsAtBar, gateOfLeads), nil},
		{"differences of two classes on counted rows, of more than 2/tau rows",
			asked(Difference, withPasses, withSide, ofTwoClasses), gateOfWins, equalRows},
		{"differences of two classes on counted rows at a known bar, of more than 2/tau rows",
			asked(Difference, withPasses, withSide, ofTwoClasses, atBar), slices.Concat(winsAtBar, gateOfWins), equalRows},
		{"values in [0,1] of clusters of equal weight at a known bar",
			asked(Bounded, withPasses, withSide, atBar, withEqualClusters),
			slices.Concat([]string{"Clusters.gate_bar_clusters", "Clusters.gate_bar_clusters_one_side"}, convexAtBar, ofRows), nil},
		{"values in [0,1] of clusters at a known bar", asked(Bounded, withPasses, withSide, atBar, withClusters), []string{"Clusters.gate_bar_clusters", "Clusters.gate_bar_clusters_one_side"}, nil},
		kind("values in [0,1] or 0/1 of a subset of a benchmark at a known bar", ofSubset(withPasses, withSide, atBar), nil,
			[]string{"Subset.gate_bar_subset", "Subset.gate_bar_subset_one_side", "ConvexRows.convex_tail_falls"}, subsetTails),
		kind("values in [0,1] of a subset of a benchmark", asked(Bounded, withPasses, withSide, withSubset), nil,
			[]string{"Sides.gate_sides"}, subsetSides, subsetCells),
	}, sensitiveKinds([]string{"Sides.gate_sides"}, withPasses, withSide),
		sidedConvex(exponential(gateOfCounts).withConvex(), []string{"Sides.gate_sides"}, withPasses, withSide)),
	"ladder": {
		{"losses in [0,1]", asked(Bounded, withFloor), []string{"Rows.ladder_bounded", "Rows.ladder_one", "Entropy.hoeffding_kl"}, nil},
		{"0/1 losses", asked(Binary, withFloor), slices.Concat([]string{"Rows.ladder_counts", "Rows.ladder_one", "Binomial.binomial_off", "Entropy.hoeffding_kl"}, oneTail, bothTails), equalRows},
	},
	"sparse-validate": slices.Concat([]checked{
		{"values in [0,1], without --hold", asked(Bounded, withBudget, withGuess), []string{"Guesses.sparse_bounded"}, nil},
		{"0/1 values, without --hold", asked(Binary, withBudget, withGuess), []string{"Guesses.sparse_counts"}, equalRows},
		kind("values in [0,1] of a subset of a benchmark, without --hold", asked(Bounded, withBudget, withGuess, withSubset), nil,
			[]string{"Sides.sparse_sides"}, subsetSides),
	}, sided(exponential(countSides), []string{"Sides.sparse_sides"}, withBudget, withGuess)),
	"rounding-widths": slices.Concat([]checked{
		{"values in [0,1]", asked(Bounded), slices.Concat(widths, unitSides), nil},
		{"0/1 values", asked(Binary, withPastLooks), slices.Concat(widths, countSides, []string{"Coins.past_counts"}), equalRows},
	}, varying(exponential(countSides), widths)),
	"sealed": slices.Concat([]checked{
		kind("values in [0,1]", asked(Bounded, withSide), nil, []string{"Rows.sealed_bounded", "Rows.sealed_one_side"}, sealedSides, convexSides, convexBoth),
		{"0/1 values", asked(Binary, withSide), sealedCounts, equalRows},
		kind("values in [0,1] of a subset of a benchmark", asked(Bounded, withSide, withSubset), nil,
			sealedSides, []string{"Subset.subset_off"}, subsetSides, subsetCells),
	}, sensitiveKinds(sealedSides, withSide),
		sidedConvex(exponential(sealedCounts).withConvex().withBoth(), sealedSides, withSide)),
	"gaussian":          slices.Concat(jointRows, arrivingRows("Arrivals.arrivals")),
	"gaussian-schedule": slices.Concat(jointRows, arrivingRows("Arrivals.arrivals")),
	"gaussian-open": append([]checked{
		{"values in [0,1]", asked(Bounded, whenOpen, withSide), endlessTheorems, tailOfEqualRows},
		{"0/1 values", asked(Binary, whenOpen, withSide), endlessTheorems, tailOfEqualRows},
	}, arrivingRows("Arrivals.endless_arrivals", whenOpen)...),
	"open-gate": {
		{"values in [0,1], responses in cells", asked(Bounded, whenOpen, withArrival, withPasses), []string{"OpenRows.open_gate_bounded", "OpenGate.beta_code_closed"}, nil},
		{"values in [0,1] at a known bar, responses in cells", asked(Bounded, whenOpen, withArrival, withPasses, atBar), []string{"OpenRows.open_gate_bar", "OpenGate.beta_code_closed"}, nil},
		{"0/1 values, responses in cells", asked(Binary, whenOpen, withArrival, withPasses), []string{"OpenRows.open_gate_counts", "OpenGate.beta_code_closed"}, unequalRows},
		{"0/1 values at a known bar, responses in cells", asked(Binary, whenOpen, withArrival, withPasses, atBar), []string{"OpenRows.open_gate_bar_counts", "OpenGate.beta_code_closed"}, unequalRows},
	},
	"open-board": {
		{"values in [0,1], responses in cells", asked(Bounded, whenOpen, withPasses), []string{"Boards.open_board_bounded", "Board.board_code", "OpenGate.beta_code_closed"}, nil},
		{"0/1 values, responses in cells", asked(Binary, whenOpen, withPasses), []string{"Boards.open_board_counts", "Board.board_code", "OpenGate.beta_code_closed"}, unequalRows},
	},
	"open-guess": {
		{"values in [0,1], responses in cells", asked(Bounded, whenOpen, withArrival, withPasses, withBudget), slices.Concat([]string{"Guess.open_guess_bounded"}, guessPlan), nil},
		{"0/1 values, responses in cells", asked(Binary, whenOpen, withArrival, withPasses, withBudget), slices.Concat([]string{"Guess.open_guess_counts"}, guessPlan), unequalRows},
	},
}

// jointRows are the rows of the joint bound and of the low-variance bound. Of an answer a cell is known, if only by its
// rounding.
var jointRows = []checked{
	{"values in [0,1]" + unionAlone, united(asked(Bounded, withSide)), jointTheorems, tailOfEqualRows},
	{"0/1 values" + unionAlone, united(asked(Binary, withSide)), jointTheorems, tailOfEqualRows},
	lowVarianceKind("differences of a known disagreement", asked(Difference, withSide, withDisagreement, withCheck), "Kinds.differences", "Kinds.difference_fresh", "Kinds.difference_crossing", "Kinds.differences_checked", "Kinds.difference_checked_fresh"),
	lowVarianceKind("0/1 values of a known least mean", asked(Binary, withSide, withAtLeast, withCheck), "Kinds.accuracies", "Kinds.accuracy_fresh", "Kinds.accuracy_crossing", "Kinds.accuracies_checked", "Kinds.accuracy_checked_above", "Kinds.accuracy_checked_below"),
	lowVarianceKind("values in [0,1] of a known variance", asked(Bounded, withSide, withVariance), "Kinds.variances", "Kinds.variance_fresh", "Kinds.variance_crossing"),
}

// unionAlone says at which goals no theorem but the joint and the low-variance bound counts.
const unionAlone = ", at most a million queries and a beta of at most a tenth"

// jointTails are what one answer of fresh records and noise errs by.
var jointTails = []string{"Joint.tangent_moment", "OneTail.one_tail",
	"StraightLine.straight_line", "StraightLine.straight_steep", "StraightLine.integrand_tangent",
	"JoinedTangents.one_tail_by_cells", "JoinedTangents.straight_cut"}

var (
	jointTheorems   = slices.Concat([]string{"Joint.joint_bound"}, jointTails)
	endlessTheorems = slices.Concat([]string{"Endless.endless"}, jointTheorems)
)

// arrivingRows are the rows of the joint bound where rows arrive, of which the CVaR theorem does not speak.
func arrivingRows(theorem string, fields ...field) []checked {
	arriving := func(query Query) func(g Goal) Goal {
		known := asked(query, slices.Concat(fields, []field{withArrival, withSide})...)
		return func(g Goal) Goal {
			if g.Feedback != Answers || g.Arrival == nil {
				return Goal{}
			}
			return known(g)
		}
	}
	theorems := slices.Concat([]string{theorem}, jointTails)
	return []checked{
		{"values in [0,1] where rows arrive", arriving(Bounded), theorems, tailOfEqualRows},
		{"0/1 values where rows arrive", arriving(Binary), theorems, tailOfEqualRows},
	}
}

var lowVarianceTheorems = slices.Concat(
	[]string{"LowVariance.low_variance", "LowVariance.low_variance_checked", "Certificate.one_answer_cost", "Kinds.together_fresh", "Kinds.at_most_1"},
	[]string{"Evaluated.certificate_evaluated", "Evaluated.enough_h", "Evaluated.newton_h", "Evaluated.missed_5_5", "Evaluated.missed_6_5"}, // F
	[]string{"Evaluated.hardly_skewed", "Evaluated.by_rule", "Radau.rule_7_checks", "Radau.rule_8_checks", "Radau.rule_12_checks"},          // I
)

func lowVarianceKind(goals string, known func(g Goal) Goal, theorems ...string) checked {
	of := func(g Goal) Goal {
		if moment(g) == nil {
			return Goal{}
		}
		return known(g)
	}
	all := slices.Concat(theorems, lowVarianceTheorems, jointTheorems)
	return checked{goals + unionAlone, united(of), all, tailOfEqualRows}
}

// united is what is known of goals for answers at which no theorem but the joint and the low-variance bound counts.
func united(known func(g Goal) Goal) func(g Goal) Goal {
	return func(g Goal) Goal {
		if g.Feedback != Answers || !unionIsTight(g) {
			return Goal{}
		}
		return known(g)
	}
}

// What rows of several kinds rest on.
var (
	gateByRate   = []string{"Records.gate_best", "Records.tail_up", "Records.tail_down", "Chernoff.E_greatest"} // the rate E
	gateAtBar    = []string{"Rows.gate_bar", "Rows.gate_bar_one_side"}
	gateOfCounts = slices.Concat([]string{"Rows.gate_counts"}, oneTail, gateByRate)
	gateOfWins   = slices.Concat([]string{"LeadGates.gate_lead_counts"}, oneTail)
	winsAtBar    = slices.Concat([]string{"LeadCounts.gate_bar_lead_counts", "LeadGates.gate_bar_lead_counts_one_side", "LeadGates.zubkov_serov_bar"}, leadsAtBar)
	gateOfLeads  = slices.Concat([]string{"LeadPlans.gate_leads", "Certified.rate_above", "Chernoff.E_greatest"}, convexCells)
	leadsAtBar   = []string{"LeadPlans.gate_bar_leads", "LeadGates.gate_bar_leads_one_side", "LeadGates.lead_cert_wider"}
	sealedSides  = []string{"Sides.sealed_sides", "Sides.sealed_side"}
	sealedCounts = slices.Concat([]string{"Rows.sealed_counts", "Rows.sealed_counts_one_side", "Rows.sealed_bounded", "Rows.sealed_one_side"}, oneTail, bothTails)
	oneTail      = []string{"BreakPoints.break_points_above", "TwoSides.zubkov_serov_above", "Guesses.equal_rows"} // of few and of many 0/1 values
	bothTails    = []string{"BreakPoints.break_points", "TwoSides.zubkov_serov_off"}
	guessPlan    = []string{"Guess.guess_widths", "Guess.guess_code", "OpenGate.beta_code_closed"}
	widths       = []string{"Widths.rounding_widths", "Widths.clip_nearer"}
	convexCells  = []string{"Certified.cells_above", "ConvexRows.convex_tail_falls"} // A_n(s) by cells, of as many rows or fewer
	convexSides  = slices.Concat([]string{"Certified.certified_sides"}, convexCells)
	convexBoth   = []string{"Certified.sealed_certified", "Certified.cells_off"} // both errors of finalists
	convexAtBar  = []string{"Rows.gate_bar_certified", "Rows.gate_bar_certified_one_side", "ConvexRows.convex_tail_falls"}
	unitSides    = []string{"Guesses.unit_sides"}
	countSides   = []string{"Guesses.count_sides"}
	ofClusters   = []string{"Clusters.cluster_sides", "Clusters.cluster_hoeffding", "Sides.sides_min"}
	subsetTails  = []string{"Subset.serfling_sides", "WithoutReplacement.without_replacement"}
	subsetSides  = slices.Concat([]string{"Subset.subset_kl_sides", "Sides.sides_min"}, subsetTails)
	subsetCells  = slices.Concat([]string{"Subset.subset_sides"}, convexCells)
	ofRows       = []string{"Weights.equal_weights", "Weights.weighted_rows"} // rows are clusters of equal weight
	ofSides      = slices.Concat([]string{"Clusters.sides_of_rows"}, ofRows)
)

// oneQuery is what the two tails of one query rest on, by the kinds of its values.
type oneQuery struct{ counts, units, differences, clusters []string }

// withConvex adds the convex tails.
func (q oneQuery) withConvex() oneQuery {
	q.units = slices.Concat(q.units, convexSides)
	q.differences = slices.Concat(q.differences, []string{"LeadPlans.lead_sides"})
	return q
}

// withBoth adds the bounds of both errors of one finalist, which are added at each truth.
func (q oneQuery) withBoth() oneQuery {
	q.units = slices.Concat(q.units, convexBoth, []string{"Rows.sealed_bounded"})
	q.differences = slices.Concat(q.differences, convexBoth)
	q.clusters = slices.Concat(q.clusters, []string{"Clusters.cluster_finalists"})
	return q
}

func exponential(counts []string) oneQuery {
	return oneQuery{counts, unitSides, []string{"Differences.difference_sides"}, ofClusters}
}

// sidedConvex is sided for a method that has convex tails too.
func sidedConvex(one oneQuery, method []string, fields ...field) []checked {
	equal := asked(Bounded, slices.Concat(fields, []field{withEqualClusters})...)
	return append([]checked{
		kind("values in [0,1] of clusters of equal weight", equal, nil, method, one.clusters, one.units, ofRows),
	}, sided(one, method, fields...)...)
}

// sided is the kinds of goals of a method that rests, by theorems of its own, on a tail on either side of one query.
func sided(one oneQuery, method []string, fields ...field) []checked {
	with := func(more ...field) []field { return slices.Concat(fields, more) }
	return append(varying(one, method, fields...),
		kind("differences", asked(Difference, with(withDisagreement)...), nil,
			method, one.differences, ofSides),
		kind("differences of a known second moment",
			asked(Difference, with(withDisagreement, withSecondMoment)...), nil,
			method, one.differences, []string{"KnownVariance.moment_sides", "Sides.sides_min"}, ofSides),
		kind("values in [0,1] of clusters", asked(Bounded, with(withClusters)...), nil, method, one.clusters),
	)
}

// sensitiveKinds is the kinds of goals about any functions that one record moves by little, and about two candidates
// whose losses it moves by little.
func sensitiveKinds(method []string, fields ...field) []checked {
	fields = append(slices.Clone(fields), withSensitivity)
	return []checked{
		kind("functions of sensitivity D/n", asked(Sensitive, fields...), nil, method, []string{"McDiarmid.mcdiarmid_sides"}),
		kind("the better of two candidates by a loss of sensitivity D/n", asked(Minimization, fields...), nil,
			method, []string{"McDiarmid.candidate_sides"}),
	}
}

// varying is sided for values in [0,1] and 0/1 values of a known variance.
func varying(one oneQuery, method []string, fields ...field) []checked {
	with := func(more ...field) []field { return slices.Concat(fields, more) }
	variance := []string{"KnownVariance.variance_sides"}
	return []checked{
		kind("values in [0,1] of a known variance", asked(Bounded, with(withVariance)...), nil,
			method, one.units, variance, ofSides),
		kind("0/1 values of a known variance", asked(Binary, with(withVariance)...), equalRows,
			method, one.counts, variance, ofSides),
		kind("0/1 values of a known least mean", asked(Binary, with(withAtLeast)...), equalRows,
			method, one.counts, variance, []string{"KnownVariance.variance_of_errors"}, ofSides),
	}
}

func kind(goals string, known func(Goal) Goal, given []theory.Source, theorems ...[]string) checked {
	return checked{goals, known, slices.Concat(theorems...), given}
}

// What the theorems for 0/1 values have as hypotheses: one of equal and unequal records, one of equal records alone.
var (
	unequalRows     = []theory.Source{source("hoeffding56", "Theorem 4")}
	tailOfEqualRows = []theory.Source{source("zubkov13", "Theorem 1")}
	equalRows       = slices.Concat(unequalRows, tailOfEqualRows)
)

// field copies a field of a goal that a theorem knows.
type field = func(from Goal, to *Goal)

// asked is the goals with this kind of query, the numbers of every plan, and some of the other fields.
func asked(query Query, fields ...field) func(g Goal) Goal {
	return func(g Goal) Goal {
		known := Goal{Samples: g.Samples, Queries: g.Queries, Tau: g.Tau, Beta: g.Beta, Query: query}
		known.Feedback = g.Feedback
		for _, field := range fields {
			field(g, &known)
		}
		return known
	}
}

// The fields. Of kinds of goals a bar is one that is given, and a least mean is known, and not kept by the mechanism.
func withPasses(from Goal, to *Goal)       { to.Passes = from.Passes }
func withSide(from Goal, to *Goal)         { to.OneSided = from.OneSided }
func withSensitivity(from Goal, to *Goal)  { to.Sensitivity = from.Sensitivity }
func withFloor(from Goal, to *Goal)        { to.Floor = from.Floor }
func withBudget(from Goal, to *Goal)       { to.Budget = from.Budget }
func withGuess(from Goal, to *Goal)        { to.GuessError = from.GuessError }
func withBar(from Goal, to *Goal)          { to.Bar = from.Bar }
func atBar(from Goal, to *Goal)            { to.Bar = Some(from.Bar.Value) }
func withVariance(from Goal, to *Goal)     { to.Variance = from.Variance }
func withAtLeast(from Goal, to *Goal)      { to.AtLeast = from.AtLeast }
func withDisagreement(from Goal, to *Goal) { to.Disagreement = from.Disagreement }

// withCheck is a share that the mechanism keeps.
func withCheck(from Goal, to *Goal) { to.Checked = from.Checked }

// ofAnyClasses is a counted share of rows.
func ofAnyClasses(from Goal, to *Goal) {
	if from.Decided == AnyClasses {
		to.Decided, to.Checked, to.Disagreement = from.Decided, from.Checked, from.Disagreement
	}
}

// ofTwoClasses is a counted share of rows, where the bound for unequal rows is a binomial tail.
func ofTwoClasses(from Goal, to *Goal) {
	if from.Decided == TwoClasses && float64(from.Samples)*from.Tau > 2 {
		to.Decided, to.Checked, to.Disagreement = from.Decided, from.Checked, from.Disagreement
	}
}

func withSecondMoment(from Goal, to *Goal) { to.SecondMoment = from.SecondMoment }
func withPastLooks(from Goal, to *Goal)    { to.PastLooks = from.PastLooks }
func withEpsilon(from Goal, to *Goal)      { to.Epsilon = from.Epsilon }
func withHold(from Goal, to *Goal)         { to.Hold = from.Hold }
func withTranscripts(from Goal, to *Goal)  { to.Transcripts = from.Transcripts }
func withLn(from Goal, to *Goal)           { to.LnTranscripts = from.LnTranscripts }

// withArrival is rows that come between the looks: the theorems ask a look of any rows that what was shown may choose.
func withArrival(from Goal, to *Goal) { to.Arrival = from.Arrival }

func whenOpen(_ Goal, to *Goal) { to.Open = true }

// withClusters is clusters, and no rows of a benchmark.
func withClusters(from Goal, to *Goal) {
	if c, ok := from.Sample.(tail.Clusters); ok {
		to.Sample = c
	}
}

// withSubset is rows of a benchmark.
func withSubset(from Goal, to *Goal) {
	if goal.IsSubset(from.Sample) {
		to.Sample = from.Sample
	}
}

// ofSubset is the goals about values in [0,1] or 0/1 of rows of a benchmark.
func ofSubset(fields ...field) func(g Goal) Goal {
	return func(g Goal) Goal {
		query := Bounded
		if g.Query.IsZeroOne() {
			query = Binary
		}
		return asked(query, slices.Concat(fields, []field{withSubset})...)(g)
	}
}

// withEqualClusters is clusters that count alike.
func withEqualClusters(from Goal, to *Goal) {
	if c, ok := from.Sample.(tail.Clusters); ok && tail.CountsAlike(c) {
		to.Sample = c
	}
}

// checkedFor is what Coq checks of the method's answer to a goal with only the fields that the method uses.
func (m Method) checkedFor(g Goal) (c checked, ok bool) {
	return each.First(checkedRows[m.Name], func(c checked) bool { return c.known(g) == g })
}

// rows says which theorems the rows of these goals rest on.
func (c checked) rows() theory.Checked {
	return theory.Checked{Rows: c.goals, Theorems: c.theorems, Given: c.given}
}

package holdout

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/evallog"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
)

// Flags that several actions take. A flag of one action stands with it.

// The headings of the long help.
const (
	aboutFiles     = "files"
	aboutGuarantee = "guarantee"
	aboutShown     = "what is shown"
	aboutMeasured  = "what a look measures"
	aboutRows      = "how the rows were drawn"
	aboutOpen      = "open ledgers"
)

// movedFlags say where files are now.
var movedFlags = usage.Under(aboutFiles,
	usage.Flag{Name: "labels", Repeats: true, Usage: "the labels are now in `FILE`; once for each file that the rows of an open ledger come from"},
	usage.Flag{Name: "incumbent", Usage: "the incumbent's predictions are now in `FILE`"},
	usage.Flag{Name: "features", Repeats: true, Usage: "the features are now in `FILE`, for --where, --all and clusters"},
	usage.Flag{Name: "population", Usage: "the ids of all items of the benchmark are now in `FILE`"},
)

// logFlags say how the log of another tool is read.
var logFlags = usage.Under(aboutFiles,
	usage.Flag{Name: "from", Usage: "the `TOOL` that wrote the file, where the file does not show it: " + evallog.Summaries(),
		Words: evallog.Names()},
	usage.Flag{Name: "id", Usage: "in a log: the `PATH` of a row's id, keys with dots between them (default: the tool's own)"},
	usage.Flag{Name: "value", Usage: "in a log: the `PATH` of a row's value or label (default: the metric's name, where the tool has it)"},
	usage.Flag{Name: "only", Repeats: true, Usage: "in a log: read only the parts where `PATH=VALUE` holds"},
)

// testFlag is the test by which candidate and incumbent are compared.
func testFlag(says string) usage.Flag {
	return usage.Flag{Name: "test", Usage: says, Words: holdout.Tests()}
}

// questionFlags are what a look asks.
var questionFlags = append(usage.Under(aboutShown, each.Of(ask.Params(), flagOf)...), usage.Under(aboutMeasured,
	usage.Flag{Name: "metric", Usage: "the `METRIC` of the look, one of those that init declared"})...)

// flagOf is the flag of a parameter. A command takes several looks in a row.
func flagOf(p ask.Param) usage.Flag {
	f := usage.Flag{Name: p.Name, Usage: p.Usage, Words: p.Words, Repeats: p.Repeats()}
	if p.Name == "show" {
		f.Repeats, f.Usage = true, f.Usage+"; give several, such as pass:bar=0.8 and score:step=0.02, for several looks in a row"
	}
	return f
}

// goalFlags state a plan on the command line.
var goalFlags = slices.Concat(usage.Under(aboutGuarantee,
	usage.Flag{Name: "queries", Alias: "m", Also: []string{"looks"}, Usage: "the ledger takes `M` looks"},
	usage.Flag{Name: "tau", Alias: "t", Usage: "margin `T`: how far an answer may be from its true value"},
	usage.Flag{Name: "beta", Alias: "b", Usage: "failure probability `B`, for all looks together"},
	usage.Flag{Name: "confidence", Usage: "confidence `C`, which is 1 - beta, in place of --beta"},
	usage.Flag{Name: "samples", Alias: "n", Also: []string{"rows"}, Usage: "the test set has `N` rows (default: the number of labels)"},
	usage.Flag{Name: "method", Usage: "answer by `METHOD`: gaussian-open, for answers without a number of looks, or (default) the best of " +
		strings.Join(slices.DeleteFunc(holdout.Methods(), unnumbered), ", "), Words: holdout.Methods()},
	usage.Flag{Name: "one-sided", Switch: true, Usage: "no answer exceeds its true value by more than tau; an answer may fall short of it"},
), usage.Under(aboutShown,
	usage.Flag{Name: "feedback", Usage: "each look shows `WHAT`: answers (default), gate, best, flags or final",
		Words: []string{"answers", "gate", "best", "flags", "final"}},
	usage.Flag{Name: "passes", Usage: "gate: retired at pass `K` (default: never)"},
	usage.Flag{Name: "threshold", Also: []string{"bar"}, Usage: "gate: the bar `C`, if it is known"},
	usage.Flag{Name: "floor", Usage: "best: the known score `F` of a baseline (default 0)"},
	usage.Flag{Name: "budget", Alias: "B", Usage: "flags: retired at flag `K`"},
	usage.Flag{Name: "guess-error", Usage: "flags: no guess within `G` of the true value is flagged (default tau/2)"},
	usage.Flag{Name: "hold", Usage: "flags: a guess within `T` of the test set's value is not flagged, in place of --guess-error"},
), usage.Under(aboutMeasured,
	usage.Flag{Name: "query", Usage: "a look is of this `KIND`: bounded (default), binary, or difference from the incumbent",
		Words: commands.QueryNames(transfer.Query.IsMean)},
	usage.Flag{Name: "disagreement", Usage: "difference: candidates differ from the incumbent on a share of at most `D` of the rows"},
	usage.Flag{Name: "at-least", Usage: "binary: every true value is known to be at least `R`"},
	usage.Flag{Name: "variance", Usage: "the values of every look vary from row to row with variance at most `V`"},
	usage.Flag{Name: "second-moment", Usage: "difference: the mean square of a look's difference is at most `V`; a candidate above it is refused where predictions " +
		"show it, else an open ledger answers at a price, and with --enforce the plan ends"},
	usage.Flag{Name: "enforce", Also: []string{"checked"}, Switch: true, Usage: "difference: the ledger enforces the disagreement or the second moment on the rows, and assumes neither of the population"},
), usage.Under(aboutRows,
	usage.Flag{Name: "arrive", Usage: "rows come between the looks: `N1:M1,N2:M2,...` is the first N1 rows for looks up to M1 and the first N2 up to M2, in place of --samples and --queries"},
	usage.Flag{Name: "arrive-rows", Usage: "`G` rows come after every --arrive-looks looks; --samples is the rows of the first"},
	usage.Flag{Name: "arrive-looks", Usage: "`K` looks are taken before new rows come, with --arrive-rows"},
))

// declarations limit the questions of a look, and are kept in the plan.
var declarations = slices.Concat(usage.Under(aboutMeasured,
	usage.Flag{Name: "metrics", Usage: "a look may ask the metrics `METRIC,...`: accuracy (default), column:NAME for values of a row, " +
		metric.AUC + " by itself, and with --open " + strings.Join(computed(), ", ") + "; a look that names none asks the first"},
	usage.Flag{Name: "positive", Usage: "the label `TEXT` counts as positive and is public: for f1, recall, jaccard, precision, log-loss, auc and probabilities"},
	usage.Flag{Name: "probability", Usage: "the `COLUMN` of a submission that has the probability of the positive class (default probability), or of auc a score (default prediction)"},
	usage.Flag{Name: "range", Usage: "open ledger: the range `A,B` of the values of columns, or of numbers, which are clipped to it (default 0,1)"},
	usage.Flag{Name: "clip", Usage: "open ledger: the greatest log-loss `L` of a row (default 5); greater ones are clipped"},
	usage.Flag{Name: "match", Usage: "compare predictions with labels by `HOW`: exact (default), trim (ignore blanks around the text), fold (and " +
		"upper and lower case and the encoding of accents) or number (the same decimal number)", Words: ways()},
	usage.Flag{Name: "classes", Usage: "the only predictions are `TEXT,...`, which are public; without this flag any text is a prediction"},
	usage.Flag{Name: "missing", Usage: "columns: `WHAT` to do with a missing value: refuse it (refuse, the default) or count it as the low end of the range (low)",
		Words: []string{holdout.MissingRefused, holdout.MissingLow}},
), usage.Under(aboutShown,
	usage.Flag{Name: "bars", Usage: "gate: a look may ask only the bars `C,...`"},
))

// sampleFlags say how the rows were drawn, where they are no independent rows of equal weight.
var sampleFlags = usage.Under(aboutRows,
	usage.Flag{Name: "features", Repeats: true, Usage: "public columns of the rows in `FILE`, for --where, --group and --all"},
	usage.Flag{Name: "group", Usage: "the rows with one value in `COLUMN` of --features are a cluster: they may depend on each other, and clusters are independent"},
	usage.Flag{Name: "weights", Usage: "group: weigh `WHAT` alike, clusters (default; a look is the mean over clusters of the mean in each) or rows",
		Words: holdout.Weights()},
	usage.Flag{Name: "population", Usage: "the ids of all items of a benchmark in `FILE`, from which the rows were drawn: predictions are of all items, and the true value is their mean"},
	usage.Flag{Name: "law", Usage: "the random part is `LAW`: labels given the features (default), or classes, for rows drawn within each class, the law of --metrics auc alone",
		Words: holdout.Laws()},
)

// openDeclarations are the law of an open ledger.
var openDeclarations = usage.Under(aboutOpen,
	usage.Flag{Name: "open", Switch: true, Usage: "an open ledger: no number of looks, and each look has its price and its interval"},
	usage.Flag{Name: "most", Usage: "no answer of any look costs more than `NATS` (default 8)"},
	usage.Flag{Name: "ask", Repeats: true, Usage: "teams may ask `KIND:KEY=VALUE,...` over HTTP, such as pass:bar=0.8,bar=0.85 " +
		"or score:step=0.02; once for each kind"},
	usage.Flag{Name: "most-per-team", Usage: "the looks of one team cost at most `NATS` together"},
)

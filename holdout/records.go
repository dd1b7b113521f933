package holdout

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// benchmarkOf is the items as a plan has them, for labels that are all of some of them.
func benchmarkOf(i *Items, dir string, labels *Labels) (*Benchmark, error) {
	if _, err := i.Drawn(labels); err != nil {
		return nil, err
	}
	path, err := form.Relative(dir, i.Path)
	return &Benchmark{LabelsFile: LabelsFile{Path: path, Fingerprint: i.Fingerprint()}, Items: int64(len(i.IDs))}, err
}

// design is how the rows were drawn.
func (p *Plan) design() design.Design { return design.Of(&p.Plan) }

// Independence says, in a sentence, how the rows have to be drawn, which no program can check.
func (p *Plan) Independence() string { return p.design().Describe() }

// sample is how the rows of the terms were drawn, and the number of records.
func (t Terms) sample(rows int64) (transfer.Sample, int64) {
	switch {
	case t.Items != nil:
		return transfer.Subset{Items: int64(len(t.Items.IDs))}, rows
	case t.pairs != nil:
		return transfer.Classes(*t.pairs), rows
	case t.sizes != nil && t.Weights == ByRows:
		return design.SampleOf(*t.sizes), rows
	case t.sizes != nil:
		return nil, t.sizes.Count
	}
	return nil, rows
}

// group is the group of a plan, without its file of features.
func (t Terms) group() *Group {
	if t.sizes == nil {
		return nil
	}
	return &Group{Column: t.Group, Weights: t.Weights, Clusters: *t.sizes}
}

// population is the benchmark of a plan, without its file.
func (t Terms) population() *Benchmark {
	if t.Items == nil {
		return nil
	}
	return &Benchmark{Items: int64(len(t.Items.IDs))}
}

// ungrouped refuses what does not go with clusters or with a benchmark, before any file is looked at.
func (t *Terms) ungrouped() error {
	gate := t.Goal.Feedback == transfer.Gate && t.Test == "" && t.Items == nil
	uses := t.Open || t.Group != "" || gate // of features
	switch t.Weights = cmp.Or(t.Weights, ByClusters); {
	case t.Group == "" && t.Weights != ByClusters:
		return inputf("weights: got %s, want --group COLUMN too", shown(t.Weights))
	case !slices.Contains(Weights(), t.Weights):
		return inputf("weights: got %s, want %s", shown(t.Weights), strings.Join(Weights(), " or "))
	case t.Group != "" && t.Items != nil:
		return inputf("group: got it with --population, want one of the two")
	case t.Group != "" && t.Features == nil:
		return inputf("features: got nothing, want a file with the column %s of --group", shown(t.Group))
	case t.Features != nil && !uses:
		return inputf("features: got some, want --open, --group or --feedback gate too, which use them")
	case t.Group != "" && t.Goal.Query == transfer.Binary:
		return inputf("query: got binary with --group, want bounded or difference: the mean over a cluster is neither 0 nor 1")
	}
	return nil
}

// records says what the records of a look are: all rows, where both fields are nil.
type records struct {
	clusters [][]int32 // each cluster is one
	rows     []int32   // each of these rows is one
}

func (l look) count() int {
	switch {
	case l.records.clusters != nil:
		return len(l.records.clusters)
	case l.records.rows != nil:
		return len(l.records.rows)
	}
	return len(l.values.Of)
}

// record is the value of a record: of a cluster its mean.
func (l look) record(i int, score func(row int) float64) float64 {
	switch {
	case l.records.clusters != nil:
		sum := 0.
		for _, row := range l.records.clusters[i] {
			sum += score(int(row))
		}
		return sum / float64(len(l.records.clusters[i]))
	case l.records.rows != nil:
		return score(int(l.records.rows[i]))
	}
	return score(i)
}

// each visits the records of a look.
func (l look) each(visit func(value float64)) {
	for i := range l.count() {
		visit(l.record(i, l.score))
	}
}

// clusterValues are values of the clusters in [-1,1] whose sum is proportional to the value of a look.
func (l look) clusterValues(macro bool, largest int64) (values []float64) {
	for _, rows := range l.groups {
		sum := 0.
		for _, row := range rows {
			sum += l.score(int(row))
		}
		size := float64(largest)
		if macro {
			size = float64(len(rows))
		}
		values = append(values, sum/size)
	}
	return values
}

// differs is 1 for a row on which the predictions or values differ from the incumbent's.
func (l look) differs(row int) float64 {
	return 1 - float64(one(l.values.Same(row, l.base)))
}

// differing is the number of rows on which they differ, all items of a benchmark for nil, and the share of the records,
// which is told of clusters alone: of a benchmark it would depend on which items have labels.
func (l look) differing(rows []int32) (count int64, share float64) {
	if rows == nil {
		for row := range l.values.Of {
			count += int64(l.differs(row))
		}
	}
	for _, row := range rows {
		count += int64(l.differs(int(row)))
	}
	for i := range l.count() {
		share += l.record(i, l.differs)
	}
	return count, share / float64(l.count())
}

// grouped cuts rows into clusters by a feature, in the order of their names: all rows for nil.
func (l *Ledger) grouped(rows []int32) [][]int32 {
	within := l.clusters
	if rows == nil {
		return within
	}
	in := make(map[int32]bool, len(rows))
	for _, row := range rows {
		in[row] = true
	}
	var some [][]int32
	for _, cluster := range within {
		kept := slices.DeleteFunc(slices.Clone(cluster), func(row int32) bool { return !in[row] })
		if len(kept) > 0 {
			some = append(some, kept)
		}
	}
	return some
}

// gather finds the clusters of the ledger's rows.
func (l *Ledger) gather(column string) error {
	if column == "label" || column == "id" {
		return inputf("group: got the column %s, want a feature", column)
	}
	of, err := clustersOf(column, l.features, l.files, l.reader.Rows.Find)
	if err != nil {
		return err
	}
	l.named, l.clusters = of, nil
	for _, name := range slices.Sorted(maps.Keys(of)) {
		l.clusters = append(l.clusters, of[name])
	}
	return nil
}

// clustersOf are the rows of each cluster, by its name, of files with their features.
func clustersOf(column string, features []*Features, files []*Labels, row func(id string) int32) (
	map[string][]int32, error) {
	of := make(map[string][]int32)
	for i, f := range features {
		values, err := f.Column(column, files[i].IDs)
		if err != nil {
			return nil, err
		}
		for _, id := range files[i].IDs {
			if row := row(id); row >= 0 {
				of[values[id]] = append(of[values[id]], row)
			}
		}
	}
	for _, rows := range of {
		slices.Sort(rows)
	}
	if of[""] != nil {
		return nil, inputf("group: got an empty cell in the column %s, want a cluster for every row", shown(column))
	}
	return of, nil
}

// UsePopulation gives the ledger the items of its benchmark.
func (l *Ledger) UsePopulation(i *Items) error {
	switch {
	case !l.plan.design().Secret():
		return inputf("population: got one, want none: the ledger was made without")
	case i.Fingerprint() != l.plan.Population.Fingerprint:
		return inputf("population: got other items than the ledger was made for")
	case l.drawn != nil:
		return nil
	}
	return l.draw(i)
}

// draw lets submissions be read from all items, and keeps which of them have labels.
func (l *Ledger) draw(i *Items) error {
	drawn, err := i.Drawn(l.files[0])
	if err != nil {
		return err
	}
	l.labels = l.labels.Among(drawn, len(i.IDs))
	slices.Sort(drawn)
	l.reader.Rows, l.reader.Whose, l.drawn = i.Roster, "benchmark", drawn
	return nil
}

// Whole checks that the ledger has all that its looks need to know of its rows: no look is taken without.
func (l *Ledger) Whole() error { return l.plan.design().Whole(l.clusters, l.drawn) }

// records are those of a look at some rows, all for nil.
func (l *Ledger) recordsOf(rows []int32) records {
	switch {
	case l.plan.design().ByMeans():
		return records{clusters: l.grouped(rows)}
	case l.plan.design().Secret():
		return records{rows: l.drawn}
	}
	return records{rows: rows}
}

// tails are the tails of a look's line, which depend on no label. They follow the values of its metric: counts for 0/1
// values of equal weight, and what their expectation may be for all else.
func (p *Plan) tails(l Line) open.Tails {
	if l.Show == ShowReject {
		return open.Evidence{}
	}
	if tails := p.measuredTails(l); tails != nil {
		return tails
	}
	tails, counted := p.planned(l, l.Rows, l.Clusters)
	if counted {
		return tails
	}
	// A difference, each sum and the divisions have an error of at most 2^-53 of a value each.
	steps := l.Rows + 1
	if l.Clusters != nil {
		steps += l.Clusters.Count + 1
	}
	return p.scale(l.Metric).mapped(open.Rounded{Tails: tails, By: 1.1 * 0x1p-53 * float64(steps)})
}

// planned are the tails of means without rounding, and whether they are those of counts.
func (p *Plan) planned(l Line, rows int64, sizes *Sizes) (tails open.Planned, counted bool) {
	rows = p.design().Records(rows, sizes)
	right := l.Metric == Accuracy || l.Metric == metric.Precision
	decides := p.decides(l)
	whole := l.Differ == 0 || decides && p.decided(l.Metric)
	counted = right && whole && sizes == nil
	return open.Of(p.design().Sample(sizes), rows, func(entropic float64, alike bool) open.Planned {
		alike = alike && p.Open.Sharp()
		switch {
		case l.Moment > 0 && p.fixes():
			return open.Ranged{Rows: entropic, Square: l.Moment}
		case l.Moment > 0:
			return open.KnownVariance{Rows: entropic, Variance: l.Moment, Lowest: -1}
		case l.Kept > 0:
			return open.Kept{Rows: entropic, Most: l.Kept}
		case decides && counted:
			return open.TwoClasses(rows, l.Differ)
		case decides:
			return open.Decided{Rows: rows, Count: l.Differ, Among: open.InUnit(float64(l.Differ), alike)}
		case l.Differ > 0 && alike && p.design().Share(&l.Line) == 1: // such as two columns
			return open.Decided{Rows: int64(entropic), Count: int64(entropic), Among: open.InUnit(entropic, true)}
		case l.Differ > 0:
			return open.Differences{Rows: entropic, Disagreement: p.design().Share(&l.Line)}
		case counted:
			return open.ZeroOne{Rows: rows}
		}
		return open.InUnit(entropic, alike)
	}), counted
}

// decides reports whether predictions fix the rows on which a difference can be other than 0, and no sample does: the
// items of a benchmark that have labels were drawn, and clusters count by shares of such rows.
func (p *Plan) decides(l Line) bool {
	return p.fixes() && l.Metric == Accuracy && l.Differ > 0
}

// fixes reports whether tails make use of what predictions fix of the rows of an open ledger.
func (p *Plan) fixes() bool { return p.Open.Sharp() && p.design().Independent() }

// clusterEvidence is the evidence in nats that a sum of expectations of independent values in [-1,1] is above 0,
// rounded down: ln of the mean over the rates r = 1/128, 3/128, ..., 127/128 of
//
//	prod over c of (1 + r X_c),
//
// whose expectation is at most e^(r sum E X_c). It is in docs/theorems/samples.md.
func clusterEvidence(values []float64) float64 {
	const rates = 64
	sum := 0.
	nats := 0.
	for k := range rates {
		rate := (float64(k) + 0.5) / rates
		ln := 0.
		for _, x := range values {
			ln += num.Log(1 + rate*x)
		}
		if k == 0 {
			sum = ln
		} else {
			sum = num.LogAddExp(sum, ln)
		}
		nats = max(nats, math.Abs(ln))
	}
	return sum - num.Log(rates) - 1e-13*(1+nats)*float64(len(values)+rates)
}

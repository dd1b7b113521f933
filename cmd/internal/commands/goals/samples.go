package goals

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
)

// The flags of rows that are not independent rows of equal weight. The number of a benchmark's items is a parameter.
var (
	ClustersFlag = usage.Flag{Name: "clusters",
		Usage: "independent clusters in place of --samples: `K1xS1,K2xS2,...` is K1 clusters of S1 rows and K2 of S2; or a file with a column rows (a cluster's), weight, or cluster (a row's)"}
	WeightsFlag = usage.Flag{Name: "weights",
		Usage: "clusters: weigh `WHAT` alike, clusters (default; each cluster is a row then) or rows", Words: []string{"clusters", "rows"}}
	// IccFlag is how alike the rows of a cluster are.
	IccFlag = usage.Flag{Name: "icc",
		Usage: "clusters: print what the rows are worth if two rows of a cluster are correlated by `R`, which no plan assumes"}

	ClassesFlag = usage.Flag{Name: "class-counts",
		Usage: "auc: the rows of the positive and of the negative class are `A,B`, in place of --samples"}

	sampleFlags = []usage.Flag{ClustersFlag, WeightsFlag, IccFlag, ClassesFlag}
)

// readClasses reads the classes of an AUC into a goal.
func readClasses(c usage.Values, query string, g *transfer.Goal) error {
	text, typed := c.Text(ClassesFlag.Name)
	_, sized := c.Text("samples")
	_, clustered := c.Text(ClustersFlag.Name)
	switch {
	case typed != (query == metric.AUC):
		return usage.Errorf("--%s: got one of it and --query %s, want both", ClassesFlag.Name, metric.AUC)
	case !typed:
		return nil
	case sized || clustered:
		return usage.Errorf("--%s: given with --samples or --clusters, want one of them", ClassesFlag.Name)
	case g.Range != (transfer.Range{}):
		return usage.Errorf("--range: given with --query %s, want none: it is in [0, 1]", metric.AUC)
	}
	first, second, _ := strings.Cut(text, ",")
	positives, ok := numbers.Counts.Parse(strings.TrimSpace(first))
	negatives, ok2 := numbers.Counts.Parse(strings.TrimSpace(second))
	if !ok || !ok2 {
		return usage.Invalid(ClassesFlag.Name, text, "two whole numbers A,B, the rows of the positive and of the negative class")
	}
	g.Sample, g.Samples = transfer.Classes{Positives: positives, Negatives: negatives}, positives+negatives
	return nil
}

// ClassesWords say which rows of two classes there are, and what they are worth; "" for other rows.
func ClassesWords(g transfer.Goal) (words, note string) {
	s, ok := g.Sample.(transfer.Classes)
	if !ok {
		return "", ""
	}
	return fmt.Sprintf("an AUC of %d positive and %d negative rows", s.Positives, s.Negatives),
		fmt.Sprintf("effective number of rows: %d, the smaller class; rows drawn within each class, and models made without these rows: given the features the bound is false. A ledger takes an AUC with --feedback gate or --open, and is never served",
			min(s.Positives, s.Negatives))
}

// PopulationFlag is the number of items of a benchmark, or the file of holdout init that has them.
const PopulationFlag = "population"

var columnPopulation = Column{Name: PopulationFlag, Says: "items of the benchmark that the rows are drawn from",
	Cell: func(r *Row) record.Cell {
		s, ok := r.Sample.(transfer.Subset)
		return record.Count(s.Items).If(ok)
	}}

// Clusters are clusters as they are typed.
type Clusters struct {
	count, rows int64 // rows is the count where the clusters have weights and no sizes
	sized       bool
	sizes       []cluster
	byRows      bool // whether rows count alike
	icc         *float64
}

// cluster is so many clusters of one size, or of one weight.
type cluster struct {
	count int64
	size  *big.Rat
}

// ReadClusters reads the clusters of a goal, nil if it has none.
func ReadClusters(c usage.Values) (*Clusters, error) {
	text, given := c.Text(ClustersFlag.Name)
	if !given {
		for _, f := range []usage.Flag{WeightsFlag, IccFlag} {
			if _, alone := c.Text(f.Name); alone {
				return nil, usage.Errorf("--%s: got it without --clusters, want both", f.Name)
			}
		}
		return nil, nil
	}
	if _, typed := c.Text("samples"); typed {
		return nil, usage.Errorf("--samples: given with --clusters, want one of the two")
	}
	by, err := usage.OneOf(c, WeightsFlag.Name, WeightsFlag.Words...)
	if err != nil {
		return nil, err
	}
	k := &Clusters{byRows: by == "rows", sized: true}
	for item := range strings.SplitSeq(text, ",") {
		if err := k.add(strings.TrimSpace(item)); err != nil {
			return nil, err
		}
	}
	if !k.sized && !k.byRows {
		return nil, usage.Errorf("--clusters: got weights, want --weights rows with them: clusters that count alike have none")
	}
	if !k.sized {
		k.rows = k.count
		if sum, _, _ := k.sums(); !IsUnitSum(sum) {
			return nil, usage.Errorf("--clusters: got weights that add up to %s, want 1", sum.FloatString(6))
		}
	}
	icc, ok, err := numbers.One(c, IccFlag.Name, numbers.NonNegatives)
	if err != nil || !ok {
		return k, err
	}
	if !(icc <= 1) || !k.sized {
		return nil, usage.Errorf("--icc: got %v, want a correlation in [0, 1], and clusters with a number of rows", icc)
	}
	k.icc = &icc
	return k, nil
}

// IsUnitSum reports whether weights have the sum 1, but for the rounding of their decimals.
func IsUnitSum(sum *big.Rat) bool {
	off, _ := new(big.Rat).Sub(sum, big.NewRat(1, 1)).Float64()
	return math.Abs(off) <= 1e-6
}

// WantClusters says how clusters are typed.
const WantClusters = "clusters and the rows of each, such as 200x10, with a comma between two of them, or a file"

// add adds K clusters of S rows. A size that is no whole number is a weight.
func (k *Clusters) add(item string) error {
	number, text, _ := strings.Cut(item, "x")
	count, ok := numbers.Counts.Parse(number)
	size, ok2 := new(big.Rat).SetString(text)
	if decimal := ok2 && !strings.ContainsAny(text, "/eE"); !ok || !decimal || size.Sign() <= 0 {
		return usage.Invalid(ClustersFlag.Name, item, WantClusters)
	}
	const most = 1 << 40
	k.count += count
	if k.sized = k.sized && size.IsInt(); k.sized && size.Num().IsInt64() && size.Num().Int64() <= most/count {
		k.rows += count * size.Num().Int64()
	} else if k.sized {
		k.rows = most + 1
	}
	if k.count > most || k.rows > most {
		return usage.Invalid(ClustersFlag.Name, item, "at most 2^40 rows in all")
	}
	k.sizes = append(k.sizes, cluster{count, size})
	return nil
}

// sums are the sum of all sizes, the greatest, and the sum of their squares.
func (k *Clusters) sums() (sum, largest, squares *big.Rat) {
	sum, largest, squares = new(big.Rat), new(big.Rat), new(big.Rat)
	for _, c := range k.sizes {
		all := new(big.Rat).Mul(new(big.Rat).SetInt64(c.count), c.size)
		sum.Add(sum, all)
		squares.Add(squares, all.Mul(all, c.size))
		if c.size.Cmp(largest) > 0 {
			largest = c.size
		}
	}
	return sum, largest, squares
}

// sample is a sample of the clusters where rows count alike. Where clusters do, they are rows, and nil is one of those.
func (k *Clusters) sample() transfer.Sample {
	if !k.byRows {
		return nil
	}
	sum, largest, squares := k.sums()
	return transfer.NewClusters(k.count, sum, largest, squares)
}

// on puts the clusters into a goal.
func (k *Clusters) on(g *transfer.Goal) error {
	if g.Query.IsZeroOne() {
		return usage.Errorf("--query: got binary with --clusters, want bounded or difference: the mean over a cluster is neither 0 nor 1")
	}
	g.Sample = k.sample()
	g.Samples = k.count
	if k.byRows {
		g.Samples = k.rows
	}
	return nil
}

// Effective is how many independent rows of equal weight the clusters are worth in Hoeffding's exponent.
func (k *Clusters) Effective() float64 {
	if !k.byRows {
		return float64(k.count)
	}
	return k.sample().Worth(k.rows).Gaussian
}

// Assumed is how many independent rows vary as much as the rows of the clusters, if two rows of one cluster have the
// correlation of --icc. There is none without it. A mean over rows varies as
//
//	n^2/sum of S (1 + (S-1) R),
//
// one over clusters as K^2/sum of (1 + (S-1) R)/S rows.
func (k *Clusters) Assumed() (rows float64, ok bool) {
	if k.icc == nil {
		return 0, false
	}
	sum := 0.
	for _, c := range k.sizes {
		size, _ := c.size.Float64()
		effect := float64(c.count) * (1 + (size-1)**k.icc)
		if k.byRows {
			sum += effect * size
		} else {
			sum += effect / size
		}
	}
	n := float64(k.count)
	if k.byRows {
		n = float64(k.rows)
	}
	return n * n / sum, true
}

// Columns returns the columns that the clusters add to a goal's columns.
func (k *Clusters) Columns() []Column {
	constant := func(name, says string, cell record.Cell) Column {
		return Column{Name: name, Says: says, Cell: func(*Row) record.Cell { return cell }}
	}
	list := []Column{
		constant("clusters", "independent clusters of rows", record.Count(k.count)),
		constant("weights", "what counts alike", record.Words(map[bool]string{false: "clusters", true: "rows"}[k.byRows])),
		constant("effective_rows", "independent rows of equal weight that they are worth in Hoeffding's exponent", record.Exactly(k.Effective())),
	}
	if rows, ok := k.Assumed(); ok {
		list = append(list, constant("icc_rows", "independent rows that vary as much under the assumption of --icc, which no plan uses",
			record.Exactly(rows)))
	}
	return list
}

// Words say which rows there are.
func (k *Clusters) Words() string {
	words := record.Plural(k.count, "cluster")
	if !k.sized {
		return words + " with given weights"
	}
	words += " with " + record.Plural(k.rows, "row")
	if k.byRows {
		return words + " that count alike"
	}
	return words + ", each of which counts as one row"
}

// Notes say what the clusters are worth.
func (k *Clusters) Notes() (lines []string) {
	count := func(n float64) string { return record.People(record.Count(int64(n))) }
	if k.byRows {
		worth := k.sample().Worth(k.rows)
		lines = append(lines, fmt.Sprintf("effective number of rows: %s; in a relative entropy, %s",
			count(worth.Gaussian), count(worth.Entropic)))
	} else {
		lines = append(lines, fmt.Sprintf("effective number of rows: %s, one for each cluster; a look's value is the mean over clusters of the mean in each",
			count(float64(k.count))))
	}
	if rows, ok := k.Assumed(); ok {
		lines = append(lines, fmt.Sprintf("assumption: if two rows of a cluster are correlated by %v, these vary as %s independent rows; no plan rests on that",
			*k.icc, count(rows)))
	}
	return lines
}

// flags are the flags of clusters, with their values.
func (k *Clusters) flags() (flags [][2]string) {
	var items []string
	for _, c := range k.sizes {
		size := c.size.RatString()
		if !c.size.IsInt() {
			places, _ := c.size.FloatPrec()
			size = c.size.FloatString(places)
		}
		items = append(items, fmt.Sprintf("%dx%s", c.count, size))
	}
	flags = [][2]string{{ClustersFlag.Name, strings.Join(items, ",")}}
	if k.byRows {
		flags = append(flags, [2]string{WeightsFlag.Name, "rows"})
	}
	if k.icc != nil {
		flags = append(flags, [2]string{IccFlag.Name, fmt.Sprint(*k.icc)})
	}
	return flags
}

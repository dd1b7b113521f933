package form

// Arrival is rows that come between the looks of a fixed plan. A look is about exactly the first rows that are planned
// for it, in the order in which they came: the rows of the first file in its order, then the rows of each extension.
// How many they are stands in the blocks of the plan's noise.
type Arrival struct {
	Rows int64 `json:"rows"` // of the first file
}

// Group says that the rows with one value of a feature are a cluster: independent of all others, and in any way
// dependent among themselves. Features are public, and so is which row is in which cluster.
type Group struct {
	Column   string      `json:"column"`
	Weights  string      `json:"weights"` // what counts alike: [ByClusters] or [ByRows]
	Clusters Sizes       `json:"clusters"`
	Features *LabelsFile `json:"features,omitempty"` // of a fixed plan; an open one has them in its law
}

// What counts alike in the value of a look.
const (
	ByClusters = "clusters" // the mean over the clusters of the mean in each: a cluster is a record
	ByRows     = "rows"     // the mean over all rows
)

// Weights returns what may count alike.
func Weights() []string { return []string{ByClusters, ByRows} }

// Sizes are how many clusters there are, the rows in all and in the largest, and the sum of the squares of their
// numbers of rows.
type Sizes struct {
	Count   int64 `json:"count"`
	Rows    int64 `json:"rows"`
	Largest int64 `json:"largest"`
	Squares int64 `json:"squares"`
}

// Benchmark is the items of which the labels belong to a uniform subset: their mean is the truth. It is public which
// items there are, and secret which of them have labels.
type Benchmark struct {
	LabelsFile
	Items int64 `json:"items"`
}

// Pairs are how many rows the two classes of an AUC have. They are public.
type Pairs struct {
	Positives int64 `json:"positives"`
	Negatives int64 `json:"negatives"`
}

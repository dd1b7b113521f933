package theory

// Run is the public part of a mechanism: the tables and numbers that it runs on, from the certificate of a plan to the
// file of its ledger. A field that does not belong to the mechanism is empty.
type Run struct {
	Noise       []NoiseBlock `json:"noise,omitempty"`       // standard deviations in the order of the queries
	Parts       int64        `json:"parts,omitempty"`       // into which the rows are cut
	Permutation string       `json:"permutation,omitempty"` // the seed of the random order in which they are cut
	PassCount   int64        `json:"pass_count,omitempty"`  // gate: the least count that passes the plan's bar
	Threshold   float64      `json:"threshold,omitempty"`   // sparse-validate: how far off a guess may be
	Widths      []FlagWidth  `json:"widths,omitempty"`      // sparse-validate: the cells of the answers
	Board       []Step       `json:"board,omitempty"`       // ladder: the values shown, by scores
	Level       LogProb      `json:"level,omitempty"`       // gates of a test: at which each look is tested
}

// NoiseBlock is a run of consecutive queries whose answers carry the same noise. Gaussian noise that is cut is Scale
// times a standard normal number, which is drawn again until its absolute value is at most Cut.
type NoiseBlock struct {
	Queries int64   `json:"looks"`
	Scale   float64 `json:"sd"`            // see [NoiseKind]; 0 stands for no noise
	Cut     float64 `json:"cut,omitempty"` // 0 stands for noise that is not cut

	Rows int64   `json:"rows,omitempty"` // where rows arrive between the queries: the first so many are asked about
	Tau  float64 `json:"tau,omitempty"`  // how far off the answers may be, where it is not the same for all
}

// FlagWidth is the width of the cells in which an answer is moved from so many flags on; 0 stands for no cells, at the
// last flag.
type FlagWidth struct {
	Flags int64   `json:"flags"`
	Width float64 `json:"width"`
}

// Step is a step of a board: from the score Boundary on, and below the next step's, it shows Value. For 0/1 scores
// Count is the least number of right rows that reaches the step, and Boundary their share, correctly rounded. The first
// step is the start and has no count. Ledgers of the first form have the boundary alone.
type Step struct {
	Boundary float64 `json:"boundary"`
	Value    float64 `json:"value"`
	Count    int64   `json:"count,omitempty"`
}

package ask

import "math"

// Question is what a look asks of its metric. Each field has an entry in the table below it.
type Question struct {
	Bar    *float64 `json:"bar,omitempty"`
	Guess  *float64 `json:"guess,omitempty"`
	Show   string   `json:"show,omitempty"`
	Test   string   `json:"test,omitempty"`
	Where  string   `json:"where,omitempty"`
	Near   *float64 `json:"near,omitempty"`
	Within *float64 `json:"within,omitempty"`
	Step   *float64 `json:"step,omitempty"`
	Expect *float64 `json:"expect,omitempty"`

	All []Condition `json:"all,omitempty"`
}

// params is the table, in the order of a fingerprint. A new parameter is a field of [Question], its entry here, and the
// rule that obeys it: ledgers refuse it until their rule takes it.
var params = []Param{
	{Name: "bar", Usage: "pass, or a gate without a bar in its plan: the bar `C`", Domain: score, Print: Apart,
		number: func(q *Question) **float64 { return &q.Bar }},
	{Name: "guess", Usage: "guess, or flags: the guess `G`", Domain: score, Print: Apart, Free: true,
		number: func(q *Question) **float64 { return &q.Guess }},
	{Name: "show", Usage: "open ledger: the look shows `WHAT`: pass or fail at a bar (pass), the best score so far (best), " +
		"a rounded score (score), whether a guess holds (guess), or whether a test rejects (reject)", Words: Kinds(), Print: Always,
		text: func(q *Question) *string { return &q.Show }},
	{Name: "test", Usage: "reject: the one-sided `TEST` of wins and losses against the incumbent", Words: Tests(), Print: Always,
		text: func(q *Question) *string { return &q.Test }},
	{Name: "where", Usage: "open ledger: only the rows where the feature `COLUMN=VALUE`", Print: Always,
		text: func(q *Question) *string { return &q.Where }},
	{Name: "near", Usage: "score: you expect the score near `R` (default: the last one shown, or the middle)",
		Domain: score, Print: Always, Free: true, number: func(q *Question) **float64 { return &q.Near }},
	{Name: "within", Usage: "guess: it holds within `S` (default 0.01)", Domain: width, Print: Always,
		number: func(q *Question) **float64 { return &q.Within }},
	{Name: "step", Usage: "best, score, guess: the width `G` of the cells (default 0.01)", Domain: width, Print: Always,
		number: func(q *Question) **float64 { return &q.Step }},
	{Name: "expect", Usage: "pass, best, guess, reject: your bet on the `RATE` of passes, raises, wrong guesses or rejections; " +
		"the answer that you expect is cheap", Domain: rate, Print: Always,
		number: func(q *Question) **float64 { return &q.Expect }},
	{Name: "all", Usage: "pass, or a fixed gate: the same look has a further bar to pass: `bar=C,where=COLUMN=VALUE` or bar=C; " +
		"a fail does not say which bar was missed", Print: Always, Owner: true,
		list: func(q *Question) *[]Condition { return &q.All }},
}

// Domain is the numbers that a parameter may be, and these in words.
type Domain struct {
	From, To float64
	Want     string
}

// score is a score, between the ends.
func score(in Ends) Domain { return in.domain(in.Lowest, in.Highest, "number") }

// leastStep keeps cells apart.
const leastStep = 1e-6

// width is a width of cells.
func width(in Ends) Domain {
	span := in.Highest - in.Lowest
	if in.Lowest == -in.Highest { // differences of values in an interval of half the length
		span = in.Highest
	}
	return in.domain(leastStep*span, span, "width")
}

// rate is the rate of the rarer answer.
func rate(Ends) Domain {
	return Domain{math.SmallestNonzeroFloat64, math.Nextafter(1, 0), "a rate in (0, 1)"}
}

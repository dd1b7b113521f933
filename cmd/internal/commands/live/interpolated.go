package live

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// A method without an explicit formula is interpolated around the start: ln n as a polynomial of second degree in
//
//	x = ln(m/m0), y = ln(tau/tau0), z = ln(L/L0), L = ln(1/beta),
//
// from ten solved goals. It is compared with the method at the eight corners of the box and half-way along the axes.
// The most that it is off there, a quarter of that and leastMargin are added to it, so that a sheet may say "at
// most". A method that it misses by more than mostMiss is left to dpcalc.
const (
	reachQueries = 1.5 // the box is from m0/1.5 to 1.5 m0,
	reachTau     = 1.3 // from tau0/1.3 to 1.3 tau0,
	reachBeta    = 1.5 // and from L0/1.5 to 1.5 L0

	leastQueries = 8 // fewer are too coarse for an axis

	leastMargin = 0.006
	mostMiss    = 0.009
)

// Unsmooth are the methods that take the best of several ways to compose their steps. Where the best changes, n has an
// edge, which a few comparisons may miss. They are left to dpcalc.
var Unsmooth = []string{"laplace", "thresholdout"}

// span is an axis of the box: from low to high around 0, or nothing if it has no room.
type span struct{ Low, High float64 }

func (s span) Fixed() bool { return s.Low == 0 || s.High == 0 }

// half is the middle between the start and an end of the span.
const half, whole = 1, 2

// at is so many halves of the way to the end of that sign.
func (s span) at(halves int) float64 {
	if halves < 0 {
		return s.Low * float64(-halves) / whole
	}
	return s.High * float64(halves) / whole
}

// Box is where the sheet interpolates.
type Box struct {
	start transfer.Goal
	Axes  [3]span
}

// BoxAround is the box of a goal. Queries and, below them, passes and flags are whole numbers, and tau stays below
// its end.
func BoxAround(g transfer.Goal) Box {
	b := Box{start: g}
	most := num.Log(reachTau)
	if top, ok := topOf(g); ok {
		most = min(most, num.Log(0.98*top/g.Tau))
	}
	if m := float64(g.Queries); m >= leastQueries {
		least := max(math.Round(m/reachQueries), float64(g.Budget), float64(g.Passes))
		b.Axes[0] = span{num.Log(min(least, m) / m), num.Log(math.Round(m*reachQueries) / m)}
	}
	b.Axes[1] = span{-num.Log(reachTau), max(most, 0)}
	b.Axes[2] = span{-num.Log(reachBeta), num.Log(reachBeta)}
	return b
}

// topOf is what tau has to be below, if that is a number.
func topOf(g transfer.Goal) (float64, bool) {
	switch g.Query {
	case transfer.Bounded, transfer.Binary:
		return 1, true
	case transfer.Difference:
		return 2, true
	}
	return 0, false
}

// Place is a point of the box: halves of the way to the ends of its axes.
type Place [3]int

// along is the place on one axis.
func along(axis, halves int) (p Place) {
	p[axis] = halves
	return p
}

// Goal is that at a place, and where it is, which the whole number of queries may move.
func (b Box) Goal(p Place) (g transfer.Goal, t [3]float64) {
	g = b.start
	for i, halves := range p {
		t[i] = b.Axes[i].at(halves)
	}
	if t[0] != 0 {
		g.Queries = int64(math.Round(float64(g.Queries) * num.Exp(t[0])))
		t[0] = num.Log(float64(g.Queries) / float64(b.start.Queries))
	}
	g.Tau *= num.Exp(t[1])
	if t[2] != 0 {
		g.Beta = theory.LogProb(g.Beta.Ln() * num.Exp(t[2]))
	}
	return g, t
}

// Places are those whose goals are solved: of the polynomial and of the comparison.
func (b Box) Places() (list []Place) {
	add := func(p Place) {
		for i, axis := range b.Axes {
			if axis.Fixed() {
				p[i] = 0
			}
		}
		if p != (Place{}) && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	for i := range b.Axes {
		for _, halves := range []int{-whole, -half, half, whole} {
			add(along(i, halves))
		}
		for j := range i {
			p := along(i, whole)
			p[j] = -whole
			add(p)
		}
	}
	for corner := range 8 {
		var p Place
		for i := range p {
			p[i] = whole * (1 - 2*(corner>>i&1))
		}
		add(p)
	}
	return list
}

// Polynomial is c + sum over i of (a_i + q_i t_i) t_i + sum over j < i of m_ij t_i t_j.
type Polynomial struct {
	constant      float64
	linear, curve [3]float64
	mixed         [3][3]float64
}

func (p *Polynomial) At(t [3]float64) float64 {
	sum := p.constant
	for i, x := range t {
		sum += (p.linear[i] + p.curve[i]*x) * x
		for j := range i {
			sum += p.mixed[i][j] * x * t[j]
		}
	}
	return sum
}

// Fitted is the polynomial through the values of ln n at the places, with its margin. It is not ok if that is too wide.
func (b Box) Fitted(constant float64, values map[Place]float64) (p Polynomial, ok bool) {
	p.constant = constant
	for i, axis := range b.Axes {
		if axis.Fixed() {
			continue
		}
		rise := (values[along(i, whole)] - constant) / axis.High
		fall := (values[along(i, -whole)] - constant) / axis.Low
		p.curve[i] = (rise - fall) / (axis.High - axis.Low)
		p.linear[i] = rise - p.curve[i]*axis.High
	}
	for i := range b.Axes {
		for j := range i {
			if b.Axes[i].Fixed() || b.Axes[j].Fixed() {
				continue
			}
			at := along(i, whole)
			at[j] = -whole
			_, t := b.Goal(at)
			p.mixed[i][j] = (values[at] - p.At(t)) / (t[i] * t[j])
		}
	}
	miss := 0.0
	for at, value := range values {
		_, t := b.Goal(at)
		miss = max(miss, math.Abs(p.At(t)-value))
	}
	p.constant += leastMargin + 1.25*miss
	return p, miss <= mostMiss
}

// The names of the hidden sheet.
const (
	inBox     = "grid_inside"     // "yes" where the inputs are in the box
	inBoxRows = "grid_inside_but" // the same, but for tau
)

// literalOf is a number in a formula.
func literalOf(x float64) string { return strconv.FormatFloat(x, 'G', 17, 64) }

// Conditions are the lines that say where the inputs are.
func (b Box) Conditions() (sheet [][]record.LiveCell) {
	named := func(name string, value record.Cell, formula string) {
		label := record.LiveCell{Value: record.Words(strings.ReplaceAll(name, "_", " "))}
		cell := record.LiveCell{Name: name, Value: value, Formula: formula, Format: record.SmallFormat}
		sheet = append(sheet, []record.LiveCell{label, cell})
	}
	sheet = append(sheet, []record.LiveCell{{
		Value: record.Words("ln n around the start, between values computed by dpcalc, with a margin"),
	}})
	inputs := [3]string{"queries/" + strconv.FormatInt(b.start.Queries, 10), "tau/" + literalOf(b.start.Tau),
		"ln_inv_beta/" + literalOf(-b.start.Beta.Ln())}
	var holds [3]string
	for i, name := range []string{"grid_x", "grid_y", "grid_z"} {
		low, high := b.Axes[i].Low, b.Axes[i].High
		if b.Axes[i].Fixed() {
			low, high = 0, 0
		}
		named(name, record.Exactly(0), "IFERROR(LN("+inputs[i]+`),"")`)
		holds[i] = record.IsNumber(name, "AND("+name+">="+literalOf(low-1e-9)+","+name+"<="+literalOf(high+1e-9)+")")
	}
	others, yes := OthersUnchanged+`="yes",`, record.Words("yes")
	named(inBoxRows, yes, "IF(AND("+others+holds[0]+","+holds[2]+`),"yes","no")`)
	named(inBox, yes, `IF(AND(problem="none",`+others+holds[0]+","+holds[1]+","+holds[2]+`),"yes","no")`)
	return sheet
}

// Line is a polynomial from column B on and, from L on, ln n; ln n at grid_y = 0; the grid_y at which it is that of the
// rows in the input samples; and tau there, or nothing outside the box.
func (p *Polynomial) Line(name string, b Box) []record.LiveCell {
	line := []record.LiveCell{{Value: record.Words(name)}}
	for _, x := range slices.Concat([]float64{p.constant}, p.linear[:], p.curve[:],
		[]float64{p.mixed[1][0], p.mixed[2][0], p.mixed[2][1]}) {
		line = append(line, record.LiveCell{Value: record.Exactly(x)})
	}
	const (
		rest  = "$B{row}+$C{row}*grid_x+$E{row}*grid_z+$F{row}*grid_x^2+$H{row}*grid_z^2+$J{row}*grid_x*grid_z"
		slope = "($D{row}+$I{row}*grid_x+$K{row}*grid_z)"
		above = "($M{row}-LN(samples)*(1-1E-13))"
		root  = "2*" + above + "/(0-" + slope + "+SQRT(" + slope + "^2-4*$G{row}*" + above + "))"
	)
	tau := "IF(AND(" + inBoxRows + `="yes",$N{row}>=` + literalOf(b.Axes[1].Low) + ",$N{row}<=" +
		literalOf(b.Axes[1].High) + ")," + literalOf(b.start.Tau) + `*EXP($N{row})*(1+1E-9),"")`
	start := record.Exactly(p.constant)
	for _, c := range []record.LiveCell{
		{Value: start, Formula: "IFERROR($M{row}+" + slope + `*grid_y+$G{row}*grid_y^2,"")`},
		{Value: start, Formula: "IFERROR(" + rest + `,"")`},
		{Formula: "IFERROR(" + root + `,"")`},
		{Formula: "IF(ISNUMBER($N{row})," + tau + `,"")`},
	} {
		c.Format = record.SmallFormat
		line = append(line, c)
	}
	return line
}

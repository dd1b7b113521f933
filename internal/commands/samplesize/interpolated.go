package samplesize

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/outfile"
	"github.com/dpcalc/dpcalc/internal/record"
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
	reachQueries = 2    // the box is from m0/2 to 2 m0,
	reachTau     = 1.35 // from tau0/1.35 to 1.35 tau0,
	reachBeta    = 1.5  // and from L0/1.5 to 1.5 L0

	leastMargin = 0.006
	mostMiss    = 0.01
)

// unsmooth are the methods that take the best of several ways to compose their steps. Where the best changes, n has an
// edge, which a few comparisons may miss. They are left to dpcalc.
var unsmooth = []string{"laplace", "thresholdout"}

// span is an axis of the box: from low to high around 0, or nothing if it has no room.
type span struct{ low, high float64 }

func (s span) fixed() bool { return s.low == 0 || s.high == 0 }

// half is the middle between the start and an end of the span.
const half, whole = 1, 2

// at is so many halves of the way to the end of that sign.
func (s span) at(halves int) float64 {
	if halves < 0 {
		return s.low * float64(-halves) / whole
	}
	return s.high * float64(halves) / whole
}

// box is where the sheet interpolates.
type box struct {
	start transfer.Goal
	axes  [3]span
}

// boxAround is the box of a goal. Queries and, below them, passes and flags are whole numbers, and tau stays below
// its end.
func boxAround(g transfer.Goal) box {
	b := box{start: g}
	most := math.Log(reachTau)
	if top, ok := topOf(g); ok {
		most = min(most, math.Log(0.98*top/g.Tau))
	}
	m := float64(g.Queries)
	least := max(math.Round(m/reachQueries), float64(g.Budget), float64(g.Passes), 1)
	b.axes[0] = span{math.Log(min(least, m) / m), math.Log(reachQueries)}
	b.axes[1] = span{-math.Log(reachTau), max(most, 0)}
	b.axes[2] = span{-math.Log(reachBeta), math.Log(reachBeta)}
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

// place is a point of the box: halves of the way to the ends of its axes.
type place [3]int

// along is the place on one axis.
func along(axis, halves int) (p place) {
	p[axis] = halves
	return p
}

// goal is that at a place, and where it is, which the whole number of queries may move.
func (b box) goal(p place) (g transfer.Goal, t [3]float64) {
	g = b.start
	for i, halves := range p {
		t[i] = b.axes[i].at(halves)
	}
	if t[0] != 0 {
		g.Queries = int64(math.Round(float64(g.Queries) * math.Exp(t[0])))
		t[0] = math.Log(float64(g.Queries) / float64(b.start.Queries))
	}
	g.Tau *= math.Exp(t[1])
	if t[2] != 0 {
		g.Beta = theory.LogProb(g.Beta.Ln() * math.Exp(t[2]))
	}
	return g, t
}

// places are those whose goals are solved: of the polynomial and of the comparison.
func (b box) places() (list []place) {
	add := func(p place) {
		for i, axis := range b.axes {
			if axis.fixed() {
				p[i] = 0
			}
		}
		if p != (place{}) && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	for i := range b.axes {
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
		var p place
		for i := range p {
			p[i] = whole * (1 - 2*(corner>>i&1))
		}
		add(p)
	}
	return list
}

// polynomial is c + sum over i of (a_i + q_i t_i) t_i + sum over j < i of m_ij t_i t_j.
type polynomial struct {
	constant      float64
	linear, curve [3]float64
	mixed         [3][3]float64
}

func (p *polynomial) at(t [3]float64) float64 {
	sum := p.constant
	for i, x := range t {
		sum += (p.linear[i] + p.curve[i]*x) * x
		for j := range i {
			sum += p.mixed[i][j] * x * t[j]
		}
	}
	return sum
}

// fitted is the polynomial through the values of ln n at the places, with its margin. It is not ok if that is too wide.
func (b box) fitted(constant float64, values map[place]float64) (p polynomial, ok bool) {
	p.constant = constant
	for i, axis := range b.axes {
		if axis.fixed() {
			continue
		}
		rise := (values[along(i, whole)] - constant) / axis.high
		fall := (values[along(i, -whole)] - constant) / axis.low
		p.curve[i] = (rise - fall) / (axis.high - axis.low)
		p.linear[i] = rise - p.curve[i]*axis.high
	}
	for i := range b.axes {
		for j := range i {
			if b.axes[i].fixed() || b.axes[j].fixed() {
				continue
			}
			at := along(i, whole)
			at[j] = -whole
			_, t := b.goal(at)
			p.mixed[i][j] = (values[at] - p.at(t)) / (t[i] * t[j])
		}
	}
	miss := 0.0
	for at, value := range values {
		_, t := b.goal(at)
		miss = max(miss, math.Abs(p.at(t)-value))
	}
	p.constant += leastMargin + 1.25*miss
	return p, miss <= mostMiss
}

// interpolate solves the goals around the start for the methods that have an answer there and no formula. The
// result has a polynomial for each, nil for those without.
func (s *request) interpolate(c *commands.Call, start transfer.Goal, rows []row, open []bool) ([]*polynomial, error) {
	b := boxAround(start)
	places := b.places()
	found := make([]float64, len(s.methods)*len(places))
	solve := func(dst []byte, from, to int) ([]byte, error) {
		for i := from; i < to; i++ {
			k := i / len(places)
			if !open[k] {
				continue
			}
			g, _ := b.goal(places[i%len(places)])
			a, err := s.methods[k].Solve(g)
			if err == nil && a.Status == transfer.OK {
				found[i] = math.Log(float64(a.Samples))
			}
		}
		return dst, nil
	}
	nowhere := start.Queries == 0 || start.Beta == 0 || b.axes[1].fixed() // to go from
	if nowhere || !slices.Contains(open, true) {
		return make([]*polynomial, len(s.methods)), nil
	}
	if err := outfile.Stream(c.Context, io.Discard, len(found), c.Workers, solve, nil); err != nil {
		return nil, err
	}
	list := make([]*polynomial, len(s.methods))
	for k := range s.methods {
		values := make(map[place]float64)
		for i, at := range places {
			if ln := found[k*len(places)+i]; ln > 0 {
				values[at] = ln
			}
		}
		if open[k] && len(values) == len(places) {
			if p, ok := b.fitted(math.Log(float64(rows[k].Samples)), values); ok {
				list[k] = &p
			}
		}
	}
	return list, nil
}

// The names of the hidden sheet.
const (
	inBox     = "grid_inside"     // "yes" where the inputs are in the box
	inBoxRows = "grid_inside_but" // the same, but for tau
)

// boxSheet is the hidden sheet: where the inputs are in the box, and a line for each polynomial. It returns the cells
// with ln n and with tau for each method.
func (s *request) boxSheet(b box, polynomials []*polynomial) (sheet [][]record.LiveCell, needs, reaches []string) {
	sheet = b.conditions()
	needs, reaches = make([]string, len(polynomials)), make([]string, len(polynomials))
	for k, p := range polynomials {
		if p == nil {
			continue
		}
		sheet = append(sheet, p.line(s.methods[k].Name, b))
		at := record.HiddenSheet + "!$%s$" + strconv.Itoa(len(sheet))
		needs[k], reaches[k] = fmt.Sprintf(at, "L"), fmt.Sprintf(at, "O")
	}
	return sheet, needs, reaches
}

// literalOf is a number in a formula.
func literalOf(x float64) string { return strconv.FormatFloat(x, 'G', 17, 64) }

// conditions are the lines that say where the inputs are.
func (b box) conditions() (sheet [][]record.LiveCell) {
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
		low, high := b.axes[i].low, b.axes[i].high
		if b.axes[i].fixed() {
			low, high = 0, 0
		}
		named(name, record.Exactly(0), "IFERROR(LN("+inputs[i]+`),"")`)
		holds[i] = record.IsNumber(name, "AND("+name+">="+literalOf(low-1e-9)+","+name+"<="+literalOf(high+1e-9)+")")
	}
	others, yes := othersUnchanged+`="yes",`, record.Words("yes")
	named(inBoxRows, yes, "IF(AND("+others+holds[0]+","+holds[2]+`),"yes","no")`)
	named(inBox, yes, `IF(AND(problem="none",`+others+holds[0]+","+holds[1]+","+holds[2]+`),"yes","no")`)
	return sheet
}

// line is a polynomial from column B on and, from L on, ln n; ln n at grid_y = 0; the grid_y at which it is that of the
// rows in the input samples; and tau there, or nothing outside the box.
func (p *polynomial) line(name string, b box) []record.LiveCell {
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
	tau := "IF(AND(" + inBoxRows + `="yes",$N{row}>=` + literalOf(b.axes[1].low) + ",$N{row}<=" +
		literalOf(b.axes[1].high) + ")," + literalOf(b.start.Tau) + `*EXP($N{row})*(1+1E-9),"")`
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

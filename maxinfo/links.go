package maxinfo

import (
	"slices"

	"github.com/dpcalc/dpcalc/theory"
)

// A Link is a step of a plan, or neighbouring private steps that count as one, taken by itself: the answers
// before it are held fixed, and the sample is drawn anew from the law that it had at the beginning. What a
// method of a link says, it says for every such answers.
//
// Corrections of p-values compose along links that follow each other, in any order
// (docs/theorems/pvalue.md#composition-of-corrections). Max-information does not: given the answers before,
// the sample has another law. A [Chain] is for that.
type Link struct {
	First, Last int      // its steps, from 0
	Methods     []Method // in printing order
	Always      bool     // it is a step whose bound holds for every law of the data
}

// mostLinked is how many neighbouring private steps of different kinds count as one link in every way. A longer
// run does as a whole, and in parts of that length.
const mostLinked = 8

// Links returns every link of a plan, by first step and then from the longest to the shortest. Neighbouring
// private steps of one kind, and Gaussian answers with one noise, always count as one link; the rest of a run of
// private steps counts in every part. Steps may stand in any order. The error is the DomainError of [Plan.Validate], or
// a NoAnswerError.
func (p Plan) Links() ([]Link, error) {
	if err := p.domain(); err != nil {
		return nil, err
	}
	units := p.units()
	var all []Link
	for i, first := range units {
		end := i // of the run of private units that i begins or continues
		for isPrivate(p.Steps[first]) && end+1 < len(units) && isPrivate(p.Steps[units[end+1]]) {
			end++
		}
		whole := i == 0 || !isPrivate(p.Steps[first]) || !isPrivate(p.Steps[units[i-1]])
		for j := end; j >= i; j-- {
			if j-i >= mostLinked && !(whole && j == end) {
				continue
			}
			last := len(p.Steps) - 1
			if j+1 < len(units) {
				last = units[j+1] - 1
			}
			l, err := p.link(first, last)
			if err != nil {
				return nil, err
			}
			all = append(all, l)
		}
	}
	return all, nil
}

// units returns the first steps of what always counts as one.
func (p Plan) units() (firsts []int) {
	for i, s := range p.Steps {
		if i == 0 || !isPrivate(s) || !areAlike(p.Steps[i-1], s) {
			firsts = append(firsts, i)
		}
	}
	return firsts
}

func areAlike(a, b Step) bool {
	g, ok := a.(Gaussian)
	h, too := b.(Gaussian)
	if ok && too && g.SD != h.SD {
		return false
	}
	return kindOf(a) == kindOf(b)
}

func (p Plan) link(first, last int) (l Link, err error) {
	l = Link{First: first, Last: last}
	defer func() { assume(l.Methods, p.Steps[first:last+1]) }()
	s := p.Steps[first]
	if isPrivate(s) {
		l.Methods, err = p.privacy(p.Steps[first : last+1])
		return l, err
	}
	if err := spokenOf(s); err != nil {
		return l, err
	}
	l.Always = holdsEverywhere(s)
	l.Methods = s.roles().first(&Later{Slack: theory.Zero})
	if first > 0 && !l.Always {
		for i := range l.Methods {
			l.Methods[i].Assumes = append(slices.Clone(l.Methods[i].Assumes), held)
		}
	}
	return l, nil
}

// held is what a bound that is known for this sample's law alone has to be, if it follows an answer.
const held = "this bound for every earlier answer held fixed, the sample drawn anew"

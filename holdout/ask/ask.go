// Package ask has the table of what a look may ask: an entry for each parameter with its name, help, domain and
// canonical text. The command's flags, the addresses of HTTP, the tools of agents, offers to teams, fingerprints and
// columns of the log follow from the table. The rule of a ledger says which parameters it takes, and refuses the others
// before a look is spent.
package ask

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/text"
)

// What an open look shows.
const (
	Pass   = "pass"   // whether the truth is above a bar
	Best   = "best"   // the best score so far
	Score  = "score"  // a rounded score
	Guess  = "guess"  // whether a guess holds, or else a rounded score
	Reject = "reject" // whether a test rejects that the candidate is no better than the incumbent
)

// Kinds returns what an open look may show.
func Kinds() []string { return []string{Pass, Best, Score, Guess, Reject} }

// The tests of [Reject]. Both count the rows on which the candidate is better and those on which it is worse.
const (
	SignTest = "sign"
	McNemar  = "mcnemar" // of two predictions of one class each
)

// Tests returns the tests of [Reject].
func Tests() []string { return []string{SignTest, McNemar} }

// Param is a parameter of a look.
type Param struct {
	Name   string
	Usage  string            // a sentence, with the name of the value in backquotes
	Words  []string          // the only texts that it may be; nil for others
	Domain func(Ends) Domain // of a number
	Free   bool              // teams may give any value: an offer to them declares none
	Owner  bool              // only the owner of the ledger may give it
	Print  Printing

	// The place of its value in a question: one of the three.
	number func(*Question) **float64
	text   func(*Question) *string
	list   func(*Question) *[]Condition
}

// Printing is how a fingerprint has a parameter.
type Printing int

const (
	Named  Printing = iota // as NAME=VALUE where it is given, so that looks without it keep their fingerprint
	Always                 // its value, or an empty text for a single value that is not given
	Apart                  // its value likewise, before all others, as fixed plans have it too
)

// Params returns the table.
func Params() []Param { return slices.Clone(params) }

// Lookup returns the parameter of a name.
func Lookup(name string) (Param, bool) {
	return each.First(params, func(p Param) bool { return p.Name == name })
}

// Repeats reports whether the parameter may be given several times.
func (p Param) Repeats() bool { return p.list != nil }

// IsNumber reports whether the values of the parameter are numbers.
func (p Param) IsNumber() bool { return p.number != nil }

// Texts returns the values that a question has, in canonical form: one or none, but of a parameter that repeats.
func (p Param) Texts(q Question) []string {
	switch {
	case p.list != nil:
		return each.Of(*p.list(&q), Condition.String)
	case p.number != nil && *p.number(&q) != nil:
		return []string{text.Shortest(**p.number(&q))}
	case p.text != nil && *p.text(&q) != "":
		return []string{*p.text(&q)}
	}
	return nil
}

// Value returns the value that a question has as a float64 or a text, nil if it has none.
func (p Param) Value(q Question) any {
	if p.number != nil && *p.number(&q) != nil {
		return **p.number(&q)
	}
	if said := p.Texts(q); said != nil {
		return strings.Join(said, "; ")
	}
	return nil
}

// SetNumber sets a parameter whose values are numbers.
func (p Param) SetNumber(q *Question, x float64) { *p.number(q) = &x }

// Set sets the parameter to a text, and adds one more of a parameter that repeats. Numbers are decimals.
func (p Param) Set(q *Question, said string) error {
	switch {
	case p.list != nil:
		one, err := ParseCondition(said)
		if err != nil {
			return err
		}
		*p.list(q) = append(*p.list(q), one)
	case p.number != nil:
		x, ok := text.Decimal(said)
		if !ok {
			return fmt.Errorf("%s: got %s, want a number", p.Name, text.Shown(said))
		}
		p.SetNumber(q, x)
	default:
		*p.text(q) = said
	}
	return nil
}

// fits checks the value of the parameter, for scores between the ends.
func (p Param) fits(q Question, in Ends) error {
	if p.Domain != nil {
		x, d := **p.number(&q), p.Domain(in)
		if !(x >= d.From && x <= d.To) {
			return fmt.Errorf("%s: got %v, want %s%s", p.Name, x, d.Want, inPercent(x, d))
		}
	}
	if said := p.Texts(q); p.Words != nil && !slices.Contains(p.Words, said[0]) {
		return fmt.Errorf("%s: got %s, want %s", p.Name, text.Shown(said[0]), p.want(in))
	}
	return nil
}

// inPercent suggests the percent sign that a share lacks.
func inPercent(x float64, d Domain) string {
	if d.To != 1 || x < 1 || x > 100 {
		return ""
	}
	return fmt.Sprintf(", did you mean %v%%?", x)
}

// want says what a parameter may be.
func (p Param) want(in Ends) string {
	switch {
	case p.Domain != nil:
		return p.Domain(in).Want
	case p.Words != nil:
		return text.OrList(p.Words)
	}
	return "a text"
}

// Apart returns the values of the parameters that a fingerprint has first.
func (q Question) Apart() (list []string) {
	for _, p := range params {
		if p.Print == Apart {
			list = append(list, strings.Join(p.Texts(q), ""))
		}
	}
	return list
}

// Texts returns the other values, as a fingerprint has them.
func (q Question) Texts() (list []string) {
	for _, p := range params {
		said := p.Texts(q)
		switch {
		case p.Print == Always && said == nil && !p.Repeats():
			list = append(list, "")
		case p.Print == Always:
			list = append(list, said...)
		case p.Print == Named && said != nil:
			list = append(list, each.Of(said, func(s string) string { return p.Name + "=" + s })...)
		}
	}
	return list
}

// HasMore reports whether a question has more than what fingerprints of fixed plans have always had.
func (q Question) HasMore() bool {
	return slices.ContainsFunc(params, func(p Param) bool { return p.Print != Apart && p.Texts(q) != nil })
}

// Ends are the ends of a score.
type Ends struct{ Lowest, Highest float64 }

// domain is the numbers between two, which are described as what.
func (Ends) domain(from, to float64, what string) Domain {
	return Domain{from, to, fmt.Sprintf("a %s in [%v, %v]", what, from, to)}
}

// Rule is the parameters that looks of a kind take, by their names. A look gives all that are needed.
type Rule struct{ Needs, Takes []string }

// Params returns the parameters that the rule takes, in the order of the table.
func (r Rule) Params() []Param {
	return slices.DeleteFunc(Params(), func(p Param) bool {
		return !slices.Contains(r.Needs, p.Name) && !slices.Contains(r.Takes, p.Name)
	})
}

// Check checks a question by the rule, for scores between the ends. With says in words what the rule is of, such as
// "--show pass"; refusal says what is wrong with a parameter that the rule does not take.
func (r Rule) Check(q Question, in Ends, with string, refusal func(Param) string) error {
	left := q
	for _, p := range params {
		given := p.Texts(q) != nil
		switch needed := slices.Contains(r.Needs, p.Name); {
		case !given && needed:
			return fmt.Errorf("%s: got nothing, want %s with %s", p.Name, p.want(in), with)
		case !given:
			continue
		case !needed && !slices.Contains(r.Takes, p.Name):
			return fmt.Errorf("%s: %s", p.Name, refusal(p))
		}
		if err := p.fits(q, in); err != nil {
			return err
		}
		p.clear(&left)
	}
	if !reflect.ValueOf(left).IsZero() { // a field without an entry
		return errors.New("got a question that this version does not know, want one of its help")
	}
	return nil
}

// clear takes the parameter out of a question.
func (p Param) clear(q *Question) {
	switch {
	case p.list != nil:
		*p.list(q) = nil
	case p.number != nil:
		*p.number(q) = nil
	default:
		*p.text(q) = ""
	}
}

// Condition is one of several bars that a model is to pass together, on some rows.
type Condition struct {
	Bar   float64 `json:"bar"`
	Where string  `json:"where,omitempty"` // as in a [Question]
}

// ParseCondition reads bar=C or bar=C,where=COLUMN=VALUE.
func ParseCondition(said string) (c Condition, err error) {
	bar, where, sliced := strings.Cut(said, ",")
	number, barred := strings.CutPrefix(bar, "bar=")
	x, ok := text.Decimal(number)
	where, named := strings.CutPrefix(where, "where=")
	if whole := sliced == named && (where != "" || !sliced); !barred || !ok || !whole {
		return c, fmt.Errorf("all: got %s, want bar=C or bar=C,where=COLUMN=VALUE", text.Shown(said))
	}
	return Condition{x, where}, nil
}

func (c Condition) String() string {
	if c.Where == "" {
		return "bar=" + text.Shortest(c.Bar)
	}
	return "bar=" + text.Shortest(c.Bar) + ",where=" + c.Where
}

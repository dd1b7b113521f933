package pvalue

import (
	"fmt"
	"slices"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// rowNames returns the names of the corrections in printing order: of every theorem about a step that has
// several, or, if none has, of that about the first step; and [composed] where two steps that cannot count as
// one have a choice.
func rowNames(links []link) (names []string) {
	end, choices := 0, 0
	for _, l := range links {
		if len(l.all) < 2 {
			continue
		}
		for _, o := range l.all {
			names = each.Union(names, o.Name)
		}
		if len(l.free) > 1 && l.First >= end {
			end, choices = shortest(links, l.First), choices+1
		}
	}
	switch {
	case names == nil:
		return []string{links[0].all[0].Name}
	case choices > 1:
		names = append(names, composed)
	}
	return names
}

// shortest returns where the shortest link from a step ends.
func shortest(links []link, from int) int {
	end := 0
	for _, l := range links { // the last of them
		if l.First == from {
			end = l.Last + 1
		}
	}
	return end
}

// correctionOf returns the correction of a name, by the best way through the plan on which its theorem speaks.
func correctionOf(p maxinfo.Plan, links []link, name string) Correction {
	c := Correction{Name: name, Proof: theory.Published, plan: p}
	pick := func(o option) rule { return o.rule }
	c.ways = chargings(links, name, pick)
	if len(c.ways[0].edges) == 0 {
		c.refuse(p, links, name)
		return c
	}
	var used []option
	for _, l := range onWays(links, name) {
		for _, o := range l.options(name) {
			c.told(o)
			used = append(used, o)
		}
	}
	_, c.InCoq = checkedFor(p, used)
	if len(c.ways[0].edges) > 1 {
		c.Proof = theory.Derived
		c.Sources = each.Union(c.Sources, compositionSource)
	}
	c.Assumes = strongest(c.Assumes)
	c.rule = composition(c.ways)
	c.wide = composition(chargings(links, name, func(o option) rule { return o.wide }))
	return c
}

var compositionSource = theory.Source{Key: "dpcalc", Where: "docs/theorems/pvalue.md#composition-of-corrections"}

// told adds what a theorem says of itself.
func (c *Correction) told(o option) {
	if o.Proof == theory.Derived {
		c.Proof = theory.Derived
	}
	c.Sources = each.Union(c.Sources, o.Sources...)
	c.Assumes = each.Union(c.Assumes, o.Assumes...)
}

// strongest leaves out that the records may depend on each other where some link needs that they do not.
func strongest(assumes []string) []string {
	if !slices.Contains(assumes, maxinfo.IndependentRows) {
		return assumes
	}
	return slices.DeleteFunc(assumes, func(s string) bool { return s == maxinfo.AnyRows })
}

// refuse gives the reason why no theorem applies to some step, or why the named one applies to none.
func (c *Correction) refuse(p maxinfo.Plan, links []link, name string) {
	l, o := unserved(links, name)
	c.told(o)
	c.Needs = o.Needs
	if len(p.Steps) > 1 {
		needs := fmt.Sprintf("%s (step %d, %s)", o.Needs.Needs, l.First+1, p.Steps[l.First])
		c.Needs = &theory.NotApplicableError{Source: o.Needs.Source, Needs: needs}
	}
}

// unserved returns the link to blame, and its theorem of the name or else its first: a shortest link to which
// nothing applies, nor to a longer one about it, or a link to which the theorem does not apply.
func unserved(links []link, name string) (l link, o option) {
	for _, l := range links {
		served := func(m link) bool { return m.covers(l) && len(m.free) > 0 }
		if l.Last+1 > shortest(links, l.First) || slices.ContainsFunc(links, served) {
			continue
		}
		i := max(0, slices.IndexFunc(l.all, func(o option) bool { return o.Name == name }))
		return l, l.all[i]
	}
	for _, l := range links {
		for _, o := range l.all {
			if o.Name == name && !o.isUsable() {
				return l, o
			}
		}
	}
	i := slices.IndexFunc(links, func(l link) bool { return l.speaks(name) })
	l, o = links[i], links[i].options(name)[0]
	o.Needs = &theory.NotApplicableError{Source: o.Sources[0], Needs: "a theorem for each of the other steps"}
	return l, o
}

// covers reports whether a link has all steps of another.
func (l link) covers(other link) bool { return l.First <= other.First && l.Last >= other.Last }

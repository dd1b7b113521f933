package theory

// The two conventions for neighbours. Every theorem here is for samples that differ
// by replacing one record. Other libraries count adding or removing one. Replacing is a
// removal and then an addition, so that a mechanism which is private for adding and removing is private for replacing,
// as for a group of two: two laws that are neighbours by replacement are each a neighbour, by adding or removing, of
// the law on the sample without the record.
//
// The conversions hold for a mechanism that takes samples of n-1 records as well. None can
// be improved: for each there is a mechanism that attains it.

// Replaced returns the privacy for replacing a record of a mechanism that is
// epsilon-private for adding or removing one: 2 epsilon.
func (p Pure) Replaced() (Bound[Pure], error) { return replaced(p.Group(2)) }

// Replaced returns the privacy for replacing a record of a mechanism that is (epsilon,
// delta)-private for adding or removing one: (2 epsilon, (1 + e^epsilon) delta), delta
// at most 1 and rounded up.
//
// P0[E] <= e^epsilon M[E] + delta <= e^epsilon (e^epsilon P1[E] + delta) + delta, M the law
// without the record.
func (a Approx) Replaced() (Bound[Approx], error) { return replaced(a.Group(2)) }

// Replaced returns the privacy for replacing a record of a mechanism that is mu-GDP for
// adding or removing one: 2 mu, since G_mu(G_mu(x)) = G_(2 mu)(x).
func (g GDP) Replaced() (Bound[GDP], error) { return replaced(g.Group(2)) }

// Replaced returns the privacy for replacing a record of a mechanism that is rho-zCDP for
// adding or removing one: 4 rho, by group privacy.
func (z ZCDP) Replaced() (Bound[ZCDP], error) { return replaced(z.Group(2)) }

// replaced names the theorem on the conventions beside that on groups.
func replaced[T any](b Bound[T], err error) (Bound[T], error) {
	if err == nil {
		b.Sources = append(b.Sources, Source{"dpcalc", "docs/theorems/theory.md#neighbours"})
	}
	return b, err
}

package properties

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// The lower bound for laws that are no products: a private mechanism that reveals which word of a code the data are.

// revealing returns s_0 = 0, ..., s_J = 1: the mechanism reveals a word of the code with probability s_(J-k) where the
// data differ from it in k places. growth is e^epsilon.
func revealing(growth, delta *big.Rat) []*big.Rat {
	one := big.NewRat(1, 1)
	less := func(a, b *big.Rat) *big.Rat {
		if b.Cmp(a) < 0 {
			return b
		}
		return a
	}
	s := new(big.Rat)
	all := []*big.Rat{s}
	for s.Cmp(one) < 0 {
		rises := new(big.Rat).Add(new(big.Rat).Mul(growth, s), delta)
		rest := new(big.Rat).Sub(new(big.Rat).Sub(one, s), delta)
		s = less(one, less(rises, new(big.Rat).Sub(one, rest.Quo(rest, growth))))
		all = append(all, s)
	}
	return all
}

// reedMuller lists the 32 words of the first-order Reed-Muller code of length 16: two of them differ in 8 or 16 places.
func reedMuller() (words []int) {
	for w := range 32 {
		word := 0
		for place := range 16 {
			word |= bits.OnesCount(uint(w&(2*place+1))) % 2 << place
		}
		words = append(words, word)
	}
	return words
}

// With e^epsilon = 4 and delta = 1/8 the mechanism reveals a word of the code with certainty, and nothing four places
// away. Every pair of neighbours among all 65536 data sets is compared, in sixteenths.
func TestCodeIsRevealedPrivately(t *testing.T) {
	const n, radius, growth, unit, delta = 16, 3, 4, 16, 2
	chain := revealing(big.NewRat(growth, 1), big.NewRat(delta, unit))
	if got := fmt.Sprint(chain); got != "[0/1 1/8 5/8 15/16 1/1]" {
		t.Fatalf("the mechanism reveals with the probabilities %s", got)
	}
	shown := []int{16, 15, 10, 2, 0} // sixteenths, by the distance from the code
	words := reedMuller()
	nearest := func(d int) (word, distance int) {
		word, distance = -1, radius+1
		for i, w := range words {
			if k := bits.OnesCount(uint(d ^ w)); k < distance {
				word, distance = i, k
			}
		}
		return word, distance
	}
	// excess is the sum over the outcomes of (P[y | a] - e^epsilon P[y | b])^+, in sixteenths.
	excess := func(shown []int, a, b int) int {
		wordA, far := nearest(a)
		wordB, other := nearest(b)
		p, q := shown[far], shown[other]
		if wordA != wordB {
			return p + max(0, unit-p-growth*(unit-q))
		}
		return max(0, p-growth*q) + max(0, unit-p-growth*(unit-q))
	}
	most := func(shown []int) (most int) {
		for d := range 1 << n {
			for place := range n {
				most = max(most, excess(shown, d, d^1<<place))
			}
		}
		return most
	}
	if got := most(shown); got != delta {
		t.Errorf("delta is %d/16, want %d/16, attained", got, delta)
	}
	for k := 1; k <= radius; k++ { // a word is revealed a little more often
		more := append([]int{}, shown...)
		more[k]++
		if got := most(more); got <= delta {
			t.Errorf("revealing %d/16 at %d places is private as well: the comparison has no power", more[k], k)
		}
	}

	// On the words of the code the outcome is the data, and 4.8 of the 16 bits are gone. On independent bits next to
	// nothing is.
	bitsGone := func(data []int) float64 {
		var cells []maxinfo.Cell
		for _, d := range data {
			word, distance := nearest(d)
			add := func(y string, sixteenths int) {
				cells = append(cells, maxinfo.Cell{X: fmt.Sprint(d), Y: y, P: float64(sixteenths) / unit / float64(len(data))})
			}
			add("nothing", unit-shown[distance])
			if shown[distance] > 0 {
				add(fmt.Sprint(word), shown[distance])
			}
		}
		table, err := maxinfo.NewJoint(cells)
		if err != nil {
			t.Fatal(err)
		}
		info, err := table.MaxInformation(theory.LogProb(math.Log(0.125)))
		if err != nil {
			t.Fatal(err)
		}
		return info.Bits()
	}
	all := make([]int, 1<<n)
	for d := range all {
		all[d] = d
	}
	code, independent := bitsGone(words), bitsGone(all)
	t.Logf("max-information with slack 1/8: %.4f bits on the code, %.4f on independent bits", code, independent)
	if want := math.Log2(32 * 7. / 8); !(code >= want*(1-1e-12) && code <= want*(1+1e-9)) || !(independent < 0.1) {
		t.Errorf("%v bits on the code and %v on independent bits, want %v and less than 0.1", code, independent, want)
	}
}

// The probabilities reach 1 within twice the steps that the page counts, and the least number of words that a code
// of that distance has exceeds what independent records could reveal.
func TestCodeRevealsMoreThanProductsDo(t *testing.T) {
	steps := func(growth, delta *big.Rat) (taken, allowed int) {
		g, _ := growth.Float64()
		d, _ := delta.Float64()
		return len(revealing(growth, delta)) - 1, 2 * int(math.Ceil(math.Log1p((g-1)/(2*d))/math.Log(g)))
	}
	for _, tenths := range []int64{11, 15, 20, 40, 500} {
		for _, parts := range []int64{3, 8, 1000, 1e6} {
			growth, delta := big.NewRat(tenths, 10), big.NewRat(1, parts)
			if taken, allowed := steps(growth, delta); taken > allowed || taken < allowed-3 {
				t.Errorf("e^epsilon = %s, delta = %s: %d steps, want at most %d and hardly fewer", growth, delta, taken, allowed)
			}
		}
	}
	const n, slack = 1023, 0.1
	growth, delta := big.NewRat(3, 2), big.NewRat(1, 100_000)
	taken, _ := steps(growth, delta)
	around := new(big.Int) // the words within distance 2r of one
	for i := range 2*taken - 1 {
		around.Add(around, new(big.Int).Binomial(n, int64(i)))
	}
	words, _ := new(big.Float).SetInt(new(big.Int).Quo(new(big.Int).Lsh(big.NewInt(1), n), around)).Float64()
	revealed := math.Log2(words * (1 - slack))
	plan := maxinfo.Plan{Samples: n, Data: maxinfo.ProductData, Steps: []maxinfo.Step{
		maxinfo.ApproxDP{Epsilon: math.Log(1.5), LnDelta: theory.LogProb(math.Log(1e-5))}}}
	chain, err := plan.Chain()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range chain.Methods {
		if m.Name != "approx-dp" {
			continue
		}
		bound, err := chain.MaxInformation(m, theory.LogProb(math.Log(slack)))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d steps: the code reveals %.1f of %d bits, independent records at most %.3f", taken, revealed, n, bound.Bits())
		if !(revealed > 2*bound.Bits()) {
			t.Errorf("the code reveals %v bits and independent records %v: the example has no power", revealed, bound.Bits())
		}
		return
	}
	t.Error("approx-dp is no method of the chain")
}

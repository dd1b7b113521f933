package tail

import (
	"math"
	"testing"
)

// auc is the share of pairs in the right order, a tie being half of one, of so many positive and negative rows with
// each score, in rising order.
func auc(positives, negatives []int) float64 {
	right, pairs, below := 0., 0., 0
	n := 0
	for _, c := range negatives {
		n += c
	}
	for score, c := range positives {
		right += float64(c) * (float64(below) + float64(negatives[score])/2)
		below += negatives[score]
		pairs += float64(c * n)
	}
	return right / pairs
}

// multinomial visits all counts of n rows with their probabilities.
func multinomial(n int, law []float64, visit func(counts []int, p float64)) {
	var fill func(counts []int, left int, p float64)
	fill = func(counts []int, left int, p float64) {
		k := len(counts)
		if k == len(law)-1 {
			visit(append(counts[:k:k], left), p*math.Pow(law[k], float64(left)))
			return
		}
		ways := 1.
		for c := 0; c <= left; c++ {
			fill(append(counts[:k:k], c), left-c, p*ways*math.Pow(law[k], float64(c)))
			ways *= float64(left-c) / float64(c+1)
		}
	}
	fill(nil, n, 1)
}

// Both tails of an AUC by enumeration of all samples of a few rows with three scores: each is at most the tail of as
// many independent rows as the smaller class has, by the relative entropy and by Hoeffding's exponent.
func TestTailsOfAUC(t *testing.T) {
	laws := [][]float64{{.1, .2, .7}, {.5, .3, .2}, {.3, .4, .3}, {.9, 0, .1}, {.5, 0, .5}, {0, 1, 0}}
	sharpest := 0.
	for _, n := range [][2]int{{1, 1}, {2, 2}, {2, 5}, {4, 3}, {5, 5}, {1, 7}} {
		worth := Classes{int64(n[0]), int64(n[1])}.Worth(0)
		for _, plus := range laws {
			for _, minus := range laws {
				chances, truth := make(map[float64]float64), 0.
				multinomial(n[0], plus, func(a []int, p float64) {
					multinomial(n[1], minus, func(b []int, q float64) {
						value := auc(a, b)
						chances[value] += p * q
						truth += p * q * value
					})
				})
				for x := range chances {
					above, below := 0., 0.
					for y, p := range chances {
						if y >= x-1e-12 {
							above += p
						}
						if y <= x+1e-12 {
							below += p
						}
					}
					if x == truth || truth < 1e-9 || truth > 1-1e-9 {
						continue
					}
					tail := below
					if x > truth {
						tail = above
					}
					kl := 0.
					if x > 0 {
						kl += x * math.Log(x/truth)
					}
					if x < 1 {
						kl += (1 - x) * math.Log((1-x)/(1-truth))
					}
					bound := math.Exp(-min(worth.Entropic*kl, math.Inf(1)))
					other := math.Exp(-2 * worth.Gaussian * (x - truth) * (x - truth))
					if tail > min(bound, other)*(1+1e-9) {
						t.Errorf("%v rows by %v and %v: %v is reached with probability %v, want at most %v", n, plus, minus, x, tail,
							min(bound, other))
					}
					sharpest = max(sharpest, tail/bound)
				}
			}
		}
	}
	if sharpest < 1-1e-9 {
		t.Errorf("the sharpest case has %v of the bound, want all of it", sharpest)
	}
}

// Given the features the bound is false. Of the scores 3 > 2 > 1 > 0 the row at 2 is surely positive, the row at 1
// surely negative, and the one at 3 is positive with probability 1/3 where two rows are in all: the AUC is 1 with
// probability 1/3, its mean is 1/2, and two independent rows would reach 1 with probability 1/4.
func TestAUCGivenTheFeatures(t *testing.T) {
	best := auc([]int{0, 0, 1, 1}, []int{1, 1, 0, 0})
	other := auc([]int{1, 0, 1, 0}, []int{0, 1, 0, 1})
	truth := best/3 + other*2/3
	worth := Classes{2, 2}.Worth(4)
	bound := math.Exp(worth.Entropic * math.Log(truth)) // of the mean 1
	if best != 1 || truth != 0.5 || bound != 0.25 {
		t.Fatalf("got %v with the mean %v, and the bound %v", best, truth, bound)
	}
	if chance := 1. / 3; chance <= bound {
		t.Errorf("the bound %v holds", bound)
	}
}

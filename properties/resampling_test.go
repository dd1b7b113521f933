package properties

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/leanovate/gopter"

	"github.com/dpcalc/dpcalc/internal/lawtest"
)

// resampling is a data set drawn from a law and a transcript about it, in fractions: prior[d] is P[D = d], and
// law[d][y] is P[the transcript is y | D = d].
type resampling struct {
	prior []*big.Rat
	law   [][]*big.Rat
}

// event is a set of pairs of a data set and a transcript.
type event func(d, y int) bool

// joint returns P[D = d and the transcript is y].
func (s resampling) joint(d, y int) *big.Rat { return new(big.Rat).Mul(s.prior[d], s.law[d][y]) }

// transcript returns P[the transcript is y].
func (s resampling) transcript(y int) *big.Rat {
	sum := new(big.Rat)
	for d := range s.prior {
		sum.Add(sum, s.joint(d, y))
	}
	return sum
}

// drawn returns P[(D, y) in E].
func (s resampling) drawn(in event) *big.Rat {
	sum := new(big.Rat)
	for d := range s.prior {
		for y := range s.law[d] {
			if in(d, y) {
				sum.Add(sum, s.joint(d, y))
			}
		}
	}
	return sum
}

// redrawn returns P[(D', y) in E], D' drawn from again given y, where y is drawn with D: the sum over d, y and d'.
func (s resampling) redrawn(again func(d, y int) *big.Rat, in event) *big.Rat {
	sum := new(big.Rat)
	for d := range s.prior {
		for y := range s.law[d] {
			p := s.joint(d, y)
			if p.Sign() == 0 {
				continue
			}
			for other := range s.prior {
				if in(other, y) {
					sum.Add(sum, new(big.Rat).Mul(p, again(other, y)))
				}
			}
		}
	}
	return sum
}

// posterior returns P[D = d | the transcript is y].
func (s resampling) posterior(d, y int) *big.Rat {
	return new(big.Rat).Quo(s.joint(d, y), s.transcript(y))
}

// fresh returns P[D = d]: a data set that knows nothing of the transcript.
func (s resampling) fresh(d, _ int) *big.Rat { return s.prior[d] }

// fractions returns counts over their sum.
func fractions(counts ...int64) []*big.Rat {
	var sum int64
	for _, c := range counts {
		sum += c
	}
	all := make([]*big.Rat, len(counts))
	for i, c := range counts {
		all[i] = big.NewRat(c, sum)
	}
	return all
}

// Three records of three values, and two counts with noise, of which the second is chosen by the first. The posterior
// data set is as far from the answers as the data set itself, and a fresh one is further.
func TestBayesianResampling(t *testing.T) {
	const n, k = 3, 3
	noise := fractions(1, 2, 1) // of -1, 0 and 1
	one := fractions(1, 2, 5)   // of the values of a record
	in := [][k]bool{{true, false, true}, {false, true, true}, {true, true, false}}
	count := func(q, d int) (sum int) {
		for range n {
			if in[q][d%k] {
				sum++
			}
			d /= k
		}
		return sum
	}
	const answers = n + 3 // from -1 to 4
	second := func(first int) int {
		if first > 2 {
			return 1
		}
		return 2
	}
	s := resampling{prior: make([]*big.Rat, k*k*k), law: make([][]*big.Rat, k*k*k)}
	for d := range s.prior {
		s.prior[d] = new(big.Rat).Mul(one[d%k], new(big.Rat).Mul(one[d/k%k], one[d/k/k]))
		s.law[d] = make([]*big.Rat, answers*answers)
		for y := range s.law[d] {
			s.law[d][y] = new(big.Rat)
		}
		for i, p := range noise {
			for j, q := range noise {
				first := count(0, d) + i - 1
				then := count(second(first), d) + j - 1
				y := (first+1)*answers + then + 1
				s.law[d][y].Add(s.law[d][y], new(big.Rat).Mul(p, q))
			}
		}
	}
	wrong := func(d, y int) bool { // some answer is off the count on d
		first, then := y/answers-1, y%answers-1
		return first != count(0, d) || then != count(second(first), d)
	}
	own, again, fresh := s.drawn(wrong), s.redrawn(s.posterior, wrong), s.redrawn(s.fresh, wrong)
	t.Logf("some answer is off: %s on the data, %s on data of the posterior, %s on fresh data", own, again, fresh)
	if own.Cmp(big.NewRat(3, 4)) != 0 || again.Cmp(own) != 0 || fresh.Cmp(own) <= 0 {
		t.Errorf("got %s, %s and %s; want 3/4 twice and more on fresh data", own, again, fresh)
	}
}

// For every law of data, every mechanism and every event.
func TestBayesianResamplingOfAnyMechanism(t *testing.T) {
	differ := 0
	lawtest.Check(t, 20230, 300, func(seed int64) *gopter.PropResult {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		some := func(n int) []*big.Rat { // a law with impossible values
			counts := make([]int64, n)
			for i := range counts {
				counts[i] = max(0, r.Int64N(12)-3)
			}
			counts[r.IntN(n)] = 1 + r.Int64N(9)
			return fractions(counts...)
		}
		sets, transcripts := 1+r.IntN(9), 1+r.IntN(6)
		s, bad := resampling{prior: some(sets)}, make([][]bool, sets)
		for d := range sets {
			s.law = append(s.law, some(transcripts))
			for range transcripts {
				bad[d] = append(bad[d], r.IntN(2) == 0)
			}
		}
		in := func(d, y int) bool { return bad[d][y] }
		own, again := s.drawn(in), s.redrawn(s.posterior, in)
		if s.redrawn(s.fresh, in).Cmp(own) != 0 {
			differ++
		}
		return lawtest.Evidence(own.Cmp(again) == 0, "%s on the data, %s on data of the posterior", own, again)
	}, lawtest.Seed())
	if differ < 150 {
		t.Errorf("fresh data differ from the data in %d of 300 cases: the law has no power", differ)
	}
}

package noise

import (
	"math"
	"math/rand/v2"
	"testing"
)

// far is the probability that a value with the noise sd is further than tau from zero.
func far(value, sd, tau float64) float64 {
	if sd == 0 {
		if math.Abs(value) > tau {
			return 1
		}
		return 0
	}
	tail := func(u float64) float64 { return math.Erfc(u/math.Sqrt2) / 2 }
	return tail((tau-value)/sd) + tail((tau+value)/sd)
}

// above is the same of what is above tau.
func above(value, sd, tau float64) float64 {
	if sd > 0 {
		return math.Erfc((tau-value)/sd/math.Sqrt2) / 2
	}
	if value > tau {
		return 1
	}
	return 0
}

// boards calls visit with every way to put n records into so many cells, and its probability.
func boards(n int, cells []float64, visit func(counts []int, p float64)) {
	counts := make([]int, len(cells))
	var place func(cell, left int, ln float64)
	place = func(cell, left int, ln float64) {
		at := func(k int) float64 {
			f, _ := math.Lgamma(float64(k) + 1)
			return ln + float64(k)*math.Log(cells[cell]) - f
		}
		if cell == len(cells)-1 {
			counts[cell] = left
			visit(counts, math.Exp(at(left)))
			return
		}
		for k := 0; k <= left; k++ {
			counts[cell] = k
			place(cell+1, left-k, at(k))
		}
	}
	all, _ := math.Lgamma(float64(n) + 1)
	place(0, n, all)
}

// The best analyst of two queries wins no more often than the bound says: every f on three cells that no more than
// d of the population is in, and the second of them the best for each first answer.
func TestBestAnalystOnTinyCases(t *testing.T) {
	t.Run("two-sided", func(t *testing.T) { bestAnalyst(t, false, far) })
	t.Run("one-sided", func(t *testing.T) { bestAnalyst(t, true, above) })
}

func bestAnalyst(t *testing.T, oneSided bool, fails func(value, sd, tau float64) float64) {
	cells := []float64{0.1, 0.1, 0.1, 0.7}
	var queries [][]float64
	for i := range 27 {
		queries = append(queries, []float64{float64(i%3) - 1, float64(i/3%3) - 1, float64(i/9) - 1, 0})
	}
	worst := math.Inf(1)
	for _, c := range []struct {
		n             int
		sd, last, tau float64
	}{
		{6, 0.2, 0.2, 0.9}, {6, 0.4, 0, 0.8}, {12, 0.15, 0.1, 0.6}, {12, 0.05, 0.05, 0.5},
		{24, 0.1, 0.1, 0.45}, {24, 0.15, 0, 0.4},
	} {
		var counts [][]int
		var weights []float64
		boards(c.n, cells, func(k []int, p float64) {
			counts, weights = append(counts, append([]int(nil), k...)), append(weights, p)
		})
		means, wrong := make([][]float64, len(queries)), make([][]float64, len(queries))
		truth := make([]float64, len(queries))
		for q, f := range queries {
			for x := range f {
				truth[q] += f[x] * cells[x]
			}
			for _, k := range counts {
				mean := 0.0
				for x := range f {
					mean += f[x] * float64(k[x]) / float64(c.n)
				}
				means[q] = append(means[q], mean)
				wrong[q] = append(wrong[q], fails(mean-truth[q], c.last, c.tau))
			}
		}
		wins := 0.0
		for _, first := range []int{26, 25, 17} { // all one, one of them nothing, one of them minus one
			const steps = 160
			sum, lo, width := 0.0, -1.2-5*c.sd, (2.4+10*c.sd)/steps
			for i := range steps {
				y := lo + (float64(i)+0.5)*width
				lost := fails(y-truth[first], 0, c.tau) == 1
				joint, all := make([]float64, len(weights)), 0.0
				for s, w := range weights {
					z := (y - means[first][s]) / c.sd
					joint[s] = w * math.Exp(-z*z/2) / (c.sd * math.Sqrt(2*math.Pi)) * width
					all += joint[s]
				}
				if best := 0.0; !lost {
					for q := range queries {
						win := 0.0
						for s, p := range joint {
							win += p * wrong[q][s]
						}
						best = max(best, win)
					}
					all = best
				}
				sum += all
			}
			wins = max(wins, sum)
		}
		least := 0.0
		for share := 0.3; share <= 1; share += 0.05 {
			bound := design{Difference{0.3}, false, int64(c.n), 2, oneSided}.plan(c.tau, -3).bound()
			bound.answer(bound.like(1, c.sd, share, c.tau), false)
			bound.answer(bound.like(1, c.last, 0.3, c.tau), true)
			least = min(least, bound.Total().Ln())
		}
		if math.Log(wins) > least {
			t.Errorf("%+v: the best analyst wins with probability %g, and the bound is %g", c, wins, math.Exp(least))
		}
		worst = min(worst, math.Exp(least)/wins)
	}
	if t.Logf("the bound is at least %.3g times the truth", worst); !(worst < 3) {
		t.Error("the bound is far off")
	}
}

// attack is the probability that an analyst makes some answer wrong who asks for random signs on one set of
// probability d, and for the sign of their weighted sum at last.
func attack(p Plan, samples int64, games int) (wins, deviation float64) {
	r := rand.New(rand.NewPCG(121, 1))
	var sd []float64
	for b := range p.Blocks() {
		for range b.Queries {
			sd = append(sd, b.Scale)
		}
	}
	k, n, d := len(sd)-1, float64(samples), p.share()
	score := make([]float64, 1<<k)
	sum, squares := 0.0, 0.0
	for range games {
		inside := int(n*d + math.Sqrt(n*d*(1-d))*r.NormFloat64() + 0.5) // records in the set
		counts := make([]int32, 1<<k)
		for left := inside; left > 0; {
			bits := r.Uint64()
			for range min(64/k, left) {
				counts[bits&(1<<k-1)]++
				bits >>= k
			}
			left -= min(64/k, left)
		}
		missed, score := 1.0, score[:1]
		score[0] = 0
		for j := range k {
			answer := 0.0
			for pattern, count := range counts {
				if pattern>>j&1 == 1 {
					answer += float64(count)
				} else {
					answer -= float64(count)
				}
			}
			answer /= n
			missed *= 1 - far(answer, sd[j], p.Tau)
			w := (answer + sd[j]*r.NormFloat64()) / (sd[j]*sd[j] + d/n)
			for _, s := range score {
				score = append(score, s+w)
			}
			for i := range 1 << j {
				score[i] -= w
			}
		}
		last := 0.0
		for pattern, count := range counts {
			last += math.Copysign(float64(count), score[pattern])
		}
		win := 1 - missed*(1-far(last/n, sd[k], p.Tau))
		sum, squares = sum+win, squares+win*win
	}
	wins = sum / float64(games)
	return wins, math.Sqrt((squares/float64(games) - wins*wins) / float64(games))
}

// On the planned number of records the attack wins much more rarely than beta. On less than half of it, with the
// noise of the plan, it wins more often.
func TestAttack(t *testing.T) {
	p := design{Difference{0.1}, false, 1, 10, false}.plan(0.02, lnp(0.05))
	n := leastSamples(t, p)
	p.Samples = n
	for _, c := range []struct {
		part  float64
		above bool
	}{{1, false}, {0.45, true}} {
		wins, deviation := attack(p, int64(c.part*float64(n)), 8000)
		t.Logf("%g of %d records: %.4f, deviation %.2g", c.part, n, wins, deviation)
		if c.above != (wins-6*deviation > 0.05) {
			t.Errorf("%g of the records: wins with probability %g", c.part, wins)
		}
	}
}

package properties

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/transfer"
)

// The weighing attack is the best that is known against Gaussian answers. Records are
// independent fair bits, as many as are looked at. The analyst asks some bits for their means
// and gives bit j the weight w_j = y_j/(sd_j^2 + V), V = 1/(4n), where y_j is the answer minus 1/2. Of
// all strikes the analyst asks for the share of the records with sum_j w_j (bit_j - 1/2) > 0, whose
// population value is 1/2. Where there are few queries, the score of each strike has a part
// of its own, here a normal attribute of the records: one strike's luck is not another's.
type weighing struct {
	records, learning int
	fresh             float64 // the share of a strike's score that is its own, by variance
	noise             noise
}

// wins runs the attack and reports whether an answer is off by more than tau.
func (a weighing) wins(r *rand.Rand, tau float64) bool {
	n, won, buffer := float64(a.records), false, []uint64(nil)
	score := make([]float64, a.records)
	middle, square := 0., 0.
	for j := range a.learning {
		bitmap, ones := column(r, a.records, buffer)
		sd := a.noise.sd(j)
		y := float64(ones)/n + a.noise.draw(r, j) - 0.5
		won = won || math.Abs(y) > tau
		w := y / (sd*sd + 1/(4*n))
		for i, word := range bitmap {
			for ; word != 0; word &= word - 1 {
				score[64*i+bits.TrailingZeros64(word)] += w
			}
		}
		middle, square, buffer = middle+w/2, square+w*w/4, bitmap
	}
	for i := range score {
		score[i] = (score[i] - middle) / math.Sqrt(square)
	}
	own, hits := math.Sqrt(a.fresh/(1-a.fresh)), -1
	for j := a.learning; j < len(a.noise.scale) && !won; j++ {
		if hits < 0 || own > 0 {
			hits = 0
			for _, x := range score {
				if own > 0 {
					x += own * r.NormFloat64()
				}
				if x > 0 {
					hits++
				}
			}
		}
		won = math.Abs(float64(hits)/n+a.noise.draw(r, j)-0.5) > tau
	}
	return won
}

func (a weighing) repeat(r *rand.Rand, runs int, goal transfer.Goal) outcome {
	o := outcome{runs: runs}
	for range runs {
		if a.wins(r, goal.Tau) {
			o.failures++
		}
	}
	return o
}

// fails is the probability of success for large n. A bit's mean is 1/2 + X, X = N(0, V); given
// y = X + N(0, sd^2) it has the mean y V/(sd^2+V) = V w and the variance V sd^2/(sd^2+V). The strike
// correlates with the standardised score to sqrt(2/pi) rho/2, rho^2 = 1-fresh, so its share exceeds 1/2 by
//
//	q = sqrt(2/pi) V rho R,   R^2 = sum_j w_j^2 = sum_j chi^2_j/(sd_j^2+V),
//
// in the mean given the answers (R^2 by Wilson and Hilferty). Its variance V is less by what is learnt, (2/pi)
// rho^2 c V, where c is the mean of V/(sd_j^2+V) with the weights w_j^2. Of this (2/pi) asin(rho^2) V minus
// the same is common to all strikes.
func (a weighing) fails(tau float64) float64 {
	v, quiet := 1/(4*float64(a.records)), 1.
	mean, spread := 0., 0. // of R^2: the mean and half of the variance
	for j := range a.learning {
		sd := a.noise.sd(j)
		u := 1 / (sd*sd + v)
		quiet *= 1 - a.noise.errs(0, a.noise.scale[j], v, tau)
		mean, spread = mean+u, spread+u*u
	}
	cube := 2 / (9 * mean * mean / spread) // of as many degrees of freedom
	rho := math.Sqrt(1 - a.fresh)
	common := 2 / math.Pi * v * (math.Asin(rho*rho) - rho*rho*v*spread/mean)
	own := v * (1 - 2/math.Pi*math.Asin(rho*rho))
	sum, total := 0., 0.
	for x := -4.; x <= 4; x += 0.5 {
		r := math.Sqrt(mean * math.Pow(math.Max(0, 1-cube+math.Sqrt(cube)*x), 3))
		for z := -4.; z <= 4; z += 0.5 {
			weight := math.Exp(-(x*x + z*z) / 2)
			total += weight
			sum += weight * a.withstood(math.Sqrt(2/math.Pi)*v*rho*r+math.Sqrt(common)*z, own, tau)
		}
	}
	return 1 - quiet*sum/total
}

// withstood is the probability that no strike errs if their mean is off by x.
func (a weighing) withstood(x, own, tau float64) float64 {
	p, last, each := 1., math.NaN(), 0.
	for _, sd := range a.noise.scale[a.learning:] {
		if sd != last {
			last, each = sd, 1-a.noise.errs(x, sd, own, tau)
		}
		p *= each
	}
	return p
}

// errs is the probability of an error if the mean is off by a normal amount of that variance around x.
func (z noise) errs(x, sd, own, tau float64) (p float64) {
	if z.cut == 0 || sd == 0 {
		return errs(x, math.Sqrt(sd*sd+own), tau)
	}
	const steps = 12
	total := 0.
	for k := range steps {
		u := z.cut * ((2*float64(k)+1)/steps - 1)
		weight := math.Exp(-u * u / 2)
		total += weight
		p += weight * errs(x+sd*u, math.Sqrt(own), tau)
	}
	return p / total
}

// best returns the strongest attack on so many records, by its closed form.
func best(records int, z noise, tau float64) (a weighing, fails float64) {
	m := len(z.scale)
	for _, fresh := range []float64{0, 0.1, 0.25, 0.45} {
		if fresh > 0 && m > 20 {
			break
		}
		for share := 0.3; share < 0.98; share += 0.05 {
			other := weighing{records, min(max(int(share*float64(m)), 1), m-1), fresh, z}
			if f := other.fails(tau); f > fails {
				a, fails = other, f
			}
		}
	}
	return a, fails
}

// beaten returns the greatest number of records on which the strongest attack succeeds with
// probability beta.
func beaten(z noise, goal transfer.Goal) int {
	lo, hi := 1, 1<<24
	for hi-lo > 1+lo/300 {
		mid := max(int(math.Sqrt(float64(lo)*float64(hi))), lo+1)
		if _, fails := best(mid, z, goal.Tau); fails >= goal.Beta.Value() {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// near reports whether so many failures are within five standard deviations, and a quarter, of the
// expected ones.
func (o outcome) near(p float64) bool {
	want := p * float64(o.runs)
	return math.Abs(float64(o.failures)-want) < want/4+5*math.Sqrt(want*(1-p))
}

// The weighing attack does not win more often than the plan allows: a false alarm has a
// probability below 1e-10. It does so on fewer records, with the same noise, no fewer than half of the
// planned ones, and with ten times the queries on the planned ones. Its closed form agrees with the simulation.
func TestWeighingAttack(t *testing.T) {
	t.Parallel()
	picker := lawtest.Pick(t)
	for _, method := range []string{"gaussian", "gaussian-schedule"} {
		for _, c := range []struct{ queries, runs int }{{10, 3000}, {100, 300}, {1000, 60}} {
			if queries := fmt.Sprintf("%d answers", c.queries); !picker.Takes(method+", "+queries, method, queries) {
				continue
			}
			goal, r := attackGoal(c.queries), rand.New(rand.NewPCG(91, uint64(c.queries)))
			records, z := plan(t, method, goal)
			a, fails := best(records, z, goal.Tau)
			o := a.repeat(r, c.runs, goal)
			name := fmt.Sprintf("%s, m = %d", method, c.queries)
			t.Logf("%s: planned n = %d, %d bits, fresh %g: %d of %d runs won, %.4f expected",
				name, records, a.learning, a.fresh, o.failures, o.runs, fails)
			if o.refutes(goal.Beta) || fails > goal.Beta.Value()/3 || !o.near(fails) {
				t.Errorf("%s: %d of %d attacks on the plan won, %.4f expected", name, o.failures, o.runs, fails)
			}

			least := beaten(z, goal)
			a, fails = best(least*3/4, z, goal.Tau)
			o = a.repeat(r, c.runs, goal)
			t.Logf("%s: won with probability beta up to n = %d, %.2f times below the plan",
				name, least, float64(records)/float64(least))
			t.Logf("%s: at n = %d, %d bits, fresh %g: %d of %d runs won, %.4f expected",
				name, a.records, a.learning, a.fresh, o.failures, o.runs, fails)
			if !o.refutes(goal.Beta) || !o.near(fails) || float64(records) > 2.1*float64(least) {
				t.Errorf("%s: at n = %d %d of %d attacks won, %.4f expected; beaten up to %d",
					name, a.records, o.failures, o.runs, fails, least)
			}
		}
		goal := attackGoal(100)
		records, z := plan(t, method, goal)
		more, fails := best(records, z.stretched(1000), goal.Tau)
		if o := more.repeat(rand.New(rand.NewPCG(93, 94)), 40, goal); !o.refutes(goal.Beta) {
			t.Errorf("%s: with ten times the queries %d of %d attacks won, %.4f expected", method, o.failures, o.runs, fails)
		}
	}
}

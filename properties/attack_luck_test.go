package properties

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/transfer"
)

// The lucky attack is the best that is known for about ten queries. Every query after the first strikes and learns at
// once: it asks for the share of the records with
//
//	h(x)/rms(h) + eta_j bit_j > 0,   eta_j = A_j (q_j/0.03)^(-g),
//
// where h is the score that the answers so far give a record, bit_j a fresh fair sign of it, and q_j the overfit that
// the sign of h alone has in the mean. An analyst who was lucky strikes, and one who was not learns. Let G be the Gram
// matrix of the queries less 1/2 on records that the analyst draws, y the answers less 1/2, and n the records in use.
// Then h = sum_l w_l (f_l - 1/2), w = (G/n + diag sd^2)^(-1) y, and q_j = E|h|/(2n). All queries have the population
// value 1/2, as h and the bits are odd.
type lucky struct {
	records, own int // those in use, and those that the analyst draws
	noise        noise
	eager        []float64 // A_j of the second query and those after it
	power        float64   // g
}

// policy is what a search by cross-entropy found on the noise of an earlier plan of ten answers.
var policy = []float64{5.9, 2.2, 1.1, 17, 0.9, 0.86, 1.3, 0.96, 0.69}

// wins runs the attack and reports whether an answer is off by more than tau.
func (a lucky) wins(r *rand.Rand, tau float64) bool {
	n, m, rows := float64(a.records), len(a.noise.scale), a.records+a.own
	values, score := make([][]float64, m), make([]float64, rows) // f - 1/2, of the records in use first
	gram, answers, sd := make([][]float64, m), make([]float64, m), make([]float64, m)
	for j := range m {
		sd[j] = a.noise.sd(j)
		square, size := 0.0, 0.0
		for i := range rows {
			score[i] = 0
		}
		for l, w := range weights(gram[:j], answers[:j], sd, n) {
			for i, f := range values[l] {
				score[i] += w * f
			}
		}
		for _, h := range score[a.records:] {
			square, size = square+h*h, size+math.Abs(h)
		}
		rms := math.Sqrt(square / float64(a.own))
		bit := math.Inf(1)
		if j > 0 && rms > 0 {
			bit = rms * a.eager[j-1] * math.Pow(size/float64(a.own)/(2*n)/0.03, -a.power)
		}
		values[j] = make([]float64, rows)
		sum := 0.0
		for i := range values[j] {
			sign := 1.0
			if r.Uint64()&1 == 0 {
				sign = -1
			}
			if values[j][i] = math.Copysign(0.5, sign); !math.IsInf(bit, 1) {
				values[j][i] = math.Copysign(0.5, score[i]+sign*bit)
			}
			if i < a.records {
				sum += values[j][i]
			}
		}
		answers[j] = sum/n + a.noise.draw(r, j)
		if math.Abs(answers[j]) > tau {
			return true
		}
		gram[j] = make([]float64, j+1)
		for l := range j + 1 {
			for i, f := range values[l][a.records:] {
				gram[j][l] += f * values[j][a.records+i] / float64(a.own)
			}
		}
	}
	return false
}

// weights returns (G/n + diag sd^2)^(-1) y, by Cholesky's factors of the matrix whose lower half has the rows of G.
func weights(gram [][]float64, y, sd []float64, n float64) []float64 {
	k := len(gram)
	factor, w := make([][]float64, k), make([]float64, k)
	for i := range k {
		factor[i] = make([]float64, i+1)
		w[i] = y[i]
		for j := range i + 1 {
			x := gram[i][j] / n
			if i == j {
				x += sd[i] * sd[i]
			}
			for l := range j {
				x -= factor[i][l] * factor[j][l]
			}
			if i == j {
				factor[i][j] = math.Sqrt(x)
			} else {
				factor[i][j] = x / factor[j][j]
			}
		}
		for j := range i {
			w[i] -= factor[i][j] * w[j]
		}
		w[i] /= factor[i][i]
	}
	for i := k - 1; i >= 0; i-- {
		for j := i + 1; j < k; j++ {
			w[i] -= factor[j][i] * w[j]
		}
		w[i] /= factor[i][i]
	}
	return w
}

func (a lucky) repeat(r *rand.Rand, runs int, goal transfer.Goal) outcome {
	o := outcome{runs: runs}
	for range runs {
		if a.wins(r, goal.Tau) {
			o.failures++
		}
	}
	return o
}

// The lucky attack does not win more often than the plan allows: a false alarm has a probability below 1e-10. It does
// on 54 of 100 of the planned rows. With 1,600 records of the analyst it wins .050 of 15,000 runs on 370 of 601 rows.
func TestLuckyAttack(t *testing.T) {
	t.Parallel()
	goal := attackGoal(10)
	records, z := plan(t, "gaussian-schedule", goal)
	for _, c := range []struct {
		rows   int
		refute bool
	}{{records, false}, {records * 54 / 100, true}} {
		a := lucky{c.rows, 400, z, policy, 0.86}
		o := a.repeat(rand.New(rand.NewPCG(95, uint64(c.rows))), 6000, goal)
		t.Logf("n = %d of %d: %d of %d runs won", c.rows, records, o.failures, o.runs)
		if o.refutes(goal.Beta) != c.refute {
			t.Errorf("n = %d of %d: %d of %d runs won", c.rows, records, o.failures, o.runs)
		}
	}
}

package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

var gaussianJung20 = Method{
	Name:     "gaussian-jung20",
	Summary:  "Gaussian noise, transfer theorem of Jung et al. with the exact privacy profile",
	Formula:  "tau = s x + D(e^epsilon-1) + (sqrt(b)+sqrt(w delta))^2/beta; b = P[max of m |N(0,1)| > x], delta the exact profile of m answers with noise s; w = 2 (linear), 4D (others)",
	Practice: addGaussian,
	Proof:    Published,
	Adaptive: true,
	Sources: []theory.Source{source("jung20", "transfer theorem"), source("balle18", "Theorem 8"),
		source("dong22", "Corollary 3.3")},
	Assumes: []string{independent, inInterval},
	theorems: theorems{
		rule:   solver.Optimised{Domain: anyQuery, Reach: solver.Alone(gaussianJung20Tau)},
		halves: true,
	},
}

// gaussianJung20Tau is the transfer theorem of Jung et al. with the exact privacy profile of Gaussian noise. For every
// mu, epsilon and x > 0, with noise s = D sqrt(m)/(n mu), b = P[max of m |N(0,1)| > x] and delta = delta_mu(epsilon),
//
//	tau = s x + D(e^epsilon - 1) + (sqrt(b r) + sqrt(w delta))^2/beta,
//
// where w = 2 and r = 1 for linear queries; for the others w = 4D, and r = max(1,D) bounds an answer's error.
func gaussianJung20Tau(g Goal) (float64, Mechanism) {
	d, n, m := g.Spread(), float64(g.Samples), g.Queries
	parts, root := leaks(g)
	lnBeta, r, w := g.Beta.Ln(), 1.0, 2.0
	if !g.Query.IsMean() {
		r, w = math.Max(1, d), 4*d
	}
	lnB := func(x float64) float64 {
		return math.Min(num.LogAny(math.Min(math.Ln2+num.LogSurvival(x), 0), m), 0)
	}

	// lnDelta is ln of the mean delta of the rows, reckoned per row at the first query, and falls with t by leak.
	lnDelta := func(mu, t float64) (ln, leak float64) {
		ln = math.Inf(-1)
		for _, p := range parts {
			ln = num.LogAddExp(ln, p.lnRows+theory.GDP{Mu: mu * p.mu}.LnDelta(t*mu).Ln())
		}
		for _, p := range parts {
			leak += mu * num.Exp(p.lnRows+t*mu+num.LogSurvival(t/p.mu+mu*p.mu/2)-ln)
		}
		return ln, leak
	}

	// With epsilon = t mu and u, v the two roots over sqrt(beta), tau is stationary in x and t where (u+v) u = p and
	// (u+v) v = q, p and q the other terms' slopes over the slopes of -ln b and -ln delta. Newton's steps in x and t aim
	// at u = p/sqrt(p+q), v = q/sqrt(p+q); they begin where the last mu ended.
	x := math.Sqrt(2 * (num.Log(float64(m)) - lnBeta + 2))
	t := math.Sqrt(2 * (2 - lnBeta))
	reach := func(mu float64) (tau, epsilon float64) {
		scale := d * root / (n * mu)
		t = math.Min(t, 600/mu)
		for range 40 {
			lnb := lnB(x)
			lnDelta, leak := lnDelta(mu, t)
			lnEach := math.Min(math.Ln2+num.LogSurvival(x), 0)
			fall := num.Exp(num.Log(float64(m))+lnEach+float64(m-1)*math.Log1p(-num.Exp(lnEach))-lnb) / num.Mills(x)
			p, q := scale/fall, d*mu*num.Exp(t*mu)/leak
			half := num.Log(p+q) / 2
			stepX := (lnb + num.Log(r) - lnBeta - 2*(num.Log(p)-half)) / fall
			stepT := (lnDelta + num.Log(w) - lnBeta - 2*(num.Log(q)-half)) / leak
			if math.IsNaN(stepX + stepT) {
				break
			}
			x = math.Max(x+math.Max(stepX, -1-x/2), 1e-3)
			t = math.Min(math.Max(t+math.Max(stepT, -1-t/2), mu/2), 600/mu)
			if math.Abs(stepX)+math.Abs(stepT) < 1e-7 {
				break
			}
		}
		u := num.Exp((num.Log(r) + lnB(x) - lnBeta) / 2)
		spent, _ := lnDelta(mu, t)
		v := num.Exp((num.Log(w) + spent - lnBeta) / 2)
		return scale*x + d*math.Expm1(t*mu) + (u+v)*(u+v), t * mu
	}
	center := num.Log(math.Sqrt(float64(m))/n) / 2
	lnMu, tau := num.Interval{Lo: center - 4, Hi: center + 4}.Minimize(1e-6, func(lnMu float64) float64 {
		tau, _ := reach(num.Exp(lnMu))
		return tau
	})
	if !(tau < d) {
		return math.Inf(1), Mechanism{}
	}
	mu := num.Exp(lnMu)
	tau, epsilon := reach(mu)
	return solver.Certified(tau, d, Mechanism{
		Noise: theory.GaussianNoise, Scale: d * root / (n * mu),
		Epsilon: epsilon, LnDelta: theory.GDP{Mu: mu}.LnDelta(epsilon),
	})
}

var gaussianMarchant25 = Method{
	Name:     "gaussian-marchant25",
	Summary:  "Gaussian noise where rows arrive, transfer theorem of Marchant and Rubinstein",
	Formula:  "tau = s x + (e^epsilon-1) + (sqrt(b)+sqrt(2 sum over t of delta(t)/n))^2/beta, b as for gaussian-jung20; delta(t) the exact profile of the answers that row t has a part in, n the rows at the first query",
	Practice: addGaussian + " Where all rows are there at the first query it is gaussian-jung20.",
	Proof:    Published,
	Adaptive: true,
	Setting:  ArrivingRows,
	Sources: []theory.Source{source("marchant25", "Theorem 3.4"), source("balle18", "Theorem 8"),
		source("dong22", "Corollary 3.3")},
	Assumes:  []string{independent, inInterval},
	theorems: theorems{rule: publishedArrivals, arriving: publishedArrivals, halves: true},
}

// publishedArrivals is Theorem 3.4 of Marchant and Rubinstein, whose c and d are the best as in gaussianJung20Tau.
var publishedArrivals = solver.Optimised{
	Domain: linear, Reach: solver.Alone(gaussianJung20Tau),
}

// leaking is rows that have a part in the same answers: ln of how many there are for each row at the first query, and
// mu of their privacy over the mu of the rows at the first query.
type leaking struct{ lnRows, mu float64 }

// leaks returns the parts of the rows, where they arrive, and n mu s of those at the first query: the root of the sum
// of (n/n_j)^2.
func leaks(g goal.Goal) (parts []leaking, root float64) {
	if g.Arrival == nil {
		return []leaking{{0, 1}}, math.Sqrt(float64(g.Queries))
	}
	stages := solver.ArrivalOf(g, false).Stages
	first, sum := stages[0].Samples, 0.0
	for i := len(stages) - 1; i >= 0; i-- {
		before, done := int64(0), int64(0)
		if i > 0 {
			before, done = stages[i-1].Samples, stages[i-1].Until
		}
		share := float64(first) / float64(stages[i].Samples)
		sum += float64(stages[i].Until-done) * share * share
		if rows := stages[i].Samples - before; rows > 0 {
			parts = append(parts, leaking{num.Log(float64(rows) / float64(first)), math.Sqrt(sum)})
		}
	}
	for i := range parts {
		parts[i].mu /= math.Sqrt(sum)
	}
	return parts, math.Sqrt(sum)
}

var gaussianRogers20 = Method{
	Name:     "gaussian-rogers20",
	Summary:  "Gaussian noise, mutual information and the monitor argument",
	Formula:  "tau = min over u > 1 of sqrt(u/(2 n beta)) + (1/n) sqrt(2 m n ln(4m/beta)/(u-1-ln u))",
	Practice: addGaussian + " The failure probability enters as 1/beta: not for small beta.",
	Proof:    Published,
	Adaptive: true,
	Sources:  []theory.Source{source("rogers20", "mutual information and monitor argument"), source("bun16", "")},
	Assumes:  []string{independent},
	theorems: theorems{
		rule:   solver.Optimised{Domain: linear, Reach: solver.Alone(gaussianRogers20Tau)},
		halves: true,
	},
}

// gaussianRogers20Tau is the mutual-information bound of Rogers et al. with the monitor argument: for every u > 1 the
// m answers reveal at most (u-1-ln u)/2 nats, the worst query's squared error is then at most u/(4n) in expectation,
// and Markov's inequality and the noise's tail take beta/2 each:
//
//	tau = sqrt(u/(2 n beta)) + (1/n) sqrt(2 m n ln(4m/beta)/(u-1-ln u)).
func gaussianRogers20Tau(g Goal) (float64, Mechanism) {
	n, m, lnBeta := float64(g.Samples), float64(g.Queries), g.Beta.Ln()
	tail := math.Sqrt(2 * m * solver.LnOver(4, g).Float() / n)
	// v = ln(u-1); u - 1 - ln u without cancellation.
	information := func(v float64) float64 {
		x := num.Exp(v)
		if x < 1e-4 {
			return x * x * (0.5 - x*(1./3-x*(0.25-x/5)))
		}
		return x - math.Log1p(x)
	}
	lnTau := func(v float64) float64 {
		lnSample := (math.Log1p(num.Exp(v)) - num.Log(2*n) - lnBeta) / 2
		lnNoise := num.Log(tail) - num.Log(information(v))/2
		return math.Max(lnSample, lnNoise) + math.Log1p(num.Exp(-math.Abs(lnSample-lnNoise)))
	}
	// Where both terms balance u is of the order of sqrt(m ln(m/beta) beta), or one.
	center := (num.Log(m) + num.Log(-lnBeta+num.Log(4*m)) + lnBeta) / 2
	v, best := num.Interval{Lo: math.Min(center/2, center) - 6, Hi: math.Max(center, 0) + 6}.Minimize(1e-8, lnTau)
	tau := num.Exp(best)
	return solver.Certified(tau, 1, Mechanism{Noise: theory.GaussianNoise, Scale: math.Sqrt(m / (n * information(v)))})
}

var gaussianBassily16 = Method{
	Name:     "gaussian-bassily16",
	Summary:  "Gaussian noise, transfer theorem of Bassily et al.",
	Formula:  "tau = 18 epsilon D + s Q; epsilon < 1/3, delta/epsilon = beta/(2m), n >= ln(4 epsilon/delta)/epsilon^2, Q the (1-beta/2)-quantile of the max of m |N(0,1)|",
	Practice: addGaussian + " Kept for comparison.",
	Proof:    Published,
	Adaptive: true,
	Sources:  []theory.Source{source("bassily16", "transfer theorem"), source("balle18", "Theorem 8")},
	Assumes:  []string{independent},
	theorems: theorems{
		rule:   solver.Optimised{Domain: anyQuery, Reach: solver.Alone(gaussianBassily16Tau)},
		halves: true,
	},
}

// gaussianBassily16Tau is Theorem 4.5 applied to each of the m queries at delta/epsilon = beta/(2m), with half of beta
// left for the noise: for every epsilon in (0,1/3) with n >= ln(4 epsilon/delta)/epsilon^2,
//
//	tau = 18 epsilon D + s Q,
//
// Q the (1-beta/2)-quantile of the max of m |N(0,1)| and s the noise that is (epsilon, delta)-private.
func gaussianBassily16Tau(g Goal) (float64, Mechanism) {
	d, n, m := g.Spread(), float64(g.Samples), g.Queries
	lnRatio := math.Min(-solver.LnOver(2, g).Float(), num.Log(0.2499)) // delta < epsilon/4
	least := math.Sqrt((num.Log(4)-lnRatio)/n) * (1 + 0x1p-40)
	if !(least < 1./3) {
		return math.Inf(1), Mechanism{}
	}
	quantile := num.UpperQuantile(num.LogEach(g.Beta.Ln()-math.Ln2, m) - math.Ln2)
	noise := func(epsilon float64) float64 {
		mu := theory.GaussianMu(epsilon, theory.LogProb(num.Log(epsilon)+lnRatio))
		return d * math.Sqrt(float64(m)) / (n * mu)
	}
	reach := func(lnEpsilon float64) float64 {
		epsilon := num.Exp(lnEpsilon)
		return 18*epsilon*d + noise(epsilon)*quantile
	}
	// For large beta the demand on n binds and the optimum is at the end.
	lnEpsilon := num.Log(least)
	tau := reach(lnEpsilon)
	if at, inside := (num.Interval{Lo: lnEpsilon, Hi: num.Log(1. / 3)}).Minimize(1e-7, reach); inside < tau {
		lnEpsilon, tau = at, inside
	}
	epsilon := num.Exp(lnEpsilon)
	return solver.Certified(tau, d,
		Mechanism{Noise: theory.GaussianNoise, Scale: noise(epsilon), Epsilon: epsilon,
			LnDelta: theory.LogProb(lnEpsilon + lnRatio)})
}

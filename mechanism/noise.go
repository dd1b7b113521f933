package mechanism

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpcalc/dpcalc/theory"
)

// Laplace answers a query of the given sensitivity (the most that one record moves it)
// plus Lap(Scale), on the lattice.
type Laplace struct {
	Sensitivity float64 // from 1e-100 to 1e100
	Scale       float64 // b of the density e^(-|x|/b)/(2b)
	Resolution  int64   // lattice steps in a sensitivity; 0 for the finest
}

// Validate reports a DomainError for the first field outside its domain: the scale must
// be from 2^-32 to 2^45 sensitivities, and at most 2^45 steps.
func (m Laplace) Validate() error {
	_, err := m.Noise()
	return err
}

// Pure returns epsilon = sensitivity/scale. It is attained: at values that lie a
// sensitivity apart, every point outside them has that ratio of probabilities.
func (m Laplace) Pure() (theory.Bound[theory.Pure], error) {
	if err := m.Validate(); err != nil {
		return theory.Bound[theory.Pure]{}, err
	}
	return theory.Laplace{Sensitivity: m.Sensitivity, Scale: m.Scale}.Pure()
}

// Noise returns the noise, or the error of [Laplace.Validate].
func (m Laplace) Noise() (Noise, error) {
	l, err := spacing{m.Sensitivity, m.Resolution}.lattice(m.Scale)
	if err != nil {
		return Noise{}, err
	}
	return Noise{kind: theory.LaplaceNoise, lattice: l, scale: l.steps(m.Scale)}, nil
}

// Gaussian answers a query of the given sensitivity plus SD times a standard normal number, on the lattice. With a cut
// the number is drawn again until its absolute value is at most Cut, so that the answer is within Cut SD and a step of
// the value. To clip the number, or the answer, is another mechanism, of which nothing is certified. For several
// queries see [GaussianAnswers].
type Gaussian struct {
	Sensitivity float64 // from 1e-100 to 1e100
	SD          float64 // standard deviation
	Cut         float64 // from 1 to 30; 0 for noise that is not cut
	Resolution  int64   // lattice steps in a sensitivity; 0 for the finest
}

// Validate reports a DomainError for the first field outside its domain; see
// [Laplace.Validate].
func (m Gaussian) Validate() error {
	_, err := m.Noise()
	return err
}

// GDP returns mu = sensitivity/SD. Noise that is cut has none, and the error is a DomainError.
func (m Gaussian) GDP() (theory.Bound[theory.GDP], error) {
	if err := cmp.Or(m.Validate(), uncut(m.Cut)); err != nil {
		return theory.Bound[theory.GDP]{}, err
	}
	return theory.Gaussian{Sensitivity: m.Sensitivity, SD: m.SD}.GDP()
}

// Noise returns the noise, or the error of [Gaussian.Validate].
func (m Gaussian) Noise() (Noise, error) {
	l, err := spacing{m.Sensitivity, m.Resolution}.lattice(m.SD)
	cut := m.Cut == 0 || m.Cut >= 1 && m.Cut <= 30
	if err := cmp.Or(err, theory.Domain(cut, "cut", m.Cut, "a number from 1 to 30, or 0 for noise that is not cut")); err != nil {
		return Noise{}, err
	}
	return Noise{kind: theory.GaussianNoise, lattice: l, scale: l.steps(m.SD), cut: m.Cut}, nil
}

// uncut reports a DomainError for noise that is cut.
func uncut(cut float64) error {
	return theory.Domain(cut == 0, "cut", cut, "0: noise that is cut is not mu-GDP")
}

// Noise adds Laplace or Gaussian noise to values, on a lattice; see the package
// comment. Its zero value answers 0 to everything.
type Noise struct {
	kind    theory.NoiseKind
	lattice lattice
	scale   float64 // in steps
	cut     float64 // of Gaussian noise; 0 for none
}

// Step returns the distance between points of the lattice.
func (z Noise) Step() float64 { return float64(z.lattice) }

// Answer returns the value, rounded to the lattice, plus noise. The value is limited to
// 2^600 steps in size, and a NaN is 0.
func (z Noise) Answer(r *rand.Rand, value float64) float64 {
	var out [1]float64
	z.Fill(r, value, out[:])
	return out[0]
}

// Fill fills out with independent answers to the same value.
func (z Noise) Fill(r *rand.Rand, value float64, out []float64) {
	center, step := z.lattice.nearest(value), float64(z.lattice)
	if z.kind != theory.GaussianNoise {
		for i := range out {
			out[i] = (center + float64(laplace(r, z.scale))) * step
		}
		return
	}
	for i := 0; i < len(out); i += 2 {
		x, y := normal(r)
		if z.cut > 0 {
			x, y = redrawn(r, x, z.cut), redrawn(r, y, z.cut)
		}
		out[i] = (center + round(x*z.scale)) * step
		if i+1 < len(out) {
			out[i+1] = (center + round(y*z.scale)) * step
		}
	}
}

// redrawn draws a normal number again until it is within the cut.
func redrawn(r *rand.Rand, x, cut float64) float64 {
	for math.Abs(x) > cut {
		x, _ = normal(r)
	}
	return x
}

// laplace draws from the two-sided geometric law of the given scale in steps.
func laplace(r *rand.Rand, scale float64) int64 {
	for {
		w := r.Uint64()
		k := geometric(r, w>>1, scale)
		switch {
		case w&1 == 0:
			return k
		case k > 0: // zero has one sign
			return -k
		}
	}
}

// geometric returns k >= 0 with a probability proportional to e^(-k/scale), from a word
// of 63 random bits: the integer part of an exponential variable of that scale.
func geometric(r *rand.Rand, w uint64, scale float64) int64 {
	return int64(math.Min(exponential(r, w)*scale, 0x1p53))
}

// exponential returns an Exp(1) variable from a word of 63 random bits, with 64 more
// where the first ones are few: the float64 uniform variable keeps 53 significant bits.
func exponential(r *rand.Rand, w uint64) float64 {
	u := float64(w)
	if w < 1<<53 {
		u += float64(r.Uint64()) * 0x1p-64
	}
	return -math.Log(u * 0x1p-63)
}

// normal returns two independent N(0,1) variables by Marsaglia's polar method: a point
// of the unit disc has an angle, and an independent radius with s = e^(-R^2/2).
func normal(r *rand.Rand) (x, y float64) {
	for {
		x, y = float64(int64(r.Uint64()))*0x1p-63, float64(int64(r.Uint64()))*0x1p-63
		if s := x*x + y*y; s < 1 && s > 0 {
			f := math.Sqrt(-2 * math.Log(s) / s)
			return x * f, y * f
		}
	}
}

// spacing describes a lattice: the multiples of sensitivity/resolution.
type spacing struct {
	sensitivity float64
	resolution  int64
}

// lattice returns the lattice, the finest if the resolution is 0, if it suits all the
// scales.
func (s spacing) lattice(scales ...float64) (lattice, error) {
	if err := theory.Domain(s.sensitivity >= 1e-100 && s.sensitivity <= 1e100, "sensitivity", s.sensitivity,
		"a number from 1e-100 to 1e100"); err != nil {
		return 0, err
	}
	for _, b := range scales {
		if err := theory.Domain(b >= 0x1p-32*s.sensitivity && b <= 0x1p45*s.sensitivity, "scale", b,
			"a number from 2^-32 to 2^45 sensitivities"); err != nil {
			return 0, err
		}
	}
	if s.resolution == 0 {
		fraction, exponent := math.Frexp(0x1p30 * (s.sensitivity / slices.Min(scales)))
		if fraction == 0.5 {
			exponent--
		}
		s.resolution = 1 << max(exponent, 0)
	}
	step := lattice(s.sensitivity / float64(s.resolution))
	ok := s.resolution > 0 && step.steps(slices.Max(scales)) <= 0x1p45
	return step, theory.Domain(ok, "resolution", s.resolution, "0, or a positive integer with scales of at most 2^45 steps")
}

// lattice is the set of the multiples of a step. Its points are known by their number.
type lattice float64

// nearest returns the number of the nearest point.
func (l lattice) nearest(v float64) float64 { return round(v / float64(l)) }

// index is [lattice.nearest] limited to 2^60 in size.
func (l lattice) index(v float64) int64 {
	return int64(math.Max(-limit, math.Min(limit, l.nearest(v))))
}

func (l lattice) value(k int64) float64 { return float64(k) * float64(l) }

func (l lattice) steps(scale float64) float64 { return scale / float64(l) }

const limit = 1 << 60

// round returns floor(x + 1/2), limited to 2^600 in size, and 0 for NaN. It commutes with
// shifts by an integer, which rounding half away from zero or half to even does not.
func round(x float64) float64 {
	switch {
	case math.Abs(x) < 1<<52:
		return math.Floor(x + 0.5)
	case math.Abs(x) >= 1<<52: // an integer
		return math.Max(-0x1p600, math.Min(0x1p600, x))
	}
	return 0
}

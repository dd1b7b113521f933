package experiment

import (
	"math"
	"math/bits"
)

// stream is the generator SFC64 of Doty-Humphrey: a chaotic map of three words and a
// counter, so that no cycle is shorter than 2^64. The experiment spends its time on
// normal variables, and the generators of math/rand/v2 would triple that time.
type stream struct{ a, b, c, counter uint64 }

// newStream returns the stream of a key. Different keys have different states.
func newStream(key [3]uint64) *stream {
	s := &stream{key[0], key[1], key[2], 1}
	for range 18 {
		s.Uint64()
	}
	return s
}

// Uint64 makes a stream a source of math/rand/v2.
func (s *stream) Uint64() uint64 {
	out := s.a + s.b + s.counter
	s.counter++
	s.a = s.b ^ s.b>>11
	s.b = s.c + s.c<<3
	s.c = bits.RotateLeft64(s.c, 24) + out
	return out
}

// uniform returns a number in (0, 1].
func (s *stream) uniform() float64 { return float64(s.Uint64()>>11+1) * 0x1p-53 }

// normals fills a slice with N(0,1): Marsaglia and Tsang's ziggurat. The area under
// e^(-x^2/2), x > 0, is covered by layers of equal area: rectangles of width edge[i],
// between heights crest[i] and crest[i+1], and as the lowest one a rectangle with the
// tail beyond edge[1]. A point that is left of the next layer's edge lies below the
// curve whatever its height.
func (s *stream) normals(xs []float64) {
	z := &ziggurat
	local := *s // in registers
	for i := range xs {
		u := local.Uint64()
		layer := u & (layers - 1)
		x := float64(int64(u)>>9) * z.scale[layer]
		if math.Abs(x) >= z.edge[layer+1] {
			x = local.rim(layer, x)
		}
		xs[i] = x
	}
	*s = local
}

// rim finishes a draw that fell beside the next layer's edge.
func (s *stream) rim(layer uint64, x float64) float64 {
	z := &ziggurat
	for {
		switch {
		case math.Abs(x) < z.edge[layer+1]:
			return x
		case layer == 0: // the tail, by Marsaglia's rejection from an exponential
			for {
				over := -math.Log(s.uniform()) / z.edge[1]
				if -2*math.Log(s.uniform()) > over*over {
					return math.Copysign(z.edge[1]+over, x)
				}
			}
		case z.crest[layer]+(z.crest[layer+1]-z.crest[layer])*s.uniform() < math.Exp(-x*x/2):
			return x
		}
		u := s.Uint64()
		layer = u & (layers - 1)
		x = float64(int64(u)>>9) * z.scale[layer]
	}
}

const (
	layers = 256

	// tail is where the lowest layer's tail begins: the layers then end at x = 0.
	tail = 3.6541528853610088
)

var ziggurat = newZiggurat()

type layering struct {
	edge, crest [layers + 1]float64
	scale       [layers]float64 // edge, for a signed integer of 55 bits
}

func newZiggurat() (z layering) {
	curve := func(x float64) float64 { return math.Exp(-x * x / 2) }
	area := tail*curve(tail) + math.Sqrt(math.Pi/2)*math.Erfc(tail/math.Sqrt2)
	z.edge[0], z.edge[1] = area/curve(tail), tail
	for i := 2; i < layers; i++ {
		z.edge[i] = math.Sqrt(-2 * math.Log(curve(z.edge[i-1])+area/z.edge[i-1]))
	}
	for i := range z.edge {
		z.crest[i] = curve(z.edge[i])
	}
	for i := range z.scale {
		z.scale[i] = z.edge[i] * 0x1p-54
	}
	return z
}

package mechanism

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

func pcg(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// refuses checks that a run has nothing left and draws no more noise.
func refuses[Q, A comparable](t *testing.T, name string, run *Run[Q, A], query Q, r *rand.Rand, source *rand.PCG) {
	t.Helper()
	before := must(source.MarshalBinary())
	for range 3 {
		var none A
		if a, ok := run.Ask(query); ok || a != none || run.Left() != 0 {
			t.Errorf("%s: answered %v with %d left", name, a, run.Left())
		}
	}
	if !slices.Equal(before, must(source.MarshalBinary())) {
		t.Errorf("%s: a refusal draws noise", name)
	}
}

func TestRunsRefuse(t *testing.T) {
	source := rand.NewPCG(31, 32)
	r := rand.New(source)

	out := must(Thresholdout{Samples: 1000, Budget: 3, Threshold: 0.2, Scale: 1e-3}.Start(r))
	for i := range 20 {
		// At 100 scales the comparison is certain but for e^-25.
		if a, ok := out.Ask(Means{0.7, 0.7}); !ok || a != (Answer{0.7, false}) {
			t.Fatalf("unflagged: %v, %v", a, ok)
		}
		if i < 3 {
			if a, ok := out.Ask(Means{0.7, 0.1}); !ok || !a.Flagged || !(math.Abs(a.Value-0.1) < 0.05) || a.Value == 0.1 ||
				out.Left() != int64(2-i) {
				t.Fatalf("flagged: %v, %v, %d left", a, ok, out.Left())
			}
		}
		if i == 2 {
			break
		}
	}
	refuses(t, "Thresholdout", out, Means{0.7, 0.7}, r, source)

	sparse := must(SparseVector{Sensitivity: 1, Threshold: 1000, ThresholdScale: 2, QueryScale: 4, Cutoff: 2}.Start(r))
	for _, above := range []bool{false, true, false, false, true} {
		query := 0.
		if above {
			query = 2000
		}
		if a, ok := sparse.Ask(query); !ok || a != above {
			t.Fatalf("sparse vector: %v, %v", a, ok)
		}
	}
	refuses(t, "sparse vector", sparse, 0, r, source)

	// A schedule is followed in its order. Beyond 60 scales Laplace noise has e^-60.
	scales := []float64{1e-5, 1e-2, 1e-5}
	for name, run := range map[string]*Run[float64, float64]{
		"Gaussian": must(GaussianAnswers{Samples: 100, Noise: blocks(scales...)}.Start(r)),
		"Laplace":  must(LaplaceAnswers{Samples: 100, Scale: scales}.Start(r)),
	} {
		for j, scale := range scales {
			a, ok := run.Ask(0.25)
			if e := math.Abs(a - 0.25); !ok || e > 60*scale || j == 1 && e < 60e-5 {
				t.Errorf("%s: answer %d is %v, %v", name, j, a, ok)
			}
		}
		refuses(t, name, run, 0.25, r, source)
	}

	rounding := must(Rounding{Cells: 4, Queries: 6}.Start())
	for mean, want := range map[float64]float64{0: 0.125, 0.3: 0.375, 0.49: 0.375, 0.99: 0.875, 1: 0.875,
		math.NaN(): 0.125} {
		if a, ok := rounding.Ask(mean); !ok || a != want {
			t.Errorf("rounding %v: %v, %v", mean, a, ok)
		}
	}
	refuses(t, "rounding", rounding, 0.5, r, source)

	parts := must(Splitting{Samples: 11, Queries: 3}.Start())
	for _, want := range []Part{{0, 3}, {3, 6}, {6, 9}} {
		a, ok := parts.Ask(func(p Part) float64 {
			if p != want {
				t.Errorf("part %v, want %v", p, want)
			}
			return 0.5
		})
		if !ok || a != 0.5 {
			t.Errorf("splitting: %v, %v", a, ok)
		}
	}
	if _, ok := parts.Ask(func(Part) float64 { t.Error("a part is used twice"); return 0 }); ok || parts.Left() != 0 {
		t.Error("splitting does not refuse")
	}
	if a, ok := new(Run[float64, float64]).Ask(1); ok || a != 0 {
		t.Error("the zero run answers")
	}
}

// The claims that are sums, against the sums.
func TestClaims(t *testing.T) {
	near := func(name string, got, want float64) {
		t.Helper()
		if !(got >= want*(1-1e-15) && got <= want*(1+1e-13)) {
			t.Errorf("%s: %.17g, want %.17g", name, got, want)
		}
	}
	near("Laplace", must(Laplace{Sensitivity: 0.5, Scale: 4}.Pure()).Value.Epsilon, 0.125)
	near("Gaussian", must(Gaussian{Sensitivity: 0.5, SD: 4}.GDP()).Value.Mu, 0.125)
	near("Laplace answers", must(LaplaceAnswers{Samples: 50, Scale: []float64{0.1, 0.2, 0.4}}.Pure()).Value.Epsilon, 0.35)
	near("Gaussian answers", must(GaussianAnswers{Samples: 50, Noise: blocks(0.1, 0.2, 0.4)}.GDP()).Value.Mu,
		math.Sqrt(0.0525))
	long := []theory.NoiseBlock{{Queries: 4, Scale: 0.1}, {Queries: 5, Scale: 0.1}}
	near("Gaussian answers", must(GaussianAnswers{Samples: 50, Noise: long}.GDP()).Value.Mu,
		must(theory.GaussianQueries{Queries: 9, Samples: 50, SD: 0.1}.GDP()).Value.Mu)
	near("rounding", float64(must(Rounding{Cells: 8, Queries: 5}.DescriptionLength())), 15*math.Ln2)
	m := SparseVector{Sensitivity: 2, ThresholdScale: 5, QueryScale: 10, Cutoff: 3}
	near("sparse vector", must(m.Pure()).Value.Epsilon, 0.4+3*0.4)
	m.Redraw = true
	near("sparse vector, redrawn", must(m.Pure()).Value.Epsilon, 3*0.8)
	near("noisy max", must(NoisyMax{Sensitivity: 2, Scale: 5}.Pure()).Value.Epsilon, 0.8)
	for name, sources := range map[string][]theory.Source{
		"Laplace answers": must(LaplaceAnswers{Samples: 50, Scale: []float64{1}}.Pure()).Sources,
		"sparse vector":   must(m.Pure()).Sources,
		"exponential":     must(Exponential{Sensitivity: 1, Weight: 1}.On([]float64{0, 1})).Pure.Sources,
	} {
		if len(sources) < 2 {
			t.Errorf("%s: sources %v", name, sources)
		}
	}
}

// On the finest lattice noisy max runs; the better of two candidates wins but for
// e^-49.
func TestNoisyMaxPick(t *testing.T) {
	for _, oneSided := range []bool{false, true} {
		m := NoisyMax{Sensitivity: 1, Scale: 1, OneSided: oneSided}
		if i, err := m.Pick(pcg(33), []float64{-100.5, 0.25, -50}); err != nil || i != 1 {
			t.Errorf("one-sided %v: picked %d, %v", oneSided, i, err)
		}
	}
}

// Parameters outside their domain, NaN among them, are DomainErrors everywhere, and no valid
// ones give NaN or Inf.
func TestDomains(t *testing.T) {
	floats := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 5e-324, 1e-50, 0.3, 1, 1e50, math.MaxFloat64}
	ints := []int64{math.MinInt64, -1, 0, 1, 7, 1 << 40, math.MaxInt64}
	valid := map[string]int{}
	check := func(name string, claims func() (float64, error), run func(r *rand.Rand) (float64, error)) {
		t.Helper()
		got, err := claims()
		x, runErr := run(pcg(34))
		var domain *theory.DomainError
		switch {
		case (err == nil) != (runErr == nil):
			t.Errorf("%s: the claim says %v, the run says %v", name, err, runErr)
		case err != nil:
			if !errors.As(err, &domain) {
				t.Errorf("%s: %v", name, err)
			}
		case !(got > 0 && got <= math.MaxFloat64 && math.Abs(x) <= math.MaxFloat64):
			t.Errorf("%s: epsilon or mu %v, answer %v", name, got, x)
		default:
			valid[name]++
		}
	}
	for _, a := range floats {
		for _, b := range floats {
			for _, n := range ints {
				for _, value := range []float64{math.NaN(), math.Inf(1), -math.MaxFloat64, 0.5} {
					laplace, gaussian := Laplace{a, b, n}, Gaussian{Sensitivity: a, SD: b, Resolution: n}
					check("Laplace", func() (float64, error) { p, err := laplace.Pure(); return p.Value.Epsilon, err },
						func(r *rand.Rand) (float64, error) { z, err := laplace.Noise(); return z.Answer(r, value), err })
					check("Gaussian", func() (float64, error) { p, err := gaussian.GDP(); return p.Value.Mu, err },
						func(r *rand.Rand) (float64, error) { z, err := gaussian.Noise(); return z.Answer(r, value), err })
					max := NoisyMax{Sensitivity: a, Scale: b, Resolution: n}
					check("noisy max", func() (float64, error) { p, err := max.Pure(); return p.Value.Epsilon, err },
						func(r *rand.Rand) (float64, error) { i, err := max.Pick(r, []float64{1, 2}); return float64(i), err })
				}
				for _, k := range ints {
					out := Thresholdout{Samples: k, Budget: n, Threshold: a, Scale: b}
					check("Thresholdout", func() (float64, error) { p, err := out.Pure(); return p.Value.Epsilon, err },
						func(r *rand.Rand) (float64, error) {
							run, err := out.Start(r)
							if err != nil {
								return 0, err
							}
							x, _ := run.Ask(Means{0, 1})
							return x.Value, nil
						})
					sparse := SparseVector{Sensitivity: 0.3, Threshold: a, ThresholdScale: b, QueryScale: 1, Cutoff: n, Resolution: k,
						Redraw: k == 7}
					check("sparse vector", func() (float64, error) { p, err := sparse.Pure(); return p.Value.Epsilon, err },
						func(r *rand.Rand) (float64, error) { _, err := sparse.Start(r); return 0, err })
					geometric := Geometric{Sensitivity: n, Scale: b, Low: k, High: k/2 + 10}
					check("geometric", func() (float64, error) { p, err := geometric.Pure(); return p.Value.Epsilon, err },
						func(r *rand.Rand) (float64, error) {
							f, err := geometric.On(math.MinInt64)
							if err != nil {
								return 0, err
							}
							return f.Law[f.Draw(r)].Value(), nil
						})
				}
				answers := LaplaceAnswers{Samples: n, Scale: []float64{a, b}}
				check("Laplace answers", func() (float64, error) { p, err := answers.Pure(); return p.Value.Epsilon, err },
					func(r *rand.Rand) (float64, error) { _, err := answers.Start(r); return 0, err })
				normal := GaussianAnswers{Samples: n, Noise: blocks(a, b, a)} // the last alone may be 0
				check("Gaussian answers", func() (float64, error) { p, err := normal.GDP(); return p.Value.Mu, err },
					func(r *rand.Rand) (float64, error) { _, err := normal.Start(r); return 0, err })
				response := RandomizedResponse{Epsilon: a, Values: int(n)}
				check("randomized response", func() (float64, error) { p, err := response.Pure(); return p.Value.Epsilon, err },
					func(r *rand.Rand) (float64, error) {
						f, err := response.On(0)
						if err != nil {
							return 0, err
						}
						return float64(f.Draw(r)), nil
					})
			}
		}
	}
	if len(valid) != 9 {
		t.Errorf("of 9 mechanisms these had valid parameters: %v", valid)
	}

	var domain *theory.DomainError
	for name, err := range map[string]error{
		"no candidates":    second(Exponential{1, 1}.On(nil)),
		"infinite utility": second(Exponential{1, 1}.On([]float64{0, math.Inf(-1)})),
		"NaN score":        second(NoisyMax{Sensitivity: 1, Scale: 1, Resolution: 1}.On([]float64{math.NaN()})),
		"negative record":  second(RandomizedResponse{1, 2}.On(0, -1)),
		"no queries": second(SparseVector{Sensitivity: 1, ThresholdScale: 1, QueryScale: 1, Cutoff: 1,
			Resolution: 1}.On(Fixed[bool, float64]())),
		"no schedule":    second(GaussianAnswers{Samples: 5}.Start(nil)),
		"an empty block": second(GaussianAnswers{Samples: 5, Noise: []theory.NoiseBlock{{Queries: -1, Scale: 1}}}.Start(nil)),
		"silent first":   second(GaussianAnswers{Samples: 5, Noise: blocks(0, 1)}.Start(nil)),
		"silent twice":   second(GaussianAnswers{Samples: 5, Noise: []theory.NoiseBlock{{Queries: 2}}}.Start(nil)),
		"too many": second(GaussianAnswers{Samples: 5, Noise: []theory.NoiseBlock{
			{Queries: theory.MaxSamples, Scale: 1}, {Queries: 1, Scale: 1},
		}}.Start(nil)),
		"no cells":        second(Rounding{0, 1}.Start()),
		"no part for all": second(Splitting{Samples: 3, Queries: 4}.Start()),
	} {
		if !errors.As(err, &domain) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var none *theory.NoAnswerError
	forever := func(past []bool) (float64, bool) { return 0, true }
	for name, err := range map[string]error{
		"finest noisy max": second(NoisyMax{Sensitivity: 1, Scale: 1}.On([]float64{0, 1})),
		"finest sparse vector": second(SparseVector{Sensitivity: 1, ThresholdScale: 1, QueryScale: 1,
			Cutoff: 1}.On(Fixed[bool](0., 1.))),
		"finest Thresholdout": second(Thresholdout{Samples: 2, Budget: 1, Scale: 1}.On(Fixed[Answer](Means{}))),
		"endless queries": second(SparseVector{Sensitivity: 1, ThresholdScale: 1, QueryScale: 1, Cutoff: 1,
			Resolution: 1}.On(forever)),
		"many records": second(RandomizedResponse{1, 2}.On(make([]int, 21)...)),
	} {
		if !errors.As(err, &none) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// blocks are of one query each.
func blocks(scales ...float64) (noise []theory.NoiseBlock) {
	for _, scale := range scales {
		noise = append(noise, theory.NoiseBlock{Queries: 1, Scale: scale})
	}
	return noise
}

// Blocks are kept as blocks, whatever they count. The last query of all may be answered without noise.
func TestBlocksOfNoise(t *testing.T) {
	many := []theory.NoiseBlock{
		{Queries: 2, Scale: 1e-5}, {Queries: theory.MaxSamples - 3, Scale: 1e-2, Cut: 2}, {Queries: 1},
	}
	run, err := GaussianAnswers{Samples: 100, Noise: many}.Start(rand.New(rand.NewPCG(3, 9)))
	if err != nil || run.Left() != theory.MaxSamples {
		t.Fatal(run.Left(), err)
	}
	for j := range 500 {
		a, _ := run.Ask(0.25)
		if off := math.Abs(a - 0.25); j < 2 && off > 1e-4 || off > 0.021 {
			t.Errorf("answer %d is off by %v", j+1, off)
		}
	}
	silent := GaussianAnswers{Samples: 100, Noise: blocks(1e-2, 0)}
	if run, err = silent.Start(rand.New(rand.NewPCG(3, 9))); err != nil {
		t.Fatal(err)
	}
	run.Ask(0.3)
	last, ok := run.Ask(0.3)
	if _, more := run.Ask(0.3); last != 0.3 || !ok || more {
		t.Errorf("the last answer is %v, %v, and one more %v", last, ok, more)
	}
	if _, err := silent.GDP(); err == nil {
		t.Error("an answer without noise has a mu")
	}
}

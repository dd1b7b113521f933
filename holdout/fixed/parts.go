package fixed

import (
	"crypto/rand"
	"encoding/hex"
	"math/bits"
	randv2 "math/rand/v2"

	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/theory"
)

// cut is a mechanism of so many parts, cut from a random order of the rows, so that the order of the labels' file does
// not matter. The parts are public.
func cut(parts int64) (theory.Run, error) {
	var seed [32]byte
	if _, err := rand.Read(seed[:]); err != nil {
		return theory.Run{}, err
	}
	return theory.Run{Parts: parts, Permutation: hex.EncodeToString(seed[:])}, nil
}

// Part returns the rows of a part, from 0 on. All parts have floor(n/parts) rows.
func Part(p *rule.Plan, number int64) ([]int32, error) {
	order, err := Permutation(p.Mechanism.Permutation, p.Goal.Samples)
	if err != nil {
		return nil, err
	}
	if number < 0 || number >= p.Mechanism.Parts {
		return nil, journal.Corrupt("plan.json has no part for this look")
	}
	size := p.Goal.Samples / p.Mechanism.Parts
	return order[number*size:][:size], nil
}

// Permutation returns the random order of the rows that a seed stands for. It is our own, because the one of
// math/rand/v2 may change.
func Permutation(seed string, samples int64) ([]int32, error) {
	key, err := hex.DecodeString(seed)
	if err != nil || len(key) != 32 {
		return nil, journal.Corrupt("plan.json: got the permutation %s, want 64 hexadecimal digits", text.Shown(seed))
	}
	r := randv2.NewChaCha8([32]byte(key))
	order := make([]int32, samples)
	for i := range order {
		j, _ := bits.Mul64(r.Uint64(), uint64(i+1)) // uniform but for a part in 2^34
		order[i] = order[j]
		order[j] = int32(i)
	}
	return order, nil
}

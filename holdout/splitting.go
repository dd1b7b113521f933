package holdout

import (
	"crypto/rand"
	"encoding/hex"
	"math/bits"
	randv2 "math/rand/v2"

	"github.com/dpcalc/dpcalc/transfer"
)

// splitting answers a look by the mean over a part of the rows that no other look has touched. The parts are cut
// from a random order of the rows, so that the order of the labels' file does not matter.
type splitting struct{}

func (splitting) prepare(a transfer.Answer) (Mechanism, error) {
	var seed [32]byte
	if _, err := rand.Read(seed[:]); err != nil {
		return Mechanism{}, err
	}
	return Mechanism{Parts: a.Queries, Permutation: hex.EncodeToString(seed[:])}, nil
}

func (splitting) certified(p *Plan, _ transfer.Answer) error {
	if _, err := permutation(p.Mechanism.Permutation, p.Samples); err != nil || p.Mechanism.Parts != p.Queries {
		return differs(p)
	}
	return nil
}

func (splitting) respond(h *history, l look) (response, error) {
	order, err := permutation(h.plan.Mechanism.Permutation, h.plan.Samples)
	if err != nil {
		return response{}, err
	}
	size := h.plan.Samples / h.plan.Mechanism.Parts
	sum := 0.0
	for _, row := range order[h.looks*size:][:size] {
		sum += l.values.score(int(row))
	}
	mean := sum / float64(size)
	return response{value: &mean}, nil
}

func (splitting) remaining(h *history) Remaining { return left(h) }

// permutation is the random order of the rows that a seed stands for. It is our own, because the one of math/rand/v2
// may change.
func permutation(seed string, samples int64) ([]int32, error) {
	key, err := hex.DecodeString(seed)
	if err != nil || len(key) != 32 {
		return nil, corrupt("plan.json: got the permutation %s, want 64 hexadecimal digits", shown(seed))
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

package audit

import (
	"encoding/binary"
	"iter"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/dpcalc/dpcalc/theory"
)

// Plan is how much an audit samples and how.
type Plan struct {
	Samples int64  // at most, in total; from 2 to 2^31
	Seed    uint64 // the same seed gives the same result
	Workers int    // goroutines that sample; all processors if 0
}

// Validate reports a DomainError unless the samples are in their range.
func (p Plan) Validate() error {
	return theory.Domain(p.Samples >= 2 && p.Samples <= 1<<31, "samples", p.Samples, "a whole number from 2 to 2147483648")
}

// largestBlock is the number of rounds in most blocks.
const largestBlock = 1 << 16

// blocks returns the sizes of the blocks that share the given number of rounds. They
// begin small, so that a gross violation is found at once, and double every second block.
func blocks(rounds int64) iter.Seq[int] {
	first := min(1<<10, max(8, rounds/64))
	return func(yield func(int) bool) {
		for k := 0; rounds > 0; k++ {
			size := min(rounds, largestBlock, first<<min(k/2, 16))
			if !yield(int(size)) {
				return
			}
			rounds -= size
		}
	}
}

// inOrder draws the blocks on the workers and merges them in their order, until all are
// drawn or merge returns false. Block k has a generator of its own, seeded by (seed, k).
func inOrder[T any](plan Plan, rounds int64, draw func(r *rand.Rand, size int) T, merge func(T) bool) {
	workers := plan.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	var drawing sync.WaitGroup
	defer drawing.Wait()
	done := make(chan struct{})
	defer close(done)
	queue := make(chan chan T, workers-1)
	drawing.Go(func() {
		defer close(queue)
		k := uint64(0)
		for size := range blocks(rounds) {
			block, r := make(chan T, 1), generator(plan.Seed, k)
			select {
			case queue <- block:
			case <-done:
				return
			}
			drawing.Go(func() { block <- draw(r, size) })
			k++
		}
	})
	for block := range queue {
		if !merge(<-block) {
			return
		}
	}
}

// generator returns the generator of a block.
func generator(seed, block uint64) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	binary.LittleEndian.PutUint64(key[8:], block)
	return rand.New(rand.NewChaCha8(key))
}

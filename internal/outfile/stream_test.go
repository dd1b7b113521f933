package outfile

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The chunks are written in order, whatever their number, and the last are of one unit: no worker waits for a long one.
func TestChunksShrinkTowardsTheEnd(t *testing.T) {
	for _, n := range []int{0, 1, 2, 15, 16, 17, 1000, 20_000} {
		for _, workers := range []int{1, 2, 7} {
			var out bytes.Buffer
			var want strings.Builder
			var mutex sync.Mutex
			sizes := make(map[int]int) // by where they begin
			err := Stream(context.Background(), &out, n, workers, func(dst []byte, lo, hi int) ([]byte, error) {
				mutex.Lock()
				sizes[lo] = hi - lo
				mutex.Unlock()
				for i := lo; i < hi; i++ {
					dst = strconv.AppendInt(dst, int64(i), 10)
				}
				return dst, nil
			}, nil)
			for i := range n {
				want.WriteString(strconv.Itoa(i))
			}
			if err != nil || out.String() != want.String() {
				t.Fatalf("%d units by %d workers: %v", n, workers, err)
			}
			for lo, size := range sizes {
				if most := max((n-lo)/(8*workers), 1); size < 1 || size > min(most, 512) {
					t.Errorf("%d units by %d workers: %d at %d", n, workers, size, lo)
				}
			}
			if n > 0 && len(sizes) > min(n, 8*workers*12+n/512) {
				t.Errorf("%d units by %d workers: %d chunks", n, workers, len(sizes))
			}
		}
	}
}

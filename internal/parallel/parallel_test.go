package parallel

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The chunks are written in order, whatever their number, and the last are of one chain: no worker waits for a long
// one.
func TestChunksShrinkTowardsTheEnd(t *testing.T) {
	for _, n := range []int{0, 1, 2, 15, 16, 17, 1000, 20_000} {
		for _, c := range [][2]int{{1, 1}, {2, 1}, {7, 1}, {2, 8}, {7, 128}} {
			workers, chain := c[0], c[1]
			var out bytes.Buffer
			var want strings.Builder
			var mutex sync.Mutex
			sizes := make(map[int]int) // by where they begin
			err := Ordered(context.Background(), n, chain, workers, func(lo, hi int) (dst []byte, err error) {
				mutex.Lock()
				sizes[lo] = hi - lo
				mutex.Unlock()
				for i := lo; i < hi; i++ {
					dst = strconv.AppendInt(dst, int64(i), 10)
				}
				return dst, nil
			}, func(part []byte, _ int) error {
				_, err := out.Write(part)
				return err
			})
			for i := range n {
				want.WriteString(strconv.Itoa(i))
			}
			if err != nil || out.String() != want.String() {
				t.Fatalf("%d units by %d workers: %v", n, workers, err)
			}
			for lo, size := range sizes {
				most := min(max((n-lo)/(8*workers), 1), 512) + chain - 1
				if size < 1 || size > most || lo%chain != 0 {
					t.Errorf("%d units by %d workers: %d at %d", n, workers, size, lo)
				}
			}
			if n > 0 && len(sizes) > min(n, 8*workers*12+n/512) {
				t.Errorf("%d units by %d workers: %d chunks", n, workers, len(sizes))
			}
		}
	}
}

// All units are done once, the worker's range by range, and progress comes in order up to the last.
func TestFor(t *testing.T) {
	for _, n := range []int{0, 1, 17, 5000} {
		times := make([]int, n)
		last := 0
		err := For(context.Background(), n, 1, 3, func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				times[i]++
			}
			return nil
		}, func(done int) {
			if done <= last {
				t.Errorf("%d after %d", done, last)
			}
			last = done
		})
		if err != nil || last != n || slices.ContainsFunc(times, func(k int) bool { return k != 1 }) {
			t.Errorf("%d units: %v, %d told, %v", n, err, last, times)
		}
	}
}

// The first range that fails ends the job, with its error; a panic is one.
func TestForFails(t *testing.T) {
	wrong := errors.New("wrong")
	err := For(context.Background(), 1000, 1, 2, func(lo, _ int) error {
		if lo > 100 {
			return wrong
		}
		return nil
	}, nil)
	if !errors.Is(err, wrong) {
		t.Errorf("got %v", err)
	}
	if err := For(context.Background(), 3, 1, 2, func(int, int) error { panic("broken") }, nil); err == nil {
		t.Error("a panic is no error")
	}
}

// The taker's error ends the job, and so does the end of the context.
func TestOrderedEnds(t *testing.T) {
	broken := errors.New("broken")
	same := func(n, _ int) (int, error) { return n, nil }
	err := Ordered(context.Background(), 10000, 1, 3, same, func(int, int) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = For(ctx, 10000, 1, 3, func(lo, _ int) error {
		if lo > 5000 {
			cancel()
		}
		return nil
	}, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

package main

import (
	"context"
	"io"
	"math"
	"runtime"
	"sync"

	"github.com/dpcalc/dpcalc/transfer"
)

// axis is one flag's list of values.
type axis struct {
	flag   string
	length int
	set    func(g *transfer.Goal, i int)
}

func axisOf[T any](flag string, values []T, set func(*transfer.Goal, T)) axis {
	return axis{flag, len(values), func(g *transfer.Goal, i int) { set(g, values[i]) }}
}

// grid is the goals of one command: the cross product of the axes, the last axis
// running fastest, or their pairs.
type grid struct {
	base transfer.Goal
	axes []axis
	zip  bool
}

// newGrid leaves out the axes without values. Zipped axes have one length, or a
// single value that goes with all.
func newGrid(base transfer.Goal, zip bool, axes ...axis) (grid, error) {
	g := grid{base: base, zip: zip}
	longest := axis{length: 1}
	for _, a := range axes {
		if a.length == 0 {
			continue
		}
		g.axes = append(g.axes, a)
		if a.length > 1 && longest.length > 1 && a.length != longest.length && zip {
			return grid{}, usagef("--zip: got %d values of --%s and %d of --%s, want as many", longest.length, longest.flag, a.length, a.flag)
		}
		if a.length > longest.length {
			longest = a
		}
	}
	return g, nil
}

// size returns the number of goals, at most math.MaxInt32 to be told apart from
// an overflow.
func (g grid) size() int {
	n := 1
	for _, a := range g.axes {
		switch {
		case g.zip:
			n = max(n, a.length)
		case n > math.MaxInt32/a.length:
			return math.MaxInt32
		default:
			n *= a.length
		}
	}
	return n
}

func (g grid) goal(i int) transfer.Goal {
	goal := g.base
	for k := len(g.axes) - 1; k >= 0; k-- {
		a := g.axes[k]
		switch {
		case !g.zip:
			a.set(&goal, i%a.length)
			i /= a.length
		case a.length == 1:
			a.set(&goal, 0)
		default:
			a.set(&goal, i)
		}
	}
	return goal
}

// stream encodes the units 0..n-1 in chunks on several workers and writes the
// chunks in order, so the bytes do not depend on the number of workers. At most
// two chunks per worker are in memory. step, if not nil, is told of each chunk
// written.
func stream(ctx context.Context, w io.Writer, n, workers int, encode func(dst []byte, lo, hi int) ([]byte, error), step func(done int)) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	chunk := min(max(n/(8*workers), 1), 512)
	parent := ctx
	ctx, cancel := context.WithCancel(parent)
	type result struct {
		bytes []byte
		hi    int
		err   error
	}
	type job struct {
		lo, hi int
		out    chan result
	}
	jobs := make(chan job)
	order := make(chan chan result, 2*workers)
	buffers := make(chan []byte, 2*workers)
	var group sync.WaitGroup
	defer func() {
		cancel()
		if parent.Err() == nil { // an interrupt does not wait for a solver to finish
			group.Wait()
		}
	}()
	for range workers {
		group.Go(func() {
			for j := range jobs {
				var dst []byte
				select {
				case dst = <-buffers:
				default:
				}
				var bytes []byte
				err := orFault(func() (err error) {
					bytes, err = encode(dst[:0], j.lo, j.hi)
					return err
				})
				j.out <- result{bytes, j.hi, err}
			}
		})
	}
	group.Go(func() {
		defer close(order)
		defer close(jobs)
		for lo := 0; lo < n; lo += chunk {
			j := job{lo, min(lo+chunk, n), make(chan result, 1)}
			select {
			case order <- j.out:
			case <-ctx.Done():
				return
			}
			select {
			case jobs <- j:
			case <-ctx.Done():
				j.out <- result{err: ctx.Err()}
				return
			}
		}
	})
	for out := range order {
		var r result
		select {
		case r = <-out:
		case <-ctx.Done():
			return ctx.Err()
		}
		if r.err != nil {
			return r.err
		}
		if _, err := w.Write(r.bytes); err != nil {
			return err
		}
		select {
		case buffers <- r.bytes:
		default:
		}
		if step != nil {
			step(r.hi)
		}
	}
	return ctx.Err()
}

// Package parallel cuts a job into ranges and does them on several workers.
package parallel

import (
	"context"
	"runtime"
	"sync"

	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// For does the units 0..n-1, a range at a time, on several workers. Progress, if not nil, is told of each range that is
// done, in order.
func For(ctx context.Context, n, workers int, do func(lo, hi int) error, progress func(done int)) error {
	type nothing struct{}
	return Ordered(ctx, n, workers,
		func(_ nothing, lo, hi int) (nothing, error) { return nothing{}, do(lo, hi) },
		func(_ nothing, done int) error {
			if progress != nil {
				progress(done)
			}
			return nil
		})
}

// Ordered makes a part of each range of the units 0..n-1 on several workers and takes the parts in order, so that what
// is taken does not depend on the number of workers. At most two parts per worker are in memory. One that was taken is
// handed to another call of produce, to be overwritten.
func Ordered[T any](ctx context.Context, n, workers int, produce func(spare T, lo, hi int) (T, error),
	take func(part T, done int) error) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	parent := ctx
	ctx, cancel := context.WithCancel(parent)
	type result struct {
		part T
		hi   int
		err  error
	}
	type job struct {
		lo, hi int
		out    chan result
	}
	jobs := make(chan job)
	order := make(chan chan result, 2*workers)
	spares := make(chan T, 2*workers)
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
				var part T
				select {
				case part = <-spares:
				default:
				}
				err := usage.OrFault(func() (err error) {
					part, err = produce(part, j.lo, j.hi)
					return err
				})
				j.out <- result{part, j.hi, err}
			}
		})
	}
	group.Go(func() {
		defer close(order)
		defer close(jobs)
		for lo := 0; lo < n; {
			size := min(max((n-lo)/(8*workers), 1), 512) // small at the end, where some workers wait for others
			j := job{lo, lo + size, make(chan result, 1)}
			lo += size
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
		if err := take(r.part, r.hi); err != nil {
			return err
		}
		select {
		case spares <- r.part:
		default:
		}
	}
	return ctx.Err()
}

// Package parallel cuts a job into ranges and does them on several workers.
package parallel

import (
	"context"
	"runtime"
	"sync"
)

// For does the units 0..n-1, a range at a time, on several workers. A range begins at a multiple of the chain.
// Progress, if not nil, is told of each range that is done, in order.
func For(ctx context.Context, n, chain, workers int, do func(lo, hi int) error, progress func(done int)) error {
	type nothing struct{}
	return Ordered(ctx, n, chain, workers,
		func(lo, hi int) (nothing, error) { return nothing{}, do(lo, hi) },
		func(_ nothing, done int) error {
			if progress != nil {
				progress(done)
			}
			return nil
		})
}

// Ordered makes a part of each range of the units 0..n-1 on several workers and takes the parts in order, so that what
// is taken does not depend on the number of workers. A range begins at a multiple of the chain. At most two parts per
// worker are in memory.
func Ordered[T any](ctx context.Context, n, chain, workers int, produce func(lo, hi int) (T, error),
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
	order, free := make(chan chan result, workers), make(chan struct{}, workers)
	var group sync.WaitGroup
	defer func() {
		cancel()
		if parent.Err() == nil { // an interrupt does not wait for a solver to finish
			group.Wait()
		}
	}()
	group.Go(func() {
		defer close(order)
		for lo, hi := 0, 0; lo < n; lo = hi {
			hi = lo + min(max((n-lo)/(8*workers), 1), 512) // small at the end, where some workers wait for others
			hi = min((hi+chain-1)/chain*chain, n)
			out := make(chan result, 1)
			select {
			case free <- struct{}{}:
			case <-ctx.Done():
				return
			}
			group.Go(func() {
				r := result{hi: hi}
				r.err = OrFault(func() (err error) {
					r.part, err = produce(lo, hi)
					return err
				})
				out <- r
				<-free
			})
			select {
			case order <- out:
			case <-ctx.Done():
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
	}
	return ctx.Err()
}

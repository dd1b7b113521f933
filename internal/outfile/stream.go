package outfile

import (
	"context"
	"io"
	"runtime"
	"sync"

	"github.com/dpcalc/dpcalc/internal/usage"
)

// Stream encodes the units 0..n-1 in chunks on several workers and writes the
// chunks in order, so the bytes do not depend on the number of workers. At most
// two chunks per worker are in memory. step, if not nil, is told of each chunk
// written.
func Stream(ctx context.Context, w io.Writer, n, workers int, encode func(dst []byte, lo, hi int) ([]byte, error),
	step func(done int)) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
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
				err := usage.OrFault(func() (err error) {
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

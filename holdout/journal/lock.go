package journal

import (
	"context"
	"os"
	"time"
)

// lock waits for the lock of a file until the context ends.
func lock(ctx context.Context, f *os.File) error {
	for {
		locked, err := tryLock(f)
		if locked || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

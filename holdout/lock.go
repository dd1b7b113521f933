package holdout

import (
	"context"
	"errors"
	"os"
	"time"
)

// patience is how long a look waits for another process's.
const patience = 10 * time.Second

// lock waits for the lock of a file.
func lock(ctx context.Context, f *os.File) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errors.New("another process is writing to the ledger"))
	defer cancel()
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

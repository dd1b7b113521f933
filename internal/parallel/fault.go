package parallel

import (
	"fmt"
	"runtime/debug"
)

// Fault is a broken invariant: the program has an error.
type Fault struct {
	value any
	Stack []byte
}

func (f *Fault) Error() string { return fmt.Sprintf("internal error: %v", f.value) }

// OrFault calls f and returns its panic as an error.
func OrFault(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &Fault{value, debug.Stack()}
		}
	}()
	return f()
}

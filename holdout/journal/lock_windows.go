package journal

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

const (
	exclusively        = 0x2
	withoutWaiting     = 0x1
	errorLockViolation = syscall.Errno(33)
)

// tryLock takes the lock of a file that is open for writing, or returns false if another process or another opening of
// the file has it. The byte that is locked lies beyond all others, so that readers do not meet it.
func tryLock(f *os.File) (bool, error) {
	at := syscall.Overlapped{OffsetHigh: 1 << 30}
	ok, _, err := lockFileEx.Call(f.Fd(), exclusively|withoutWaiting, 0, 1, 0, uintptr(unsafe.Pointer(&at)))
	switch {
	case ok != 0:
		return true, nil
	case errors.Is(err, errorLockViolation), errors.Is(err, syscall.ERROR_IO_PENDING):
		return false, nil
	}
	return false, err
}

// SyncFolder does nothing: the names in a folder cannot be put on the disk by themselves.
func SyncFolder(string) error { return nil }

package holdout

import (
	"os"
	"strconv"
	"syscall"
)

// hasModes reports whether the mode of a file says who may read it.
const hasModes = true

// startedByItself reports whether the process that started this one belongs to the same user: what that user runs reads
// the same files. It is taken for granted where it is not known.
func startedByItself() bool {
	info, err := os.Stat("/proc/" + strconv.Itoa(os.Getppid()))
	if err != nil {
		return true
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(owner.Uid) == os.Geteuid()
}

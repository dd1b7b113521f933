//go:build !linux

package holdout

import "runtime"

// hasModes reports whether the mode of a file says who may read it.
const hasModes = runtime.GOOS != "windows"

// startedByItself takes it for granted that the process that started this one belongs to the same user.
func startedByItself() bool { return true }

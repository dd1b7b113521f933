package main

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The exit codes.
const (
	exitOK       = 0
	exitFailure  = 1 // input or output failed, or a broken invariant
	exitUsage    = 2 // the command line or a value makes no sense
	exitNoAnswer = 3 // no row has an answer
	exitRefuted  = 4 // a check failed
)

// outcome is the error of a command that printed its rows and has more to say
// by its exit code.
type outcome int

func (o outcome) Error() string { return "exit " + strconv.Itoa(int(o)) }

// usageError is a command line that makes no sense.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// invalid says that a flag's value was got and what was wanted.
func invalid(flag, got, want string) error {
	return usagef("--%s: got %s, want %s", flag, shown(got), want)
}

// shown quotes what would not read as one word of one line.
func shown(text string) string {
	plain := text != "" && utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return r == ' ' || !strconv.IsPrint(r)
	})
	if len(text) > 80 {
		text, plain = text[:77]+"...", false
	}
	if plain {
		return text
	}
	return strconv.Quote(text)
}

// fault is a broken invariant: the program has an error.
type fault struct {
	value any
	stack []byte
}

func (f *fault) Error() string { return fmt.Sprintf("internal error: %v", f.value) }

// orFault calls f and returns its panic as an error.
func orFault(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &fault{value, debug.Stack()}
		}
	}()
	return f()
}

// release is the version of a release build, set by the linker.
var release string

// version is the version of a release or the one that the toolchain recorded.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

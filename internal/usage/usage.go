// Package usage has what front ends and commands agree on: what was typed, what is wrong with it, and
// the exit codes.
package usage

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The exit codes.
const (
	ExitOK       = 0
	ExitFailure  = 1 // input or output failed, or a broken invariant
	ExitUsage    = 2 // the command line or a value makes no sense
	ExitNoAnswer = 3 // no row has an answer
	ExitRefuted  = 4 // a check failed
)

// Outcome is the error of a command that printed its rows and has more to say
// by its exit code.
type Outcome int

func (o Outcome) Error() string { return "exit " + strconv.Itoa(int(o)) }

// Error is a command line that makes no sense.
type Error struct{ text string }

func (e *Error) Error() string { return e.text }

// Errorf is an [Error] with a text of this form: what, got, want, and a hint.
func Errorf(format string, args ...any) error {
	return &Error{fmt.Sprintf(format, args...)}
}

// Invalid says that a flag's value was got and what was wanted.
func Invalid(flag, got, want string) error {
	return Errorf("--%s: got %s, want %s", flag, Shown(got), want)
}

// Shown quotes what would not read as one word of one line.
func Shown(text string) string {
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

// Release is the version of a release build, set by the linker.
var Release string

// Version is the version of a release or the one that the toolchain recorded.
func Version() string {
	if Release != "" {
		return Release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// Package usage is the agreement of front ends and commands: typed values, errors in them, and exit codes.
package usage

import (
	"fmt"
	"runtime/debug"
	"strconv"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/text"
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

// Invalid is the error of a flag's value, with the value that was wanted.
func Invalid(flag, got, want string) error {
	return Errorf("--%s: got %s, want %s", flag, Shown(got), want)
}

// Shown is [text.Shown].
func Shown(s string) string { return text.Shown(s) }

// Release is the version of a release build, set by the linker.
var Release string

// Version is the version of a release, the one that the toolchain recorded, or the commit of the clone that the
// program was built from.
func Version() string {
	if Release != "" {
		return Release
	}
	info, _ := debug.ReadBuildInfo()
	return versionOf(info)
}

// shortCommit is how many digits of a commit name it.
const shortCommit = 12

// versionOf reads what a build recorded: "v1.2.3", "devel-0123456789ab" of a commit, with "+dirty" if files were
// changed since, or "devel" where nothing is known.
func versionOf(info *debug.BuildInfo) string {
	if info == nil {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	setting := func(key string) string {
		s, _ := each.First(info.Settings, func(s debug.BuildSetting) bool { return s.Key == key })
		return s.Value
	}
	commit := setting("vcs.revision")
	if commit == "" {
		return "devel"
	}
	version := "devel-" + commit[:min(len(commit), shortCommit)]
	if setting("vcs.modified") == "true" {
		version += "+dirty"
	}
	return version
}

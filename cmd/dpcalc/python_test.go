package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

const signaturesFile = "../../python/dpcalc/_signatures.py"

// The signatures of the Python module are written from the declarations of flags by -update.
func TestPythonSignatures(t *testing.T) {
	want := []byte(pythonSignatures())
	got, err := os.ReadFile(signaturesFile)
	switch {
	case *commandtest.Update:
		err = os.WriteFile(signaturesFile, want, 0o644)
	case err == nil && !bytes.Equal(got, want):
		t.Errorf("%s is stale: run this test with -update", signaturesFile)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// pythonFunctions are the functions and methods: the command, the parameters before its flags, and the result.
var pythonFunctions, pythonMethods = []struct{ path, before, result string }{
	{"samplesize", "*", "Any"}, {"power", "*", "Any"},
	{"pvalue-correct", `*arguments: Table, stdin: str = ""`, "Any"},
	{"advise", "*", "Any"}, {"maxinfo", "*", "Any"}, {"compose", "*", "Any"}, {"transfer", "*", "Any"},
}, []struct{ path, before, result string }{
	{"holdout price", "self, predictions: Predictions = None, *", "Any"},
	{"holdout score", "self, predictions: Predictions = None, *", "Row"},
	{"holdout extend", "self, labels: Optional[Path] = None, *", "Row"},
	{"holdout status", "self, *", "Row"}, {"holdout log", "self, *", "Any"}, {"holdout verify", "self, *", "Row"},
	{"holdout close", "self, *", "Row"}, {"holdout retire", "self, *", "Row"},
}

func pythonSignatures() string {
	leaves := commands.Leaves(newProgram(&outfile.Session{}).Commands)
	var b strings.Builder
	b.WriteString(`"""The commands with their flags as arguments, written from the declarations of the program's flags.

An argument that is None is left to the program's default, which its line states.
"""
from __future__ import annotations

import functools
import importlib
import os
from typing import Any, Callable, Dict, Iterable, Literal, Optional, SupportsFloat, TypeVar, Union

Row = Dict[str, Any]
Path = Union[str, "os.PathLike[str]"]
Predictions = Any
Table = Any
Value = Union[str, SupportsFloat, Iterable[Any], None]
F = TypeVar("F", bound=Callable[..., Any])


def _calls(runner: str, command: str) -> Callable[[F], F]:
    """Returns a decorator that calls the program, and passes on what the signature lacks: the program names the remedy."""
    def decorate(function: F) -> F:
        @functools.wraps(function)
        def call(*arguments: Any, **flags: Any) -> Any:
            return getattr(importlib.import_module("dpcalc"), runner)(command, *arguments, **flags)
        return call  # type: ignore[return-value]
    return decorate


`)
	repeats := []string{}
	for _, c := range leaves {
		for _, f := range c.AllFlags(formats) {
			if f.Repeats {
				repeats = append(repeats, `"`+f.Name+`"`)
			}
		}
	}
	slices.Sort(repeats)
	fmt.Fprintf(&b, "#: The flags that are given once for each element of a list. A list for another flag has commas.\nREPEATED = frozenset([%s])\n",
		strings.Join(slices.Compact(repeats), ", "))
	write := func(indent, runner, path, before, result string) {
		c := leaves[slices.IndexFunc(leaves, func(c *commands.Command) bool { return c.Path() == path })]
		name := strings.ReplaceAll(c.Name, "-", "_")
		last := path[strings.LastIndex(path, " ")+1:]
		fmt.Fprintf(&b, "\n%s@_calls(%q, %q)\n%sdef %s(%s", indent, runner, last, indent, name, before)
		var about strings.Builder
		for _, f := range c.AllFlags(formats) {
			argument := pythonName(f.Name)
			if f.Name == "json" || f.Name == "format" || strings.Contains(before, " "+argument+":") {
				continue
			}
			fmt.Fprintf(&b, ",\n%s    %s: %s", indent, argument, pythonType(f))
			fmt.Fprintf(&about, "\n%s        %s: %s", indent, argument, strings.NewReplacer("`", "", `\`, `\\`).Replace(f.Usage))
		}
		said := strings.ToUpper(c.Summary[:1]) + c.Summary[1:]
		fmt.Fprintf(&b, ") -> %s:\n%s    \"\"\"%s.\n\n%s    Arguments:%s\n%s    \"\"\"\n%s    raise NotImplementedError\n",
			result, indent, said, indent, about.String(), indent, indent)
	}
	for _, f := range pythonFunctions {
		b.WriteString("\n")
		write("", "_command", f.path, f.before, f.result)
	}
	b.WriteString("\n\nclass Actions:\n    \"\"\"The actions of a ledger.\"\"\"\n")
	for _, f := range pythonMethods {
		write("    ", "_action", f.path, f.before, f.result)
	}
	b.WriteString("\n    @classmethod")
	write("    ", "_init", "holdout init", "cls, folder: Path, labels: Path, *", "Any")
	return b.String()
}

// pythonName is a flag as an argument. A word of the language has a line behind it.
func pythonName(flag string) string {
	name := strings.ReplaceAll(flag, "-", "_")
	if name == "from" {
		name += "_"
	}
	return name
}

// pythonType is the type of a flag's argument with its default.
func pythonType(f usage.Flag) string {
	switch {
	case f.Switch:
		return "bool = False"
	case f.Words != nil:
		return `Union[Literal["` + strings.Join(f.Words, `", "`) + `"], Iterable[str], None] = None`
	case f.Placeholder() == "FILE" && f.Repeats:
		return "Union[Path, Iterable[Path], None] = None"
	case f.Placeholder() == "FILE":
		return "Optional[Path] = None"
	}
	return "Value = None"
}

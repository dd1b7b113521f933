//go:build shells

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
)

// The shells themselves complete what is typed. The test needs bash, zsh and fish on Linux, and is run by
// go test -tags shells ./cmd/dpcalc -run InShells.

// prompts are the shells on a terminal, and how they take the script in FILE. There dpcalc shows its arguments, one in
// a line; offered is a line that shows what may follow HERE.
var prompts = []struct{ shell, run, setup, offered string }{
	{"bash", "bash --norc --noprofile -i", `dpcalc() { printf 'got:%s\n' "$@"; echo end:; }; . FILE`,
		`COMP_WORDS=(dpcalc HERE ''); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _dpcalc; dpcalc "${COMPREPLY[@]}"`},
	{"zsh", "zsh -f -i", `autoload -Uz compinit; compinit -u -D; ` +
		`dpcalc() { printf 'got:%s\n' "$@"; echo end: }; source FILE`,
		`words=(dpcalc HERE ''); CURRENT=$#words; compadd() { dpcalc $answers }; _dpcalc; unfunction compadd`},
	{"fish", "fish --no-config -i", `function dpcalc; printf 'got:%s\n' $argv; echo end:; end; source FILE`,
		`dpcalc (begin; complete -C "dpcalc HERE "; complete -C "dpcalc HERE --"; end | string replace -r "\t.*" "")`},
}

// completed are lines with a tab where something is completed, and the arguments that come of it.
var completed = map[string]string{
	"samples\t -m 3":                      "samplesize -m 3",
	"samplesize --method gate,ladder-\t":  "samplesize --method gate,ladder-blum15",
	"samplesize --method=gate,ladder-\t":  "samplesize --method=gate,ladder-blum15",
	"compose --method basic,optimal,z\t":  "compose --method basic,optimal,zcdp",
	"experiment --arms paper,t\t":         "experiment --arms paper,thresholdout",
	"experiment --arms paper,standard,\t": "experiment --arms paper,standard,thresholdout", // all others are there
	"advise --goal p\t":                   "advise --goal p-value",
	"advise --feedback un\t":              "advise --feedback unsure",
	"advise --feedback=fl\t":              "advise --feedback=flags",
	"advise --selection me\t":             "advise --selection menu",
	"advise --adaptive y\t":               "advise --adaptive yes",
	"samplesize --feedback fi\t":          "samplesize --feedback final",
	"samplesize -f jsonl --one\t":         "samplesize -f jsonl --one-sided",
	"completion fi\t":                     "completion fish",
	"holdout sc\t":                        "holdout score",
	"holdout score --sh\t":                "holdout score --show",
	"holdout score --show p\t":            "holdout score --show pass",
	"holdout score l --show=p\t":          "holdout score l --show=pass",
	"holdout --show p\t":                  "holdout --show pass",
	"holdout --show pass sc\t":            "holdout --show pass score",
	"holdout --show pass score --agai\t":  "holdout --show pass score --again",
	"plan run --be\t":                     "plan run --best",
	"help hold\t":                         "help holdout",
	"help holdout sc\t":                   "help holdout score",
}

func TestCompletionInShells(t *testing.T) {
	for _, p := range prompts {
		t.Run(p.shell, func(t *testing.T) {
			_, script, _ := commandtest.Dpcalc("completion", p.shell)
			file := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			ask := prompted(t, strings.Fields(p.run))
			if got := ask(strings.ReplaceAll(p.setup, "FILE", file) + "; dpcalc ready"); got != "ready" {
				t.Fatalf("got %q", got)
			}
			for line, want := range completed {
				if got := ask("dpcalc " + line); got != want {
					t.Errorf("%q: got %q, want %q", line, got, want)
				}
			}
			for _, c := range commands.All(newProgram(&outfile.Session{}).Commands) {
				want := append(flagNames(c), "--help")
				for _, a := range c.Actions {
					want = append(want, a.Name)
				}
				if c.Words != nil {
					want = append(want, c.Words()...)
				}
				if c.Actions != nil && p.shell == "fish" { // which offers flags after a dash alone
					want = append(want, flagNames(c.Actions...)...)
				}
				got := strings.Fields(ask(strings.ReplaceAll(p.offered, "HERE", c.Path())))
				if got, want := sorted(got), sorted(want); !slices.Equal(got, want) {
					t.Errorf("%s: offers %q, want %q", c.Path(), got, want)
				}
			}
		})
	}
}

// flagNames are the flags that some commands take, as they are typed.
func flagNames(list ...*commands.Command) (names []string) {
	for _, c := range list {
		for _, f := range c.AllFlags(formats) {
			names = append(names, "--"+f.Name)
		}
	}
	return names
}

// sorted are the words, each once.
func sorted(words []string) []string { return slices.Compact(slices.Sorted(slices.Values(words))) }

// prompted starts a shell on a terminal. A line that is typed there is answered with the arguments of dpcalc.
func prompted(t *testing.T, words []string) func(line string) (arguments string) {
	person, program := terminal(t)
	shell := exec.Command(words[0], words[1:]...)
	shell.Dir, shell.Env = t.TempDir(), append(os.Environ(), "TERM=dumb", "HOME="+t.TempDir())
	shell.Stdin, shell.Stdout, shell.Stderr = program, program, program
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = shell.Process.Kill()
		_ = shell.Wait()
	})
	shown := make(chan string, 1000)
	go func() {
		for s := bufio.NewScanner(person); s.Scan(); {
			shown <- strings.TrimSpace(s.Text())
		}
	}()
	return func(line string) string {
		if _, err := person.WriteString(line + "\r"); err != nil {
			t.Fatal(err)
		}
		var arguments []string
		for {
			select {
			case said := <-shown:
				argument, ok := strings.CutPrefix(said, "got:")
				if ok {
					arguments = append(arguments, argument)
				}
				if said == "end:" {
					return strings.Join(arguments, " ")
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("no answer to %q", line)
			}
		}
	}
}

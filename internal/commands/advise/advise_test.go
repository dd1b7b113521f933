package advise

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/internal/commandtest"
	"github.com/dpcalc/dpcalc/internal/usage"
)

// interviewed gives answers to the questions as on a terminal.
func interviewed(t *testing.T, typed string) (advice, string, error) {
	t.Helper()
	var asked bytes.Buffer
	i := &interview{ctx: t.Context(), c: usage.Typed{}, terminal: true,
		answers: bufio.NewReader(strings.NewReader(typed)), asked: &asked}
	a, err := i.advice()
	return a, asked.String(), err
}

// On a terminal the questions come in order, and only those that matter.
func TestAdviseAsks(t *testing.T) {
	a, asked, err := interviewed(t, "accuracy\nyes\nbinary\nyes\nno\n1000\n0.1\n0.05\n")
	if err != nil || a.command != "dpcalc samplesize -m 1000 -t 0.1 -b 0.05 --query binary --method gaussian-schedule" {
		t.Errorf("%+v, %v", a, err)
	}
	var want int
	for _, q := range questions {
		if q.flag != "budget" && q.flag != "selection" && q.flag != "sensitivity" {
			want++
			if !strings.Contains(asked, q.asks) {
				t.Errorf("not asked: %s", q.asks)
			}
		}
	}
	if got := strings.Count(asked, "?"); got != want {
		t.Errorf("%d questions, want %d:\n%s", got, want, asked)
	}
	a, _, err = interviewed(t, "p-value\nmenu\n")
	if err != nil || a.method != "bonferroni" {
		t.Errorf("%+v, %v", a, err)
	}
}

// A wrong answer is asked again, three times in all; then, and at the end of the
// input, the command gives up.
func TestAdviseAsksAgain(t *testing.T) {
	a, asked, err := interviewed(t, "pvalue\n\np-value\nfree\n")
	if err != nil || a.command != "" || a.reason == "" || !strings.Contains(asked, "got pvalue, want accuracy or "+
		"p-value, did you mean p-value?") {
		t.Errorf("%+v, %v\n%s", a, err, asked)
	}
	if _, _, err := interviewed(t, "x\ny\nz\nw\n"); err == nil {
		t.Error("asked for ever")
	}
	if _, _, err := interviewed(t, "accuracy\nyes"); err == nil {
		t.Error("went on without answers")
	}
}

// The command that advise prints is one that works, and its method is the best row
// among those that the answers allow.
func TestAdvisedCommandWorks(t *testing.T) {
	for _, typed := range []string{
		"accuracy\nyes\nbounded\nno\n2\n0.1\n0.05\n",
		"accuracy\nyes\nminimization\n2\nyes\n20\n0.1\n0.05\n",
		"accuracy\nno\nbounded\n20\n0.1\n0.05\n",
		"accuracy\nyes\nbounded\nyes\nyes\n20\n0.1\n0.05\n3\n",
	} {
		a, _, err := interviewed(t, typed)
		if err != nil {
			t.Fatal(err)
		}
		args := strings.Fields(strings.TrimPrefix(a.command, "dpcalc "))
		code, out, stderr := commandtest.Dpcalc(append(args, "-f", "csv")...)
		if code != usage.ExitOK || !strings.Contains(out, "\n"+a.method+",") {
			t.Errorf("%s: exit %d %s%s", a.command, code, out, stderr)
		}
	}
}

// An interrupt ends the wait for an answer.
func TestAdviseInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	silence, end := io.Pipe()
	defer end.Close()
	i := &interview{ctx: ctx, c: usage.Typed{}, terminal: true, answers: bufio.NewReader(silence), asked: io.Discard}
	if _, err := i.advice(); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// On a terminal the question is asked again.
func TestAdviseAsksForAFailure(t *testing.T) {
	a, asked, err := interviewed(t, "accuracy\nno\nbounded\n20\n0.1\n0.95\n0.05\n")
	const again = "got 0.95, want at most 0.5, the probability of failure; did you mean 5%?"
	if err != nil || !strings.Contains(a.command, "-b 0.05") || !strings.Contains(asked, again) {
		t.Errorf("%+v, %v\n%s", a, err, asked)
	}
}

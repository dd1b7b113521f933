//go:build unix

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

// hangs is when a program is taken to hang. A machine that is busy with other things takes many seconds to start one.
const hangs = 2 * time.Minute

// process is a program that has got as far as a function.
type process struct {
	*exec.Cmd
	ended chan error
}

// start runs the program in a directory, which has the temporary files too, until it is in
// the function.
func start(t *testing.T, dir, function string, configure func(*exec.Cmd), args ...string) process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	told, tells, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer told.Close()
	p := process{exec.Command(self, args...), make(chan error, 1)}
	p.Dir, p.ExtraFiles = dir, []*os.File{tells}
	p.Env = append(os.Environ(), "TMPDIR="+dir, childWaitsFor+"="+function)
	if configure != nil {
		configure(p.Cmd)
	}
	err = p.Start()
	tells.Close()
	if err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.Wait() }()
	t.Cleanup(func() { _ = p.Process.Kill() })
	_ = told.SetReadDeadline(time.Now().Add(hangs))
	if line, err := bufio.NewReader(told).ReadString('\n'); err != nil {
		t.Fatalf("it never came to %s: %q, %v", function, line, err)
	}
	return p
}

// end sends signals and returns how the program ended.
func (p process) end(t *testing.T, signals ...syscall.Signal) syscall.WaitStatus {
	t.Helper()
	for _, s := range signals {
		if err := p.Process.Signal(s); err != nil {
			t.Error(err)
		}
	}
	select {
	case err := <-p.ended:
		var status *exec.ExitError
		if err != nil && !errors.As(err, &status) {
			t.Error(err)
		}
	case <-time.After(hangs):
		t.Errorf("%v goes on after %v", p.Args[1:], signals)
		_ = p.Process.Kill()
		<-p.ended
	}
	return p.ProcessState.Sys().(syscall.WaitStatus)
}

// fullPipe returns a pipe's end that takes nothing more after its buffer.
func fullPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return w
}

// silence returns a pipe's end that has nothing to read, and no end.
func silence(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r
}

func fifo(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A signal ends the program at once wherever it waits or computes, and nothing is left.
func TestSignalsEndEverything(t *testing.T) {
	grid := func(more ...string) []string {
		return append([]string{
			"samplesize", "-t", "0.1", "-b", "0.05", "--method", "splitting", "-f", "csv", "--max-rows", "1e9",
		}, more...)
	}
	cases := []struct {
		name, function string
		args           []string
	}{
		{"full standard output", "poll.(*FD).Write", grid("-m", "1:20k:1")},
		{"full standard output and error", "poll.(*FD).Write", grid("-m", "1:20k:1")},
		{"pipe without a reader", "os.OpenFile", grid("-m", "1:20k:1", "-o", "fifo")},
		{"pipe that nobody reads", "poll.(*FD).Write", grid("-m", "1:20k:1", "-o", "fifo")},
		{"table that does not come", "csvfile.Open(", byBits("fifo")},
		{"standard input that does not come", "(*Source).spool(", byBits("-")},
		{"joint table that does not come", "csvfile.Open(", []string{"maxinfo", "--joint", "fifo"}},
		{"plan that does not come", "samplesize.readPlanFile(", []string{"plan", "run", "fifo"}},
		{"plan on standard input", "samplesize.readPlanFile(", []string{"plan", "run", "/dev/stdin"}},
		{"tiny steps", "numbers.parseRange[", []string{
			"samplesize", "-m", "10", "-t", "0.1", "-f", "csv", "--method", "splitting", "-b", "1e-4990:1e-4984:1e-4990",
		}},
		{"many values", "numbers.parseRange[", grid("-m", "1:9000000:1")},
		{"large grid", "samplesize.readRequest(", grid("-m", "1:8000:1", "-B", "1:8000:1")},
		{"file in the making", "parallel.Ordered[", []string{
			"samplesize", "-m", "1:20k:1", "-t", "0.1", "-b", "0.05", "--method", "gaussian", "-o", "plan.csv",
		}},
		{"workbook in the making", "(*StreamWriter).SetRow(", []string{
			"samplesize", "-m", "1:500k:1", "-t", "0.1", "-b", "0.05", "--method", "splitting", "-o", "plan.xlsx",
		}},
	}
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var want []string
			if slices.Contains(c.args, "fifo") {
				fifo(t, filepath.Join(dir, "fifo"))
				want = []string{"fifo"}
			}
			if c.name == "pipe that nobody reads" {
				f, err := os.OpenFile(filepath.Join(dir, "fifo"), os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
			}
			var stderr bytes.Buffer
			p := start(t, dir, c.function, func(cmd *exec.Cmd) {
				cmd.Stdin, cmd.Stdout, cmd.Stderr = silence(t), fullPipe(t), &stderr
				if c.name == "full standard output and error" {
					cmd.Stderr = cmd.Stdout
				}
			}, c.args...)
			for wait := hangs; strings.HasPrefix(c.name, "standard input") && commandtest.Files(t, dir) != nil; {
				if wait -= 10 * time.Millisecond; wait < 0 { // it may be seen just before its name goes
					t.Fatalf("the copy has a name: %v", commandtest.Files(t, dir))
				}
				time.Sleep(10 * time.Millisecond)
			}
			s := signals[i%len(signals)]
			if status := p.end(t, s); status.ExitStatus() != exitSignal+int(s) {
				t.Errorf("exit %d at signal %d, want %d", status.ExitStatus(), s, exitSignal+int(s))
			}
			if left := commandtest.Files(t, dir); !slices.Equal(left, want) {
				t.Errorf("files left: %v, want %v", left, want)
			}
			wrote := map[string]string{
				"full standard output": "standard output is incomplete", "pipe that nobody reads": "fifo is incomplete",
			}
			said := "dpcalc: interrupted: " + cmp.Or(wrote[c.name], "nothing was written") + "\n"
			if c.name != "full standard output and error" && stderr.String() != said {
				t.Errorf("stderr %q, want %q", stderr.String(), said)
			}
		})
	}
}

// A signal stops a server: it comes to its end, tells how far the ledger has come, and leaves with 0.
func TestSignalStopsServer(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	holdoutFiles(t)
	made := strings.Fields("holdout init ledger --labels labels.csv -m 2 -t 0.3 -b 0.3")
	if code, _, stderr := commandtest.Dpcalc(made...); code != 0 {
		t.Fatal(stderr)
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		var stdout, stderr bytes.Buffer
		p := start(t, dir, "serve.(*Server).Serve(", func(cmd *exec.Cmd) { cmd.Stdout, cmd.Stderr = &stdout, &stderr },
			"holdout", "serve", "ledger", "--addr", "127.0.0.1:0")
		status := p.end(t, signal)
		if status.ExitStatus() != 0 || !strings.Contains(stdout.String(), "looks taken") ||
			strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%v: status %v, %s%s", signal, status, stdout.String(), stderr.String())
		}
	}
}

// The first signal waits for a file system that hangs; the second does not.
func TestSecondSignalKills(t *testing.T) {
	p := start(t, t.TempDir(), "parallel.Ordered[", func(cmd *exec.Cmd) {
		cmd.Stdout, cmd.Env = fullPipe(t), append(cmd.Env, childStuck+"=1")
	}, "samplesize", "-t", "0.1", "-b", "0.05", "-m", "1:20k:1", "--method", "splitting", "-f", "csv")
	for range 1000 { // until the first has been received
		if err := p.Process.Signal(syscall.SIGTERM); err != nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if status := p.end(t); !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("status %v, want killed by %v", status, syscall.SIGTERM)
	}
}

// Under nohup the end of the terminal does not end the program.
func TestIgnoredHangup(t *testing.T) {
	p := start(t, t.TempDir(), "poll.(*FD).Write", func(cmd *exec.Cmd) {
		cmd.Stdout = fullPipe(t)
		cmd.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/bin/sh"
	}, "samplesize", "-t", "0.1", "-b", "0.05", "-m", "1:20k:1", "--method", "splitting", "-f", "csv")
	if status := p.end(t, syscall.SIGHUP, syscall.SIGTERM); status.ExitStatus() != exitSignal+int(syscall.SIGTERM) {
		t.Errorf("exit %d, want that of the second signal", status.ExitStatus())
	}
}

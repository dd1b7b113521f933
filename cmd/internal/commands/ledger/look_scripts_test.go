//go:build scripts

package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

// look runs the script of the action.
func look(t *testing.T, script string, variables ...string) (code int, stdout, stderr string) {
	t.Helper()
	c := exec.Command(script)
	c.Env = append([]string{"PATH=" + os.Getenv("PATH"), "DPCALC_PREDICTIONS=predictions.csv"}, variables...)
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), errs.String()
}

// The script asks a served ledger and a ledger in a folder alike, maps what comes back to the exit codes of dpcalc, and
// runs no archive but the one that was named.
func TestScriptOfTheAction(t *testing.T) {
	script, err := filepath.Abs("../../../../.ci/look")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "dpcalc")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, "../../../dpcalc").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Chdir(t.TempDir())
	cells := func(name string, right int) string {
		var b strings.Builder
		b.WriteString("id," + name + "\n")
		for i := range 200 {
			text := "no"
			if i < right {
				text = "yes"
			}
			fmt.Fprintf(&b, "q%d,%s\n", i, text)
		}
		return b.String()
	}
	write(t, "labels.csv", cells("label", 200))
	write(t, "predictions.csv", cells("prediction", 195))
	write(t, "bad.csv", cells("prediction", 90))
	for _, name := range []string{"here", "there"} {
		code, _, stderr := commandtest.Dpcalc(strings.Fields("holdout init " + name + " --labels labels.csv -b 5% --open --ask pass:bar=0.7")...)
		if code != 0 {
			t.Fatal(stderr)
		}
	}
	token := newToken(t, "ci", "tokens.txt")
	address, stop := serving(t, "holdout serve there --addr 127.0.0.1:0 --tokens tokens.txt")
	defer stop()
	server, gate := []string{"DPCALC_SERVER=" + address + "/", "DPCALC_TOKEN=" + token}, []string{"DPCALC_SHOW=pass", "DPCALC_BAR=0.7"}
	folder := []string{"DPCALC_PLAN=here", "DPCALC_PATH=" + program}
	join := func(lists ...[]string) (all []string) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	var passed []string
	for _, ledger := range [][]string{server, folder} {
		code, stdout, stderr := look(t, script, join(ledger, gate, []string{`DPCALC_NAME=a "verdict":"fail" & b`, "GITHUB_OUTPUT=outputs"})...)
		outputs, err := os.ReadFile("outputs")
		if code != 0 || err != nil || string(outputs) != stdout || !strings.HasPrefix(stdout, "verdict=pass\nresponse=\ninterval=[0.7") {
			t.Errorf("%s: exit %d, %s%s, %v", ledger[0], code, stdout, stderr, err)
		}
		passed = append(passed, stdout)
		if err := os.Remove("outputs"); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			code  int
			want  string
			extra []string
		}{
			{4, "verdict=fail\nresponse=\ninterval=[0, 0.", []string{"DPCALC_PREDICTIONS=bad.csv"}},
			{0, "code=4\n", []string{"DPCALC_PREDICTIONS=bad.csv", "DPCALC_ALLOW_FAIL=true"}},
			{2, "code=2\n", []string{"DPCALC_PREDICTIONS=labels.csv"}},
			{2, "code=2\n", []string{"DPCALC_SHOW=everything"}},
			{2, "", []string{"DPCALC_PREDICTIONS=nothing.csv"}},
			{2, "", []string{"DPCALC_ALLOW_FAIL=perhaps"}},
		} {
			code, stdout, stderr := look(t, script, join(ledger, gate, c.extra)...)
			if code != c.code || !strings.Contains(stdout, c.want) {
				t.Errorf("%s %q: exit %d, %s%s, want %d and %q", ledger[0], c.extra, code, stdout, stderr, c.code, c.want)
			}
		}
	}
	if passed[0] != passed[1] {
		t.Errorf("a server answers %s, a folder %s", passed[0], passed[1])
	}
	if code, _, stderr := look(t, script, join(gate, []string{server[0], "DPCALC_TOKEN=wrong"})...); code != 1 || !strings.Contains(stderr, "401") {
		t.Errorf("a wrong token: exit %d, %s", code, stderr)
	}
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	if code, _, _ := look(t, script, join(gate, []string{"DPCALC_SERVER=" + down.URL})...); code != 1 {
		t.Errorf("no server: exit %d", code)
	}
	if code, _, stderr := commandtest.Dpcalc("holdout", "close", "here", "--alpha", "0.05"); code != 0 {
		t.Fatal(stderr)
	}
	if code, stdout, _ := look(t, script, join(folder, gate, []string{"DPCALC_SHOW=score", "DPCALC_BAR="})...); code != 3 || !strings.Contains(stdout, "code=3") {
		t.Errorf("a closed ledger: exit %d, %s", code, stdout)
	}

	hook(t, filepath.Dir(script), program)

	release := "dpcalc_v0.1.0_" + runtime.GOOS + "_" + runtime.GOARCH
	if err := os.MkdirAll(filepath.Join("releases/v0.1.0", release), 0o700); err != nil {
		t.Fatal(err)
	}
	copied(t, program, filepath.Join("releases/v0.1.0", release, "dpcalc"))
	archive := filepath.Join("releases/v0.1.0", release+".tar.gz")
	if out, err := exec.Command("tar", "-czf", archive, "-C", "releases/v0.1.0", release).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	packed, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(packed)
	checksum := hex.EncodeToString(sum[:])
	download := []string{"DPCALC_PLAN=there", "DPCALC_RELEASES=file://" + here + "/releases", "DPCALC_VERSION=v0.1.0"}
	for _, c := range []struct {
		code int
		sum  string
	}{{0, checksum}, {1, strings.Repeat("0", 64)}, {2, ""}} {
		code, stdout, stderr := look(t, script, join(download, gate, []string{"DPCALC_SHA256=" + c.sum})...)
		if code != c.code || (stdout != "") != (c.code == 0) {
			t.Errorf("checksum %q: exit %d, %s%s, want %d", c.sum, code, stdout, stderr, c.code)
		}
	}
}

// hook runs the hook of pre-commit on plan files, of which one is not certified.
func hook(t *testing.T, folder, program string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "../.pre-commit-hooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, entry, _ := strings.Cut(string(text), "  entry: ")
	entry, _, _ = strings.Cut(entry, "\n")
	write(t, "good.yaml", "scenarios:\n  - {name: a, queries: 10, tau: 0.1, beta: 0.05, samples: 10000}\n")
	write(t, "few.yaml", "scenarios:\n  - {name: a, queries: 10, tau: 0.1, beta: 0.05, samples: 10}\n")
	for files, want := range map[string]int{"good.yaml good.yaml": 0, "good.yaml few.yaml": 4, "few.yaml good.yaml": 4} {
		c := exec.Command("bash", "-c", entry+" "+files)
		c.Env = []string{"PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH")}
		out, _ := c.CombinedOutput()
		if code := c.ProcessState.ExitCode(); code != want {
			t.Errorf("%s: exit %d, want %d: %s", files, code, want, out)
		}
	}
}

// copied copies a program.
func copied(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o700)
	if err == nil {
		_, err = io.Copy(out, in)
		err = errors.Join(err, out.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

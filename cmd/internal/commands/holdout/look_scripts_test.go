//go:build scripts

package holdout

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

// look runs the script of the action.
func look(t *testing.T, script string, variables ...string) (code int, stdout, stderr string) {
	t.Helper()
	c := exec.Command(script)
	c.Env = append([]string{"PATH=" + os.Getenv("PATH"), "DPCALC_PREDICTIONS=predictions.csv", "DPCALC_NAME=a commit"}, variables...)
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), errs.String()
}

// The script asks a served ledger and a ledger in a folder alike, maps what comes back to the exit codes of dpcalc, and
// runs no archive but the one that was named, and of that the program.
func TestScriptOfTheAction(t *testing.T) {
	script, err := filepath.Abs("../../../../.ci/look")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	release, platform := filepath.Join(here, "releases/v0.1.0"), runtime.GOOS+"/"+runtime.GOARCH
	for _, dir := range []string{release, "unpacked", "shims"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	pack := exec.Command(filepath.Join(filepath.Dir(script), "pack"), "v0.1.0", platform, filepath.Join(here, "unpacked"), release)
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	name := "dpcalc_v0.1.0_" + strings.ReplaceAll(platform, "/", "_")
	program := filepath.Join(here, "unpacked", name, "dpcalc")
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
	write(t, "--output=x.csv", cells("prediction", 195))
	write(t, "-", cells("prediction", 195))
	for _, ledger := range []string{"here", "there"} {
		code, _, stderr := commandtest.Dpcalc(strings.Fields("holdout init " + ledger + " --labels labels.csv -b 5% --open --ask pass:bar=0.7")...)
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
			{2, "code=2\n", []string{"DPCALC_PREDICTIONS=nothing.csv"}},
			{2, "code=2\n", []string{"DPCALC_ALLOW_FAIL=perhaps"}},
			{2, "code=2\n", []string{"DPCALC_AGAIN=perhaps"}},
			{2, "code=2\n", []string{"DPCALC_NAME="}},
			{2, "code=2\n", []string{"DPCALC_METRIC=f1"}},
			{2, "code=2\n", []string{"DPCALC_TEST=sign"}},
			{0, "verdict=pass\n", []string{"DPCALC_METRIC=accuracy"}},
			{0, "verdict=pass\n", []string{"DPCALC_PREDICTIONS=--output=x.csv"}},
			{0, "verdict=pass\n", []string{"DPCALC_PREDICTIONS=-"}},
		} {
			code, stdout, stderr := look(t, script, join(ledger, gate, c.extra)...)
			told := fmt.Sprintf("\ncode=%d\n", c.code)
			if slices.Contains(c.extra, "DPCALC_ALLOW_FAIL=true") {
				told = "\ncode=4\n"
			}
			if code != c.code || !strings.Contains(stdout, c.want) || !strings.HasSuffix(stdout, told) {
				t.Errorf("%s %q: exit %d, %s%s, want %d and %q", ledger[0], c.extra, code, stdout, stderr, c.code, c.want)
			}
		}
	}
	if passed[0] != passed[1] {
		t.Errorf("a server answers %s, a folder %s", passed[0], passed[1])
	}
	if code, stdout, stderr := look(t, script, join(gate, []string{server[0], "DPCALC_TOKEN=wrong"})...); code != 1 ||
		!strings.Contains(stderr, "401") || !strings.HasSuffix(stdout, "code=1\n") {
		t.Errorf("a wrong token: exit %d, %s%s", code, stdout, stderr)
	}
	if code, _, stderr := look(t, script, join(server, gate, []string{"DPCALC_FROM=csv"})...); code != 2 || !strings.Contains(stderr, "want a plan") {
		t.Errorf("a log for a server: exit %d, %s", code, stderr)
	}
	scriptOnColumns(t, script, program)
	write(t, "crash", "#!/bin/sh\nexit 77\n")
	if err := os.Chmod("crash", 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"./crash": 1, "./labels.csv": 2, "nowhere/dpcalc": 2, "-f": 2} {
		code, stdout, _ := look(t, script, join(gate, []string{"DPCALC_PLAN=here", "DPCALC_PATH=" + path})...)
		if code != want || !strings.HasSuffix(stdout, fmt.Sprintf("code=%d\n", want)) {
			t.Errorf("the program %s: exit %d, %s, want %d", path, code, stdout, want)
		}
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

	// The archive has a second file of the name dpcalc*, which a find lists first on half of all file systems.
	packed, err := os.ReadFile(filepath.Join(release, name+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join("unpacked", name, "docs/use/ci/dpcalc.service")); err != nil {
		t.Error(err)
	}
	write(t, "shims/find", "#!/bin/sh\nls \"$1\"/docs/use/ci/dpcalc.service\n")
	if err := os.Chmod("shims/find", 0o700); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(packed)
	checksum := hex.EncodeToString(sum[:])
	download := []string{"DPCALC_PLAN=there", "DPCALC_RELEASES=file://" + here + "/releases", "DPCALC_VERSION=v0.1.0",
		"PATH=" + filepath.Join(here, "shims") + ":" + os.Getenv("PATH")}
	for _, c := range []struct {
		code int
		sum  string
	}{{0, checksum}, {1, strings.Repeat("0", 64)}, {2, ""}} {
		code, stdout, stderr := look(t, script, join(download, gate, []string{"DPCALC_SHA256=" + c.sum})...)
		told := fmt.Sprintf("\ncode=%d\n", c.code)
		if passed := strings.Contains(stdout, "verdict=pass"); code != c.code || passed != (code == 0) || !strings.HasSuffix(stdout, told) {
			t.Errorf("checksum %q: exit %d, %s%s, want %d", c.sum, code, stdout, stderr, c.code)
		}
	}
}

// scriptOnColumns takes looks at a column of a log, which are known by their name: once, and again where that is asked.
func scriptOnColumns(t *testing.T, script, program string) {
	t.Helper()
	if code, _, stderr := commandtest.Dpcalc(strings.Fields("holdout init columns --labels labels.csv -b 5% --open --metrics column:ok")...); code != 0 {
		t.Fatal(stderr)
	}
	var log strings.Builder
	log.WriteString("question;ok\n")
	for i := range 200 {
		fmt.Fprintf(&log, "q%d;%d\n", i, min(i/10, 1))
	}
	write(t, "log.csv", log.String())
	column := []string{"DPCALC_PLAN=columns", "DPCALC_PATH=" + program, "DPCALC_PREDICTIONS=log.csv", "DPCALC_FROM=csv", "DPCALC_ID=question",
		"DPCALC_METRIC=column:ok", "DPCALC_SHOW=pass", "DPCALC_BAR=0.5"}
	for i, c := range []struct {
		again string
		code  int
		want  string
	}{{"true", 0, "verdict=pass\n"}, {"", 2, "verdict=\n"}, {"true", 0, "verdict=pass\n"}, {"false", 2, "verdict=\n"}} {
		code, stdout, stderr := look(t, script, append(column, "DPCALC_AGAIN="+c.again)...)
		if code != c.code || !strings.HasPrefix(stdout, c.want) || (stderr == "") != (code == 0 && i > 0) {
			t.Errorf("look %d at a column: exit %d, %s%s, want %d", i, code, stdout, stderr, c.code)
		}
	}
	if code, stdout, _ := commandtest.Dpcalc("holdout", "status", "columns", "-f", "json"); code != 0 || !strings.Contains(stdout, `"looks":1`) {
		t.Errorf("exit %d, %s, want one look", code, stdout)
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

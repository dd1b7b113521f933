package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// made is a wheel of a program that is a text.
func made(t *testing.T, platform string) (name string, content []byte) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"program": "#!/bin/sh\n", "notices": "terms\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := wheel{root: "../..", platform: platform, program: filepath.Join(dir, "program"),
		notices: filepath.Join(dir, "notices"), release: "v1.2.3"}
	name, content, err := w.packed()
	if err != nil {
		t.Fatal(err)
	}
	return name, content
}

// Every file of a wheel is in RECORD with its hash and its length, the program may be run, the tags are the ones in the
// name, and the same files give the same bytes. (pip itself installs one in TestPython of cmd/dpcalc.)
func TestWheel(t *testing.T) {
	for platform, want := range map[string]string{
		"linux/amd64":   "dpcalc-1.2.3-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl",
		"linux/arm64":   "dpcalc-1.2.3-py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64.whl",
		"darwin/amd64":  "dpcalc-1.2.3-py3-none-macosx_12_0_x86_64.whl",
		"darwin/arm64":  "dpcalc-1.2.3-py3-none-macosx_12_0_arm64.whl",
		"windows/amd64": "dpcalc-1.2.3-py3-none-win_amd64.whl",
		"windows/arm64": "dpcalc-1.2.3-py3-none-win_arm64.whl",
	} {
		name, content := made(t, platform)
		if _, again := made(t, platform); name != want || !bytes.Equal(content, again) {
			t.Errorf("%s: got %s, want %s, and the same bytes: %v", platform, name, want, bytes.Equal(content, again))
		}
		z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		files, runs := map[string]string{}, ""
		for _, f := range z.File {
			in, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(in)
			if _, doubled := files[f.Name]; err != nil || doubled || f.Modified.Year() != 1980 {
				t.Errorf("%s: %v, doubled %v, %v", f.Name, err, doubled, f.Modified)
			}
			files[f.Name] = string(text)
			switch f.Mode() {
			case 0o755:
				runs += f.Name
			case 0o644:
			default:
				t.Errorf("%s: got the mode %v", f.Name, f.Mode())
			}
		}
		program := "dpcalc-1.2.3.data/scripts/dpcalc"
		if strings.HasPrefix(platform, "windows") {
			program += ".exe"
		}
		if runs != program || files[program] != "#!/bin/sh\n" {
			t.Errorf("%s: %s may be run, want %s", platform, runs, program)
		}
		const info = "dpcalc-1.2.3.dist-info/"
		lines, err := csv.NewReader(strings.NewReader(files[info+"RECORD"])).ReadAll()
		if err != nil || len(lines) != len(files) {
			t.Fatalf("RECORD has %d of %d files, %v", len(lines), len(files), err)
		}
		for _, line := range lines {
			text, ok := files[line[0]]
			sum := sha256.Sum256([]byte(text))
			hash, size := "sha256="+base64.RawURLEncoding.EncodeToString(sum[:]), strconv.Itoa(len(text))
			if line[0] == info+"RECORD" {
				hash, size = "", ""
			}
			if !ok || line[1] != hash || line[2] != size {
				t.Errorf("RECORD: %v, want %s and %s", line, hash, size)
			}
		}
		for tag := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(want, "dpcalc-1.2.3-py3-none-"), ".whl"), ".") {
			if !strings.Contains(files[info+"WHEEL"], "\nTag: py3-none-"+tag+"\n") {
				t.Errorf("%s: %s lacks the tag %s", platform, files[info+"WHEEL"], tag)
			}
		}
		if _, typed := files["dpcalc/py.typed"]; !typed || !strings.Contains(files["dpcalc/_signatures.py"], "def samplesize(") {
			t.Errorf("%s: no typed module", platform)
		}
		head, body, _ := strings.Cut(files[info+"METADATA"], "\n\n")
		if !strings.Contains(head, "\nName: dpcalc\nVersion: 1.2.3\n") || regexp.MustCompile(`\]\(\w+\.md`).MatchString(body) ||
			!strings.Contains(body, "(https://github.com/dpcalc/dpcalc/blob/v1.2.3/docs/use/") {
			t.Errorf("METADATA:\n%s", files[info+"METADATA"])
		}
	}
}

// Versions are as pip orders them: what comes before a release is before it.
func TestVersion(t *testing.T) {
	for release, want := range map[string]string{
		"v1.2.3": "1.2.3", "v1.2.3-rc.1": "1.2.3rc1", "v1.2.3-alpha2": "1.2.3a2", "v1.2.3-beta.10": "1.2.3b10",
		"v0.1.0-Test-2.x": "0.1.0.dev0+test.2.x", "1.2.3": "", "v1.2": "", "v1.2.3-": "", "v1.2.3--": "", "v1.2.3+x": "",
	} {
		if got, err := version(release); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %s, %v, want %s", release, got, err, want)
		}
	}
}

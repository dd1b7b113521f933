// Wheel packs dpcalc for pip: the program of a platform, the Python module that calls it, and the licences. The same
// files and the same Go give the same bytes.
//
//	go -C tools run ./wheel -o DIR -platform linux/amd64 -program FILE -notices FILE -release v1.2.3
package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	var w wheel
	output := flag.String("o", "", "write the wheel into the folder `DIR`, by its name")
	flag.StringVar(&w.platform, "platform", "", "the program is for `OS/ARCH`")
	flag.StringVar(&w.program, "program", "", "the program is `FILE`")
	flag.StringVar(&w.notices, "notices", "", "hold the licences in `FILE`")
	flag.StringVar(&w.release, "release", "", "the `VERSION`, such as v1.2.3")
	flag.Parse()
	if err := run(*output, w, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "wheel:", err)
		os.Exit(1)
	}
}

func run(output string, w wheel, rest []string) error {
	if output == "" || len(rest) > 0 {
		return errors.New("want -o DIR and no arguments")
	}
	w.root = ".."
	name, content, err := w.packed()
	if err != nil {
		return err
	}
	fmt.Printf("%s %d bytes\n", name, len(content))
	return os.WriteFile(filepath.Join(output, name), content, 0o644)
}

// tags are the platforms of pip by the platforms of Go. A program of Go without C needs no library of Linux, whichever
// there is; Go 1.26 needs macOS 12.
var tags = map[string][]string{
	"linux/amd64":   {"manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"},
	"linux/arm64":   {"manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"},
	"darwin/amd64":  {"macosx_12_0_x86_64"},
	"darwin/arm64":  {"macosx_12_0_arm64"},
	"windows/amd64": {"win_amd64"},
	"windows/arm64": {"win_arm64"},
}

// released are the versions of a release, and the words of pip for what comes before one.
var (
	released = regexp.MustCompile(`^v(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?$`)
	before   = regexp.MustCompile(`^(alpha|beta|rc)\.?(\d+)$`)
	words    = map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}
)

// version is a version as pip writes it. A suffix that pip has no word for is a development version.
func version(release string) (string, error) {
	parts := released.FindStringSubmatch(release)
	if parts == nil {
		return "", fmt.Errorf("release: got %s, want v1.2.3", release)
	}
	known := before.FindStringSubmatch(parts[2])
	switch {
	case parts[2] == "":
		return parts[1], nil
	case known != nil:
		return parts[1] + words[known[1]] + known[2], nil
	}
	local := strings.ToLower(strings.Trim(regexp.MustCompile(`[.-]+`).ReplaceAllString(parts[2], "."), "."))
	if local == "" {
		return "", fmt.Errorf("release: got %s, want v1.2.3", release)
	}
	return parts[1] + ".dev0+" + local, nil
}

// wheel is what is packed. The root is the repository's folder.
type wheel struct{ root, platform, program, notices, release string }

// file is a file of a wheel.
type file struct {
	name    string
	mode    fs.FileMode
	content []byte
}

// packed is the name of the wheel and its bytes.
func (w wheel) packed() (name string, content []byte, err error) {
	platforms, ok := tags[w.platform]
	if !ok {
		return "", nil, fmt.Errorf("platform: got %s, want one such as linux/amd64", w.platform)
	}
	version, err := version(w.release)
	if err != nil {
		return "", nil, err
	}
	of := "dpcalc-" + version
	program := "dpcalc"
	if strings.HasPrefix(w.platform, "windows/") {
		program += ".exe"
	}
	var list []file
	for _, f := range []struct {
		name, from string
		mode       fs.FileMode
	}{
		{"dpcalc/__init__.py", filepath.Join(w.root, "python", "dpcalc", "__init__.py"), 0o644},
		{"dpcalc/_signatures.py", filepath.Join(w.root, "python", "dpcalc", "_signatures.py"), 0o644},
		{"dpcalc/py.typed", filepath.Join(w.root, "python", "dpcalc", "py.typed"), 0o644},
		{of + ".data/scripts/" + program, w.program, 0o755},
		{of + ".dist-info/licenses/LICENSE", filepath.Join(w.root, "LICENSE"), 0o644},
		{of + ".dist-info/licenses/THIRD_PARTY_NOTICES.txt", w.notices, 0o644},
	} {
		content, err := os.ReadFile(f.from)
		if err != nil {
			return "", nil, err
		}
		list = append(list, file{f.name, f.mode, content})
	}
	page, err := os.ReadFile(filepath.Join(w.root, "docs", "use", "python.md"))
	if err != nil {
		return "", nil, err
	}
	var about strings.Builder
	fmt.Fprintf(&about, "Wheel-Version: 1.0\nGenerator: dpcalc tools/wheel\nRoot-Is-Purelib: false\n")
	for _, platform := range platforms {
		fmt.Fprintf(&about, "Tag: py3-none-%s\n", platform)
	}
	list = append(list,
		file{of + ".dist-info/METADATA", 0o644, []byte(metadata(version) + "\n" + linked(string(page), w.release))},
		file{of + ".dist-info/WHEEL", 0o644, []byte(about.String())})
	list = append(list, file{of + ".dist-info/RECORD", 0o644, record(list, of+".dist-info/RECORD")})
	content, err = zipped(list)
	return of + "-py3-none-" + strings.Join(platforms, ".") + ".whl", content, err
}

const address = "https://github.com/dpcalc/dpcalc"

// metadata is the head of METADATA.
func metadata(version string) string {
	return `Metadata-Version: 2.1
Name: dpcalc
Version: ` + version + `
Summary: How many samples a holdout needs when it is queried adaptively, and what a p-value is worth after the data chose the test
Home-page: ` + address + `
License: BSD-3-Clause
Classifier: License :: OSI Approved :: BSD License
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering :: Information Analysis
Classifier: Typing :: Typed
Requires-Python: >=3.8
Description-Content-Type: text/markdown
`
}

var link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

// linked is a page of docs/use whose links lead to the release.
func linked(page, release string) string {
	return link.ReplaceAllStringFunc(page, func(found string) string {
		parts := link.FindStringSubmatch(found)
		return fmt.Sprintf("](%s/blob/%s/%s%s)", address, release, path.Join("docs/use", parts[1]), parts[2])
	})
}

// record lists the files with their hashes, and itself without one.
func record(list []file, own string) []byte {
	var b bytes.Buffer
	for _, f := range list {
		sum := sha256.Sum256(f.content)
		fmt.Fprintf(&b, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.content))
	}
	fmt.Fprintf(&b, "%s,,\n", own)
	return b.Bytes()
}

// first is the first day of a zip archive.
var first = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

func zipped(list []file) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, f := range list {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: first}
		h.SetMode(f.mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

// Page assembles the web page of dpcalc: one HTML file that holds the program as WebAssembly, and
// that asks nothing of any other address.
//
//	go -C tools run ./page -o "$PWD/dpcalc.html" [-release v1.2.3] [-notices FILE]
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kjk/lzma"
)

// mostBytes is the size that the page keeps to.
const mostBytes = 3_000_000

func main() {
	output := flag.String("o", "", "write the page to `FILE`")
	release := flag.String("release", "", "the `VERSION` that the page says it is")
	notices := flag.String("notices", "", "hold the licences in `FILE`")
	flag.Parse()
	if err := run(*output, *release, *notices, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

func run(output, release, notices string, rest []string) error {
	if output == "" || len(rest) > 0 {
		return errors.New("want -o FILE and no arguments")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	page, err := assembled(root, release, notices)
	if err != nil {
		return err
	}
	if len(page) > mostBytes {
		return fmt.Errorf("got %d bytes, want at most %d", len(page), mostBytes)
	}
	fmt.Printf("%s %d bytes\n", filepath.Base(output), len(page))
	return os.WriteFile(output, page, 0o644)
}

// scripts are the page's own, in the order in which one uses the other.
var scripts = []string{
	"engine.js", "state.js", "parts.js", "curve.js", "samplesize.js", "pvalue.js", "other.js", "page.js",
}

// assembled is the page of the module at root.
func assembled(root, release, notices string) ([]byte, error) {
	files := folder{dir: filepath.Join(root, "page")}
	style := files.read("style.css")
	script := "\"use strict\";\n(() => {\n"
	for _, name := range scripts {
		script += files.read(name)
	}
	script += "})();\n"
	worker := files.read("lzma.js") + files.read("worker.js")
	template := files.read("index.html")
	if files.err != nil {
		return nil, files.err
	}
	goroot, err := output(root, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	support, err := os.ReadFile(filepath.Join(strings.TrimSpace(goroot), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, err
	}
	program, err := built(root, release)
	if err != nil {
		return nil, err
	}
	packed, err := packed(program)
	if err != nil {
		return nil, err
	}
	licences := []byte("The licences of what this page holds are in the archives of the release.\n")
	if notices != "" {
		if licences, err = os.ReadFile(notices); err != nil {
			return nil, err
		}
	}
	for _, text := range []string{style, script, worker, string(support)} {
		if lower := strings.ToLower(text); strings.Contains(lower, "</s") || strings.Contains(lower, "<!--") {
			return nil, errors.New("a style or script holds what ends or hides it in HTML")
		}
	}
	policy := strings.Join([]string{
		"default-src 'none'", "script-src " + hashed(script) + " 'wasm-unsafe-eval'", "worker-src blob:",
		"style-src " + hashed(style), "img-src data:", "base-uri 'none'", "form-action 'none'",
	}, "; ")
	return []byte(strings.NewReplacer(
		"{{policy}}", html.EscapeString(policy), "{{style}}", style, "{{script}}", script,
		"{{worker}}", string(support)+worker, "{{program}}", armoured(packed),
		"{{licences}}", html.EscapeString(string(licences)),
	).Replace(template)), nil
}

// folder reads files until one cannot be read.
type folder struct {
	dir string
	err error
}

func (f *folder) read(name string) string {
	text, err := os.ReadFile(filepath.Join(f.dir, name))
	f.err = errors.Join(f.err, err)
	return string(text)
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// inlined are the packages whose functions the compiler may inline. Elsewhere inlining makes the
// program a tenth larger and no faster.
var inlined = []string{"math", "math/bits", "github.com/dpcalc/dpcalc/internal/num"}

// built is the program as WebAssembly. The same commit and toolchain give the same bytes.
func built(root, release string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "dpcalc-page-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "dpcalc.wasm")
	args := []string{"go", "build", "-trimpath", "-buildvcs=false", "-gcflags=all=-l"}
	for _, name := range inlined {
		args = append(args, "-gcflags="+name+"=")
	}
	link := "-s -w -buildid= -X github.com/dpcalc/dpcalc/cmd/internal/usage.Release=" + release
	if _, err := output(root, append(args, "-ldflags="+link, "-o", path, "./cmd/dpcalc-page")...); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// output runs a command for the platform of the page.
func output(dir string, words ...string) (string, error) {
	c := exec.Command(words[0], words[1:]...)
	c.Dir, c.Stderr = dir, os.Stderr
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	text, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(words[:2], " "), err)
	}
	return string(text), nil
}

// packed is LZMA with the size in its header, which page/lzma.js unpacks. The encoder is one that looks ahead for the
// cheapest way to write the next bytes: the page is a fifth smaller by it.
func packed(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w := lzma.NewWriterSizeLevel(&b, int64(len(data)), 6)
	_, err := w.Write(data)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

// armoured writes bytes as ASCII that HTML leaves as it is: seven bits a character, so that it
// is a tenth shorter than in base 64. The characters that HTML or a server may change, and "=", are
// "=" and the character 64 further.
func armoured(data []byte) string {
	b := make([]byte, 0, len(data)*6/5)
	put := func(c byte) {
		switch c {
		case 0, '\n', '\r', '<', '=':
			b = append(b, '=', c+64)
		default:
			b = append(b, c)
		}
	}
	var bits uint
	held := 0
	for _, c := range data {
		bits, held = bits<<8|uint(c), held+8
		for held >= 7 {
			held -= 7
			put(byte(bits>>held) & 127)
		}
		bits &= 1<<held - 1
	}
	if held > 0 {
		put(byte(bits<<(7-held)) & 127)
	}
	return string(b)
}

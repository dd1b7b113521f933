package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/ulikunitz/xz/lzma"
)

// unarmoured reads the digits one by one, as the page's worker does in its own way.
func unarmoured(text string) (data []byte) {
	var bits []byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '=' {
			i++
			c = text[i] - 64
		}
		for k := 6; k >= 0; k-- {
			bits = append(bits, c>>k&1)
		}
	}
	for ; len(bits) >= 8; bits = bits[8:] {
		var c byte
		for _, bit := range bits[:8] {
			c = c<<1 | bit
		}
		data = append(data, c)
	}
	return data
}

func TestArmour(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		text := armoured(data)
		if strings.ContainsAny(text, "\x00\r\n<") || strings.ContainsFunc(text, func(r rune) bool { return r > 127 }) {
			t.Fatalf("%q is not as HTML leaves it", text)
		}
		if got := unarmoured(text); !bytes.Equal(got, data) {
			t.Fatalf("%d bytes: got %v, want %v", n, got, data)
		}
	}
}

func unpacked(data []byte) ([]byte, error) {
	r, err := lzma.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func TestPacked(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := 1; n < 40; n++ {
		data := make([]byte, n*n*n)
		for i := range data {
			data[i] = byte(random.IntN(2 + n%7))
		}
		short, err := packed(data)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := unpacked(short); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%d bytes: got %d others, %v", len(data), len(got), err)
		}
	}
}

// The page is whole, small, and loads nothing.
func TestAssembled(t *testing.T) {
	page, err := assembled("../..", "v1.2.3", "")
	if err != nil {
		t.Fatal(err)
	}
	if len(page) > mostBytes {
		t.Errorf("%d bytes, want at most %d", len(page), mostBytes)
	}
	text := string(page)
	if left := regexp.MustCompile(`\{\{\w+\}\}`).FindString(text); left != "" {
		t.Errorf("%s was not filled in", left)
	}
	_, program, _ := strings.Cut(text, `id="program">`)
	program, after, _ := strings.Cut(program, "</script>")
	wasm, err := unpacked(unarmoured(program))
	if err != nil || !bytes.HasPrefix(wasm, []byte("\x00asm")) || !bytes.Contains(wasm, []byte("v1.2.3")) {
		t.Errorf("the program is not whole: %d bytes, %v", len(wasm), err)
	}
	script, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(after), "<script>"), "</script>")
	_, style, _ := strings.Cut(text, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	for _, part := range []string{script, style} {
		if policy := strings.ReplaceAll(hashed(part), "'", "&#39;"); !strings.Contains(text, policy) {
			t.Errorf("the policy does not allow %.40q", part)
		}
	}
	markup := strings.ReplaceAll(text, program, "")
	for _, loads := range []string{`src=`, `rel="stylesheet`, `@import`, `url(`, `fetch(`, `XMLHttpRequest`, `innerHTML`,
		`eval(`} {
		if strings.Contains(markup, loads) {
			t.Errorf("the page has %s", loads)
		}
	}
}

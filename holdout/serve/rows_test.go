package serve

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/column"
	"github.com/dpcalc/dpcalc/theory"
)

// A probability of any size is a number in JSON, next to one too, where its own text is a complement.
func TestProbabilitiesAreNumbers(t *testing.T) {
	fields := []column.Field[theory.LogProb]{{Name: "beta", Value: func(p theory.LogProb) any { return p }}}
	for text, want := range map[string]string{"0.05": "0.05", "1e-4343": "1e-4343", "0.999999999999": "0.999999999999",
		"1-1e-30": "1"} {
		p, err := theory.ParseLogProb(text)
		if err != nil {
			t.Fatal(err)
		}
		body := rows("", inJSON, fields, p)
		if !json.Valid(body) || !strings.Contains(string(body), `{"beta":`+want+`}`) {
			t.Errorf("%s: got %s", text, body)
		}
	}
}

// A typed text that a spreadsheet would run gets an apostrophe, and a number gets none.
func TestTypedTextsInCSV(t *testing.T) {
	fields := []column.Field[string]{{Name: "name", Value: func(s string) any { return s }, Typed: true}}
	for text, want := range map[string]string{"=1+1": "'=1+1", "@a": "'@a", "-a": "'-a", "+0x1p3": "'+0x1p3", "+Inf": "'+Inf",
		"-5": "-5", "+.5e-3": "+.5e-3", "a": "a"} {
		if got := string(rows("", inCSV, fields, text)); got != "name\n"+want+"\n" {
			t.Errorf("%s: got %q, want %s", text, got, want)
		}
	}
}

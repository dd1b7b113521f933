package usage

import (
	"strconv"
	"strings"
	"testing"
)

func TestDidYouMean(t *testing.T) {
	names := []string{"samplesize", "transfer", "compose"}
	for got, want := range map[string]string{"samplesise": "samplesize", "sample": "samplesize", "tranfser": "transfer",
		"composer": "compose"} {
		if hint := DidYouMean(got, names); !strings.Contains(hint, want) {
			t.Errorf("%s: hint %q, want %s", got, hint, want)
		}
	}
	if hint := DidYouMean("xyzzyplugh"+strconv.Itoa(7), names); hint != "" {
		t.Errorf("hint %q for nonsense", hint)
	}
}

// A swap of neighbours is one mistake, like a letter too many, too few or wrong.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"tau", "tau", 0}, {"tua", "tau", 1}, {"ta", "tau", 1}, {"tauu", "tau", 1}, {"tan", "tau", 1},
		{"beat", "beta", 1}, {"", "tau", 3}, {"ca", "abc", 3}, {"abcdef", "badcfe", 3},
	} {
		if got := distance(c.a, c.b); got != c.want || distance(c.b, c.a) != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

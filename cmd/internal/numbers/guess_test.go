package numbers

import (
	"strings"
	"testing"
)

// A guess is told only if the flag accepts it.
func TestGuess(t *testing.T) {
	whole := func(text string) bool { _, ok := Counts.Parse(text); return ok }
	share := func(text string) bool { _, ok := Probabilities.Parse(text); return ok }
	for _, c := range []struct {
		raw     string
		accepts func(string) bool
		want    string
	}{
		{"20,500", whole, ", did you mean 20500?"},
		{"20.500", whole, ", did you mean 20500?"},
		{"20,500,000", whole, ", did you mean 20500000?"},
		{"9,007,199,254,740,993", whole, ""},
		{"020,500", whole, ""},
		{"2.5", whole, ""},
		{"0,05", share, ", did you mean 0.05?"},
		{",05", share, ", did you mean .05?"},
		{"2,5%", share, ", did you mean 2.5%?"},
		{"1,05", share, ""},
		{"3", share, "; 3 means 300%, did you mean 3%?"},
		{"2.5", share, "; 2.5 means 250%, did you mean 2.5%?"},
		{"99", share, "; 99 means 9900%, did you mean 99%?"},
		{"1.055983571786949", share, ", did you mean 1.055983571786949%?"},
		{"100", share, ""},
		{"-3", share, ""},
		{"", share, ""},
		{strings.Repeat("3", 100), share, ""},
	} {
		if got := guess(c.raw, c.accepts); got != c.want {
			t.Errorf("%q: %q, want %q", c.raw, got, c.want)
		}
	}
}

// What a message offers for an ambiguous list is accepted, and means what it says.
func TestReadingsAreAccepted(t *testing.T) {
	for _, c := range []struct {
		flag, raw string
		one       string
		many      string
	}{
		{"samples", "20,500", "20500", "20, 500"},
		{"samples", "1,000,000", "1000000", ""},
		{"samples", "100,200,300", "100200300", "100, 200, 300"},
		{"queries", "1,050", "1050", "1, 050"},
		{"queries", "10,010", "10010", "10, 010"},
		{"queries", "100,020,5", "", "100, 020, 5"},
		{"queries", "5,1,000", "", ""},
	} {
		_, err := parseList(c.flag, c.raw, Counts)
		if err == nil {
			t.Errorf("%s: accepted", c.raw)
			continue
		}
		for _, reading := range []string{c.one, c.many} {
			if reading == "" {
				continue
			}
			if _, again := parseList(c.flag, reading, Counts); again != nil || !strings.Contains(err.Error(), reading) {
				t.Errorf("%s: %v, want %s, which gives %v", c.raw, err, reading, again)
			}
		}
		if c.one == "" && strings.Contains(err.Error(), "did you mean 1") {
			t.Errorf("%s: %v", c.raw, err)
		}
	}
	for _, raw := range []string{"10,100", "20,5000", "1000,500", "2,50", "5k,500", "0,20"} {
		if _, err := parseList("signal", raw, Wholes); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
	for _, raw := range []string{"20,5000", "1000,500", "2,50", "500", "5k,500", "010,20"} {
		if _, err := parseList("samples", raw, Counts); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

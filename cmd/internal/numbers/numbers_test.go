package numbers

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

func TestCounts(t *testing.T) {
	for text, want := range map[string][]int64{
		"10":                                  {10},
		"010":                                 {10},
		"1e6":                                 {1000000},
		"10k":                                 {10000},
		"2.5k":                                {2500},
		"1M":                                  {1000000},
		"1000/8":                              {125},
		"500%":                                {5},
		"9007199254740992":                    {1 << 53},
		"10,100,1k":                           {10, 100, 1000},
		"1:10:3":                              {1, 4, 7, 10},
		"1:9:3":                               {1, 4, 7},
		"7:7:1":                               {7},
		"1:512:x2":                            {1, 2, 4, 8, 16, 32, 64, 128, 256, 512},
		"1:511:x2":                            {1, 2, 4, 8, 16, 32, 64, 128, 256},
		"10:1M:log6":                          {10, 100, 1000, 10000, 100000, 1000000},
		"1:3:log6":                            {1, 1, 2, 2, 2, 3},
		"1:4:x1.5":                            {1, 2, 2, 3},
		"3,1:2:1,9":                           {3, 1, 2, 9},
		"9007199254740991:9007199254740992:1": {1<<53 - 1, 1 << 53},
		"1:9007199254740992:log2":             {1, 1 << 53},
	} {
		got, err := parseList("queries", text, Counts)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestPositives(t *testing.T) {
	for text, want := range map[string][]float64{
		"0.05":          {0.05},
		"5%":            {0.05},
		"1/20":          {0.05},
		".5":            {0.5},
		"1e-3":          {0.001},
		"1E-3":          {0.001},
		"2.5k":          {2500},
		"1e308":         {1e308},
		"5e-324":        {5e-324},
		"1%/2":          {0.005},
		"0.01:0.1:0.01": {0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1},
		"0.001:1:log4":  {0.001, 0.01, 0.1, 1},
		"0.1:0.8:x2":    {0.1, 0.2, 0.4, 0.8},
		"0.1:0.3:x1.1": {0.1, 0.11, 0.121, 0.1331, 0.14641, 0.161051, 0.1771561, 0.19487171, 0.214358881, 0.2357947691,
			0.25937424601, 0.285311670611},
		"1/3:1:1/3": {1. / 3, 2. / 3, 1},
	} {
		got, err := parseList("tau", text, Positives)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
}

// Every spelling of a probability is the same LogProb as its decimal.
func TestProbabilities(t *testing.T) {
	for text, want := range map[string][]string{
		"5%":                  {"0.05"},
		"1/20":                {"0.05"},
		"5e-4341%":            {"5e-4343"},
		"1e-4343":             {"1e-4343"},
		"1/1e4343":            {"1e-4343"},
		"1-1e-20":             {"1-1e-20"},
		"0.05,0.01":           {"0.05", "0.01"},
		"0.1:0.3:0.1":         {"0.1", "0.2", "0.3"},
		"1e-6:0.1:log6":       {"1e-6", "1e-5", "1e-4", "0.001", "0.01", "0.1"},
		"1e-4343:1e-43:log44": nil,
		"1e-4343:1e-4340:x10": {"1e-4343", "1e-4342", "1e-4341", "1e-4340"},
		"0.01:0.16:x2":        {"0.01", "0.02", "0.04", "0.08", "0.16"},
		"0.01:0.15:x2":        {"0.01", "0.02", "0.04", "0.08"},
		"1/3":                 {"0.333333333333333333333333333333333333333333333333333333333333"},
	} {
		got, err := parseList("beta", text, Probabilities)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if want == nil {
			want = make([]string, len(got))
			for i := range want {
				want[i] = "1e-" + string(strconv.Itoa(4343-100*i))
			}
		}
		if len(got) != len(want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
			continue
		}
		for i := range want {
			p, err := theory.ParseLogProb(want[i])
			if err != nil || got[i] != p {
				t.Errorf("%q: value %d is %v, want %v (%v)", text, i, got[i], want[i], err)
			}
		}
	}
	for text, want := range map[string]string{"99%": "0.01", "0.95": "0.05", "19/20": "0.05", "99.9%": "0.001",
		"1-1e-4343": "1e-4343", "1e-9": "0.999999999"} {
		got, err := parseList("confidence", text, Confidences)
		p, _ := theory.ParseLogProb(want)
		if err != nil || len(got) != 1 || got[0] != p {
			t.Errorf("confidence %q: beta %v, %v; want %v", text, got, err, want)
		}
	}
	got, err := parseList("confidence", "90%:99%:3%", Confidences)
	if err != nil || len(got) != 4 || got[3].String() != "0.01" {
		t.Errorf("confidence range: %v, %v", got, err)
	}
}

func TestInvalidValues(t *testing.T) {
	common := []string{
		"", " ", "-1", "NaN", "nan", "Inf", "-Inf", "+1", "0x10", "1_0", "1,", ",1", "1 2", "1e", "e5", ".", "1.2.3", "1/0",
		"1/", "/2", "1/2/3",
		"k", "%", "1kk", "1K", "1m", "0", "1:2", "1:2:3:4", "2:1:1", "1:2:0", "1:2:-1", "1:2:log", "1:2:log1", "1:2:log1.5",
		"1:2:logx",
		"1:2:x", "1:2:x1", "1:2:x0.5", "0:1:log3", "0:1:x2", "1:2:", ":2:1", "1::1", "1e99999999999", "٣", "1\n",
	}
	for _, text := range common {
		if v, err := parseList("n", text, Counts); err == nil {
			t.Errorf("counts: %q gives %v", text, v)
		}
		if v, err := parseList("n", text, Positives); err == nil {
			t.Errorf("positives: %q gives %v", text, v)
		}
	}
	for _, text := range common {
		if v, err := parseList("n", text, Probabilities); err == nil {
			t.Errorf("probabilities: %q gives %v", text, v)
		}
	}
	for _, text := range []string{"2.5", "1e-3", "1e-99999999999", "9007199254740993", "1e16", "1:2:0.5", "1:1e9:1",
		"1:2:log1e8", "1:9007199254740992:x1.0000001"} {
		if v, err := parseList("n", text, Counts); err == nil {
			t.Errorf("counts: %q gives %d values", text, len(v))
		}
	}
	for _, text := range []string{"1e-400", "1e-99999999999", "1e400", "1e-324", "1e309"} {
		if v, err := parseList("n", text, Positives); err == nil {
			t.Errorf("positives: %q gives %v", text, v)
		}
	}
	for _, text := range []string{"1", "100%", "2", "10k", "1e-4343k", "1/1", "3/2", "0%", "1-0", "1-1", "0.5:1:0.1",
		"1e-6000:0.1:0.01"} {
		if v, err := parseList("n", text, Probabilities); err == nil {
			t.Errorf("probabilities: %q gives %v", text, v)
		}
	}
	for _, text := range []string{"1", "0", "100%", "101%", "-5%", "0.1:0.9:log3", "0.1:0.9:x2"} {
		if v, err := parseList("n", text, Confidences); err == nil {
			t.Errorf("confidences: %q gives %v", text, v)
		}
	}
}

// An error is one line that names the flag, what was got and what is wanted.
func TestInvalidIsOneLine(t *testing.T) {
	for _, text := range []string{"a\nb", strings.Repeat("9", 5000), "\x1b[31m", "\xff"} {
		_, err := parseList("tau", text, Positives)
		var usage *usage.Error
		if !errors.As(err, &usage) {
			t.Fatalf("%q: %v", text, err)
		}
		line := err.Error()
		if strings.ContainsAny(line, "\n\x1b") || !utf8.ValidString(line) || len(line) > 200 ||
			!strings.HasPrefix(line, "--tau: got ") || !strings.Contains(line, ", want ") {
			t.Errorf("%q: %q", text, line)
		}
	}
}

func seeds(f *testing.F) {
	for _, text := range []string{
		"10", "5%", "1/20", "1e-3", "10k", "1M", "10,100,1k", "0.01:0.1:0.01", "10:1M:log13", "1:512:x2", "1e-4343",
		"1-1e-20", "99%",
		"1e-4343:0.1:log5", "0x1", "NaN", "1:2:x1.0000001", "1e400", "-1", "9007199254740992", "1e-5000/1e-5000",
	} {
		f.Add(text)
	}
}

func FuzzCounts(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		values, err := parseList("n", text, Counts)
		for _, n := range values[:min(len(values), 1000)] {
			if n < 1 || n > transfer.MaxCount {
				t.Fatalf("%q gives %d", text, n)
			}
			again, ok := Counts.Parse(strconv.FormatInt(n, 10))
			if !ok || again != n {
				t.Fatalf("%q gives %d, which reads as %d", text, n, again)
			}
		}
		if (err == nil) != (len(values) > 0) {
			t.Fatalf("%q: %d values and error %v", text, len(values), err)
		}
	})
}

func FuzzPositives(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		values, err := parseList("x", text, Positives)
		for _, x := range values[:min(len(values), 1000)] {
			if !(x > 0 && x <= math.MaxFloat64) {
				t.Fatalf("%q gives %v", text, x)
			}
			again, ok := Positives.Parse(strconv.FormatFloat(x, 'g', -1, 64))
			if !ok || again != x {
				t.Fatalf("%q gives %v, which reads as %v", text, x, again)
			}
		}
		if (err == nil) != (len(values) > 0) {
			t.Fatalf("%q: %d values and error %v", text, len(values), err)
		}
	})
}

func FuzzProbabilities(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, k := range []Kind[theory.LogProb]{Probabilities, Confidences} {
			values, err := parseList("p", text, k)
			for _, p := range values[:min(len(values), 100)] {
				if !p.IsInterior() {
					t.Fatalf("%q gives %v", text, p)
				}
				if again, ok := Probabilities.Parse(p.String()); !ok || again != p {
					t.Fatalf("%q gives %v, which reads as %v", text, p, again)
				}
			}
			if (err == nil) != (len(values) > 0) {
				t.Fatalf("%q: %d values and error %v", text, len(values), err)
			}
		}
	})
}

// A list as texts has single values as they were typed, and the values of ranges as decimals that read the same.
func TestTexts(t *testing.T) {
	typed := usage.Typed{"epsilon": {"1e-2, 5%,0.1:0.3:0.1,1:100:log3"}, "samples": {"20,500"}, "delta": {"0.1,x"}}
	write := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	got, err := Texts(typed, "epsilon", Positives, write)
	if want := []string{"1e-2", "5%", "0.1", "0.2", "0.3", "1", "10", "100"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	for flag, want := range map[string]string{
		"samples": `--samples: got 20,500, want 20500, or "20, 500" with a space`,
		"delta":   "--delta: got x, want a positive number",
	} {
		if got, err := Texts(typed, flag, Positives, write); err == nil || got != nil || err.Error() != want {
			t.Errorf("%s: %q, %v, want %s", flag, got, err, want)
		}
	}
	if got, err := Texts(typed, "mu", Positives, write); got != nil || err != nil {
		t.Errorf("%q, %v of a flag that was not given", got, err)
	}
}

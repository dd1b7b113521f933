package theory

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestParseLogProb(t *testing.T) {
	for _, c := range []struct {
		text string
		ln   float64 // 40-digit logarithm, rounded
	}{
		{"1", 0},
		{"1.000", 0},
		{"0.05", -2.995732273553990993},
		{".5", -0.69314718055994530942},
		{"0.5e0", -0.69314718055994530942},
		{"1e-5", -11.512925464970228420},
		{"1E-300", -690.77552789821370520},
		{"1e-323", -743.7349850370767559378},
		{"1e-4343", -10000.12705887314040569},
		{"2.5e-4343", -9999.210768141266250625},
		{"0.99999999999999999999", -1e-20},
		{"1-1e-20", -1e-20},
		{"00.05", -2.995732273553990993},
	} {
		p, err := ParseLogProb(c.text)
		if err != nil || math.Abs(p.Ln()-c.ln) > 2e-16*math.Abs(c.ln) {
			t.Errorf("ParseLogProb(%q) = %.17g, %v; want ln = %.17g", c.text, p.Ln(), err, c.ln)
		}
	}
	if p, err := ParseLogProb("0"); err != nil || p != Zero {
		t.Errorf(`ParseLogProb("0") = %v, %v; want Zero`, p, err)
	}
	for _, text := range []string{
		"", ".", "-0.1", "+0.1", "1.1", "10", "2e0", "nan", "inf", "0x1p-3", "1_0", "0.1.2", "1e", "1e-", "e-5", "5%",
		"1e-" + strings.Repeat("9", 309), "1e--5", "1e+-5", "1e99999999999999999999",
		"1-", "1-0.9", "1-1-1e-3", "1--1e-3", " 0.1",
	} {
		if p, err := ParseLogProb(text); err == nil {
			t.Errorf("ParseLogProb(%q) = %v, want an error", text, p)
		} else if e := new(DomainError); !errors.As(err, &e) {
			t.Errorf("ParseLogProb(%q): error %T, want a DomainError", text, err)
		}
	}
}

func TestLogProbString(t *testing.T) {
	for _, text := range []string{"0", "1", "0.5", "0.05", "0.001", "1e-5", "2.5e-10", "1e-300", "1e-4343", "3.7e-100000",
		"0.95", "0.999", "1-1e-20", "1-1e-300"} {
		p, err := ParseLogProb(text)
		if err != nil || p.String() != text {
			t.Errorf("%q prints as %q (%v)", text, p.String(), err)
		}
	}
}

// No text is longer than another that reads the same: what is read prints with no more digits
// than it had.
func TestLogProbTextIsShortest(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 3000 {
		text := strconv.FormatFloat(1+9*r.Float64(), 'f', 1+r.IntN(15), 64) + "e-" + strconv.Itoa(18+r.IntN(280))
		if i%2 == 0 { // close to one
			text = "1-" + text
		}
		p, err := ParseLogProb(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.String(); len(got) > len(text) {
			t.Errorf("%s prints as %s", text, got)
		}
	}
}

// Where an ulp of the logarithm is a factor, the text reads as the same float64.
func TestLogProbTextOfTheSmall(t *testing.T) {
	for _, ln := range []float64{
		-1e13, -19999999999992.4, -1e15, -3.3e15, -1e16, -1.8e16,
		-2.0736218e16, -3.99999e16, -4.00001e16,
	} {
		p := LogProb(ln)
		q, err := ParseLogProb(p.String())
		if err != nil || q != p {
			t.Errorf("ln p = %g prints as %s, which reads as %g (%v)", ln, p, q.Ln(), err)
		}
	}
}

// Every logarithm of a probability survives its text.
func TestLogProbRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 40000 {
		p := LogProb(-math.Pow(10, -320+628*r.Float64()))
		if i%4 == 0 { // where a text begins to be a power of ten
			p = LogProb(-math.Pow(10, 15+3*r.Float64()))
		}
		q, err := ParseLogProb(p.String())
		if err != nil || q != p {
			t.Fatalf("ln p = %.17g prints as %s, which reads as %.17g (%v)", p.Ln(), p, q.Ln(), err)
		}
	}
}

func FuzzParseLogProb(f *testing.F) {
	for _, text := range []string{"0.05", "1e-4343", "1-1e-20", "0", "1", "1e1", "-1", "NaN", "0x1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParseLogProb(text)
		if err != nil {
			return
		}
		if !p.IsValid() {
			t.Fatalf("%q reads as ln p = %v", text, p.Ln())
		}
		if q, err := ParseLogProb(p.String()); err != nil || q != p {
			t.Fatalf("%q prints as %q, which reads as %v (%v)", text, p, q.Ln(), err)
		}
	})
}

// A logarithm of any size has a text that reads as it: below e^(-4e16) the least power of
// ten that is not below it, judged with 40 digits of ln 10.
func TestTextOfTheSmallest(t *testing.T) {
	ln10, _, _ := big.ParseFloat("2.302585092994045684017991454684364207601", 10, 1400, big.ToNearestEven)
	for _, p := range []LogProb{-4.0000001e16, -1e17, -1e20, -1e29, -3e35, -1e300, -math.MaxFloat64} {
		got := p.String()
		digits, ok := strings.CutPrefix(got, "1e-")
		power, _, err := big.ParseFloat(digits, 10, 1400, big.ToNearestEven)
		if !ok || err != nil {
			t.Errorf("%g: %s, no power of ten", float64(p), got)
			continue
		}
		above, _ := power.Mul(power, ln10).Add(power, big.NewFloat(float64(p))).Neg(power).Float64()
		if !(above >= 0 && above <= math.Ln10+1e-29*math.Abs(float64(p))) {
			t.Errorf("%g: %s, above by a factor of e^%g", float64(p), got, above)
		}
		if q, err := ParseLogProb(got); err != nil || q != p {
			t.Errorf("%g: %s, reads as %g (%v)", float64(p), got, float64(q), err)
		}
	}
}

// A probability is from 0 to 1, both ends included, and one inside lies between them.
func TestProbAtItsEnds(t *testing.T) {
	for p, want := range map[float64]LogProb{
		0: Zero, 1: 0, 0.5: -math.Ln2, math.SmallestNonzeroFloat64: -744.4400719213812,
	} {
		if got, err := Prob(p); err != nil || got != want {
			t.Errorf("Prob(%g) = %v, %v; want %v", p, got.Ln(), err, want.Ln())
		}
	}
	for _, p := range []float64{-math.SmallestNonzeroFloat64, math.Nextafter(1, 2), math.NaN(), math.Inf(1)} {
		if got, err := Prob(p); !errors.As(err, new(*DomainError)) || got != 0 {
			t.Errorf("Prob(%g) = %v, %v", p, got, err)
		}
	}
	for _, c := range []struct {
		p               LogProb
		valid, interior bool
	}{
		{0, true, false}, {Zero, true, false}, {-math.SmallestNonzeroFloat64, true, true}, {-math.MaxFloat64, true, true},
		{math.SmallestNonzeroFloat64, false, false}, {LogProb(math.NaN()), false, false},
		{LogProb(math.Inf(1)), false, false},
	} {
		if c.p.IsValid() != c.valid || c.p.IsInterior() != c.interior {
			t.Errorf("ln p = %g: valid %v, interior %v", c.p.Ln(), c.p.IsValid(), c.p.IsInterior())
		}
	}
	// The complement form goes to one half, and exponents have any size.
	for text, ok := range map[string]bool{
		"1-0.5": true, "1-0.50000001": false, "1-0": true,
		"1e-9007199254740992": true, "1e-9007199254740993": true, "0e9007199254740992": true, "0e9007199254740993": true,
		"1e9007199254740993": false,
	} {
		if p, err := ParseLogProb(text); (err == nil) != ok {
			t.Errorf("%s: %v, %v", text, p.Ln(), err)
		}
	}
}

package text

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Up writes six digits, rounded up, and an exponent only where it saves reading.
func TestUp(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1: "1", 100: "100", 0.1: "0.1", 0.05: "0.05", 0.0119071116417363: "0.0119072", 123456.789: "123457",
		12.5:             "12.5",
		9007199254740992: "9.0072e15", 123456789012: "123457000000", 0.0001234: "0.0001234", 0.00001234567891: "1.23457e-5",
		0.09999999: "0.1",
		0.1181561:  "0.118157", 9.999999: "10", 1.0000000000000002: "1", 0.6000000000000001: "0.6",
		-479.31716376863856: "-479.317", -8.733014: "-8.73301", -1.0000001: "-1", -1.0000009: "-1",
		5e-324: "4.94066e-324",
	} {
		if got := Up(x); got != want {
			t.Errorf("%v: got %s, want %s", x, got, want)
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 10000 {
		x := (r.Float64() - 0.3) * math.Pow(10, 40*r.Float64()-20)
		y, err := strconv.ParseFloat(Up(x), 64)
		if err != nil || y < x-2e-12*math.Abs(x) || y > x+1.01e-5*math.Abs(x) {
			t.Fatalf("%v prints as %s (%v)", x, Up(x), err)
		}
	}
}

// What is no number is not written as one.
func TestNoNumber(t *testing.T) {
	for _, x := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		if up, down := Up(x), Down(x); up != "unbounded" || down != "unbounded" {
			t.Errorf("%v: %s, %s", x, up, down)
		}
	}
}

// The ends of an interval that people read enclose it, and are no further away than the sixth digit.
func TestIntervalEncloses(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 10000 {
		x := (r.Float64() - 0.5) * math.Pow(10, 20*r.Float64()-10)
		up, e := strconv.ParseFloat(Up(x), 64)
		down, f := strconv.ParseFloat(Down(x), 64)
		slack := 2e-12 * math.Abs(x)
		if e != nil || f != nil || down > x+slack || up < x-slack || up-down > 1.01e-5*math.Abs(x) {
			t.Fatalf("%v is between %s and %s", x, Down(x), Up(x))
		}
	}
	for _, c := range []struct {
		lower, upper float64
		want         string
	}{
		{0.8083475, 0.8911785, "[0.808347, 0.891179]"}, {0, 1, "[0, 1]"}, {-0.1234567, -0.1234561, "[-0.123457, -0.123456]"},
		{0.6, 0.30000000000000004, "[0.6, 0.3]"},
	} {
		if got := Interval(c.lower, c.upper); got != c.want {
			t.Errorf("%v: %s, want %s", c, got, c.want)
		}
	}
}

// A number that is not zero and would be read as zero is none, and neither is what is no decimal.
func TestDecimal(t *testing.T) {
	for said, want := range map[string]bool{"1e-400": false, "0.0001e-322": false, "4E-325": false, "-1e-999": false,
		"0": true, "-0.0e5": true, "0e-999": true, "5e-324": true, "1e-1": true,
		"": false, "NaN": false, "inf": false, "0x1p2": false, " 1": false} {
		if x, ok := Decimal(said); ok != want {
			t.Errorf("%s: got %v, %v", said, x, ok)
		}
	}
}

package commandtest

import (
	"testing"
)

// The calculator against what a spreadsheet shows.
func TestCalculator(t *testing.T) {
	c := Calculator{Value: func(name string) any {
		return map[string]any{"x": 3.0, "blank": "", "wrong": errCell, "C12": -2.0}[name]
	}}
	for formula, want := range map[string]any{
		"1+2*3^2": 19.0, "-2^2": 4.0, "0-2^2": -4.0, "2^3^2": 64.0, "10-4-3": 3.0, "1E-3*1E+3": 1.0, "x*C12": -6.0,
		`IF(x>2,"a","b")&"c"`: "ac", `"say ""x"""`: `say "x"`, `IF(x>2,1,wrong)`: 1.0, "1/0": errCell, "LN(0)": errCell,
		`IFERROR(LN(0-1),"none")`: "none", `blank=""`: true, "blank>5": true,
		"AND(TRUE,x=3)": true, "OR(FALSE,NOT(TRUE))": false,
		"INT(0-1.5)": -2.0, "MAX(1,x,2)": 3.0, `SUBSTITUTE(x/2&"",",",".")`: "1.5",
		"ISNUMBER(blank)": false, "blank+1": errCell,
	} {
		if got := c.Eval(formula); got != want {
			t.Errorf("%s = %v, want %v", formula, got, want)
		}
	}
}

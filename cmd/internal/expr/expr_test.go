package expr

import "testing"

// What an expression prints and what it is, against what a spreadsheet makes of the text.
func TestExpressions(t *testing.T) {
	sheet := Sheet{Cell: func(name string) any {
		return map[string]any{"x": 3.0, "blank": "", "wrong": ErrValue, "C{row}": -2.0}[name]
	}}
	x, blank, wrong, own := Cell("x"), Cell("blank"), Cell("wrong"), Cell("C{row}")
	for _, c := range []struct {
		x     X
		text  string
		value any
	}{
		{N(1).Plus(N(2).Times(N(3).To(N(2)))), "1+2*3^2", 19.0},
		{N(1).Plus(N(2)).Times(N(3)), "(1+2)*3", 9.0},
		{N(10).Minus(N(4).Minus(N(3))), "10-(4-3)", 9.0},
		{N(10).Minus(N(4)).Minus(N(3)), "10-4-3", 3.0},
		{N(12).Over(N(2).Times(N(3))), "12/(2*3)", 2.0},
		{N(2).To(N(3)).To(N(2)), "2^3^2", 64.0},
		{N(2).To(N(3).To(N(2))), "2^(3^2)", 512.0},
		{Neg(N(2).To(N(2))), "0-2^2", -4.0},
		{N(-2).To(N(2)), "(-2)^2", 4.0},
		{x.Times(own), "x*C{row}", -6.0},
		{N(1e-12).Plus(N(1 << 40)), "1E-12+1099511627776", 1099511627776.0},
		{N(4).Raised(1e-12), "4*(1+1E-12)", 4 * (1 + 1e-12)},
		{If(x.Above(N(2)), T("a"), T("b")).Then(T("c")), `IF(x>2,"a","b")&"c"`, "ac"},
		{T(`say "x"`), `"say ""x"""`, `say "x"`},
		{If(x.Above(N(2)), N(1), wrong), "IF(x>2,1,wrong)", 1.0},
		{If(wrong, N(1), N(2)), "IF(wrong,1,2)", ErrValue},
		{N(1).Over(N(0)), "1/0", ErrValue},
		{IfError(Ln(N(-1)), T("none")), `IFERROR(LN(-1),"none")`, "none"},
		{blank.Is(T("")), `blank=""`, true},
		{blank.Above(N(5)), "blank>5", true},
		{wrong.Is(N(1)), "wrong=1", ErrValue},
		{And(True, x.Is(N(3))), "AND(TRUE,x=3)", true},
		{And(True, wrong), "AND(TRUE,wrong)", ErrValue},
		{Or(False, False), "OR(FALSE,FALSE)", false},
		{Int(Neg(N(1.5))), "INT(0-1.5)", -2.0},
		{Max(N(1), x, N(2)), "MAX(1,x,2)", 3.0},
		{F("SUBSTITUTE", x.Over(N(2)).Then(T("")), T(","), T(".")), `SUBSTITUTE(x/2&"",",",".")`, "1.5"},
		{IsNumber(blank), "ISNUMBER(blank)", false},
		{blank.Plus(N(1)), "blank+1", ErrValue},
		{x.Is(N(3)).Times(N(2)), "(x=3)*2", ErrValue},
	} {
		if got := c.x.String(); got != c.text {
			t.Errorf("printed %s, want %s", got, c.text)
		}
		if got := sheet.Value(c.x); got != c.value {
			t.Errorf("%s = %v, want %v", c.text, got, c.value)
		}
	}
	rough := Sheet{Near: func(function string, y float64) float64 {
		if function != "LN" {
			t.Errorf("%s is elementary", function)
		}
		return y + 1
	}}
	if got := rough.Value(Ln(N(1)).Plus(Sqrt(N(4)))); got != 3.0 {
		t.Errorf("a rough logarithm makes %v", got)
	}
	if !(X{}).None() || N(0).None() {
		t.Error("none is not the zero expression")
	}
}

package record

import "testing"

// Compact leaves the sheet as it was.
func TestCompactLeavesTheSheet(t *testing.T) {
	s := Sheet{Columns: []string{"a", "none", "b"}, Rows: [][]Cell{
		{Words("x"), {}, {}}, {{}, {}, Words("y")},
	}}
	for range 2 {
		c := s.Compact()
		cells := len(c.Rows[1]) == 2 && c.Rows[0][0].S == "x" && c.Rows[1][1].S == "y"
		if len(c.Columns) != 2 || c.Columns[1] != "b" || !cells {
			t.Errorf("%+v", c)
		}
	}
	if c := (Sheet{Columns: []string{"a"}}).Compact(); len(c.Columns) != 0 || len(c.Rows) != 0 {
		t.Errorf("%+v", c)
	}
}

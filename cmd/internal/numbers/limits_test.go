package numbers

import (
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// What is told of a list before its values are made is its length, or one less for each
// geometric range in it.
func TestLeastLength(t *testing.T) {
	for _, raw := range []string{
		"10", "10,20,30", "1:10:1", "1:10:3", "5:5:1", "1:1000:log17", "1:512:x2", "1:511:x2",
		"1:3:x1.1,7,1:9:2", "1:1M:x1.001", "3:3:x2", "1/2:1:1/8",
	} {
		c := usage.Typed{"sensitivity": {raw}}
		values, err := List(c, "sensitivity", Positives)
		if err != nil {
			t.Fatal(err)
		}
		least, slack := LeastLength(c, "sensitivity", Positives), int64(strings.Count(raw, "x"))
		if n := int64(len(values)); least > n || least < n-slack {
			t.Errorf("%s: %d, has %d values", raw, least, n)
		}
	}
	for _, raw := range []string{
		"", "x", "1:2", "2:1:1", "2:1:x2", "1:2:0", "1:2:-1", "0:1:x2", "1:2:x1", "1:2:x", "1:2:log", "1:2:log0",
		"::", "a:b:c", "1:1e9:1",
		"1:1e4000:1e-4000",
	} {
		c := usage.Typed{"sensitivity": {raw}}
		if n := LeastLength(c, "sensitivity", Positives); n != 1 {
			t.Errorf("%q: %d, want the refusal to the list's reader", raw, n)
		}
	}
}

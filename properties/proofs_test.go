package properties

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// kappa of the Ising lemma and the masses of the usual code against those that Coq computes from the definitions of its
// theorems. 1/kappa is never below, a mass never above.
func TestProvedConstants(t *testing.T) {
	file, err := os.Open("../proofs/numbers.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	seen := map[string]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var kind string
		var first, second int64
		var above, below float64
		if read, _ := fmt.Sscan(lines.Text(), &kind, &first, &second, &above, &below); read != 5 {
			continue
		}
		switch kind {
		case "kappa": // k and 1/w
			seen[kind]++
			got, ok := maxinfo.Inflation(first, 0.5/float64(second))
			if gap := got*above/below - 1; !ok || !(gap >= -1e-15 && gap <= 1e-12) {
				t.Errorf("%s: 1/kappa is %v, want %v/%v or little more", lines.Text(), got, below, above)
			}
		case "code": // looks and passes
			seen[kind]++
			got := float64(open.Usual().Left(first, second))
			if gap := got - math.Log(above/below); !(gap <= 1e-15 && gap >= -1e-12) {
				t.Errorf("%s: ln W is %v, want ln %v/%v or little less", lines.Text(), got, above, below)
			}
		}
	}
	if seen["kappa"] != 20 || seen["code"] != 2+3+4+5+6+7 {
		t.Errorf("%v, want 20 of kappa and 27 of the code", seen)
	}
}

package transfer

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/internal/decimals"
)

// The files named page are complete without any other file of the package, and of dpcalc they import the decimals
// alone.
func TestPagesStandAlone(t *testing.T) {
	names, err := filepath.Glob("page*_test.go")
	if err != nil || len(names) < 7 {
		t.Fatalf("files %v, %v", names, err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if from := i.Path.Value; strings.Contains(from, "dpcalc") && from != `"github.com/dpcalc/dpcalc/internal/decimals"` {
				t.Errorf("%s imports %s", name, from)
			}
		}
		files = append(files, f)
	}
	alone := types.Config{Importer: importer.ForCompiler(set, "source", nil)}
	if _, err := alone.Check("pages", set, files, nil); err != nil {
		t.Error(err)
	}
}

// dec is a decimal.
type dec = decimals.Number

var (
	digits        = decimals.Digits(50)
	number, whole = digits.Float, digits.Int

	zero, one, two = whole(0), whole(1), whole(2)
	pageHalf       = one.Over(two)
	pi             = digits.Parse("3.14159265358979323846264338327950288419716939937510582097494459")
)

// golden returns about where f is least between lo and hi.
func golden(lo, hi float64, steps int, f func(float64) float64) float64 {
	for range steps {
		if x, y := lo+0.382*(hi-lo), lo+0.618*(hi-lo); f(x) < f(y) {
			hi = y
		} else {
			lo = x
		}
	}
	return (lo + hi) / 2
}

// least returns about where f is least: on a grid of that many points, then by golden section beside the best.
func least(lo, hi float64, points int, f func(float64) float64) float64 {
	step := (hi - lo) / float64(points)
	best, at := math.Inf(1), lo
	for i := range points + 1 {
		x := lo + step*float64(i)
		if y := f(x); y < best {
			best, at = y, x
		}
	}
	return golden(math.Max(lo, at-step), math.Min(hi, at+step), 60, f)
}

// lesser and greater return one of two decimals.
func lesser(a, b dec) dec {
	if a.Less(b) {
		return a
	}
	return b
}

func greater(a, b dec) dec {
	if a.Less(b) {
		return b
	}
	return a
}

// pageNormal returns the density at u and P[N > u].
func pageNormal(u dec) (density, tail dec) {
	density = u.Squared().Over(whole(-2)).Exp().Over(two.Times(pi).Root())
	switch x := u.Float(); {
	case x < -4:
		_, other := pageNormal(zero.Minus(u))
		return density, one.Minus(other)
	case x > 4: // Laplace's continued fraction
		f := u
		for k := int64(30 + 2500/(x*x)); k > 0; k-- {
			f = u.Plus(whole(k).Over(f))
		}
		return density, density.Over(f)
	default:
		term, sum := u, u
		for k := int64(3); k < 41+20*int64(1+x*x); k += 2 {
			term = term.Times(u.Squared()).Over(whole(k))
			sum = sum.Plus(term)
		}
		return density, pageHalf.Minus(density.Times(sum))
	}
}

// looseTail is about ln P[N > u].
func looseTail(u float64) float64 {
	if u > 30 {
		return -u*u/2 - math.Log(u*math.Sqrt(2*math.Pi)) - 1/(u*u)
	}
	return math.Log(math.Erfc(u/math.Sqrt2) / 2)
}

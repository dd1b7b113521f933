package transfer

import (
	"fmt"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"math"
	"syscall"
	"testing"
	"time"
)

func TestProto(t *testing.T) {
	for _, m := range []int64{1, 2, 3, 10, 100, 1000, 10000, 1000000} {
		b := theory.LogProb(math.Log(0.05))
		g0 := int64(8248 * math.Pow(float64(m)/1000, .5))
		t0 := cpu()
		runs := 0
		var excess float64
		n := num.Ints{Lo: 1, Hi: 1 << 40, Guess: g0}.Least(func(n int64) bool { runs++; return NoiseSchedule{n, m, .1, b}.Feasible() })
		el := cpu() - t0
		excess = NoiseSchedule{n, m, .1, b}.walk(fineGrain, func(NoiseBlock) bool { return true })
		last := 0.0
		for bl := range (NoiseSchedule{n, m, .1, b}).Blocks() {
			last = bl.SD
		}
		fmt.Println(m, n, "per run", el/time.Duration(runs), excess, last)
	}
}
func TestSolved(t *testing.T) {
	for _, name := range []string{"gaussian-schedule", "gaussian"} {
		for _, m := range []int64{1, 2, 3, 10, 100, 1000, 10000, 1000000} {
			b := theory.LogProb(math.Log(0.05))
			method, _ := Lookup(name)
			rule := method.rule.(either)[0]
			timed := func(f func()) time.Duration {
				t0 := cpu()
				k := 0
				for cpu() < t0+100*time.Millisecond {
					f()
					k++
				}
				return (cpu() - t0) / time.Duration(k)
			}
			var r reached
			g := Goal{Queries: m, Tau: .1, Beta: b}
			e1 := timed(func() { r, _ = rule.samples(g) })
			var tau float64
			var run Mechanism
			g.Samples = r.n
			e2 := timed(func() { tau, run = rule.tau(g) })
			fmt.Println(name, m, r.n, tau, run.Scale, e1, e2)
			x := tau
			g.Tau = 0
			e1 = timed(func() { x, run = rule.tau(g) })
			fmt.Println("     ", x, e1)
			g.Tau = .1
			g.Beta = 0
			var be theory.LogProb
			e1 = timed(func() { be = rule.beta(g) })
			fmt.Println("     ", be, e1)
			g.Beta = b
			var mm int64
			e1 = timed(func() { mm = rule.queries(g) })
			fmt.Println("     ", mm, e1)
		}
	}
}
func cpu() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return time.Duration(r.Utime.Nano())
}
func minTime(f func()) time.Duration {
	best := time.Hour
	for range 60 {
		t0 := time.Now()
		f()
		best = min(best, time.Since(t0))
	}
	return best
}
func TestCost(t *testing.T) {
	b := newJointBound(8255)
	b.answer(run{tau: .1, sd: .02, count: 100})
	fmt.Println("errors x1000", minTime(func() {
		for range 1000 {
			b.errors(&b.orders[20], run{tau: .1, sd: .0134, count: 1})
		}
	}))
	fmt.Println("sampling x1000", minTime(func() {
		for range 1000 {
			b.orders[20].sampling(b.n, .1, .0134)
		}
	}))
	fmt.Println("chernoff x1000", minTime(func() {
		x := .5
		for range 1000 {
			chernoff(1.5, 1/(4*8255*.0134*.0134), .1/.0134, &x)
		}
	}))
	fmt.Println("answer x1000", minTime(func() {
		for range 1000 {
			b.answer(run{tau: .1, sd: 1, count: 1})
		}
	}))
	fmt.Println("answer2 x1000", minTime(func() {
		for range 1000 {
			b.answer(run{tau: .1, sd: 1, count: 2})
		}
	}))
	be := theory.LogProb(-2.995732)
	fmt.Println("walk 1000", minTime(func() { NoiseSchedule{8255, 1000, .1, be}.Feasible() }))
	NoiseSchedule{8255, 1000, .1, be}.Feasible()
	fmt.Println("walk 10", minTime(func() { NoiseSchedule{700, 10, .1, be}.Feasible() }))
	fmt.Println("walk 1e6", minTime(func() { NoiseSchedule{375179, 1000000, .1, be}.Feasible() }))
	fmt.Println("lnErrors 1000", minTime(func() {
		newEvenNoise(1000).lnErrors(11151, .1, .01347)
	}))
	fmt.Println("lnErrors 10", minTime(func() { newEvenNoise(10).lnErrors(793, .1, .015) }))
}
func BenchmarkWalk(b *testing.B) {
	be := theory.LogProb(-2.995732)
	for b.Loop() {
		NoiseSchedule{8255, 1000, .1, be}.Feasible()
	}
}
func BenchmarkEvenly(b *testing.B) {
	for b.Loop() {
		newEvenNoise(1000).lnErrors(11151, .1, .01347)
	}
}

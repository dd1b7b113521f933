package properties

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// gated is how many rows a method needs for 32 steps whose verdicts are shown.
func gated(t *testing.T, method string, beta theory.LogProb, tau float64, passes int64, kind transfer.Query) int64 {
	t.Helper()
	m, ok := transfer.Lookup(method)
	if !ok {
		t.Fatalf("there is no method %s", method)
	}
	g := transfer.Goal{Queries: 32, Tau: tau, Beta: beta, Query: kind}
	g.Feedback, g.Passes = transfer.Gate, passes
	a, err := m.Solve(g)
	if err != nil || a.Status != transfer.OK {
		t.Fatalf("%s: %+v, %v", method, a, err)
	}
	return a.Samples
}

// The sample size calculator of ease.ml/ci (github.com/easeml/ci at 7f6b051, easeml_cicd.core.utils.SampleCalculator,
// run with numpy) gives the rows of testdata/easeml.csv for 32 steps and the conditions "n > 0.8" and "n - o > 0.02".
// gate-renggli19 gives the same number in every one, and gate never a greater.
func TestRowsOfEaseML(t *testing.T) {
	file, err := os.Open("testdata/easeml.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil || len(lines) != 65 {
		t.Fatal(len(lines), err)
	}
	for _, line := range lines[1:] {
		reliability, ok := new(big.Rat).SetString(line[0])
		if !ok {
			t.Fatal(line)
		}
		failure, _ := new(big.Rat).Sub(big.NewRat(1, 1), reliability).Float64()
		tau, err := strconv.ParseFloat(line[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		kind := map[string]transfer.Query{"n": transfer.Bounded, "n - o": transfer.Difference}[line[2]]
		passes := map[string]int64{"none": 1, "full": 32}[line[3]]
		beta := theory.LogProb(math.Log(failure))
		published := gated(t, "gate-renggli19", beta, tau, passes, kind)
		if got := strconv.FormatInt(published, 10); got != line[4] {
			t.Errorf("%v: got %s", line, got)
		}
		if derived := gated(t, "gate", beta, tau, passes, kind); derived > published {
			t.Errorf("%v: gate needs %d", line, derived)
		}
	}
}

// A number that another program gives, with ours. The numbers of the others are what they printed: R 4.2.2, and
// statsmodels 0.13.5 with scipy 1.10.1 in Python.
type number struct {
	call   string // in the other program
	theirs float64
	ours   string // as a command line
	value  float64
}

// family is one of four adjusted p-values.
func family(t *testing.T, f pvalue.Family, which int) float64 {
	t.Helper()
	p := []theory.LogProb{ln(0.003), ln(0.0007), ln(0.011), ln(0.048)}
	if err := f.Adjust(p); err != nil {
		t.Fatal(err)
	}
	return p[which].Value()
}

func ln(p float64) theory.LogProb { return theory.LogProb(math.Log(p)) }

// fixed is how many rows one 0/1 query needs that is fixed in advance, among m of them.
func fixed(t *testing.T, m int64, tau float64) float64 {
	t.Helper()
	binomial, _ := transfer.Lookup("binomial")
	a, err := binomial.Solve(transfer.Goal{Queries: m, Tau: tau, Beta: ln(0.05), Query: transfer.Binary})
	if err != nil || a.Status != transfer.OK {
		t.Fatal(a, err)
	}
	return float64(a.Samples)
}

func same(t *testing.T) []number {
	p, err := pvalue.Pairs{Wins: 47, Losses: 20}.PValue()
	if err != nil {
		t.Fatal(err)
	}
	adjusted := func(call string, f pvalue.Family, which int, theirs float64) number {
		return number{call, theirs, "`pvalue-correct FILE --family " + string(f) + "`",
			family(t, f, which)}
	}
	return []number{
		{"R: `binom.test(47, 67, alternative = \"greater\")`", 0.000653584342881798,
			"`pvalue-correct --wins 47 --losses 20`", p.Value()},
		{"statsmodels: half of `mcnemar([[0, 20], [47, 0]], exact=True)`", 0.0013071686857635996 / 2,
			"the same", p.Value()},
		adjusted("R: `p.adjust(p, \"holm\")`, statsmodels: `multipletests(p, method=\"holm\")`, the first of four",
			pvalue.Holm, 0, 0.009000000000000001),
		adjusted("`p.adjust(p, \"BH\")`, `method=\"fdr_bh\"`, the third", pvalue.BenjaminiHochberg, 2, 0.014666666666666666),
		adjusted("`p.adjust(p, \"BY\")`, `method=\"fdr_by\"`, the third", pvalue.BenjaminiYekutieli, 2, 0.03055555555555555),
		adjusted("`p.adjust(p, \"bonferroni\")`, `method=\"bonferroni\"`, the third", pvalue.Bonferroni, 2, 0.044),
	}
}

// different are numbers that are not the same, since one is an approximation.
func different(t *testing.T) []number {
	const call = "statsmodels: `samplesize_confint_proportion(0.5, 0.05, alpha=%s)`"
	const ours = "`samplesize -m %d -t 0.05 -b 0.05 --query binary --method binomial`"
	return []number{
		{fmt.Sprintf(call, "0.05"), 384.14588206941266, fmt.Sprintf(ours, 1), fixed(t, 1, 0.05)},
		{fmt.Sprintf(call, "0.05/1000"), 1644.8110210007994, fmt.Sprintf(ours, 1000), fixed(t, 1000, 0.05)},
	}
}

// others is the table of the numbers, which asks that they agree or not as they should.
func others(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| call | gives | dpcalc | gives | |\n| --- | ---: | --- | ---: | --- |\n")
	add := func(n number, says string) {
		fmt.Fprintf(&b, "| %s | %.6g | %s | %.6g | %s |\n", n.call, n.theirs, n.ours, n.value, says)
	}
	for _, n := range same(t) {
		if n.value < n.theirs*(1-1e-12) || n.value > n.theirs*(1+1e-9) {
			t.Errorf("%s: %v, not %v", n.call, n.value, n.theirs)
		}
		add(n, "the same")
	}
	for _, n := range different(t) {
		if n.value <= n.theirs {
			t.Errorf("%s: %v is no less than %v", n.call, n.theirs, n.value)
		}
		add(n, "a normal approximation, below the exact number")
	}
	return b.String()
}

// boards is how many rows the best score so far takes, as published and as derived.
func boards(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| submissions | tau | the Ladder: `ladder-blum15` | `ladder` | its floor at 0.5 |\n|" +
		strings.Repeat(" ---: |", 5) + "\n")
	for _, m := range []int64{100, 1000, 100_000} {
		for _, tau := range []float64{0.1, 0.05} {
			g := transfer.Goal{Queries: m, Tau: tau, Beta: ln(0.05)}
			b.WriteString("| " + strconv.FormatInt(m, 10) + " | " + strconv.FormatFloat(tau, 'g', -1, 64))
			for _, c := range []struct {
				method string
				floor  float64
			}{{"ladder-blum15", 0}, {"ladder", 0}, {"ladder", 0.5}} {
				b.WriteString(" | " + cell(t, c.method, shownAs(g, transfer.Shown{Feedback: transfer.Best, Floor: c.floor})))
			}
			b.WriteString(" |\n")
		}
	}
	return b.String()
}

// bet is the value of an e-process for wins and losses: the likelihood ratio of a win to a loss, averaged over all
// chances of a win above one half,
//
//	2^(d+1) int_(1/2)^1 p^W (1-p)^L dp = 2^(d+1) W! L!/(d+1)! P[Bin(d+1,1/2) <= W],   d = W + L.
func bet(wins, losses int64) *big.Rat {
	d := wins + losses
	tail := new(big.Int)
	for k := range wins + 1 {
		tail.Add(tail, new(big.Int).Binomial(d+1, k))
	}
	ways := new(big.Int).Binomial(d, wins)
	return new(big.Rat).SetFrac(tail, ways.Mul(ways, big.NewInt(d+1)))
}

// betting is how many wins against losses pass, by the sign test and by that e-process.
func betting(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| losses | one test: sign test | e >= 20 | the first pass of 50 looks: sign test | e >= 1,000 |\n" +
		"|" + strings.Repeat(" ---: |", 5) + "\n")
	gate := maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.Gates{Looks: 50, Passes: 1}}}
	tests, err := pvalue.Tests(gate, ln(0.05))
	if err != nil {
		t.Fatal(err)
	}
	for _, losses := range []int64{0, 5, 10, 20, 40} {
		fmt.Fprintf(&b, "| %d |", losses)
		for _, level := range []struct {
			threshold theory.LogProb
			e         int64
		}{{ln(0.05), 20}, {tests[0].Threshold, 1000}} {
			wins, err := pvalue.WinsNeeded(level.threshold, losses)
			if err != nil {
				t.Fatal(err)
			}
			bets := int64(1)
			for bet(bets, losses).Cmp(big.NewRat(level.e, 1)) < 0 {
				bets++
			}
			fmt.Fprintf(&b, " %d | %d |", wins, bets)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The wealth of the e-process is fair: given the past, its mean after one more coin is what it was.
func TestBetIsFair(t *testing.T) {
	if bet(0, 0).Cmp(big.NewRat(1, 1)) != 0 {
		t.Errorf("it begins at %v", bet(0, 0))
	}
	for wins := range int64(12) {
		for losses := range int64(12) {
			mean := new(big.Rat).Add(bet(wins+1, losses), bet(wins, losses+1))
			if mean.Quo(mean, big.NewRat(2, 1)).Cmp(bet(wins, losses)) != 0 {
				t.Errorf("%d wins, %d losses: %v becomes %v", wins, losses, bet(wins, losses), mean)
			}
		}
	}
}

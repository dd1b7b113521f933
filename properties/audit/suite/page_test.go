package suite

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/check/audit.md")

// The tables of docs/check/audit.md stand between <!-- table: NAME --> and <!-- end -->. With -update
// they are written, otherwise compared.
func TestAuditPage(t *testing.T) {
	const file = "../../../docs/check/audit.md"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for _, table := range []struct {
		name string
		make func(t *testing.T) string
	}{{"checks", checkTable}, {"mechanisms", mechanismTable}, {"mutants", mutantTable}, {"detectable", detectableTable}} {
		open := "<!-- table: " + table.name + " -->\n"
		before, rest, found := strings.Cut(page, open)
		old, after, closed := strings.Cut(rest, "<!-- end -->")
		if !found || !closed {
			t.Fatalf("%s has no table %s", file, table.name)
		}
		got := table.make(t)
		if old != got && !*update {
			t.Errorf("table %s is not what the suite does: run go test ./properties/audit/suite -run AuditPage -update\n%s",
				table.name, got)
		}
		page = before + open + got + "<!-- end -->" + after
	}
	if *update && page != string(data) {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// markdown is a table; a | in a cell is escaped.
func markdown(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	line(head)
	b.WriteString(strings.Repeat("| --- ", len(head)) + "|\n")
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

// compares says what a check asks.
func compares(name string) string {
	return map[string]string{
		checkEpsilon:     "the largest likelihood ratio of neighbours, e^epsilon",
		checkMu:          "the least mu of Gaussian privacy",
		checkDelta:       "delta(epsilon) at 33 points of the curve",
		checkTradeOff:    "the vertices of the trade-off curve, in both orders",
		checkZCDP:        "the least rho of zero-concentrated privacy, the supremum over all orders",
		checkMaxInfo:     "the approximate max-information of sample and transcript, for two laws of the rows and four slacks, against every bound of package maxinfo",
		checkTranscripts: "the number of transcripts",
		checkAccuracy:    "the probability of a large error: exactly where the law is known, else by bets",
		checkSampler:     "whether the sampler draws from the law: exact binomial tests of every outcome on every data set",
		checkPrivacy:     "bets against (epsilon, delta) on samples of two neighbours, on values, on atoms and on the lattice of float64",
	}[name]
}

// checksAt are the checks of mechanisms that are built for epsilon, once for all tests: the output
// laws of a mechanism go with its checks.
func checksAt(t testing.TB, mechanisms []Mechanism, epsilon float64) []Check {
	t.Helper()
	var all []Check
	for _, m := range mechanisms {
		type key struct {
			name    string
			epsilon float64
		}
		made, _ := checked.LoadOrStore(key{m.Name, epsilon}, sync.OnceValues(func() ([]Check, error) {
			return Checks([]Mechanism{m}, epsilon)
		}))
		checks, err := made.(func() ([]Check, error))()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, checks...)
	}
	return all
}

var checked sync.Map

func allChecks(t testing.TB, mechanisms []Mechanism) []Check {
	t.Helper()
	return checksAt(t, mechanisms, 1)
}

func checkTable(t *testing.T) string {
	var rows [][]string
	for _, name := range []string{
		checkEpsilon, checkMu, checkDelta, checkTradeOff, checkZCDP, checkMaxInfo, checkTranscripts, checkAccuracy,
		checkSampler, checkPrivacy,
	} {
		var layers []string
		count, tight := 0, 0
		for _, c := range allChecks(t, Mechanisms()) {
			if c.Name != name {
				continue
			}
			count++
			if c.Tight {
				tight++
			}
			if !slices.Contains(layers, string(c.Layer)) {
				layers = append(layers, string(c.Layer))
			}
		}
		rows = append(rows,
			[]string{"`" + name + "`", strings.Join(layers, ", "), compares(name), fmt.Sprint(count), fmt.Sprint(tight)})
	}
	return markdown([]string{"check", "layer", "what is compared with the claim", "mechanisms", "of them attained"}, rows)
}

func mechanismTable(t *testing.T) string {
	var rows [][]string
	for _, m := range Mechanisms() {
		rows = append(rows, []string{"`" + m.Name + "`", m.Summary, allChecks(t, []Mechanism{m})[0].Claim})
	}
	return markdown([]string{"mechanism", "what it does", "claim at epsilon 1"}, rows)
}

func mutantTable(*testing.T) string {
	var rows [][]string
	for _, m := range Mutants() {
		rows = append(rows, []string{"`" + m.Name + "`", m.Summary, strings.Join(m.Killers, ", ")})
	}
	return markdown([]string{"mutant", "what is wrong", "refuted by"}, rows)
}

// detectableTable has for each statistical check the greatest violation that a row may miss, rounded up.
func detectableTable(t *testing.T) string {
	most := map[string]float64{}
	_, ledger := briefly(t)
	for _, e := range ledger.Entries() {
		check := e.Name[strings.LastIndexByte(e.Name, ' ')+1:]
		most[check] = max(most[check], e.Detectable)
	}
	var rows [][]string
	for _, c := range []struct{ name, claim, unit string }{
		{checkPrivacy, "1", "epsilon"}, {checkAccuracy, "0.01", "probability"},
		{checkSampler, "0", "deviation of a probability"},
	} {
		rows = append(rows, []string{
			"`" + c.name + "`", c.unit, c.claim, fmt.Sprintf("%.3f", math.Ceil(1000*most[c.name])/1000),
		})
	}
	return markdown([]string{"check", "unit", "claim", "detected"}, rows)
}

package advise

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/transfer"
)

// interviewed gives answers to the questions as on a terminal, about independent rows.
func interviewed(t *testing.T, typed string) ([]advice, string, error) {
	t.Helper()
	return interviewedFirst(t, "\n"+typed)
}

// interviewedFirst gives answers to all questions.
func interviewedFirst(t *testing.T, typed string) ([]advice, string, error) {
	t.Helper()
	var asked bytes.Buffer
	i := &interview{ctx: t.Context(), c: usage.Typed{}, terminal: true,
		answers: bufio.NewReader(strings.NewReader(typed)), asked: &asked}
	all, err := i.advice()
	return all, asked.String(), err
}

// commandOf is the command of the best advice.
func commandOf(all []advice) string {
	if best := bestOf(all); best != nil {
		return line(best.words)
	}
	return ""
}

// An answer is its number, its word or the beginning of it, in any case, and an empty line is the one that is shown.
func TestAnswersAreReadAsTyped(t *testing.T) {
	const want = "dpcalc samplesize -n 500 -m 20 -b 0.05 --query binary --method gaussian-schedule"
	goals := map[string]string{"y": "1", "Y": "accuracy", "yes": "a", "YES": "A", "ye": "", "1": "acc", "": ""}
	for yes, goal := range goals {
		all, _, err := interviewed(t, goal+"\n500\n"+yes+"\nanswers\n20\nbin\n\nNone\n")
		if err != nil || len(all) == 0 || line(all[0].words) != want {
			t.Errorf("%q, %q: %+v, %v", goal, yes, all, err)
		}
	}
	for _, no := range []string{"n", "no", "2", "N"} {
		all, _, err := interviewed(t, "\n500\n"+no+"\n20\n1\n\n\n")
		if commandOf(all) != "dpcalc samplesize -n 500 -m 20 -b 0.05 --query binary --method binomial" || err != nil {
			t.Errorf("%q: %+v, %v", no, all, err)
		}
	}
}

// A question is asked if it matters, and then once; a question mark explains it.
func TestQuestionsThatMatterAreAsked(t *testing.T) {
	for typed, flags := range map[string]string{
		"\n500\n\nanswers\n20\n\n\n\n":         "goal samples adaptive feedback queries query beta tau",
		"\n500\n\ngate\n20\n\n\n\n\n":          "goal samples adaptive feedback queries passes query beta tau",
		"\n500\n\nflags\n20\n\n\n\n\n":         "goal samples adaptive feedback queries budget query beta tau",
		"\n500\nn\n20\nsens\n\n\n\n":           "goal samples adaptive queries query sensitivity beta tau",
		"\n500\n\nbest\n20\ndiff\n\n\n\n":      "goal samples adaptive feedback queries query disagreement beta tau",
		"p\nmenu\n\n\n\n":                      "goal selection p alpha outcomes",
		"p\nprivate\n\n\n\n\n":                 "goal selection p alpha epsilon",
		"p\ngaussian\n\n\n\n\n\n":              "goal selection p alpha noise-sd",
		"p\ngate\n\n\n\n":                      "goal selection p alpha looks",
		"p\nfixed\n\n\n":                       "goal selection p alpha",
		"p\nfree\n":                            "goal selection",
		"\nnone\n\nunsure\n20\n\n\n?\n\n0.1\n": "goal samples adaptive feedback queries query beta tau",
	} {
		_, asked, err := interviewed(t, typed)
		if err != nil {
			t.Errorf("%q: %v", typed, err)
		}
		for _, q := range questions {
			want := 0
			if slices.Contains(strings.Fields("independent "+flags), q.flag) {
				want = 1
			}
			if got := strings.Count(asked, "\n"+q.asks+"\n"); got != want {
				t.Errorf("%q: --%s asked %d times, want %d", typed, q.flag, got, want)
			}
		}
	}
	for _, q := range questions {
		if q.explains == "" && !q.quiet {
			t.Errorf("--%s: nothing explains it", q.flag)
		}
	}
	_, asked, _ := interviewed(t, "?\n\n?\n500\n")
	for _, flag := range []string{"goal", "samples"} {
		if !strings.Contains(asked, find(flag).explains) {
			t.Errorf("--%s is not explained", flag)
		}
	}
}

// The first question is whether rows are independent. Where they come in clusters these are counted in their place, no
// query of them is 0/1, and the command that begins a ledger has a place for the column that names them.
func TestClustersAreAsked(t *testing.T) {
	all, asked, err := interviewedFirst(t, "n\n\n250\n\n\n20\n\n\n\n")
	if err != nil || len(all) == 0 || all[0].plan.Samples == 0 {
		t.Fatalf("%+v, %v", all, err)
	}
	if !strings.HasPrefix(asked, "\n"+find("independent").asks) || strings.Contains(asked, find("samples").asks) || strings.Contains(asked, "binary") {
		t.Error(asked)
	}
	code, out, stderr := commandtest.Dpcalc(strings.Fields("advise --independent no --clusters 250 --queries 20")...)
	for _, want := range []string{"clusters 250", "--features FILE --group", "The true value is the expected score", "a look is the mean over clusters"} {
		if code != usage.ExitOK || !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("exit %d, no %q in %s%s", code, want, out, stderr)
		}
	}
	same := rowsOf[told](t, usage.ExitOK, "advise --samples 250 --queries 20")
	for k, a := range rowsOf[told](t, usage.ExitOK, "advise --independent no --clusters 250 --queries 20") {
		if *a.Tau != *same[k].Tau || a.Command != same[k].Command {
			t.Errorf("%+v, for as many rows %+v", a, same[k])
		}
	}
	for flags, want := range map[string]string{
		"--independent yes --clusters 250 --samples 250 --queries 20": "dpcalc: --clusters: has no use with the other answers: leave it out\n",
		"--independent no --clusters 250 --queries 20 --query binary": "dpcalc: --query: got binary, want bounded, sensitive, minimization, difference or wins\n",
		"--independent maybe --samples 20":                            "dpcalc: --independent: got maybe, want yes or no\n",
	} {
		code, out, stderr := commandtest.Dpcalc(append([]string{"advise"}, strings.Fields(flags)...)...)
		if code != usage.ExitUsage || out != "" || stderr != want {
			t.Errorf("%s: exit %d, %s%s", flags, code, out, stderr)
		}
	}
}

// What cannot be read, and a number that does not go with those before it, is asked again, as often as it takes.
// Nothing that was answered before is lost by it, nor by an empty line.
func TestAsksAgain(t *testing.T) {
	typed := "pvalue\n\n12 %\nmany\n500\nperhaps\n\n9\ngate\n0\n30\n40\n2\ndifference\n3\n10%\n0.95\n\n4\n5%\n"
	all, asked, err := interviewed(t, typed)
	if err != nil || len(all) == 0 || all[0].plan.Queries != 30 || all[0].plan.Passes != 2 || all[0].plan.Samples != 500 {
		t.Errorf("%+v, %v", all, err)
	}
	for _, again := range []string{
		"got pvalue, want accuracy or p-value, did you mean p-value?", "got perhaps, want yes or no",
		`got "12 %", want a whole number`, "got many, want a whole number",
		"got 9, want answers, gate, best, flags, final or unsure", "got 0, want a whole number",
		"got 40, want at most the number of queries", "got 3, want a number in (0, 1]",
		"got 0.95, want at most 0.5, the probability of failure; did you mean 5%?", "got 4, want a number in (0, 2)",
	} {
		if !strings.Contains(asked, again) {
			t.Errorf("no line %q in\n%s", again, asked)
		}
	}
}

// Where the input ends, the answers so far are a command line that goes on from there. A last line may lack its end.
func TestInputEnds(t *testing.T) {
	_, _, err := interviewed(t, "\n500\nyes\ngate\n")
	const want = "dpcalc advise --independent yes --goal accuracy --samples 500 --adaptive yes --feedback gate goes on from here"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
	if all, _, err := interviewed(t, "p\nfree"); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	i := &interview{ctx: t.Context(), c: usage.Typed{"tau": {"5%"}}, terminal: true, asked: io.Discard,
		answers: bufio.NewReader(strings.NewReader("\n\nnone\n"))}
	if _, err := i.advice(); err == nil || !strings.Contains(err.Error(), "--samples none --tau 5% goes on") {
		t.Errorf("%v", err)
	}
}

// An interrupt ends the wait for an answer.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	silence, end := io.Pipe()
	defer end.Close()
	i := &interview{ctx: ctx, c: usage.Typed{}, terminal: true, answers: bufio.NewReader(silence), asked: io.Discard}
	if _, err := i.advice(); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// The best plan is run if the user agrees, and an empty line is a yes.
func TestOffer(t *testing.T) {
	for typed, runs := range map[string]bool{"": true, "y": true, "n": false} {
		var out bytes.Buffer
		s := &outfile.Session{Context: t.Context(), Stdin: strings.NewReader(""), Stdout: &out, Stderr: io.Discard}
		i := &interview{ctx: t.Context(), terminal: true, asked: io.Discard, c: usage.Typed{},
			answers: bufio.NewReader(strings.NewReader("\n\n500\n\n\n20\n\n\n\n" + typed + "\n"))}
		all, err := i.advice()
		if err != nil {
			t.Fatal(err)
		}
		call := &commands.Call{Session: s, Formats: []record.Format{printed.Table}}
		if err := i.offer(call, all); err != nil || strings.Contains(out.String(), "*  gate") != runs {
			t.Errorf("%q: %v\n%s", typed, err, out.String())
		}
	}
}

// told is a row of the command's JSON.
type told struct {
	Method, Command, Way, Feedback, Status, Reason string
	Samples, Queries                               *int64
	SamplesNeeded                                  int64 `json:"samples_needed"`
	Tau, Beta                                      *float64
	Best                                           bool
	Enough                                         *bool
	Ledger                                         string
	Threshold                                      *float64
	PAdjusted                                      *float64 `json:"p_adjusted"`
	Reject                                         *bool
}

// rowsOf runs a command line and reads its JSON.
func rowsOf[T any](t *testing.T, code int, line string) []T {
	t.Helper()
	got, out, stderr := commandtest.Dpcalc(append(strings.Fields(line), "-f", "json")...)
	var answer struct{ Rows []T }
	if err := json.Unmarshal([]byte(out), &answer); got != code || err != nil {
		t.Fatalf("%s: exit %d, %v, %s%s", line, got, err, out, stderr)
	}
	return answer.Rows
}

var plans = []string{
	"--samples 500 --queries 12 --query binary",
	"--samples 500 --queries 12 --tau 8% --feedback answers",
	"--samples 500 --queries 30 --tau 5% --feedback best",
	"--queries 9 --tau 10% --feedback flags --budget 3",
	"--queries 30 --tau 2% --query difference --disagreement 0.1 --feedback gate --passes 2",
	"--samples 900 --queries 7 --feedback final --query binary",
	"--samples 900 --queries 7 --adaptive no --query binary",
	"--queries 5 --tau 20% --query minimization --sensitivity 2 --finalists 3",
	"--queries 3 --tau 10% --noise no --training yes --budget 2 --feedback answers",
}

// asked has the answers that more than one test looks at.
var asked = map[string][]told{}

// advised is what is advised for a plan.
func advised(t *testing.T, flags string) []told {
	if asked[flags] == nil {
		asked[flags] = rowsOf[told](t, usage.ExitOK, "advise "+flags)
	}
	return asked[flags]
}

// Every row is the starred one of the command that it names, and the whole table's starred one unless the
// answers leave methods out.
func TestRowsAreThoseOfSamplesize(t *testing.T) {
	for _, flags := range plans {
		for _, a := range advised(t, flags) {
			if a.Status != "ok" {
				continue
			}
			words, method, ok := strings.Cut(strings.TrimPrefix(a.Command, "dpcalc "), " --method ")
			if !ok || method != a.Method {
				t.Errorf("%s: %s", flags, a.Command)
			}
			line := words
			if strings.Contains(flags, "--noise no") || strings.Contains(flags, "--adaptive no") {
				line += " --method " + method
			}
			starred := rowsOf[told](t, usage.ExitOK, line)
			k := slices.IndexFunc(starred, func(r told) bool { return r.Best || strings.Contains(flags, "--adaptive no") })
			if k < 0 || starred[k].Method != a.Method || *starred[k].Tau != *a.Tau || *starred[k].Samples != *a.Samples ||
				*starred[k].Queries != *a.Queries {
				t.Errorf("%s: %+v, want the best of %s: %+v", flags, a, line, starred)
			}
		}
	}
}

// The ways out are there, and the best plan is the one that the answers call for.
func TestWaysAndTheBest(t *testing.T) {
	for _, c := range []struct{ flags, ways, best string }{
		{"--samples 5000 --queries 150 --query binary", "sealed rows final; less feedback gate; less feedback best; less feedback flags; plan answers; fewer looks answers", "sealed rows final"},
		{"--samples 2000 --queries 40 --tau 5% --feedback answers --query binary",
			"plan answers; fewer looks answers; less feedback gate; sealed rows final", "sealed rows final"},
		{"--samples 20k --queries 40 --tau 5% --feedback answers", "plan answers; less feedback gate; sealed rows final",
			"plan answers"},
		{"--samples 20k --queries 40 --feedback gate", "plan gate; fewer looks gate; sealed rows final", "plan gate"},
		{"--samples 900 --queries 7 --feedback final", "plan final; fewer looks final", "plan final"},
		{"--samples 900 --queries 7 --adaptive no", "plan answers", "plan answers"},
		{"--samples 100 --queries 40 --tau 1% --feedback gate", "plan gate; sealed rows final", "plan gate"},
	} {
		var ways []string
		best := ""
		for _, a := range rowsOf[told](t, usage.ExitOK, "advise "+c.flags) {
			ways = append(ways, a.Way+" "+a.Feedback)
			if a.Best {
				best = a.Way + " " + a.Feedback
			}
		}
		if got := strings.Join(ways, "; "); got != c.ways || best != c.best {
			t.Errorf("%s: got %s, best %s; want %s, best %s", c.flags, got, best, c.ways, c.best)
		}
	}
}

// What is no better than an answer without data says so.
func TestTrivialAnswersAreNoted(t *testing.T) {
	for flags, note := range map[string]string{
		"--samples 5 --queries 3 --feedback answers":                                          "plan: answering 1/2 without any data does as well\n",
		"--samples 500 --queries 30 --query difference --disagreement 0.1 --feedback answers": "plan: no difference is more than 0.1, the disagreement\n",
	} {
		_, out, _ := commandtest.Dpcalc(append([]string{"advise"}, strings.Fields(flags)...)...)
		if !strings.Contains(out, note) {
			t.Errorf("%s: no %q in\n%s", flags, note, out)
		}
	}
}

// What is told of a check is so: a plan holds with as many rows as are called needed, and only those with so many are
// called enough.
func TestNeededRowsHold(t *testing.T) {
	for _, a := range rowsOf[told](t, usage.ExitOK, "advise --samples 2000 --queries 40 --tau 5% --query binary") {
		if *a.Enough != (*a.Samples >= a.SamplesNeeded) || *a.Enough != (*a.Tau <= 0.05) {
			t.Errorf("%+v", a)
		}
		words := strings.Fields(a.Command)[2:]
		at := slices.Index(words, "-n")
		words[at+1] = fmt.Sprint(a.SamplesNeeded)
		if !slices.Contains(words, "-t") {
			words = append(words, "-t", "0.05")
		}
		if !slices.Contains(words, "-m") {
			words = append(words, "-m", fmt.Sprint(*a.Queries))
		}
		if code, _, stderr := commandtest.Dpcalc(append([]string{"samplesize"}, words...)...); code != usage.ExitOK {
			t.Errorf("%v: exit %d, %s", words, code, stderr)
		}
	}
}

// Who does not know the number of looks is led to an open ledger, whose promise samplesize gives too, and the advice
// names first the command that makes it.
func TestUnknownNumberOfLooks(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("labels.csv", []byte("id,label\na,1\nb,0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, flags := range []string{
		"--samples 5000 --query binary", "--samples 5000 --queries none --feedback best", "--samples 900 --feedback flags",
		"--samples 900 --feedback answers", "--tau 3% --feedback gate --passes 3",
	} {
		all := rowsOf[told](t, usage.ExitOK, "advise "+flags)
		for k, a := range all {
			if a.Best != (k == 0) || (a.Way == openLedger) != (k < len(all)-1) {
				t.Errorf("%s: row %d is %+v", flags, k, a)
			}
			same := rowsOf[told](t, usage.ExitOK, strings.TrimPrefix(a.Command, "dpcalc "))[0]
			if *same.Tau != *a.Tau || *same.Samples != *a.Samples {
				t.Errorf("%s: %+v, but %s gives %+v", flags, a, a.Command, same)
			}
		}
		_, out, _ := commandtest.Dpcalc(append([]string{"advise"}, strings.Fields(flags)...)...)
		_, last, _ := strings.Cut(strings.ReplaceAll(out, " \\\n   ", ""), "\n\n")
		_, last, _ = strings.Cut(last, "\n\n")
		last, _, _ = strings.Cut(last, "\n")
		words, ok := strings.CutPrefix(strings.TrimSpace(last), "Begin with: dpcalc ")
		words = strings.NewReplacer("DIR", fmt.Sprintf("ledger%d", i), "FILE", "labels.csv").Replace(words)
		code, _, stderr := commandtest.Dpcalc(strings.Fields(words)...)
		if !ok || !strings.HasSuffix(words, "--open") || code != usage.ExitOK {
			t.Errorf("%s: it begins with %s: exit %d, %s", flags, last, code, stderr)
		}
	}
}

// The command that begins to carry a plan out works with a file of so many labels.
func TestLedgersBegin(t *testing.T) {
	t.Chdir(t.TempDir())
	began := 0
	for _, flags := range plans {
		for _, a := range advised(t, flags) {
			if a.Ledger == "" {
				continue
			}
			began++
			file := "id,label\n"
			for row := range *a.Samples {
				file += fmt.Sprintf("%d,%d\n", row, row%2)
			}
			if err := os.WriteFile("labels.csv", []byte(file), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile("incumbent.csv", []byte(strings.Replace(file, "label", "prediction", 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			line := strings.NewReplacer("dpcalc ", "", "DIR", fmt.Sprintf("ledger%d", began), "--labels FILE",
				"--labels labels.csv", "--incumbent FILE", "--incumbent incumbent.csv").Replace(a.Ledger)
			if code, _, stderr := commandtest.Dpcalc(strings.Fields(line)...); code != usage.ExitOK {
				t.Errorf("%s: exit %d, %s", line, code, stderr)
			}
		}
	}
	if began < 20 {
		t.Errorf("%d ledgers", began)
	}
	if got := holdout.Methods(); !slices.Equal(got, ledgers) {
		t.Errorf("a ledger runs %v, want %v", got, ledgers)
	}
}

// The numbers of a p-value are the ones that pvalue-correct gives; a menu's are alpha/N and N p in exact arithmetic.
func TestSelection(t *testing.T) {
	for _, flags := range []string{
		"--selection fixed --p 0.003", "--selection menu --outcomes 40 --p 0.003", "--selection menu --outcomes 100k",
		"--selection private --epsilon 0.01 --samples 10k --p 0.003 --alpha 1%",
		"--selection gaussian --queries 10 --noise-sd 0.02 --samples 3600 --p 1e-4",
		"--selection gate --looks 100 --passes 3 --p 1e-4", "--selection gate --looks 20",
	} {
		a := rowsOf[told](t, usage.ExitOK, "advise --goal p-value "+flags)[0]
		line := strings.NewReplacer("dpcalc ", "", " FILE", "", " --family holm", "").Replace(a.Command)
		starred := rowsOf[told](t, usage.ExitOK, line)
		k := slices.IndexFunc(starred, func(r told) bool { return r.Best })
		same := func(a, b *float64) bool { return a == b || a != nil && b != nil && *a == *b }
		if k < 0 || !same(starred[k].Threshold, a.Threshold) || !same(starred[k].PAdjusted, a.PAdjusted) {
			t.Errorf("%s: %+v, want %+v", flags, a, starred)
		}
		if a.Method != starred[k].Method && a.Method != none {
			t.Errorf("%s: %s, want %s", flags, a.Method, starred[k].Method)
		}
	}
	a := rowsOf[told](t, usage.ExitOK, "advise --goal p-value --selection menu --outcomes 40 --p 0.003")[0]
	threshold, _ := new(big.Rat).SetFrac64(5, 100*40).Float64()
	adjusted, _ := new(big.Rat).SetFrac64(3*40, 1000).Float64()
	if *a.Threshold > threshold || *a.Threshold < threshold*(1-1e-9) || *a.PAdjusted < adjusted ||
		*a.PAdjusted > adjusted*(1+1e-9) || *a.Reject {
		t.Errorf("%+v, want %v, %v", a, threshold, adjusted)
	}
	free := rowsOf[told](t, usage.ExitOK, "advise --goal p-value --selection free")[0]
	if free.Command != "" || free.Threshold != nil {
		t.Errorf("%+v", free)
	}
	open := rowsOf[told](t, usage.ExitOK, "advise --goal p-value --selection private --epsilon 1%")[0]
	if open.Threshold != nil || !strings.HasSuffix(open.Command, "--epsilon 1% --samples N") {
		t.Errorf("%+v", open)
	}
}

// In a pipe what cannot be read is refused, what cannot be assumed is missing, and what is assumed is printed.
func TestPipe(t *testing.T) {
	for flags, want := range map[string]string{
		"":                                      "--tau: got nothing, want a positive number",
		"--adaptive no":                         "--queries: got nothing, want a whole number",
		"--feedback final --samples 9":          "--queries: got nothing, want a whole number",
		"--queries 20":                          "--tau: got nothing, want a positive number",
		"--queries many --samples 10":           "--queries: got many, want a whole number",
		"--samples -3":                          "--samples: got -3, want a whole number",
		"--feedback gat":                        "did you mean gate?",
		"--queries 20 --samples 5 --tau 1":      "--tau: got 1, want a number in (0, 1)",
		"--queries 20 --tau none":               "--tau: got none, want a positive number",
		"--queries 2 --passes 3 --samples 10":   "--passes: got 3, want at most the number of queries",
		"--queries 2 --samples 10 --outcomes 3": "--outcomes: has no use",
		"--queries 2 --samples 10 --feedback gate --budget 1":      "--budget: has no use",
		"--queries 2 --samples 10 --feedback final --finalists 1":  "--finalists: has no use",
		"--queries 2 --samples 10 --query bounded --sensitivity 2": "--sensitivity: has no use",
		"--goal p-value":                                       "--selection: got nothing, want fixed, menu, private, gaussian, gate or free",
		"--goal p-value --selection menu --p 2":                "--p: got 2, want a probability",
		"--goal p-value --selection gate --looks 3 --passes 4": "passes: got 4",
	} {
		code, out, stderr := commandtest.DpcalcReading("1\n2\n3\n", append([]string{"advise"}, strings.Fields(flags)...)...)
		if !commandtest.Refused(code, out, stderr, want) {
			t.Errorf("%s: exit %d, %s%s", flags, code, out, stderr)
		}
	}
	_, out, _ := commandtest.Dpcalc("advise", "--samples", "500", "--queries", "20")
	const taken = "Assumed without a flag: --independent yes, --goal accuracy, --adaptive yes, --feedback unsure, --training no, --passes 1, --budget 1, --finalists 1, --noise yes, --query bounded, --beta 0.05, --tau none\n"
	if !strings.Contains(strings.ReplaceAll(out, "\n  ", " "), taken) {
		t.Errorf("%s", out)
	}
	const hopeless = "advise --queries 10 --tau 1e-9 --query sensitive --noise no --feedback answers"
	rows := rowsOf[told](t, usage.ExitNoAnswer, hopeless)
	if slices.ContainsFunc(rows, func(a told) bool { return a.Best || a.Status == string(transfer.OK) }) {
		t.Errorf("%+v", rows)
	}
}

// A confidence stands for the probability of failure.
func TestConfidence(t *testing.T) {
	rows := rowsOf[told](t, usage.ExitOK, "advise --samples 500 --queries 20 --confidence 99%")
	if len(rows) == 0 || math.Abs(*rows[0].Beta-0.01) > 1e-12 {
		t.Errorf("%+v", rows)
	}
}

// An answer can be taken back, as often as one likes, and what was answered before it stays.
func TestBack(t *testing.T) {
	var asked bytes.Buffer
	i := &interview{ctx: t.Context(), c: usage.Typed{}, terminal: true, asked: &asked,
		answers: bufio.NewReader(strings.NewReader("back\n\n\n500\n\nback\nback\nBack\n\n700\n\ngate\n20\n3\n\n\n\n"))}
	all, err := i.interviewed()
	if err != nil || all[0].plan.Samples != 700 || all[0].plan.Passes != 3 {
		t.Errorf("%+v, %v", all, err)
	}
	for flag, times := range map[string]int{"independent": 2, "goal": 2, "samples": 3, "adaptive": 3, "feedback": 2, "queries": 1} {
		if got := strings.Count(asked.String(), "\n"+find(flag).asks+"\n"); got != times {
			t.Errorf("--%s is asked %d times, want %d", flag, got, times)
		}
	}
}

// Enter at a question without a standard answer repeats it with an example.
func TestExamples(t *testing.T) {
	_, asked, _ := interviewed(t, "\nnone\nno\n\n40\n\n\n\n5%\n")
	for _, flag := range []string{"queries", "tau"} {
		if q := find(flag); strings.Count(asked, q.asks+" An example: "+q.example) != 1 {
			t.Errorf("--%s: %s", flag, asked)
		}
	}
	_, asked, _ = interviewed(t, "p\n\nfree\n")
	if want := "How did you choose the test? Answer fixed, menu, private, gaussian, gate or free.\n"; !strings.Contains(asked, want) {
		t.Errorf("no %q in %s", want, asked)
	}
}

// A number of clusters is an answer by itself, and a number of rows beside it does no harm.
func TestClustersAlone(t *testing.T) {
	want := rowsOf[told](t, usage.ExitOK, "advise --independent no --clusters 250 --queries 20")
	for _, flags := range []string{"--clusters 250 --queries 20", "--clusters 250 --samples 9000 --queries 20"} {
		for k, a := range rowsOf[told](t, usage.ExitOK, "advise "+flags) {
			if a.Command != want[k].Command || *a.Tau != *want[k].Tau {
				t.Errorf("%s: %+v, want %+v", flags, a, want[k])
			}
		}
	}
	a := rowsOf[told](t, usage.ExitOK, "advise --goal p-value --selection private --epsilon 1% --clusters 400 --p 1e-4")[0]
	b := rowsOf[told](t, usage.ExitOK, "advise --goal p-value --selection private --epsilon 1% --samples 400 --p 1e-4")[0]
	if a.Command != b.Command {
		t.Errorf("got %s, want %s", a.Command, b.Command)
	}
}

// Metrics without a plan for scores, and tests of wins and losses, are led to a forecast and to a ledger: both commands
// run once their blanks are filled in.
func TestGatedMetrics(t *testing.T) {
	t.Chdir(t.TempDir())
	rows := "id,label\n"
	for row := range 300 {
		rows += fmt.Sprintf("%d,%d\n", row, row%2)
	}
	for name, text := range map[string]string{"labels.csv": rows, "incumbent.csv": strings.Replace(rows, "label", "prediction", 1),
		"features.csv": strings.Replace(rows, "label", "document", 1)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for n, flags := range []string{
		"--query wins --samples 300 --queries 20", "--query wins --samples 300", "--query WINS --queries 9 --feedback gate --passes 2",
		"--query f1 --samples 300", "--query f1 --queries 20", "--query auc --queries 20 --samples 300",
		"--query sign --clusters 2 --queries 20",
	} {
		a := rowsOf[told](t, usage.ExitOK, "advise "+flags)[0]
		fill := strings.NewReplacer("dpcalc ", "", "DIR", fmt.Sprintf("ledger%d", n), "--labels FILE", "--labels labels.csv",
			"--incumbent FILE", "--incumbent incumbent.csv", "--features FILE", "--features features.csv", "COLUMN", "document",
			"POSITIVES,NEGATIVES", "150,150", "TEXT", "1", "disagreement D", "disagreement 0.2", "effect E", "effect 0.1",
			"positives P", "positives 0.5", "BAR", "0.7")
		for _, line := range []string{a.Command, a.Ledger} {
			code, _, stderr := commandtest.Dpcalc(strings.Fields(fill.Replace(line))...)
			if code == usage.ExitUsage || line == "" {
				t.Errorf("%s: %s: exit %d, %s", flags, line, code, stderr)
			}
		}
	}
}

// A word that means an answer is one, typed or in a flag.
func TestSynonyms(t *testing.T) {
	for flags, same := range map[string]string{
		"--query accuracy --samples 500 --queries 20": "--query binary --samples 500 --queries 20",
		"--samples 500 --queries unknown":             "--samples 500 --queries none",
		"--goal score --samples 500 --queries 20":     "--goal accuracy --samples 500 --queries 20",
	} {
		got, want := rowsOf[told](t, usage.ExitOK, "advise "+flags), rowsOf[told](t, usage.ExitOK, "advise "+same)
		if len(got) != len(want) || got[0].Command != want[0].Command {
			t.Errorf("%s: %+v, want %+v", flags, got, want)
		}
	}
}

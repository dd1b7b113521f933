//go:build scripts

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

// These tests call the program from Python and from R. They need python3 with pip, pandas, scikit-learn and matplotlib
// (the variable PYTHON names another python3 than the first on the path), or Rscript with jsonlite, and are run by
// go test -tags scripts ./cmd/dpcalc -run 'Python|RScript'.

// A language is one that has a way to call the program.
type language struct {
	name string   // as the fences of blocks have it
	run  []string // what runs a script
	load string   // the statement that makes the functions known
	mark string   // the statement that prints between
}

// between separates what the blocks of a page print.
const between = "\x1e\n"

var (
	python  = language{"python", nil, "from dpcalc import *\nimport dpcalc, json\n", "print(chr(30))\n"}
	rScript = language{"r", []string{"Rscript", "--vanilla"}, "library(dpcalc)\nnoise <- dpcalc:::noise\n", "cat(\"\\036\\n\")\n"}
)

// room returns a directory with the program, built from the source.
func room(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	runs(t, "go", "build", "-buildvcs=false", "-o", dir+string(filepath.Separator), ".")
	return dir
}

// runs runs what has to succeed.
func runs(t *testing.T, words ...string) {
	t.Helper()
	if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", words, err, out)
	}
}

// installed is Python in a fresh environment, where pip has installed the wheel of the program and nothing else. The
// environment sees the packages of the system if others is set.
func installed(t *testing.T, dir string, others bool) language {
	t.Helper()
	system, env := cmp.Or(os.Getenv("PYTHON"), "python3"), filepath.Join(t.TempDir(), "env")
	wheels, err := filepath.Glob(filepath.Join(dir, "dist", "*.whl"))
	if err != nil {
		t.Fatal(err)
	}
	if wheels == nil {
		dist := filepath.Join(dir, "dist")
		if err := os.Mkdir(dist, 0o755); err != nil {
			t.Fatal(err)
		}
		runs(t, "go", "-C", "../../tools", "run", "./wheel", "-o", dist, "-platform", runtime.GOOS+"/"+runtime.GOARCH,
			"-program", filepath.Join(dir, "dpcalc"), "-notices", "../LICENSE", "-release", "v0.1.0-test")
		if wheels, err = filepath.Glob(filepath.Join(dist, "*.whl")); err != nil || len(wheels) != 1 {
			t.Fatal(wheels, err)
		}
	}
	make := []string{system, "-m", "venv", "--without-pip", env}
	if others {
		make = append(make, "--system-site-packages")
	}
	runs(t, make...)
	l := python
	l.run = []string{filepath.Join(env, "bin", "python")}
	runs(t, system, "-m", "pip", "--python", l.run[0], "install", "--quiet", "--no-index", "--no-deps", "--ignore-installed", wheels[0])
	return l
}

// printed runs a script in the directory, with its program on the path, and returns what it prints.
func (l language) printed(t *testing.T, dir, script string) string {
	t.Helper()
	path := filepath.Join(dir, "script."+l.name)
	if err := os.WriteFile(path, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(l.run[0], append(slices.Clone(l.run[1:]), path)...)
	run.Dir = dir
	run.Env = os.Environ()
	if l.name == rScript.name { // whose package has no program
		path := dir + string(filepath.ListSeparator) + os.Getenv("PATH")
		run.Env = append(run.Env, "R_LIBS="+filepath.Join(dir, "library"), "PATH="+path)
	}
	run.Env = slices.DeleteFunc(run.Env, func(s string) bool { return strings.HasPrefix(s, "DPCALC=") })
	var out, said bytes.Buffer
	run.Stdout, run.Stderr = &out, &said
	if err := run.Run(); err != nil {
		t.Fatalf("%v: %v\n%s%s", l.run, err, out.String(), said.String())
	}
	return out.String()
}

// checkPage runs a page's blocks in their order, as one script, and compares what each prints with the block of text
// that follows it.
func (l language) checkPage(t *testing.T, dir, name string, least int) {
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	pair := regexp.MustCompile("(?s)```" + l.name + "\n(.*?)```\n\n```text\n(.*?)```\n")
	blocks := pair.FindAllSubmatchIndex(page, -1)
	if fences := bytes.Count(page, []byte("```"+l.name+"\n")); len(blocks) < least || len(blocks) != fences {
		t.Fatalf("%d of %d blocks of %s are followed by what they print, want at least %d", len(blocks), fences, name, least)
	}
	var script strings.Builder
	for _, at := range blocks {
		script.Write(page[at[2]:at[3]])
		script.WriteString(l.mark)
	}
	printed := strings.Split(l.printed(t, dir, script.String()), between)
	if len(printed) != len(blocks)+1 {
		t.Fatalf("%d blocks printed %q", len(blocks), printed)
	}
	var written []byte
	end := 0
	for i, at := range blocks {
		if want := string(page[at[4]:at[5]]); printed[i] != want && !*commandtest.Update {
			t.Errorf("%s:\n%s--- got\n%s--- want\n%s", name, page[at[2]:at[3]], printed[i], want)
		}
		written = slices.Concat(written, page[end:at[4]], []byte(printed[i]))
		end = at[5]
	}
	written = append(written, page[end:]...)
	if *commandtest.Update && !bytes.Equal(written, page) {
		if err := os.WriteFile(name, written, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPython(t *testing.T) {
	dir := room(t)
	l := installed(t, dir, true)
	t.Run("page", func(t *testing.T) {
		l.checkPage(t, t.TempDir(), "../../docs/use/python.md", 7)
	})
	t.Run("rows", func(t *testing.T) { l.checkPythonRows(t, dir) })
	t.Run("answers", func(t *testing.T) { l.checkAnswers(t, dir, pythonAnswers, "ValueError", "DpcalcError") })
	t.Run("module", func(t *testing.T) {
		if got, want := l.printed(t, dir, l.load+pythonModule), "as wanted\n"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("alone", func(t *testing.T) {
		alone := installed(t, dir, false)
		got := alone.printed(t, t.TempDir(), alone.load+
			"plans = samplesize(queries=[10, 100], tau=0.1, beta=0.05, method=\"gaussian-schedule\")\nprint(isinstance(plans, list), plans)\nprint(program())\n")
		const plans = "True [samplesize(method='gaussian-schedule', samples=599, queries=10, tau=0.1, beta=0.05, best=True, status='ok'),\n " +
			"samplesize(method='gaussian-schedule', samples=2210, queries=100, tau=0.1, beta=0.05, best=True, status='ok')]\n"
		if want := fmt.Sprintf("%s%s\n", plans, filepath.Join(filepath.Dir(alone.run[0]), "dpcalc")); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// pythonModule are the promises of the module beside its page: flags as words, what is an answer and what is not, a
// parallel search, the cut of noise, and an annotation for every parameter and result.
const pythonModule = `
import inspect, pathlib, pickle, threading, typing
import pandas, numpy
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV

def refuses(kind, call, says):
    try:
        call()
    except kind as error:
        assert says in str(error), error
        return error
    raise AssertionError(says)

words = dpcalc._words
assert words("target_beta", 0.1) == ["--target-beta=0.1"] and words("zip", True) == ["--zip"]
assert words("zip", False) == words("zip", None) == []
assert words("queries", [10, 100]) == words("queries", numpy.array([10, 100])) == ["--queries=10,100"]
assert words("tau", pandas.Series([0.1, 0.2])) == ["--tau=0.1,0.2"] and words("tau", numpy.float64(0.1)) == ["--tau=0.1"]
assert words("step", ["a", "b"]) == ["--step=a", "--step=b"] and words("output", pathlib.Path("x.csv")) == ["--output=x.csv"]
refuses(ValueError, lambda: words("method", ["gate,ladder", "gate"]), "want no comma")
assert words("from_", "inspect") == ["--from=inspect"]
kept = pathlib.Path("argument.json")
kept.write_text("kept")
refuses(ValueError, lambda: dpcalc.rows("methods", **{"output=argument.json": True}), "want a flag's name")
refuses(ValueError, lambda: dpcalc.rows("--output=argument.json"), "want a command's name")
assert kept.read_text() == "kept" and dpcalc.__version__ == "0.1.0.dev0+test"

# Signatures have the flags, a misspelt one gets the program's remedy, and an alias works.
parameters = inspect.signature(power).parameters
assert parameters["effect"].default is None and parameters["open"].default is False and "samples:" in power.__doc__
refuses(DpcalcError, lambda: samplesize(queris=10), "did you mean --queries?")
assert samplesize(looks=10, tau=0.1).samples[0] == samplesize(queries=10, tau=0.1).samples[0]
assert power(samples=2000, queries=50, threshold=0.8, query="accuracy", effect=0.1).power[0] > 0
assert advise(samples=1000).command[0].startswith("dpcalc ")

# A table keeps its columns and its index.
genes = pandas.DataFrame({"gene": ["=A", "B", "C"], "p": [0.001, None, 0.01]}, index=["x", "y", "z"])
with dpcalc.warnings.catch_warnings():
    dpcalc.warnings.simplefilter("ignore")
    for given in [genes, genes.p]:
        corrected = pvalue_correct(given, by="description", outcomes=40, alpha=0.05)
        assert corrected.index.tolist() == ["x", "y", "z"] and abs(corrected.p_adjusted["x"] - 0.04) < 1e-9
        assert corrected.reject["x"] is True and corrected.status["y"] == "missing" and corrected.p.equals(genes.p)
assert corrected.columns[0] == "p" and pvalue_correct([0.01, 0.2], family="holm").p_adjusted.round(9).tolist() == [0.02, 0.2]

# A list of p-values comes back as the numbers that it has.
listed = pvalue_correct([0.01, None, 1e-300, 1], by="description", outcomes=40, alpha=0.05)
assert listed.p.dtype == float and listed.p.fillna(2).tolist() == [0.01, 2, 1e-300, 1] and listed.status[1] == "missing"

frame = samplesize(queries=[10, 100], tau=0.1, beta=0.05)
assert isinstance(frame, pandas.DataFrame) and len(frame.columns) > 40 and type(frame[frame.best]) is pandas.DataFrame
assert repr(frame).splitlines()[0].split() == ["method", "samples", "queries", "tau", "beta", "best", "status"], frame
assert "gaussian-schedule" in frame._repr_html_() and "ln_beta" not in frame._repr_html_()
assert pickle.loads(pickle.dumps(frame)).equals(frame) and frame.copy().equals(frame)
assert frame.samples.dtype == int and frame.best.sum() == 2 and frame.tau.dtype == float and frame.adaptive.all()
assert frame.groupby("queries").best.first().all() and set(frame.status) == {"ok"}
every = samplesize(queries=[10, 100], tau=0.1, beta=0.05, full=True)
assert str(every.samples.dtype) == "Int64" and len(every) > len(frame) and not every.adaptive.all()
plan = samplesize(samples=20000, queries=25, beta=0.05, query="binary").sort_values("tau").iloc[0]
assert plan.best and plan.adaptive and plan.method == "gaussian-schedule", plan

labels = pathlib.Path("module.csv")
labels.write_text("id,label\n" + "".join(f"{i},{i % 2}\n" for i in range(500)))
ledger = Holdout.init("module", labels, open=True, beta=0.05)
refuses(DpcalcError, lambda: Holdout.init("module", labels, open=True, beta=0.05), "")
by_id = {i: 1 for i in range(500)}
fails = ledger.score(by_id, show="pass", bar=0.9)
assert fails["verdict"] == "fail" and not fails["repeated"] and ledger.status()["looks"] == 1
series, table = pandas.Series(by_id), pandas.DataFrame({"id": list(by_id), "prediction": list(by_id.values())})
assert ledger.score(series, show="pass", bar=0.9)["repeated"] and ledger.score(table, show="pass", bar=0.9)["repeated"]
assert repr(fails).startswith("score(look=1, verdict='fail', lower=0, upper=0.9") and pickle.loads(pickle.dumps(fails)) == fails
assert repr(ledger.status()).startswith("status(state='open', looks=1, spent=") and json.loads(json.dumps(fails)) == fails
for result in [ledger.verify(), ledger.price(show="pass", bar=0.9), ledger.log(), compose(mu=1, times=3, target_delta=1e-6),
               maxinfo(samples=1000, step="pure-dp:epsilon=0.01"), advise(samples=1000)]:
    assert len(repr(result).splitlines()[0]) < 130, result
refuses(ValueError, lambda: ledger.score(by_id, show=["pass:bar=0.9", "score"]), "want one look")
refuses(TypeError, lambda: ledger.score([1, 0], show="score"), "got list")

# A file with the name of a flag is a file.
kept, odd = pathlib.Path("kept.json"), pathlib.Path("--output=kept.json")
kept.write_text("kept")
refuses(DpcalcError, lambda: ledger.price(str(odd), show="pass", bar=0.9), "--output=kept.json")
table.to_csv(odd, index=False)
for file in [odd, str(odd), odd.absolute()]:
    assert ledger.score(file, show="pass", bar=0.9)["repeated"]
odd.write_text("p\n0.01\n")
assert float(pvalue_correct(str(odd), by="description", outcomes=40, alpha=0.05).p[0]) == 0.01
assert kept.read_text() == "kept"
more = pathlib.Path("more.csv")
more.write_text("id,label\n" + "".join(f"{i},1\n" for i in range(500, 700)))
assert ledger.extend(more)["samples"] == 700

# No argument, wherever it is put, is taken for a flag that writes: nothing that is there is changed.
def texts():
    return {path: path.read_bytes() for path in pathlib.Path(".").rglob("*") if path.is_file()}
with dpcalc.warnings.catch_warnings():
    dpcalc.warnings.simplefilter("ignore")
    before = texts()
    for odd in ["--output=kept.json", "-o=kept.json", "-okept.json", "-o", "--schedule=kept.json", "10 --output=kept.json",
                "--log", "--append=kept.json", "kept.json"]:
        for call in [lambda: samplesize(queries=odd, tau=0.1), lambda: samplesize(queries=[10, odd], tau=0.1),
                     lambda: samplesize(queries=10, tau=0.1, method=odd), lambda: samplesize(**{odd: True}),
                     lambda: pvalue_correct(odd, by="free"), lambda: pvalue_correct(odd, odd, by="free"),
                     lambda: pvalue_correct([odd], family="holm"), lambda: maxinfo(samples=10, step=[odd]),
                     lambda: pvalue_correct(pandas.DataFrame({odd: [0.1], "p": [0.2]}), family="holm", p_column=odd),
                     lambda: dpcalc.rows(odd), lambda: dpcalc.rows("plan", "init", odd), lambda: dpcalc.rows("explain", odd),
                     lambda: Holdout.init(odd, odd, open=True, beta=0.05), Holdout(odd).status, Holdout(odd).verify,
                     lambda: ledger.score(odd, show="score"), lambda: ledger.score(by_id, show=odd),
                     lambda: ledger.score(by_id, show="score", metric=odd), lambda: ledger.extend(odd)]:
            try:
                call()
            except (DpcalcError, ValueError):
                pass
    after = texts()
    for path, text in before.items():
        assert after[path] == text or path.suffix == ".jsonl" and after[path].startswith(text), path

# A plot has a line for each interval and the shown numbers as points.
import matplotlib
matplotlib.use("Agg")
ledger.score({i: i % 2 for i in range(700)}, show="score")
looks = ledger.log()
looks = looks[looks.event == "look"]
axes = ledger.plot()
intervals = [line.get_ydata() for line in axes.lines[:-1]]
assert [list(ends) for ends in intervals] == looks[["lower", "upper"]].values.tolist(), intervals
assert axes.lines[-1].get_ydata() == looks.response.dropna().tolist() and axes.get_xlabel() == "look"
assert ledger.plot(axes) is axes and len(axes.lines) == 2 * len(intervals) + 2

# Two candidates in two processes: one look for each.
ids = list(range(700))
looks = ledger.status()["looks"]
gate = scorer(ledger, numpy.zeros((700, 1)), ids, show="pass", bar=0.2)
search = GridSearchCV(DummyClassifier(strategy="constant"), {"constant": [0, 1]}, cv=[([0, 1, 2, 3], [0])], scoring=gate,
                      error_score="raise", n_jobs=2, refit=False)
search.fit(numpy.zeros((4, 1)), [0, 1, 0, 1])
assert search.cv_results_["mean_test_score"].tolist() == [1, 1], search.cv_results_
assert ledger.status()["looks"] == looks + 2
refuses(ValueError, lambda: scorer(ledger, numpy.zeros((3, 1)), ids)(DummyClassifier().fit([[0]], [1])), "got 3 predictions for 700 ids")

with ledger as same:
    assert same.log()["look"].max() == looks + 2 and same.verify()["verdict"] == "verified"
assert "<td>open</td>" in ledger._repr_html_() and "no" in Holdout("no")._repr_html_()
assert Holdout.init("closed", labels, open=True, beta=0.05).close(alpha=0.05)["state"] == "retired"
torn = pathlib.Path("closed/looks.jsonl")
torn.write_text(torn.read_text().replace("a", "b", 1))
def leave():
    with Holdout("closed"):
        pass
refuses(DpcalcError, leave, "")
ledger.retire()
refused = refuses(DpcalcError, lambda: ledger.score({i: 1 for i in ids}, show="pass", bar=0.3), "refused: the ledger is retired")
assert refused.code == 3 and pickle.loads(pickle.dumps(refused)).rows == refused.rows

bad = refuses(DpcalcError, lambda: Noise(samples=100, queries=10, tau=0.1, beta=0.05), "rows, and there are 100")
assert bad.code == 4
answer = Noise(samples=20000, queries=3, beta=0.05)
refuses(TypeError, lambda: pickle.dumps(answer), "")  # a copy would count anew
refuses(ValueError, lambda: answer(1.0000001), "want a number from 0 to 1")
assert answer.left == 3
answer._left = [(0.125, 0.5)] * 3
draws = iter([3.0, -0.75, 0.5, 0.25, -0.5, 0.125])
dpcalc.random.SystemRandom.normalvariate = lambda self, mean, sd: next(draws)
# Within the cut as they are, and otherwise drawn again: a clipped first answer would be 0.5625.
assert [answer(0.5), answer(0.5), answer(0.5)] == [0.5625, 0.53125, 0.4375], answer

for name in dpcalc.__all__:
    one = getattr(dpcalc, name)
    for function in [one] + [f for n, f in vars(one).items() if inspect.isfunction(f)] if isinstance(one, type) else [one]:
        if inspect.isfunction(function):
            wanted = set(inspect.signature(function).parameters) - {"self"}
            if name != "DpcalcError":
                typed = set(function.__annotations__)
                assert wanted | {"return"} <= typed | {"cls"}, (name, function)
print("as wanted")
`

func TestRScript(t *testing.T) {
	dir := room(t)
	library := filepath.Join(dir, "library")
	if err := os.Mkdir(library, 0o700); err != nil {
		t.Fatal(err)
	}
	runs(t, "R", "CMD", "INSTALL", "--library="+library, "../../r")
	t.Run("page", func(t *testing.T) { rScript.checkPage(t, dir, "../../docs/use/r.md", 5) })
	t.Run("rows", func(t *testing.T) { checkRRows(t, dir) })
	t.Run("answers", func(t *testing.T) { rScript.checkAnswers(t, dir, rAnswers, "simpleError", "dpcalc_error") })
}

// A call is a command line and the same in both languages.
var calls = []struct{ line, python, r string }{
	{"samplesize --queries 1000 --tau 0.1 --beta 0.05",
		`rows("samplesize", queries=1000, tau=0.1, beta=0.05)`, ""},
	{"samplesize --queries 1000 --tau 0.1 --beta 0.05 --full",
		`rows("samplesize", queries=1000, tau=0.1, beta=0.05, full=True)`,
		`dpcalc("samplesize", queries=1000, tau=0.1, beta=0.05, full=TRUE)`},
	{"samplesize --samples 2 --queries 100 --beta 0.05", `rows("samplesize", samples=2, queries=100, beta=0.05)`, ""},
	{"samplesize --queries 10,100000 --samples 100000 --beta 0.3333333333333333 --method gaussian,rounding --zip",
		`rows("samplesize", queries=[10, 100000], samples="100000", beta=1/3, method=["gaussian", "rounding"], zip=True)`,
		`dpcalc("samplesize", queries="10,100000", samples="100000", beta=1/3, method="gaussian,rounding", zip=TRUE)`},
	{"transfer --alpha 0.1 --beta 0.05 --epsilon 0.01 --delta 1e-6 --target-beta 1e-3 --samples 100000",
		`rows("transfer", alpha=0.1, beta=0.05, epsilon=0.01, delta=1e-6, target_beta=1e-3, samples=100000)`, ""},
	{"maxinfo --samples 10000 --slack 1e-9 --step pure-dp:epsilon=0.01 --step description:outcomes=100",
		`rows("maxinfo", samples=10000, slack=1e-9, step=["pure-dp:epsilon=0.01", "description:outcomes=100"])`,
		`dpcalc("maxinfo", samples=10000, slack=1e-9, step=c("pure-dp:epsilon=0.01", "description:outcomes=100"))`},
	{"samplesize --queries 1000 --tau -0.1 --beta 0.05", `rows("samplesize", queries=1000, tau=-0.1, beta=0.05)`, ""},
	{"samplesize --nonsense=it's", `rows("samplesize", nonsense="it's")`, ""},
	{"samplesize --samples 10 --queries 10 --beta 0.05 --method gaussian",
		`rows("samplesize", samples=10, queries=10, beta=0.05, method="gaussian")`, ""},
	{"samplesize --samples 100 --queries 10 --tau 0.1 --beta 0.05",
		`rows("samplesize", samples=100, queries=10, tau=0.1, beta=0.05)`, ""},
}

// byTheProgram runs a command line, and returns the exit code, standard error and the rows.
func byTheProgram(t *testing.T, dir, line string) (code int, said string, rows []any, out []byte) {
	t.Helper()
	run := exec.Command(filepath.Join(dir, "dpcalc"), append(strings.Fields(line), "--format", "json")...)
	var stderr strings.Builder
	run.Stderr = &stderr
	out, err := run.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	answer := struct{ Rows []any }{}
	if len(out) > 0 {
		if err := json.Unmarshal(out, &answer); err != nil {
			t.Fatal(err)
		}
	}
	return run.ProcessState.ExitCode(), strings.TrimSpace(stderr.String()), answer.Rows, out
}

// What a call gives in Python is what the program gives: every number of every row, the exit code and the line.
func (l language) checkPythonRows(t *testing.T, dir string) {
	codes := map[int]bool{}
	for _, c := range calls {
		code, said, rows, _ := byTheProgram(t, dir, c.line)
		codes[code] = true
		printed := l.printed(t, dir, l.load+
			"import warnings\nwarnings.simplefilter(\"ignore\")\ntry:\n    answer = [0, \"\", "+c.python+"]\n"+
			"except DpcalcError as error:\n    answer = [error.code, str(error), error.rows]\nprint(json.dumps(answer))\n")
		var got [3]any
		if err := json.Unmarshal([]byte(printed), &got); err != nil {
			t.Fatal(err)
		}
		switch {
		case code == 3:
			said = reasons(rows)
		case code == 4: // an answer
			code, said = 0, ""
		}
		if rows == nil {
			rows = []any{}
		}
		if want := [3]any{float64(code), said, rows}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s\n--- got\n%v\n--- want\n%v", c.python, got, want)
		}
	}
	if len(codes) != 4 {
		t.Errorf("the calls end with %v, want the codes 0, 2, 3 and 4", codes)
	}
}

// reasons stands for the line of an exit code that goes without one.
func reasons(rows []any) string {
	var all []string
	for _, row := range rows {
		r := row.(map[string]any)
		why, ok := r["reason"].(string)
		if method, named := r["method"].(string); named {
			why = method + ": " + why
		}
		if ok {
			all = append(all, why)
		}
	}
	return strings.Join(all, "; ")
}

// The same in R, where the program's rows are read by jsonlite from a file.
func checkRRows(t *testing.T, dir string) {
	for _, c := range calls {
		code, said, rows, out := byTheProgram(t, dir, c.line)
		if code >= 3 {
			said = reasons(rows)
		}
		if err := os.WriteFile(filepath.Join(dir, "want.json"), out, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "want.txt"), []byte(said+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		call := c.r
		if call == "" {
			call = strings.Replace(c.python, "rows(", "dpcalc(", 1)
		}
		printed := rScript.printed(t, dir, rScript.load+
			"options(OutDec = \",\")\ngot <- tryCatch(list(code = 0, line = \"\", rows = "+call+"),\n"+
			"  dpcalc_error = function(e) list(code = e$code, line = conditionMessage(e), rows = e$rows))\n"+
			"want <- if (file.size(\"want.json\") > 0) jsonlite::fromJSON(\"want.json\")$rows\n"+
			"cat(got$code, identical(got$rows, want), got$line == readLines(\"want.txt\"), \"\\n\")\n")
		if want := fmt.Sprintln(code, "TRUE TRUE "); printed != want {
			t.Errorf("%s\n--- got\n%s--- want\n%s", call, printed, want)
		}
	}
}

// The values of both scripts are 0.25, one that is no number, a share in per cent and one below what there is. For the
// noise its standard deviation is taken.
var (
	pythonAnswers = python.load + `
dpcalc.random.SystemRandom.normalvariate = lambda self, mean, sd: sd
answer = Noise(samples=20000, queries=5, beta=0.05)
for value in [0.25, float("nan"), 57, -0.25, 0.25, 0.25, 0.25, 0.25, 0.25]:
    try:
        print(repr(answer(value)))
    except (DpcalcError, ValueError) as error:
        print(type(error).__name__)
`
	rAnswers = rScript.load + `
draws <- replicate(4000, noise(2, Inf))
stopifnot(abs(mean(draws)) < 0.3, abs(sd(draws) - 2) < 0.2, !any(duplicated(draws)))
cut <- replicate(4000, noise(2, 1.5))
stopifnot(abs(cut) <= 3, max(abs(cut)) > 2.9, sum(abs(cut) > 2.99) < 40) # clipped noise is at 3 in 500 of them
assignInNamespace("noise", function(sd, cut) sd, "dpcalc")
holdout <- answers(samples = 20000, queries = 5, beta = 0.05)
for (value in c(0.25, NaN, 57, -0.25, 0.25, 0.25, 0.25, 0.25, 0.25))
  cat(tryCatch(exact(holdout$answer(value)), error = function(e) class(e)[1]), "\n", sep = "")
`
)

// The answers are the values plus the noise of the program's schedule, in its order, and as many as were planned.
// What is no number, or none that the noise is for, costs no answer.
func (l language) checkAnswers(t *testing.T, dir, script, refused, spent string) {
	got := strings.Fields(l.printed(t, dir, script))
	noise := filepath.Join(dir, "noise.csv")
	code, _, _, _ := byTheProgram(t, dir, "samplesize -n 20000 -m 5 -b 0.05 --method gaussian-schedule --schedule "+noise)
	table, err := os.ReadFile(noise)
	if code != 0 || err != nil {
		t.Fatal(code, err)
	}
	want := []string{}
	for i, line := range strings.Fields(string(table))[1:] {
		var query int
		var sd float64
		if _, err := fmt.Sscanf(line, "%d,%g", &query, &sd); err != nil || query != i+1 {
			t.Fatal(line, err)
		}
		want = append(want, strings.TrimRight(fmt.Sprintf("%.9f", 0.25+sd), "0"))
	}
	if len(want) != 5 {
		t.Fatal(want)
	}
	want = append(slices.Insert(want, 1, refused, refused, refused), spent)
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", l.name, got, want)
	}
}

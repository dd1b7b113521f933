package holdout

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/internal/lawtest"
)

// holdouts are pairs of labels of the same rows: a row has the first or the second text of a world, and so on.
var holdouts = []struct {
	name   string
	texts  [2][]string
	judged bool // whether columns that follow from the labels are asked too
}{
	{"the same classes", [2][]string{{"yes", "no"}, {"no", "yes"}}, true},
	{"text and numbers", [2][]string{{"yes", "no"}, {"0.5", "12", "-3e5", "7"}}, false},
	{"numbers and 0/1", [2][]string{{"0.5", "12", "1.0", "7"}, {"0", "1"}}, false},
	{"one class and as many as rows", [2][]string{{"same"}, nil}, true},
	{"case, blanks and long", [2][]string{{"yes", "no"}, {" Yes", "NO ", "nO", strings.Repeat("long", 2000)}}, false},
}

// worldRows is how many rows the worlds have.
const worldRows = 60

// labelled are the labels of a world.
func labelled(texts []string) (labels []string) {
	for i := range worldRows {
		if texts == nil {
			labels = append(labels, fmt.Sprint("only-", i))
		} else {
			labels = append(labels, texts[i%len(texts)])
		}
	}
	return labels
}

// column writes a table of ids and values.
func columnText(t *testing.T, file, name string, cell func(row int) string) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "id,%s\n", name)
	for i := range worldRows {
		fmt.Fprintf(&b, "r%d,\"%s\"\n", i, cell(i))
	}
	write(t, file, b.String())
}

// always is the same text in every row.
func always(text string) func(int) string { return func(int) string { return text } }

// A world is a folder with labels, ledgers and predictions, and all that was seen there. The names of two worlds are
// the same, and so are their predictions.
type world struct {
	t     *testing.T
	seen  []string
	used  map[string]map[string]bool // flags by the actions that were run
	keys  map[string]string          // of looks at columns, by the order in which they were seen
	own   map[string]bool            // texts that no two ledgers share: salts, chains and fingerprints
	past  map[string][]byte          // what files contained when they were last seen
	share *lawtest.Picker            // of what is asked; all ledgers are made

	judged bool
	second bool // whether it is the second of two, in which other items of a benchmark have labels
}

var (
	secrets  = regexp.MustCompile(`"(?:salt|chain|permutation)": ?"(\w{32,})"|"(?:labels|features)": ?\{[^}]*"fingerprint": ?"(\w+)"`)
	keys     = regexp.MustCompile(`"key":"[0-9a-f]{64}"`)
	tokens   = regexp.MustCompile(`dpcalc_\w+|(?m)^(one|id,guess|r1,yes) [0-9a-f]{64}`)
	ports    = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	counting = regexp.MustCompile(`dpcalc: holdout: The predictions of .* distinct values\n`)
	clock    = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:]+Z|\d{4}-\d\d-\d\d [\d:]+ UTC|[A-Z]\w\w, \d\d \w+ \d{4} [\d:]+ GMT`)
	pace     = regexp.MustCompile(`"(looks_per_day|days_left)":[^,]+`)

	// paid is what a look shows, and what follows from it.
	paid = regexp.MustCompile(`"(?:from|below)":[^,}]+,|("?(?:response|verdict|lower|upper|from|below|cell_from|cell_below|price|spent|next_pass|margin)"?:)[^,}]+|("remaining_(?:looks|passes|flags)":)\d+|truth (?:above it|at most [-\d.e]+)|` +
		`(exit )[04]\b|(looks\.jsonl \S+ )\d+`)
)

// see writes down what was seen, without what differs between two ledgers of the same labels too. What a look has shown
// is left out once it has been paid for and is another one in the other world.
func (w *world) see(diverged bool, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for own := range w.own {
		text = strings.ReplaceAll(text, own, "OWN")
	}
	text = keys.ReplaceAllStringFunc(text, func(key string) string { // salted: which are equal is seen, and no more
		if w.keys[key] == "" {
			w.keys[key] = fmt.Sprint(`"key":`, len(w.keys))
		}
		return w.keys[key]
	})
	text = tokens.ReplaceAllString(text, "TOKEN")
	text = pace.ReplaceAllString(clock.ReplaceAllString(ports.ReplaceAllString(text, "PORT"), "TIME"), "PACE")
	if diverged {
		text = paid.ReplaceAllString(text, "${1}${2}${3}${4}")
	}
	w.seen = append(w.seen, text)
}

// does runs a command line that is in the share, and looks at all that it leaves. The share has every action with every
// ledger, and with every flag.
func (w *world) does(diverged bool, line string) {
	w.t.Helper()
	args := strings.Fields(line)
	groups := []string{args[0] + " " + args[1]}
	for _, flag := range longFlags(args) {
		groups = append(groups, args[0]+" --"+flag)
	}
	if w.share.Takes(w.t.Name()+line, groups...) {
		w.runs(diverged, line)
	}
}

// runs runs a command line, and looks at all that it leaves.
func (w *world) runs(diverged bool, line string) (code int) {
	w.t.Helper()
	args := strings.Fields(line)
	var stdout, stderr string
	code, stdout, stderr = commandtest.Dpcalc(append([]string{"holdout"}, args...)...)
	stderr = counting.ReplaceAllString(stderr, "") // of a column, for its owner
	w.uses(args)
	w.looks(diverged, args[1], fmt.Sprintf("$ %s\nexit %d\n%s%s", line, code, stdout, stderr))
	return code
}

// makes makes a ledger.
func (w *world) makes(line string) {
	w.t.Helper()
	if code := w.runs(false, line); code != 0 {
		text, _, _ := strings.Cut(w.seen[len(w.seen)-1], "\nfiles")
		w.t.Fatal(text)
	}
}

// uses notes the flags of an action.
func (w *world) uses(args []string) {
	if w.used[args[0]] == nil {
		w.used[args[0]] = make(map[string]bool)
	}
	for _, flag := range longFlags(args) {
		w.used[args[0]][flag] = true
	}
}

// longFlags returns the names of the long flags of a command line.
func longFlags(args []string) (names []string) {
	for _, arg := range args {
		if name, ok := strings.CutPrefix(arg, "--"); ok {
			name, _, _ = strings.Cut(name, "=")
			names = append(names, name)
		}
	}
	return names
}

// looks sees a text, and the files of a ledger and beside it, with their modes and sizes. Of a file that has grown it
// sees what is new. The labels' file is the organiser's.
func (w *world) looks(diverged bool, ledger, text string) {
	w.t.Helper()
	var files, contents strings.Builder
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		folder := filepath.Dir(path)
		switch {
		case err != nil || path == "labels.csv":
			return err
		case entry.IsDir() && folder == "." && path != "." && path != ledger:
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if folder != "." && folder != ledger {
			path = folder // of candidates, whose names are random
		}
		fmt.Fprintf(&files, " %s %v %d", path, info.Mode(), info.Size())
		kept, _ := filepath.Match("incumbent-*.txt", filepath.Base(path)) // the owner's, as the labels are
		if kept || folder != ledger && path != "log.jsonl" {
			return nil
		}
		b, err := os.ReadFile(path)
		fresh, grown := bytes.CutPrefix(b, w.past[path])
		for _, found := range secrets.FindAllSubmatch(fresh, -1) {
			w.own[string(bytes.Join(found[1:], nil))] = true
		}
		fmt.Fprintf(&contents, "grown %v\n%s", grown, fresh)
		w.past[path] = b
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.see(diverged, "%s\nfiles%s\n%s", text, &files, &contents)
}

// asks sends a request that is in the share, and sees the answer with its headers.
func (w *world) asks(client *http.Client, ledger, method, address, token, body string) {
	w.t.Helper()
	route := fmt.Sprint(ledger, method, ports.ReplaceAllString(address, ""))
	if !w.share.Takes(w.t.Name()+route+body, route) {
		return
	}
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "text/csv")
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := client.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	if strings.Contains(address, "/status") {
		answer.Header.Del("Content-Length") // of a pace
	}
	w.looks(false, ledger, fmt.Sprintf("%s %s\n%d %v\n%s", method, address, answer.StatusCode, answer.Header, text))
}

// blind are predictions that are right in no world.
var blind = []string{"zebra.csv", "dunno.csv", "odd.csv"}

// live asks everything of a world. Its classes are all labels of both worlds.
func (w *world) live(texts []string, both []string) {
	t := w.t
	t.Chdir(t.TempDir())
	w.used, w.own, w.keys = make(map[string]map[string]bool), make(map[string]bool), make(map[string]string)
	w.past, w.share = make(map[string][]byte), lawtest.Pick(t)
	labels := labelled(texts)
	columnText(t, "labels.csv", "label", func(i int) string { return labels[i] })
	columnText(t, "zebra.csv", "prediction", always("zebra"))
	columnText(t, "dunno.csv", "prediction", always("I don't know"))
	columnText(t, "odd.csv", "prediction", func(i int) string {
		return []string{"", " ", "\u00e9", "NaN", "1e400", "99", "0x1", "true"}[i%8]
	})
	columnText(t, "judge.csv", "judge", always("0.25"))
	write(t, "few.csv", "id,prediction\nr3,yes\nr3,no\nx,1\n")
	write(t, "none.csv", "")
	write(t, "wrong.csv", "id,guess\nr1,yes\n")
	var declared []string
	for i, text := range slices.Compact(slices.Sorted(slices.Values(both))) {
		columnText(t, fmt.Sprintf("all-%d.csv", i), "prediction", always(text))
		declared = append(declared, text)
	}
	columnText(t, "truth.csv", "prediction", func(i int) string { return labelled(both)[i] })

	const plan = " --labels labels.csv -m 20 -t 0.4 -b 0.5 --query binary"
	ledgers := []struct{ name, init, score string }{
		{"gate", plan + " --feedback gate --method gate --passes 9 --bars 0.5,0.6", " --bar 0.6"},
		{"best", plan + " --feedback best --method ladder", ""},
		{"flags", " --labels labels.csv -m 20 -t 0.9 -b 0.5 --feedback flags -B 2 --method sparse-validate", " --guess 0.1"},
		{"noisy", " --labels labels.csv -m 20 -t 0.9 -b 0.5 --metrics accuracy,column:judge", ""},
		{"split", " --labels labels.csv -m 8 -t 0.8 -b 0.5 --method splitting", ""},
		{"trim", plan + " --feedback gate --method gate --threshold 0.5 --match trim", ""},
		{"fold", plan + " --feedback gate --method gate --threshold 0.5 --match fold", ""},
		{"number", plan + " --feedback gate --method gate --threshold 0.5 --match number", ""},
		{"difference", " --labels labels.csv --incumbent zebra.csv -m 20 -t 0.9 -b 0.5 --query difference --feedback gate", " --bar 0.05"},
		{"duels", " --labels labels.csv --incumbent zebra.csv -m 20 --passes 2 -b 0.2 --feedback gate --test sign", ""},
		{"classes", plan + " --feedback gate --method gate --threshold 0.5 --classes " + strings.Join(declared, ","), ""},
	}
	ledgers = slices.DeleteFunc(ledgers, func(l struct{ name, init, score string }) bool {
		plain := slices.ContainsFunc(declared, func(text string) bool { return strings.Contains(text, " ") })
		words := slices.ContainsFunc(declared, func(text string) bool { return strings.ContainsAny(text, "abcdnosy") })
		return l.name == "classes" && (plain || labels[0] == "same" || labels[0] == "only-0") || l.name == "number" && words
	})
	for _, l := range ledgers {
		w.makes("init " + l.name + l.init)
		score := "score " + l.name + " "
		for _, file := range []string{"few.csv", "none.csv", "wrong.csv", "nothing.csv", "judge.csv"} {
			w.does(false, score+file+l.score)
		}
		noise := l.name == "noisy"
		for _, file := range blind {
			w.does(noise, score+file+l.score+" --dry-run -f json")
			w.does(noise, score+file+l.score+" --name mine -f json")
		}
		w.does(noise, score+"zebra.csv --bar 0.1 --labels labels.csv")
		w.does(noise, score+"zebra.csv --guess -7")
		w.does(noise, score+"zebra.csv --metric column:win -f json")
		w.does(noise, score+"judge.csv --metric column:judge --name judge -f json")
		w.does(noise, score+"judge.csv --incumbent dunno.csv -f json")
		w.does(noise, score+"dunno.csv --incumbent zebra.csv -f json"+l.score)
		w.does(noise, "log "+l.name+" -f json")
		w.does(noise, "status "+l.name+" -f json")
	}
	w.does(false, "log gate")
	w.does(false, "verify gate")
	w.does(false, "verify gate --chain "+strings.Repeat("ab", 32))
	w.makes("init final --labels labels.csv -m 5 -t 0.9 -b 0.5 --feedback final")
	w.does(false, "score final "+strings.Join(blind, " ")+" zebra.csv few.csv")
	w.does(false, "score final "+strings.Join(blind, " ")+" zebra.csv -f json")
	w.does(false, "score final "+strings.Join(blind, " ")+" zebra.csv -f csv")
	w.does(false, "score final judge.csv -f json")
	w.does(false, "token one --names wrong.csv")
	w.does(false, "token one --append teams.txt")
	w.does(false, "token one --append teams.txt")
	w.serves()
	w.opens(texts)
	w.ranks(texts)
	w.decides()
	w.arrives()
	if w.judged {
		w.judges(texts)
	}
	w.pipes()

	for _, look := range openQuestions {
		w.does(true, "score priced truth-more.csv -f json "+look)
		w.does(true, "score priced zebra-more.csv -f json "+look)
	}
	w.does(true, "log priced -f json")
	w.does(true, "status priced -f json")
	w.does(true, "close priced --alpha 0.05 --tests 3 -f json")
	w.does(true, "score priced dunno-more.csv --show score -f json")
	for _, l := range ledgers {
		if l.name == "difference" || l.name == "duels" {
			continue // a pass makes another incumbent, which all that follows shows
		}
		for i := range declared {
			w.does(true, fmt.Sprintf("score %s all-%d.csv%s -f json", l.name, i, l.score))
		}
		w.does(true, "score "+l.name+" truth.csv -f json"+l.score)
		w.does(true, "log "+l.name+" -f json")
		w.does(true, "status "+l.name+" -f json")
		w.does(true, "retire "+l.name+" -f json")
		w.does(true, "score "+l.name+" odd.csv -f json"+l.score)
	}
}

// openQuestions are looks at an open ledger, of every kind and with every flag.
var openQuestions = []string{
	"--show pass --bar 0.6", "--show pass --bar 0.6 --expect 0.01", "--show best", "--show best --step 0.1",
	"--show score --near 0.1", "--show score --step 0.2", "--show guess --guess 0.1 --within 0.2 --step 0.1",
	"--show guess --guess 0.9 --expect 0.1", "--show pass --bar 0.1 --where color=red",
	"--show pass --bar 0.1 --all bar=0.2,where=color=red --all bar=0.3", "--show score --where color=none",
	"--show score --where label=yes", "--show pass --bar 0.999999", "--show guess", "--show all", "--bar 2 --show pass",
	"--show reject --test sign", "--show pass --bar 0.5 --where color=red --features features.csv --features more/features.csv",
}

// opens asks open ledgers, whose rows change.
func (w *world) opens(texts []string) {
	t := w.t
	columnText(t, "features.csv", "color", func(i int) string { return []string{"red", "blue"}[i%2] })
	if err := os.Mkdir("more", 0o700); err != nil {
		t.Fatal(err)
	}
	columnText(t, "more/again.csv", "label", func(i int) string { return labelled(texts)[(i+1)%worldRows] })
	columnText(t, "more/features.csv", "color", always("red"))
	renamed(t, "more/again.csv", "more/labels.csv", "new-")
	renamed(t, "more/features.csv", "more/features.csv", "new-")
	for _, name := range []string{"zebra", "dunno", "truth"} {
		both, err := os.ReadFile(name + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		_, more, _ := strings.Cut(string(both), "\n")
		write(t, name+"-more.csv", string(both)+prefixed(more, "new-"))
	}
	write(t, "drop.csv", "id\nr7\nnew-r9\n")
	const law = " --labels labels.csv -b 0.5 --open --most 7 --metrics accuracy,column:judge"
	w.makes("init priced" + law + " --features features.csv")
	w.makes("init compared" + law + " --incumbent zebra.csv")
	for _, look := range openQuestions {
		for _, do := range []string{"price priced ", "price priced zebra.csv ", "score priced zebra.csv --name mine ",
			"score priced dunno.csv --dry-run ", "price compared dunno.csv ", "score compared dunno.csv "} {
			w.does(false, do+look+" -f json")
		}
	}
	w.does(false, "price priced --show score --bar 0.3 --labels labels.csv")
	w.does(false, "price priced --show guess --guess 0.2 --metric column:judge")
	w.does(false, "score priced judge.csv --show score --metric column:judge --name judge -f json")
	w.does(false, "price compared dunno.csv --incumbent zebra.csv --show score -f json")
	w.does(false, "price compared dunno.csv --incumbent zebra.csv --show reject --test sign --effect 0.2 -f json")
	w.does(false, "price compared dunno.csv --incumbent zebra.csv --show pass --bar 0 --effect 0.4 -f json")
	for _, files := range []string{"--labels more/again.csv", "--labels more/again.csv --features features.csv",
		"--labels more/labels.csv", "--labels more/labels.csv --features more/features.csv",
		"--labels more/labels.csv --features more/features.csv", "--drop drop.csv", "--drop drop.csv", "--drop few.csv",
		"--replace", ""} {
		w.does(false, "extend priced -f json "+files)
	}
	for _, look := range openQuestions {
		w.does(false, "score priced zebra-more.csv -f json "+look)
		w.does(false, "score priced zebra.csv -f json "+look)
	}
	const log = " --from csv --id id "
	w.draws(law)
	w.makes("init logged" + log + "--value label --labels labels.csv -b 0.5 --open --most 7 --metrics column:judge")
	for _, do := range []string{"score logged judge.csv --name a", "price logged judge.csv", "score logged few.csv --name b", "score logged labels.csv --name c"} {
		w.does(false, do+log+"--show score -f json")
		w.does(false, do+log+"--value judge --only judge=0.25 --show pass --bar 0.2 -f json")
		w.does(false, do+log+"--only judge=0.5 --show score -f json")
	}
	w.does(false, "extend logged"+log+"--only id=new-r1 --labels more/labels.csv --value label -f json")
	w.does(false, "score logged judge.csv --name d --show score -f json")
	w.does(false, "score priced judge.csv --from csv --show score -f json")
	columnText(t, "more/relabelled.csv", "label", always("relabelled"))
	for _, file := range []string{"more/relabelled.csv", "labels.csv"} { // which are other labels of all rows, and their own
		w.does(false, "extend compared --labels "+file+" --replace -f json")
	}
	renamed(t, "dunno.csv", "dunno-new.csv", "new-")
	renamed(t, "zebra.csv", "zebra-new.csv", "new-")
	w.does(false, "extend compared --labels more/labels.csv --replace -f json")
	w.does(false, "score compared dunno-new.csv --incumbent zebra-new.csv --show pass --bar 0 -f json")
	w.does(false, "status priced -f json") // people see a pace
	w.does(false, "status priced --queries 10 --passes 2 -f json")
	w.does(false, "status compared --queries 10 -f json")
	w.does(false, "status gate --queries 10")
	w.does(false, "status priced --queries 2 --passes 3")
	w.does(false, "verify priced")
	w.does(false, "status priced --report")
	w.does(false, "log priced")
}

// arrives asks ledgers with rows that come between the looks, and one without a number of looks.
func (w *world) arrives() {
	columnText(w.t, "zebra-50.csv", "prediction", always("zebra"))
	text, err := os.ReadFile("zebra-50.csv")
	if err != nil {
		w.t.Fatal(err)
	}
	write(w.t, "zebra-50.csv", strings.Join(strings.SplitAfter(string(text), "\n")[:51], ""))
	w.makes("init arriving --labels labels.csv --arrive 50:2,60:3,90:9 -b 0.5")
	w.makes("init fed --labels labels.csv --arrive-rows 60 --arrive-looks 2 -m 4 -b 0.5 --feedback gate --bars 0.1")
	w.makes("init unnumbered --labels labels.csv --method gaussian-open -b 0.05")
	w.does(false, "init wrong --labels labels.csv --arrive 61:2 -b 0.5")
	w.makes("init joined --labels labels.csv -m 20 -b 0.2 --query binary --feedback gate --method gate --features features.csv")
	for _, all := range []string{"bar=0.2,where=color=red", "bar=0.99,where=color=red", "bar=0.1,where=color=none", "bar=0.3", "bar=2"} {
		for _, file := range []string{"zebra.csv --dry-run", "zebra.csv", "odd.csv", "few.csv"} {
			w.does(false, "score joined "+file+" --bar 0.1 --all "+all+" -f json")
		}
	}
	w.does(false, "log joined -f json")
	w.does(false, "verify joined")
	for _, l := range []struct{ name, score string }{{"arriving", ""}, {"fed", " --bar 0.1"}, {"unnumbered", ""}} {
		for range 2 {
			w.does(true, "score "+l.name+" zebra.csv"+l.score+" -f json --dry-run")
			for _, file := range []string{"zebra-50.csv", "zebra.csv", "dunno.csv", "few.csv", "none.csv", "zebra-more.csv"} {
				w.does(true, "score "+l.name+" "+file+l.score+" -f json")
			}
			for _, more := range []string{"--labels more/labels.csv --features more/features.csv", "--labels more/labels.csv --replace",
				"--drop drop.csv", "--labels more/again.csv", "--labels more/labels.csv", "--labels more/labels.csv"} {
				w.does(true, "extend "+l.name+" -f json "+more)
			}
		}
		w.does(true, "price "+l.name+" zebra.csv --show score")
		w.does(true, "status "+l.name+" -f json")
		w.does(true, "log "+l.name+" -f json")
		w.does(true, "verify "+l.name+" -f json")
	}
}

// judges asks looks at columns that follow from labels: 1 where a label is the first of its world. One file has the
// values of another in one world, and other ones in the second. Which cells there are is the same.
func (w *world) judges(texts []string) {
	t, labels := w.t, labelled(texts)
	right := func(turn int) func(int) string {
		return func(row int) string {
			if labels[(row+turn)%worldRows] == labels[0] {
				return "1"
			}
			return "0"
		}
	}
	same := 0
	if w.second {
		same = 1
	}
	columnText(t, "ok.csv", "ok", right(0))
	columnText(t, "same.csv", "ok", right(same))
	columnText(t, "more/ok.csv", "ok", func(row int) string { return right(0)((row + 1) % worldRows) })
	renamed(t, "more/ok.csv", "more/ok.csv", "new-")
	const of, open = " --labels labels.csv -b 0.5 --metrics column:ok", " --open --most 7"
	ledgers := []struct{ name, init, ask string }{
		{"judged", of + open + " --features features.csv", "--show pass --bar 0.6"},
		{"judgedscores", of + open, "--show score --step 0.2"},
		{"judgedboard", of + open, "--show best"},
		{"judgedguess", of + open, "--show guess --guess 0.1"},
		{"judgedall", of + open + " --features features.csv", "--show pass --bar 0.1 --all bar=0.2,where=color=red"},
		{"judgedgroup", of + open + " --features docs.csv --group doc", "--show score"},
		{"judgedrange", of + open + " --range 0,2", "--show score"},
		{"compared1", of + open + " --incumbent ok.csv", "--show pass --bar -0.99"},
		{"compared2", of + open + " --incumbent ok.csv --range 0,2 --second-moment 2", "--show score"},
		{"compared3", of + open + " --incumbent ok.csv", "--show reject --test sign"},
		{"judgedgate", of + " -m 20 -t 0.4 --query binary --feedback gate --bars 0.5,0.6", "--bar 0.6"},
		{"judgednoise", of + " -m 20 -t 0.9", ""},
		{"judgedbest", of + " -m 20 -t 0.9 --feedback best", ""},
		{"judgedflags", of + " -m 20 -t 0.9 --feedback flags -B 9", "--guess 0.1"},
		{"judgedrows", of + " --arrive 50:2,60:9", ""},
		{"judgedduels", of + " -m 20 --passes 9 --incumbent ok.csv --feedback gate --test sign --query difference", ""},
		{"judgedgates", of + " -m 20 -t 0.9 --passes 9 --incumbent ok.csv --feedback gate --query difference", "--bar -0.95"},
	}
	for _, l := range ledgers {
		w.makes("init " + l.name + l.init)
		score := "score " + l.name + " "
		for _, line := range []string{
			"price " + l.name + " " + l.ask, "price " + l.name + " same.csv " + l.ask, "price " + l.name + " same.csv --effect 0.1 " + l.ask,
			score + "ok.csv " + l.ask, score + "ok.csv --name a --dry-run " + l.ask, score + "ok.csv --name a " + l.ask, score + "same.csv --name a " + l.ask,
			score + "same.csv --name b --dry-run " + l.ask, score + "same.csv --name b " + l.ask, score + "--again --name b " + l.ask,
			score + "--again --name c " + l.ask, score + "--again same.csv --name b " + l.ask, score + "same.csv --name c --incumbent ok.csv " + l.ask,
			score + "judge.csv --name d " + l.ask, "log " + l.name, "status " + l.name, "verify " + l.name,
		} {
			w.does(true, line+" -f json")
		}
	}
	for _, line := range []string{
		"score judged same.csv --name several --show pass:bar=0.3 --show score:step=0.5 --show score", "score compared1 ok.csv --name c --show pass --bar -0.98",
		"extend compared1 --labels more/labels.csv", "extend compared1 --labels more/labels.csv --incumbent ok.csv",
		"extend compared1 --labels more/labels.csv --incumbent more/ok.csv", "extend judged --drop drop.csv --incumbent ok.csv",
		"score compared1 ok.csv --name e --show score", "status compared1 --report", "log judged", "verify compared1",
	} {
		w.does(true, line+" -f json")
	}
	w.makes("init judgedfinal" + of + " -m 5 -t 0.9 --feedback final")
	w.does(true, "score judgedfinal ok.csv same.csv -f json")
	w.does(true, "score judgedfinal ok.csv same.csv --name a --name a -f json")
	w.does(true, "score judgedfinal ok.csv same.csv --name a --name b -f json")
	w.does(true, "score judgedfinal --again --name a --name b -f json")
}

// draws asks ledgers whose rows come in clusters, and such of a benchmark of which the two worlds label other items.
func (w *world) draws(law string) {
	t := w.t
	columnText(t, "docs.csv", "doc", func(i int) string { return fmt.Sprint("doc-", i*i%17) })
	both, err := os.ReadFile("zebra-more.csv")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "items.csv", string(both))
	labels, err := os.ReadFile("labels.csv")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "more/drawn.csv", string(labels))
	if w.second {
		renamed(t, "labels.csv", "more/drawn.csv", "new-")
	}
	const drawn = " --labels more/drawn.csv --population items.csv -b 0.5"
	grouped := " --features docs.csv --group doc"
	ledgers := []struct{ name, init, file string }{
		{"clustered", law + grouped, ""}, {"sized", law + grouped + " --weights rows --incumbent odd.csv", ""},
		{"paired", law + grouped + " --incumbent odd.csv", ""},
		{"drawn", drawn + " --open --most 7", "-more"}, {"chosen", drawn + " --open --most 7 --incumbent dunno-more.csv", "-more"},
	}
	for _, l := range ledgers {
		w.makes("init " + l.name + l.init)
		for k, look := range openQuestions {
			if k%2 == 1 && l.name != "drawn" {
				continue // a half is enough of what differs from other ledgers in its tails alone
			}
			w.does(false, "price "+l.name+" zebra"+l.file+".csv "+look+" -f json")
			w.does(false, "score "+l.name+" zebra"+l.file+".csv "+look+" -f json")
		}
		for _, file := range []string{"few.csv", "none.csv", "zebra.csv", "zebra-more.csv", "items.csv", "labels.csv"} {
			w.does(false, "score "+l.name+" "+file+" --show score -f json")
			w.does(false, "price "+l.name+" "+file+" --show score --population items.csv")
			w.does(false, "score "+l.name+" "+file+" --show score --population docs.csv -f json")
		}
		w.does(false, "extend "+l.name+" --labels more/labels.csv")
		w.does(false, "log "+l.name+" -f json")
		w.does(false, "status "+l.name+" --report")
		w.does(false, "status "+l.name+" -f json")
		w.does(false, "verify "+l.name)
	}
	for _, l := range []struct{ name, init, score string }{
		{"gategroup", " --labels labels.csv -b 0.5 -m 20 --feedback gate --passes 2" + grouped, " --bar 0.1"},
		{"gaterows", " --labels labels.csv -b 0.5 -m 20 --feedback gate --passes 2 --weights rows" + grouped, " --bar 0.1"},
		{"boardrows", " --labels labels.csv -b 0.5 -m 20 --feedback best --weights rows" + grouped, ""},
		{"gatedrawn", drawn + " -m 20 --feedback gate --query binary", " --bar 0.1"},
		{"flagsdrawn", drawn + " -m 5 --feedback flags -B 2", " --guess 0.1"},
		{"finaldrawn", drawn + " -m 3 --feedback final", ""},
	} {
		w.makes("init " + l.name + l.init)
		for _, file := range []string{"few.csv", "zebra.csv", "dunno-more.csv", "labels.csv"} {
			w.does(false, "score "+l.name+" "+file+l.score+" -f json")
		}
		w.does(false, "status "+l.name+" -f json")
		w.does(false, "verify "+l.name)
	}
	w.does(false, "init wrong"+drawn+" --open --group color --features features.csv")
	w.does(false, "init wrong --labels labels.csv --open -b 0.5 --weights rows")
}

// ranks asks ledgers of an AUC, whose law has the class counts: other rows are positive in the two worlds, and as many.
// Scores that are all equal have the AUC 1/2 in both.
func (w *world) ranks(texts []string) {
	t := w.t
	labels := labelled(texts)
	columnText(t, "more/ranked.csv", "label", func(i int) string {
		if turned := w.second; i%3 == 0 && !turned || i%3 == 1 && turned {
			return "ill"
		}
		return "not " + labels[i]
	})
	columnText(t, "ties.csv", "prediction", always("-2.5"))
	columnText(t, "rising.csv", "prediction", func(i int) string { return fmt.Sprint(i) })
	const of = " --labels more/ranked.csv -b 0.5 --metrics auc --positive ill"
	w.makes("init ranked" + of + " -m 9 --feedback gate --passes 2 --law classes")
	w.makes("init ranking" + of + " --open --most 7")
	for _, wrong := range []string{" -m 9 --feedback best", " --open --ask score", " --open --features features.csv", " --open --law labels"} {
		w.does(false, "init unranked"+of+wrong)
	}
	for _, file := range append(blind, "few.csv", "none.csv", "judge.csv", "ties.csv") {
		for _, do := range []string{"score ranked " + file + " --bar 0.1", "score ranked " + file + " --bar 0.1 --dry-run", "score ranking " + file + " --show score",
			"price ranking " + file + " --show best", "score ranking " + file + " --show pass --bar 0.4"} {
			w.does(false, do+" -f json")
			w.does(false, do) // which tells people more
		}
	}
	for _, line := range []string{"score ranking ties.csv --show pass --bar 0.1 --where color=red", "score ranking ties.csv --show pass --bar 0.1 --all bar=0.2",
		"extend ranking --labels more/labels.csv", "extend ranking --drop drop.csv", "serve ranked --bars 0.5", "serve ranking"} {
		w.does(false, line)
	}
	for _, dir := range []string{"ranked", "ranking"} {
		code, out, said := commandtest.Dpcalc("mcp", dir)
		w.looks(false, dir, fmt.Sprint("$ mcp ", dir, "\nexit ", code, "\n", out, said))
		for _, do := range []string{"log ", "status ", "verify ", "status --report "} {
			w.does(false, do+dir+" -f json")
		}
		w.does(false, "status "+dir+" --report")
	}
	w.does(true, "score ranked rising.csv --bar 0.3 -f json")
	w.does(true, "score ranking rising.csv --show score -f json")
	w.does(true, "status ranked -f json")
}

// decides asks ledgers of two declared classes, which other rows have in the two worlds, and another number of them: of
// differences, whose decided rows are counted, of ratios, whose rows predicted positive are, and of losses, whose
// probabilities are.
func (w *world) decides() {
	t := w.t
	columnText(t, "more/two.csv", "label", func(i int) string {
		if ill := i%3 == 0; ill && !w.second || i%5 == 1 && w.second {
			return "ill"
		}
		return "well"
	})
	for name, turn := range map[string]int{"first": worldRows, "next": 2, "last": 5} {
		columnText(t, "two-"+name+".csv", "prediction", func(i int) string { return []string{"ill", "well"}[min(i%turn, 1)] })
	}
	const of = " --labels more/two.csv -b 0.5 --open --most 7 --features features.csv"
	w.makes("init twoclasses" + of + " --classes ill,well --incumbent two-first.csv")
	w.makes("init tworatios" + of + " --positive ill --metrics f1,recall,jaccard")
	differences := []string{"--show pass --bar 0.02", "--show pass --bar 0.9", "--show score --step 0.2", "--show guess --guess 0.1 --step 0.2",
		"--show pass --bar 0 --all bar=-0.1,where=color=red", "--show pass --bar -0.2 --where color=blue --effect 0.2"} // no pass makes an incumbent
	for name, turn := range map[string]int{"first": 3, "next": 7, "last": 10} {
		columnText(t, "odds-"+name+".csv", "probability", func(i int) string { return fmt.Sprint(float64(i%turn) / 9) })
	}
	w.makes("init losses" + of + " --positive ill --metrics log-loss,squared-error,rmse")
	w.makes("init lossgaps" + of + " --positive ill --metrics squared-error --incumbent odds-first.csv")
	gaps := []string{"--show pass --bar -0.02", "--show score --step 0.2 --where color=red"} // no pass makes an incumbent
	var ratios, losses []string
	for _, name := range []string{"log-loss", "squared-error", "rmse"} {
		losses = append(losses, "--metric "+name+" --show pass --bar 0.6", "--metric "+name+" --show pass --bar 0.5 --where color=red",
			"--metric "+name+" --show score --step 0.3", "--metric "+name+" --show best --step 0.3")
	}
	for _, name := range []string{"f1", "recall", "jaccard"} {
		ratios = append(ratios, "--metric "+name+" --show pass --bar 0.1", "--metric "+name+" --show pass --bar 0.99 --where color=red",
			"--metric "+name+" --show score --step 0.2", "--metric "+name+" --show best --step 0.3")
	}
	for _, l := range []struct {
		name  string
		of    string // its predictions
		looks []string
	}{{"twoclasses", "two", differences}, {"tworatios", "two", ratios}, {"losses", "odds", losses}, {"lossgaps", "odds", gaps}} {
		for _, do := range []struct {
			diverged bool
			line     string
		}{{false, "price "}, {false, "score --dry-run "}, {true, "score "}} {
			for _, file := range []string{l.of + "-next.csv", l.of + "-last.csv"} {
				for _, look := range l.looks {
					action, flags, _ := strings.Cut(do.line, " ")
					if action == "score" {
						look = strings.TrimSuffix(look, " --effect 0.2")
					}
					w.does(do.diverged, action+" "+l.name+" "+file+" "+flags+look+" -f json")
				}
			}
		}
		w.does(true, "log "+l.name+" -f json")
		w.does(true, "verify "+l.name)
		w.does(true, "status "+l.name+" -f json")
	}
}

// renamed writes a table with other ids.
func renamed(t *testing.T, from, to, prefix string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	header, rows, _ := strings.Cut(string(text), "\n")
	write(t, to, header+"\n"+prefixed(rows, prefix))
}

// prefixed puts a prefix before the id of every row. The rows of the worlds are one line each.
func prefixed(rows, prefix string) string {
	return regexp.MustCompile(`(?m)^r(\d+,)`).ReplaceAllString(rows, prefix+"r$1")
}

// serves asks a served gate, and a served ledger of differences.
func (w *world) serves() {
	t := w.t
	token := newToken(t, "one", "tokens.txt")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	w.makes("init open --labels labels.csv -m 9 -t 0.4 -b 0.5 --query binary --feedback gate --method gate")
	w.does(false, "serve open --addr 127.0.0.1:0")
	columnText(t, "shade.csv", "shade", func(i int) string { return []string{"dark", "pale"}[i%2] })
	w.makes("init offer --labels labels.csv -b 0.5 --open --features shade.csv --most-per-team 20 " +
		"--ask pass:bar=0.5,where=shade=dark --ask score:step=0.5 --ask guess")
	columnText(t, "all.csv", "prediction", always("zebra"))
	w.makes("init whole --labels labels.csv -b 0.5 --open --population all.csv --ask score --ask pass:bar=0.5")
	for _, line := range []string{
		"serve whole --population all.csv --rate 1000",
		"serve offer --features shade.csv --rate 1000 --tokens tokens.txt --public-board --mcp",
		"serve open --labels labels.csv --bars 0.6 --tokens tokens.txt --public-board --host example.org --rate 50",
		"serve difference --incumbent zebra.csv --bars 0.1",
	} {
		line += " --addr 127.0.0.1:0 --log log.jsonl -f json"
		w.uses(strings.Fields(line))
		ledger := strings.Fields(line)[1]
		address, stop := serving(t, "holdout "+line)
		for _, file := range append(blind, "few.csv", "none.csv", "wrong.csv", "judge.csv") {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			queries := []string{"", "?name=mine", "?bar=0", "?metric=column:judge", "?guess=1"}
			if ledger == "offer" || ledger == "whole" {
				queries = []string{"", "?show=pass&bar=0.5", "?show=score", "?show=guess&guess=0.3", "?show=best"}
			}
			for _, query := range queries {
				w.asks(client, ledger, "POST", address+"/looks"+query, token, string(body))
			}
		}
		for _, query := range []string{"", "?show=pass&bar=0.5", "?show=score", "?show=guess&guess=0.3", "?show=best"} {
			w.asks(client, ledger, "GET", address+"/price"+query, token, "")
		}
		for _, path := range []string{"/status", "/board", "/board?format=csv", "/board?format=json", "/plan.json"} {
			w.asks(client, ledger, "GET", address+path, "", "")
		}
		if strings.Contains(line, "--mcp") {
			a := overHTTP(t, address, token)
			a.everything(false)
			w.looks(false, ledger, "$ "+line+" by an agent\n"+strings.ReplaceAll(a.got.String(), `\"`, `"`))
		}
		code, stdout, stderr := stop()
		w.looks(false, ledger, fmt.Sprintf("$ %s\nexit %d\n%s%s", line, code, stdout, stderr))
	}
}

// unlike is the first line of each of two texts, and the first two lines that are not the same.
func unlike(one, other string) string {
	a, b := strings.Split(one, "\n"), strings.Split(other, "\n")
	i := 0
	for i < min(len(a), len(b))-1 && a[i] == b[i] {
		i++
	}
	return fmt.Sprintf("%s\n%s\n\n%s\n%s", a[0], a[i], b[0], b[i])
}

// Nothing that leaves depends on a label but through the answer of a look, which is paid for. Two worlds have the same
// rows and other labels, and are asked the same with every action and every flag. All that is seen is the same: what is
// printed, exit codes, files with their sizes and modes, answers over HTTP with their headers, the log. Left out are
// the clock, the paces, the salts, the chains over them and the labels' fingerprint, and the shown answers where they
// differ.
func TestNothingDependsOnTheLabels(t *testing.T) {
	for _, pair := range holdouts {
		t.Run(pair.name, func(t *testing.T) {
			both := slices.Concat(labelled(pair.texts[0])[:4], labelled(pair.texts[1])[:4])
			var worlds [2]*world
			for i, texts := range pair.texts {
				worlds[i] = &world{t: t, second: i == 1, judged: pair.judged}
				worlds[i].live(texts, both)
			}
			one, other := worlds[0], worlds[1]
			for i := range min(len(one.seen), len(other.seen)) {
				if one.seen[i] != other.seen[i] {
					t.Fatal(unlike(one.seen[i], other.seen[i]))
				}
			}
			if len(one.seen) != len(other.seen) {
				t.Errorf("%d and %d things were seen", len(one.seen), len(other.seen))
			}
			if pair.judged {
				one.asksAll(t)
			}
		})
	}
}

// asksAll checks that every action was asked with every flag.
func (w *world) asksAll(t *testing.T) {
	for _, a := range append(slices.Clone(Command().Actions), MCP()) {
		if w.used[a.Name] == nil {
			t.Errorf("holdout %s is not asked: give it a case", a.Name)
		}
		for _, flag := range a.Flags {
			if !w.used[a.Name][flag.Name] && a.Name != "init" {
				t.Errorf("holdout %s is not asked with --%s: give it a case", a.Name, flag.Name)
			}
		}
	}
}

package docs

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// questions are what people ask of evaluation tools, with the section that answers each and a word of its answer.
var questions = []struct{ asked, place, word string }{
	{"How many test rows do I need?", "docs/use/choose.md#find-a-way-to-look", "rows for the tau asked"},
	{"I will try 150 prompts. How far can each score be off?", "README.md#plan", "gaussian-schedule"},
	{"I don't know how many candidates I will try. What then?",
		"docs/use/choose.md#if-you-dont-know-the-number-of-candidates", "--open"},
	{"How many rows show that a model is 5 points better?",
		"docs/use/gate.md#how-probably-does-a-better-candidate-pass", "--power 80%"},
	{"How do I read the table?", "docs/use/output.md#read-a-table", "The star"},
	{"Can I reuse my test set?", "docs/use/start.md#2-make-the-ledger", "however many looks you take"},
	{"What does one more look cost?", "docs/use/start.md#3-check-the-price", "holdout price"},
	{"Can I see a score instead of pass or fail?", "docs/use/start.md#6-ask-for-a-score", "--show score"},
	{"I picked the best of 200 models. How much does its score flatter it?",
		"docs/use/choose.md#see-every-score", "4.0 points"},
	{"May I look at errors while I tune?", "docs/use/choose.md#seal-rows-for-the-finalists", "Look at one part freely"},
	{"How much noise do I add to a score?", "docs/use/choose.md#see-every-score", "noise_scale"},
	{"What may I publish?", "docs/use/start.md#8-publish", "true\n> accuracy"},
	{"I have already looked at my test set. Is it lost?", "docs/use/guarantee.md#conditions", "--past-looks"},
	{"May I add rows to the test set?", "docs/use/ledger.md#change-the-rows", "extend --labels"},
	{"Can I use logs of Inspect, lm-evaluation-harness or promptfoo?",
		"docs/use/ledger.md#logs-of-evaluation-tools", "--from"},
	{"How do I compare two models on the same rows?", "docs/use/gate.md#better-at-all", "sign test"},
	{"Is one point a real improvement?", "docs/use/gate.md#better-by-a-point", "1 point more"},
	{"How do I fail a CI job if a model is not good enough?", "docs/use/gate.md#github", "dpcalc/dpcalc@"},
	{"Where do I keep the labels if CI runs on other machines?", "docs/use/gate.md#where-the-ledger-lives", "holdout serve"},
	{"May an agent ask my test set?", "docs/use/agents.md#1-make-the-ledger", "--ask"},
	{"How do I keep the labels from an agent?", "docs/use/agents.md#2-keep-the-labels-from-the-agent", "dpcalc mcp"},
	{"Can teams submit predictions to a leaderboard?", "docs/use/leaderboard.md#submit", "curl"},
	{"What may a leaderboard publish?", "docs/use/leaderboard.md#publish", "board"},
	{"Does the score hold for new data?", "docs/use/guarantee.md#the-true-value", "made without these rows"},
	{"What must I ensure?", "docs/use/guarantee.md#conditions", "independent"},
	{"Ten of my questions are about one document. Do they count as ten rows?",
		"docs/use/guarantee.md#clusters", "--clusters"},
	{"My rows are a sample of a benchmark. Does that help?", "docs/use/guarantee.md#benchmarks", "--population"},
	{"May I rank models by their scores?", "docs/use/guarantee.md#what-is-not-guaranteed", "2 tau"},
	{"Can I use F1, AUC, a judge's marks or BLEU?", "docs/use/metrics.md", "BLEU"},
	{"I report the best of 40 tests. What is its p-value worth?", "README.md#correct-a-p-value", "--outcomes 40"},
	{"Which correction fits the way I chose my test?", "docs/use/p-values.md#which-source-applies-to-me", "--by"},
	{"I report several tests. What do I add?", "docs/use/p-values.md#several-tests", "--family"},
	{"Is the confidence interval of a selected effect still right?",
		"docs/use/p-values.md#the-estimate-of-what-was-selected", "interval"},
	{"What can a reviewer ask for?", "docs/use/p-values.md#what-a-reviewer-can-ask-for", "list"},
	{"I look at a trial several times. Which level do I use?",
		"docs/use/guarantee.md#interim-looks-of-a-trial", "gsDesign"},
	{"From R?", "docs/use/r.md", "samplesize"},
	{"In a browser?", "docs/use/page.md", "browser"},
	{"How do I share a plan in Excel?", "docs/use/output.md#workbooks", "plan.xlsx"},
	{"What does exit code 3 or 4 mean?", "docs/use/output.md#exit-codes", "no row has an answer"},
	{"Does a reused test set mislead on real data?", "docs/use/evidence.md#two-real-data-sets", "test"},
	{"How does dpcalc compare with other tools?", "docs/use/comparison.md", "reusable"},
	{"Who has checked the theorems?", "docs/check/proofs.md", "Coq"},
}

// leads returns the places that a page links to, from the root of the repository.
func leads(name, page string) (places []string) {
	for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		switch target := m[1]; {
		case strings.HasPrefix(target, "https://"):
		case strings.HasPrefix(target, "#"):
			places = append(places, name+target)
		default:
			places = append(places, path.Join(path.Dir(name), target))
		}
	}
	return places
}

// clicks returns on how few clicks, at most two, a place is reached from the README; 3 stands for more.
func clicks(tree fs.FS, place string) int {
	read := func(name string) string {
		page, _ := fs.ReadFile(tree, name)
		return string(page)
	}
	first := leads("README.md", read("README.md"))
	if slices.Contains(first, place) || strings.HasPrefix(place, "README.md#") {
		return 1
	}
	for _, on := range first {
		name, _, _ := strings.Cut(on, "#")
		if strings.HasSuffix(name, ".md") && slices.Contains(leads(name, read(name)), place) {
			return 2
		}
	}
	return 3
}

// section returns the text below a heading up to the next one of its level, or a whole page.
func section(page, name string) string {
	if name == "" {
		return page
	}
	heading := regexp.MustCompile(`(?m)^(#{1,6}) +.*$`)
	level, from := 0, -1
	plain := fenced.ReplaceAllStringFunc(page, func(block string) string {
		return strings.ReplaceAll(block, "#", " ")
	})
	names := anchors(page)
	for i, at := range heading.FindAllStringSubmatchIndex(plain, -1) {
		depth := at[3] - at[2]
		if from >= 0 && depth <= level {
			return page[from:at[0]]
		}
		if from < 0 && names[i] == name {
			level, from = depth, at[1]
		}
	}
	return page[max(from, 0):]
}

// Every question leads from the README to its answer in two clicks, and the section has the answer.
func TestQuestionsAreAnswered(t *testing.T) {
	if len(questions) < 30 {
		t.Errorf("%d questions, want at least 30", len(questions))
	}
	index, err := fs.ReadFile(repository, "docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range questions {
		if why := opens(repository, q.place); why != "" {
			t.Errorf("%s %s", q.asked, why)
			continue
		}
		if got := clicks(repository, q.place); got > 2 {
			t.Errorf("%s %s is more than two clicks from the README", q.asked, q.place)
		}
		target, inDocs := strings.CutPrefix(q.place, "docs/")
		if !inDocs {
			target = "../" + target
		}
		if !strings.Contains(string(index), "["+q.asked+"]("+target+")") {
			t.Errorf("docs/README.md does not lead from %q to %s", q.asked, target)
		}
		name, of, _ := strings.Cut(q.place, "#")
		page, err := fs.ReadFile(repository, name)
		if err != nil || !strings.Contains(section(string(page), of), q.word) {
			t.Errorf("%s %s does not have %q, %v", q.asked, q.place, q.word, err)
		}
	}
}

// What TestQuestionsAreAnswered counts as a click and as a section.
func TestClicksAreCounted(t *testing.T) {
	const page = "# A\none\n## B\ntwo\n```\n## no heading\n```\n### C\nthree\n## D\nfour\n"
	tree := fstest.MapFS{
		"README.md":      {Data: []byte("# Top\n[more](more/README.md)\n```\n[x](more/a.md#d)\n```\n")},
		"more/README.md": {Data: []byte("[q](a.md#b) [top](../README.md#top)")},
		"more/a.md":      {Data: []byte(page + "[d](#d)")},
	}
	for place, want := range map[string]int{
		"more/README.md": 1, "README.md#top": 1, "more/a.md#b": 2, "more/a.md#d": 3, "more/a.md": 3,
	} {
		if got := clicks(tree, place); got != want {
			t.Errorf("%s: got %d clicks, want %d", place, got, want)
		}
	}
	for name, want := range map[string]string{
		"": page, "b": "\ntwo\n```\n## no heading\n```\n### C\nthree\n", "c": "\nthree\n", "d": "\nfour\n",
	} {
		if got := section(page, name); got != want {
			t.Errorf("section %q: got %q, want %q", name, got, want)
		}
	}
}

// A page or section that docs/README.md lists as moved is gone, so that no reader is sent away from what is there.
func TestMovedPagesAreGone(t *testing.T) {
	index, err := fs.ReadFile(pages, "README.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| (`[^|]*`) \\| \\[")
	name := regexp.MustCompile("`([\\w/.-]*)(#[\\w-]+)?`")
	moved := 0
	for _, m := range row.FindAllStringSubmatch(string(index), -1) {
		page := ""
		for _, old := range name.FindAllStringSubmatch(m[1], -1) {
			moved++
			if old[1] != "" {
				page = old[1]
			}
			for _, folder := range []string{".", "use"} {
				if opens(pages, path.Join(folder, page)+old[2]) == "" {
					t.Errorf("docs/README.md lists %s as moved, and it is in %s", page+old[2], folder)
				}
			}
		}
	}
	if moved < 20 {
		t.Errorf("%d moved pages and sections were found", moved)
	}
}

// A transcript of the README shows at most 12 lines below its command.
func TestReadmeIsShort(t *testing.T) {
	page, err := fs.ReadFile(repository, "README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := fenced.FindAllString(comment.ReplaceAllString(string(page), ""), -1)
	for _, block := range blocks {
		if lines := strings.Count(block, "\n") - 2; strings.HasPrefix(block, "```console\n") && lines > 12 {
			t.Errorf("%d lines, want at most 12:\n%s", lines, block)
		}
	}
	if len(blocks) < 4 {
		t.Errorf("%d blocks were found, want at least 4", len(blocks))
	}
}

package evallog

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/internal/delimited"
	"github.com/dpcalc/dpcalc/internal/jsontext"
	"github.com/dpcalc/dpcalc/internal/text"
)

// mostName is how many bytes an object or a list has as the name of an item. A longer one has its digest for a name.
const mostName = 256

// mostKinds is how many values an error names, and noKind stands for none.
const (
	mostKinds = 20
	noKind    = "no value"
)

// Items are the items of a log, in its order.
type Items struct {
	IDs      []string
	Texts    []string          // the values or labels
	Contents []holdout.Content // what they ask, zero where the log does not say it
	Missing  int               // records without a value, which count as the low end
}

// pass reads a log once.
type pass struct {
	Tool
	Items
	reading Reading
	path    string // of the values or labels
	log     Log
	at      map[string]int32
	first   []holdout.Content          // of the first record of each item: what no two records of it have alike
	found   map[asked]bool             // of its other records
	kinds   map[string]map[string]bool // of what all records have alike, by its path
	others  []asked                    // the contents of other records, where they differ
	records int

	separator byte // of the cells of a table
}

// asked says that a record of an item has a content.
type asked struct {
	content holdout.Content
	item    int
}

func (r Reading) pass(log Log) *pass {
	p := &pass{Tool: r.tool(), reading: r, log: log, at: make(map[string]int32), found: make(map[asked]bool),
		kinds: make(map[string]map[string]bool)}
	p.id, p.log.separator = cmp.Or(r.ID, p.id), &p.separator
	return p
}

// Values returns the items with their values of a metric: the mean over the records of an item, which are its epochs or
// repeats. true and false are 1 and 0. A record without a value is an error where low is nil, and else counts as low. A
// log in another form is a [delimited.Error].
func (r Reading) Values(log Log, metric string, low *float64) (Items, error) {
	p := r.pass(log)
	p.path = cmp.Or(r.Value, p.value(metric))
	var sums []float64
	var counts []int32
	err := p.each(func(line, item int, record map[string]any) error {
		value, there := find(record, p.path)
		word, x, err := p.number(value)
		why := p.absent(record, value, there)
		switch {
		case why != "" && low == nil && !there:
			return p.errorf(line, item, "%s, want a number, or --missing low at init; there are %s", why, keys(record))
		case why != "" && low == nil:
			return p.errorf(line, item, "%s, want a number, or --missing low at init", why)
		case why != "":
			p.Missing++
			word, x = strconv.FormatFloat(*low, 'g', -1, 64), *low
		case err != nil:
			return p.errorf(line, item, "got %s as %s, want a number, true or false", text.Shown(said(value)), p.path)
		}
		if p.Texts[item] = word; item == len(sums) {
			sums, counts = append(sums, 0), append(counts, 0)
		}
		sums[item], counts[item] = sums[item]+x, counts[item]+1
		return nil
	})
	if err == nil && p.Missing == p.records {
		err = delimited.Errorf(0, "got no record with a value as %s, want some", p.path)
	}
	for i, n := range counts {
		if n > 1 {
			p.Texts[i] = strconv.FormatFloat(sums[i]/float64(n), 'g', -1, 64)
		}
	}
	return p.Items, err
}

// Labels returns the items with what is expected of them, without it where it is not needed. Records of one item have
// to agree.
func (r Reading) Labels(log Log, needed bool) (Items, error) {
	p := r.pass(log)
	if needed {
		p.path = cmp.Or(r.Value, p.label)
	}
	known := 0 // items
	err := p.each(func(line, item int, record map[string]any) error {
		value, there := find(record, p.path)
		label := said(value)
		switch {
		case !needed:
		case value == nil:
			return p.errorf(line, item, "%s", lacks(record, p.path, there))
		case item == known:
			p.Texts[item], known = label, known+1
		case p.Texts[item] != label:
			return p.errorf(line, item, "got two values of %s, want one", p.path)
		}
		return nil
	})
	return p.Items, err
}

// lacks says that a record has no value at a path.
func lacks(record map[string]any, path string, there bool) string {
	if there {
		return "got null as " + path + ", want one"
	}
	return fmt.Sprintf("got no %s, want one; there are %s", path, keys(record))
}

// errorf is an error of an item.
func (p *pass) errorf(line, item int, format string, args ...any) error {
	return delimited.Errorf(line, "item %s: %s", text.Shown(p.IDs[item]), fmt.Sprintf(format, args...))
}

// each calls visit with the item of every record that counts.
func (p *pass) each(visit func(line, item int, record map[string]any) error) error {
	strict, several := p.reading.Version > 0, ""
	paths := slices.Concat([]string{p.id, p.path, "error"}, p.once, p.alike, p.content)
	for _, condition := range slices.Concat(p.void, p.reading.Only) {
		path, _, _ := strings.Cut(condition, "=")
		paths = append(paths, path)
	}
	err := p.log.records(p.Tool, paths, !strict, func(line int, record map[string]any) error {
		if slices.ContainsFunc(p.reading.Only, func(condition string) bool { return !meets(record, condition) }) {
			return nil
		}
		p.records++
		name, err := p.name(line, record)
		if several = cmp.Or(several, p.mixes(record, strict)); err != nil || several != "" {
			return err // the error below names them all
		}
		at, again := p.at[name]
		item := int(at)
		if !again {
			item = len(p.IDs)
			p.at[name], p.IDs, p.Texts = int32(item), append(p.IDs, name), append(p.Texts, "")
		}
		if err := cmp.Or(p.unique(line, item, again, record), visit(line, item, record)); err != nil {
			return err
		}
		p.ask(item, again, record)
		return nil
	})
	p.at, p.first, p.found = nil, nil, nil
	switch {
	case err != nil:
		return err
	case several != "":
		all := slices.Sorted(maps.Keys(p.kinds[several]))
		one := all[slices.IndexFunc(all, func(kind string) bool { return kind != noKind })]
		return delimited.Errorf(0, "got records of several %s: %s, want one of them, as by --only %s=%s", several, strings.Join(all, ", "),
			several, one)
	case p.records == 0:
		return delimited.Errorf(0, "got no record that counts, want one for each item")
	}
	return p.distinct()
}

// name returns the name of a record's item.
func (p *pass) name(line int, record map[string]any) (string, error) {
	value, there := find(record, p.id)
	name := said(value)
	switch {
	case value == nil:
		return "", delimited.Errorf(line, "%s", lacks(record, p.id, there))
	case name == "":
		return "", delimited.Errorf(line, "got %q as %s, want the name of an item", name, p.id)
	case p.reading.Version == 0 || p.Name == "csv":
		return name, nil
	case strings.ContainsRune(name, utf8.RuneError): // bytes that are no text, which would all read alike
		return "", delimited.Errorf(line, "got %s as %s, want a text in UTF-8", text.Shown(name), p.id)
	}
	if _, plain := value.(string); !plain {
		name = p.canonical(p.id, value)
		if len(name) > mostName {
			name = fmt.Sprintf("sha256:%x", contentOf(name))
		}
	}
	return name, nil
}

// mixes returns a path of which records have several values that they should have alike, "" for none.
func (p *pass) mixes(record map[string]any, strict bool) string {
	for i, path := range p.alike {
		value, found := find(record, path)
		known, kind := p.kinds[path], noKind
		if found {
			kind = text.Shown(said(value))
		}
		if known == nil {
			known = make(map[string]bool)
			p.kinds[path] = known
		}
		if (found || strict) && len(known) < mostKinds {
			known[kind] = true
		}
		if len(known) > 1 {
			return path
		} else if i == 0 && found {
			break
		}
	}
	return ""
}

// unique checks that no record of the item before was of the same repeat.
func (p *pass) unique(line, item int, again bool, record map[string]any) error {
	var key []string
	for _, path := range p.once {
		if value, found := find(record, path); found {
			key = append(key, said(value))
		}
	}
	one := asked{contentOf(key...), item}
	switch {
	case p.once == nil, again && key == nil && p.repeats:
		return nil
	case !again:
		p.first = append(p.first, one.content)
		return nil
	case p.first[item] != one.content && !p.found[one]:
		p.found[one] = true
		return nil
	}
	hint := ""
	if _, named := find(record, "filter"); p.Name == "lm-eval" && !named {
		hint = ": this version names no filter: split the file"
	}
	return p.errorf(line, item, "got two records of one %s, want one%s", strings.Join(p.once, " and "), hint)
}

// ask keeps what a record of the item asks.
func (p *pass) ask(item int, again bool, record map[string]any) {
	var parts []string
	for _, path := range p.content {
		if value, _ := find(record, path); value != nil {
			parts = append(parts, path, p.canonical(path, value))
		}
	}
	var content holdout.Content
	if parts != nil {
		content = contentOf(parts...)
	}
	if !again {
		p.Contents = append(p.Contents, content)
	} else if p.Contents[item] != content {
		p.others = append(p.others, asked{content, item})
	}
}

// canonical is a value without what differs from run to run.
func (p *pass) canonical(path string, value any) string {
	if slices.Contains(p.content, path) {
		if list, ok := value.([]any); ok && path == "choices" { // which some runs shuffle
			slices.SortFunc(list, func(x, y any) int { return strings.Compare(said(x), said(y)) })
		}
		without(value, p.varies)
	}
	return said(value)
}

// without takes a key out of all objects of a value.
func without(value any, key string) {
	switch value := value.(type) {
	case map[string]any:
		delete(value, key)
		for _, inner := range value {
			without(inner, key)
		}
	case []any:
		for _, inner := range value {
			without(inner, key)
		}
	}
}

// contentOf is a digest of texts, each of which has an end.
func contentOf(parts ...string) (c holdout.Content) {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d %s", len(part), part)
	}
	copy(c[:], h.Sum(nil))
	return c
}

// distinct refuses two items that ask the same, and puts together what the records of an item ask.
func (p *pass) distinct() error {
	all := slices.Clone(p.others)
	for item, content := range p.Contents {
		all = append(all, asked{content, item})
	}
	all = slices.DeleteFunc(all, func(a asked) bool { return a.content == holdout.Content{} })
	slices.SortFunc(all, func(a, b asked) int {
		return cmp.Or(bytes.Compare(a.content[:], b.content[:]), cmp.Compare(a.item, b.item))
	})
	all = slices.Compact(all)
	clear(p.Contents)
	for i, one := range all {
		for k := range one.content {
			p.Contents[one.item][k] ^= one.content[k]
		}
		if i == 0 || all[i-1].content != one.content {
			continue
		}
		what := p.content[0]
		alike := fmt.Sprintf("items %s and %s have the same %s", text.Shown(p.IDs[all[i-1].item]), text.Shown(p.IDs[one.item]), what)
		if p.reading.Version == 0 {
			return delimited.Errorf(0, "%s: an earlier version took repeats of one item for rows, and its promise is void: make a new ledger from the log", alike)
		}
		return delimited.Errorf(0, "%s, and would be two rows of one item: want --id %s, which averages them", alike, what)
	}
	return nil
}

// absent says why a record has no value, "" if it has one.
func (p *pass) absent(record map[string]any, value any, there bool) string {
	void := slices.IndexFunc(p.void, func(condition string) bool { return meets(record, condition) })
	word := strings.ToLower(strings.TrimSpace(said(value)))
	cell := p.Name == "csv" && p.reading.Version > 0
	lost := p.void != nil && p.repeats && meets(record, "error") // of promptfoo before version 3
	switch {
	case void >= 0:
		return fmt.Sprintf("got no value (%s)", p.void[void])
	case lost && !meets(record, "response"):
		return "got no value (error)"
	case value == nil && there:
		return "got null as " + p.path
	case value == nil:
		return "got no " + p.path
	case isNaN(value) && word == "nan":
		return "unscored (NaN)"
	case cell && slices.Contains([]string{"", "nan", "na", "null"}, word):
		return fmt.Sprintf("got %q as %s", said(value), p.path)
	}
	return ""
}

// number reads a value as a number, and as the text of that number.
func (p *pass) number(value any) (string, float64, error) {
	word := delimited.Point(said(value), p.separator)
	mark, ok := p.marks[word]
	if !ok {
		mark, ok = p.marks[strings.ToLower(word)]
	}
	switch {
	case ok:
		word = mark
	case strings.EqualFold(word, "true"):
		word = "1"
	case strings.EqualFold(word, "false"):
		word = "0"
	}
	if strings.Trim(word, "0123456789+-.eE") != "" {
		return "", 0, strconv.ErrSyntax
	}
	x, err := strconv.ParseFloat(word, 64)
	return word, x, err
}

// said is a text as it stands, and all else as JSON with sorted keys.
func said(value any) string {
	if word, ok := value.(string); ok {
		return strings.TrimPrefix(word, jsontext.NaN)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // which was JSON
	return strings.TrimSuffix(b.String(), "\n")
}

// isNaN reports whether a value is NaN or an infinity.
func isNaN(value any) bool {
	word, _ := value.(string)
	return strings.HasPrefix(word, jsontext.NaN)
}

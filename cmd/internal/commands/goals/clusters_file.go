package goals

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/csvfile"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/delimited"
)

// WithClusters replaces a file of clusters by what it says: K1xS1,K2xS2,...
func WithClusters(c *commands.Call) (*commands.Call, error) {
	text, ok := c.Text(ClustersFlag.Name)
	first, _, _ := strings.Cut(text, "x")
	if _, typed := numbers.Counts.Parse(strings.TrimSpace(first)); !ok || typed {
		return c, nil
	}
	in, err := csvfile.Open(c.Session, text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage.Invalid(ClustersFlag.Name, text, WantClusters+" that is there")
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	said, err := readClusters(delimited.NewSplitter(in.Reader(), 0))
	if err != nil {
		return nil, in.Blame(err)
	}
	one := *c
	one.Values = usage.Replaced(c.Values, ClustersFlag.Name, said)
	return &one, nil
}

// clusterColumns say what a table has: the rows or the weight of a cluster in each line, or the cluster of a row.
var clusterColumns = []string{"rows", "weight", "cluster"}

// readClusters counts the clusters of each size or weight.
func readClusters(s *delimited.Splitter) (string, error) {
	columns, err := s.Header()
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	kind := slices.IndexFunc(clusterColumns, func(name string) bool { return slices.Contains(columns, name) })
	if kind < 0 {
		return "", delimited.Errorf(s.Line, "got the columns %s, want rows or weight with a line for each cluster, or cluster with one for each row",
			usage.Shown(strings.Join(columns, ",")))
	}
	name := clusterColumns[kind]
	at := slices.Index(columns, name)
	named, id := slices.Index(columns, "cluster"), slices.Index(columns, "id")
	sizes, seen := make(map[string]int64), make(map[string]bool)
	for {
		cells, _, err := s.Record()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
		cell := strings.TrimSpace(cells[at])
		once := named
		if name == "cluster" {
			once = id
		}
		if once >= 0 {
			if seen[cells[once]] {
				return "", delimited.Errorf(s.Line, "got the %s %s twice, want it once", columns[once], usage.Shown(cells[once]))
			}
			seen[strings.Clone(cells[once])] = true
		}
		switch {
		case name == "rows":
			if n, ok := numbers.Counts.Parse(cell); !ok {
				return "", delimited.Errorf(s.Line, "got %s rows, want a whole number of at least 1", usage.Shown(cell))
			} else {
				cell = fmt.Sprint(n)
			}
		case name == "weight":
			cell = delimited.Point(cell, s.Separator)
			if w, ok := new(big.Rat).SetString(cell); !ok || w.Sign() <= 0 || strings.ContainsAny(cell, "/eE") {
				return "", delimited.Errorf(s.Line, "got the weight %s, want a positive decimal", usage.Shown(cell))
			}
		case cell == "":
			return "", delimited.Errorf(s.Line, "got a row without a cluster, want a name for it")
		}
		sizes[strings.Clone(cell)]++
	}
	if len(sizes) == 0 {
		return "", usage.Errorf("got a header and nothing below it, want a line for each cluster, or for each row")
	}
	if name == "cluster" {
		bySize := make(map[string]int64)
		for _, n := range sizes {
			bySize[fmt.Sprint(n)]++
		}
		sizes = bySize
	}
	var items []string
	sum := new(big.Rat)
	for size, count := range sizes {
		items = append(items, fmt.Sprintf("%dx%s", count, size))
		w, _ := new(big.Rat).SetString(size)
		sum.Add(sum, w.Mul(w, new(big.Rat).SetInt64(count)))
	}
	if name == "weight" && !IsUnitSum(sum) {
		return "", usage.Errorf("got weights that add up to %s, want 1", sum.FloatString(6))
	}
	slices.Sort(items)
	return strings.Join(items, ","), nil
}

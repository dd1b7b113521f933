// Package vectors reads tables of reference values for tests: CSV files below
// testdata, with one header row.
package vectors

import (
	"encoding/csv"
	"math/big"
	"os"
	"strconv"
	"testing"
)

// Row is a line of a table by column.
type Row map[string]string

// Float returns the number in a column. It fails the test if there is none.
func (r Row) Float(t testing.TB, column string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		t.Fatalf("column %s: %v", column, err)
	}
	return x
}

// Rows reads testdata/name.
func Rows(t testing.TB, name string) []Row {
	t.Helper()
	header, records := read(t, name)
	rows := make([]Row, len(records))
	for i, record := range records {
		rows[i] = Row{}
		for j, column := range header {
			rows[i][column] = record[j]
		}
	}
	return rows
}

// Floats reads a file of numbers.
func Floats(t testing.TB, name string) [][]float64 {
	return convert(t, name, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
}

// Exact reads a file of long decimals to 200 bits; "nan" and "-inf" are nil.
func Exact(t testing.TB, name string) [][]*big.Float {
	return convert(t, name, func(text string) (*big.Float, error) {
		if text == "nan" || text == "-inf" {
			return nil, nil
		}
		x, _, err := big.ParseFloat(text, 10, 200, big.ToNearestEven)
		return x, err
	})
}

func convert[T any](t testing.TB, name string, parse func(string) (T, error)) [][]T {
	t.Helper()
	_, records := read(t, name)
	rows := make([][]T, len(records))
	for i, record := range records {
		for _, text := range record {
			x, err := parse(text)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			rows[i] = append(rows[i], x)
		}
	}
	return rows
}

func read(t testing.TB, name string) (header []string, records [][]string) {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil || len(all) < 2 {
		t.Fatalf("%s: %d lines, %v", name, len(all), err)
	}
	return all[0], all[1:]
}

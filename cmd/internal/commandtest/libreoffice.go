//go:build libreoffice

package commandtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// Reopened converts files to workbooks by LibreOffice, which calculates them, and
// opens the results.
func Reopened(t *testing.T, files []string, options ...string) []*excelize.File {
	t.Helper()
	profile, out := t.TempDir(), t.TempDir()
	// Without this it shows the values in the file until an input changes.
	settings := `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"
  xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>`
	if err := errors.Join(os.Mkdir(filepath.Join(profile, "user"), 0o700),
		os.WriteFile(filepath.Join(profile, "user", "registrymodifications.xcu"), []byte(settings), 0o600)); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-env:UserInstallation=file://" + profile, "--headless", "--norestore", "--convert-to",
		"xlsx", "--outdir", out}, options...)
	if message, err := exec.Command("soffice", append(args, files...)...).CombinedOutput(); err != nil {
		t.Fatalf("soffice: %v\n%s", err, message)
	}
	books := make([]*excelize.File, len(files))
	for i, name := range files {
		base := filepath.Base(name)
		f, err := excelize.OpenFile(filepath.Join(out, strings.TrimSuffix(base, filepath.Ext(base))+".xlsx"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		books[i] = f
	}
	return books
}

// Raw is what a cell holds.
func Raw(t *testing.T, f *excelize.File, sheet, cell string) string {
	t.Helper()
	text, err := f.GetCellValue(sheet, cell, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Change is a copy of a workbook with other inputs.
type Change struct {
	Start string
	To    map[string]any
	Fault string            // what the cell problem says; "" for none
	Rows  map[string]string // what methods say in place of formula
}

// Recalculated starts a workbook for every change by a command, after the words that
// begin it, changes the inputs and returns it as the spreadsheet program computes it.
func Recalculated(t *testing.T, changes []Change, words ...string) []*excelize.File {
	t.Helper()
	dir := t.TempDir()
	paths := make([]string, len(changes))
	made := make(map[string]string) // a workbook for each start, whose copies are changed
	for i, c := range changes {
		if made[c.Start] == "" {
			made[c.Start] = OpenBook(t, slices.Concat(words, strings.Fields(c.Start))...).Path
		}
		f, err := excelize.OpenFile(made[c.Start])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		inputs, _ := LiveTable(t, f)
		for name, value := range c.To {
			if inputs[name] == "" {
				t.Fatalf("%s has no input %s", c.Start, name)
			}
			if err := f.SetCellValue("Live", inputs[name], value); err != nil {
				t.Fatal(err)
			}
		}
		paths[i] = filepath.Join(dir, fmt.Sprint(i, ".xlsx"))
		if err := f.SaveAs(paths[i]); err != nil {
			t.Fatal(err)
		}
	}
	return Reopened(t, paths)
}

package commands

import (
	"io"
	"path/filepath"
	"regexp"

	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// Certificate is a file in Coq that proves an answer, if it has a path.
type Certificate struct{ path, text string }

// coqName is a name that Coq takes for a file.
var coqName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*\.v$`)

// ReadCertificate reads where --certificate goes, and writes the text of its file: "" where the answer says why there
// is none.
func (c *Call) ReadCertificate(t Target, write func() (string, error)) (Certificate, error) {
	path, ok := c.Text("certificate")
	switch {
	case !ok:
		return Certificate{}, nil
	case !coqName.MatchString(filepath.Base(path)):
		return Certificate{}, usage.Invalid("certificate", path, "a name of letters, digits and _ in .v, as Coq wants it")
	case t.Path != "" && outfile.IsSameFile(path, t.Path):
		return Certificate{}, usage.Errorf("--certificate: got the file of --output, want another one")
	}
	text, err := write()
	if err != nil {
		return Certificate{}, usage.Errorf("--certificate: %v", err)
	}
	return Certificate{path, text}, nil
}

// WriteCertificate writes the file if there is one.
func (c *Call) WriteCertificate(f Certificate) error {
	if f.text == "" {
		return nil
	}
	return c.Write(f.path, func(w io.Writer) error {
		_, err := io.WriteString(w, f.text)
		return err
	})
}

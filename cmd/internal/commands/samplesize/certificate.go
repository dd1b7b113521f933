package samplesize

import (
	"io"
	"path/filepath"
	"regexp"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/certificate"
)

// certificateFile is a file in Coq that proves the best plan, if it has a path.
type certificateFile struct{ path, text string }

// coqName is a name that Coq takes for a file.
var coqName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*\.v$`)

// readCertificate writes the file's text. A plan that no file proves is an error, and a row without an answer says why.
func (s *request) readCertificate(c *commands.Call) error {
	path, ok := c.Text("certificate")
	if !ok {
		return nil
	}
	switch {
	case !coqName.MatchString(filepath.Base(path)):
		return usage.Invalid("certificate", path, "a name of letters, digits and _ in .v, as Coq wants it")
	case s.target.Path != "" && outfile.IsSameFile(path, s.target.Path):
		return usage.Errorf("--certificate: got the file of --output, want another one")
	case s.goals != 1:
		return usage.Errorf("--certificate: got %d goals, want one", s.goals)
	}
	rows, _, err := transfer.Solve(nil, s.methods, s.grid.Goal(0))
	if err != nil {
		return err
	}
	r := starred(rows)
	if r == nil {
		return nil
	}
	text, err := certificate.Of(*r.Method, r.Answer)
	if err != nil {
		return usage.Errorf("--certificate: got %s as the best method, %v", r.Method.Name, err)
	}
	s.certificate = certificateFile{path, text}
	return nil
}

// writeCertificate writes the file if there is one.
func (s *request) writeCertificate(c *commands.Call) error {
	if s.certificate.path == "" {
		return nil
	}
	return c.Write(s.certificate.path, func(w io.Writer) error {
		_, err := io.WriteString(w, s.certificate.text)
		return err
	})
}

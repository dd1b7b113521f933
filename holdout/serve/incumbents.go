package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/dpcalc/dpcalc/holdout"
)

// incumbents are the files that candidates are compared with under a plan of differences: the last one that passed.
type incumbents struct {
	turn  chan struct{}       // holds one during a look: no other candidate passes meanwhile
	moved *holdout.LabelsFile // the incumbent at the start, where its file is now
}

// folder is where the candidates' files are, beside the files of the ledger.
const folder = "incumbents"

// suffixes of the files of each form.
var suffixes = map[holdout.Form]string{holdout.AnyForm: ".csv", holdout.Tabs: ".tsv", holdout.JSONLines: ".jsonl"}

// findIncumbent checks that candidates can be compared.
func (s *Server) findIncumbent(now holdout.LabelsFile) error {
	if s.Incumbent != "" {
		s.base.moved = &holdout.LabelsFile{Path: s.Incumbent, Fingerprint: now.Fingerprint}
		now = *s.base.moved
	}
	if now.Path == "" {
		return inputf("incumbent: got nothing, want its file: the incumbent came by standard input")
	}
	if now.Fingerprint == "" {
		if err := s.renew(&now); err != nil {
			return err
		}
	}
	_, done, err := s.incumbent(now)
	if err != nil {
		return err
	}
	done()
	return s.tidy(now)
}

// renew takes what a file predicts for the rows that there are since they changed as the incumbent, as the first look
// at them will.
func (s *Server) renew(now *holdout.LabelsFile) error {
	t, done, err := s.open(now.In(s.dir))
	if err != nil {
		return fmt.Errorf("the incumbent: %w", err)
	}
	defer done()
	if now.Fingerprint, err = s.ledger.Predictions(t); err != nil {
		return inputf("incumbent: %v; the rows have changed: want its predictions for the rows that there are", err)
	}
	s.base.moved = now
	return nil
}

// tidy makes the folder of candidates, and removes all that no look has made the incumbent: a server was killed while
// it read them. A ledger may have moved with its folder, so files are known by their names.
func (s *Server) tidy(now holdout.LabelsFile) error {
	path := filepath.Join(s.dir, folder)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	_, lines, err := holdout.Read(s.dir)
	if err != nil {
		return err
	}
	known := map[string]bool{filepath.Base(now.Path): true} // its look may be in hand elsewhere
	for _, l := range lines {
		known[filepath.Base(l.Path)] = true
	}
	list, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, f := range list {
		if f.Type().IsRegular() && !known[f.Name()] {
			err = errors.Join(err, os.Remove(filepath.Join(path, f.Name())))
		}
	}
	return errors.Join(err, syncFolder(path), syncFolder(s.dir))
}

// syncFolder puts the names in a folder on the disk, where the system can.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// incumbent opens the incumbent's file, which must be as it was.
func (s *Server) incumbent(now holdout.LabelsFile) (t holdout.Table, done func(), err error) {
	if m := s.base.moved; m != nil && (m.Fingerprint == now.Fingerprint || now.Fingerprint == "") {
		now = *m
	}
	if t, done, err = s.open(now.In(s.dir)); err != nil {
		return nil, nil, fmt.Errorf("the incumbent: %w", err)
	}
	got, err := s.ledger.Predictions(t)
	if err == nil && got != now.Fingerprint {
		err = fmt.Errorf("got other predictions than the last candidate that passed, or the plan's")
	}
	done()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %v", now.Path, err) // whatever it is, it is not the candidate's fault
	}
	return s.open(now.In(s.dir))
}

// open opens a file of predictions with the plan's metric.
func (s *Server) open(path string) (t holdout.Table, done func(), err error) {
	p := predictions{form: holdout.AnyForm}
	if filepath.Ext(path) == suffixes[holdout.JSONLines] {
		p.form = holdout.JSONLines
	}
	if p.column, err = s.ledger.Plan().Column(s.ledger.Plan().Metric); err != nil {
		return nil, nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	p.in = f
	return p.table, func() { _ = f.Close() }, nil
}

// compare takes a look at a candidate. Its predictions are on the disk before: if it passes, the next one is compared
// with them.
func (s *Server) compare(ctx context.Context, asked holdout.Submission, body *predictions) (a holdout.Answer,
	err error) {
	if asked.Path, err = s.keep(body); err != nil {
		return a, err
	}
	var done func()
	if asked.Values, done, err = s.open(asked.Path); err != nil {
		return a, err
	}
	defer done()
	ctx, cancel := context.WithTimeoutCause(ctx, s.waiting, errors.New("other candidates are being compared"))
	defer cancel()
	select {
	case s.base.turn <- struct{}{}:
		defer func() { <-s.base.turn }()
	case <-ctx.Done():
		s.discard(asked.Path)
		return a, context.Cause(ctx)
	}
	defer s.discard(asked.Path)
	now, err := s.ledger.Incumbent()
	if err != nil {
		return a, err
	}
	if asked.Incumbent, done, err = s.incumbent(*now); err != nil {
		return a, err
	}
	defer done()
	s.ending.RLock()
	defer s.ending.RUnlock()
	return s.ledger.Score(ctx, asked)
}

// keep writes the predictions of a candidate to a file of its own.
func (s *Server) keep(body *predictions) (path string, err error) {
	f, err := os.CreateTemp(filepath.Join(s.dir, folder), "*"+suffixes[body.form])
	if err != nil {
		return "", err
	}
	defer f.Close()
	if _, err = io.Copy(f, body); err == nil {
		err = errors.Join(f.Sync(), s.names(filepath.Join(s.dir, folder)))
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// discard removes the file of a candidate that is not the incumbent. Where that is not known, the file stays.
func (s *Server) discard(path string) {
	now, err := s.ledger.Incumbent()
	if err == nil && filepath.Base(now.Path) != filepath.Base(path) {
		_ = os.Remove(path)
	}
}

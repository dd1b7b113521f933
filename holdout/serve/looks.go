package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/column"
	"github.com/dpcalc/dpcalc/holdout/open"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/text"
)

// look takes a look at the predictions in the body of a request.
func (s *Server) look(w http.ResponseWriter, r *http.Request, team string) reply {
	if r.ContentLength > s.MaxBody {
		return s.tooLarge()
	}
	wait, cancel := context.WithTimeout(r.Context(), s.Timeout)
	defer cancel()
	done, err := s.limits.read(wait, team)
	if err != nil {
		return line(http.StatusTooManyRequests, "got more than %d predictions at once, want fewer", teamBodies)
	}
	defer done()
	body := &predictions{in: http.MaxBytesReader(w, r.Body, s.MaxBody)}
	answer, err := s.score(r, team, body)
	refused := (*holdout.RefusedError)(nil)
	switch {
	case errors.As(err, &refused):
		why := column.Field[holdout.Answer]{Name: "reason", Value: func(holdout.Answer) any { return refused.Reason }}
		p := s.rowOf(answer, why)
		p.code, p.why = http.StatusConflict, refused.Reason
		return p
	case err != nil:
		return s.failed(err, body)
	}
	return s.rowOf(answer)
}

// rowOf is the row of a look, as the command writes it in JSON, with more fields.
func (s *Server) rowOf(a holdout.Answer, more ...column.Field[holdout.Answer]) reply {
	body := rows(s.Version, inJSON, append(slices.Clip(column.FieldsOf(a.Plan)), more...), a)
	return reply{code: http.StatusOK, kind: kindJSON, answer: &a, body: body}
}

// price says what a look at an open ledger would cost, and takes none.
func (s *Server) price(_ http.ResponseWriter, r *http.Request, team string) reply {
	asked := holdout.Submission{Team: team, Metric: s.ledger.Plan().Served()[0]}
	err := cmp.Or(s.readQuery(r.URL.RawQuery, &asked), s.declares(&asked))
	var list []holdout.Response
	if err == nil {
		list, err = s.ledger.Price(asked, asked.Bar)
	}
	if err != nil {
		return s.failed(err, &predictions{})
	}
	body := rows(s.Version, inJSONOf("holdout-price"), column.ResponseFields, list...)
	return reply{code: http.StatusOK, kind: kindJSON, body: body}
}

func (s *Server) tooLarge() reply {
	return line(http.StatusRequestEntityTooLarge, "got more than %d bytes of predictions, want fewer", s.MaxBody)
}

// score reads a request and takes its look.
func (s *Server) score(r *http.Request, team string, body *predictions) (a holdout.Answer, err error) {
	submission := holdout.Submission{Team: team, Metric: s.ledger.Plan().Served()[0]}
	if err := s.readQuery(r.URL.RawQuery, &submission); err != nil {
		return a, err
	}
	if err := s.declares(&submission); err != nil {
		return a, err
	}
	if body.column, err = s.ledger.Plan().Column(submission.Metric); err != nil {
		return a, err
	}
	if body.form, err = formOf(r.Header); err != nil {
		return a, err
	}
	body.number = s.ledger.Plan().Match.ReadsNumbers(submission.Metric)
	if s.ledger.Plan().Compares() {
		return s.compare(r.Context(), submission, body)
	}
	submission.Values = body.table
	s.ending.RLock()
	defer s.ending.RUnlock()
	return s.ledger.Score(r.Context(), submission)
}

// declares checks that the server declares the metric and the bar of a look. A bar may be left out where there is but
// one.
func (s *Server) declares(asked *holdout.Submission) error {
	plan := s.ledger.Plan()
	if served := plan.Served(); !slices.Contains(served, asked.Metric) {
		return inputf("metric: got %s, want %s: over HTTP a submitter would score itself", text.Shown(asked.Metric),
			text.OrList(served))
	}
	if plan.IsOpen() {
		return open.Offered(plan, &asked.Question)
	}
	if asked.Bar == nil && len(s.Bars) == 1 {
		asked.Bar = &s.Bars[0]
	}
	if asked.Bar != nil && s.Bars != nil && !slices.Contains(s.Bars, *asked.Bar) {
		return inputf("bar: got %v, want one of %s", *asked.Bar, strings.Trim(fmt.Sprint(s.Bars), "[]"))
	}
	return nil
}

// readQuery reads the parameters of a look beside its predictions. The plan's rule refuses those that it does not take.
func (s *Server) readQuery(query string, into *holdout.Submission) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return inputf("got a query that is not one of an address, want ?name=&bar=&guess=&metric=")
	}
	for key, list := range values {
		param, known := ask.Lookup(key)
		if known = known && !param.Owner; !known && key != "name" && key != "metric" {
			names := each.Of(s.ledger.Plan().Asks(), func(p ask.Param) string { return p.Name })
			return inputf("got the parameter %s, want %s", text.Shown(key), text.OrList(append([]string{"name", "metric"}, names...)))
		}
		if len(list) > 1 {
			return inputf("%s: given twice", key)
		}
		typed := list[0]
		switch {
		case key == "name":
			into.Name = typed
		case key == "metric":
			into.Metric = typed
		case typed == "":
		case param.IsNumber():
			x, ok := s.Number(typed)
			if !ok {
				return inputf("%s: got %s, want a number", key, text.Shown(typed))
			}
			param.SetNumber(&into.Question, x)
		default:
			if err := param.Set(&into.Question, typed); err != nil {
				return inputf("%v", err)
			}
		}
	}
	return nil
}

// formOf is the form of the predictions.
func formOf(h http.Header) (holdout.Form, error) {
	if coding := h.Get("Content-Encoding"); coding != "" {
		return 0, inputf("got the encoding %s, want predictions as they are", text.Shown(coding))
	}
	got := only(h["Content-Type"])
	kind, _, err := mime.ParseMediaType(got)
	switch {
	case err == nil && kind == "text/csv":
		return holdout.AnyForm, nil
	case err == nil && kind == "text/tab-separated-values":
		return holdout.Tabs, nil
	case err == nil && kind == "application/jsonl":
		return holdout.JSONLines, nil
	}
	return 0, inputf("got the Content-Type %s, want text/csv, text/tab-separated-values or application/jsonl",
		text.Shown(got))
}

// predictions are the body of a request.
type predictions struct {
	in     io.Reader
	form   holdout.Form
	column string
	number bool  // whether the predictions are numbers
	err    error // of the reading
}

// Read reads the body, and keeps its error: it is the client's.
func (p *predictions) Read(b []byte) (int, error) {
	n, err := p.in.Read(b)
	if err != nil && err != io.EOF {
		p.err = err
	}
	return n, err
}

// table visits the rows.
func (p *predictions) table(visit func(id, value string) error) error {
	return holdout.File{In: p, Form: p.form, Column: p.column, Longest: mostRecord, Numbers: p.number}.Rows(visit)
}

// failed is the reply to a look that was not taken.
func (s *Server) failed(err error, body *predictions) reply {
	large, input := (*http.MaxBytesError)(nil), (*holdout.InputError)(nil)
	form := (*holdout.FormError)(nil)
	corrupt, replaced := (*holdout.CorruptError)(nil), (*holdout.ReplacedError)(nil)
	extended, refused := (*holdout.ExtendedError)(nil), (*holdout.RefusedError)(nil)
	switch {
	case errors.As(body.err, &large):
		return s.tooLarge()
	case body.err != nil:
		return line(http.StatusBadRequest, "got predictions that end early, want them whole and within %v", s.Timeout)
	case errors.As(err, &input):
		return line(http.StatusBadRequest, "%s", strings.TrimPrefix(err.Error(), "holdout: "))
	case errors.As(err, &form):
		return line(http.StatusBadRequest, "predictions: %v", form)
	case errors.As(err, &refused):
		return line(http.StatusConflict, "%s", refused.Reason)
	case errors.As(err, &corrupt), errors.As(err, &replaced), errors.As(err, &extended):
		return broken(http.StatusInternalServerError, err)
	}
	return broken(http.StatusServiceUnavailable, err)
}

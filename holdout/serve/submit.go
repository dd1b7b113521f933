package serve

import (
	"errors"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
)

// mostField is the most bytes of a text of the form, and mostFields is how many of them there may be.
const mostField, mostFields = 4096, 10

// form answers the form of the page with the page, and with the result in it. The form names its team before it has
// predictions. A form without predictions asks for the page alone.
func (s *Server) form(w http.ResponseWriter, r *http.Request, e *Event) reply {
	r.Body = http.MaxBytesReader(w, r.Body, s.MaxBody+mostRecord)
	fields, part, err := readForm(r)
	if err != nil {
		return line(http.StatusBadRequest, "got a form that cannot be read, want the one of the board")
	}
	token := fields.Get("token")
	fields.Del("token")
	team, known := "", s.Tokens == nil && !s.AskOnly
	if s.Tokens != nil {
		team, known = s.Tokens.of(strings.TrimSpace(token))
	}
	if !known {
		page := s.fill(sheet{})
		if s.Public {
			if page, _, err = s.page(htmlBoard, boardForms[0]); err != nil {
				return broken(http.StatusInternalServerError, err)
			}
		}
		return reply{code: http.StatusUnauthorized, kind: kindHTML, body: withResult(page, "The server does not know this token. Type it again.")}
	}
	e.Team = team
	return s.limited(team, s.limits, e, func() reply {
		if part == nil {
			return s.onPage(reply{code: http.StatusOK}, fields)
		}
		asked := r.Clone(r.Context())
		asked.URL = &url.URL{Path: "/looks", RawQuery: fields.Encode()}
		asked.Header = http.Header{"Content-Type": {kindOf(part.FileName())}}
		asked.Body, asked.ContentLength = part, -1
		return s.onPage(s.look(w, asked, team), fields)
	})
}

// htmlBoard is the name of the page among those that were made.
const htmlBoard = "/board html"

// readForm reads the texts of a form up to its file, nil if it has none.
func readForm(r *http.Request) (fields url.Values, file *multipart.Part, err error) {
	in, err := r.MultipartReader()
	if err != nil {
		return nil, nil, err
	}
	fields = make(url.Values)
	for range mostFields {
		part, err := in.NextPart()
		if err == io.EOF {
			return fields, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if part.FormName() == "predictions" {
			if part.FileName() == "" { // none was chosen
				return fields, nil, nil
			}
			return fields, part, nil
		}
		text, err := io.ReadAll(io.LimitReader(part, mostField))
		if err != nil {
			return nil, nil, err
		}
		if value := string(text); part.FormName() != "ask" {
			if value != "" {
				fields.Add(part.FormName(), value)
			}
		} else if asked, err := url.ParseQuery(value); err == nil {
			maps.Copy(fields, asked)
		}
	}
	return nil, nil, errors.New("too many fields")
}

// kindOf is the kind of a file of predictions by its name.
func kindOf(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".tsv":
		return "text/tab-separated-values"
	case ".jsonl":
		return "application/jsonl"
	}
	return "text/csv"
}

// onPage is a reply to a form: the page, with what came of the look.
func (s *Server) onPage(p reply, asked url.Values) reply {
	page, _, err := s.page(htmlBoard, boardForms[0])
	if err != nil {
		return broken(http.StatusInternalServerError, err)
	}
	switch {
	case p.body == nil:
	case p.code >= http.StatusInternalServerError: // a look may be spent
		page = withResult(page, strings.TrimSpace(string(p.body)))
	case p.why != "":
		page = withResult(page, "No look was taken: "+p.why+".")
	case p.answer != nil:
		page = withResult(page, told(*p.answer, s.barOf(asked)))
	default:
		page = withResult(page, "No look was taken: "+strings.TrimSpace(string(p.body)))
	}
	p.kind, p.body = kindHTML, page
	return p
}

// barOf is the bar of a look at a fixed gate, nil for none.
func (s *Server) barOf(asked url.Values) *float64 {
	plan := s.ledger.Plan()
	for _, bars := range [][]float64{s.Bars, plan.Bars} {
		if len(bars) == 1 {
			return &bars[0]
		}
	}
	if bar, err := strconv.ParseFloat(asked.Get("bar"), 64); err == nil {
		return &bar
	}
	return plan.Promise.Bar
}

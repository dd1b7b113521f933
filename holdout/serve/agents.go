package serve

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
)

// agentsPath is the address of [Server.Agents].
const agentsPath = "/mcp"

// Asked is what a team asks by a protocol for agents. Its answer is the answer to the same request over HTTP.
type Asked struct {
	Path        string     // /looks, /price or /status
	Query       url.Values // the parameters
	Predictions io.Reader  // of a look
	Kind        string     // their Content-Type
}

// Ask answers a team by the rules and within the limits of a request of it over HTTP. Code and body are HTTP's.
func (s *Server) Ask(ctx context.Context, team string, a Asked) (code int, body string) {
	i := slices.IndexFunc(routes, func(to route) bool { return to.path == a.Path && to.path != agentsPath })
	to := routes[i]
	r := (&http.Request{
		Method: to.method, URL: &url.URL{Path: a.Path, RawQuery: a.Query.Encode()}, Header: http.Header{"Content-Type": {a.Kind}},
		Body: io.NopCloser(a.Predictions),
	}).WithContext(ctx)
	e := Event{Team: team, Method: to.method, Path: a.Path}
	p := s.limited(team, s.limits, &e, func() reply { return to.answer(s, nil, r, team) })
	s.tell(e, p)
	s.endAt(p)
	return p.code, string(p.body)
}

// teamKey is the key of the team in the context of a request to [Server.Agents].
type teamKey struct{}

// TeamOf is the team whose request to [Server.Agents] has the context.
func TeamOf(ctx context.Context) string {
	team, _ := ctx.Value(teamKey{}).(string)
	return team
}

// agents passes a request of a known team on, and keeps the answer whole: it gets the headers of every answer.
func (s *Server) agents(_ http.ResponseWriter, r *http.Request, team string) reply {
	w := whole{header: make(http.Header), code: http.StatusOK}
	s.Agents.ServeHTTP(&w, r.WithContext(context.WithValue(r.Context(), teamKey{}, team)))
	return reply{code: w.code, kind: w.header.Get("Content-Type"), body: w.body.Bytes()}
}

// whole is an answer that is not sent yet.
type whole struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (w *whole) Header() http.Header         { return w.header }
func (w *whole) WriteHeader(code int)        { w.code = code }
func (w *whole) Write(b []byte) (int, error) { return w.body.Write(b) }

package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/transfer"
)

// Options are who may ask, and how much. The zero value answers everybody who reaches a loopback address.
type Options struct {
	Tokens    *Tokens       // of the teams; nil: everybody who reaches a loopback address is one team without a name
	AskOnly   bool          // whether teams ask by [Server.Ask] alone, which names them: nothing is answered over HTTP
	Public    bool          // whether status and board want no token
	Hosts     []string      // HOST or HOST:PORT that the Host header may be, beside the address that was connected to
	Bars      []float64     // gate: that may be asked, where the plan declares none
	Incumbent string        // of differences: the present incumbent's file; "" where the ledger says that it is
	MaxBody   int64         // bytes of predictions; 0 for [DefaultMaxBody]
	Rate      float64       // requests a second of a team, ten seconds of them at once; 0 for [DefaultRate]
	Timeout   time.Duration // in which a request has to come; 0 for [DefaultTimeout]

	More     []*holdout.Labels   // of an open ledger whose rows have changed: the other files of labels, in their order
	Features []*holdout.Features // of a ledger with features: a file for each file of labels
	Items    *holdout.Items      // of a ledger whose rows are of a benchmark
	Version  string              // of the program, which answers name

	// Number reads the number of a bar or a guess; nil for decimals alone.
	Number func(text string) (x float64, ok bool)

	// Agents answers POST /mcp, a protocol for agents, by [Server.Ask]; nil for no such address. The context of a request
	// has its team ([TeamOf]).
	Agents http.Handler

	// Log is told of every request that was not shown a board or a status and was not above the rate. One call is made
	// at a time.
	Log func(Event)
}

// The defaults of the options.
const (
	DefaultMaxBody = 64 << 20
	DefaultRate    = 10
	DefaultTimeout = time.Minute
)

// Event is a request and its outcome.
type Event struct {
	Time      string   `json:"time"` // UTC, RFC 3339
	Team      string   `json:"team,omitempty"`
	Method    string   `json:"method,omitempty"` // empty if no request could be taken, other for none of the server's
	Path      string   `json:"path,omitempty"`   // likewise
	Status    int      `json:"status,omitempty"`
	Look      int64    `json:"look,omitempty"`
	Remaining *int64   `json:"remaining_looks,omitempty"`
	Spent     *float64 `json:"spent,omitempty"`   // nats, of an open ledger
	Refused   int64    `json:"refused,omitempty"` // requests of the team above its rate, since the last event
	Error     string   `json:"error,omitempty"`   // that the client is not told
}

// Server answers looks over HTTP. It is an http.Handler.
type Server struct {
	Options
	dir    string
	ledger *holdout.Ledger
	limits *limits // of teams
	public *limits // of all who look at a public board
	forms  *limits // of all whose form has not named its team yet
	origin *http.CrossOriginProtection
	shown  shown
	base   incumbents

	names    func(string) error // puts the names in a folder on the disk
	waiting  time.Duration      // of a candidate for others and for the ledger
	patience time.Duration      // for requests that have not come whole when the server is stopped
	stopped  chan error         // holds why the server stops of its own accord
	ending   sync.RWMutex       // is read where a look is taken
	telling  sync.Mutex
}

// New opens a ledger and verifies it. A plan for finalists is refused: they are scored in one command.
func New(dir string, labels *holdout.Labels, o Options) (*Server, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	ledger, err := holdout.Open(dir, append([]*holdout.Labels{labels}, o.More...)...)
	if err != nil {
		return nil, err
	}
	if o.Features != nil {
		if err := ledger.UseFeatures(o.Features...); err != nil {
			return nil, err
		}
	}
	if o.Items != nil {
		if err := ledger.UsePopulation(o.Items); err != nil {
			return nil, err
		}
	}
	if err := ledger.Whole(); err != nil {
		return nil, err
	}
	if err := ledger.Settle(context.Background()); err != nil {
		return nil, err
	}
	verified, err := holdout.Verify(dir, "")
	if err != nil {
		return nil, err
	}
	if verified.Plan.Promise.Feedback == transfer.Final.String() {
		return nil, inputf("got a plan for finalists, want one whose looks come one by one: holdout score takes all finalists in one command")
	}
	if err := o.declared(verified.Plan); err != nil {
		return nil, err
	}
	o.MaxBody, o.Rate = cmp.Or(o.MaxBody, DefaultMaxBody), cmp.Or(o.Rate, DefaultRate)
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	if o.Number == nil {
		o.Number = decimal
	}
	s := &Server{
		Options: o, dir: dir, ledger: ledger, origin: http.NewCrossOriginProtection(),
		limits: newLimits(o.Rate), public: newLimits(max(o.Rate, publicRate)), forms: newLimits(max(o.Rate, publicRate)),
		names: syncFolder, waiting: 10 * time.Second, patience: 5 * time.Second,
		stopped: make(chan error, 1), base: incumbents{turn: make(chan struct{}, 1)},
	}
	switch {
	case verified.Incumbent != nil:
		err = s.findIncumbent(*verified.Incumbent)
	case o.Incumbent != "":
		err = inputf("incumbent: got one, want none: the plan is for no differences")
	}
	return s, err
}

// decimal reads a decimal number.
func decimal(text string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// inputf is a [holdout.InputError] with a text of this form.
func inputf(format string, args ...any) error {
	return &holdout.InputError{Text: fmt.Sprintf(format, args...)}
}

// declared checks that who submits chooses neither the metric nor the bar. Values of a column would be the submitter's
// word for its own score, and a team that passes a bar of its own spends the passes of all.
func (o Options) declared(p *holdout.Plan) error {
	metrics, served := p.Metrics, p.Served()
	if metrics == nil && p.Compares() { // a plan of an earlier version: its incumbent has no other metric
		metrics = []string{p.Metric}
		if p.Metric != holdout.Accuracy {
			served = nil
		}
	}
	gate := p.Promise.Feedback == transfer.Gate.String()
	nameless := o.Tokens == nil && !o.AskOnly
	own := p.Promise.Bar != nil || p.Bars != nil || p.Promise.Test != ""
	switch {
	case p.Pairs != nil:
		return inputf("got a ledger of an AUC, want another: its looks are its owner's runs of models that were made without these rows, and a team may know the rows")
	case p.IsOpen() && len(p.Open.Ask) == 0:
		return inputf("got an open ledger made without --ask, want one made with the looks that teams may ask, such as holdout init " +
			"DIR --ask best: a team that chose its looks would spend the budget of all")
	case p.IsOpen() && p.Open.MostPerTeam > 0 && nameless:
		return inputf("tokens: got none, want them: the ledger was made with most-per-team, and nobody is a team without")
	case metrics != nil && served == nil:
		return inputf("got a plan for the metric %s, want one that the ledger computes: over HTTP a submitter would score itself",
			text.Shown(strings.Join(metrics, ", ")))
	case gate && !own && o.Bars == nil:
		return inputf("bars: got none, and none in the plan, want the bars that may be asked: a pass at any other " +
			"would spend the passes of all")
	case o.Bars != nil && (!gate || own):
		return inputf("bars: got %d, want none: the plan has its bars, or is for no gate", len(o.Bars))
	}
	return nil
}

// mostHeader is the most bytes of the header of a request.
const mostHeader = 1 << 14

// Serve answers until the context ends, or the ledger turns out to have another plan or other rows. Then it takes no
// new request, and returns when the looks in hand are answered; a client that is still sending is cut off after five
// seconds. Nothing is answered any more after that.
func (s *Server) Serve(ctx context.Context, l net.Listener) (why error) {
	if s.Tokens == nil && !IsLoopback(l.Addr()) {
		return inputf("got the address %s without tokens, want tokens or a loopback address", l.Addr())
	}
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: min(s.Timeout, 10*time.Second), ReadTimeout: s.Timeout,
		WriteTimeout: s.Timeout + time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: mostHeader,
		DisableGeneralOptionsHandler: true,                       // which would answer OPTIONS * before the host is looked at
		ErrorLog:                     log.New(io.Discard, "", 0), // of broken connections; errors of this server are Events
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(door{l, s}) }()
	select {
	case err := <-ended:
		return err
	case why = <-s.stopped:
	case <-ctx.Done():
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.patience)
	defer cancel()
	if server.Shutdown(wait) != nil {
		_ = server.Close()
	}
	s.ending.Lock() // and for ever: a look that has not begun is not taken
	return why
}

// door is where connections come in. The log is told of those that the system refuses, as where no file may be opened
// any more; the server goes on then.
type door struct {
	net.Listener
	server *Server
}

func (d door) Accept() (net.Conn, error) {
	c, err := d.Listener.Accept()
	if err != nil && !errors.Is(err, net.ErrClosed) {
		d.server.tell(Event{}, reply{err: err})
	}
	return c, err
}

// IsLoopback reports whether only this machine reaches an address.
func IsLoopback(a net.Addr) bool {
	at, err := netip.ParseAddrPort(a.String())
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// reply is the answer to a request.
type reply struct {
	code   int
	kind   string // of the body
	body   []byte
	allow  string          // the method that was wanted
	answer *holdout.Answer // of a look
	why    string          // it was refused
	err    error           // that the client is not told
}

// The kinds of bodies.
const (
	kindLine = "text/plain; charset=utf-8"
	kindJSON = "application/json"
	kindCSV  = "text/csv; charset=utf-8"
	kindHTML = "text/html; charset=utf-8"
)

// line is a reply of one line.
func line(code int, format string, args ...any) reply {
	text := strings.ReplaceAll(strings.ToValidUTF8(fmt.Sprintf(format, args...), "\ufffd"), "\n", `\n`)
	return reply{code: code, kind: kindLine, body: []byte(text + "\n")}
}

// broken is the reply to an error that is not the client's.
func broken(code int, err error) reply {
	r := line(code, "the server cannot answer now: the organiser's log says why")
	r.err = err
	return r
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e := Event{Method: "other", Path: "other"} // where a client may have put its token
	if to := routeOf(r); to != nil && r.Method == to.method {
		e.Method, e.Path = to.method, to.path
	}
	p := s.within(w, r, &e)
	h := w.Header()
	for name, value := range headers {
		h.Set(name, value)
	}
	h.Set("Content-Type", p.kind)
	h.Set("Content-Length", strconv.Itoa(len(p.body)))
	switch p.code {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	case http.StatusTooManyRequests:
		h.Set("Retry-After", "1")
	case http.StatusSeeOther:
		h.Set("Location", "board")
	case http.StatusMethodNotAllowed:
		h.Set("Allow", p.allow)
	}
	w.WriteHeader(p.code)
	_, _ = w.Write(p.body)
	s.tell(e, p)
	s.endAt(p)
}

// endAt ends the server after a reply that the ledger is another one now.
func (s *Server) endAt(p reply) {
	replaced, extended := (*holdout.ReplacedError)(nil), (*holdout.ExtendedError)(nil)
	if errors.As(p.err, &replaced) || errors.As(p.err, &extended) {
		select {
		case s.stopped <- p.err:
		default: // it stops already
		}
	}
}

// headers of every answer. The page needs its own style and script, and sends its form to this server alone.
var headers = map[string]string{
	"Content-Security-Policy": "default-src 'none'; style-src " + sourceOf(style) + "; script-src " + sourceOf(script) +
		"; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "same-origin", // with none, browsers send a form of this page with the origin null
	"Cache-Control":                "no-store",
	"Cross-Origin-Resource-Policy": "same-origin",
}

// within answers a request, and notes its team.
func (s *Server) within(w http.ResponseWriter, r *http.Request, e *Event) reply {
	team, known := s.team(r)
	e.Team = team
	limits := s.limits
	switch {
	case isForm(r):
		return s.limited("", s.forms, e, func() reply { return s.answer(w, r, e, team, known) })
	case s.shows(r) && !known:
		limits = s.public
	}
	return s.limited(team, limits, e, func() reply { return s.answer(w, r, e, team, known) })
}

// limited answers a request that keeps to the limits of its team.
func (s *Server) limited(team string, limits *limits, e *Event, answer func() reply) (p reply) {
	refused, ok := limits.enter(team)
	if !ok {
		return line(http.StatusTooManyRequests, "got more than %v requests a second or %d at once, want fewer", limits.rate,
			atOnce)
	}
	defer limits.leave(team)
	e.Refused = refused
	defer func() {
		if fault := recover(); fault != nil {
			p = broken(http.StatusInternalServerError, fmt.Errorf("internal error: %v", fault))
		}
	}()
	return answer()
}

// team is who asks, and whether that is known.
func (s *Server) team(r *http.Request) (string, bool) {
	if s.Tokens == nil {
		return "", !s.AskOnly
	}
	return s.Tokens.team(r)
}

// route is an address.
type route struct {
	path, method string
	board        bool // it is shown to everybody, if the board is public
	answer       func(*Server, http.ResponseWriter, *http.Request, string) reply
}

var routes = []route{
	{"/looks", http.MethodPost, false, (*Server).look},
	{"/price", http.MethodGet, false, (*Server).price},
	{"/status", http.MethodGet, true, (*Server).status},
	{"/board", http.MethodGet, true, (*Server).board},
	{"/board", http.MethodPost, false, nil}, // a form, which names its team itself
	{"/", http.MethodGet, false, nil},       // leads to the board
	{agentsPath, http.MethodPost, false, (*Server).agents},
}

// routeOf finds the address of a request, and its method if the address has several; nil if there is none.
func routeOf(r *http.Request) *route {
	i := slices.IndexFunc(routes, func(to route) bool { return to.path == r.URL.Path && to.method == r.Method })
	if i < 0 {
		i = slices.IndexFunc(routes, func(to route) bool { return to.path == r.URL.Path })
	}
	if i < 0 {
		return nil
	}
	return &routes[i]
}

// isForm reports whether a request is the form of the page.
func isForm(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Path == "/board" }

// shows reports whether a request wants a page that everybody is shown.
func (s *Server) shows(r *http.Request) bool {
	to := routeOf(r)
	return s.Public && to != nil && to.board
}

// answer answers a request, if it is one for this server and from somebody who may ask.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, e *Event, team string, known bool) reply {
	if why := s.stranger(r); why != "" {
		return line(http.StatusMisdirectedRequest, "%s", why)
	}
	to := routeOf(r)
	if to == nil || to.path == agentsPath && s.Agents == nil {
		return line(http.StatusNotFound, "got %s, want /looks, /price, /status or /board", text.Shown(r.URL.Path))
	}
	if got := r.Method; got != to.method && (got != http.MethodHead || to.method != http.MethodGet) {
		p := line(http.StatusMethodNotAllowed, "got %s, want %s", text.Shown(got), to.method)
		p.allow = to.method
		return p
	}
	if err := s.origin.Check(r); err != nil {
		return line(http.StatusForbidden, "got a request from the page of another site, want one of a program")
	}
	switch {
	case to.path == "/":
		return reply{code: http.StatusSeeOther, kind: kindLine}
	case isForm(r):
		return s.form(w, r, e)
	}
	if !known && !s.shows(r) {
		if to.path == "/board" && strings.Contains(r.Header.Get("Accept"), "text/html") {
			return reply{code: http.StatusUnauthorized, kind: kindHTML, body: s.fill(sheet{})}
		}
		return line(http.StatusUnauthorized, "got no token of a team, want the header Authorization: Bearer TOKEN")
	}
	return to.answer(s, w, r, team)
}

// stranger says why a request is for another server than this one, "" if it is not.
func (s *Server) stranger(r *http.Request) string {
	here, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	switch {
	case !ok:
		return "got a request of no connection"
	case s.Tokens == nil && (!IsLoopback(here) || passedOn(r.Header)):
		return "got a request from elsewhere, want one of this machine: there are no tokens"
	case !slices.ContainsFunc(append(s.Hosts, here.String()), func(h string) bool { return isSameHost(h, r.Host) }):
		return fmt.Sprintf("got the host %s, want the address that is served", text.Shown(r.Host))
	}
	return ""
}

// passedOn reports whether a proxy says that it passed a request on.
func passedOn(h http.Header) bool {
	return h.Get("Forwarded") != "" || h.Get("X-Forwarded-For") != "" || h.Get("Via") != ""
}

// isSameHost compares hosts with their ports. One without a port is the host at the port of http or of https.
func isSameHost(a, b string) bool { return strings.EqualFold(withoutPort(a), withoutPort(b)) }

// withoutPort leaves out the ports that an address on the web leaves out.
func withoutPort(address string) string {
	host, port, err := net.SplitHostPort(address)
	switch {
	case err != nil || port != "80" && port != "443":
		return address
	case strings.Contains(host, ":"):
		return "[" + host + "]"
	}
	return host
}

// tell tells the log. It is told how many requests a flood had, and not of each.
func (s *Server) tell(e Event, p reply) {
	quiet := p.code == http.StatusOK && p.answer == nil && e.Refused == 0
	if s.Log == nil || quiet || p.code == http.StatusTooManyRequests {
		return
	}
	e.Time, e.Status = time.Now().UTC().Format(time.RFC3339), p.code
	if p.answer != nil {
		e.Look, e.Remaining = p.answer.Look, &p.answer.Remaining.Looks
		if p.answer.Open != nil {
			e.Remaining, e.Spent = nil, &p.answer.Spent
		}
	}
	if p.err != nil {
		e.Error = p.err.Error()
	}
	s.telling.Lock()
	defer s.telling.Unlock()
	s.Log(e)
}

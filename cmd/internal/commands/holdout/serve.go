package holdout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/agents"
	"github.com/dpcalc/dpcalc/cmd/internal/mcp"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/holdout/serve"
	"github.com/dpcalc/dpcalc/internal/text"
)

func serveCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "serve", Arguments: "DIR", Summary: "answer looks at a ledger over HTTP, with a board",
		Description: commands.Described("holdout-serve"),
		Flags: slices.Concat([]usage.Flag{
			{Name: "addr", Usage: "answer at `HOST:PORT` (default " + defaultAddress + "; port 0 for a free one)"},
			{Name: "tokens", Usage: "the teams' tokens are in `FILE`, one line for each team; without it only a loopback address is served"},
			{Name: "public-board", Switch: true, Usage: "show board and status without a token"},
			{Name: "host", Repeats: true, Usage: "the Host header may be `NAME` too, as behind a proxy"},
			{Name: "rate", Usage: "answer a team `R` requests a second (default " + strconv.Itoa(serve.DefaultRate) + "), ten seconds of them at once"},
			{Name: "mcp", Switch: true, Usage: "answer agents too, at /mcp, by the Model Context Protocol (streamable HTTP)"},
			{Name: "log", Usage: "append every request except requests to the board to `FILE`, as JSON lines"},
			{Name: "bars", Usage: "gate: teams may ask only the bars `C,...`, where the plan has none"},
		}, movedFlags),
		Common:   []string{"addr", "tokens", "public-board", "host", "rate", "mcp", "log", "bars", "labels"},
		Examples: []string{"dpcalc holdout serve ledger --tokens tokens.txt --public-board", "dpcalc holdout serve ledger"},
	}, runServe, 0, 0)
}

const defaultAddress = "127.0.0.1:8090"

// runServe answers over HTTP until the program is told to stop. It then writes the status.
func runServe(c *commands.Call, target commands.Target, dir string, _ []string) error {
	address, err := readAddress(c)
	if err != nil {
		return err
	}
	o := serve.Options{
		Public: c.Is("public-board"), Hosts: append(slices.Clone(c.Texts("host")), address), Version: usage.Version(),
		Number: numbers.Reals.Parse,
	}
	if o.Rate, _, err = numbers.One(c, "rate", numbers.Positives); err != nil {
		return err
	}
	if o.Tokens, err = readTokens(c); err != nil {
		return err
	}
	status, err := holdout.ReadStatus(dir)
	if err != nil {
		return err
	}
	watch := watcher{call: c, looks: status.Looks}
	if err := watch.open(); err != nil {
		return err
	}
	defer watch.close()
	o.Log = watch.event
	server, _, err := openServer(c, dir, status, o)
	if err != nil {
		return err
	}
	if c.Is("mcp") {
		server.Agents = mcp.Handler(func(ctx context.Context) mcp.Offer {
			return offered(agents.Ledger{Server: server, Plan: status.Plan}, serve.TeamOf(ctx), "")
		})
	}
	ctx, done := c.Serving()
	defer done()
	if err := listen(ctx, c, server, address); err != nil {
		return err
	}
	if status, err = holdout.ReadStatus(dir); err != nil {
		return err
	}
	watch.close()
	return commands.Emit(c, target, statusOf(status, dir))
}

// openServer opens a ledger with what answers its looks, and returns the files of its labels.
func openServer(c *commands.Call, dir string, status holdout.Status, o serve.Options) (
	s *serve.Server, paths []string, err error) {
	if o.Incumbent, err = readMoved(c); err != nil {
		return nil, nil, err
	}
	if o.Bars, err = numbers.List(c, "bars", numbers.Reals); err != nil {
		return nil, nil, err
	}
	labels, paths, err := labelsOf(c, status, dir, c.Texts("labels"))
	if err != nil {
		return nil, nil, err
	}
	if o.Items, err = itemsOf(c, status.Plan, dir); err != nil {
		return nil, nil, err
	}
	if open := status.Plan.Open; open != nil && open.Features != nil || status.Plan.Group != nil {
		if o.Features, err = featuresOf(c, status, dir, c.Texts("features")); err != nil {
			return nil, nil, err
		}
	}
	o.More = labels[1:]
	s, err = serve.New(dir, labels[0], o)
	return s, paths, err
}

// listen answers at an address, and says where that is.
func listen(ctx context.Context, c *commands.Call, server *serve.Server, address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	defer l.Close()
	if server.Tokens == nil && !serve.IsLoopback(l.Addr()) {
		return usage.Errorf("--addr: got %s without --tokens, want --tokens FILE or a loopback address", address)
	}
	fmt.Fprintf(c.Stderr, "dpcalc: holdout: serving http://%s\n", l.Addr())
	return server.Serve(ctx, l)
}

// readAddress reads --addr.
func readAddress(c *commands.Call) (string, error) {
	text, ok := c.Text("addr")
	if !ok {
		return defaultAddress, nil
	}
	host, port, err := net.SplitHostPort(text)
	if _, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil || host == "" {
		return "", usage.Invalid("addr", text, "HOST:PORT, such as "+defaultAddress)
	}
	return text, nil
}

// readMoved reads --incumbent, where the incumbent's file is now.
func readMoved(c *commands.Call) (string, error) {
	path, ok := c.Text("incumbent")
	switch {
	case !ok:
		return "", nil
	case path == "-" || path == "":
		return "", usage.Invalid("incumbent", path, "a file that stays where it is")
	}
	return filepath.Abs(path)
}

// readTokens reads --tokens, nil without it.
func readTokens(c *commands.Call) (*serve.Tokens, error) {
	path, ok := c.Text("tokens")
	if !ok {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--tokens: %w", err)
	}
	defer f.Close()
	tokens, err := serve.ReadTokens(f)
	if wrong := (*holdout.InputError)(nil); errors.As(err, &wrong) {
		return nil, usage.Errorf("--tokens: %s: %v", usage.Shown(path), err)
	} else if err != nil {
		return nil, fmt.Errorf("--tokens: %s: %w", usage.Shown(path), outfile.Cause(err))
	}
	return tokens, nil
}

// watcher shows the requests to the organiser: a line on a terminal, and a line of the log for each request.
type watcher struct {
	call  *commands.Call
	line  *outfile.Progress
	log   *os.File
	looks int64 // taken so far
}

func (w *watcher) open() (err error) {
	w.line = w.call.Progress(0)
	path, ok := w.call.Text("log")
	if !ok {
		return nil
	}
	if w.log, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		return fmt.Errorf("--log: %w", err)
	}
	return nil
}

// event writes a request and its outcome. The log has it first. Without a log, standard error has the errors.
func (w *watcher) event(e serve.Event) {
	if w.log != nil {
		if err := json.NewEncoder(w.log).Encode(e); err != nil {
			w.call.Clear()
			fmt.Fprintf(w.call.Stderr, "dpcalc: holdout: --log: %v; this goes on without a log\n", err)
			_ = w.log.Close()
			w.log = nil
		}
	}
	if w.log == nil && e.Error != "" {
		w.call.Clear()
		fmt.Fprintf(w.call.Stderr, "dpcalc: holdout: %s\n", broken(e))
	}
	switch w.looks = max(w.looks, e.Look); {
	case e.Remaining != nil:
		w.line.Say(fmt.Sprintf("%d looks, %d remain, the last by %s", w.looks, *e.Remaining, shortened(e.Team)))
	case e.Spent != nil:
		w.line.Say(fmt.Sprintf("%d looks, which cost %s nats, the last by %s", w.looks, text.Up(*e.Spent), shortened(e.Team)))
	}
}

// broken says which request could not be answered, and why.
func broken(e serve.Event) string {
	if e.Path == "" {
		return e.Error
	}
	return fmt.Sprintf("%s: %s %s: %s", shortened(e.Team), e.Method, e.Path, e.Error)
}

func (w *watcher) close() {
	w.line.End()
	if w.log != nil {
		_ = w.log.Close()
		w.log = nil
	}
}

// mostOfName is how much of a team's name fits the line.
const mostOfName = 30

// shortened is the name of a team for a line of a terminal.
func shortened(team string) string {
	if team == "" {
		return "this machine"
	}
	if runes := []rune(team); len(runes) > mostOfName {
		return string(runes[:mostOfName-3]) + "..."
	}
	return team
}

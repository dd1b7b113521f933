// Package mcp offers tools to agents by the Model Context Protocol: on a pipe, or by requests over HTTP. It is the one
// package that imports the protocol's library.
package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tool is something that an agent may call.
type Tool struct {
	Name, Description string
	Input             any // the JSON schema of its arguments, an object

	// Run runs the tool with its arguments in JSON. The text is for the agent, also of what failed.
	Run func(ctx context.Context, arguments json.RawMessage) (text string, failed bool)
}

// Offer is what a server says of itself, and its tools.
type Offer struct {
	Version, Instructions string
	Tools                 []Tool
}

func (o Offer) server() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "dpcalc", Version: o.Version}, &sdk.ServerOptions{
		Instructions: o.Instructions, Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
	})
	for _, tool := range o.Tools {
		s.AddTool(&sdk.Tool{Name: tool.Name, Description: tool.Description, InputSchema: tool.Input},
			func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				text, failed := tool.Run(ctx, r.Params.Arguments)
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, IsError: failed}, nil
			})
	}
	return s
}

// Serve answers an agent on a pipe, until the agent closes it or the context ends.
func Serve(ctx context.Context, o Offer, in io.Reader, out io.Writer) error {
	ended := make(chan error, 1)
	p := &pipe{lines: bufio.NewScanner(in), out: out, asked: make(map[jsonrpc.ID]bool)}
	p.lines.Buffer(nil, sdk.DefaultMaxLineLength)
	p.answered = sync.NewCond(&p.mu)
	go func() {
		ended <- o.server().Run(ctx, &sdk.IOTransport{Reader: p, Writer: p, MaxLineLength: -1})
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done(): // a reader that waits for the pipe cannot be ended
		return nil
	}
}

// pipe is both ends of a pipe, line by line. A line that is no message gets an error, and the session goes on. The end
// of the input comes after the answers to all requests before it.
type pipe struct {
	lines *bufio.Scanner
	rest  []byte // of the line that is read
	out   io.Writer

	mu       sync.Mutex
	asked    map[jsonrpc.ID]bool // requests without an answer
	answered *sync.Cond
	closed   bool
}

// Read reads messages.
func (p *pipe) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		if !p.lines.Scan() {
			p.mu.Lock()
			defer p.mu.Unlock()
			for len(p.asked) > 0 && !p.closed {
				p.answered.Wait()
			}
			return 0, cmp.Or(p.lines.Err(), io.EOF)
		}
		line := bytes.TrimSpace(p.lines.Bytes())
		if len(line) == 0 {
			continue
		}
		message, err := jsonrpc.DecodeMessage(line)
		if err != nil || !json.Valid(line) { // the library takes what follows an object
			if _, err := p.Write(refusal(line)); err != nil {
				return 0, err
			}
			continue
		}
		if r, ok := message.(*jsonrpc.Request); ok && r.IsCall() {
			p.mu.Lock()
			p.asked[r.ID] = true
			p.mu.Unlock()
		}
		p.rest = append(bytes.Clone(line), '\n')
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// refusal answers a line that is no message, with its id if it has one.
func refusal(line []byte) []byte {
	var got struct{ ID any }
	code, says := jsonrpc.CodeInvalidRequest, "got JSON that is no message of JSON-RPC 2.0, want one on each line"
	if err := json.Unmarshal(line, &got); !json.Valid(line) {
		code, says = jsonrpc.CodeParseError, fmt.Sprintf("got a line that is no JSON, want one message on each line: %v", err)
	}
	id, _ := jsonrpc.MakeID(got.ID)
	text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id.Raw(), "error": jsonrpc.Error{Code: int64(code), Message: says}})
	return append(text, '\n')
}

// Write writes a message whole, and notes which request it answers.
func (p *pipe) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := p.out.Write(b)
	if message, wrong := jsonrpc.DecodeMessage(b); wrong == nil {
		if r, ok := message.(*jsonrpc.Response); ok {
			delete(p.asked, r.ID)
			p.answered.Broadcast()
		}
	}
	return n, err
}

// Close ends the session. The streams stay open.
func (p *pipe) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.answered.Broadcast()
	return nil
}

// Handler answers agents over HTTP, each request by itself. What is offered may depend on who asks.
func Handler(offer func(context.Context) Offer) http.Handler {
	return sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server { return offer(r.Context()).server() },
		&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, DisableLocalhostProtection: true})
}

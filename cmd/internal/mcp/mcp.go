// Package mcp offers tools to agents by the Model Context Protocol: on a pipe, or by requests over HTTP. It is the one
// package that imports the protocol's library.
package mcp

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

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
	go func() {
		ended <- o.server().Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}})
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done(): // a reader that waits for the pipe cannot be ended
		return nil
	}
}

// unclosed is a writer that stays open.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// Handler answers agents over HTTP, each request by itself. What is offered may depend on who asks.
func Handler(offer func(context.Context) Offer) http.Handler {
	return sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server { return offer(r.Context()).server() },
		&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, DisableLocalhostProtection: true})
}

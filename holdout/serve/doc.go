// Package serve answers looks at a ledger over HTTP: a leaderboard or a gate that keeps the promise of its plan.
//
// A [Server] is an http.Handler. POST /looks takes predictions and answers with the row of the look, GET /status tells
// the rest of the plan, GET /board shows the answers, and its form takes a look. [Server.Serve] runs it with limits on
// headers, bodies and time, and finishes the looks in hand when it is stopped.
//
// # Who may ask
//
// A team has a token, of which the server knows the SHA-256 alone. Looks are counted over all teams: the plan is one.
// Without tokens, only a connection to a loopback address is answered. The Host header must be the address that the
// connection was made to, or one of the names in the options, so that no page of another site can ask through
// somebody's browser. The form of the board has the token in a field before the predictions. TLS is left to a proxy.
//
// # What leaves
//
// An answer has the result of a look, the rest of the plan, the chain, and the public part of the plan. A refusal
// names the ids of a submission, which are public, and the classes if they were declared. The metric is
// accuracy, and a bar is one of those that were declared. No answer has a label, noise, the path of a
// file, or the text of an error of the system.
//
// # Agents
//
// A protocol for agents is mounted at POST /mcp, behind the same checks of host, origin, token and rate. It asks by
// [Server.Ask], which answers as a request over HTTP would be answered.
//
// # Looks
//
// The ledger takes one look at a time, and its line is on the disk before the answer is sent. A request may be sent
// again: the same predictions get the same answer and cost nothing. A request that is cut off before its predictions
// have come whole costs nothing either. Under a plan of differences the predictions are kept in a file beside the
// ledger while they are, or may become, the predictions of the incumbent.
package serve

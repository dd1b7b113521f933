// Package open gives every look its price. An open plan knows neither the number of looks nor of passes before
// the first look. A code W divides the failure probability among the responses that can be shown, and each response
// carries an interval for its truth that widens only by what was shown before it.
//
// [Budget] is W, carried from a node to its child. A [Look] is a table of cells with their shares of W, and
// [Look.Interval] is the cell theorem: what a cell says of the truth. [Gate], [Board], [Guess] and [Score] are such
// tables, and the rejection of a test is a gate of [Evidence]. A further kind of look is a further table. [Tails] are
// the bounds for one fixed query: [Unit], [Convex], [ZeroOne], [Differences], [Decided], [KnownVariance], [Ratio],
// [Binned], [Ranged]. [Plan] says how wide the intervals of a later look are. The proofs are in docs/theorems/open.md.
//
// Numbers are on the safe side: budgets and levels are rounded down, intervals outwards. The functions expect
// parameters within the domains that they state.
package open

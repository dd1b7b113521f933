// Package holdout keeps the promise of a plan: it answers looks at a holdout by the plan's method, writes
// every look down before its answer is shown, and refuses looks that the plan does not cover.
//
// A [Ledger] is a folder with two plain files. plan.json has the plan, its certificate and the fingerprint of
// the labels. looks.jsonl has a line for every look. Neither has a label, noise, or a score that noise was added
// to. Where a method answers without noise, its answer is the score. Where looks compare a column, a file of its own
// keeps the values of each incumbent.
//
// # The nouns and the walk of a look
//
// A [Ledger] keeps a [Plan]: a promise and the mechanism that keeps it. A [Submission] has predictions and a
// [Question]. Its look is written as a [Line] and told as an [Answer]. Package form has both files as structs, package
// ask has what a look may ask, and package journal appends lines so that none is lost. A look goes through:
//
//  1. Ledger.ScoreAll, which takes submissions and returns answers;
//  2. Ledger.askAll, which reads them before the lock: bad input costs nothing;
//  3. Ledger.checkSubmission, which refuses a question that the plan has no answer to;
//  4. Sample.read, which reads the predictions, with no label at hand;
//  5. Sample.Query, which finds the rows of an open look and the tails that bound its truth;
//  6. Ledger.writing, which takes the lock and has the journal read what other processes wrote;
//  7. Ledger.fresh, which refuses a look that the plan does not cover, and knows one that was answered before;
//  8. Rule.Answer, where labels meet predictions and the rule of the plan answers;
//  9. Ledger.add, which appends the line and returns when it is on the disk;
//  10. history.answers, which read the answer from its line.
//
// # What is promised
//
// A team that submits predictions usually has the features of the rows. The promise is conditional on them: the
// truth of a look is the mean over fresh labels of the same rows. Under splitting, and under fresh parts of
// sparse-validate, it is the mean over the rows of one part. It is the value in the population only for predictions of
// a model that was made without these rows. With probability at least 1 - beta every answer is within tau of its
// truth, whatever the earlier answers were used for. This needs three conditions: the rows are independent, this
// ledger alone sees the labels, and analysts see only the answers, not for example the time that a look took.
//
// # Looks
//
// A look at a column of values is known by its key, a salted hash of its name and question: the values may follow from
// labels, and enter no hash and no refusal. Every other look is a new fingerprint: the SHA-256 of the metric, every id
// with its value, and all else that the answer depends on. The order of the rows and the name do not matter. A look
// that is known is answered by its line again and costs nothing, after the last look too. So two metrics of one model
// are two looks, and a slice of the rows is a ledger of its own.
//
// # Files
//
// A line is appended by one write, and the file and its folder are synced before the answer is shown. Every
// line ends with the SHA-256 of plan.json, all earlier lines and its own text: the chain, whose last value each
// answer carries. A line that a crash has cut short is a look that is spent, and counts as a pass and as a flag. Any
// other line without its chain was edited. The chain has no key. It finds a careless edit, but a forger can write a new
// chain. An older copy of both files passes too, unless a later chain was written down.
//
// One process writes at a time, under a lock on looks.jsonl that the system lets go when the process dies. Readers
// need no lock: while a look is being taken they are shown the ledger before it. A [Ledger] under which the file was
// cut or replaced by an older copy takes no look. No decision depends on the clock: times are there to be read.
package holdout

package holdout

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// schema names the form of plan.json and looks.jsonl.
const schema = "dpcalc/ledger/1"

// Plan is what a ledger promises and what it runs, as plan.json has it. Nothing in it is secret but the
// labels' fingerprint, for those who can guess all labels.
type Plan struct {
	Schema    string         `json:"schema"`
	Created   string         `json:"created"` // UTC, RFC 3339
	Method    string         `json:"method"`
	Query     string         `json:"query"`
	Metric    string         `json:"metric"` // of looks that name none
	Samples   int64          `json:"samples"`
	Queries   int64          `json:"queries"`
	Tau       float64        `json:"tau"`  // every answer is within this of its truth
	Beta      theory.LogProb `json:"beta"` // but for this probability, for all looks together
	Mechanism Mechanism      `json:"mechanism"`
	Labels    LabelsFile     `json:"labels"`

	sealed []byte // plan.json
}

// LabelsFile says where the labels are and which they were.
type LabelsFile struct {
	Path        string `json:"path,omitempty"` // as the maker of the ledger named it; empty if they are in no file
	Fingerprint string `json:"fingerprint"`
}

// Mechanism is the public part of what is run. A field that does not belong to the method is empty.
type Mechanism struct {
	Noise       []NoiseBlock `json:"noise,omitempty"`       // standard deviations in the order of the looks
	Parts       int64        `json:"parts,omitempty"`       // into which the rows are cut, one for each look
	Permutation string       `json:"permutation,omitempty"` // the seed of the random order in which they are cut
}

// NoiseBlock is a run of looks with the same Gaussian noise.
type NoiseBlock struct {
	Looks int64   `json:"looks"`
	SD    float64 `json:"sd"`
}

// Terms are what a new ledger is to promise.
type Terms struct {
	Goal   transfer.Goal // Samples may be left 0; of Queries, Tau and Beta one may be 0 and is solved
	Method string        // "" for the best that a ledger runs
	Metric string        // "" for accuracy
	Labels string        // the labels' file, to be found again; "" if they are in none
}

// PlanError says that no plan came of the terms. Checked says that all of the goal was given: it is a check that
// failed. Otherwise the goal has no answer.
type PlanError struct {
	Checked bool
	Reason  string
}

func (e *PlanError) Error() string { return "the plan has no certificate: " + e.Reason }

// Methods returns the methods that a ledger runs.
func Methods() (names []string) {
	for _, p := range practices {
		names = append(names, p.method)
	}
	return names
}

// Certify computes the certificate of the terms for so many rows, and what is to be run: the method named, or the best
// that a ledger runs. The error is an [InputError], a [PlanError] or a DomainError.
func Certify(t Terms, samples int64) (*Plan, error) {
	if t.Metric == "" {
		t.Metric = Accuracy
	}
	if _, err := ColumnOf(t.Metric); err != nil {
		return nil, err
	}
	goal := t.Goal
	switch {
	case goal.Samples == 0:
		goal.Samples = samples
	case goal.Samples != samples:
		return nil, inputf("samples: got %d, want %d, the number of labels, or none", goal.Samples, samples)
	}
	if goal.Query != transfer.Bounded && goal.Query != transfer.Binary {
		return nil, inputf("query: got %s, want bounded or binary: a look is a mean of values in [0, 1]", goal.Query)
	}
	methods, err := methodsOf(t.Method)
	if err != nil {
		return nil, err
	}
	if err := goal.Validate(); err != nil {
		return nil, err
	}
	rows, best, err := transfer.Solve(nil, methods, goal)
	if err != nil {
		return nil, err
	}
	if best < 0 {
		var reasons []string
		for _, r := range rows {
			reasons = append(reasons, r.Method.Name+" "+r.Reason)
		}
		return nil, &PlanError{Checked: goal.Unknown() == transfer.None, Reason: strings.Join(reasons, "; ")}
	}
	return plan(rows[best], t)
}

// methodsOf returns the method of that name, or all that a ledger runs.
func methodsOf(name string) (list []transfer.Method, err error) {
	if name != "" && practiceOf(name) == nil {
		return nil, inputf("method: got %s, want one that a ledger runs: %s", shown(name), strings.Join(Methods(), ", "))
	}
	for _, p := range practices {
		m, ok := transfer.Lookup(p.method)
		if !ok {
			return nil, fmt.Errorf("the registry has no method %s", p.method)
		}
		if name == "" || name == p.method {
			list = append(list, m)
		}
	}
	return list, nil
}

// plan is the plan of a certified answer.
func plan(row transfer.Row, t Terms) (*Plan, error) {
	p := &Plan{
		Schema: schema, Method: row.Method.Name, Query: row.Query.String(), Metric: t.Metric,
		Samples: row.Samples, Queries: row.Queries, Tau: row.Tau, Beta: row.Beta, Labels: LabelsFile{Path: t.Labels},
	}
	var err error
	p.Mechanism, err = practiceOf(p.Method).prepare(row.Answer)
	return p, err
}

// goal is what the plan promises.
func (p *Plan) goal() (transfer.Goal, error) {
	query, err := transfer.ParseQuery(p.Query)
	return transfer.Goal{Samples: p.Samples, Queries: p.Queries, Tau: p.Tau, Beta: p.Beta, Query: query}, err
}

// Certified computes the certificate of an existing plan anew.
func (p *Plan) Certified() error {
	goal, err := p.goal()
	if err != nil {
		return err
	}
	practice := practiceOf(p.Method)
	if practice == nil {
		return fmt.Errorf("plan.json: got the method %s, want one that a ledger runs", shown(p.Method))
	}
	method, _ := transfer.Lookup(p.Method)
	answer, err := method.Solve(goal)
	if err != nil {
		return err
	}
	if answer.Status != transfer.OK {
		return fmt.Errorf("plan.json: the plan has no certificate: %s", answer.Reason)
	}
	return practice.certified(p, answer)
}

// The ends of the two kinds of sealed texts, around their chain.
var (
	planEnds = ends{",\n  \"chain\": \"", "\"\n}\n"}
	lineEnds = ends{`,"chain":"`, "\"}\n"}
)

// encode writes plan.json.
func (p *Plan) encode() error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err == nil {
		p.sealed = planEnds.seal(sha256.New(), text[:len(text)-len("\n}")])
	}
	return err
}

// decodePlan reads plan.json and checks what its seal and its fields can tell.
func decodePlan(text []byte) (*Plan, error) {
	if _, ok := planEnds.open(sha256.New(), text); !ok {
		return nil, corrupt("plan.json is not as it was written")
	}
	p := &Plan{sealed: slices.Clone(text)}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, corrupt("plan.json: %v", err)
	}
	if p.Schema != schema {
		return nil, fmt.Errorf("plan.json: got the schema %s, want %s", shown(p.Schema), schema)
	}
	goal, err := p.goal()
	if err == nil {
		err = goal.Validate()
	}
	if err == nil && practiceOf(p.Method) == nil {
		err = fmt.Errorf("got the method %s, want one of %s", shown(p.Method), strings.Join(Methods(), ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("plan.json: %w", err)
	}
	return p, nil
}

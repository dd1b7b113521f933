package agents

import (
	"context"
	"encoding/json"
	"testing"
)

// A plan waits for its turn, and is given up where none comes.
func TestPlansAtOnce(t *testing.T) {
	plan, goal := Free()[0], json.RawMessage(`{"queries": 10, "tau": 0.1, "beta": 0.05, "method": "hoeffding"}`)
	for range cap(computing) {
		computing <- struct{}{}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if text, failed := plan.Run(gone, goal); !failed || text != "got too many calls at once, want them one after the other" {
		t.Errorf("got %s, want a refusal", text)
	}
	for range cap(computing) {
		<-computing
	}
	if text, failed := plan.Run(t.Context(), goal); failed || len(computing) != 0 {
		t.Errorf("got %s with %d left over, want a plan", text, len(computing))
	}
}

package planfile

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// The templates in YAML and in JSON have the same scenarios with the same flags.
func TestTemplatesSayTheSame(t *testing.T) {
	read := func(name, text string) map[string]usage.Values {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		scenarios := make(map[string]usage.Values)
		err := Read(path, Keys{All: []string{"samples", "queries", "tau", "beta"}}, func(s Scenario) error {
			scenarios[s.Name] = s.Values
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return scenarios
	}
	inYAML, inJSON := read("plan.yaml", Template), read("plan.json", TemplateJSON)
	if len(inYAML) != 3 || !reflect.DeepEqual(inYAML, inJSON) {
		t.Errorf("YAML %v, JSON %v", inYAML, inJSON)
	}
}

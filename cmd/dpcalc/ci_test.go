package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The files for services and jobs call commands and flags that there are, and the action hands its script every input
// under the name that the script reads.
func TestFilesForServicesAndJobs(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	unit := regexp.MustCompile(`(?m)^ExecStart=\S+/dpcalc (.*)$`).FindStringSubmatch(read("docs/use/ci/dpcalc.service"))
	container := regexp.MustCompile(`(?m)^CMD \["(.*)"\]$`).FindStringSubmatch(read("docs/use/ci/Containerfile"))
	if unit == nil || container == nil {
		t.Fatal("no command line in the unit or the container file")
	}
	for _, line := range []string{unit[1], strings.ReplaceAll(container[1], `", "`, " ")} {
		// Of a folder that is not there nothing else is wrong.
		var stdout, stderr bytes.Buffer
		code := run(append([]string{"dpcalc"}, strings.Fields(line)...), strings.NewReader(""), &stdout, &stderr)
		if code != 1 || !strings.Contains(stderr.String(), "no such file") {
			t.Errorf("%s: exit %d, %s%s", line, code, &stdout, &stderr)
		}
	}
	var action struct {
		Inputs, Outputs map[string]struct {
			Value, Default string
			Required       bool
		}
		Runs struct {
			Steps []struct {
				Run string
				Env map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(read("action.yml")), &action); err != nil {
		t.Fatal(err)
	}
	script, step := read(".ci/look"), action.Runs.Steps[0]
	if len(step.Env) != len(action.Inputs) || !strings.Contains(step.Run, "/.ci/look") {
		t.Errorf("the action has %d inputs and hands over %d", len(action.Inputs), len(step.Env))
	}
	if name := action.Inputs["name"]; !name.Required || name.Default != "" {
		t.Error("the action takes a look without a name")
	}
	for input := range action.Inputs {
		name := "DPCALC_" + strings.ToUpper(strings.ReplaceAll(input, "-", "_"))
		if step.Env[name] != "${{ inputs."+input+" }}" || !strings.Contains(script, name) {
			t.Errorf("the input %s is not handed over as %s, or the script does not read it", input, name)
		}
	}
	for output, o := range action.Outputs {
		if o.Value != "${{ steps.look.outputs."+output+" }}" || !strings.Contains(script, `"`+output+"=") {
			t.Errorf("the script does not write the output %s", output)
		}
	}
	for _, name := range regexp.MustCompile(`DPCALC_\w+`).FindAllString(read("docs/use/ci/gitlab-ci.yml"), -1) {
		if !strings.Contains(script, name) {
			t.Errorf("the job of GitLab sets %s, which the script does not read", name)
		}
	}
	var hooks []struct{ ID, Entry, Files string }
	if err := yaml.Unmarshal([]byte(read(".pre-commit-hooks.yaml")), &hooks); err != nil || len(hooks) != 1 {
		t.Fatalf("%v: %d hooks", err, len(hooks))
	}
	if !regexp.MustCompile(hooks[0].Files).MatchString("study/plan.yaml") {
		t.Error("the hook sees no plan file")
	}
}

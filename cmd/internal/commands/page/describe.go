package page

import (
	"encoding/json"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/steps"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
)

// description is what the page makes its inputs of.
type description struct {
	Version  string                        `json:"version"`
	Commands map[string]commandDescription `json:"commands"`
	Kinds    []kindDescription             `json:"kinds"`  // of steps
	Proofs   map[theory.Proof]string       `json:"proofs"` // what each kind is
}

type commandDescription struct {
	Summary string            `json:"summary"`
	Flags   []flagDescription `json:"flags"` // without the flags of the output
	Words   []string          `json:"words"`
}

type flagDescription struct {
	Name    string   `json:"name"`
	Alias   string   `json:"alias"`
	Also    []string `json:"also"`
	Usage   string   `json:"usage"`
	Repeats bool     `json:"repeats"`
	Switch  bool     `json:"switch"`
	File    bool     `json:"file"` // which the page cannot offer
	Words   []string `json:"words"`
}

type kindDescription struct {
	Name     string     `json:"name"`
	Needs    [][]string `json:"needs"` // of each group one
	Optional []string   `json:"optional"`
	Private  bool       `json:"private"` // its bounds depend on the number of rows
}

// Description is the commands, their flags and the kinds of steps, in JSON.
func Description() string {
	d := description{Version: usage.Version(), Commands: make(map[string]commandDescription), Proofs: commands.ProofWords}
	for _, c := range answering() {
		d.Commands[c.Name] = describe(c)
	}
	for _, k := range steps.Kinds() {
		d.Kinds = append(d.Kinds, kindDescription{Name: k.Name, Needs: k.Needs, Optional: k.Optional, Private: k.Private})
	}
	text, err := json.Marshal(d)
	if err != nil {
		panic(err) // of texts and booleans
	}
	return string(text)
}

func describe(c *commands.Command) commandDescription {
	d := commandDescription{Summary: c.Summary}
	for _, f := range c.Flags {
		d.Flags = append(d.Flags, flagDescription{Name: f.Name, Alias: f.Alias, Also: f.Also, Usage: f.Usage,
			Repeats: f.Repeats, Switch: f.Switch, File: f.Placeholder() == fileWord, Words: f.Words})
	}
	if c.Words != nil {
		d.Words = c.Words()
	}
	return d
}

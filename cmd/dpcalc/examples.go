package main

import (
	"bytes"
	"io"

	"github.com/urfave/cli/v2"
)

// examples are what every help text ends with: two command lines that work, in this
// order and in one directory. They are run by a test. A file that they read and do not
// write is named for what it holds.
var examples = map[string][2]string{
	"dpcalc": {
		"dpcalc samplesize --queries 1000 --tau 0.1 --beta 0.05",
		"dpcalc help samplesize",
	},
	"samplesize": {
		"dpcalc samplesize -m 1000 -t 5% --confidence 95%",
		"dpcalc samplesize -n 20k -m 25,50,100 -b 0.05 --query binary -o plan.csv",
	},
	"transfer": {
		"dpcalc transfer --alpha 0.01 --beta 0 --epsilon 0.05 --target-beta 0.05",
		"dpcalc transfer --alpha 0.01 --beta 1e-6 --epsilon 0.05 --delta 1e-9 --target-beta 0.05 -f csv",
	},
	"compose": {
		"dpcalc compose --epsilon 0.1 --times 100 --target-delta 1e-6",
		"dpcalc compose --mu 0.1 --times 100 --target-delta 1e-6",
	},
	"maxinfo": {
		"dpcalc maxinfo --samples 10k --step pure-dp:epsilon=0.01",
		"dpcalc maxinfo --samples 10k --slack 1% --step pure-dp:epsilon=0.01 --step description:outcomes=100",
	},
	"pvalue-correct": {
		"dpcalc pvalue-correct --p 0.003 --alpha 0.05 --by pure-dp --epsilon 0.01 --samples 10k",
		"dpcalc pvalue-correct pvalues.csv --alpha 0.05 --by description --outcomes 40 --family holm",
	},
	"experiment": {
		"dpcalc experiment --samples 1000 --attributes 1000 --reps 10",
		"dpcalc experiment --samples 1000 --attributes 1000 --reps 10 -o curves.svg",
	},
	"plan": {
		"dpcalc plan init plan.yaml",
		"dpcalc plan run plan.yaml",
	},
	"advise": {
		"dpcalc advise --goal p-value --selection menu",
		"dpcalc advise --goal accuracy --adaptive no --query binary --queries 50 --tau 5% --confidence 95%",
	},
	"audit": {
		"dpcalc audit --list",
		"dpcalc audit randomized-response --epsilon 0.5",
	},
	"explain": {
		"dpcalc explain gaussian",
		"dpcalc explain tau beta",
	},
	"cite": {
		"dpcalc cite gaussian rounding",
		"dpcalc cite renyi -o sources.bib",
	},
	"methods": {
		"dpcalc methods",
		"dpcalc methods -f csv",
	},
	"completion": {
		"dpcalc completion bash > dpcalc.bash",
		"dpcalc completion fish > dpcalc.fish",
	},
	"man": {
		"dpcalc man > dpcalc.1",
		"dpcalc man | man -l -",
	},
	"version": {
		"dpcalc version",
		"dpcalc --version",
	},
	"help": {
		"dpcalc help",
		"dpcalc help pvalue",
	},
}

// helpOf writes the help text of the program or of a command.
func helpOf(w io.Writer, app *cli.App, command *cli.Command) {
	name := app.Name
	if command == nil {
		cli.HelpPrinter(w, cli.AppHelpTemplate, app)
	} else {
		name = command.Name
		cli.HelpPrinter(w, cli.CommandHelpTemplate, command)
	}
	var b bytes.Buffer
	b.WriteString("\nEXAMPLES:\n")
	for _, line := range examples[name] {
		b.WriteString("   " + line + "\n")
	}
	_, _ = w.Write(b.Bytes())
}

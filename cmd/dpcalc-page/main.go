//go:build js

// Dpcalc-page is dpcalc for a web page. It gives JavaScript three functions, for which it waits as
// long as the page is open, and calls dpcalcReady when they are there:
//
//	dpcalcRun(words)       runs a command line: {code, stdout, stderr}
//	dpcalcSchedule(words)  the same, with the noise of every query as csv for stdout
//	dpcalcDescription()    the commands and their flags, in JSON
package main

import (
	"syscall/js"

	"github.com/dpcalc/dpcalc/cmd/internal/commands/page"
)

func main() {
	js.Global().Set("dpcalcRun", on(page.Run))
	js.Global().Set("dpcalcSchedule", on(page.Schedule))
	js.Global().Set("dpcalcDescription", js.FuncOf(func(js.Value, []js.Value) any { return page.Description() }))
	js.Global().Call("dpcalcReady")
	select {}
}

// on is a function of a list of texts for JavaScript.
func on(f func(args []string) page.Result) js.Func {
	return js.FuncOf(func(_ js.Value, given []js.Value) any {
		words := make([]string, given[0].Length())
		for i := range words {
			words[i] = given[0].Index(i).String()
		}
		r := f(words)
		return map[string]any{"code": r.Code, "stdout": r.Stdout, "stderr": r.Stderr}
	})
}

// Package awkward has texts that files and terminals mistake for something else.
package awkward

// Texts are such texts, and plain ones between them.
var Texts = []string{"", "plain", "a,b", `say "x"`, "two\nlines", "tab\there", "=1+1", "+x", "-x", "@x", "-1.5",
	"+2e3", "\rx", "é", "\\", "a;b", "\x00", "<&>"}

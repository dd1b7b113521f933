package awkward

var Texts = []string{"", "plain", "a,b", `say "x"`, "two\nlines", "tab\there", "=1+1", "+x", "-x", "@x", "-1.5",
	"+2e3", "\rx", "é", "\\", "a;b", "\x00", "<&>"}

package address

import (
	"slices"
	"strings"
)

// noValues are what programs and people write into a cell that has no value, in
// lower case.
var noValues = []string{
	"n/a", "n.a.", "na", "nan", "nil", "none", "null", "undefined", "(none)", "(null)", "<null>", `\n`, "?",
}

// isEmpty reports whether a text without blanks around it, which is no mailbox,
// says that there is no address.
func isEmpty(s string) bool {
	return strings.Trim(s, "-–—_.,;") == "" || slices.Contains(noValues, strings.ToLower(s)) || isComment(s)
}

// isComment reports whether a text is a comment line. "#" may begin an address
// too.
func isComment(s string) bool {
	rest, found := strings.CutPrefix(s, "#")
	return found && (rest == "" || strings.ContainsAny(rest[:1], " \t#") || !hasAtSign(rest))
}

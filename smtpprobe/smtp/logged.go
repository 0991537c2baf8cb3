package smtp

import (
	"regexp"
	"strconv"
	"strings"
)

// ParseLogged parses a reply as logs and programs print it: later lines may
// lack the reply code, and Python's forms are read, too: "b'550 no'" and "(550,
// b'5.1.1 no\nsuch user')".
//
// Experimental: it may change in any minor version.
func ParseLogged(text string) (Reply, error) {
	lines := strings.Split(strings.TrimSpace(fromPython(text)), "\n")
	if code := lines[0][:min(3, len(lines[0]))]; len(code) == 3 && isDigits(code) {
		for i, line := range lines {
			lines[i] = codedLine(strings.TrimRight(line, "\r"), code, i == len(lines)-1)
		}
	}
	return ParseReply(lines...)
}

// codedLine gives a line of a reply the reply code, and the sign of whether it
// is the last. One with another code stays as it is.
func codedLine(line, code string, last bool) string {
	text, coded := strings.CutPrefix(line, code)
	switch {
	case coded && (text == "" || text[0] == ' ' || text[0] == '-'):
		text = strings.TrimLeft(text, "- ")
	case anotherCode.MatchString(line):
		return line
	default:
		text = line
	}
	if last {
		return code + " " + text
	}
	return code + "-" + text
}

var (
	anotherCode  = regexp.MustCompile(`^[2-5][0-5][0-9][ -]`)
	pythonTuple  = regexp.MustCompile(`(?s)\(([2-5][0-9]{2}), ?b?(?:'(.*?)'|"(.*?)")\)`)
	pythonString = regexp.MustCompile(`(?s)^b?(?:'(.*)'|"(.*)")$`)
)

// fromPython returns the text of a reply that Python's smtplib has printed, or
// the text itself.
func fromPython(text string) string {
	if m := pythonTuple.FindStringSubmatch(text); m != nil {
		return m[1] + " " + unescaped(m[2]+m[3])
	}
	if m := pythonString.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		return unescaped(m[1] + m[2])
	}
	return text
}

// unescaped reads the escapes of a Python string, which are those of Go but for
// the quotes.
func unescaped(text string) string {
	quoted := `"` + strings.NewReplacer(`\\`, `\\`, `\'`, `'`, `\"`, `\"`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
	if s, err := strconv.Unquote(quoted); err == nil {
		return s
	}
	return text
}

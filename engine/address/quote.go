package address

import (
	"strings"
	"unicode/utf8"
)

// parseQuoted reads Quoted-string of RFC 5321 §4.1.2, with the qtextSMTP of RFC
// 6531 §3.3, at the start of s. It returns the offset of the "@" behind it and
// the content without quotes and escapes.
func parseQuoted(s string) (at int, content string, err *Error) {
	var b strings.Builder
	for i := 1; i < len(s); {
		switch c := s[i]; {
		case i > maxRawLocal:
			return 0, "", addressTooLong()
		case c == '"':
			return i + 1, b.String(), checkClosed(s, i+1)
		case c == '\\':
			if i+1 == len(s) || !isPrintable(s[i+1]) {
				return 0, "", fail(ReasonQuotedPair, i, "backslash must stand before a printable ASCII character")
			}
			b.WriteByte(s[i+1])
			i += 2
		case c >= utf8.RuneSelf:
			size, err := checkNonASCII(s, i)
			if err != nil {
				return 0, "", err
			}
			b.WriteString(s[i : i+size])
			i += size
		case isPrintable(c):
			b.WriteByte(c)
			i++
		default:
			return 0, "", checkRune(rune(c), i)
		}
	}
	return 0, "", fail(ReasonQuoting, 0, "quote is not closed")
}

// checkClosed checks what follows the closing quote.
func checkClosed(s string, i int) *Error {
	switch {
	case i == len(s):
		return fail(ReasonMissingAt, i, `there is no "@" after the quotes`)
	case s[i] == '@':
		return nil
	case s[i] == ' ':
		return fail(ReasonSpace, i, "there is a space after the quotes")
	case s[i] < ' ':
		return checkRune(rune(s[i]), i)
	}
	return fail(ReasonQuoting, i, "quotes must stand around the whole local-part")
}

// quoteIfNeeded writes the content of a local-part with the least quoting (RFC
// 5321 §4.1.2).
func quoteIfNeeded(content string) string {
	if isDotString(content) {
		return content
	}
	return `"` + quoteEscapes.Replace(content) + `"`
}

var quoteEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// isDotString reports whether the content of a local-part, already checked,
// needs no quotes.
func isDotString(content string) bool {
	if content == "" || checkDots(content) != nil {
		return false
	}
	for i := range len(content) {
		if c := content[i]; c != '.' && c < utf8.RuneSelf && !isAtext(c) {
			return false
		}
	}
	return true
}

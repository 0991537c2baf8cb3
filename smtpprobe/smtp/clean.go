package smtp

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes bytes from the wire fit for people and JSON: valid UTF-8 without anything that moves a cursor or hides. Other encodings are
// guessed, what is in none becomes U+FFFD, tabs spaces, and control, format (bidi, zero-width) and unassigned characters Go escapes. Cleaning twice changes nothing.
func Clean(s string) string {
	if IsPrintableASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range decode(s) {
		switch {
		case r == '\t':
			b.WriteByte(' ')
		case unicode.IsGraphic(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

func IsPrintableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// truncate cuts s to at most limit bytes, at a character's border and with an ellipsis that tells of it.
func Truncate(s string, limit int) string {
	const ellipsis = "…"
	if len(s) <= limit {
		return s
	}
	cut := limit - len(ellipsis)
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + ellipsis
}

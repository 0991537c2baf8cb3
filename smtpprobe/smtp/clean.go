package smtp

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text from the network fit for terminals, logs and JSON: valid
// UTF-8 without characters that move the cursor or are invisible. Other
// encodings are guessed, undecodable bytes become U+FFFD, tabs become spaces,
// and control, format (bidi, zero-width) and unassigned characters become Go
// escapes. Clean is idempotent.
//
// Experimental: it may change in any minor version.
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

// IsPrintableASCII reports whether s has only characters from space to tilde.
//
// Experimental: it may change in any minor version.
func IsPrintableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Truncate cuts s to at most limit bytes, at the boundary of a character, and
// marks the cut with an ellipsis.
//
// Experimental: it may change in any minor version.
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

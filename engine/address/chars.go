package address

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// isAtext reports whether c is atext of RFC 5322 §3.2.3.
func isAtext(c byte) bool {
	return isLetDig(c) || strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) >= 0
}

// isLetDig reports whether c is Let-dig of RFC 5321 §4.1.2.
func isLetDig(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func isPrintable(c byte) bool { return ' ' <= c && c <= '~' }

func isASCII(s string) bool { return nonASCIIAt(s) == len(s) }

// nonASCIIAt returns the offset of the first non-ASCII byte, or the length of
// s.
func nonASCIIAt(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return i
		}
	}
	return len(s)
}

func illFormedAt(s string) int {
	for i, r := range s {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
			return i
		}
	}
	return len(s)
}

// checkRune refuses a character that may stand neither in a local-part nor in a
// domain.
func checkRune(r rune, pos int) *Error {
	switch {
	case r == '\r', r == '\n', r == '\u2028', r == '\u2029':
		return fail(ReasonLineBreak, pos, "there is a line break (%U)", r)
	case r == '\t':
		return fail(ReasonSpace, pos, "there is a tab")
	case unicode.IsControl(r):
		return fail(ReasonControl, pos, "there is a control character (%U)", r)
	case unicode.Is(unicode.Bidi_Control, r):
		return fail(ReasonBidiControl, pos, "there is a character that turns the direction of writing (%U)", r)
	case unicode.IsSpace(r):
		return fail(ReasonSpace, pos, "there is a space (%U)", r)
	case r&0xFFFE == 0xFFFE, '\uFDD0' <= r && r <= '\uFDEF':
		return fail(ReasonNoncharacter, pos, "%U is not a character", r)
	case r == utf8.RuneError, r == '\uFFFC':
		return fail(ReasonReplacement, pos, "%U stands for something that was lost on the way here", r)
	}
	return nil
}

// checkVisible refuses the character at s[i] of a local-part when it cannot be
// seen there.
func checkVisible(s string, i int) *Error {
	r, size := utf8.DecodeRuneInString(s[i:])
	var ok bool
	switch {
	case r == '\u200C', r == '\u200D':
		ok = joins(s[:i], s[i:i+size], s[i+size:])
	case unicode.Is(unicode.Variation_Selector, r):
		ok = i > 0 && (s[i-1] >= utf8.RuneSelf || isKey(s[i-1], s[i+size:]))
	default:
		ok = !isInvisible(r)
	}
	if !ok {
		return fail(ReasonInvisible, i, "there is an invisible character (%U)", r)
	}
	return nil
}

// isKey reports whether c, which a variation selector follows, is drawn on a
// key cap: an emoji that begins with an ASCII character.
func isKey(c byte, after string) bool {
	return strings.IndexByte("0123456789#*", c) >= 0 && strings.HasPrefix(after, "\u20E3")
}

// isInvisible reports whether r has the property Default_Ignorable_Code_Point
// (UAX #44), variation selectors aside, or is another format character without
// a shape of its own.
func isInvisible(r rune) bool {
	return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
		unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// joinerRules checks nothing but the contexts of joiners (RFC 5892 appendix A.1
// and A.2).
var joinerRules = idna.New(idna.CheckJoiners(true))

// joins reports whether a zero-width joiner or non-joiner has something to
// join: letters whose script needs it, as RFC 5892 has it for domains, or two
// pictures.
func joins(before, joiner, after string) bool {
	if joiner == "\u200D" && endsInPicture(before) && startsWithPicture(after) {
		return true
	}
	start := len(before)
	for start > 0 && before[start-1] >= utf8.RuneSelf {
		start--
	}
	end := 0
	for end < len(after) && after[end] >= utf8.RuneSelf {
		end++
	}
	// The letter keeps a leading mark from being an error of its own.
	_, err := joinerRules.ToUnicode("a" + before[start:] + joiner + after[:end])
	return err == nil
}

func startsWithPicture(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.Is(unicode.So, r)
}

// endsInPicture looks past a variation selector and a skin tone.
func endsInPicture(s string) bool {
	s = strings.TrimRightFunc(s, func(r rune) bool { return unicode.Is(unicode.Variation_Selector, r) })
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.In(r, unicode.So, unicode.Sk)
}

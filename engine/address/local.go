package address

import (
	"strings"
	"unicode/utf8"
)

// parseLocal reads the local-part at the start of s, which has an "@"
// somewhere, and returns the offset of the "@" behind it, its content, and what
// is irregular about it.
func parseLocal(s string) (at int, content string, irregular []Error, err *Error) {
	if s[0] == '"' {
		at, content, err = parseQuoted(s)
	} else {
		at, irregular, err = parseDotString(s)
		content = s[:at]
	}
	switch {
	case err != nil && err.Reason == ReasonAddressTooLong:
		return 0, "", note(irregular, localTooLong()), err
	case err != nil:
		return 0, "", irregular, err
	case at == 0:
		return 0, "", nil, fail(ReasonEmptyLocal, 0, `nothing stands before "@"`)
	case len(quoteIfNeeded(content)) > maxLocal:
		irregular = note(irregular, localTooLong())
	}
	return at, content, irregular, nil
}

func localTooLong() *Error {
	return fail(ReasonLocalTooLong, 0, "local-part is longer than %d octets", maxLocal)
}

// parseDotString reads Dot-string of RFC 5321 §4.1.2, with the atext of RFC
// 6531 §3.3, dots anywhere, and brackets and backslashes, which mean nothing
// where an address is written. Other ASCII characters separate addresses or
// stand around them, as a space, a comma or "<" do: the text is not one address
// then.
func parseDotString(s string) (at int, irregular []Error, err *Error) {
	i := 0
	for s[i] != '@' {
		switch c := s[i]; {
		case i > maxMailbox:
			return 0, irregular, addressTooLong()
		case c == '.', isAtext(c):
			i++
		case c == '[', c == ']', c == '\\':
			irregular = note(irregular, notAtext(c, i))
			i++
		case c >= utf8.RuneSelf:
			size, err := checkNonASCII(s, i)
			if err != nil {
				return 0, irregular, err
			}
			i += size
		default:
			return 0, irregular, notAtext(c, i)
		}
	}
	return i, note(irregular, checkDots(s[:i])), nil
}

func checkDots(local string) *Error {
	switch i := strings.Index(local, ".."); {
	case strings.HasPrefix(local, "."):
		return fail(ReasonLocalDot, 0, "local-part begins with a dot")
	case i >= 0:
		return fail(ReasonLocalDot, i+1, "local-part has two dots in a row")
	case strings.HasSuffix(local, "."):
		return fail(ReasonLocalDot, len(local)-1, "local-part ends with a dot")
	}
	return nil
}

func notAtext(c byte, pos int) *Error {
	switch {
	case c == ' ':
		return fail(ReasonSpace, pos, "there is a space in the local-part")
	case c == '"':
		return fail(ReasonQuoting, pos, "quotes must stand around the whole local-part")
	case !isPrintable(c):
		return checkRune(rune(c), pos)
	}
	return fail(ReasonLocalCharacter, pos, `"%c" may stand in a local-part only between quotes`, c)
}

// checkNonASCII checks the UTF8-non-ascii character at s[i] and returns its
// size.
func checkNonASCII(s string, i int) (size int, err *Error) {
	r, size := utf8.DecodeRuneInString(s[i:])
	if err := checkRune(r, i); err != nil {
		return 0, err
	}
	return size, checkVisible(s, i)
}

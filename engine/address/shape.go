package address

import (
	"strings"
	"unicode/utf8"
)

// recognise replaces err, the first fault found in s, by a more helpful one
// where s is a mailbox wrapped in something that belongs to a header, a command
// or a link.
func recognise(s string, err *Error) *Error {
	switch err.Reason {
	case ReasonEmptyLocal:
		if strings.Contains(s, ":") {
			return sourceRoute()
		}
	case ReasonMissingAt:
		return recogniseAt(s, err)
	case ReasonSpace:
		return recogniseSpace(s, err)
	case ReasonLineBreak, ReasonControl, ReasonBidiControl, ReasonInvisible:
		return recogniseEdge(s, err)
	case ReasonLocalCharacter, ReasonDomainCharacter:
		return recogniseCharacter(s, err)
	}
	return err
}

// recogniseAt knows what else is written for "@": by input methods for Chinese
// and Japanese, and in links.
func recogniseAt(s string, err *Error) *Error {
	switch {
	case strings.ContainsAny(s, "\uFF20\uFE6B"):
		err.Detail += ", only a wide one (U+FF20 or U+FE6B), which is another character"
	case strings.Contains(s, "%40"):
		err.Detail += `, only "%40", which stands for it in links`
	}
	return err
}

// recogniseEdge says of a character that nobody sees on which side of the
// address it stands.
func recogniseEdge(s string, err *Error) *Error {
	_, size := utf8.DecodeRuneInString(s[err.Pos:])
	switch {
	case err.Pos == 0:
		err.Detail += " before the address"
	case err.Pos+size == len(s):
		err.Detail += " after the address"
	}
	return err
}

func recogniseSpace(s string, err *Error) *Error {
	switch {
	case strings.TrimSpace(s[:err.Pos]) == "":
		return fail(ReasonSpace, 0, "there is a space before the address")
	case strings.TrimSpace(s[err.Pos:]) == "":
		return fail(ReasonSpace, err.Pos, "there is a space after the address")
	case isWrapped(s):
		return displayName()
	}
	return err
}

func recogniseCharacter(s string, err *Error) *Error {
	switch c := s[err.Pos]; {
	case c == '<' && strings.HasPrefix(s, "<@"):
		return sourceRoute()
	case c == '<' && err.Pos > 0 && isWrapped(s):
		return displayName()
	case c == '<', c == '>':
		return fail(ReasonAngleBracket, err.Pos, "the address must stand without angle brackets")
	case c == '(':
		return fail(ReasonHeaderComment, err.Pos, "there is a comment in the address")
	case c == ':' && strings.EqualFold(s[:err.Pos], "mailto"):
		return fail(ReasonURIScheme, 0, `there is "mailto:" before the address`)
	case (c == ',' || c == ';') && strings.Count(s, "@") > 1:
		return fail(err.Reason, err.Pos,
			`there is more than one address, with "%c" between them; give each by itself`, c)
	}
	return err
}

func isWrapped(s string) bool { return strings.Contains(s, "<") && strings.HasSuffix(s, ">") }

func sourceRoute() *Error {
	return fail(ReasonSourceRoute, 0, "there is a source route before the address")
}

func displayName() *Error {
	return fail(ReasonDisplayName, 0,
		"there is a name before the address; only what stands in angle brackets is wanted")
}

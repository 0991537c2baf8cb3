package address

import "strings"

// recognise replaces err, the first fault found in s, by a more helpful one where s is a mailbox wrapped in something that
// belongs to a header, a command or a link.
func recognise(s string, err *Error) *Error {
	switch err.Reason {
	case EmptyLocal:
		if strings.Contains(s, ":") {
			return sourceRoute()
		}
	case Space:
		return recogniseSpace(s, err)
	case LocalCharacter, DomainCharacter:
		return recogniseCharacter(s, err)
	}
	return err
}

func recogniseSpace(s string, err *Error) *Error {
	switch {
	case strings.TrimSpace(s[:err.Pos]) == "":
		return fail(Space, 0, "there is a space before the address")
	case strings.TrimSpace(s[err.Pos:]) == "":
		return fail(Space, err.Pos, "there is a space after the address")
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
		return fail(AngleBracket, err.Pos, "the address must stand without angle brackets")
	case c == '(':
		return fail(HeaderComment, err.Pos, "there is a comment in the address")
	case c == ':' && strings.EqualFold(s[:err.Pos], "mailto"):
		return fail(URIScheme, 0, `there is "mailto:" before the address`)
	}
	return err
}

func isWrapped(s string) bool { return strings.Contains(s, "<") && strings.HasSuffix(s, ">") }

func sourceRoute() *Error {
	return fail(SourceRoute, 0, "there is a source route before the address")
}

func displayName() *Error {
	return fail(DisplayName, 0, "there is a name before the address; only what stands in angle brackets is wanted")
}

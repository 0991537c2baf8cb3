package address

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

func trimInvisible(s string) string { return strings.TrimFunc(s, isEdgeInvisible) }

func isEdgeInvisible(r rune) bool {
	return isInvisible(r) || unicode.IsControl(r) && !unicode.IsSpace(r) || r == '\uFFFC'
}

func trimBlanks(s string) string { return strings.TrimFunc(s, unicode.IsSpace) }

// cutScheme reads a mailto URL (RFC 6068).
func cutScheme(s string) string {
	const scheme = "mailto:"
	if len(s) < len(scheme) || !strings.EqualFold(s[:len(scheme)], scheme) {
		return s
	}
	to, _, _ := strings.Cut(strings.TrimLeft(s[len(scheme):], "/"), "?")
	if decoded, err := url.PathUnescape(to); err == nil && utf8.ValidString(decoded) {
		return decoded
	}
	return to
}

// labels stand before addresses in signatures and in exports of directories.
var labels = []string{"smtp", "email", "e-mail", "mail"}

func cutLabel(s string) string {
	if label, rest, found := strings.Cut(s, ":"); found && isLabel(label) {
		return rest
	}
	return s
}

func isLabel(s string) bool {
	s = strings.TrimSpace(s)
	return slices.ContainsFunc(labels, func(label string) bool { return strings.EqualFold(label, s) })
}

// cutComments removes comments (RFC 5322 §3.2.2), unless the address is in one.
func cutComments(s string) string {
	if !strings.Contains(s, "(") {
		return s
	}
	var kept strings.Builder
	scan := scanner{}
	for _, r := range s {
		if wasIn := scan.comment > 0; !scan.next(r) && !wasIn {
			kept.WriteRune(r)
		}
	}
	if scan.comment > 0 || scan.quoted || !strings.Contains(kept.String(), "@") {
		return s
	}
	return kept.String()
}

// scanner knows of each character whether it is in a comment or between double
// quotes.
type scanner struct {
	quoted, escaped bool
	comment         int // how many are open
}

// next takes the next character and reports whether it is in a comment.
func (s *scanner) next(r rune) (inComment bool) {
	switch {
	case s.escaped:
		s.escaped = false
	case r == '\\' && (s.quoted || s.comment > 0):
		s.escaped = true
	case r == '"' && s.comment == 0:
		s.quoted = !s.quoted
	case r == '(' && !s.quoted:
		s.comment++
	case r == ')' && s.comment > 0:
		s.comment--
	}
	return s.comment > 0
}

// cutName leaves of "Jane <jane@a.example>" what is in angle brackets, and the
// brackets.
func cutName(s string) string {
	from, to := angle(s)
	if from < 0 || from == 0 && to == len(s) {
		return s
	}
	return s[from:to]
}

// cutBrackets takes angle brackets away, also where one is missing.
func cutBrackets(s string) string {
	if from, to := angle(s); from == 0 && to == len(s) {
		return strings.TrimSuffix(s[1:], ">")
	}
	if strings.Contains(s, "<") {
		return s
	}
	return strings.TrimRight(s, ">")
}

// angle finds the only thing in angle brackets that is an address, or where one
// should be. A bracket that is not closed goes to the end.
func angle(s string) (from, to int) {
	from = strings.LastIndexByte(s, '<')
	if from < 0 {
		return -1, -1
	}
	to = len(s)
	if length := strings.IndexByte(s[from:], '>'); length >= 0 {
		to = from + length + 1
	}
	inner := strings.TrimSuffix(s[from+1:to], ">")
	if !isEmpty(trimBlanks(inner)) && !hasAtSign(inner) || hasAtSign(s[to:]) {
		return -1, -1
	}
	return from, to
}

// hasAtSign also knows the signs that stand for "@".
func hasAtSign(s string) bool {
	return strings.ContainsAny(s, "@\uFF20\uFE6B") || strings.Contains(s, "%40")
}

// pairs are marks that people and programs put around an address.
var pairs = []string{`""`, `''`, "``", "“”", "„“", "”“", "‘’", "‚‘", "«»", "»«", "()", "[]", "{}"}

func cutQuotes(s string) string {
	first, firstSize := utf8.DecodeRuneInString(s)
	last, lastSize := utf8.DecodeLastRuneInString(s)
	if len(s) < firstSize+lastSize {
		return s
	}
	for _, pair := range pairs {
		if strings.HasPrefix(pair, string(first)) && pair == string(first)+string(last) {
			return s[firstSize : len(s)-lastSize]
		}
	}
	return s
}

// trimQuotes removes marks without a partner behind the address.
func trimQuotes(s string) string { return strings.TrimRight(s, "\"'`“”’»…、") }

func trimSeparators(s string) string { return strings.TrimRight(strings.TrimLeft(s, ",;"), ",;:") }

// trimDots removes what IDNA takes for a dot, too.
func trimDots(s string) string { return strings.TrimRight(s, ".\u3002\uFF0E\uFF61") }

// joinAtSign removes blanks around "@", which old mail programs wrote (RFC 5322
// §4.4).
func joinAtSign(s string) string {
	local, domain, found := strings.Cut(s, "@")
	if !found || strings.Contains(domain, "@") {
		return s
	}
	return strings.TrimRightFunc(local, unicode.IsSpace) + "@" + strings.TrimLeftFunc(domain, unicode.IsSpace)
}

// decodePercent reads an address from a link.
func decodePercent(s string) string {
	if strings.Contains(s, "@") || !strings.Contains(s, "%40") {
		return s
	}
	decoded, err := url.PathUnescape(s)
	if err != nil || !utf8.ValidString(decoded) {
		return s
	}
	return decoded
}

// dropInvisible removes what cannot be seen inside of an address and has no
// task there: joiners stay where a script needs them.
func dropInvisible(s string) string {
	if isASCII(s) || len(s) > 4*maxMailbox {
		return s
	}
	var kept strings.Builder
	for i, r := range s {
		if checkVisible(s, i) == nil {
			kept.WriteRune(r)
		}
	}
	return kept.String()
}

// The full-width forms of ASCII.
const firstWide, lastWide, wideToASCII = '\uFF01', '\uFF5E', '\uFF01' - '!'

// foldFullWidth writes full-width forms as ASCII: all of them where "@" itself
// is wide, as input methods for Chinese and Japanese write an address. Where it
// is not, letters and digits may belong to the local-part as they are, and only
// signs are folded.
func foldFullWidth(s string) string {
	all := !strings.Contains(s, "@")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\uFE6B':
			return '@'
		case r < firstWide || r > lastWide:
			return r
		case all || !isLetDig(byte(r-wideToASCII)):
			return r - wideToASCII
		}
		return r
	}, s)
}

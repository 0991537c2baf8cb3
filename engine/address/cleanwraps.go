package address

import (
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What programs put round an address: formulas of spreadsheets, links, markup.
// Each is taken away as a whole, or not at all: words beside it stay, and with
// them the text is no address.

// cutFormula reads ="jane@a.example", which keeps a spreadsheet from changing a
// text, and =HYPERLINK("mailto:jane@a.example","Jane"), in whatever language
// its name is. An apostrophe before it keeps it from being calculated.
func cutFormula(s string) string {
	body, found := strings.CutPrefix(strings.TrimPrefix(s, "'"), "=")
	if !found {
		return s
	}
	arguments := trimBlanks(body)
	if name, inner, isCall := strings.Cut(arguments, "("); isCall && !strings.ContainsAny(name, "\"@") {
		if inner, isCall = strings.CutSuffix(inner, ")"); !isCall {
			return s
		}
		arguments = inner
	}
	if texts, ok := literals(arguments); ok {
		return linkOr(s, texts)
	}
	return s
}

// literals reads texts in double quotes between separators; false: there is
// something else.
func literals(s string) (texts []string, ok bool) {
	for s = strings.TrimLeft(s, " ,;"); s != ""; s = strings.TrimLeft(s, " ,;") {
		if s[0] != '"' {
			return nil, false
		}
		var text strings.Builder
		for s = s[1:]; ; s = s[1:] {
			before, after, closed := strings.Cut(s, `"`)
			if !closed {
				return nil, false
			}
			text.WriteString(before)
			if s = after; !strings.HasPrefix(s, `"`) {
				break
			}
			text.WriteByte('"')
		}
		texts = append(texts, text.String())
	}
	return texts, len(texts) > 0
}

// linkOr returns what a link names, given its parts: the target, then what is
// shown. What is shown counts if it is an address by itself, or if the target
// has none. Where both have one, both stand in a list. It returns s if there is
// none.
func linkOr(s string, parts []string) string {
	var found []string
	for _, part := range parts {
		part = cutScheme(trimBlanks(part))
		if _, err := parse(part); hasAtSign(part) && (err == nil || len(found) == 0) {
			found = append(found, part)
		}
	}
	if len(found) == 0 {
		return s
	}
	return strings.Join(found, ", ")
}

// cutAnchor reads a link of HTML or Markdown that is the whole text.
func cutAnchor(s string) string {
	const end = "</a>"
	if label, target, found := strings.Cut(s, "]("); found && s[0] == '[' && strings.HasSuffix(s, ")") {
		return linkOr(s, []string{strings.TrimSuffix(target, ")"), label[1:]})
	}
	if len(s) < len("<a >")+len(end) || !strings.EqualFold(s[:2], "<a") || !unicode.IsSpace(rune(s[2])) ||
		!strings.EqualFold(s[len(s)-len(end):], end) {
		return s
	}
	tag, shown, closed := strings.Cut(s[:len(s)-len(end)], ">")
	if !closed || strings.Contains(strings.ToLower(shown), "<a") {
		return s
	}
	_, target, _ := cutFold(tag, "href=")
	if quote := target[:min(1, len(target))]; quote == `"` || quote == "'" {
		target, _, _ = strings.Cut(target[1:], quote)
	} else {
		target, _, _ = strings.Cut(target, " ")
	}
	return linkOr(s, []string{html.UnescapeString(target), html.UnescapeString(cutTags(shown))})
}

// cutFold is [strings.Cut] at an ASCII text in upper or lower case.
func cutFold(s, at string) (before, after string, found bool) {
	for i := range len(s) - len(at) + 1 {
		if strings.EqualFold(s[i:i+len(at)], at) {
			return s[:i], s[i+len(at):], true
		}
	}
	return s, "", false
}

// tags are the elements of HTML that stand round texts of a cell.
var tags = []string{"b", "br", "div", "em", "font", "i", "li", "nobr", "p", "small", "span", "strong", "td", "u"}

// cutTags removes the tags of such elements.
func cutTags(s string) string {
	var kept strings.Builder
	rest := s
	for {
		before, after, found := strings.Cut(rest, "<")
		tag, behind, closed := strings.Cut(after, ">")
		if !found || !closed {
			kept.WriteString(rest)
			return kept.String()
		}
		kept.WriteString(before)
		name, _, _ := strings.Cut(strings.Trim(tag, "/ "), " ")
		if !slices.Contains(tags, strings.ToLower(name)) || strings.Contains(tag, "@") {
			kept.WriteString("<" + tag + ">")
		} else {
			kept.WriteByte(' ')
		}
		rest = behind
	}
}

// maxEntity is the length of the longest entity that is read, such as "&#x40;".
const maxEntity = 10

// decodeEntities reads the entities of HTML, such as "&lt;". They must end with
// a semicolon, which is no part of an address; "&" may be one.
func decodeEntities(s string) string {
	if !strings.Contains(s, ";") {
		return s
	}
	var decoded strings.Builder
	for {
		start := strings.IndexByte(s, '&')
		if start < 0 {
			decoded.WriteString(s)
			return decoded.String()
		}
		decoded.WriteString(s[:start])
		length := strings.IndexByte(s[start:min(len(s), start+maxEntity)], ';') + 1
		length = max(1, length)
		decoded.WriteString(html.UnescapeString(s[start : start+length]))
		s = s[start+length:]
	}
}

// cutLink reads the address in the query of a URL, such as
// "https://a.example/unsubscribe?email=jane@b.example".
func cutLink(s string) string {
	before, query, found := strings.Cut(s, "?")
	if !found || strings.ContainsFunc(s, unicode.IsSpace) || strings.Contains(before, "@") {
		return s
	}
	query, _, _ = strings.Cut(query, "#")
	var values []string
	for pair := range strings.SplitSeq(query, "&") {
		_, value, found := strings.Cut(pair, "=")
		if decoded, err := url.PathUnescape(value); err == nil && utf8.ValidString(decoded) {
			value = decoded
		}
		switch {
		case !found:
			return s
		case hasAtSign(value):
			values = append(values, value)
		}
	}
	if len(values) == 0 {
		return s
	}
	return strings.Join(values, ", ")
}

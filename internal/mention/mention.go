// Package mention finds addresses in texts, in whatever way they are written
// there, so that they can be erased.
package mention

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rcpt/rcpt/engine/address"
)

// Set is some addresses that are looked for. It is not changed after [Of], and
// safe for concurrent use.
type Set struct{ keys, domains map[string]bool }

// Of returns the addresses. The error is that of [address.Read].
func Of(addresses []string) (Set, error) {
	s := Set{make(map[string]bool), make(map[string]bool)}
	for _, given := range addresses {
		key, err := keyOf(given)
		if err != nil {
			return Set{}, err
		}
		s.keys[key], s.domains[key[strings.LastIndexByte(key, '@')+1:]] = true, true
	}
	return s, nil
}

// Len is how many addresses there are.
func (s Set) Len() int { return len(s.keys) }

// keyOf identifies an address. Unlike the mailbox that is asked about, it is
// the same in any case: people do not write theirs in one way, and no host is
// known where two of them would be those of two people.
func keyOf(given string) (string, error) {
	parsed, err := address.Read(given)
	return strings.ToLower(parsed.Unquoted()) + "@" + parsed.Domain(), err
}

// Has reports whether an address is one of the set.
func (s Set) Has(given string) bool {
	if !s.mayBe(given[strings.LastIndexByte(given, '@')+1:]) {
		return false
	}
	key, err := keyOf(given)
	return err == nil && s.keys[key]
}

// mayBe reports, without much work, whether a domain may be that of an address
// of the set, with the end of the name of a file perhaps. Of what is not ASCII
// only [address.Read] knows.
func (s Set) mayBe(domain string) bool {
	foreign := func(r rune) bool { return r >= utf8.RuneSelf || r == '[' }
	domain = strings.ToLower(domain)
	if strings.ContainsFunc(domain, foreign) || strings.Contains(domain, "xn--") {
		return true
	}
	for len(domain) > 0 && !s.domains[domain] {
		domain = domain[:max(0, strings.LastIndexByte(domain, '.'))]
	}
	return domain != ""
}

// In reports whether a text mentions an address of the set: alone, among other
// words, percent-encoded as in a URL, or escaped as in JSON. A longer address
// that begins or ends in the same way is another one.
func (s Set) In(text string) bool {
	if s.inPlain(text) {
		return true
	}
	if strings.Contains(text, "%") {
		if plain := percent.ReplaceAllStringFunc(text, unpercent); plain != text && s.inPlain(plain) {
			return true
		}
	}
	if strings.Contains(text, `\`) {
		plain := escapes.ReplaceAllStringFunc(text, unescape)
		return plain != text && s.inPlain(plain)
	}
	return false
}

var (
	percent = regexp.MustCompile(`(?:%[0-9A-Fa-f]{2})+`)
	escapes = regexp.MustCompile(`(?:\\u[0-9A-Fa-f]{4}|\\["\\/])+`)
)

func unpercent(coded string) string {
	plain, err := url.PathUnescape(coded)
	if err != nil {
		return coded
	}
	return plain
}

func unescape(coded string) string {
	var plain string
	if json.Unmarshal([]byte(`"`+coded+`"`), &plain) != nil {
		return coded
	}
	return plain
}

func (s Set) inPlain(text string) bool {
	_, to := s.find(text, 0)
	return to > 0
}

// find returns where the first mention behind begin is; to is 0 if nothing is
// mentioned. It looks at what is around each "@".
func (s Set) find(text string, begin int) (from, to int) {
	for at := begin; at < len(text); at++ {
		if text[at] != '@' {
			continue
		}
		domain := domainAt(text[at+1:])
		if !s.mayBe(domain) {
			continue
		}
		plain := domain[:len(domain)-len(fileEnd.FindString(domain))]
		for local := localBefore(text[begin:at]); local != ""; local = shorter(local) {
			if s.Has(local+"@"+domain) || plain != domain && s.Has(local+"@"+plain) {
				return at - len(local), at + 1 + len(domain)
			}
		}
	}
	return 0, 0
}

// fileEnd is the end of the name of a file, which may be called after an
// address.
var fileEnd = regexp.MustCompile(`(?i)(\.(csv|tsv|txt|jsonl?|ndjson|xlsx?|ods|html?|xml|vcf|ldif|zip|gz|bz2|zst))+$`)

// Mask returns a text with "x" for each letter and digit of what it mentions
// plainly.
func (s Set) Mask(text string) string {
	var masked strings.Builder
	at := 0
	for from, to := s.find(text, at); to > 0; from, to = s.find(text, at) {
		masked.WriteString(text[at:from])
		for i := from; i < to; i++ {
			if strings.IndexByte(`@."\`, text[i]) >= 0 {
				masked.WriteByte(text[i])
			} else {
				masked.WriteByte('x')
			}
		}
		at = to
	}
	return masked.String() + text[at:]
}

// Marks that may be in a domain and in a local-part, beside letters and digits.
const (
	domainMarks = "-._\u3002"
	localMarks  = "!#$%&'*+-/=?^_`{|}~."
	// separators are those of localMarks that more often stand before an
	// address than in one, as in "?to=ann@example.com".
	separators = "#&/=?|"
	// quotes begin no local-part.
	quotes = ".'`{"
	// longestLocal is more octets than the local-part of any address has, also
	// quoted with a backslash before each: a mailbox has at most 254 (RFC 5321
	// §4.5.3.1.3).
	longestLocal = 2*254 + 2
)

func isOther(marks string) func(r rune) bool {
	return func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune(marks, r)
	}
}

func domainAt(text string) string {
	if strings.HasPrefix(text, "[") { // an address literal
		return text[:strings.IndexByte(text, ']')+1]
	}
	if end := strings.IndexFunc(text, isOther(domainMarks)); end >= 0 {
		text = text[:end]
	}
	return strings.TrimRight(text, domainMarks)
}

func localBefore(text string) string {
	text = text[max(0, len(text)-longestLocal):]
	if quoted, is := strings.CutSuffix(text, `"`); is {
		return text[max(0, strings.LastIndexByte(quoted, '"')):]
	}
	if before := strings.LastIndexFunc(text, isOther(localMarks)); before >= 0 {
		_, size := utf8.DecodeRuneInString(text[before:])
		text = text[before+size:]
	}
	return strings.TrimLeft(text, quotes)
}

// shorter returns what stands behind the first separator of a local-part.
func shorter(local string) string {
	if strings.HasPrefix(local, `"`) {
		return ""
	}
	at := strings.IndexAny(local, separators)
	if at < 0 {
		return ""
	}
	return local[at+1:]
}

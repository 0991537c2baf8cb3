package address

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Within returns the addresses that stand in a text beside other words: each
// once, and no more than two. They are what a person may have meant; what the
// words say of them cannot be known: "jane@a.example - bounced".
func Within(text string) []string {
	if len(text) > maxCleaned || !utf8.ValidString(text) || strings.ContainsRune(text, rightToLeftOverride) {
		return nil
	}
	var found []string
	mailboxes := map[string]bool{}
	for _, word := range wordsOf(joinAtSign(signs.Replace(decodePercent(cutTags(decodeEntities(text)))))) {
		plain := plainWord(word)
		a, err := read(plain)
		if err != nil || !strings.Contains(a.domain, ".") || mailboxes[a.mailbox] {
			continue
		}
		mailboxes[a.mailbox] = true
		if found = append(found, plain); len(found) > 1 {
			break
		}
	}
	return found
}

// beside are the marks that stand before an address in lists, although they
// could begin one.
const beside = "'*|?/.-~!&^{}%#`"

// plainWord is a word without the marks round the address that it may be.
func plainWord(word string) string {
	local, domain, found := strings.Cut(strings.TrimLeft(word, "@"), "@")
	if !found || strings.Contains(domain, "@") {
		return ""
	}
	if end := strings.IndexFunc(domain, func(r rune) bool { return r != '.' && r != '-' && !isLetter(r) }); end >= 0 {
		domain = domain[:end]
	}
	return strings.TrimLeft(local, beside) + "@" + strings.TrimRight(domain, ".-")
}

func isLetter(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.Nd) }

// signs are written instead of "@" and ".", by people and by input methods.
var signs = strings.NewReplacer("＠", "@", "﹫", "@", "[at]", "@", "(at)", "@", "{at}", "@", "[dot]", ".", "(dot)", ".")

// wordsOf splits a text at what stands in no address, or only in rare ones.
func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !isLetter(r) && !strings.ContainsRune("!#$%&'*+-_~^{}`.@"+ellipses, r)
	})
}

// IsPlain reports whether a text is an address ([Read]) without what people put
// beside one in lists and never into one: "'jane@a.example" may be a mailbox,
// but who wrote it means another.
func IsPlain(text string) bool {
	a, err := read(text)
	if err != nil || strings.HasPrefix(text, `"`) {
		return err == nil
	}
	label, _, labelled := strings.Cut(a.local, "=")
	return !strings.ContainsAny(a.local[:1], "'*?") && !strings.ContainsAny(a.local, "|/") &&
		!(labelled && isLabel(label)) && !strings.ContainsFunc(a.local, func(r rune) bool {
		return r >= utf8.RuneSelf && (unicode.IsPunct(r) || unicode.IsSymbol(r))
	})
}

// Unlink returns the address in the query of a link, and any other text as it
// is: "?email=jane@a.example" means a mailbox, and may be another by the
// grammar, which [Clean] keeps.
func Unlink(text string) string {
	if strings.Contains(text, `"`) {
		return text
	}
	return cutLink(text)
}

const (
	// ellipses say that a text was cut off, as three dots do.
	ellipses  = "…‥⋯"
	threeDots = "..."
)

func hasEllipsis(s string) bool {
	return strings.Contains(s, threeDots) || strings.ContainsAny(s, ellipses)
}

// CutOff reports whether an ellipsis stands in an address in a text, or behind
// it: "jane@a.exam...", "jan…@a.example". What is left may be the address of a
// stranger. The dots of an address that is read as it is ([Read]) are none, but
// for three before the "@": that is how archives hide a part.
func CutOff(text string) bool {
	if !hasEllipsis(text) {
		return false
	}
	hidden := strings.Contains(text, threeDots+"@") || strings.ContainsAny(text, ellipses)
	if _, err := read(text); err == nil && !hidden {
		return false
	}
	words := wordsOf(text)
	for i, word := range words {
		if strings.Contains(word, "@") && (hasEllipsis(word) || i+1 < len(words) && isEllipsis(words[i+1])) {
			return true
		}
	}
	return false
}

func isEllipsis(word string) bool { return hasEllipsis(word) && strings.Trim(word, "."+ellipses) == "" }

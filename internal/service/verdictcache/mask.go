package verdictcache

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const (
	// hidden replaces a word in which the mailbox can be read. It is shorter
	// than what is searched for, so that it contains none of it.
	hidden = "*"
	// tellingLength is the number of characters from which a part of a
	// local-part is searched for: shorter ones occur in every other word.
	tellingLength = 3
)

// mask hides a mailbox in a mail host's reply. Hosts quote it in many ways:
// whole, without its tag or dots, in capitals, in a link. So every word in
// which a part of the local-part, or any address, can be read is replaced. Some
// harmless words are replaced, too.
type mask struct {
	local   string   // folded
	letters string   // of local: letters and digits alone
	parts   []string // of local, between other characters
}

func newMask(m mailbox) mask {
	local := fold(m.parts.Unquoted())
	k := mask{local: local, letters: lettersOf(local)}
	for _, part := range strings.FieldsFunc(local, notLetter) {
		if telling(part) {
			k.parts = append(k.parts, part)
		}
	}
	return k
}

// hide returns text without the words that reveal the mailbox, or nothing if
// that is not enough: a quoted local-part may contain spaces.
func (k mask) hide(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		if k.tells(fold(word)) {
			words[i] = hidden
		}
		if link, query, ok := strings.Cut(words[i], "?"); ok && query != "" { // what is in it may be coded
			words[i] = link + "?" + hidden
		}
	}
	text = strings.Join(words, " ")
	if telling(k.local) && strings.Contains(fold(text), k.local) {
		return ""
	}
	return text
}

// tells reports whether the mailbox, or any address, can be read in a folded
// word.
func (k mask) tells(word string) bool {
	letters := lettersOf(word)
	isPart := func(part string) bool { return slices.Contains(k.parts, part) }
	return strings.ContainsRune(word, '@') ||
		telling(k.local) && strings.Contains(word, k.local) ||
		telling(k.letters) && strings.Contains(letters, k.letters) ||
		letters != "" && letters == k.letters ||
		slices.ContainsFunc(strings.FieldsFunc(word, notLetter), isPart)
}

func telling(text string) bool { return utf8.RuneCountInString(text) >= tellingLength }

// fold unifies what people read as the same: capitals, composed and full-width
// letters.
func fold(text string) string { return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(text))) }

func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if notLetter(r) {
			return -1
		}
		return r
	}, text)
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

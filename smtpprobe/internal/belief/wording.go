package belief

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Wording is the words of a refusal, by which one can be told from another of
// the same class. The zero value is that of none.
type Wording struct {
	code, text, mailbox string
}

// Mixed is the wording of refusals that differ: none says the same.
var Mixed = Wording{code: "mixed"}

// WordingOf is the wording of a refusal.
func WordingOf(r *Heard) Wording {
	if !r.Refused() {
		return Wording{}
	}
	text := strings.ToLower(strings.Join(r.Reply.Lines, " "))
	return Wording{
		code: strconv.Itoa(r.Reply.Code) + " " + r.Reply.Enhanced,
		text: strings.Join(plainWords(text), " "), mailbox: strings.ToLower(r.Mailbox),
	}
}

// String is the wording without the words that may be those of the mailbox.
func (w Wording) String() string { return w.code + " " + w.without(w.mailbox) }

// Same reports whether two refusals say the same, of whichever mailbox.
func (w Wording) Same(v Wording) bool {
	names := w.mailbox + " " + v.mailbox
	return w.code == v.code && w.without(names) == v.without(names)
}

// without returns the text without the words that names have.
func (w Wording) without(names string) string {
	own := strings.FieldsFunc(names, notLetter)
	words := slices.DeleteFunc(strings.Fields(w.text), func(word string) bool { return slices.Contains(own, word) })
	return strings.Join(words, " ")
}

// mostWords is how many words of a refusal are looked at.
const mostWords = 40

// plainWords returns the words that consist of letters, without the signs
// around them: others are numbers of a session, addresses, links.
func plainWords(text string) (plain []string) {
	for word := range strings.FieldsSeq(text) {
		word = strings.TrimFunc(word, func(c rune) bool { return notLetter(c) && !unicode.IsDigit(c) })
		if word != "" && !strings.ContainsFunc(word, notLetter) && len(plain) < mostWords {
			plain = append(plain, word)
		}
	}
	return plain
}

func notLetter(c rune) bool { return !unicode.IsLetter(c) }

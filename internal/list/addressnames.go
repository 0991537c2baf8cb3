package list

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
)

//go:embed addressnames.tsv
var addressNamesText string

// addressNames returns the names of the column with the addresses, and words in
// them, in the form of [plainName].
var addressNames = sync.OnceValues(func() (names map[string]bool, words []string) {
	names = map[string]bool{}
	for line := range strings.Lines(addressNamesText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		switch cells := strings.Split(line, "\t"); cells[0] {
		case "name":
			names[plainName(cells[1])] = true
		case "word":
			words = append(words, plainName(cells[1]))
		}
	}
	return names, words
})

// plainName returns the name of a column in lower case, without blanks and
// punctuation: "E-Mail" is "email".
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// isAddressName reports whether the name of a column says that it has the
// addresses.
func isAddressName(name string) bool {
	names, _ := addressNames()
	return names[plainName(name)]
}

// hasAddressWord reports whether the name of a column may say so: "Work e-mail"
// does, and "E-mail opt-in", too.
func hasAddressWord(name string) bool {
	_, words := addressNames()
	plain := plainName(name)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(plain, word) })
}

package rows

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// PlainName returns a name for people without characters that have no shape of
// their own. Marks of direction such as U+202E would show it in another order
// than it was written, and with it what stands behind it.
func PlainName(name string) string {
	if !utf8.ValidString(name) {
		return name // it is refused
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
}

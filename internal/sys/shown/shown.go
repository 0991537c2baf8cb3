// Package shown makes texts of strangers fit to be shown and stored.
package shown

import "strings"

// most is the length of a text that is kept, in octets: no mailbox is longer
// than 254 octets, the rest is for people to recognise it.
const most = 64 << 10

// Text returns text in valid UTF-8, with U+FFFD for what is not, and not
// endless.
func Text(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

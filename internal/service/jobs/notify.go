package jobs

import (
	"errors"
	"strings"

	"github.com/rcpt/rcpt/engine/address"
)

// maxNotify is the length of the longest address for a mail, in octets.
const maxNotify = 254

// ErrNotify means that a text is no address to which a mail can be sent.
var ErrNotify = errors.New("it must be one e-mail address of ASCII characters")

// CheckNotify returns what is wrong with an address for a mail about the end of
// a job. It is stricter than an address may be: a relay and a header have to
// take it as it is.
func CheckNotify(text string) error {
	parsed, err := address.Read(text)
	isPlain := func(r rune) bool {
		return r > ' ' && r < 0x7f && !strings.ContainsRune(`"(),:;<>[\]`, r)
	}
	odd := strings.ContainsFunc(text, func(r rune) bool { return !isPlain(r) })
	if err != nil || odd || len(text) > maxNotify || !strings.Contains(parsed.Domain(), ".") ||
		strings.Count(text, "@") != 1 || strings.HasPrefix(text, "-") {
		return ErrNotify
	}
	return nil
}

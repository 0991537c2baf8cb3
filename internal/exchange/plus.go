package exchange

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
)

// errPlus reports an address that begins with a plus sign.
var errPlus = errors.New("a plus sign in front of an address")

// readAddress decodes an address in a query. There "+" is a blank for HTML
// forms and their encoders, and a plus sign for RFC 3986. No verdict may be
// about an address that nobody meant, so that what can stand in the place
// decides: inside an unquoted local-part "+" is a plus sign, and elsewhere a
// blank. In front of an address it can be both: the error is [errPlus].
func readAddress(value string) (string, error) {
	if !strings.Contains(value, "+") {
		return url.QueryUnescape(value)
	}
	var plain strings.Builder
	rest := value
	for at := nextAt(rest); at >= 0; at = nextAt(rest) {
		begin := localBegins(rest[:at], rest[at] == '@')
		local := strings.TrimLeft(rest[begin:at], "+")
		before := rest[:at-len(local)]
		if len(local) < at-begin && plain.Len() == 0 && isBlank(before) {
			return "", errPlus
		}
		plain.WriteString(before)
		plain.WriteString(strings.ReplaceAll(local, "+", "%2B"))
		end := at + 1
		if rest[at] == '%' {
			end = at + len("%40")
		}
		plain.WriteString(rest[at:end])
		rest = rest[end:]
	}
	plain.WriteString(rest)
	return url.QueryUnescape(plain.String())
}

// nextAt is where the next "@" is, encoded or not; negative: there is none.
func nextAt(value string) int {
	bare, encoded := strings.IndexByte(value, '@'), strings.Index(value, "%40")
	if bare < 0 || encoded >= 0 && encoded < bare {
		return encoded
	}
	return bare
}

// localBegins is where the local-part begins whose "@" follows. A blank can
// stand in a quoted one, so that there only a bare "@" shows a client that
// encodes no form.
func localBegins(before string, bareAt bool) int {
	if quote := strings.IndexByte(before, '"'); bareAt && quote >= 0 && strings.HasSuffix(before, `"`) {
		return quote
	}
	begin := len(before)
	for begin > 0 {
		octet, width := lastOctet(before[:begin])
		if !inLocal(octet) {
			break
		}
		begin -= width
	}
	return begin
}

// lastOctet decodes the last octet of a percent-encoded text, and says how long
// it is there.
func lastOctet(text string) (octet byte, width int) {
	const encoded = len("%40")
	if from := len(text) - encoded; from >= 0 && text[from] == '%' {
		if n, err := strconv.ParseUint(text[from+1:], 16, 8); err == nil {
			return byte(n), encoded
		}
	}
	return text[len(text)-1], 1
}

// inLocal reports whether an octet can be in an unquoted local-part: atext of
// RFC 5322 §3.2.3, a dot, or a part of a character of RFC 6531.
func inLocal(octet byte) bool {
	return octet >= 0x80 || octet > ' ' && octet < 0x7F && !strings.ContainsRune(`"(),:;<>@[\]`, rune(octet))
}

// isBlank reports whether nothing but blanks is in a part of a query.
func isBlank(encoded string) bool {
	text, err := url.QueryUnescape(encoded)
	return err == nil && strings.TrimSpace(text) == ""
}

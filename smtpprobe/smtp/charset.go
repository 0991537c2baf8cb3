package smtp

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// decode turns the text of a reply into UTF-8. RFC 5321 §4.2 allows ASCII only
// and RFC 6531 UTF-8, but some servers answer in an encoding of their country
// without naming it. A wrong guess does no harm: no rule matches the text.
func decode(s string) string {
	charset := guessCharset(s)
	if charset == nil {
		return s
	}
	decoded, err := charset.NewDecoder().String(s)
	if err != nil {
		return s
	}
	return decoded
}

// guessCharset returns the encoding that s is probably in; nil for UTF-8, which
// other encodings hardly ever produce by chance.
func guessCharset(s string) encoding.Encoding {
	switch {
	case strings.Contains(s, "\x1b$B") || strings.Contains(s, "\x1b$@"): // RFC 1468: ASCII to JIS X 0208
		return japanese.ISO2022JP
	case utf8.ValidString(s):
		return nil
	}
	high := highBytes(s)
	switch {
	case high.longest < 3: // letters with diacritics among others
		return charmap.Windows1252
	case high.even && high.below*6 >= high.count:
		return simplifiedchinese.GBK
	case high.upper > high.lower:
		return charmap.Windows1251
	}
	return charmap.KOI8R
}

// high counts the bytes above ASCII. Cyrillic small letters are 0xC0–0xDF in
// KOI8-R and 0xE0–0xFF in windows-1251. Neither has letters below 0xC0, where
// about every other byte of Chinese text lies. Chinese characters have two
// bytes each.
type high struct {
	count, below, lower, upper int
	longest                    int  // in a row
	even                       bool // all rows have an even length
}

func highBytes(s string) high {
	h := high{even: true}
	row := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] >= utf8.RuneSelf {
			row++
			h.add(s[i])
			continue
		}
		h.longest = max(h.longest, row)
		h.even = h.even && row%2 == 0
		row = 0
	}
	return h
}

func (h *high) add(c byte) {
	h.count++
	switch {
	case c < 0xC0:
		h.below++
	case c < 0xE0:
		h.lower++
	default:
		h.upper++
	}
}

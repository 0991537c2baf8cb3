package replies

import (
	"fmt"
	"io"
	"mime"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// decodeWords decodes encoded words (RFC 2047) in the text of a reply. They are
// meant for header fields, but some servers use them in replies.
func decodeWords(s string) string {
	if !strings.Contains(s, "=?") {
		return s
	}
	decoder := mime.WordDecoder{CharsetReader: charsetReader}
	decoded, err := decoder.DecodeHeader(s)
	if err != nil {
		return s
	}
	return decoded
}

// namedCharsets are the charsets of encoded words that package mime does not
// know.
var namedCharsets = map[string]encoding.Encoding{
	"koi8-r":       charmap.KOI8R,
	"windows-1250": charmap.Windows1250,
	"windows-1251": charmap.Windows1251,
	"windows-1252": charmap.Windows1252,
	"iso-8859-2":   charmap.ISO8859_2,
	"iso-8859-15":  charmap.ISO8859_15,
	"iso-2022-jp":  japanese.ISO2022JP,
	"gb2312":       simplifiedchinese.GBK,
	"gbk":          simplifiedchinese.GBK,
}

func charsetReader(name string, r io.Reader) (io.Reader, error) {
	charset, ok := namedCharsets[strings.ToLower(name)]
	if !ok {
		return nil, fmt.Errorf("encoded word in %q, which is not known", name)
	}
	return charset.NewDecoder().Reader(r), nil
}

package replies

import (
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rcpt/rcpt/internal/sys/publicsuffix"
	"golang.org/x/text/unicode/norm"
)

// maxWords is the number of words of a reply that are read, so that reading is
// cheap whatever a host sends.
const maxWords = 400

// usualWords is the number of words that few replies have more of.
const usualWords = 32

// word is one word of a reply in the form in which phrases are compared: lower
// case, without diacritics and fillers. A word that names something (an
// address, a host) is a thing, which no ordinary word of a phrase matches.
type word struct {
	text   string
	thing  thing
	starts bool // a clause: a full stop, a comma, a bracket or the like stands before it
}

type thing uint8

const (
	noThing thing = iota
	anAddress
	aHost
	anIP
	aURL
	aNumber
	theSender // our reverse-path
)

// wordsOf splits the text of a reply into words. The recipient's own address
// becomes a thing, so that a mailbox called "blocked" or "unknown.user" decides
// nothing. The domain and the mail host become things without a text, so that
// one called "rbl.example" is not taken for a block list.
//
// The words are put into room as far as it is large enough.
func wordsOf(q Input, room []word) []word {
	text := strings.ToLower(decodeWords(strings.Join(q.Reply.Lines, " ")))
	text = strings.ReplaceAll(text, "<>", " null sender ") // the null reverse-path
	if strings.Contains(q.Mailbox, `"`) {                  // a quoted local-part may hold spaces
		text = strings.ReplaceAll(text, strings.ToLower(q.Mailbox), "<@>")
	}
	words := splitWords(text, q.Mailbox, q.Host, room)
	for i := range words {
		if words[i].thing == anAddress && q.isOurs(words[i].text) {
			words[i].thing = theSender
		}
	}
	return words
}

// isOurs reports whether an address is our reverse-path or the postmaster of
// its domain, which hosts that verify senders also ask for.
func (q Input) isOurs(address string) bool {
	domain := q.Sender[strings.LastIndexByte(q.Sender, '@')+1:]
	return domain != "" && (strings.EqualFold(address, q.Sender) ||
		strings.EqualFold(address, "postmaster@"+domain) && !strings.EqualFold(address, q.Mailbox))
}

func splitWords(text, mailbox, host string, words []word) []word {
	local, domain := "", ""
	if at := strings.LastIndexByte(mailbox, '@'); at >= 0 {
		local, domain = mailbox[:at], mailbox[at+1:]
	}
	pause := false // between the last word and the next
	for start := 0; start < len(text) && len(words) < maxWords; {
		if breaks[text[start]] {
			pause = pause || pauses[text[start]]
			start++
			continue
		}
		end := start
		for end < len(text) && !breaks[text[end]] {
			end++
		}
		piece, had := text[start:end], len(words)
		quoted := start > 0 && end < len(text) && isQuote(text[start-1]) && isQuote(text[end])
		switch {
		case local != "" && strings.EqualFold(piece, local) && (quoted || !plainWord(local)):
			words = append(words, word{thing: anAddress})
		case isName(piece, domain), isName(piece, host):
			words = append(words, word{thing: aHost})
		default:
			words = appendPiece(words, piece)
		}
		if len(words) > had {
			words[had].starts, pause = pause, false
		}
		pause = pause || pauses[piece[len(piece)-1]]
		start = end
	}
	return words
}

// isName reports whether a piece is a name that we know.
func isName(piece, name string) bool { return name != "" && strings.EqualFold(edges.trim(piece), name) }

// byteSet is a set of bytes.
type byteSet [256]bool

func bytesOf(text string) (s byteSet) {
	for i := range len(text) {
		s[text[i]] = true
	}
	return s
}

var (
	// breaks always separate pieces.
	breaks = bytesOf(" \t\r\n<>()[]{}\"`,;|\\\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x1b\x7f")
	// pauses are what separates two clauses: "user unknown (in reply to RCPT)".
	// A line may end anywhere.
	pauses = bytesOf(".:!?-,;|()[]{}")
	// edges are cut off the ends of a piece.
	edges = bytesOf(".:'!?*-_/#=~$%&+")
)

func (s *byteSet) trim(text string) string {
	for text != "" && s[text[0]] {
		text = text[1:]
	}
	for text != "" && s[text[len(text)-1]] {
		text = text[:len(text)-1]
	}
	return text
}

func isQuote(c byte) bool {
	return c == '<' || c == '>' || c == '"' || c == '`' || c == '[' || c == ']'
}

// plainWord reports whether a local-part could also be an ordinary word of a
// reply.
func plainWord(local string) bool {
	return strings.IndexFunc(local, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// appendPiece appends a piece of text without blanks: one thing, or its words.
func appendPiece(words []word, piece string) []word {
	piece = edges.trim(piece)
	if isPlain(piece) {
		return appendPlain(words, piece)
	}
	if address, said, ok := cutAddress(piece); ok {
		return appendPiece(append(words, word{text: address, thing: anAddress}), said)
	}
	if kind := thingOf(piece); kind != noThing {
		return append(words, word{text: piece, thing: kind})
	}
	for _, run := range strings.FieldsFunc(piece, func(r rune) bool { return !inWord(r) }) {
		words = appendWord(words, run)
	}
	return words
}

// cutAddress splits an address from what follows it without a blank:
// "a@b.example:blocked".
func cutAddress(piece string) (address, said string, ok bool) {
	address, said, ok = strings.Cut(piece, ":")
	return address, said, ok && strings.Contains(address, "@") && !strings.Contains(said, "@")
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\'' || r == '’'
}

// isPlain reports whether text is nothing but the letters a to z.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// thingOf tells what a piece names, if it names something.
func thingOf(piece string) thing {
	switch {
	case strings.Contains(piece, "://") || strings.HasPrefix(piece, "www."):
		return aURL
	case strings.Contains(piece, "@"):
		return anAddress
	case isNumber(piece):
		if strings.Count(piece, ".") == 3 && isIP(piece) {
			return anIP
		}
		return aNumber
	case (strings.Count(piece, ":") > 1 || strings.Count(piece, ".") == 3) && isIP(piece):
		return anIP
	case strings.Contains(piece, ".") && isHost(piece):
		return aHost
	}
	return noThing
}

func isNumber(piece string) bool {
	for i := range len(piece) {
		if c := piece[i]; (c < '0' || c > '9') && c != '.' && c != '-' && c != ':' {
			return false
		}
	}
	return true
}

// isIP reports whether a piece is an IP address, with a port or not.
func isIP(piece string) bool {
	piece = strings.TrimPrefix(piece, "ipv6:")
	if strings.Trim(piece, "0123456789abcdef.:") != "" {
		return false
	}
	if strings.Count(piece, ":") == 1 {
		_, err := netip.ParseAddrPort(piece)
		return err == nil
	}
	_, err := netip.ParseAddr(piece)
	return err == nil
}

// isHost reports whether a piece with a dot is a host name and not the end of
// one sentence with the beginning of the next. A host name has at least three
// labels, or its last label is a known top-level domain or one of those for
// local and example names.
func isHost(piece string) bool {
	for i := range len(piece) {
		if c := piece[i]; !(c == '.' || c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z') {
			return false
		}
	}
	if strings.Count(piece, ".") > 1 && !strings.Contains(piece, "..") {
		return true
	}
	switch piece[strings.LastIndexByte(piece, '.')+1:] {
	case "example", "test", "invalid", "local", "localdomain", "lan", "internal", "arpa":
		return true
	}
	_, icann := publicsuffix.PublicSuffix(piece)
	return icann
}

// appendWord appends one run of letters and digits in its folded form. In
// scripts without spaces, each character is a word.
func appendWord(words []word, text string) []word {
	folded := fold(cutArticle(text))
	if isPlain(folded) {
		return appendPlain(words, folded)
	}
	if isNumber(folded) {
		return append(words, word{text: folded, thing: aNumber})
	}
	start := 0
	for i, r := range folded {
		if !writtenWithoutSpaces(r) {
			continue
		}
		if start < i {
			words = append(words, word{text: folded[start:i]})
		}
		start = i + utf8.RuneLen(r)
		words = append(words, word{text: folded[i:start]})
	}
	if start < len(folded) {
		words = append(words, word{text: folded[start:]})
	}
	return words
}

// appendPlain adds a word of the letters a to z in its usual spelling.
func appendPlain(words []word, text string) []word {
	if text == "" {
		return words
	}
	usual, ok := spellings[text]
	if !ok {
		return append(words, word{text: text})
	}
	for _, w := range usual.words {
		words = append(words, word{text: w})
	}
	if n := len(words); usual.after != nil && n > 1 && words[n-2].thing == noThing {
		if one, ok := usual.after[words[n-2].text]; ok {
			words = append(words[:n-2], word{text: one})
		}
	}
	return words
}

// elided are French and Italian articles and prepositions that lose their vowel
// and are joined to the next word.
var elided = map[string]bool{
	"l": true, "d": true, "un": true, "all": true, "dall": true, "dell": true, "nell": true,
	"sull": true, "quest": true,
}

// cutArticle drops an elided article, because articles are fillers: "l'utente"
// becomes "utente". "n'existe" stays as it is.
func cutArticle(text string) string {
	at := strings.IndexAny(text, "'’")
	if at < 0 || !elided[text[:at]] {
		return text
	}
	return strings.TrimLeft(text[at:], "'’")
}

// fold drops case, diacritics and apostrophes.
func fold(text string) string {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || c == '\'' || c >= 'A' && c <= 'Z' {
			return foldSlow(text)
		}
	}
	return text
}

func foldSlow(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		text = norm.NFKD.String(text)
	}
	return strings.Map(foldRune, text)
}

func foldRune(r rune) rune {
	switch r = unicode.ToLower(r); {
	case r == '\'' || r == '’' || unicode.IsMark(r):
		return -1
	case r == 'ł': // letters with a stroke are letters of their own to Unicode
		return 'l'
	case r == 'ø':
		return 'o'
	case r == 'đ':
		return 'd'
	case r == 'ı':
		return 'i'
	}
	return r
}

func writtenWithoutSpaces(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

package smtpprobe

import (
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/unicode/norm"
)

// maxWords bounds what is read of a reply, so that reading costs little whatever a host sends.
const maxWords = 400

// word is one word of a reply in the form in which phrases are compared: lower case, without diacritics and fillers. A word that names
// something (an address, a host) is a thing: no phrase can be made of it by accident.
type word struct {
	text  string
	thing thing
}

type thing uint8

const (
	noThing thing = iota
	anAddress
	aHost
	anIP
	aURL
	aNumber
)

// fillers carry no meaning in any phrase and are dropped on both sides.
var fillers = map[string]bool{
	"the": true, "a": true, "an": true, "this": true, "that": true, "is": true, "are": true, "was": true, "were": true, "be": true,
	"been": true, "has": true, "have": true, "had": true, "it": true, "its": true,
}

// joined are words that are also written as two.
var joined = map[string]string{
	"e mail": "email", "e mails": "emails", "mail box": "mailbox", "mail boxes": "mailboxes", "mail drop": "maildrop", "user name": "username",
	"black list": "blacklist", "black listed": "blacklisted", "black lists": "blacklists", "block list": "blocklist", "block listed": "blocklisted",
	"grey list": "greylist", "grey listed": "greylisted", "grey listing": "greylisting", "gray listed": "greylisted", "gray listing": "greylisting",
	"over quota": "overquota", "non existent": "nonexistent", "non existing": "nonexistent", "not existent": "nonexistent", "not existing": "nonexistent",
	"de activated": "deactivated",
}

// wordings brings different ways to write the same words together. The apostrophe of "doesn't" is dropped before.
var wordings = map[string][]string{
	"cannot": {"can", "not"}, "cant": {"can", "not"}, "doesnt": {"does", "not"}, "dont": {"do", "not"}, "isnt": {"is", "not"},
	"wasnt": {"was", "not"}, "didnt": {"did", "not"}, "hasnt": {"has", "not"}, "couldnt": {"could", "not"}, "arent": {"are", "not"},
	"wont": {"will", "not"}, "unable": {"not", "able"}, "nonexisting": {"nonexistent"}, "nonexistant": {"nonexistent"},
	"inexistent": {"nonexistent"}, "graylisted": {"greylisted"}, "graylisting": {"greylisting"}, "graylist": {"greylist"},
	"addresse": {"addressee"}, "recipent": {"recipient"}, "recepient": {"recipient"}, "reciepient": {"recipient"}, "maibox": {"mailbox"},
}

// wordsOf splits the text of a reply into words. The recipient's own address is a thing wherever it stands, so that a mailbox called
// "blocked" or "unknown.user" decides nothing.
func wordsOf(reply Reply, mailbox string) []word {
	text := strings.Join(reply.Lines, " ")
	if strings.Contains(mailbox, `"`) { // a quoted local-part may hold spaces
		text = strings.ReplaceAll(text, mailbox, "<@>")
	}
	return splitWords(text, mailbox)
}

func splitWords(text, mailbox string) []word {
	local, domain := "", ""
	if at := strings.LastIndexByte(mailbox, '@'); at > 0 {
		local, domain = mailbox[:at], mailbox[at+1:]
	}
	words := make([]word, 0, 32)
	for start := 0; start < len(text) && len(words) < maxWords; {
		if isBreak(text[start]) {
			start++
			continue
		}
		end := start
		for end < len(text) && !isBreak(text[end]) {
			end++
		}
		piece := text[start:end]
		quoted := start > 0 && end < len(text) && isQuote(text[start-1]) && isQuote(text[end])
		switch {
		case local != "" && strings.EqualFold(piece, local) && (quoted || !plainWord(local)):
			words = append(words, word{thing: anAddress})
		case domain != "" && strings.EqualFold(strings.Trim(piece, ".,:"), domain):
			words = append(words, word{text: domain, thing: aHost})
		default:
			words = appendPiece(words, piece)
		}
		start = end
	}
	return words
}

// isBreak reports what separates pieces whatever they are.
func isBreak(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', '<', '>', '(', ')', '[', ']', '{', '}', '"', '`', ',', ';', '|', '\\':
		return true
	}
	return c < ' '
}

func isQuote(c byte) bool {
	return c == '<' || c == '>' || c == '"' || c == '`' || c == '[' || c == ']'
}

// plainWord reports whether a local-part could also be an ordinary word of a reply.
func plainWord(local string) bool {
	return strings.IndexFunc(local, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// appendPiece adds what a piece of text without blanks says: one thing, or its words.
func appendPiece(words []word, piece string) []word {
	piece = strings.Trim(piece, ".:'!?*-_/#=~$%&+")
	if piece == "" {
		return words
	}
	if kind := thingOf(piece); kind != noThing {
		return append(words, word{text: strings.ToLower(piece), thing: kind})
	}
	start := -1
	for i, r := range piece {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\'' || r == '’' {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			words = appendWord(words, piece[start:i])
			start = -1
		}
	}
	if start >= 0 {
		words = appendWord(words, piece[start:])
	}
	return words
}

// thingOf tells what a piece names, if it names something.
func thingOf(piece string) thing {
	switch {
	case strings.Contains(piece, "://") || strings.HasPrefix(piece, "www."):
		return aURL
	case strings.Contains(piece, "@"):
		return anAddress
	case isNumber(piece):
		if _, err := netip.ParseAddr(piece); err == nil {
			return anIP
		}
		return aNumber
	case strings.ContainsAny(piece, ".:") && isIP(piece):
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

func isIP(piece string) bool {
	piece = strings.TrimPrefix(piece, "IPv6:")
	if _, err := netip.ParseAddr(piece); err == nil {
		return true
	}
	_, err := netip.ParseAddrPort(piece)
	return err == nil
}

// isHost reports whether a piece with a dot is a host name and not the end of one sentence with the beginning of the next: the last label
// must be a known top-level domain, or one of those that stand for local and example names.
func isHost(piece string) bool {
	for i := range len(piece) {
		if c := piece[i]; c >= utf8.RuneSelf || !(c == '.' || c == '-' || c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z') {
			return false
		}
	}
	name := strings.ToLower(piece)
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "example", "test", "invalid", "local", "localdomain", "lan", "internal", "arpa":
		return true
	}
	_, icann := publicsuffix.PublicSuffix(name)
	return icann
}

// appendWord adds one run of letters and digits in its folded form. Scripts that write without spaces give a word a character.
func appendWord(words []word, text string) []word {
	folded := fold(text)
	if isNumber(folded) {
		return append(words, word{text: folded, thing: aNumber})
	}
	if fillers[folded] {
		return words
	}
	if same, ok := wordings[folded]; ok {
		for _, w := range same {
			if !fillers[w] {
				words = append(words, word{text: w})
			}
		}
		return words
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
	return join(words)
}

// join makes one word of the last two where they are one written as two.
func join(words []word) []word {
	if len(words) < 2 {
		return words
	}
	last, before := words[len(words)-1], words[len(words)-2]
	one, ok := joined[before.text+" "+last.text]
	if !ok || before.thing != noThing {
		return words
	}
	return append(words[:len(words)-2], word{text: one})
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
	return strings.Map(func(r rune) rune {
		if r == '\'' || r == '’' || unicode.IsMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

func writtenWithoutSpaces(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

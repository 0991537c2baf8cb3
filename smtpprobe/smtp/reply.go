package smtp

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Reply is one SMTP reply (RFC 5321 §4.2).
type Reply struct {
	Code int `json:"code"`
	// Enhanced is the enhanced status code (RFC 2034, RFC 3463) as the server sent it, without a "#": "5.1.1"; empty when there is none.
	Enhanced string `json:"enhanced,omitempty"`
	// Lines are the texts of the reply's lines without reply code and enhanced code, valid UTF-8, bounded in number and length.
	Lines []string `json:"lines,omitempty"`
}

// replyServiceClosing is the reply that ends a session whenever it comes (RFC 5321 §3.8).
const CodeServiceClosing = 421

// replyGoodbye is the reply to QUIT.
const CodeClosing = 221

// replyInsufficientStorage is also the reply to one recipient too many (RFC 5321 §4.5.3.1.10).
const CodeInsufficientStorage = 452

// protocolError is a breach of SMTP by the server.
type ProtocolError string

func (e ProtocolError) Error() string { return string(e) }

// ParseReply reads a reply from its lines, given without line ends: "550-5.1.1 no", "550 5.1.1 such user". It is what a session does with
// the lines it receives, and fails where a session would fail: lines that are no reply lines, different codes in one reply, a reply that
// goes on or that ends before the last line, too many lines.
func ParseReply(lines ...string) (Reply, error) {
	var b ReplyBuilder
	for i, line := range lines {
		last, err := b.Add(line)
		if err != nil {
			return Reply{}, err
		}
		if last != (i == len(lines)-1) {
			return Reply{}, ProtocolError(fmt.Sprintf("line %d of %d is not where the reply ends", i+1, len(lines)))
		}
	}
	if len(lines) == 0 {
		return Reply{}, ProtocolError("reply without a line")
	}
	return b.Reply(), nil
}

// String returns the reply as a server would send it, the lines separated by "\n". [ParseReply] reads it back.
func (r Reply) String() string {
	texts := r.Lines
	if len(texts) == 0 {
		texts = []string{""}
	}
	var b strings.Builder
	for i, text := range texts {
		separator, end := "-", "\n"
		if i == len(texts)-1 {
			separator, end = " ", ""
		}
		if r.Enhanced != "" {
			text = r.Enhanced + " " + text
		}
		b.WriteString(strconv.Itoa(r.Code) + separator + text + end)
	}
	return b.String()
}

// replyBuilder puts a reply together line by line, so that a bad line ends the reading at once.
type ReplyBuilder struct {
	code     int
	texts    []string
	Greeting bool // the reply is a session's first
}

// add takes the next line and reports whether it is the reply's last.
func (b *ReplyBuilder) Add(line string) (last bool, err error) {
	code, last, text, err := splitReplyLine(line)
	if err != nil {
		return false, err
	}
	if b.Greeting && b.code/100 == 2 && code >= 400 {
		// postscreen(8) sends the first line of its greeting before it has made up its mind, to see who speaks out of turn.
		b.texts = nil
	}
	if b.texts != nil && code != b.code {
		// RFC 5321 §4.2.1 requires the same code on every line. Which of the two is meant is not for us to guess.
		return false, ProtocolError(fmt.Sprintf("reply codes %d and %d in one reply", b.code, code))
	}
	if len(b.texts) == MaxReplyLines {
		return false, ProtocolError(fmt.Sprintf("reply of more than %d lines", MaxReplyLines))
	}
	b.code = code
	b.texts = append(b.texts, text)
	return last, nil
}

// reply returns the reply of the lines added, and is the builder's end.
func (b *ReplyBuilder) Reply() Reply {
	r := Reply{Code: b.code, Enhanced: findEnhanced(b.texts), Lines: b.texts[:0]}
	left := MaxReplyText
	for _, text := range b.texts {
		if enhanced, rest := cutEnhanced(text); enhanced != "" && enhanced == r.Enhanced {
			text = rest
		}
		text = Truncate(text, MaxText)
		if left -= len(text); left < 0 {
			break
		}
		r.Lines = append(r.Lines, text)
	}
	return r
}

// splitReplyLine splits a line as in RFC 5321 §4.2: reply code, "-" or space or nothing, text. The text is returned clean.
func splitReplyLine(line string) (code int, last bool, text string, err error) {
	if len(line) < 3 || !isDigits(line[:3]) {
		return 0, false, "", notReplyLine(line)
	}
	code, _ = strconv.Atoi(line[:3])
	rest := line[3:]
	switch {
	case code < 200 || code > 599:
		return 0, false, "", notReplyLine(line)
	case rest == "":
		return code, true, "", nil
	case rest[0] != ' ' && rest[0] != '-':
		return 0, false, "", notReplyLine(line)
	}
	return code, rest[0] == ' ', strings.TrimSpace(Clean(rest[1:])), nil
}

func notReplyLine(line string) error {
	return ProtocolError(fmt.Sprintf("not a reply line: %q", Truncate(Clean(line), 80)))
}

func isDigits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

// findEnhanced returns the enhanced status code of a reply with these texts. RFC 2034 §4 has it in front of every line; where lines
// contradict each other, none is believed.
func findEnhanced(texts []string) string {
	found := ""
	for _, text := range texts {
		enhanced, _ := cutEnhanced(text)
		if enhanced == "" {
			continue
		}
		if found != "" && enhanced != found {
			return ""
		}
		found = enhanced
	}
	if found != "" {
		return found
	}
	return trailingEnhanced(texts[len(texts)-1])
}

// contradictory reports whether lines of a reply begin with different enhanced status codes, which RFC 2034 §4 forbids. One without its last line and
// the next of the same code look so.
func (r Reply) Contradictory() bool {
	if r.Enhanced != "" {
		return false // findEnhanced found them to agree; a text may have another code of its own
	}
	found := ""
	for _, text := range r.Lines {
		enhanced, _ := cutEnhanced(text)
		if enhanced != "" && found != "" && enhanced != found {
			return true
		}
		found = cmp.Or(found, enhanced)
	}
	return false
}

// wording is what stays the same where a host gives a reply again: all but words with digits in them, such as the time or a number of the session, and
// the name of a mailbox.
func (r Reply) Wording() string {
	words := strings.Fields(strings.Join(r.Lines, " "))
	words = slices.DeleteFunc(words, func(w string) bool { return strings.ContainsAny(w, "0123456789@") })
	return Truncate(fmt.Sprint(r.Code, " ", r.Enhanced, " ", strings.Join(words, " ")), MaxWording)
}

// cutEnhanced splits an enhanced status code from the beginning of a text, where RFC 2034 §4 puts it, also with the "#" of some appliances.
// What follows must not let it be the beginning of an IP address.
func cutEnhanced(text string) (enhanced, rest string) {
	enhanced, rest = cutStatus(strings.TrimPrefix(text, "#"))
	if rest != "" && strings.IndexByte(":;,", rest[0]) >= 0 {
		rest = rest[1:]
	}
	if enhanced == "" || rest != "" && rest[0] != ' ' {
		return "", text
	}
	return enhanced, strings.TrimSpace(rest)
}

// trailingEnhanced returns the enhanced status code at the end of a text, in the way of qmail: "sorry, no mailbox here by that name (#5.1.1)".
func trailingEnhanced(text string) string {
	const opening = "(#"
	at := strings.LastIndex(text, opening)
	if at < 0 {
		return ""
	}
	enhanced, rest := cutStatus(text[at+len(opening):])
	if rest != ")" && rest != ")." {
		return ""
	}
	return enhanced
}

// cutStatus splits class, subject and detail with their dots (RFC 3463 §2) from the beginning of a text.
func cutStatus(text string) (status, rest string) {
	if text == "" || strings.IndexByte("245", text[0]) < 0 {
		return "", text
	}
	end := 1
	for range 2 {
		dot := end
		for end++; end < len(text) && end <= dot+3 && text[end] >= '0' && text[end] <= '9'; {
			end++
		}
		if end-dot < 2 || text[dot] != '.' {
			return "", text
		}
	}
	return text[:end], text[end:]
}

package smtp

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Reply is one SMTP reply (RFC 5321 §4.2).
type Reply struct {
	Code int `json:"code"`
	// Enhanced is the enhanced status code (RFC 2034, RFC 3463) as the server
	// sent it, without a "#": "5.1.1". It is empty if there is none.
	Enhanced string `json:"enhanced,omitempty"`
	// Lines are the texts of the lines without reply code and enhanced code:
	// valid UTF-8, bounded in number and length.
	Lines []string `json:"lines,omitempty"`
}

// Refused reports whether the reply is a negative one.
func (r Reply) Refused() bool { return r.Code >= 400 }

// CodeServiceClosing ends a session at any point (RFC 5321 §3.8).
//
// Experimental: it may change in any minor version.
const CodeServiceClosing = 421

// CodeClosing is the reply to QUIT.
//
// Experimental: it may change in any minor version.
const CodeClosing = 221

// CodeInsufficientStorage is also the reply to one recipient too many (RFC 5321
// §4.5.3.1.10).
//
// Experimental: it may change in any minor version.
const CodeInsufficientStorage = 452

// ProtocolError is a violation of SMTP by the server.
type ProtocolError string

func (e ProtocolError) Error() string { return string(e) }

// ParseReply parses a reply from its lines, given without line ends: "550-5.1.1
// no", "550 5.1.1 such user". It returns an error for lines that are no reply
// lines, different codes in one reply, too many lines, and a reply that does
// not end with the last line.
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

// String returns the reply as a server would send it, with its lines separated
// by "\n". [ParseReply] is its inverse.
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

// ReplyBuilder assembles a reply line by line, so that a bad line ends the
// reading at once.
//
// Experimental: it may change in any minor version.
type ReplyBuilder struct {
	Greeting bool // the reply is the first of a session

	code  int
	texts []string
}

// Add adds the next line and reports whether it is the last of the reply.
func (b *ReplyBuilder) Add(line string) (last bool, err error) {
	code, last, text, err := splitReplyLine(line)
	if err != nil {
		return false, err
	}
	if b.Greeting && b.code/100 == 2 && code >= 400 {
		// postscreen(8) sends the first line of its greeting before its
		// decision, to see which clients talk too early.
		b.texts = nil
	}
	if b.texts != nil && code != b.code {
		// RFC 5321 §4.2.1 requires the same code on every line. We do not guess
		// which of two is meant.
		return false, ProtocolError(fmt.Sprintf("reply codes %d and %d in one reply", b.code, code))
	}
	if len(b.texts) == MaxReplyLines {
		return false, ProtocolError(fmt.Sprintf("reply of more than %d lines", MaxReplyLines))
	}
	b.code = code
	b.texts = append(b.texts, text)
	return last, nil
}

// Reply returns the reply of the lines added. The builder must not be used
// afterwards.
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

// splitReplyLine splits a line as in RFC 5321 §4.2: a reply code, then "-", a
// space or nothing, then text. The text is returned clean.
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

// findEnhanced returns the enhanced status code of a reply with these texts.
// RFC 2034 §4 puts it at the beginning of every line. If lines disagree, the
// reply has none.
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
	if found != "" || len(texts) == 0 {
		return found
	}
	return trailingEnhanced(texts[len(texts)-1])
}

// Contradictory reports whether lines of the reply begin with different
// enhanced status codes, which RFC 2034 §4 forbids. A reply without its last
// line that runs into the next reply looks like that.
//
// Experimental: it may change in any minor version.
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

// cutEnhanced splits an enhanced status code from the beginning of a text,
// where RFC 2034 §4 puts it; some appliances write a "#" before it. It does not
// mistake the beginning of an IP address for a code.
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

// trailingEnhanced returns the enhanced status code at the end of a text, as
// qmail writes it: "sorry, no mailbox here by that name (#5.1.1)".
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

// cutStatus splits class, subject and detail with their dots (RFC 3463 §2) from
// the beginning of a text.
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

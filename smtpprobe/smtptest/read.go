package smtptest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Read makes a host of plain text, a word and its argument a line. Where an
// argument is a reply, "\n" separates its lines; or the argument is missing,
// and they follow, each indented and as it is. Replies are those of [Host], so
// that their lines may be steps of a [Script].
//
//	name NAME                    its name
//	domains NAME...              it takes mail for no other
//	box NAME [REPLY]             has this mailbox, and this reply to RCPT for it
//	boxes NAME...                has these mailboxes
//	catch-all                    has every mailbox
//	unknown REPLY                the reply for mailboxes that are not there
//	greylist DURATION [REPLY]    greylists
//	greeting REPLY               instead of the greeting; so ehlo, helo, mail, data, rset, quit and starttls
//	every REPLY                  instead of every reply to RCPT
//	nth N REPLY                  instead of the reply to the n-th RCPT of a transaction
//	max N                        recipients accepted in a transaction
//	after N WHAT -> REPLY        to RCPT, after so many "recipients", "refusals", "accepted" or "transactions" of a
//	                             session; "of a transaction" may follow, or "of all" sessions, or "for 20s", which
//	                             is of all sessions and lasts so long. After so many "commands of all" it is said to
//	                             all commands, and after so many "sessions of all" as the greeting
//	tls MODE                     works, refused, closes, stalls, garbage, injects; with a certificate that is expired
//	                             or has an other-name, in an old version, or where the client wants-certificate
//	tls-required                 TLS has to be started
//	no-pipelining                PIPELINING is not offered
//	utf8                         SMTPUTF8 is
//	delay greeting DURATION      before the greeting; so rcpt before each recipient, each before each reply, and reply
//	                             before the replies to the commands that come together
//	line-end \n                  of replies
//	octets DURATION              octets travel alone, with such a time between them
//	groups first                 of the commands that come together the first alone is answered; not-last: all but the
//	                             last; reversed: recipients in reverse order
//	random                       answers anything to anything
//
// A text that begins with "S: " or "raw: " is a [Script].
func Read(text string) (Handler, error) {
	return readHost(strings.Split(text, "\n"))
}

func readHost(lines []string) (Handler, error) {
	if isScript(lines) {
		return parseScript(strings.Join(lines, "\n"))
	}
	h := &Host{Mailboxes: map[string]Mailbox{}}
	for len(lines) > 0 {
		line := lines[0]
		more := 1
		for more < len(lines) && strings.HasPrefix(lines[more], "\t") {
			more++
		}
		reply := strings.ReplaceAll(strings.Join(lines[1:more], "\n"), "\t", "")
		if err := h.read(line, reply); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		lines = lines[more:]
	}
	return h, nil
}

// isScript reports whether the lines are a dialogue.
func isScript(lines []string) bool {
	return len(lines) > 0 && (strings.HasPrefix(lines[0], "S: ") || strings.HasPrefix(lines[0], "raw: "))
}

// read takes a line, and the reply that follows it; empty: the line has it.
func (h *Host) read(line, reply string) (err error) {
	word, arg, _ := strings.Cut(line, " ")
	if word == "" || word[0] == '#' {
		return nil
	}
	replyIn := func(arg string) string { return orDefault(reply, strings.ReplaceAll(arg, `\n`, "\n")) }
	if text, ok := h.texts()[word]; ok {
		*text = replyIn(arg)
		return nil
	}
	if flag, ok := h.flags()[word]; ok {
		*flag = true
		return nil
	}
	first, rest, _ := strings.Cut(arg, " ")
	switch word {
	case "domains":
		h.Domains = strings.Fields(arg)
	case "box":
		h.Mailboxes[first] = Mailbox(replyIn(rest))
	case "boxes":
		for _, name := range strings.Fields(arg) {
			h.Mailboxes[name] = Accepts
		}
	case "greylist":
		h.GreylistReply = replyIn(rest)
		h.Greylist, err = time.ParseDuration(first)
	case "nth":
		err = h.setNth(first, replyIn(rest))
	case "max":
		h.MaxRecipients, err = strconv.Atoi(arg)
	case "after":
		var l *limit
		l, err = parseLimit(replyIn(arg))
		h.limits = append(h.limits, l)
	case "tls":
		h.STARTTLS, err = tlsMode(arg)
	case "delay":
		err = h.setDelay(first, rest)
	case "line-end":
		var end []byte
		end, err = unescape(arg)
		h.LineEnd = string(end)
	case "octets":
		h.ByteDelay, err = time.ParseDuration(arg)
	case "groups":
		if h.Arrange = arrangements[arg]; h.Arrange == nil {
			err = errUnknown
		}
	case "random":
		h.Say = randomly()
	default:
		err = errUnknown
	}
	return err
}

var errUnknown = errors.New("the word is unknown")

// texts are the words before a reply, or a name.
func (h *Host) texts() map[string]*string {
	return map[string]*string{
		"name": &h.Name, "unknown": &h.Unknown, "greeting": &h.Greeting, "ehlo": &h.EHLO, "helo": &h.HELO,
		"starttls": (*string)(&h.STARTTLS), "mail": &h.MAIL, "every": &h.RCPT, "data": &h.DATA, "rset": &h.RSET,
		"quit": &h.QUIT,
	}
}

// flags are the words that say all by themselves.
func (h *Host) flags() map[string]*bool {
	return map[string]*bool{
		"catch-all": &h.CatchAll, "tls-required": &h.RequireTLS, "no-pipelining": &h.NoPipelining, "utf8": &h.SMTPUTF8,
	}
}

func (h *Host) setNth(place, reply string) error {
	n, err := strconv.Atoi(place)
	if h.nth == nil {
		h.nth = make(map[int]string)
	}
	h.nth[n] = reply
	return err
}

func (h *Host) setDelay(what, length string) (err error) {
	delay, ok := map[string]*time.Duration{
		"greeting": &h.GreetingDelay, "reply": &h.ReplyDelay, "rcpt": &h.RCPTDelay, "each": &h.Pace,
	}[what]
	if !ok {
		return errUnknown
	}
	*delay, err = time.ParseDuration(length)
	return err
}

func tlsMode(name string) (TLSMode, error) {
	mode, ok := map[string]TLSMode{
		"works": TLSWorks, "refused": TLSRefused, "closes": TLSCloses, "stalls": TLSStalls, "garbage": TLSGarbage,
		"injects": TLSInjects,
	}[name]
	if !ok && slices.Contains([]string{"expired", "other-name", "old", "wants-certificate"}, name) {
		return TLSWorks + TLSMode(" "+name), nil
	}
	if !ok {
		return "", errUnknown
	}
	return mode, nil
}

// arrangements are what hosts make of the commands that come together.
var arrangements = map[string]func(v *Visit, commands, answers []string) []string{
	"first":    func(_ *Visit, _, answers []string) []string { return answers[:1] },
	"not-last": func(_ *Visit, _, answers []string) []string { return answers[:max(1, len(answers)-1)] },
	"reversed": func(_ *Visit, commands, answers []string) []string {
		var at []int // the recipients
		for i, command := range commands {
			if verbOf(command) == "RCPT" {
				at = append(at, i)
			}
		}
		reversed := slices.Clone(answers)
		for i, place := range at {
			reversed[place] = answers[at[len(at)-1-i]]
		}
		return reversed
	},
}

// randomly answers anything to anything, the same each time. Its refusals name
// nobody and nothing, and 421 does not end a session.
func randomly() func(*Visit, string, string) string {
	replies := []string{
		"220 ok", "250 ok", "250 ok", "354 go on", `raw: 421 no\r\n`, "450 no", "451 no", "452 no", "500 no", "503 no",
		"550 no", "552 no", "554 no", "what?",
	}
	var mu sync.Mutex
	dice := rand.New(rand.NewPCG(1, 2))
	return func(_ *Visit, command, due string) string {
		if command == "" {
			return due
		}
		mu.Lock()
		defer mu.Unlock()
		return replies[dice.IntN(len(replies))]
	}
}

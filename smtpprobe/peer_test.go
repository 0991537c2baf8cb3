package smtpprobe_test

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// What a peer does in place of an answer.
const (
	hangs  = "hang"  // says nothing more
	closes = "close" // hangs up
	resets = "reset" // resets the connection
	skips  = "skip"  // goes on without an answer
)

// peer is a mail host whose every answer a test decides. It remembers what
// happened in each session.
type peer struct {
	greet    func(v *visit) string                  // default: 220 mx
	keywords string                                 // of EHLO, separated by spaces; default: PIPELINING
	other    func(v *visit, command string) string  // answer to anything but RCPT; empty: the usual one
	rcpt     func(v *visit, mailbox string) string  // default: 250 to mailboxes that begin with "good", else 550 5.1.1
	after    func(v *visit, command string) string  // said behind the answer to a command, unasked; empty: nothing
	chop     bool                                   // sends byte by byte
	wait     func(v *visit, m string) time.Duration // before the answer to RCPT

	mu     sync.Mutex
	visits []*visit
}

// visit is one session of a peer.
type visit struct {
	number   int // from 1
	commands int
	named    int // recipients
	here     int // recipients of this transaction
	refused  int // recipients
	accepted int // recipients of this transaction
	mailed   int // transactions
	targets  []string
}

// usual is the truth about a mailbox: those that begin with "good" exist.
func usual(mailbox string) string {
	if strings.HasPrefix(mailbox, "good") {
		return "250 2.1.5 Ok"
	}
	return "550 5.1.1 <" + mailbox + ">: no such user"
}

func (p *peer) ServeSMTP(c net.Conn) {
	defer func() { _ = c.Close() }()
	v := &visit{}
	p.mu.Lock()
	p.visits = append(p.visits, v)
	v.number = len(p.visits)
	p.mu.Unlock()
	greeting := "220 mx"
	if p.greet != nil {
		greeting = p.greet(v)
	}
	if !p.say(c, greeting) {
		return
	}
	in := bufio.NewReader(c)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		command := strings.TrimRight(line, "\r\n")
		if !p.say(c, p.answer(v, command)) || strings.HasPrefix(command, "QUIT") {
			return
		}
		if p.after != nil {
			if text := p.after(v, command); text != "" && !p.say(c, text) {
				return
			}
		}
	}
}

// say sends a reply and reports whether the session goes on.
func (p *peer) say(c net.Conn, text string) bool {
	switch text {
	case skips:
		return true
	case hangs:
		_, _ = io.Copy(io.Discard, c)
		return false
	case closes:
		return false
	case resets:
		smtptest.Script("reset").ServeSMTP(c)
		return false
	}
	data := []byte(strings.ReplaceAll(text, "\n", "\r\n") + "\r\n")
	step := len(data)
	if p.chop {
		step = 1
	}
	for len(data) > 0 {
		if _, err := c.Write(data[:min(step, len(data))]); err != nil {
			return false
		}
		data = data[min(step, len(data)):]
	}
	return !strings.HasPrefix(text, "421")
}

func (p *peer) answer(v *visit, command string) string {
	v.commands++
	if mailbox, ok := strings.CutPrefix(command, "RCPT TO:<"); ok {
		return p.answerRCPT(v, strings.TrimSuffix(mailbox, ">"))
	}
	if p.other != nil {
		if text := p.other(v, command); text != "" {
			return text
		}
	}
	switch verb, _, _ := strings.Cut(command, " "); verb {
	case "EHLO":
		keywords := p.keywords
		if keywords == "" {
			keywords = "PIPELINING"
		}
		return "250-mx\n250-" + strings.ReplaceAll(keywords, " ", "\n250-") + "\n250 8BITMIME"
	case "MAIL":
		v.mailed++
		v.here, v.accepted = 0, 0
		return "250 2.1.0 Ok"
	case "QUIT":
		return "221 bye"
	}
	return "250 2.0.0 Ok"
}

func (p *peer) answerRCPT(v *visit, mailbox string) string {
	if p.wait != nil {
		time.Sleep(p.wait(v, mailbox))
	}
	v.targets = append(v.targets, mailbox)
	reply := usual(mailbox)
	if p.rcpt != nil {
		if text := p.rcpt(v, mailbox); text != "" {
			reply = text
		}
	}
	v.named++
	v.here++
	if strings.HasPrefix(reply, "2") {
		v.accepted++
	} else {
		v.refused++
	}
	return reply
}

// asked returns the recipients of all sessions, in order.
func (p *peer) asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, v := range p.visits {
		all = append(all, v.targets...)
	}
	return all
}

// greeting takes a while, so that others come and wait.
func greeting(*visit) string {
	time.Sleep(100 * time.Millisecond)
	return "220 mx"
}

// working is the time that a recipient takes.
func working(*visit, string) time.Duration { return time.Millisecond }

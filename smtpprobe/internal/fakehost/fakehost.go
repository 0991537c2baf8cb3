// Package fakehost is a mail host for tests that may say anything at any
// moment: too much, too little, too late, in the wrong order, or nothing at
// all. Without a function that tells otherwise it is an honest host. It
// remembers what its clients did.
//
// Tests that need a host that behaves have package smtptest.
package fakehost

import (
	"bufio"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// What a host does in place of an answer.
const (
	Hangs  = "hang"  // says nothing more
	Closes = "close" // hangs up
	Resets = "reset" // resets the connection
	Skips  = "skip"  // goes on without an answer
)

// Host is a mail host. A function that returns the empty string leaves the
// answer to the host. Lines of an answer are separated by "\n".
type Host struct {
	Greet    func(s *Session) string                 // default: 220 mx
	Keywords string                                  // of EHLO, separated by spaces; default: PIPELINING
	Say      func(s *Session, command string) string // the answer to anything but RCPT
	RCPT     func(s *Session, mailbox string) string // default: Truth
	After    func(s *Session, command string) string // what is said behind an answer, unasked

	// Arrange makes what is said in answer to the commands that came together
	// of the answers that should be said. They are sent at once if Pace is 0,
	// and 421 does not end the session then.
	Arrange func(s *Session, commands, answers []string) []string

	Takes    time.Duration                                  // before the answer to RCPT
	Wait     func(s *Session, mailbox string) time.Duration // the same; nil: Takes
	Pace     time.Duration                                  // before every answer, the greeting included
	Bytewise bool                                           // sends byte by byte

	// Tolerates is how many sessions it takes at a time; zero: any number. To
	// others it says TooMany in place of the answer to commands that begin with
	// TooManyAt, or of the greeting.
	Tolerates          int
	TooMany, TooManyAt string

	// Forgets has it remember no session, as is best where it lives for long.
	Forgets bool

	mu               sync.Mutex
	sessions         []*Session
	begun            int
	open, most, away int
}

// Session is one session with a host.
type Session struct {
	Number   int         // from 1
	Commands int         // so far, as all numbers that follow
	Named    int         // recipients
	Refused  int         // recipients
	Mailed   int         // transactions
	Here     int         // recipients of this transaction
	Accepted int         // recipients of this transaction
	Asked    []string    // recipients, in order
	Times    []time.Time // when each was named
	Began    time.Time
	Left     time.Time // when QUIT was heard or the session ended

	tooMany bool
}

// Lives reports whether a mailbox exists: those whose names begin with "good"
// or "real" do.
func Lives(mailbox string) bool {
	return strings.HasPrefix(mailbox, "good") || strings.HasPrefix(mailbox, "real")
}

// Truth is the answer of an honest host to RCPT.
func Truth(mailbox string) string {
	if Lives(mailbox) {
		return "250 2.1.5 Ok"
	}
	return "550 5.1.1 <" + mailbox + ">: no such user"
}

// Asked returns the recipients of all sessions, in order.
func (h *Host) Asked() []string {
	var all []string
	for _, s := range h.Sessions() {
		all = append(all, s.Asked...)
	}
	return all
}

// Sessions returns the sessions, in order.
func (h *Host) Sessions() []*Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.sessions)
}

// Most returns how many sessions were open at a time, those that were turned
// away included, and how many that were.
func (h *Host) Most() (open, turnedAway int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.most, h.away
}

// ServeSMTP plays the host on one connection.
func (h *Host) ServeSMTP(c net.Conn) {
	defer func() { _ = c.Close() }()
	s := h.begin()
	defer h.leave(s)
	if !h.send(c, s, h.greeting(s)) {
		return
	}
	in := bufio.NewReader(c)
	for {
		commands, answers, err := h.hear(in, s)
		if err != nil {
			return
		}
		if h.Arrange != nil {
			answers = h.Arrange(s, commands, answers)
		}
		if !h.answer(c, s, commands, answers) || slices.Contains(commands, "QUIT") {
			return
		}
	}
}

func (h *Host) begin() *Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begun++
	s := &Session{Number: h.begun, Began: time.Now()}
	if !h.Forgets {
		h.sessions = append(h.sessions, s)
	}
	h.open++
	h.most = max(h.most, h.open)
	if s.tooMany = h.Tolerates > 0 && h.open > h.Tolerates; s.tooMany {
		h.away++
	}
	return s
}

// leave notes that a session no longer counts as open.
func (h *Host) leave(s *Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.Left.IsZero() {
		s.Left = time.Now()
		h.open--
	}
}

// hear reads a command, or with Arrange all that have come, and returns the
// answers that are due.
func (h *Host) hear(in *bufio.Reader, s *Session) (commands, answers []string, err error) {
	for len(commands) == 0 || h.Arrange != nil && in.Buffered() > 0 {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, nil, err
		}
		command := strings.TrimRight(line, "\r\n")
		commands, answers = append(commands, command), append(answers, h.due(s, command))
	}
	return commands, answers, nil
}

// answer says the answers to some commands, and what comes behind them. It
// reports whether the session goes on.
func (h *Host) answer(c net.Conn, s *Session, commands, answers []string) bool {
	if h.Arrange != nil && h.Pace == 0 && !slices.ContainsFunc(answers, isAct) {
		return h.write(c, strings.Join(answers, "\n"))
	}
	for i, answer := range answers {
		if !h.send(c, s, answer) {
			return false
		}
		if h.After == nil || i >= len(commands) {
			continue
		}
		if more := h.After(s, commands[i]); more != "" && !h.send(c, s, more) {
			return false
		}
	}
	return true
}

// send says an answer in its time, or does what stands in its place. It reports
// whether the session goes on.
func (h *Host) send(c net.Conn, s *Session, answer string) bool {
	time.Sleep(h.Pace)
	switch {
	case answer == Skips:
		return true
	case answer == Hangs:
		_, _ = io.Copy(io.Discard, c)
		return false
	case answer == Closes:
		return false
	case answer == Resets:
		if tcp, ok := c.(interface{ SetLinger(sec int) error }); ok {
			_ = tcp.SetLinger(0)
		}
		return false
	case strings.HasPrefix(answer, "421"):
		h.leave(s)
		_ = h.write(c, answer)
		return false
	}
	return h.write(c, answer)
}

// isAct reports whether an answer stands for what a host does in its place.
func isAct(answer string) bool {
	return slices.Contains([]string{Hangs, Closes, Resets, Skips}, answer)
}

func (h *Host) write(c net.Conn, answer string) bool {
	data := []byte(strings.ReplaceAll(answer, "\n", "\r\n") + "\r\n")
	step := len(data)
	if h.Bytewise {
		step = 1
	}
	for part := range slices.Chunk(data, step) {
		if _, err := c.Write(part); err != nil {
			return false
		}
	}
	return true
}

func (h *Host) greeting(s *Session) string {
	if s.tooMany && h.TooManyAt == "" {
		return h.TooMany
	}
	if h.Greet != nil {
		if text := h.Greet(s); text != "" {
			return text
		}
	}
	return "220 mx"
}

// due is the answer to a command.
func (h *Host) due(s *Session, command string) string {
	s.Commands++
	if mailbox, ok := strings.CutPrefix(command, "RCPT TO:<"); ok {
		return h.about(s, strings.TrimSuffix(mailbox, ">"))
	}
	if s.tooMany && h.TooManyAt != "" && strings.HasPrefix(command, h.TooManyAt) {
		return h.TooMany
	}
	answer := ""
	if h.Say != nil {
		answer = h.Say(s, command)
	}
	verb, _, _ := strings.Cut(command, " ")
	if answer == "" {
		answer = h.usual(verb)
	}
	switch {
	case verb == "QUIT":
		h.leave(s)
	case verb == "MAIL" && strings.HasPrefix(answer, "2"):
		s.Mailed++
		s.Here, s.Accepted = 0, 0
	}
	return answer
}

// usual is the answer of a good host to anything but RCPT.
func (h *Host) usual(verb string) string {
	switch verb {
	case "EHLO":
		keywords := h.Keywords
		if keywords == "" {
			keywords = "PIPELINING"
		}
		return "250-mx\n250-" + strings.ReplaceAll(keywords, " ", "\n250-") + "\n250 8BITMIME"
	case "MAIL":
		return "250 2.1.0 Ok"
	case "QUIT":
		return "221 bye"
	}
	return "250 2.0.0 Ok"
}

// about is the answer to RCPT.
func (h *Host) about(s *Session, mailbox string) string {
	if h.Wait != nil {
		time.Sleep(h.Wait(s, mailbox))
	} else {
		time.Sleep(h.Takes)
	}
	answer := ""
	if h.RCPT != nil {
		answer = h.RCPT(s, mailbox)
	}
	if answer == "" {
		answer = Truth(mailbox)
	}
	h.mu.Lock()
	s.Asked, s.Times = append(s.Asked, mailbox), append(s.Times, time.Now())
	h.mu.Unlock()
	s.Named++
	s.Here++
	if strings.HasPrefix(answer, "2") {
		s.Accepted++
	} else {
		s.Refused++
	}
	return answer
}

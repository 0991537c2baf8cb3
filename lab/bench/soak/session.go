package soak

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"net"
	"strings"
	"time"
)

const (
	// maxCommand is the longest command line, twice what RFC 5321 §4.5.3.1.4
	// allows.
	maxCommand = 1024
	// maxSession bounds a conversation: no client of ours stays for so long.
	maxSession = 5 * time.Minute
)

// session is a conversation with a client.
type session struct {
	host    *host
	mode    *mode
	tcp     net.Conn
	conn    net.Conn // tcp, or TLS over it
	in      *bufio.Reader
	out     []byte // replies not sent yet
	secured bool
	mail    bool   // within a transaction
	named   int    // recipients
	last    string // the client's last command
	quit    bool   // the client said so
	spoilt  bool   // the host has broken the session, so that QUIT is no duty any more
}

// run holds the conversation.
func (s *session) run() {
	_ = s.tcp.SetDeadline(time.Now().Add(maxSession))
	if !s.do(atGreeting, func() { s.reply("220 " + s.host.name + " ESMTP") }) {
		return
	}
	for {
		if s.in.Buffered() == 0 && s.flush() != nil || s.quit {
			break
		}
		line, err := s.in.ReadSlice('\n')
		if err != nil {
			break
		}
		if !s.obey(bytes.TrimRight(line, "\r\n")) {
			break
		}
	}
	if !s.quit && !s.spoilt && s.last != "" { // a client that never spoke may have had no time to read the greeting
		s.host.world.counts.add(noQUIT, s.mode, "after", s.last)
	}
}

// do does the proper thing at a step, or what the host does in its place.
func (s *session) do(p phase, proper func()) bool {
	if act := s.mode.at[p]; act != nil {
		return act(s, proper)
	}
	proper()
	return true
}

func (s *session) reply(line string) { s.out = append(append(s.out, line...), "\r\n"...) }

func (s *session) flush() error {
	if len(s.out) == 0 {
		return nil
	}
	_, err := s.conn.Write(s.out)
	s.out = s.out[:0]
	return err
}

// obey carries out a command.
func (s *session) obey(line []byte) bool {
	verb, argument, _ := strings.Cut(string(line), " ")
	s.last = strings.ToUpper(verb)
	switch s.last {
	case "EHLO":
		return s.do(atEHLO, s.hello)
	case "STARTTLS":
		return s.startTLS()
	case "MAIL":
		return s.do(atMAIL, func() {
			s.mail = true
			s.reply("250 2.1.0 Ok")
		})
	case "RCPT":
		return s.do(atRCPT, func() { s.reply(s.recipient(argument)) })
	case "RSET":
		return s.do(atRSET, func() {
			s.mail = false
			s.reply("250 2.0.0 Ok")
		})
	case "QUIT":
		s.quit = true
		return s.do(atQUIT, func() { s.reply("221 2.0.0 Bye") })
	case "DATA", "BDAT":
		s.host.world.counts.add(data, s.mode)
	}
	s.reply("502 5.5.2 Command not recognized")
	return true
}

func (s *session) hello() {
	s.reply("250-" + s.host.name)
	if s.mode.offer != "" && !s.secured {
		s.reply("250-" + s.mode.offer)
	}
	s.reply("250-PIPELINING")
	s.reply("250 ENHANCEDSTATUSCODES")
}

// recipient is the proper answer to RCPT.
func (s *session) recipient(argument string) string {
	_, mailbox, _ := strings.Cut(argument, "<")
	switch {
	case !s.mail:
		return "503 5.5.1 Need MAIL command"
	case strings.HasPrefix(mailbox, existing):
		return "250 2.1.5 Ok"
	case strings.HasPrefix(mailbox, full):
		return "452 4.2.2 Mailbox is full"
	}
	return "550 5.1.1 User unknown"
}

// startTLS goes on over TLS. A client that is not satisfied with it may leave
// without a word.
func (s *session) startTLS() bool {
	if s.mode.at[atSTARTTLS] != nil {
		return s.do(atSTARTTLS, nil)
	}
	s.reply("220 2.0.0 Ready to start TLS")
	if s.flush() != nil {
		return false
	}
	secured := false
	goOn := s.do(atHandshake, func() {
		over := tls.Server(s.tcp, s.host.world.tls)
		if secured = over.Handshake() == nil; secured {
			s.conn, s.in, s.secured, s.mail = over, bufio.NewReaderSize(over, maxCommand), true, false
		}
	})
	s.spoilt = s.spoilt || !secured
	return goOn && secured
}

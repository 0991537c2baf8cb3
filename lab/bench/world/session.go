package world

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"time"
)

// maxCommand is the longest command line, twice what RFC 5321 §4.5.3.1.4
// allows.
const maxCommand = 1024

// softErrorDelay is how late a reply is from a host that has refused many
// recipients in the session (smtpd_error_sleep_time of Postfix).
const softErrorDelay = time.Second

// session is a conversation with a client.
type session struct {
	host    *host
	conn    net.Conn
	in      *bufio.Reader
	out     []byte        // replies not sent yet
	late    time.Duration // by how much they are later than others
	secured bool

	mail       bool // within a transaction
	recipients int  // accepted in it
	errors     int  // recipients refused in the session
	quit       bool // the client said so
	over       bool // the session ends with the replies not sent yet
}

func newSession(h *host, conn net.Conn) *session {
	return &session{host: h, conn: conn, in: bufio.NewReaderSize(conn, maxCommand)}
}

// run holds the conversation, or refuses it with this greeting.
func (s *session) run(refusal string) {
	s.late = s.host.world.spec.Delay // the handshake of TCP
	if refusal != "" {
		s.host.world.counts.turnedAway.Add(1)
		s.end(refusal)
	} else {
		s.reply("220 " + s.host.name + " ESMTP")
	}
	s.converse()
	if !s.quit && !s.over {
		s.host.world.counts.noQUIT.Add(1)
	}
}

// converse answers commands until one side ends the session. Replies go out
// when the client has nothing more to say (RFC 2920 §3.2).
func (s *session) converse() {
	for {
		if s.in.Buffered() == 0 && s.flush() != nil || s.over {
			return
		}
		line, err := s.in.ReadSlice('\n')
		if err != nil {
			return
		}
		s.obey(bytes.TrimRight(line, "\r\n"))
	}
}

// flush sends the replies, as late as the world's delay and the slow among them
// make it.
func (s *session) flush() error {
	if len(s.out) == 0 {
		return nil
	}
	time.Sleep(s.host.world.spec.Delay + s.host.late + s.late)
	if !s.over {
		s.host.world.counts.waits.Add(1)
	}
	_, err := s.conn.Write(s.out)
	s.out, s.late = s.out[:0], 0
	return err
}

func (s *session) reply(line string) {
	s.out = append(append(s.out, line...), "\r\n"...)
}

// end makes line the session's last reply. What the client sent behind it is
// not read any more.
func (s *session) end(line string) {
	s.reply(line)
	s.over = true
	_, _ = s.in.Discard(s.in.Buffered())
}

func (s *session) obey(line []byte) {
	verb, argument, _ := bytes.Cut(line, []byte(" "))
	verb = bytes.ToUpper(verb)
	s.host.world.counts.commands.add(verb)
	if soft := s.host.softErrors; soft > 0 && s.errors >= soft {
		if s.flush() != nil {
			return
		}
		s.late = softErrorDelay
	}
	switch string(verb) {
	case "EHLO":
		s.hello()
	case "HELO":
		s.reply("250 " + s.host.name)
	case "MAIL":
		s.mail, s.recipients = true, 0
		s.reply("250 2.1.0 Ok")
	case "RCPT":
		s.recipient(string(argument))
	case "RSET":
		s.mail = false
		s.reply("250 2.0.0 Ok")
	case "NOOP":
		s.reply("250 2.0.0 Ok")
	case "STARTTLS":
		s.startTLS()
	case "QUIT":
		s.quit = true
		s.end("221 2.0.0 Bye")
	case "DATA", "BDAT":
		s.reply("554 5.5.1 No mail is taken here") // counted: nobody should ever get here
	default:
		s.reply("502 5.5.2 Command not recognized")
	}
}

func (s *session) hello() {
	extensions := []string{s.host.name, "SIZE 52428800", "8BITMIME", "ENHANCEDSTATUSCODES"}
	if s.host.pipelining {
		extensions = append(extensions, "PIPELINING")
	}
	if s.host.startTLS && !s.secured {
		extensions = append(extensions, "STARTTLS")
	}
	last := len(extensions) - 1
	for _, extension := range extensions[:last] {
		s.reply("250-" + extension)
	}
	s.reply("250 " + extensions[last])
}

// recipient answers RCPT, unless a limit of the host's is reached.
func (s *session) recipient(argument string) {
	limits := s.host.traits
	switch {
	case !s.mail:
		s.reply("503 5.5.1 Need MAIL command")
		return
	case limits.maxRecipients > 0 && s.recipients >= limits.maxRecipients:
		s.reply("452 4.5.3 Too many recipients")
		return
	case limits.maxErrors > 0 && s.errors >= limits.maxErrors:
		s.end("421 4.7.0 " + s.host.name + " Error: too many errors")
		return
	}
	reply, late := s.host.world.spec.answer(mailbox(argument))
	if late {
		s.late += s.host.world.spec.MailboxMix.SlowDelay
	}
	if reply[0] == '2' {
		s.recipients++
	} else {
		s.errors++
	}
	s.reply(reply)
}

// mailbox is what stands between the angle brackets of "TO:<…>".
func mailbox(argument string) string {
	_, path, _ := strings.Cut(argument, "<")
	path, _, _ = strings.Cut(path, ">")
	return strings.ToLower(path)
}

// startTLS goes on over TLS; a client whose handshake fails is gone.
func (s *session) startTLS() {
	if !s.host.startTLS || s.secured {
		s.reply("502 5.5.1 TLS is not available")
		return
	}
	s.reply("220 2.0.0 Ready to start TLS")
	if s.flush() != nil {
		return
	}
	secured := tls.Server(s.conn, s.host.world.tls)
	s.conn, s.secured, s.mail = secured, true, false
	s.in.Reset(io.Reader(secured))
}

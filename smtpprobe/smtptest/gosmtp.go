package smtptest

import (
	"context"
	"io"
	"log"
	"net"
	"strings"
	"sync"

	"github.com/emersion/go-smtp"
)

// serveGoSMTP lets go-smtp answer the dialogue until it is over or TLS was
// started.
func serveGoSMTP(d *dialogue) {
	conn := &goSMTPConn{Conn: d.wire, dialogue: d, closed: make(chan struct{})}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		return &transaction{dialogue: d}, nil
	}))
	server.Domain = d.host.name()
	server.MaxRecipients = d.host.MaxRecipients
	server.EnableSMTPUTF8 = d.host.SMTPUTF8
	server.ErrorLog = log.New(io.Discard, "", 0)
	_ = server.Serve(&oneConn{conn: conn, closed: conn.closed})
	_ = server.Shutdown(context.Background())
}

// oneConn is a listener that accepts one connection, and ends when that is
// closed.
type oneConn struct {
	conn   net.Conn
	closed chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	if conn := l.conn; conn != nil {
		l.conn = nil
		return conn, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error   { return nil }
func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }

// goSMTPConn is the connection that go-smtp sees: its reads are single lines,
// and its writes become replies of the dialogue.
type goSMTPConn struct {
	net.Conn
	dialogue *dialogue
	line     string // what is left of a line
	reply    strings.Builder
	greeted  bool // go-smtp's own greeting was dropped
	once     sync.Once
	closed   chan struct{}
}

func (c *goSMTPConn) Read(b []byte) (int, error) {
	select {
	case <-c.closed:
		return 0, io.EOF
	default:
	}
	if c.line == "" {
		line, err := c.dialogue.next()
		if err != nil {
			return 0, io.EOF
		}
		c.line = line
	}
	n := copy(b, c.line)
	c.line = c.line[n:]
	return n, nil
}

// Write gets one line at a time.
func (c *goSMTPConn) Write(b []byte) (int, error) {
	c.reply.Write(b)
	if len(b) > 3 && b[3] == '-' {
		return len(b), nil
	}
	text := strings.ReplaceAll(strings.TrimRight(c.reply.String(), "\r\n"), "\r\n", "\n")
	c.reply.Reset()
	switch {
	case !c.greeted:
		c.greeted = true
	case !c.dialogue.over:
		c.dialogue.reply(text)
	}
	return len(b), nil
}

// Close ends go-smtp's part; the dialogue may go on under TLS.
func (c *goSMTPConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// transaction is go-smtp's view of the host: it decides about senders and
// recipients.
type transaction struct {
	dialogue *dialogue
	begun    bool
	sender   string
	utf8     bool
	rcpts    int
}

// Mail refuses a second MAIL (RFC 5321 §4.1.4), which go-smtp lets pass.
func (t *transaction) Mail(from string, opts *smtp.MailOptions) error {
	if t.begun {
		return t.answer("503 5.5.1 Nested MAIL command")
	}
	reply := orDefault(t.dialogue.host.MAIL, "250 2.1.0 Ok")
	if accepts(reply) {
		t.begun, t.sender, t.utf8 = true, from, opts.UTF8
	}
	return t.answer(reply)
}

func (t *transaction) Rcpt(to string, _ *smtp.RcptOptions) error {
	t.rcpts++
	client, _, _ := net.SplitHostPort(t.dialogue.wire.RemoteAddr().String())
	return t.answer(t.dialogue.host.replyTo(to, t.rcpts, t.utf8, triplet{client, t.sender, strings.ToLower(to)}))
}

func (t *transaction) Data(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

func (t *transaction) Reset() { *t = transaction{dialogue: t.dialogue} }

func (t *transaction) Logout() error { return nil }

// answer has the dialogue say exactly reply, and tells go-smtp whether it
// accepts.
func (t *transaction) answer(reply string) error {
	t.dialogue.exact = reply
	if accepts(reply) {
		return nil
	}
	return &smtp.SMTPError{Code: 550, Message: "as the host says"}
}

package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// stream is what is spoken over: whole lines out, whole replies in, everything
// bounded and written down.
type stream struct {
	net.Conn          // TCP, or TLS on top of it
	tcp      net.Conn // what lies below
	in       *bufio.Reader
	log      *transcript
	taken    int  // bytes read so far; many recipients have it begin below zero
	bareLF   bool // the transcript has the remark about bare LF
	greeted  bool // a whole reply has come
	usable   bool // the server replied, or shook hands, the last time it was spoken to, and would understand a QUIT
}

func newStream(tcp net.Conn, log *transcript) *stream {
	s := &stream{Conn: tcp, tcp: tcp, in: readers.Get().(*bufio.Reader), log: log}
	s.in.Reset(tcp)
	return s
}

// readers are those of streams that were closed: they are the largest part of
// what a connection needs.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, maxLine) }}

// free gives the reader back. The stream must not be used again.
func (s *stream) free() {
	s.in.Reset(nil)
	readers.Put(s.in)
	s.in = nil
}

// armRead bounds the reads that follow. The deadline is set before the context
// is asked: a cancel in between would otherwise be undone by the deadline. It
// cannot be set on a closed connection; the read that follows shows that, after
// the replies that have arrived.
func (s *stream) armRead(ctx context.Context, deadline time.Time) error {
	_ = s.tcp.SetReadDeadline(deadline)
	return ctx.Err()
}

// armWrite is armRead for the writes that follow.
func (s *stream) armWrite(ctx context.Context, deadline time.Time) error {
	_ = s.tcp.SetWriteDeadline(deadline)
	return ctx.Err()
}

// send writes the commands as one group (RFC 2920 §3.1).
func (s *stream) send(commands ...string) error {
	for _, command := range commands {
		s.log.add(smtp.FromClient, command)
	}
	_, err := io.WriteString(s, strings.Join(commands, "\r\n")+"\r\n")
	if err != nil {
		s.usable = false // part of a command may be on its way
	}
	return err
}

// ahead returns what has arrived without being asked for.
func (s *stream) ahead() string {
	b, _ := s.in.Peek(s.in.Buffered())
	return string(b)
}

// listen waits a while for something that nobody asked for.
func (s *stream) listen(ctx context.Context, wait time.Duration) {
	if s.armRead(ctx, time.Now().Add(wait)) == nil {
		_, _ = s.in.Peek(1)
	}
}

// readReply reads one reply.
func (s *stream) readReply() (smtp.Reply, error) {
	b := smtp.ReplyBuilder{Greeting: !s.greeted}
	for {
		line, err := s.readLine()
		if err != nil {
			return smtp.Reply{}, err
		}
		s.log.add(smtp.FromServer, line)
		last, err := b.Add(line)
		if err != nil {
			return smtp.Reply{}, err
		}
		if last {
			s.usable, s.greeted = true, true
			return b.Reply(), nil
		}
	}
}

// readLine reads a line and takes off its end, CRLF or, as some hosts have it,
// LF.
func (s *stream) readLine() (string, error) {
	b, err := s.in.ReadSlice('\n')
	s.taken += len(b)
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", smtp.ProtocolError(fmt.Sprintf("line longer than %d bytes", maxLine))
	case err != nil:
		s.usable = s.usable && isTimeout(err)
		return "", err
	case s.taken > maxBytes:
		return "", smtp.ProtocolError("more was said than fits in an honest session")
	}
	line, crlf := strings.CutSuffix(string(b[:len(b)-1]), "\r")
	if !crlf && !s.bareLF {
		s.bareLF = true
		s.log.add(smtp.FromProber, "the server ends lines with a bare LF")
	}
	return line, nil
}

// quitCommand ends a session (RFC 5321 §4.1.1.10).
const quitCommand = "QUIT"

// closeGrace is how long the host has to close the connection after its reply
// to QUIT.
const closeGrace = 100 * time.Millisecond

// quit sends QUIT, waits for the reply to it and closes the connection. The
// host is to do that first (RFC 5321 §4.1.1.10): it counts the session until
// then, and may find the next one to be one too many.
func (s *stream) quit(timeout time.Duration) {
	defer func() { _ = s.tcp.Close() }()
	_ = s.tcp.SetDeadline(time.Now().Add(timeout))
	if _, err := io.WriteString(s, quitCommand+"\r\n"); err != nil {
		return
	}
	for {
		// Replies to commands whose answer nobody waited for may come first.
		line, err := s.readLine()
		if err != nil {
			return
		}
		if strings.HasPrefix(line, "221") {
			_ = s.tcp.SetDeadline(time.Now().Add(min(timeout, closeGrace)))
			_, _ = s.readLine()
			_ = s.Close() // over TLS with a close_notify
			return
		}
	}
}

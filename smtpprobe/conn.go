package smtpprobe

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
)

// conn is a connection to a mail host: whole lines out, whole replies in,
// everything bounded and written down.
type conn struct {
	net.Conn          // what is spoken over: TCP, or TLS on top of it
	tcp      net.Conn // what lies below
	in       *bufio.Reader
	log      *transcript
	taken    int  // bytes read so far; many recipients have it begin below zero
	bareLF   bool // the transcript has the remark about bare LF
	greeted  bool // a whole reply has come
	usable   bool // the server has replied, or shaken hands, the last time it was spoken to, and would understand a QUIT
}

// newConn takes a connection over.
func newConn(tcp net.Conn, log *transcript) *conn {
	c := &conn{Conn: tcp, tcp: tcp, in: readers.Get().(*bufio.Reader), log: log}
	c.in.Reset(tcp)
	return c
}

// readers are those of connections that were closed: they are the largest part
// of what a session needs.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, maxLine) }}

// free gives the reader back, for which nobody asks any more.
func (c *conn) free() {
	c.in.Reset(nil)
	readers.Put(c.in)
	c.in = nil
}

// watch has others end what is done on a connection.
type watch struct {
	mu    sync.Mutex
	tcp   net.Conn // nil: there is nothing to end
	ended bool
}

// over begins to watch over a connection.
func (w *watch) over(tcp net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tcp = tcp
	w.interrupt()
}

// end ends every read and write at once, those of a connection that is yet to
// be opened too. The context that [conn.arm] asks has to have ended.
func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.interrupt()
}

func (w *watch) interrupt() {
	if w.ended && w.tcp != nil {
		_ = w.tcp.SetDeadline(time.Unix(1, 0))
	}
}

// stop ends the watch, so that no later deadline is undone.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tcp = nil
}

// arm bounds the reads that follow. The deadline is set before the context is
// asked: a cancel in between would otherwise be undone by the deadline. It
// cannot be set on a closed connection; what follows tells of that, after the
// replies that have arrived.
func (c *conn) arm(ctx context.Context, deadline time.Time) error {
	_ = c.tcp.SetReadDeadline(deadline)
	return ctx.Err()
}

// armWrite is arm for the writes that follow.
func (c *conn) armWrite(ctx context.Context, deadline time.Time) error {
	_ = c.tcp.SetWriteDeadline(deadline)
	return ctx.Err()
}

// send writes the commands as one group (RFC 2920 §3.1).
func (c *conn) send(commands ...string) error {
	for _, command := range commands {
		c.log.add(fromClient, command)
	}
	_, err := io.WriteString(c, strings.Join(commands, "\r\n")+"\r\n")
	if err != nil {
		c.usable = false // part of a command may be on its way
	}
	return err
}

// ahead returns what has arrived without being asked for.
func (c *conn) ahead() string {
	b, _ := c.in.Peek(c.in.Buffered())
	return string(b)
}

// listen waits a while for something that nobody asked for, and returns it.
func (c *conn) listen(ctx context.Context, wait time.Duration) string {
	if c.arm(ctx, time.Now().Add(wait)) == nil {
		_, _ = c.in.Peek(1)
	}
	return c.ahead()
}

// atRest looks, without waiting, for something that nobody asked for. An end of
// the connection counts.
func (c *conn) atRest() bool {
	_ = c.tcp.SetReadDeadline(time.Now().Add(time.Microsecond))
	_, err := c.in.Peek(1)
	return isTimeout(err)
}

// readReply reads one reply.
func (c *conn) readReply() (Reply, error) {
	b := replyBuilder{greeting: !c.greeted}
	for {
		line, err := c.readLine()
		if err != nil {
			return Reply{}, err
		}
		c.log.add(fromServer, line)
		last, err := b.add(line)
		if err != nil {
			return Reply{}, err
		}
		if last {
			c.usable, c.greeted = true, true
			return b.reply(), nil
		}
	}
}

// readLine reads a line and takes off its end, CRLF or, as some hosts have it,
// LF.
func (c *conn) readLine() (string, error) {
	b, err := c.in.ReadSlice('\n')
	c.taken += len(b)
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", protocolError(fmt.Sprintf("line longer than %d bytes", maxLine))
	case err != nil:
		c.usable = c.usable && isTimeout(err)
		return "", err
	case c.taken > maxSessionBytes:
		return "", protocolError("more was said than fits in an honest session")
	}
	line, crlf := strings.CutSuffix(string(b[:len(b)-1]), "\r")
	if !crlf && !c.bareLF {
		c.bareLF = true
		c.log.add(fromProber, "the server ends lines with a bare LF")
	}
	return line, nil
}

// quitCommand ends a session (RFC 5321 §4.1.1.10).
const quitCommand = "QUIT"

// quit says QUIT, waits for the reply to it and closes the connection.
func (c *conn) quit(timeout time.Duration) {
	defer func() { _ = c.tcp.Close() }()
	_ = c.tcp.SetDeadline(time.Now().Add(timeout))
	if _, err := io.WriteString(c, quitCommand+"\r\n"); err != nil {
		return
	}
	for {
		// Replies to commands whose answer nobody waited for may come first.
		line, err := c.readLine()
		if err != nil {
			return
		}
		if strings.HasPrefix(line, "221") {
			_ = c.Close() // over TLS with a close_notify, for which a host that says goodbye is there
			return
		}
	}
}

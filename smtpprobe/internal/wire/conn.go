package wire

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Config is what all connections have in common.
type Config struct {
	HELO    string        // EHLO name; empty: the connection's own address as a literal
	Connect time.Duration // for dialling
	Command time.Duration // greeting, TLS handshake, and each reply
}

// Dialer opens connections, as [net.Dialer] does.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// Peer is the mail host that a connection leads to.
type Peer struct {
	Dialer Dialer
	Host   string // its name
	Addr   netip.AddrPort
	Last   bool // there is no other address to try when this one fails
	Others int  // addresses that may be tried then
	// Shunned are extensions that are not used, whether offered or not.
	Shunned []string
}

// Opening is what was found before the first transaction. A nil reply was not
// given, or its command not sent.
type Opening struct {
	TLS        string   // protocol version once STARTTLS succeeded: "TLS 1.3"
	Extensions []string // EHLO keywords, upper-case
	Greeting   *smtp.Reply
	EHLO       *smtp.Reply // the reply to HELO where EHLO was refused
	STARTTLS   *smtp.Reply
}

// Conn is one connection to a mail host. One goroutine uses it; [Conn.Opening],
// [Conn.Phase], [Conn.Transcript], [Conn.Wake] and [Conn.Interrupt] are for
// others too.
type Conn struct {
	config  Config
	peer    Peer
	opening Opening // the lock of the log guards it, what is shunned, and the phase
	phase   smtp.Phase
	opened  int // lines of the log that belong to the opening; 0: it is not over
	log     transcript
	stream  *stream // nil: not connected
	watch   watch
	until   time.Time // bounds every wait; zero: the timeouts alone do
	offline bool
	hurried bool
	trial   string // what [Conn.Trial] returns
}

// New returns a connection that is yet to be opened. All waits end at until, if
// that is not zero.
func New(config Config, peer Peer, until time.Time) *Conn {
	c := &Conn{config: config, peer: peer, until: until, phase: smtp.PhaseConnect}
	c.log.start = time.Now()
	return c
}

// Open goes through the steps up to the point where recipients can be named.
func (c *Conn) Open(ctx context.Context) error {
	for _, step := range []func(context.Context) error{c.connect, c.greet, c.hello, c.secure} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	for _, keyword := range c.Shunned() {
		c.Note(keyword + " is not used: it failed here within the last hour")
	}
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.opened = len(c.log.lines)
	return nil
}

// Opening returns what has been found so far.
func (c *Conn) Opening() Opening {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return c.opening
}

// Phase is what the host has been waited for last.
func (c *Conn) Phase() smtp.Phase {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return c.phase
}

// Offers reports whether the host offers an extension that may be used.
func (c *Conn) Offers(keyword string) bool {
	return slices.Contains(c.opening.Extensions, keyword) && !slices.Contains(c.peer.Shunned, keyword)
}

// Offline reports whether dialling failed before a packet left this machine.
func (c *Conn) Offline() bool { return c.offline }

// Hurried reports whether the last wait was cut short by the bound: more time
// might have brought more.
func (c *Conn) Hurried() bool { return c.hurried }

// Begin turns to the next transaction, with so many recipients: the transcript
// keeps the opening alone, and what may be read is counted anew.
func (c *Conn) Begin(recipients int, until time.Time) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.log.cut(c.opened)
	c.log.many = max(0, recipients-fewRecipients)
	c.stream.taken = -c.log.many * recipientBytes
	c.until = until
}

// Bound sets when the waits that follow end; zero: the timeouts alone bound
// them.
func (c *Conn) Bound(until time.Time) { c.until = until }

// Rest waits, while the connection is idle, until [Conn.Wake] is called. It
// reports whether the host has neither said anything nor hung up by then.
func (c *Conn) Rest() (quiet bool) {
	if !c.watch.rest() {
		return true
	}
	defer c.watch.rise()
	_, err := c.stream.in.Peek(1)
	return isTimeout(err)
}

// Wake ends a wait in [Conn.Rest], or the next one if there is none.
func (c *Conn) Wake() { c.watch.wake() }

// Interrupt ends every wait at once. The context of the calls under way must
// have ended before.
func (c *Conn) Interrupt() { c.watch.end() }

// dismissed is how long a host has to answer QUIT that has refused the session
// in its greeting: some say nothing more.
const dismissed = 500 * time.Millisecond

// Close closes the connection, with QUIT where it would be understood (RFC 5321
// §3.1, §4.1.1.10), whose reply has the time of the timeout.
func (c *Conn) Close(timeout time.Duration) {
	if c.stream == nil {
		return
	}
	if g := c.Opening().Greeting; g != nil && g.Refused() {
		timeout = min(timeout, dismissed)
	}
	c.watch.stop()
	defer c.stream.free()
	if c.stream.usable {
		c.stream.quit(timeout)
		return
	}
	_ = c.stream.tcp.Close()
}

func (c *Conn) connect(ctx context.Context) error {
	deadline := c.deadline(smtp.PhaseConnect)
	dialCtx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	tcp, err := c.peer.Dialer.DialContext(dialCtx, "tcp", c.peer.Addr.String())
	if OutOfResources(err) {
		return err
	}
	if err != nil {
		c.offline = noRoute(err)
		kind := connectKind(ctx, deadline, err)
		return &smtp.Failure{Phase: smtp.PhaseConnect, Kind: kind, Text: failureText(kind, err)}
	}
	c.log.add(smtp.FromProber, "connected to "+c.peer.Host+" "+c.peer.Addr.String())
	c.stream = newStream(tcp, &c.log)
	c.watch.over(tcp)
	return nil
}

func (c *Conn) greet(ctx context.Context) error {
	if err := c.readInto(ctx, smtp.PhaseGreeting, &c.opening.Greeting); err != nil {
		return err
	}
	return refusal(*c.opening.Greeting)
}

// hello introduces us, and reads the extensions anew. HELO is for hosts that do
// not know EHLO and say so in a reply about syntax, 50z (RFC 5321 §3.2,
// §4.2.4): any other refusal is of us.
func (c *Conn) hello(ctx context.Context) error {
	c.offer(nil)
	if err := c.ask(ctx, smtp.PhaseEHLO, "EHLO "+c.ownName(), &c.opening.EHLO); err != nil {
		return err
	}
	if !c.opening.EHLO.Refused() {
		c.offer(keywords(*c.opening.EHLO))
		return nil
	}
	if c.opening.EHLO.Code/10 != 50 {
		return ErrRefused
	}
	if err := c.ask(ctx, smtp.PhaseEHLO, "HELO "+c.ownName(), &c.opening.EHLO); err != nil {
		return err
	}
	return refusal(*c.opening.EHLO)
}

func (c *Conn) offer(extensions []string) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.opening.Extensions = extensions
}

// secure turns to TLS where it is offered. A host that refuses after all is
// spoken to in plain text (RFC 3207 §4); its next reply shows whether it goes
// on. Else only the second EHLO shows that TLS works: in TLS 1.3 the client is
// done with the handshake before the server has had its say.
func (c *Conn) secure(ctx context.Context) error {
	if !c.Offers(STARTTLS) {
		return nil
	}
	c.Try(STARTTLS)
	if err := c.ask(ctx, smtp.PhaseSTARTTLS, STARTTLS, &c.opening.STARTTLS); err != nil {
		return err
	}
	if c.opening.STARTTLS.Code == smtp.CodeServiceClosing {
		return ErrRefused
	}
	if c.opening.STARTTLS.Refused() {
		return nil
	}
	c.stream.usable = false // the host waits for a handshake; a QUIT in plain text would be noise
	if ahead := c.stream.ahead(); ahead != "" && !strings.HasPrefix(ahead, tlsAlert) {
		// Somebody between us and the host slipped plain text in, to be taken
		// for what comes over TLS (RFC 3207 §6). No second try in plain text:
		// that would be what they want.
		c.Passed(STARTTLS)
		return c.Fault(ctx, smtp.PhaseSTARTTLS, smtp.ProtocolError("plain text behind the reply to STARTTLS"))
	}
	if err := c.handshake(ctx); err != nil {
		return c.Fault(ctx, smtp.PhaseSTARTTLS, err)
	}
	if err := c.hello(ctx); err != nil {
		return err
	}
	c.Passed(STARTTLS)
	return nil
}

// tlsAlert is the beginning of a TLS alert (RFC 8446 §5.1), which a host sends
// that has no version of TLS to agree on.
const tlsAlert = "\x15\x03"

func (c *Conn) handshake(ctx context.Context) error {
	deadline := c.deadline(smtp.PhaseSTARTTLS)
	if err := cmp.Or(c.stream.armWrite(ctx, deadline), c.stream.armRead(ctx, deadline)); err != nil {
		return err
	}
	version, err := c.stream.startTLS(c.peer.Host)
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.opening.TLS = version
	return err
}

package smtpprobe

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"
)

// errRefused ends a session whose last reply says why.
var errRefused = errors.New("refused")

// session is the dialogue over one connection, up to the transactions.
type session struct {
	Session // the findings so far; the lock of the log guards them against a look at what is there

	pool     *Pool
	route    route
	provider providerKey
	log      transcript
	opening  int       // lines of the log that belong to the opening
	bound    time.Time // of the present step; zero: the timeouts alone bound it
	conn     *conn     // nil: not connected
	watch    watch
	started  time.Time
	offline  bool // dialling failed before a packet left this machine
	hurried  bool // a wait was cut short by the bound: more time might have brought more
	// tlsPending is true from STARTTLS' consent until the first reply over TLS.
	// Only that shows that TLS works: in TLS 1.3 the client is done with the
	// handshake before the server has had its say.
	tlsPending bool

	unreset bool // a transaction was left open: the host knows no RSET

	transactions, recipients, refused int
	slow                              int // refusals beyond those that any host takes: the last ones, as far as they came slowly
}

func newSession(p *Pool, r route) *session {
	s := &session{pool: p, route: r, provider: p.provider(r), started: time.Now()}
	s.Host, s.Addr, s.Egress = truncate(clean(r.host), maxDomain), r.addr, p.config.Egresses[r.egress].Name
	s.log.start = s.started
	return s
}

// open goes through the steps up to the point where recipients can be named.
func (s *session) open(ctx context.Context) error {
	for _, step := range []func(context.Context) error{s.connect, s.greet, s.hello, s.secure} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// opened notes that what comes now belongs to transactions.
func (s *session) opened() {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.opening = len(s.log.lines)
}

// spent reports whether the session has been used enough.
func (s *session) spent(caps SessionCaps, transactions int) bool {
	return s.unreset || s.transactions >= transactions || s.recipients >= caps.Recipients || time.Since(s.started) >= caps.Age
}

// quiet reports whether the host has neither said anything nor hung up while
// the session rested.
func (s *session) quiet() bool {
	return s.conn.usable && s.conn.ahead() == "" && s.conn.atRest()
}

func (s *session) connect(ctx context.Context) error {
	dialCtx, cancel := context.WithDeadline(ctx, s.deadline(PhaseConnect))
	defer cancel()
	tcp, err := s.pool.config.Egresses[s.route.egress].Dialer.DialContext(dialCtx, "tcp", s.route.addr.String())
	if outOfResources(err) {
		return err
	}
	if err != nil {
		s.offline = noRoute(err)
		kind := connectKind(ctx, dialCtx, err)
		return s.fail(PhaseConnect, kind, failureText(kind, err))
	}
	s.log.add(fromProber, "connected to "+s.Host+" "+s.route.addr.String())
	s.conn = newConn(tcp, &s.log)
	s.watch.over(tcp)
	return nil
}

func (s *session) greet(ctx context.Context) error {
	if err := s.readInto(ctx, PhaseGreeting, &s.Greeting); err != nil {
		return err
	}
	return refusal(*s.Greeting)
}

// hello introduces us, and reads the extensions anew. HELO is for hosts that do
// not know EHLO and say so in a reply about syntax, 50z (RFC 5321 §3.2,
// §4.2.4): any other refusal is of us.
func (s *session) hello(ctx context.Context) error {
	s.offer(nil)
	if err := s.exchange(ctx, PhaseEHLO, "EHLO "+s.ownName(), &s.EHLO); err != nil {
		return err
	}
	if refusal(*s.EHLO) == nil {
		s.offer(keywords(*s.EHLO))
		return nil
	}
	if s.EHLO.Code/10 != 50 {
		return errRefused
	}
	if err := s.exchange(ctx, PhaseEHLO, "HELO "+s.ownName(), &s.EHLO); err != nil {
		return err
	}
	return refusal(*s.EHLO)
}

// secure turns to TLS where it is offered. A host that refuses after all is
// spoken to in plain text (RFC 3207 §4).
func (s *session) secure(ctx context.Context) error {
	if s.route.plain || !s.offers("STARTTLS") {
		return nil
	}
	if err := s.exchange(ctx, PhaseSTARTTLS, "STARTTLS", &s.STARTTLS); err != nil {
		return err
	}
	if s.STARTTLS.Code == replyServiceClosing {
		return errRefused
	}
	if refusal(*s.STARTTLS) != nil {
		return nil
	}
	s.conn.usable = false // the host waits for a handshake; a QUIT in plain text would be noise
	if ahead := s.conn.ahead(); ahead != "" && !strings.HasPrefix(ahead, tlsAlert) {
		// Somebody between us and the host slipped plain text in, to be taken
		// for what comes over TLS (RFC 3207 §6). No second try in plain text:
		// that would be what they want.
		return s.fault(ctx, PhaseSTARTTLS, protocolError("plain text behind the reply to STARTTLS"))
	}
	if err := s.handshake(ctx); err != nil {
		return s.fault(ctx, PhaseSTARTTLS, err)
	}
	return s.hello(ctx)
}

// tlsAlert is the beginning of a TLS alert (RFC 8446 §5.1), which a host sends
// that has no version of TLS to agree on.
const tlsAlert = "\x15\x03"

func (s *session) handshake(ctx context.Context) error {
	s.tlsPending = true
	deadline := s.deadline(PhaseSTARTTLS)
	if err := cmp.Or(s.conn.armWrite(ctx, deadline), s.conn.arm(ctx, deadline)); err != nil {
		return err
	}
	version, err := s.conn.startTLS(s.route.host)
	s.log.mu.Lock()
	s.TLS = version
	s.log.mu.Unlock()
	return err
}

func (s *session) offer(extensions []string) {
	s.log.mu.Lock()
	s.Extensions = extensions
	s.log.mu.Unlock()
}

// refusal returns errRefused unless the reply is a positive one.
func refusal(r Reply) error {
	if r.Code >= 400 {
		return errRefused
	}
	return nil
}

// hangUp closes the connection, with QUIT where it would be understood (RFC
// 5321 §4.1.1.10). The caller's context has no say in it any more.
func (s *session) hangUp(timeout time.Duration) {
	if s.conn == nil {
		return
	}
	s.watch.stop()
	defer s.conn.free()
	if s.conn.usable {
		s.conn.quit(timeout)
		return
	}
	_ = s.conn.tcp.Close()
}

package smtpprobe

import (
	"context"
	"errors"
	"time"
)

// errRefused ends a session whose last reply says why.
var errRefused = errors.New("refused")

// session is the dialogue over one connection.
type session struct {
	Session // the findings so far

	prober  *Prober
	route   route
	req     Request
	log     transcript
	conn    *conn // nil: not connected
	offline bool  // dialling failed before a packet left this machine
	// tlsPending is true from STARTTLS' consent until the first reply over TLS. Only that shows that TLS works: in TLS 1.3 the client is
	// done with the handshake before the server has had its say.
	tlsPending bool
}

func newSession(p *Prober, r route, req Request) *session {
	s := &session{prober: p, route: r, req: req}
	s.Host, s.Addr = truncate(clean(r.host), maxDomain), r.addr
	s.log.start = time.Now()
	return s
}

// speak holds the dialogue until the recipients are answered, a command is refused or something fails.
func (s *session) speak(ctx context.Context) error {
	for _, step := range []func(context.Context) error{s.connect, s.greet, s.hello, s.secure, s.ask} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) connect(ctx context.Context) error {
	dialCtx, cancel := context.WithDeadline(ctx, s.deadline(ctx, PhaseConnect))
	defer cancel()
	tcp, err := s.prober.config.Dialer.DialContext(dialCtx, "tcp", s.route.addr.String())
	if outOfResources(err) {
		return err
	}
	if err != nil {
		s.offline = noRoute(err)
		kind := connectKind(ctx, err)
		return s.fail(PhaseConnect, kind, failureText(kind, err))
	}
	s.log.add(fromProber, "connected to "+s.Host+" "+s.route.addr.String())
	s.conn = newConn(ctx, tcp, &s.log)
	return nil
}

func (s *session) greet(ctx context.Context) error {
	if err := s.readInto(ctx, PhaseGreeting, &s.Greeting); err != nil {
		return err
	}
	return refusal(*s.Greeting)
}

// hello introduces us, and reads the extensions anew. HELO is for hosts that do not know EHLO and say so in a reply about syntax, 50z (RFC 5321
// §3.2, §4.2.4): any other refusal is of us. Where the target needs an extension, HELO would be of no use.
func (s *session) hello(ctx context.Context) error {
	s.Extensions = nil
	if err := s.exchange(ctx, PhaseEHLO, "EHLO "+s.ownName(), &s.EHLO); err != nil {
		return err
	}
	if refusal(*s.EHLO) == nil {
		s.Extensions = keywords(*s.EHLO)
		return nil
	}
	switch {
	case s.EHLO.Code/10 != 50:
		return errRefused
	case s.req.SMTPUTF8:
		return s.withoutSMTPUTF8()
	}
	if err := s.exchange(ctx, PhaseEHLO, "HELO "+s.ownName(), &s.EHLO); err != nil {
		return err
	}
	return refusal(*s.EHLO)
}

// secure turns to TLS where it is offered. A host that refuses after all is spoken to in plain text (RFC 3207 §4).
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
	if s.conn.ahead() != "" {
		// Somebody between us and the host slipped plain text in, to be taken for what comes over TLS (RFC 3207 §6). No second try in
		// plain text: that would be what they want.
		return s.fault(ctx, PhaseSTARTTLS, protocolError("plain text behind the reply to STARTTLS"))
	}
	if err := s.handshake(ctx); err != nil {
		return s.fault(ctx, PhaseSTARTTLS, err)
	}
	return s.hello(ctx)
}

func (s *session) handshake(ctx context.Context) error {
	s.tlsPending = true
	if err := s.conn.arm(ctx, s.deadline(ctx, PhaseSTARTTLS)); err != nil {
		return err
	}
	version, err := s.conn.startTLS(s.route.host)
	s.TLS = version
	return err
}

// refusal returns errRefused unless the reply is a positive one.
func refusal(r Reply) error {
	if r.Code >= 400 {
		return errRefused
	}
	return nil
}

// end completes the findings with what ended the session; nil and errRefused need no word.
func (s *session) end(err error) {
	var f *Failure
	if errors.As(err, &f) {
		s.Failure = f
		s.log.add(fromProber, f.Error())
		if f.Kind == KindProtocol {
			s.Target, s.Control = nil, nil // whatever they answered, it may not have been RCPT
		}
	}
	if s.conn != nil && s.conn.usable {
		s.log.add(fromClient, "QUIT")
	}
	s.Transcript = s.log.lines
}

// hangUp closes the connection, with QUIT where it would be understood (RFC 5321 §4.1.1.10). The caller's context has no say in it any more.
func (s *session) hangUp(timeout time.Duration) {
	if s.conn == nil {
		return
	}
	s.conn.unwatch()
	if s.conn.usable {
		s.conn.quit(timeout)
		return
	}
	_ = s.conn.tcp.Close()
}

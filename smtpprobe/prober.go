package smtpprobe

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Dialer opens the connections to mail hosts. *net.Dialer is one; a SOCKS5 dialer or a fake network is another.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// Config configures a [Prober]. Every zero field has the default that its comment names.
type Config struct {
	Dialer             Dialer       // default: &net.Dialer{}
	Helo               string       // EHLO name; default: the connection's own address as a literal (RFC 5321 §4.1.4)
	MailFrom           string       // reverse-path without angle brackets; default: empty, the null reverse-path
	Port               uint16       // default 25
	Timeouts           Timeouts     // default: see the fields
	MaxSessionsPerHost int          // sessions open to one mail host, that is one IP address, at a time; default 4
	MaxSessions        int          // sessions open in all; default 1000
	MaxWaitingPerHost  int          // probes that may wait for a session with one mail host, beside those that have one; default 256
	Logger             *slog.Logger // default: silent
}

// Timeouts bounds each wait of a session. The budget of the request and the context of Probe bound them all.
type Timeouts struct {
	Connect time.Duration // default 6 s
	Command time.Duration // greeting, TLS handshake, and each reply; default 20 s
	Quit    time.Duration // for the reply to QUIT, behind the caller's back; default 3 s
}

// Prober asks mail hosts whether they take mail for a recipient. It is safe for concurrent use.
type Prober struct {
	config Config
	slots  *limiter
	quits  sync.WaitGroup
}

// Request is one question to the mail hosts of a domain.
type Request struct {
	Hosts    []Host // in the order to try them
	Target   string // mailbox in the form RCPT TO wants, without angle brackets
	Control  string // random mailbox in the same domain; empty: do not ask about one
	SMTPUTF8 bool   // Target needs SMTPUTF8

	// Budget is the time for this probe, not counting the wait for a free session; 0: only the context bounds it.
	Budget time.Duration
}

// Host is a mail host with the addresses that may be dialled.
type Host struct {
	Name  string // for the findings, and for TLS where it can be a host's name (server name indication, RFC 6066 §3)
	Addrs []netip.Addr
}

// New returns a Prober.
func New(c Config) (*Prober, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	return &Prober{config: c, slots: newLimiter(c.MaxSessions, c.MaxSessionsPerHost, c.MaxWaitingPerHost)}, nil
}

func (c Config) withDefaults() Config {
	if c.Dialer == nil {
		c.Dialer = &net.Dialer{}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	setDefault(&c.Port, defaultPort)
	setDefault(&c.Timeouts.Connect, defaultConnect)
	setDefault(&c.Timeouts.Command, defaultCommand)
	setDefault(&c.Timeouts.Quit, defaultQuit)
	setDefault(&c.MaxSessionsPerHost, defaultMaxSessionsPerHost)
	setDefault(&c.MaxSessions, defaultMaxSessions)
	setDefault(&c.MaxWaitingPerHost, defaultMaxWaitingPerHost)
	return c
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Probe asks the hosts in order until one has answered RCPT or refused finally. Every outcome on the wire is in the findings, a session that
// the budget or the deadline of ctx has cut short included. An error means that we could not work, and comes with the findings so far:
//
//   - ctx was cancelled; the error wraps [context.Canceled].
//   - No session with a host became free before the deadline of ctx, or too many wait for one already; the error wraps [ErrBusy].
//   - This machine has no file descriptor or memory left to connect with; the error wraps that of the dialer.
//   - The request could not be put on the wire as it is; no connection was made.
//
// Probe returns as soon as it knows; the QUIT of its last session goes on behind it, see [Prober.Close].
func (p *Prober) Probe(ctx context.Context, req Request) (Findings, error) {
	if err := req.check(); err != nil {
		return Findings{}, err
	}
	var found Findings
	left := startBudget(req.Budget)
	tour := newTour(req.Hosts, p.config.Port)
	for {
		if err := cancelled(ctx); err != nil {
			return found, err
		}
		r, ok := tour.next()
		if !ok || len(found.Sessions) > 0 && left.spent(ctx) {
			return found, nil
		}
		release, err := p.wait(ctx, r, left)
		if err != nil {
			return found, err
		}
		s := newSession(p, r, req)
		if err := p.hold(ctx, left, s, release); err != nil {
			return found, err
		}
		found.Sessions = append(found.Sessions, s.Session)
		tour.learn(s)
	}
}

// wait waits for a session slot while the budget's clock stands still.
func (p *Prober) wait(ctx context.Context, r route, left *budget) (release func(), err error) {
	since := time.Now()
	defer func() { left.stoodStill(time.Since(since)) }()
	return p.slots.acquire(ctx, r.addr.Addr())
}

// hold holds a session. Its slot is given back when the connection is closed, which Probe does not wait for. The error is our own: there was
// no session.
func (p *Prober) hold(ctx context.Context, left *budget, s *session, release func()) error {
	bounded, cancel := left.bound(ctx)
	defer cancel()
	err := s.speak(bounded)
	if outOfResources(err) {
		release()
		return fmt.Errorf("smtpprobe: %w", err)
	}
	s.end(err)
	p.logSession(ctx, &s.Session)
	p.quits.Go(func() {
		defer release()
		s.hangUp(p.config.Timeouts.Quit)
	})
	return nil
}

// logSession leaves out every text, because a server's may name the mailbox.
func (p *Prober) logSession(ctx context.Context, s *Session) {
	attrs := []slog.Attr{slog.String("host", s.Host), slog.String("addr", s.Addr.String()), slog.String("tls", s.TLS)}
	if s.Failure != nil {
		attrs = append(attrs, slog.String("phase", string(s.Failure.Phase)), slog.String("failure", string(s.Failure.Kind)))
	}
	p.config.Logger.LogAttrs(ctx, slog.LevelDebug, "smtp session", attrs...)
}

// Close waits until the QUITs under way are done; their timeout bounds it. Call it when no Probe is under way.
func (p *Prober) Close() error {
	p.quits.Wait()
	return nil
}

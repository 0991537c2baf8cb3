package smtpprobe

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/internal/egresses"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// Dialer opens the connections to mail hosts. *net.Dialer is one, a fake
// network another. See [egress.Error].
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// Config configures a [Pool]. Every zero field has the default that its comment
// names.
type Config struct {
	Dialer   Dialer          // default: a net.Dialer without keep-alive probes
	Egresses egress.Egresses // used instead of Dialer; default: Dialer alone
	// Routes are the names of the egresses by which a provider is asked, by its
	// pacing name ([DefaultRoute]: all others). Default: all egresses.
	Routes map[string][]string
	// HELO is the EHLO name. Default: the connection's own address as a literal
	// (RFC 5321 §4.1.4).
	HELO     string
	MailFrom string   // reverse-path without angle brackets; default: empty, the null reverse-path
	Port     uint16   // default 25
	Timeouts Timeouts // default: see the fields
	// MaxSessionsPerHost limits the sessions open to one mail host, that is one
	// IP address, at a time. A host gets four at first, two where its provider
	// is strict, and more as long as it takes them (pace.Window). Default 20.
	MaxSessionsPerHost int
	MaxSessions        int // sessions open in all; default 1000
	// MaxWaitingPerHost limits the probes that wait for a session with one mail
	// host, beside those under way and those with a Queued function. Default
	// 256.
	MaxWaitingPerHost int
	Session           SessionCaps         // default: see the fields
	Pace              pace.Settings       // how fast providers are asked; default: see the fields
	PaceMemory        []pace.Memory       // of an earlier pool ([Pool.PaceMemory]); default: none
	Classifier        *replies.Classifier // reads the replies that the pool learns from; default: the embedded rules
	Logger            *slog.Logger        // default: silent
}

// Timeouts bounds each wait of a session. The budget of the request and the
// context of Probe bound them all.
type Timeouts struct {
	Connect time.Duration // default 6 s
	Command time.Duration // greeting, TLS handshake, and each reply; default 20 s
	Quit    time.Duration // for the reply to QUIT, behind the caller's back; default 3 s
}

// SessionCaps bounds how long a session is used.
type SessionCaps struct {
	Idle time.Duration // kept open for the next recipient; default 5 s
	// Refused limits the recipients refused. Default 9, one less than Postfix
	// takes without delay, and 18, two less than it takes before it hangs up,
	// where a host does not delay its replies.
	Refused int
}

// Pool asks mail hosts whether they take mail for a recipient. It keeps the
// sessions for the next recipients of the same host, and names several at a
// time. It is safe for concurrent use.
type Pool struct {
	config Config
	slots  *semaphore.Weighted // of sessions in all
	// listSlots are those that lists may have.
	listSlots *semaphore.Weighted
	ready     sync.Once // the classifier is being prepared

	workers   sync.WaitGroup
	mu        sync.Mutex // guards what follows, and the mail hosts
	hosts     map[hostKey]*mailHost
	idle      []*worker // the one that has been so for longest first
	starving  int       // workers to be that wait for a slot
	swept     int       // hosts that the last sweep has left
	closing   bool
	domains   domainBook
	proofs    proofBook
	providers providerBook
	egresses  *egresses.Set
	queued    map[*egresses.Egress][]*paced // providers that wait for a session of an egress
	memory    map[memoryKey]pace.Memory     // of an earlier pool, until it is taken over

	sweptProviders int // providers that the last sweep has left
}

// check refuses what would not be a sane EHLO or MAIL command.
func (c Config) check() error {
	if c.HELO != "" {
		if err := checkDomain(c.HELO); err != nil {
			return fmt.Errorf("smtpprobe: Config.HELO: %q %w", c.HELO, err)
		}
	}
	if c.MailFrom != "" {
		if err := checkMailbox(c.MailFrom, false); err != nil {
			return fmt.Errorf("smtpprobe: Config.MailFrom: %q %w", c.MailFrom, err)
		}
	}
	if err := c.Pace.Check(); err != nil {
		return fmt.Errorf("smtpprobe: Config.Pace: %w", err)
	}
	if err := checkEgresses(c.Egresses, c.Routes); err != nil {
		return err
	}
	return cmp.Or(
		notNegative("MaxSessions", c.MaxSessions), notNegative("MaxSessionsPerHost", c.MaxSessionsPerHost),
		notNegative("MaxWaitingPerHost", c.MaxWaitingPerHost),
		notNegative("Timeouts.Connect", c.Timeouts.Connect), notNegative("Timeouts.Command", c.Timeouts.Command),
		notNegative("Timeouts.Quit", c.Timeouts.Quit),
	)
}

func notNegative[N int | time.Duration](field string, n N) error {
	if n < 0 {
		return fmt.Errorf("smtpprobe: Config.%s: %v is negative", field, n)
	}
	return nil
}

// New returns a Pool. Close it when done, so that its sessions end with QUIT.
func New(c Config) (*Pool, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	p := &Pool{
		config: c, slots: semaphore.NewWeighted(int64(c.MaxSessions)),
		listSlots: semaphore.NewWeighted(int64(pace.ForLists(c.MaxSessions))),
		hosts:     make(map[hostKey]*mailHost), domains: make(domainBook), proofs: make(proofBook),
		providers: make(providerBook),
		memory:    make(map[memoryKey]pace.Memory),
		egresses:  egresses.NewSet(c.Egresses, c.Routes, c.Pace), queued: make(map[*egresses.Egress][]*paced),
	}
	p.remember(c.PaceMemory)
	return p, nil
}

func (c Config) withDefaults() Config {
	if c.Dialer == nil {
		c.Dialer = &net.Dialer{KeepAlive: -1}
	}
	if len(c.Egresses) == 0 {
		c.Egresses = c.direct()
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Pace = c.Pace.WithDefaults()
	setDefault(&c.Port, defaultPort)
	setDefault(&c.Timeouts.Connect, defaultConnect)
	setDefault(&c.Timeouts.Command, defaultCommand)
	setDefault(&c.Timeouts.Quit, defaultQuit)
	setDefault(&c.MaxSessionsPerHost, defaultMaxSessionsPerHost)
	setDefault(&c.MaxSessions, defaultMaxSessions)
	setDefault(&c.MaxWaitingPerHost, defaultMaxWaitingPerHost)
	setDefault(&c.Session.Idle, defaultIdle)
	return c
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Close ends the sessions: idle ones with QUIT at once, the others after the
// questions under way. A host has the time of the QUIT timeout for that. Probes
// that wait get [ErrClosed].
func (p *Pool) Close() error {
	p.Abandon()
	p.workers.Wait()
	return nil
}

// Abandon is Close without the wait for the sessions to end.
func (p *Pool) Abandon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closing = true
	for len(p.idle) > 0 {
		p.retire(p.idle[0])
	}
	for _, h := range p.hosts {
		h.closeQueue()
	}
}

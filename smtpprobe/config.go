package smtpprobe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/egress"
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
	// is strict, and more as long as it takes them. Default 20.
	MaxSessionsPerHost int
	MaxSessions        int // sessions open in all; default 1000
	// MaxWaitingPerHost limits the probes that wait for a session with one mail
	// host, beside those under way and those of lists. Default 256.
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

// direct is the egress of a configuration without any.
func (c *Config) direct() egress.Egresses { return egress.Egresses{{Dialer: c.Dialer}} }

// helo is the EHLO name by an egress.
func (c *Config) helo(e egress.Egress) string { return cmp.Or(e.HELO, c.HELO) }

// mailFrom is the reverse-path by an egress.
func (c *Config) mailFrom(e egress.Egress) string {
	if e.MailFrom == nullPath {
		return ""
	}
	return cmp.Or(e.MailFrom, c.MailFrom)
}

// nullPath is the null reverse-path (RFC 5321 §4.5.5).
const nullPath = "<>"

// DefaultRoute is the key in [Config].Routes of the providers that have no
// route of their own.
const DefaultRoute = "default"

// checkEgresses refuses what would not be a sane EHLO or MAIL command, and
// routes that lead nowhere.
func checkEgresses(all egress.Egresses, routes map[string][]string) error {
	for i, e := range all {
		where := fmt.Sprintf("smtpprobe: Config.Egresses[%d]", i)
		if e.HELO != "" {
			if err := checkDomain(e.HELO); err != nil {
				return fmt.Errorf("%s.HELO: %q %w", where, e.HELO, err)
			}
		}
		if e.MailFrom != "" && e.MailFrom != nullPath {
			if err := checkMailbox(e.MailFrom, false); err != nil {
				return fmt.Errorf("%s.MailFrom: %q %w", where, e.MailFrom, err)
			}
		}
		if e.Weight < 0 {
			return fmt.Errorf("%s.Weight: %d is negative", where, e.Weight)
		}
	}
	for name, route := range routes {
		if len(route) == 0 {
			return fmt.Errorf("smtpprobe: Config.Routes[%q]: %w", name, errors.New("names no egress"))
		}
		for _, to := range route {
			if !slices.ContainsFunc(all, func(e egress.Egress) bool { return e.Name == to }) {
				return fmt.Errorf("smtpprobe: Config.Routes[%q]: there is no egress %q", name, to)
			}
		}
	}
	return nil
}

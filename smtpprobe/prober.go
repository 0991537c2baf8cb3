package smtpprobe

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
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
	MaxSessionsPerHost int          // sessions open to one mail host at a time; default 4
	MaxSessions        int          // sessions open in all; default 1000
	Logger             *slog.Logger // default: silent
}

// Timeouts bounds each wait of a session. The context of Probe bounds them all.
type Timeouts struct {
	Connect time.Duration // default 6 s
	Command time.Duration // greeting, and each reply; default 20 s
	Quit    time.Duration // for the reply to QUIT, behind the caller's back; default 3 s
}

// Prober asks mail hosts whether they take mail for a recipient. It is safe for concurrent use.
type Prober struct{}

// Request is one question to the mail hosts of a domain.
type Request struct {
	Hosts    []Host // in the order to try them
	Target   string // mailbox in the form RCPT TO wants, without angle brackets
	Control  string // random mailbox in the same domain; empty: do not ask about one
	SMTPUTF8 bool   // Target needs SMTPUTF8
}

// Host is a mail host with the addresses that may be dialled.
type Host struct {
	Name  string
	Addrs []netip.Addr
}

// New returns a Prober.
func New(Config) (*Prober, error) { panic("not here yet") }

// Probe asks the hosts in order until one has answered RCPT or refused finally. The error is non-nil only when ctx was cancelled; every
// outcome on the wire, a deadline of ctx included, is in the findings.
func (p *Prober) Probe(ctx context.Context, req Request) (Findings, error) { panic("not here yet") }

// Close waits until the QUITs under way are done; their timeout bounds it.
func (p *Prober) Close() error { return nil }

// ControlMailbox returns a random mailbox in domain: long, unguessable, and looking like somebody's.
func ControlMailbox(domain string) string { panic("not here yet") }

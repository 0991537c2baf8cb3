package engine

import (
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"time"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine/rhsbl"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// DefaultTimeout bounds one verification. It leaves room for a slow greeting and two slow replies (tarpits wait 4 to 6 s each)
// and stays within the patience of a sign-up form's back end.
const DefaultTimeout = 30 * time.Second

// Config configures a [Verifier]. The zero value verifies over the network with the defaults that the comments name.
type Config struct {
	// Resolvers are DNS servers, HOST or HOST:PORT. Default: the system's.
	Resolvers []string
	// HELO is the name to greet mail hosts with. Default: the connection's own address as a literal; mail hosts trust a name that
	// resolves to the client's address more.
	HELO string
	// MailFrom is the reverse-path. Default: the null reverse-path "<>", which nobody can bounce to.
	MailFrom string
	// SMTPPort is the port of the mail hosts. Default: 25.
	SMTPPort uint16
	// Level is how deep to look. Default: [LevelSMTP].
	Level Level
	// Timeout bounds one verification, everything included but the wait for a free session with a busy mail host, which is bounded by the
	// context of [Verifier.Verify] and by the number of those who may wait. Default: [DefaultTimeout].
	Timeout time.Duration
	// AllowNets are private, loopback or reserved networks whose mail hosts may be contacted. Default: none.
	AllowNets []netip.Prefix
	// OwnAddrs are addresses of this machine beside those of its interfaces, such as the public one of a machine behind NAT. A mail host that has
	// one is not contacted, unless AllowNets has it. Default: none.
	OwnAddrs []netip.Addr
	// Proxies are SOCKS5 proxies, socks5://[USER:PASSWORD@]HOST:PORT, and SourceIPs addresses of this machine, to connect to mail hosts through.
	// Each is a way out of its own; a mail host is always met from the same one, by its address, which greylisting hosts want. A source address
	// leads to mail hosts of its family alone. The proxies' own addresses may be private. The DNS is asked without them. Default: none, the
	// system chooses.
	Proxies   []*url.URL
	SourceIPs []netip.Addr
	// MaxSessionsPerHost and MaxSessions bound the SMTP sessions open at a time. Without a Dialer there are in all no more than half as many as
	// this process may open files. Default: 4 and 1000.
	MaxSessionsPerHost, MaxSessions int
	// MaxWaitingPerHost bounds the verifications that wait for a session with the same mail host; the next one is turned away with [ErrBusy], so
	// that a slow host does not hold every caller. It is not for those under [WithQueued], as in package bulk. Default: 256.
	MaxWaitingPerHost int
	// Remember is the number of results to remember (about), for some hours at most and by their verdict; a result takes some 1.5 kB. Default:
	// none.
	Remember int
	// Lists are the lists to match, until [Verifier.SetLists]. Default: the embedded ones.
	Lists *lists.Lists
	// RHSBLs are zones of lists of domains in the DNS (RFC 5782 §3), such as "dbl.spamhaus.org", in which the domains of addresses are looked up
	// where Level is not [LevelSyntax]. The operators of the lists learn the domains. Default: none.
	RHSBLs []string
	// NetworkCheck says whether to prove that the resolver works and port 25 is open before an address is blamed. Default: [NetworkCheckAuto].
	NetworkCheck NetworkCheck
	// CheckDomains are the well-known domains that the check looks up, and whose mail hosts it connects to where no other can be reached: three or more,
	// of different companies, which none of the resolvers filters. Default: gmail.com, outlook.com, yahoo.com, icloud.com and gmx.net.
	CheckDomains []string
	// Classifier reads the replies of mail hosts. Default: the embedded rules.
	Classifier *replies.Classifier
	// Exchanger carries DNS queries. Default: UDP and TCP sockets.
	Exchanger dnsresolve.Exchanger
	// Dialer opens the connections to mail hosts, or to the proxies to them. Default: the network.
	Dialer smtpprobe.Dialer
	// Logger gets one info line per verification, without the local-part, and debug lines per step. Default: silent.
	Logger *slog.Logger
	// Hooks are told what happens. Default: nobody is.
	Hooks Hooks
}

// Level is how deep a verification looks.
type Level string

// The levels; each does what the one before it does, and more.
const (
	LevelSyntax Level = "syntax" // grammar and lists; no network
	LevelDNS    Level = "dns"    // mail exchangers of the domain
	LevelSMTP   Level = "smtp"   // the mail host's answer to RCPT
)

func (l Level) valid() error {
	switch l {
	case LevelSyntax, LevelDNS, LevelSMTP:
		return nil
	}
	return fmt.Errorf("level %q is unknown: use syntax, dns or smtp", string(l))
}

func (c Config) withDefaults() (Config, error) {
	if c.Level == "" {
		c.Level = LevelSMTP
	}
	if err := c.Level.valid(); err != nil {
		return c, err
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Timeout < 0 {
		return c, fmt.Errorf("timeout %v is negative", c.Timeout)
	}
	zones, err := rhsbl.Zones(c.RHSBLs)
	if err != nil {
		return c, err
	}
	c.RHSBLs = zones
	if c.CheckDomains, err = checkDomains(c.CheckDomains); err != nil {
		return c, err
	}
	if c.Remember < 0 {
		return c, fmt.Errorf("%d results to remember: use a number from 0", c.Remember)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Lists == nil {
		embedded, err := lists.New()
		if err != nil {
			return c, err
		}
		c.Lists = embedded
	}
	return c, nil
}

// Hooks are told about the steps of each verification, on the goroutine that does them: they must be quick and safe for concurrent
// use. A nil func is not called.
type Hooks struct {
	// Resolved is told how the search for a domain's mail exchangers ended, once for addresses that are verified together.
	Resolved func(f dnsresolve.Findings, took time.Duration)
	// LookedUp is told each question about a mail host that came up while the mail hosts were asked: for IPv6 addresses, where IPv4 did not do.
	LookedUp func(l dnsresolve.Lookup)
	// Probed is told what the mail hosts said.
	Probed func(f smtpprobe.Findings, took time.Duration)
	// Network is told when a check of our own network ends otherwise than the one before it, the first one included.
	Network func(s NetworkStatus)
	// Verified is told each verdict.
	Verified func(r Result)
}

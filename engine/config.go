package engine

import (
	"context"
	"log/slog"
	"net/netip"
	"net/url"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// DefaultTimeout bounds one verification. It allows for a slow greeting and two
// slow replies (tarpits wait 4 to 6 s each) and is short enough for the back
// end of a sign-up form.
const DefaultTimeout = 30 * time.Second

// Config configures a [Verifier]. The zero value verifies over the network with
// the documented defaults.
type Config struct {
	// Resolvers are DNS servers, HOST or HOST:PORT. Default: the system's.
	Resolvers []string
	// HELO is the name in EHLO. Default: the connection's own address as a
	// literal; mail hosts trust a name that resolves to the client's address
	// more.
	HELO string
	// MailFrom is the reverse-path. Default: the null reverse-path "<>", to
	// which nothing can bounce.
	MailFrom string
	// SMTPPort is the port of the mail hosts. Default: 25.
	SMTPPort uint16
	// Level is how deep to look. Default: [LevelSMTP].
	Level Level
	// Timeout bounds one verification, the wait for a session with a busy mail
	// host included. An address of a list ([GroupOptions.Caller], package bulk)
	// waits beyond it: else lists would lose addresses. Default:
	// [DefaultTimeout].
	Timeout time.Duration
	// AllowNets are private, loopback or reserved networks whose mail hosts may
	// be contacted. Default: none.
	AllowNets []netip.Prefix
	// NoAsk are rules for whom not to ask. "domain:NAME" covers the addresses
	// of a domain, about which the DNS is not asked either; "mx:NAME" mail
	// exchangers with that name; "provider:NAME" those of a provider (package
	// provider has the names). Names below NAME are covered, too. If no mail
	// host is left, the result is [rcpt.VerdictUnknown], [rcpt.ReasonNotAsked].
	// [ReadNoAsk] checks rules. Default: none.
	NoAsk []string
	// OwnAddrs are addresses of this machine besides those of its interfaces,
	// such as its public one behind NAT. A mail host with one of them is not
	// contacted, unless AllowNets contains it. Default: none.
	OwnAddrs []netip.Addr
	// Proxies are SOCKS5 proxies, socks5://[USER:PASSWORD@]HOST:PORT, and
	// SourceIPs addresses of this machine, through which mail hosts are
	// contacted. Each is an egress of its own, and a mail host is always
	// contacted through the same one, as greylisting hosts expect. A source
	// address reaches mail hosts of its family only. The proxies' own addresses
	// may be private. The DNS is not asked through them. Default: none, the
	// system chooses.
	Proxies   []*url.URL
	SourceIPs []netip.Addr
	// Egresses are egresses besides these, made with [egress.Proxy] and
	// [egress.SourceIP], for names, EHLO names and weights of their own.
	// [Verifier.SetEgresses] changes them. Default: none.
	//
	// Experimental: it may change in any minor version.
	Egresses egress.Egresses
	// Routes are the names of the egresses by which a provider is asked, by its
	// pacing name ([smtpprobe.DefaultRoute]: all others).
	// [Verifier.SetEgresses] changes them. Default: all egresses for all.
	//
	// Experimental: it may change in any minor version.
	Routes map[string][]string
	// MaxSessionsPerHost and MaxSessions limit the SMTP sessions open at a
	// time. A host gets four at first, and more as long as it takes them.
	// Without a Dialer, the total is at most half the number of files that this
	// process may open. Default: 20 and 1000.
	MaxSessionsPerHost, MaxSessions int
	// MaxWaitingPerHost limits the verifications that wait for a session with
	// the same mail host, so that a slow host does not hold every caller;
	// further ones get [ErrBusy]. It does not apply in package bulk. Default:
	// 256.
	MaxWaitingPerHost int
	// Pace says how fast the providers of mail hosts are asked. Default:
	// [pace.Normal], with the limits of the table of providers.
	//
	// Experimental: it may change in any minor version.
	Pace pace.Settings
	// PaceMemory is what [Verifier.PaceMemory] of an earlier Verifier returned:
	// pauses, and the daily budgets of egresses. Default: nothing is known.
	//
	// Experimental: it may change in any minor version.
	PaceMemory []pace.Memory
	// MaxRemembered is about how many results to remember, each for as long as
	// [rcpt.Result.Expires] says. A result takes about 1.5 kB. What was not
	// found out in less time than usual ([VerifyOptions.Timeout]) is not
	// remembered, an unknown does not replace a verdict, and callers that
	// verify the same address in the same way at the same time share a
	// verification. Default: none.
	MaxRemembered int
	// Lists are the lists to match, until [Verifier.SetLists]. Default: the
	// embedded ones.
	Lists *lists.Lists
	// RHSBLs are zones of lists of domains in the DNS (RFC 5782 §3), such as
	// "dbl.spamhaus.org", in which the domains of addresses are looked up
	// unless Level is [LevelSyntax]. The operators of the lists learn the
	// domains. Default: none.
	RHSBLs []string
	// NetworkCheck says whether to prove that the resolver works and port 25 is
	// open before a domain is blamed. Default: [NetworkCheckAuto].
	NetworkCheck NetworkCheck
	// CheckDomains are the well-known domains that the network check looks up,
	// and whose mail hosts it connects to if no other can be reached. There
	// must be at least three, of different companies and filtered by none of
	// the resolvers. Default: gmail.com, outlook.com, yahoo.com, icloud.com and
	// gmx.net.
	CheckDomains []string
	// Classifier reads the replies of mail hosts. Default: the embedded rules.
	Classifier *replies.Classifier
	// Exchanger carries DNS queries. Default: UDP and TCP sockets.
	Exchanger Exchanger
	// Dialer opens the connections to mail hosts or to their proxies. Default:
	// the network.
	Dialer Dialer
	// ControlSecret is at least eight octets, known to nobody else, from which
	// the control mailboxes are made: random ones, about which mail hosts are
	// asked beside the mailboxes in question. A domain keeps its control for a
	// day. A program that keeps the secret asks about the same control when it
	// runs again, and so gets an answer from a host that greylists each
	// recipient that it has not seen before. Default: a random one, which ends
	// with the Verifier.
	ControlSecret []byte
	// Control names the control mailbox of a domain instead: its local-part,
	// which no domain has as a mailbox. It must be the same for a domain all
	// day, and it is for tests, whose results it makes the same each time: mail
	// hosts must not be able to guess it. Default: a random one.
	//
	// Experimental: it may change in any minor version.
	Control func(domain string, at time.Time) string
	// Logger receives one info line for each verification, without the
	// local-part, and debug lines for each step. Default: silent.
	Logger *slog.Logger
	// Hooks are called at the steps of each verification. Default: none.
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

// Hooks are called at the steps of each verification, on the goroutine that
// carries them out, with the context of the verification: its values are those
// of the caller, or of the first caller where several share a verification.
// They must be quick and safe for concurrent use. A nil func is not called.
type Hooks struct {
	// Resolved is called with the mail hosts of a domain, once for addresses
	// that are verified together.
	//
	// Experimental: it may change in any minor version.
	Resolved func(ctx context.Context, f dnsresolve.Findings, took time.Duration)
	// LookedUp is called with each look-up that became necessary while mail
	// hosts were asked: IPv6 addresses where IPv4 did not do.
	//
	// Experimental: it may change in any minor version.
	LookedUp func(ctx context.Context, l dnsresolve.Lookup)
	// Probed is called with the findings about one mailbox.
	//
	// Experimental: it may change in any minor version.
	Probed func(ctx context.Context, f smtpprobe.Findings, took time.Duration)
	// Gathered is called with the evidence about each address, once it is
	// complete, whichever method gathered it. It is the place to store
	// evidence. Evidence.Fault says if the verification was not carried out.
	Gathered func(ctx context.Context, e Evidence)
	// Verified is called with each result that is returned to a caller,
	// remembered ones included (Cached is set in their details), and the error
	// beside it.
	Verified func(ctx context.Context, r rcpt.Result, err error)
	// Network is called when the outcome of a network check differs from the
	// one before it, and after the first.
	Network func(s NetworkStatus)
}

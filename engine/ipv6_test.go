package engine_test

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/testkit/hostile"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestIPv6 checks that IPv6 addresses are asked for, and tried, where no IPv4
// address leads to a mail host, and only there; before the backup, which may
// know less of the mailboxes.
func TestIPv6(t *testing.T) {
	const dead, v4, v6 = "9.9.9.9", "9.9.9.10", "2620:fe::10"
	exists := &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"user": smtptest.Accepts}}
	both := "example.test. MX 10 mx.test.\nmx.test. A " + dead + "\nmx.test. AAAA " + v6 + "\n"
	const backup, many = "example.test. MX 20 mx2.test.\nmx2.test. A " + v4 + "\n", "mx.test. AAAA 2620:fe::11\nmx.test. AAAA 2620:fe::12\n"
	busy, closed := hostile.Host("421-at-greeting"), &smtptest.Host{Greeting: "554 no"}
	for _, tt := range []struct {
		name, zone string
		hosts      map[string]smtptest.Handler
		want       rcpt.Reason
		dials      string
		asked      int // for AAAA
	}{
		{"IPv4 leads there", both, map[string]smtptest.Handler{dead: exists, v6: exists}, rcpt.ReasonRecipientAccepted, "9.9.9.9:25", 0},
		{"IPv4 is dead", both, map[string]smtptest.Handler{v6: exists}, rcpt.ReasonRecipientAccepted, "9.9.9.9:25 [2620:fe::10]:25", 1},
		{"both are", both, nil, rcpt.ReasonConnectionFailed, "9.9.9.9:25 [2620:fe::10]:25", 1},
		{"IPv4 is silent", both, map[string]smtptest.Handler{dead: hostile.Host("silent-at-greeting"), v6: exists}, rcpt.ReasonRecipientAccepted,
			"9.9.9.9:25 [2620:fe::10]:25", 1},
		{"IPv4 puts us off", both, map[string]smtptest.Handler{dead: busy, v6: exists}, rcpt.ReasonRecipientAccepted, "9.9.9.9:25 [2620:fe::10]:25", 1},
		{"IPv4 puts us off at EHLO", both, map[string]smtptest.Handler{dead: &smtptest.Host{EHLO: "451 later"}, v6: exists}, rcpt.ReasonRecipientAccepted,
			"9.9.9.9:25 [2620:fe::10]:25", 1},
		{"IPv4 puts us off at MAIL", both, map[string]smtptest.Handler{dead: &smtptest.Host{MAIL: "451 later"}, v6: exists}, rcpt.ReasonRecipientAccepted,
			"9.9.9.9:25 [2620:fe::10]:25", 1},
		{"IPv4 puts us off at RCPT", both, map[string]smtptest.Handler{dead: &smtptest.Host{RCPT: "451 later"}, v6: exists}, rcpt.ReasonTemporaryFailure,
			"9.9.9.9:25", 0},
		{"IPv4 refuses us", both + backup, map[string]smtptest.Handler{dead: closed, v4: exists, v6: exists}, rcpt.ReasonRecipientAccepted,
			"9.9.9.9:25 9.9.9.10:25", 0},
		{"IPv6 refuses us", both + backup, map[string]smtptest.Handler{v4: exists, v6: closed}, rcpt.ReasonRecipientAccepted,
			"9.9.9.9:25 [2620:fe::10]:25 9.9.9.10:25", 1},
		{"IPv4 puts us off, and IPv6 refuses us", both, map[string]smtptest.Handler{dead: busy, v6: closed}, rcpt.ReasonTemporaryFailure,
			"9.9.9.9:25 [2620:fe::10]:25", 1},
		{"IPv4 puts us off, IPv6 refuses us, and the backup answers", both + backup, map[string]smtptest.Handler{dead: busy, v4: exists, v6: closed},
			rcpt.ReasonRecipientAccepted, "9.9.9.9:25 [2620:fe::10]:25 9.9.9.10:25", 1},
		{"IPv6 is reserved", strings.ReplaceAll(both, v6, "fd00::1"), nil, rcpt.ReasonConnectionFailed, "9.9.9.9:25", 1},
		{"IPv6 is this machine's", strings.ReplaceAll(both, v6, "2620:fe::99"), nil, rcpt.ReasonConnectionFailed, "9.9.9.9:25", 1},
		{"IPv4 is reserved", strings.ReplaceAll(both, dead, "10.0.0.1"), map[string]smtptest.Handler{v6: exists}, rcpt.ReasonRecipientAccepted,
			"[2620:fe::10]:25", 1},
		{"IPv4 is this machine's", strings.ReplaceAll(both, dead, "9.9.9.99"), map[string]smtptest.Handler{v6: exists}, rcpt.ReasonRecipientAccepted,
			"[2620:fe::10]:25", 1},
		{"the backup knows nobody", both + backup, map[string]smtptest.Handler{v4: &smtptest.Host{}, v6: exists}, rcpt.ReasonRecipientAccepted,
			"9.9.9.9:25 [2620:fe::10]:25", 1},
		{"only the backup is there", both + backup, map[string]smtptest.Handler{v4: exists}, rcpt.ReasonRecipientAccepted,
			"9.9.9.9:25 [2620:fe::10]:25 9.9.9.10:25", 1},
		{"another IPv4 leads there", both + "mx.test. A " + v4 + "\n", map[string]smtptest.Handler{v4: exists, v6: exists}, rcpt.ReasonRecipientAccepted,
			"9.9.9.9:25 9.9.9.10:25", 0},
		{"one IPv4 puts us off, another is dead", both + "mx.test. A " + v4 + "\n",
			map[string]smtptest.Handler{dead: busy, v6: exists}, rcpt.ReasonRecipientAccepted, "9.9.9.9:25 9.9.9.10:25 [2620:fe::10]:25", 1},
		{"many", both + many, nil, rcpt.ReasonConnectionFailed, "9.9.9.9:25 [2620:fe::10]:25 [2620:fe::11]:25", 1},
		{"under two names", both + backup + "mx2.test. AAAA " + v6 + "\nmx2.test. AAAA 2620:fe::11\nmx2.test. AAAA 2620:fe::12\n", nil,
			rcpt.ReasonConnectionFailed, "9.9.9.9:25 [2620:fe::10]:25 9.9.9.10:25 [2620:fe::11]:25 [2620:fe::12]:25", 1},
		{"too many connections", both + many + backup + strings.ReplaceAll(many, "mx.test. AAAA 2620:fe::1", "mx2.test. AAAA 2620:fe::2"), nil,
			rcpt.ReasonConnectionFailed, "9.9.9.9:25 [2620:fe::10]:25 [2620:fe::11]:25 9.9.9.10:25 [2620:fe::21]:25 [2620:fe::22]:25", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := smtptest.NewNetwork()
				defer network.Close()
				for ip, host := range tt.hosts {
					network.Add(ip, host)
				}
				world := dnstest.New(tt.zone)
				own := []netip.Addr{netip.MustParseAddr("2620:fe::99"), netip.MustParseAddr("9.9.9.99")}
				result := verifyWith(t, engine.Config{Exchanger: world, Dialer: network, OwnAddrs: own})
				if result.Reason != tt.want {
					t.Errorf("%s, want %s", result.Reason, tt.want)
				}
				if got := strings.Join(network.Dials(), " "); got != tt.dials {
					t.Errorf("dialled %s, want %s", got, tt.dials)
				}
				if n := world.Count("mx.test", "AAAA"); n != tt.asked {
					t.Errorf("asked %d times for AAAA, want %d", n, tt.asked)
				}
			})
		})
	}
}

// TestIPv6IsInTheEvidence checks that evidence about IPv6 can be judged again,
// and reaches the hooks that count it.
func TestIPv6IsInTheEvidence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		defer network.Close()
		zone := dnstest.New("example.test. MX 10 mx.test.\nmx.test. A 9.9.9.9\nmx.test. AAAA 2620:fe::10\n")
		var told []string
		hooks := engine.Hooks{
			Resolved: func(_ context.Context, f dnsresolve.Findings, _ time.Duration) {
				for _, l := range f.Lookups {
					told = append(told, l.Type)
				}
			},
			LookedUp: func(_ context.Context, l dnsresolve.Lookup) { told = append(told, l.Type) },
		}
		config := engine.Config{Exchanger: zone, Dialer: network, HELO: "verifier.test", Resolvers: []string{"192.0.2.53"}, Hooks: hooks}
		verifier, err := engine.New(config)
		if err != nil {
			t.Fatal(err)
		}
		defer verifier.Close()
		evidence, err := verifier.Gather(t.Context(), "user@example.test")
		if err != nil {
			t.Fatal(err)
		}
		if host := evidence.DNS.Hosts[0]; len(host.Addrs) != 2 || host.IPv6Unasked || len(evidence.DNS.Lookups) != 3 || len(evidence.SMTP.Sessions) != 2 {
			t.Errorf("%+v with %d look-ups and %d sessions", host, len(evidence.DNS.Lookups), len(evidence.SMTP.Sessions))
		}
		if got := strings.Join(told, " "); got != "MX A AAAA" {
			t.Errorf("told of the questions %s, want each once", got)
		}
	})
}

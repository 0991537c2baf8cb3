package main

import (
	"context"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

const providers = `
gmail.com.       MX 10 mx.gmail.com.
mx.gmail.com.    A     192.0.2.1
mx.gmail.com.    AAAA  2001:db8::1
outlook.com.     MX 10 mx.outlook.com.
mx.outlook.com.  A     192.0.2.2
yahoo.com.       MX 10 mx.yahoo.com.
mx.yahoo.com.    A     192.0.2.3
`

// TestPortCheck: what is said at start about the way to the mail hosts outside.
func TestPortCheck(t *testing.T) {
	for _, c := range []struct {
		name    string
		zone    string
		prepare func(*smtptest.Network)
		want    string
		took    time.Duration
		dials   int
	}{
		{"open", providers, func(n *smtptest.Network) { n.Add("192.0.2.1:2525", &smtptest.Host{}) }, "mail hosts can be reached", 0, 1},
		{"open for IPv6 only", providers, func(n *smtptest.Network) { n.Add("[2001:db8::1]:2525", &smtptest.Host{}) }, "mail hosts can be reached", 0, 2},
		{"one provider is down", providers, func(n *smtptest.Network) { n.Add("192.0.2.3:2525", &smtptest.Host{}) }, "mail hosts can be reached", 0, 4},
		{"refused", providers, func(*smtptest.Network) {}, "No mail host can be reached", 0, 4},
		{"dropped", providers, func(n *smtptest.Network) {
			for _, addr := range []string{"192.0.2.1:2525", "[2001:db8::1]:2525", "192.0.2.2:2525", "192.0.2.3:2525"} {
				n.Blackhole(addr)
			}
		}, "No mail host can be reached", 4 * portCheckTimeout, 4},
		{"no DNS", "", func(*smtptest.Network) {}, "The DNS names no mail hosts", 0, 0},
		{"reserved addresses only", strings.NewReplacer("192.0.2.", "127.0.0.", "2001:db8::", "fe80::").Replace(providers),
			func(*smtptest.Network) {}, "The DNS names no mail hosts", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := smtptest.NewNetwork()
				c.prepare(network)
				var log strings.Builder
				started := time.Now()
				warnOfClosedPort(t.Context(), checkConfig(dnstest.New(c.zone), network, &log))
				took := time.Since(started)
				network.Close()
				if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), c.want) {
					t.Errorf("log %q, want one line with %q", log.String(), c.want)
				}
				if took != c.took || len(network.Dials()) != c.dials {
					t.Errorf("took %v and dialled %v, want %v and %d", took, network.Dials(), c.took, c.dials)
				}
			})
		})
	}
}

// TestPortCheckThroughAProxy: the way that is looked at is the one that verifications go.
func TestPortCheckThroughAProxy(t *testing.T) {
	for _, there := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			network := smtptest.NewNetwork()
			network.Add("192.0.2.1:2525", &smtptest.Host{})
			if there {
				network.Add("10.0.0.1:1080", &smtptest.Proxy{Dialer: network})
			}
			var log strings.Builder
			config := checkConfig(dnstest.New(providers), network, &log)
			config.Proxies = []*url.URL{{Scheme: "socks5", Host: "10.0.0.1:1080"}}
			warnOfClosedPort(t.Context(), config)
			network.Close()
			want := map[bool]string{true: "mail hosts can be reached", false: "look after the proxies"}[there]
			if !strings.Contains(log.String(), want) || network.Dials()[0] != "10.0.0.1:1080" {
				t.Errorf("log %q after %v, want %q", log.String(), network.Dials(), want)
			}
		})
	}
}

// TestPortCheckInterrupted: an end at once is no reason to warn.
func TestPortCheckInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var log strings.Builder
	warnOfClosedPort(ctx, checkConfig(dnstest.New(providers), smtptest.NewNetwork(), &log))
	if log.String() != "" {
		t.Errorf("log %q", log.String())
	}
}

func checkConfig(names *dnstest.Server, network *smtptest.Network, log *strings.Builder) engine.Config {
	return engine.Config{
		Resolvers: []string{"192.0.2.53"}, Exchanger: names, Dialer: network, SMTPPort: 2525,
		AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")},
		Logger:    slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
}

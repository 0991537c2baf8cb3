package bulk_test

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// watched is a verifier of which it is known when it was done with the last of
// the fast hosts.
type watched struct {
	*engine.Verifier
	start    time.Time
	mu       sync.Mutex
	lastFast time.Duration
}

func (w *watched) VerifyGroup(
	ctx context.Context, addresses []string, o engine.GroupOptions, done func(i int, result rcpt.Result, err error),
) {
	w.Verifier.VerifyGroup(ctx, addresses, o, func(i int, r rcpt.Result, err error) {
		if strings.HasPrefix(addresses[i], "one@") {
			w.mu.Lock()
			w.lastFast = max(w.lastFast, time.Since(w.start))
			w.mu.Unlock()
		}
		done(i, r, err)
	})
}

// oneByOne verifies the addresses of a group one by one, and passes on who
// waits.
type oneByOne struct{ *watched }

func (v oneByOne) VerifyGroup(
	ctx context.Context, addresses []string, o engine.GroupOptions, done func(i int, result rcpt.Result, err error),
) {
	var all sync.WaitGroup
	for i := range addresses {
		all.Go(func() {
			v.watched.VerifyGroup(ctx, addresses[i:i+1], o, func(_ int, r rcpt.Result, err error) { done(i, r, err) })
		})
	}
	all.Wait()
}

// TestWhoWaitsHoldsNobodyUp checks that addresses which wait for one slow mail
// host take no place of those of other hosts.
func TestWhoWaitsHoldsNobodyUp(t *testing.T) {
	t.Run("together", func(t *testing.T) { holdNobodyUp(t, func(w *watched) bulk.Verifier { return w }) })
	t.Run("each by itself", func(t *testing.T) {
		holdNobodyUp(t, func(w *watched) bulk.Verifier { return oneByOne{w} })
	})
}

// crowded is a Verifier whose addresses of one domain wait for a session
// for a minute, and say so; others take a second.
type crowded struct {
	answers
	domain string
}

func (c *crowded) VerifyGroup(
	ctx context.Context, addresses []string, o engine.GroupOptions, done func(i int, result rcpt.Result, err error),
) {
	var all sync.WaitGroup
	for i, address := range addresses {
		all.Go(func() {
			wait := domainOf(address) == c.domain
			if wait {
				if o.Found != nil {
					o.Found()
				}
				o.Caller.Wait(1)
				c.enter(address)
				time.Sleep(time.Minute)
				c.leave()
				o.Caller.Wait(-1)
			}
			result, err := c.Verify(ctx, address)
			done(i, result, err)
		})
	}
	all.Wait()
}

// TestRunIsToldWhoWaits checks that addresses which wait are not counted, so
// that others of the same domain and of others begin, and that no answer about
// the first of a domain is awaited when its mail hosts are found.
func TestRunIsToldWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &crowded{domain: "crowded.example"}
		emails := numbered(20, v.domain)
		for i := range 10 {
			emails = append(emails, fmt.Sprintf("one@free%d.example", i))
		}
		if _, err := bulk.Run(t.Context(), listOf(emails...), &file{}, bulk.Options{Verifier: v, Concurrency: 2}); err != nil {
			t.Fatal(err)
		}
		for _, email := range emails {
			if began := v.asked[email][0]; began > 10*time.Second {
				t.Errorf("%s began after %v", email, began)
			}
		}
	})
}

// TestSilentDNSHoldsNobodyUp checks that large domains about which the DNS does
// not answer take a place each while they are looked up, and not one for each
// address: neither do others wait for them, nor they for each other.
func TestSilentDNSHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var zone strings.Builder
		network := smtptest.NewNetwork()
		var silent, emails []string
		for i := range 10 {
			silent = append(silent, fmt.Sprintf("silent%d.example", i))
			emails = append(emails, numbered(200, silent[i])...)
		}
		for i := range 20 {
			domain, ip := fmt.Sprintf("fast%d.example", i), fmt.Sprintf("192.0.2.%d", i+1)
			fmt.Fprintf(&zone, "%s. MX 10 mx.%s.\nmx.%s. A %s\n", domain, domain, domain, ip)
			network.Add(ip, &smtptest.Host{CatchAll: true})
			emails = append(append(emails, "one@"+domain), numbered(9, domain)...)
		}
		server := dnstest.New(zone.String())
		for _, domain := range silent {
			server.Break(dnstest.Fault{Name: domain, Kind: dnstest.Lose})
		}
		verifier, err := engine.New(engine.Config{
			HELO: "verifier.test", Resolvers: []string{"192.0.2.53"}, Exchanger: server, Dialer: network,
			AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
		})
		if err != nil {
			t.Fatal(err)
		}
		watched := &watched{Verifier: verifier, start: time.Now()}
		summary, err := bulk.Run(t.Context(), listOf(emails...), &file{}, bulk.Options{Verifier: watched, Concurrency: 20})
		if err != nil || summary.Reasons[rcpt.ReasonDNSTemporary] != 2000 {
			t.Errorf("%v, %v", summary.Reasons, err)
		}
		if all := time.Since(watched.start); watched.lastFast > 2*time.Second || all > 15*time.Second {
			t.Errorf("the last of the fast domains was done after %v, all after %v", watched.lastFast, all)
		}
		if err := verifier.Close(); err != nil {
			t.Error(err)
		}
		network.Close()
	})
}

// TestBusyProvidersHoldNobodyUp checks that addresses of providers that have no
// room take no place of those of others, with as little concurrency as may be.
func TestBusyProvidersHoldNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zone := new(strings.Builder)
		network := smtptest.NewNetwork()
		var emails []string
		host := func(mailbox, domain, name, ip string, h *smtptest.Host) {
			fmt.Fprintf(zone, "%s. MX 10 %s.\n%s. A %s\n", domain, name, name, ip)
			network.Add(ip, h)
			emails = append(emails, mailbox+"@"+domain)
		}
		for i := range 200 {
			for p := range 3 {
				domain, name := fmt.Sprintf("d%d-%d.example", i, p), fmt.Sprintf("mx%d.hoster%d.test", i, p)
				host("busy", domain, name, fmt.Sprintf("192.0.%d.%d", 3+p, i+1), &smtptest.Host{CatchAll: true, RCPTDelay: time.Second})
			}
		}
		for i := range 20 {
			domain := fmt.Sprintf("fast%d.example", i)
			host("one", domain, "mx."+domain, fmt.Sprintf("192.0.2.%d", i+2), &smtptest.Host{CatchAll: true})
		}
		verifier, err := engine.New(engine.Config{
			HELO: "verifier.test", Resolvers: []string{"192.0.2.53"}, Exchanger: dnstest.New(zone.String()), Dialer: network,
			AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.0.0/16")},
			Pace:      pace.Settings{Unknown: pace.Limits{Sessions: 1}},
		})
		if err != nil {
			t.Fatal(err)
		}
		watched := &watched{Verifier: verifier, start: time.Now()}
		_, err = bulk.Run(t.Context(), listOf(emails...), &file{}, bulk.Options{Verifier: watched, Concurrency: 10})
		if err != nil {
			t.Fatal(err)
		}
		all := time.Since(watched.start)
		t.Logf("the last of the fast hosts was done after %v, all after %v", watched.lastFast, all)
		if watched.lastFast > all/10 {
			t.Errorf("the last of the fast hosts was done after %v, all after %v", watched.lastFast, all)
		}
		if err := verifier.Close(); err != nil {
			t.Error(err)
		}
		network.Close()
	})
}

func holdNobodyUp(t *testing.T, verifierOf func(w *watched) bulk.Verifier) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		zone := new(strings.Builder)
		network := smtptest.NewNetwork()
		host := func(domain, ip string, h *smtptest.Host) {
			fmt.Fprintf(zone, "%s. MX 10 mx.%s.\nmx.%s. A %s\n", domain, domain, domain, ip)
			network.Add(ip, h)
		}
		host("slow.example", "192.0.2.1", &smtptest.Host{CatchAll: true, RCPTDelay: 10 * time.Second})
		emails := numbered(100, "slow.example")
		for i := range 20 {
			domain := fmt.Sprintf("fast%d.example", i)
			host(domain, fmt.Sprintf("192.0.2.%d", i+2), &smtptest.Host{CatchAll: true})
			emails = append(emails, "one@"+domain)
		}
		verifier, err := engine.New(engine.Config{
			HELO: "verifier.test", Resolvers: []string{"192.0.2.53"}, Exchanger: dnstest.New(zone.String()), Dialer: network,
			AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, MaxSessionsPerHost: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		watched := &watched{Verifier: verifier, start: time.Now()}
		_, err = bulk.Run(t.Context(), listOf(emails...), &file{}, bulk.Options{
			Verifier: verifierOf(watched), Concurrency: 12,
		}.Within(bulk.Limits{Queued: 200}))
		if err != nil {
			t.Fatal(err)
		}
		if all := time.Since(watched.start); watched.lastFast > 30*time.Second || all < 100*time.Second {
			t.Errorf("the last of the fast hosts was done after %v, all after %v", watched.lastFast, all)
		}
		if err := verifier.Close(); err != nil {
			t.Error(err)
		}
		network.Close()
	})
}

package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// proxySecret is the password of the tests' proxies.
const proxySecret = "hunter2"

// proxied is a configuration that goes out through proxies at 10.0.0.1:1080 and
// so on.
func proxied(network *smtptest.Network, zone string, proxies ...*smtptest.Proxy) engine.Config {
	config := engine.Config{HELO: "verifier.test", Resolvers: []string{"192.0.2.53"}, Exchanger: dnstest.New(zone), Dialer: network}
	for i, proxy := range proxies {
		addr := fmt.Sprintf("10.0.0.%d:1080", i+1)
		if proxy != nil {
			proxy.Dialer = network
			network.Add(addr, proxy)
		}
		config.Proxies = append(config.Proxies, &url.URL{Scheme: "socks5", Host: addr, User: url.UserPassword("user", proxySecret)})
	}
	return config
}

// TestEvidenceNamesTheProxy checks that it can be told later which way a
// session went.
func TestEvidenceNamesTheProxy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		defer network.Close()
		network.Add("9.9.9.9", &smtptest.Host{CatchAll: true})
		verifier, err := engine.New(proxied(network, zoneOf("9.9.9.9"), &smtptest.Proxy{Username: "user", Password: proxySecret}))
		if err != nil {
			t.Fatal(err)
		}
		defer verifier.Close()
		evidence, err := verifier.Gather(t.Context(), "user@example.test")
		if err != nil {
			t.Fatal(err)
		}
		if got := evidence.SMTP.Sessions[0].Egress; got != "socks5://10.0.0.1:1080" {
			t.Errorf("egress %q", got)
		}
		if verdict := engine.Decide(evidence, engine.Policy{}).Verdict; verdict != rcpt.VerdictAcceptAll {
			t.Errorf("%s", verdict)
		}
	})
}

// TestBrokenProxyIsOurFault checks that the result names the proxy, never the
// mail host, and that the password of the proxy is nowhere to be seen.
func TestBrokenProxyIsOurFault(t *testing.T) {
	for name, proxy := range map[string]*smtptest.Proxy{
		"not there":  nil,
		"stalls":     {Fault: smtptest.ProxyStalls},
		"garbage":    {Fault: smtptest.ProxyIsHTTP},
		"no entry":   {Username: "user", Password: "another"},
		"rules":      {Reply: 2},
		"cut short":  {Fault: smtptest.ProxyCutsReply},
		"no reason":  {Reply: 1},
		"hangs up":   {Fault: smtptest.ProxyClosesAtRequest},
		"no SOCKS 5": {Fault: smtptest.ProxyIsSOCKS4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				network := smtptest.NewNetwork()
				defer network.Close()
				network.Add("9.9.9.9", &smtptest.Host{})
				config := proxied(network, zoneOf("9.9.9.9"), proxy)
				config.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
				verifier, err := engine.New(config)
				if err != nil {
					t.Fatal(err)
				}
				defer verifier.Close()
				evidence, err := verifier.Gather(t.Context(), "user@example.test")
				result := engine.Decide(evidence, engine.Policy{})
				if err != nil || result.Verdict != rcpt.VerdictUnknown || result.Reason != rcpt.ReasonEgressFailed {
					t.Errorf("%s, %s (%v)", result.Verdict, result.Reason, err)
				}
				if !strings.Contains(result.Message, "a fault on our side") || !strings.Contains(result.Details.SMTP.Text, "socks5://10.0.0.1:1080: ") {
					t.Errorf("%q, %q: want the proxy blamed", result.Message, result.Details.SMTP.Text)
				}
				if result.RetryAfter() != time.Minute {
					t.Errorf("retry after %v", result.RetryAfter())
				}
				synctest.Wait() // the session is logged when it has its answer, which does not wait for that
				said, _ := json.Marshal([]any{evidence, result})
				if bytes.Contains(said, []byte(proxySecret)) || strings.Contains(log.String(), proxySecret) {
					t.Errorf("the password is in %s\n%s", said, log.String())
				}
			})
		})
	}
}

// TestHostsBeforeOurOwnFault checks that the result names what a mail host did,
// or did not do, and not an egress that failed for another of its addresses.
func TestHostsBeforeOurOwnFault(t *testing.T) {
	silent := smtpprobe.Session{Host: "mx.test", Addr: netip.MustParseAddrPort("9.9.9.9:25"),
		Failure: &smtp.Failure{Phase: smtp.PhaseConnect, Kind: smtp.KindTimeout}}
	noWay := smtpprobe.Session{Host: "mx.test", Addr: netip.MustParseAddrPort("[2620:fe::9]:25"),
		Failure: &smtp.Failure{Phase: smtp.PhaseConnect, Kind: smtp.KindEgress}}
	for _, sessions := range [][]smtpprobe.Session{{silent, noWay}, {noWay, silent}} {
		evidence := engine.Evidence{
			DNS: &dnsresolve.Findings{Status: dnsresolve.StatusOK, Hosts: []dnsresolve.Host{{
				Name: "mx.test", Status: dnsresolve.StatusOK, Addrs: []dnsresolve.Addr{{IP: netip.MustParseAddr("9.9.9.9")}},
			}}},
			SMTP: &smtpprobe.Findings{Sessions: sessions},
		}
		if reason := engine.Decide(evidence, engine.Policy{}).Reason; reason != rcpt.ReasonConnectionTimeout {
			t.Errorf("%s", reason)
		}
	}
}

// TestGreylistingSeesTheSameClient checks that a greylisted address is asked
// about again through the same proxy, and accepted.
func TestGreylistingSeesTheSameClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		defer network.Close()
		var zone strings.Builder
		const domains = 20
		for i := range domains {
			fmt.Fprintf(&zone, "d%d.test. MX 10 mx%d.test.\nmx%d.test. A 9.9.%d.9\n", i, i, i, i)
		}
		proxies := []*smtptest.Proxy{{}, {}, {}}
		verifier, err := engine.New(proxied(network, zone.String(), proxies...))
		if err != nil {
			t.Fatal(err)
		}
		defer verifier.Close()
		for round := range 2 {
			for i := range domains {
				if round == 0 {
					network.Add(fmt.Sprintf("9.9.%d.9", i), &smtptest.Host{Greylist: 5 * time.Minute, CatchAll: true})
				}
				if _, err := verifier.Verify(t.Context(), fmt.Sprintf("user@d%d.test", i)); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(6 * time.Minute)
		}
		met := map[string]int{}
		for i, proxy := range proxies {
			for _, target := range proxy.Targets() {
				if before, ok := met[target]; ok && before != i {
					t.Errorf("%s has met two clients", target)
				}
				met[target] = i
			}
		}
		if len(met) != domains {
			t.Errorf("%d hosts met", len(met))
		}
	})
}

func TestEgressesThatAreNone(t *testing.T) {
	for name, config := range map[string]engine.Config{
		"no SOCKS":       {Proxies: []*url.URL{{Scheme: "http", Host: "h:1"}}},
		"not ours":       {SourceIPs: []netip.Addr{netip.MustParseAddr("192.0.2.200")}},
		"own dialer too": {SourceIPs: []netip.Addr{netip.MustParseAddr("127.0.0.1")}, Dialer: noDialer{t}},
	} {
		config.Resolvers = []string{"192.0.2.53"}
		if verifier, err := engine.New(config); err == nil {
			verifier.Close()
			t.Errorf("%s: no error", name)
		}
	}
}

package doctor

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// wants fails unless a check of this name has the state, and says the words in
// what was found or what to do.
func wants(t *testing.T, r Report, check string, state State, words ...string) {
	t.Helper()
	for _, c := range r.Checks {
		text := c.Found + " " + c.Do
		if c.Name != check || c.State != state || slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			continue
		}
		if (state == StateFault || state == StateWarning) && (c.Why == "" || c.Do == "") {
			t.Errorf("%s: no word about why, or what to do: %+v", check, c)
		}
		return
	}
	var text strings.Builder
	_ = r.WriteText(&text)
	t.Errorf("no check %s with state %s and %q in\n%s", check, state, words, text.String())
}

// TestHealthyWorld: everything is found in order, in sessions that name nobody
// and end with QUIT.
func TestHealthyWorld(t *testing.T) {
	report, sessions := newWorld().run(t)
	for _, c := range report.Checks {
		if c.State != StateOK {
			t.Errorf("%+v", c)
		}
	}
	for _, check := range []string{
		NameResolver, NameResolverHonest, NameResolverTCP, NameTruncation, NamePort, NameProvider, NameAddress, NamePTR,
		NameHELO, NameSPF, NameBlockList, NameClock, NameOpenFiles,
	} {
		wants(t, report, check, StateOK)
	}
	if !report.OK || len(sessions) != 3 {
		t.Errorf("ok %v, %d sessions", report.OK, len(sessions))
	}
	for _, s := range sessions {
		if want := []string{"EHLO " + name, "QUIT"}; !slices.Equal(s.Commands, want) {
			t.Errorf("%s heard %q, want %q", s.Addr, s.Commands, want)
		}
	}
}

// TestSickWorlds: what is wrong is named, with the remedy.
func TestSickWorlds(t *testing.T) {
	zone := func(old, with string) func(*world) {
		return func(w *world) {
			if !strings.Contains(w.zone, old) {
				panic(old)
			}
			w.zone = strings.Replace(w.zone, old, with, 1)
		}
	}
	add := func(lines string) func(*world) { return func(w *world) { w.zone += lines } }
	const ptr = "7.100.51.198.in-addr.arpa. PTR  mail.rcpt.example.\n"
	for _, c := range []struct {
		name  string
		spoil func(*world)
		check string
		state State
		words []string
	}{
		{"port dropped", func(w *world) { w.silent = true }, NamePort, StateFault,
			[]string{"not even that of one.test, two.test, three.test", "dropped", "Ask the hosting provider to open outgoing port 25"}},
		{"port reset", func(w *world) { w.reset = true }, NamePort, StateFault, []string{"resets the connections", "firewall"}},
		{"port refused", func(w *world) { clear(w.hosts) }, NamePort, StateFault, []string{"resets the connections"}},
		{"one host down", func(w *world) { w.hosts["127.0.0.22"] = nil }, NamePort, StateOK, []string{"is open"}},
		{"one host down, named", func(w *world) { w.hosts["127.0.0.22"] = nil }, NameProvider, StateWarning,
			[]string{"mx.two.test fails at connect", "while others work"}},
		{"PTR missing", zone(ptr, ""), NamePTR, StateFault, []string{"no PTR record", "to " + name}},
		{"PTR of another", zone(ptr, "7.100.51.198.in-addr.arpa. PTR other.example.\nother.example. A 198.51.100.8\n"), NamePTR, StateFault,
			[]string{"does not lead back", "other.example A 198.51.100.7"}},
		{"PTR of a pool", zone(ptr, "7.100.51.198.in-addr.arpa. PTR host-198-51-100-7.isp.example.\nhost-198-51-100-7.isp.example. A 198.51.100.7\n"),
			NamePTR, StateWarning, []string{"dial-up", "set the PTR record to " + name}},
		{"PTR of a pool, and HELO", zone(ptr, "7.100.51.198.in-addr.arpa. PTR host-198-51-100-7.isp.example.\nhost-198-51-100-7.isp.example. A 198.51.100.7\n"),
			NameHELO, StateWarning, []string{"the PTR record should be " + name}},
		{"HELO differs from PTR", zone(ptr, "7.100.51.198.in-addr.arpa. PTR out.rcpt.example.\nout.rcpt.example. A 198.51.100.7\n"),
			NameHELO, StateWarning, []string{"--helo out.rcpt.example"}},
		{"wrong HELO", func(w *world) { w.config.HELO = "localhost.localdomain" }, NameHELO, StateFault,
			[]string{"does not lead to " + seen, "Set --helo to " + name}},
		{"wrong HELO of an egress", func(w *world) {
			w.config.Egresses = egress.Egresses{{Name: "own", Dialer: &net.Dialer{}, HELO: "localhost.localdomain"}}
		}, NameHELO, StateFault, []string{"localhost.localdomain, does not lead to " + seen}},
		{"wrong sender of an egress", func(w *world) {
			w.config.Egresses = egress.Egresses{{Name: "own", Dialer: &net.Dialer{}, MailFrom: "probe@nospf.example"}}
		}, NameSPF, StateWarning, []string{"nospf.example"}},
		{"no HELO", func(w *world) { w.config.HELO = "" }, NameHELO, StateWarning, []string{"literal", "Set --helo to " + name}},
		{"SPF excludes", zone(`"v=spf1 a -all"`, `"v=spf1 -all"`), NameSPF, StateFault, []string{"excludes", "ip4:" + seen}},
		{"SPF broken", zone(`"v=spf1 a -all"`, `"v=spf1 nonsense -all"`), NameSPF, StateFault, []string{"broken"}},
		{"no SPF", zone(`mail.rcpt.example.         TXT  "v=spf1 a -all"`, ""), NameSPF, StateWarning, []string{"no SPF record", "v=spf1"}},
		{"listed", add("7.100.51.198.list.test. A 127.0.0.4\n"), NameBlockList, StateFault, []string{"on the list", "https://list.test/"}},
		{"a list that lists everything", zone("2.0.0.127.list.test.       A    127.0.0.2\n", "*.list.test. A 127.0.0.2\n"), NameBlockList, StateSkipped, []string{"lists 127.0.0.1"}},
		{"a list that is dead", zone("2.0.0.127.list.test.       A    127.0.0.2\n", ""), NameBlockList, StateSkipped, []string{"does not list 127.0.0.2"}},
		{"a list that refuses", zone("2.0.0.127.list.test.       A    127.0.0.2\n", "*.list.test. A 127.255.255.254\n"),
			NameResolverLists, StateWarning, []string{"list.test", "resolver of your own"}},
		{"resolver denies", func(w *world) { w.zone = "" }, NameResolverHonest, StateFault, []string{"has no mail hosts", "--resolver"}},
		{"resolver invents", add("*.com. A 127.0.0.99\n*.com. MX 10 mx.one.test.\n"), NameResolverHonest, StateFault, []string{"invents"}},
		{"resolver dead", func(w *world) { w.resolver = "127.0.0.1:1" }, NameResolver, StateFault, []string{"does not answer", "--resolver"}},
		{"resolver refuses", func(w *world) { w.faults = []dnstest.Fault{{Kind: dnstest.Refused}} }, NameResolver, StateFault, []string{"REFUSED"}},
		{"clock", func(w *world) { w.now = w.now.Add(-time.Hour) }, NameClock, StateWarning, []string{"behind", "chrony"}},
		{"open files", func(w *world) { w.config.MaxSessions = 10_000_000 }, NameOpenFiles, StateWarning, []string{"LimitNOFILE"}},
		{"a provider refuses", func(w *world) {
			w.zone = strings.ReplaceAll(w.zone, "mx.one.test.", "mx00.t-online.de.")
			w.hosts["127.0.0.21"].Greeting = "554 IP=" + seen + " - None/bad reputation. (NOWL)"
		}, NameProvider, StateFault, []string{"(NOWL)", "tosa@rx.t-online.de"}},
		{"a provider wants a PTR record", func(w *world) {
			w.zone = strings.ReplaceAll(w.zone, "mx.one.test.", "mx00.gmx.net.")
			w.hosts["127.0.0.21"].Greeting = "554-gmx.net (mxgmx104) Nemesis ESMTP Service not available\n554-No SMTP service\n554 Bad DNS PTR resource record."
		}, NameProvider, StateFault, []string{"Bad DNS PTR", "postmaster.gmx.net"}},
		{"a provider defers", func(w *world) { w.hosts["127.0.0.21"].Greeting = "421 4.7.0 Too many connections" }, NameProvider, StateWarning,
			[]string{"421 4.7.0"}},
		{"several addresses", func(w *world) {
			w.hosts["127.0.0.21"].EHLO = "250-mx.one.test Hello [198.51.100.8]\n250 8BITMIME"
		}, NameAddress, StateWarning, []string{"several"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld()
			c.spoil(w)
			report, _ := w.run(t)
			wants(t, report, c.check, c.state, c.words...)
			if report.OK != (report.Count(StateFault) == 0) || c.state == StateFault && report.OK {
				t.Errorf("ok is %v", report.OK)
			}
		})
	}
}

// TestProxies: a proxy that is dead, one that lets nobody out, and one that
// works, under its own name and under one of the operator's choice.
func TestProxies(t *testing.T) {
	through := &smtptest.Proxy{Dialer: &net.Dialer{}}
	for _, c := range []struct {
		name  string
		proxy *smtptest.Proxy
		state State
		words []string
	}{
		{"works", through, StateOK, []string{"is open"}},
		{"dead", nil, StateFault, []string{"the proxy does not work", "Check that it runs"}},
		{"refuses the port", &smtptest.Proxy{Reply: 2}, StateFault, []string{"lets nobody out", "Ask the proxy's operator"}},
		{"cannot reach", &smtptest.Proxy{Reply: 5}, StateFault, []string{"lets nobody out"}},
		{"is HTTP", &smtptest.Proxy{Fault: smtptest.ProxyIsHTTP}, StateFault, []string{"does not speak SOCKS5"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			address := "127.0.0.1:" + freePort(t)
			if c.proxy != nil {
				server := smtptest.Start(c.proxy)
				t.Cleanup(server.Close)
				address = server.Addr
			}
			proxy := &url.URL{Scheme: "socks5", Host: address}
			w := newWorld()
			w.config.Proxies = []*url.URL{proxy}
			report, _ := w.run(t)
			wants(t, report, NamePort, c.state, c.words...)

			named, err := egress.Proxy(proxy, nil)
			if err != nil {
				t.Fatal(err)
			}
			named.Name = "paris-1"
			w = newWorld()
			w.config.Egresses = egress.Egresses{named}
			report, _ = w.run(t)
			wants(t, report, NamePort, c.state, c.words...)
		})
	}
}

// TestSourceAddresses: each egress has checks of its own.
func TestSourceAddresses(t *testing.T) {
	w := newWorld()
	w.config.SourceIPs = []netip.Addr{netip.MustParseAddr("127.0.0.31"), netip.MustParseAddr("127.0.0.32")}
	report, sessions := w.run(t)
	for _, egress := range []string{"127.0.0.31", "127.0.0.32"} {
		if !slices.ContainsFunc(report.Checks, func(c Check) bool { return c.Name == NamePort && c.Egress == egress && c.State == StateOK }) {
			t.Errorf("no check of %s", egress)
		}
	}
	if len(sessions) != 6 {
		t.Errorf("%d sessions", len(sessions))
	}
}

// TestDialUpNames tells names of pools from those of servers.
func TestDialUpNames(t *testing.T) {
	ip := netip.MustParseAddr("203.0.113.7")
	for host, want := range map[string]bool{
		"mail.acme.example": false, "static.7.113.0.203.clients.example": true, "p-203-0-113-7.example": true,
		"dsl-pool.example": true, "dyn12.example": true, "adsl.example": true, "cb007107.example": true, "dynamics.example": false,
		"cablecompany.example": false, "v7.example": false,
	} {
		if looksDialUp(host, ip) != want {
			t.Errorf("%s: %v", host, !want)
		}
	}
}

// TestBlockListData: the embedded lists have what the checks show.
func TestBlockListData(t *testing.T) {
	for _, l := range defaultBlockLists() {
		if l.Zone == "" || l.Name == "" || l.Do == "" || l.Source == "" || !strings.HasPrefix(l.Link, "https://") {
			t.Errorf("%+v", l)
		}
	}
	if _, err := os.Stat("blocklists.yaml"); err != nil {
		t.Error(err)
	}
}

// TestLiterals finds our address in what hosts say.
func TestLiterals(t *testing.T) {
	for text, want := range map[string]string{
		"mx.google.com at your service, [203.0.113.7]":   "[203.0.113.7]",
		"gmx.net Hello mail.example [203.0.113.7]":       "[203.0.113.7]",
		"IP=203.0.113.7 - A problem occurred.":           "[203.0.113.7]",
		"Hello [IPv6:2001:db8::7], 8.15.2":               "[2001:db8::7]",
		"mx.example ESMTP Exim 4.96.2 at 12:00:00 +0000": "[]",
		"Hello client (203.0.113.7:4242)":                "[]",
	} {
		if got := fmt.Sprint(literals(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestNotAsked: whom the configuration does not ask is not greeted.
func TestNotAsked(t *testing.T) {
	w := newWorld()
	w.config.NoAsk = []string{"domain:one.test", "mx:mx.two.test"}
	report, sessions := w.run(t)
	wants(t, report, NamePort, StateOK)
	if len(sessions) != 1 || !strings.HasPrefix(sessions[0].Addr, "127.0.0.23:") {
		t.Errorf("sessions: %+v", sessions)
	}
}

// TestShare: many egresses greet few mail hosts each, and all together every
// one.
func TestShare(t *testing.T) {
	targets := make([]target, 10)
	for i := range targets {
		targets[i].domain = fmt.Sprint(i)
	}
	for _, c := range []struct{ egresses, each int }{{1, 10}, {6, 10}, {10, 6}, {100, 3}} {
		greeted := map[string]bool{}
		for i := range c.egresses {
			mine := share(targets, i, c.egresses)
			if len(mine) != c.each {
				t.Errorf("%d egresses: %d hosts", c.egresses, len(mine))
			}
			for _, to := range mine {
				greeted[to.domain] = true
			}
		}
		if len(greeted) != len(targets) {
			t.Errorf("%d egresses greet %d hosts", c.egresses, len(greeted))
		}
	}
}

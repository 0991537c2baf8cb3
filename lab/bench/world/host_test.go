package world

import (
	"crypto/tls"
	"net/netip"
	"net/smtp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestCounters(t *testing.T) {
	w := start(t, testSpec())
	c, _ := dial(t, w, 0)
	c.say("EHLO client.test")
	c.send("MAIL FROM:<>", "RCPT TO:<box1@d0.test>", "RCPT TO:<nobody@d0.test>") // one group, one wait
	for range 3 {
		c.reply()
	}
	c.say("DATA")
	c.say("QUIT")
	rude, _ := dial(t, w, 0)
	rude.Close()
	want := Counters{
		Connections: 2, NoQUIT: 1,
		Waits:    5, // greeting, EHLO, group, DATA; the other greeting
		Commands: map[string]int64{"EHLO": 1, "MAIL": 1, "RCPT": 2, "DATA": 1, "QUIT": 1},
		DNS:      map[string]int64{},
	}
	ignored := cmpopts.IgnoreFields(Counters{}, "PeakPerHost", "PeakInAll") // the host may notice a bit later that the first has gone
	if diff := cmp.Diff(want, take(t, w), ignored); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Counters{Commands: map[string]int64{}, DNS: map[string]int64{}}, take(t, w)); diff != "" {
		t.Errorf("counters begin anew: %s", diff)
	}
}

func TestPeaks(t *testing.T) {
	w := start(t, testSpec())
	var open []*client
	for _, domain := range []int{0, 0, 0, 1} { // two hosts
		c, _ := dial(t, w, domain)
		open = append(open, c)
	}
	for _, c := range open {
		c.say("QUIT")
	}
	got := take(t, w)
	if got.PeakPerHost != 3 || got.PeakInAll != 4 {
		t.Errorf("peaks %d and %d, want 3 to one host and 4 in all", got.PeakPerHost, got.PeakInAll)
	}
}

func TestLimits(t *testing.T) {
	spec := testSpec()
	spec.HostMix = HostMix{MaxRecipients: 2, MaxErrors: 5, SessionsPerClient: 1} // with two 452 and the 503
	w := start(t, spec)
	c, _ := dial(t, w, 0)

	second, greeting := dial(t, w, 0)
	if !strings.HasPrefix(greeting, "421 4.7.0") {
		t.Errorf("second session: greeting %q, want 421 4.7.0", greeting)
	}
	if _, err := second.ReadLine(); err == nil {
		t.Error("second session: goes on")
	}

	c.mail()
	existing, _ := addressWith(t, spec, checks, exists)
	for _, want := range []string{"250", "250", "452 4.5.3", "452 4.5.3"} {
		if got := c.say("RCPT TO:<" + existing + ">"); !strings.HasPrefix(got, want) {
			t.Errorf("recipients: reply %q, want %q", got, want)
		}
	}
	c.say("RSET")
	if got := c.say("RCPT TO:<" + existing + ">"); !strings.HasPrefix(got, "503") {
		t.Errorf("outside of a transaction: reply %q, want 503", got)
	}
	c.say("MAIL FROM:<>")
	for _, want := range []string{"550 5.1.1", "550 5.1.1", "421 4.7.0"} {
		if got := c.say("RCPT TO:<nobody@d0.test>"); !strings.HasPrefix(got, want) {
			t.Errorf("errors: reply %q, want %q", got, want)
		}
	}
	if got := take(t, w); got.TurnedAway != 1 || got.NoQUIT != 0 {
		t.Errorf("%d turned away, %d without QUIT, want 1 and 0: the host ended these sessions", got.TurnedAway, got.NoQUIT)
	}
}

// A client that has seen its connection closed may open another session at
// once: this one no longer counts.
func TestSessionCountsUntilItIsClosed(t *testing.T) {
	w := start(t, testSpec())
	c, _ := dial(t, w, 0)
	c.say("EHLO client.test")
	if n := w.counts.sessions.now.Load(); n != 1 {
		t.Errorf("%d sessions while one is open", n)
	}
	c.say("QUIT")
	if line, err := c.ReadLine(); err == nil {
		t.Errorf("%q behind the last reply", line)
	}
	if n := w.counts.sessions.now.Load(); n != 0 {
		t.Errorf("%d sessions when the connection is closed", n)
	}
}

func TestTarpits(t *testing.T) {
	const late = 50 * time.Millisecond
	spec := testSpec()
	spec.Providers, spec.HostMix = 0, HostMix{Tarpits: 1, TarpitDelay: late}
	w := start(t, spec)
	c, greeting := dial(t, w, 0)
	began := time.Now()
	c.say("EHLO client.test")
	if took := time.Since(began); took < late || !strings.HasPrefix(greeting, "220") {
		t.Errorf("greeting %q, EHLO answered after %v", greeting, took)
	}
	c.say("QUIT")
}

func TestDelays(t *testing.T) {
	const delay, slow = 20 * time.Millisecond, 50 * time.Millisecond
	spec := testSpec()
	spec.Delay = delay
	spec.MailboxMix = MailboxMix{Slow: 1, SlowDelay: slow}
	w := start(t, spec)
	address, domain := addressWith(t, spec, checks, exists)

	began := time.Now()
	c, _ := dial(t, w, domain)
	c.say("EHLO client.test")
	c.send("MAIL FROM:<>", "RCPT TO:<"+address+">")
	c.reply()
	c.reply()
	if took, least := time.Since(began), 4*delay+slow; took < least { // handshake, greeting, EHLO, group
		t.Errorf("took %v, want %v or more", took, least)
	}
}

func TestExtensions(t *testing.T) {
	spec := testSpec()
	spec.HostMix = HostMix{NoPipelining: 1, STARTTLS: 1}
	w := start(t, spec)
	tests := []struct {
		kind       string
		domain     int
		pipelining bool
	}{{"provider", 0, true}, {"own host", ownHost(t, spec), false}}
	for _, test := range tests {
		host := w.spec.exchanges(test.domain)[0]
		client, err := smtp.Dial(netip.AddrPortFrom(host.ip, spec.Port).String())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		if got, _ := client.Extension("PIPELINING"); got != test.pipelining {
			t.Errorf("%s: PIPELINING %t, want %t", test.kind, got, test.pipelining)
		}
		if err := client.StartTLS(&tls.Config{InsecureSkipVerify: true}); err != nil {
			t.Errorf("%s: STARTTLS: %v", test.kind, err)
		}
		if again, _ := client.Extension("STARTTLS"); again {
			t.Errorf("%s: STARTTLS is offered over TLS", test.kind)
		}
		if err := client.Quit(); err != nil {
			t.Errorf("%s: QUIT: %v", test.kind, err)
		}
	}
}

// ownHost is a domain that is not at a provider's.
func ownHost(t *testing.T, spec Spec) int {
	t.Helper()
	for n := range spec.Domains {
		if _, _, provider := spec.owner(n); !provider {
			return n
		}
	}
	t.Fatal("every domain is at a provider's")
	return 0
}

func TestOnlyLoopback(t *testing.T) {
	w := start(t, testSpec())
	if len(w.servers) != len(w.hosts) {
		t.Errorf("%d listeners for %d hosts", len(w.servers), len(w.hosts))
	}
	for _, server := range w.servers {
		if addr := netip.MustParseAddrPort(server.Addr); !addr.Addr().IsLoopback() {
			t.Errorf("a host listens on %v", addr)
		}
	}
}

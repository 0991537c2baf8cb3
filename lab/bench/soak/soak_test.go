package soak

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/textproto"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/rcpt/rcpt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// little is a world with one host of each kind.
var little = Spec{Seed: 1, Subnet: 94, Hosts: 1, DNSFaults: dnsFaults, Turn: time.Second}

func startWorld(t *testing.T) *World {
	t.Helper()
	w, err := Start(little)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

// unhurried is the library on a machine that may be slow.
type unhurried struct{ *library }

func (unhurried) patience() time.Duration { return time.Hour }

// TestLibrary asks about mailboxes of all hosts at once.
func TestLibrary(t *testing.T) {
	w := startWorld(t)
	library, err := newLibrary(little, Ready{DNS: w.DNS(), Port: w.Port()}, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, d := range little.domains() {
		list = append(list, existing+"1@"+d.name, missing+"@"+d.name)
	}
	var wrong faults
	trial, err := newTrial(unhurried{library}, &wrong)
	if err != nil {
		t.Fatal(err)
	}
	trial.load(t.Context(), len(list), each(list))
	library.close(&wrong)
	if err := wrong.err(); err != nil {
		t.Error(err)
	}
	said := trial.tally.take().verdicts
	for _, verdict := range []rcpt.Verdict{rcpt.VerdictDeliverable, rcpt.VerdictUndeliverable, rcpt.VerdictAcceptAll, rcpt.VerdictUnknown} {
		if said[verdict] == 0 {
			t.Errorf("nothing was called %s: %v", verdict, said)
		}
	}
	if c := w.Counters(); len(c.Harm) > 0 || c.Connections == 0 || c.Queries == 0 {
		t.Errorf("%+v", c)
	}
}

// each is a source of the addresses of a list.
func each(list []string) func() (string, bool) {
	return func() (address string, more bool) {
		if len(list) == 0 {
			return "", false
		}
		address, list = list[0], list[1:]
		return address, true
	}
}

// TestHarm sees that the world notices what clients must not do.
func TestHarm(t *testing.T) {
	w := startWorld(t)
	talk(t, w, hostOf(t, honest), "EHLO me.test", "DATA")
	talk(t, w, hostOf(t, honest), "EHLO me.test", "QUIT")
	talk(t, w, hostOf(t, "closes-at-ehlo"), "EHLO me.test")
	talk(t, w, little.tripwire())
	want := []string{"a DATA (honest)", "a contact to a reserved address (tripwire)", "a session without QUIT (honest)"}
	w.Close() // waits for the sessions
	var got []string
	for what := range w.Counters().Harm {
		got = append(got, what)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("noticed %q, want %q", got, want)
	}
}

func hostOf(t *testing.T, kind string) netip.Addr {
	t.Helper()
	for _, d := range little.domains() {
		if d.kind.Name == kind {
			return d.ip
		}
	}
	t.Fatalf("there is no kind %q", kind)
	return netip.Addr{}
}

// talk says lines, each when something was heard, and leaves.
func talk(t *testing.T, w *World, host netip.Addr, lines ...string) {
	t.Helper()
	conn, err := net.Dial("tcp", netip.AddrPortFrom(host, w.Port()).String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	in := textproto.NewReader(bufio.NewReader(conn))
	for _, line := range lines {
		if _, _, err := in.ReadResponse(0); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "%s\r\n", line)
	}
	// To close with a part of the reply unread would reset the connection, and
	// the host might not read the last line.
	_, _, _ = in.ReadResponse(0)
}

// TestDomains: both processes of a soak must make the same world of a spec.
func TestDomains(t *testing.T) {
	seen := map[netip.Addr]bool{little.tripwire(): true, little.dnsIP(): true}
	for i, d := range little.domains() {
		if again := little.domains()[i]; again.name != d.name || again.ip != d.ip || again.kind != d.kind {
			t.Errorf("%v becomes %v", d, again)
		}
		if seen[d.ip] || !little.Network().Contains(d.ip) {
			t.Errorf("%s is at %s", d.name, d.ip)
		}
		seen[d.ip] = true
		if k := kindOf("real@" + d.name); k != d.kind {
			t.Errorf("%s has the kind %v", d.name, k)
		}
	}
	if little.Network().Contains(little.tripwire()) {
		t.Error("the tripwire is where one may go")
	}
	for _, s := range []Spec{{Hosts: 0}, {Hosts: 10_000}} {
		if s.check() == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		address string
		allowed []rcpt.Verdict // beside unknown
	}{
		{"real1@honest-0.test", []rcpt.Verdict{rcpt.VerdictDeliverable}},
		{"missing1@honest-3.test", []rcpt.Verdict{rcpt.VerdictUndeliverable}},
		{"full1@honest-0.test", nil},
		{"real1@greylisting-0.test", nil},
		{"missing1@greylisting-0.test", nil},
		{"real1@closes-at-rcpt-0.test", []rcpt.Verdict{rcpt.VerdictDeliverable}},
		{"missing1@closes-at-quit-0.test", []rcpt.Verdict{rcpt.VerdictUndeliverable}},
		{"full1@closes-at-quit-0.test", nil},
		{"missing1@catch-all-0.test", []rcpt.Verdict{rcpt.VerdictAcceptAll}},
		{"real1@turns-after-3-refusals-5-1-1-0.test", []rcpt.Verdict{rcpt.VerdictDeliverable}},
		{"real1@random-0.test", []rcpt.Verdict{rcpt.VerdictDeliverable, rcpt.VerdictAcceptAll}},
		{"real1@no-domain-0.test", []rcpt.Verdict{rcpt.VerdictUndeliverable}},
	} {
		for _, verdict := range []rcpt.Verdict{rcpt.VerdictDeliverable, rcpt.VerdictUndeliverable, rcpt.VerdictAcceptAll, rcpt.VerdictUnknown} {
			want := verdict == rcpt.VerdictUnknown || slices.Contains(tt.allowed, verdict)
			if err := Judge(tt.address, verdict); (err == nil) != want {
				t.Errorf("%s %s: %v", tt.address, verdict, err)
			}
		}
	}
	if Judge("real1@elsewhere.test", rcpt.VerdictUnknown) == nil {
		t.Error("an address of another world is judged")
	}
}

func TestGrowth(t *testing.T) {
	steady := figures{Goroutines: 500, HeapLive: 20 << 20, fds: 400, rss: 60 << 20}
	for name, leak := range map[string]figures{
		"": {}, "goroutines": {Goroutines: 2}, "file descriptors": {fds: 2}, "octets of live heap": {HeapLive: 120 << 10}, "octets of resident memory": {rss: 300 << 10},
	} {
		var g growth
		for i := range uint64(600) {
			g.add(figures{steady.Goroutines + i*leak.Goroutines, steady.HeapLive + i*leak.HeapLive, steady.fds + i*leak.fds, steady.rss + i*leak.rss})
		}
		for _, sum := range []func([]figures) figures{highest, usual} {
			var wrong faults
			g.check("it", sum, &wrong)
			if err := wrong.err(); (err != nil) != (name != "") || err != nil && (wrong.count != 1 || !strings.Contains(err.Error(), name)) {
				t.Errorf("%q: %v", name, err)
			}
		}
		g.history[500].Goroutines *= 2
		var once faults
		g.check("it", usual, &once)
		if err := once.err(); (err != nil) != (name != "") {
			t.Errorf("%q, one larger: %v", name, err)
		}
	}
	if !steady.atRest(steady) || steady.atRest(figures{Goroutines: 100, fds: 400}) || steady.atRest(figures{Goroutines: 500, fds: 100}) {
		t.Error("rest is not seen")
	}
}

// slow is a subject that takes its time, and says the same about all.
type slow struct {
	takes   time.Duration
	verdict rcpt.Verdict
}

func (slow) name() string              { return "slow" }
func (slow) figures() (figures, error) { return figures{}, nil }
func (slow) patience() time.Duration   { return 5 * time.Second }
func (slow) close(*faults)             {}
func (s slow) verify(context.Context, string) (said, error) {
	time.Sleep(s.takes)
	return said{verdict: s.verdict}, nil
}

// TestTrial sees that what takes too long, says something untrue, or never
// anything, is named.
func TestTrial(t *testing.T) {
	for _, tt := range []struct {
		slow
		want string
	}{
		{slow{6 * time.Second, rcpt.VerdictDeliverable}, ""},
		{slow{6001 * time.Millisecond, rcpt.VerdictDeliverable}, "slow took 6.001s for real1@honest-0.test, and had 5s"},
		{slow{time.Second, rcpt.VerdictUndeliverable}, "a wrong verdict: real1@honest-0.test is called undeliverable"},
		{slow{time.Second, rcpt.VerdictUnknown}, "slow could not tell about 30 of 30 mailboxes"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var wrong faults
			trial, _ := newTrial(tt.slow, &wrong)
			trial.load(t.Context(), 3, each(slices.Repeat([]string{"real1@honest-0.test"}, 30)))
			trial.tally.check("slow", &wrong)
			if err := fmt.Sprint(wrong.err()); tt.want == "" && err != "<nil>" || !strings.Contains(err, tt.want) {
				t.Errorf("%+v: %s", tt.slow, err)
			}
		})
	}
}

func TestInside(t *testing.T) {
	f, err := inside()
	if err != nil || f.Goroutines == 0 || f.fds == 0 || f.rss == 0 {
		t.Errorf("%+v: %v", f, err)
	}
	if err := f.outside(os.Getpid()); err != nil {
		t.Error(err)
	}
}

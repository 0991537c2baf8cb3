package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// verifyInWorld verifies user@example.test in a bubble where only 9.9.9.9 is a
// mail host, which takes the mailbox.
func verifyInWorld(t *testing.T, zone *dnstest.Server, resolvers ...string) (result rcpt.Result, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		defer network.Close()
		network.Add("9.9.9.9", &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"user": smtptest.Accepts}})
		verifier, err := engine.New(engine.Config{HELO: "verifier.test", Resolvers: resolvers, Exchanger: zone, Dialer: network})
		if err != nil {
			t.Fatal(err)
		}
		defer verifier.Close()
		began := time.Now()
		if result, err = verifier.Verify(t.Context(), "user@example.test"); err != nil {
			t.Error(err)
		}
		took = time.Since(began)
		for _, addr := range network.Dials() {
			if addr != "9.9.9.9:25" {
				t.Errorf("%s was dialled", addr)
			}
		}
	})
	return result, took
}

// hostileDNS is what servers on the way to the answer may do, and what may be
// made of it: either the truth, or that nothing was learned.
var hostileDNS = []struct {
	name string
	kind dnstest.Kind
	want rcpt.Reason
}{
	{"SERVFAIL", dnstest.ServFail, rcpt.ReasonDNSTemporary},
	{"REFUSED", dnstest.Refused, rcpt.ReasonDNSTemporary},
	{"no EDNS0", dnstest.FormErr, rcpt.ReasonRecipientAccepted},
	{"referral", dnstest.Referral, rcpt.ReasonDNSTemporary},
	{"silent", dnstest.Lose, rcpt.ReasonDNSTemporary},
	{"not there", dnstest.Unreachable, rcpt.ReasonDNSTemporary},
	{"truncated over UDP", dnstest.Truncate, rcpt.ReasonRecipientAccepted},
	{"truncated for ever", dnstest.TruncateForever, rcpt.ReasonDNSTemporary},
	{"forged ID", dnstest.ForgeID, rcpt.ReasonDNSTemporary},
	{"forged question", dnstest.ForgeQuestion, rcpt.ReasonDNSTemporary},
	{"forged from elsewhere", dnstest.ForgeSource, rcpt.ReasonRecipientAccepted},
	{"broken message", dnstest.Malformed, rcpt.ReasonDNSTemporary},
	{"oversized", dnstest.Oversize, rcpt.ReasonRecipientAccepted},
	{"case not kept", dnstest.ChangeCase, rcpt.ReasonRecipientAccepted},
	{"strangers", dnstest.Strangers, rcpt.ReasonRecipientAccepted},
	{"denial with records", dnstest.DenyWithRecords, rcpt.ReasonDNSTemporary},
	{"unfounded denial", dnstest.Unfounded, rcpt.ReasonDNSTemporary},
}

// TestHostileDNS checks that none of it makes an address undeliverable, that
// all of it ends in time, and that one good resolver beside the bad one is
// enough.
func TestHostileDNS(t *testing.T) {
	const bad, good = "192.0.2.53:53", "192.0.2.54:53"
	for _, tt := range hostileDNS {
		for _, qtype := range []string{"", "MX", "A", "AAAA"} {
			t.Run(tt.name+" "+qtype, func(t *testing.T) {
				fault := dnstest.Fault{Kind: tt.kind, Type: qtype}
				zone := dnstest.New(zoneOf("9.9.9.9"))
				zone.Break(fault)
				result, took := verifyInWorld(t, zone, bad)
				reason := result.Reason
				wrong := qtype == "" && reason != tt.want || reason != tt.want && reason != rcpt.ReasonRecipientAccepted
				if wrong || result.Verdict == rcpt.VerdictUndeliverable || took > engine.DefaultTimeout {
					t.Errorf("%s, %s after %v; want %s", result.Verdict, reason, took, tt.want)
				}

				fault.Server = bad
				zone = dnstest.New(zoneOf("9.9.9.9"))
				zone.Break(fault)
				if result, _ := verifyInWorld(t, zone, bad, good); result.Verdict != rcpt.VerdictDeliverable {
					t.Errorf("with a good resolver beside it: %s, %s", result.Verdict, result.Reason)
				}
			})
		}
	}
}

// TestSlowDNS checks that answers that take their time are waited for, up to
// the time for one question.
func TestSlowDNS(t *testing.T) {
	for delay, want := range map[time.Duration]rcpt.Reason{2 * time.Second: rcpt.ReasonRecipientAccepted, 4 * time.Second: rcpt.ReasonDNSTemporary} {
		zone := dnstest.New(zoneOf("9.9.9.9"))
		zone.Break(dnstest.Fault{Delay: delay})
		if result, took := verifyInWorld(t, zone, "192.0.2.53"); result.Reason != want || took > engine.DefaultTimeout {
			t.Errorf("answers after %v: %s after %v, want %s", delay, result.Reason, took, want)
		}
	}
}

// many is n mail exchangers, each with its records.
func many(n int, records string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "example.test. MX %d mx%d.test.\n%s", i, i, strings.ReplaceAll(records, "HOST", fmt.Sprintf("mx%d.test.", i)))
	}
	return b.String()
}

func chain(n int) string {
	var b strings.Builder
	b.WriteString("example.test. CNAME c0.test.\n")
	for i := range n {
		fmt.Fprintf(&b, "c%d.test. CNAME c%d.test.\n", i, i+1)
	}
	return b.String() + fmt.Sprintf("c%d.test. MX 0 .\n", n)
}

// TestHostileZones checks what is made of what a domain's owner can put into
// the DNS. Only what the DNS proves is undeliverable.
func TestHostileZones(t *testing.T) {
	const mailHost = "mx.test. A 9.9.9.9\n"
	label := strings.Repeat("x", 63)
	long := strings.Repeat(label+".", 3) + "test."
	for _, tt := range []struct {
		name, zone string
		want       rcpt.Reason
	}{
		{"alias circle", "example.test. CNAME a.test.\na.test. CNAME example.test.\n", rcpt.ReasonDNSTemporary},
		{"aliases without end", chain(50), rcpt.ReasonDNSTemporary},
		{"MX that is an alias", "example.test. MX 10 alias.test.\nalias.test. CNAME mx.test.\n" + mailHost, rcpt.ReasonRecipientAccepted},
		{"MX that is an alias in a circle", "example.test. MX 10 a.test.\na.test. CNAME b.test.\nb.test. CNAME a.test.\n", rcpt.ReasonDNSTemporary},
		{"MX that is an alias of nothing", "example.test. MX 10 a.test.\na.test. CNAME b.test.\n", rcpt.ReasonNoMailHost},
		{"MX that is the domain itself", "example.test. MX 10 example.test.\nexample.test. A 9.9.9.9\n", rcpt.ReasonRecipientAccepted},
		{"MX that is the domain itself, without address", "example.test. MX 10 example.test.\n", rcpt.ReasonNoMailHost},
		{"MX that is an address", "example.test. MX 10 9.9.9.9.\n", rcpt.ReasonRecipientAccepted},
		{"MX that is a loopback address", "example.test. MX 10 127.0.0.1.\n", rcpt.ReasonMXReservedAddress},
		{"MX that is a private address", "example.test. MX 10 10.1.2.3.\n", rcpt.ReasonMXReservedAddress},
		{"MX that is a mapped private address", "example.test. MX 10 ::ffff:10.1.2.3.\n", rcpt.ReasonMXReservedAddress},
		{"MX that is nearly an address", "example.test. MX 10 9.9.9.\n", rcpt.ReasonNoMailHost},
		{"MX that is a URL", "example.test. MX 10 http://mx.test.\n" + mailHost, rcpt.ReasonDNSTemporary},
		{"MX that is a URL, which resolves", "example.test. MX 10 http://mx.test.\nhttp://mx.test. A 9.9.9.9\n", rcpt.ReasonRecipientAccepted},
		{"MX that is a URL, and a real one", "example.test. MX 10 http://mx.test.\nexample.test. MX 20 mx.test.\n" + mailHost, rcpt.ReasonRecipientAccepted},
		{"MX with a port", "example.test. MX 10 mx.test:25.\n" + mailHost, rcpt.ReasonDNSTemporary},
		{"MX with underscores", "example.test. MX 10 _mx_1.test.\n_mx_1.test. A 9.9.9.9\n", rcpt.ReasonRecipientAccepted},
		{"MX with underscores, without address", "example.test. MX 10 _mx_1.test.\n", rcpt.ReasonNoMailHost},
		{"MX that is an address, and a real one", "example.test. MX 10 127.0.0.1.\nexample.test. MX 20 mx.test.\n" + mailHost, rcpt.ReasonRecipientAccepted},
		{"MX that is an address of the loopback, which resolves", "example.test. MX 10 127.0.0.1.\n127.0.0.1. A 127.0.0.1\n", rcpt.ReasonMXReservedAddress},
		{"MX with control characters", "example.test. MX 10 m\\013\\010x\\000.test.\n", rcpt.ReasonDNSTemporary},
		{"MX with control characters, and a real one", "example.test. MX 10 m\\013\\010x\\000.test.\nexample.test. MX 20 mx.test.\n" + mailHost, rcpt.ReasonRecipientAccepted},
		{"MX with the longest labels", "example.test. MX 10 " + long + "\n" + long + " A 9.9.9.9\n", rcpt.ReasonRecipientAccepted},
		{"null MX beside a real one", "example.test. MX 0 .\nexample.test. MX 10 mx.test.\n" + mailHost, rcpt.ReasonRecipientAccepted},
		{"null MX twice", "example.test. MX 0 .\nexample.test. MX 10 .\n", rcpt.ReasonNullMX},
		{"50 MX without hosts", many(50, ""), rcpt.ReasonDNSTemporary},
		{"10 MX without hosts", many(10, ""), rcpt.ReasonNoMailHost},
		{"50 MX, all loopback", many(50, "HOST A 127.0.0.1\n"), rcpt.ReasonMXReservedAddress},
		{"5,000 MX", many(5000, "HOST A 9.9.9.9\n"), rcpt.ReasonDNSTemporary},
		{"lifetime 0", "example.test. 0 MX 10 mx.test.\nmx.test. 0 A 9.9.9.9\n", rcpt.ReasonRecipientAccepted},
		{"lifetime that is negative", "example.test. 4294967295 MX 10 mx.test.\nmx.test. 2147483648 A 9.9.9.9\n", rcpt.ReasonRecipientAccepted},
		{"lifetime of 68 years", "example.test. 2147483647 MX 10 mx.test.\nmx.test. 2147483647 A 9.9.9.9\n", rcpt.ReasonRecipientAccepted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			result, took := verifyInWorld(t, dnstest.New(tt.zone), "192.0.2.53")
			if result.Reason != tt.want || took > engine.DefaultTimeout {
				t.Errorf("%s, %s after %v; want %s", result.Verdict, result.Reason, took, tt.want)
			}
		})
	}
}

// TestManyDeadMailHosts checks how much a domain with fifty dead mail hosts can
// have us do.
func TestManyDeadMailHosts(t *testing.T) {
	var zone strings.Builder
	for i := range 50 {
		fmt.Fprintf(&zone, "example.test. MX %d mx%d.test.\nmx%d.test. A 9.9.8.%d\n", i, i, i, i)
	}
	for _, silent := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			network := smtptest.NewNetwork()
			defer network.Close()
			for i := range 50 {
				if silent {
					network.Blackhole(fmt.Sprintf("9.9.8.%d", i))
				}
			}
			began := time.Now()
			result := verifyWith(t, engine.Config{Exchanger: dnstest.New(zone.String()), Dialer: network})
			if result.Verdict != rcpt.VerdictUnknown || len(network.Dials()) > 6 || time.Since(began) > engine.DefaultTimeout {
				t.Errorf("silent %t: %s after %v and %d connections", silent, result.Verdict, time.Since(began), len(network.Dials()))
			}
		})
	}
}

package engine_test

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// ownPublic is a public address of this machine in the tests.
const ownPublic = "9.9.9.10"

// reservedAddrs are addresses that no stranger may have us dial, one of each
// kind at least. Those of a sender itself are proof that nobody can deliver
// there.
var reservedAddrs = []struct {
	kind, ip string
	verdict  rcpt.Verdict
}{
	{"loopback", "127.0.0.1", rcpt.VerdictUndeliverable},
	{"end of loopback", "127.255.255.254", rcpt.VerdictUndeliverable},
	{"unspecified", "0.0.0.0", rcpt.VerdictUnknown},
	{"this network", "0.1.2.3", rcpt.VerdictUnknown},
	{"private 10/8", "10.0.0.1", rcpt.VerdictUnknown},
	{"private 172.16/12", "172.31.255.1", rcpt.VerdictUnknown},
	{"private 192.168/16", "192.168.1.1", rcpt.VerdictUnknown},
	{"link-local", "169.254.0.1", rcpt.VerdictUnknown},
	{"metadata of a cloud", "169.254.169.254", rcpt.VerdictUnknown},
	{"CGNAT", "100.64.0.1", rcpt.VerdictUnknown},
	{"protocol assignments", "192.0.0.8", rcpt.VerdictUnknown},
	{"documentation 1", "192.0.2.1", rcpt.VerdictUnknown},
	{"documentation 2", "198.51.100.1", rcpt.VerdictUnknown},
	{"documentation 3", "203.0.113.1", rcpt.VerdictUnknown},
	{"AS112", "192.175.48.6", rcpt.VerdictUnknown},
	{"AS112 by DNAME", "192.31.196.1", rcpt.VerdictUnknown},
	{"AMT", "192.52.193.1", rcpt.VerdictUnknown},
	{"6to4 relay", "192.88.99.1", rcpt.VerdictUnknown},
	{"benchmarking", "198.19.0.1", rcpt.VerdictUnknown},
	{"multicast", "224.0.0.25", rcpt.VerdictUnknown},
	{"multicast, local", "239.255.255.250", rcpt.VerdictUnknown},
	{"class E", "240.0.0.1", rcpt.VerdictUnknown},
	{"broadcast", "255.255.255.255", rcpt.VerdictUnknown},

	{"loopback v6", "::1", rcpt.VerdictUndeliverable},
	{"unspecified v6", "::", rcpt.VerdictUnknown},
	{"v4-mapped loopback", "::ffff:127.0.0.1", rcpt.VerdictUndeliverable},
	{"v4-mapped private", "::ffff:10.0.0.1", rcpt.VerdictUnknown},
	{"v4-mapped public", "::ffff:9.9.9.9", rcpt.VerdictUnknown},
	{"v4-compatible loopback", "::127.0.0.1", rcpt.VerdictUnknown},
	{"v4-translated", "::ffff:0:127.0.0.1", rcpt.VerdictUnknown},
	{"NAT64 of loopback", "64:ff9b::7f00:1", rcpt.VerdictUnknown},
	{"NAT64 of private", "64:ff9b::a00:1", rcpt.VerdictUnknown},
	{"NAT64 of this machine", "64:ff9b::" + ownPublic, rcpt.VerdictUnknown},
	{"NAT64, local", "64:ff9b:1::a00:1", rcpt.VerdictUnknown},
	{"6to4 of loopback", "2002:7f00:1::1", rcpt.VerdictUnknown},
	{"6to4 of private", "2002:a00:1::1", rcpt.VerdictUnknown},
	{"Teredo", "2001:0:7f00:1::1", rcpt.VerdictUnknown},
	{"discard", "100::1", rcpt.VerdictUnknown},
	{"dummy", "100:0:0:1::1", rcpt.VerdictUnknown},
	{"benchmarking v6", "2001:2::1", rcpt.VerdictUnknown},
	{"AMT v6", "2001:3::1", rcpt.VerdictUnknown},
	{"AS112 v6", "2001:4:112::1", rcpt.VerdictUnknown},
	{"AS112 v6, direct", "2620:4f:8000::6", rcpt.VerdictUnknown},
	{"ORCHID", "2001:10::1", rcpt.VerdictUnknown},
	{"ORCHIDv2", "2001:20::1", rcpt.VerdictUnknown},
	{"drone", "2001:30::1", rcpt.VerdictUnknown},
	{"protocol assignments v6", "2001:1::1", rcpt.VerdictUnknown},
	{"documentation v6", "2001:db8::1", rcpt.VerdictUnknown},
	{"documentation v6, second", "3fff:fff::1", rcpt.VerdictUnknown},
	{"SRv6", "5f00::1", rcpt.VerdictUnknown},
	{"not given out", "4000::1", rcpt.VerdictUnknown},
	{"ULA", "fd00::1", rcpt.VerdictUnknown},
	{"link-local v6", "fe80::1", rcpt.VerdictUnknown},
	{"site-local", "fec0::1", rcpt.VerdictUnknown},
	{"multicast v6", "ff02::1", rcpt.VerdictUnknown},

	{"this machine", ownPublic, rcpt.VerdictUnknown},
	{"this machine v6", "2620:fe::10", rcpt.VerdictUnknown},
}

func ownAddrs() []netip.Addr {
	return []netip.Addr{netip.MustParseAddr(ownPublic), netip.MustParseAddr("2620:fe::10")}
}

// zoneOf is a domain, example.test, whose mail host has the addresses.
func zoneOf(ips ...string) string {
	var b strings.Builder
	b.WriteString("example.test. MX 10 mx.example.test.\n")
	for _, ip := range ips {
		b.WriteString("mx.example.test. " + recordType(ip) + " " + ip + "\n")
	}
	return b.String()
}

func recordType(ip string) string {
	if strings.Contains(ip, ":") {
		return "AAAA"
	}
	return "A"
}

// noDialer fails the test when it is used.
type noDialer struct{ *testing.T }

func (d noDialer) DialContext(_ context.Context, _, address string) (net.Conn, error) {
	d.Errorf("%s was dialled", address)
	return nil, &net.OpError{Op: "dial", Err: net.ErrClosed}
}

// verifyWith verifies user@example.test with a configuration.
func verifyWith(t *testing.T, config engine.Config) rcpt.Result {
	t.Helper()
	config.HELO, config.Resolvers = "verifier.test", []string{"192.0.2.53"}
	verifier, err := engine.New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer verifier.Close()
	result, err := verifier.Verify(t.Context(), "user@example.test")
	if err != nil {
		t.Error(err)
	}
	return result
}

// TestReservedAddressesAreNotDialled checks the promise for each kind of
// address, by MX, without MX, and next to other reserved ones.
func TestReservedAddressesAreNotDialled(t *testing.T) {
	for _, tt := range reservedAddrs {
		t.Run(tt.kind, func(t *testing.T) {
			for zone, want := range map[string]rcpt.Verdict{
				zoneOf(tt.ip): tt.verdict,
				"example.test. " + recordType(tt.ip) + " " + tt.ip + "\n": tt.verdict,
				zoneOf(tt.ip, "10.9.8.7"):                                 rcpt.VerdictUnknown,
			} {
				config := engine.Config{Exchanger: dnstest.New(zone), Dialer: noDialer{t}, OwnAddrs: ownAddrs()}
				result := verifyWith(t, config)
				if result.Reason != rcpt.ReasonMXReservedAddress || result.Verdict != want {
					t.Errorf("%s: %s, %s; want %s", zone, result.Reason, result.Verdict, want)
				}
			}
		})
	}
}

// TestAllowedNets checks that a network that is allowed is opened, and none
// beside it.
func TestAllowedNets(t *testing.T) {
	tests := []struct {
		allowed    string
		in, beside []string
	}{
		{"10.1.0.0/16", []string{"10.1.0.0", "10.1.255.255"}, []string{"10.0.255.255", "10.2.0.0", "::ffff:10.1.0.1", "127.0.0.1"}},
		{"127.0.0.5/32", []string{"127.0.0.5"}, []string{"127.0.0.4", "127.0.0.6", "::1", "::ffff:127.0.0.5", "0.0.0.0"}},
		{"0.0.0.0/0", []string{"10.0.0.1", "127.0.0.1", ownPublic}, []string{"::ffff:10.0.0.1", "fd00::1", "::1"}},
		{"fd00::/8", []string{"fd00::1", "fdff::1"}, []string{"fc00::1", "fe80::1", "10.0.0.1"}},
		{"::/0", []string{"::1", "fd00::1"}, []string{"::ffff:127.0.0.1", "::ffff:10.0.0.1", "127.0.0.1"}},
		{ownPublic + "/32", []string{ownPublic}, []string{"2620:fe::10", "10.0.0.1"}},
	}
	for _, tt := range tests {
		t.Run(tt.allowed, func(t *testing.T) {
			config := engine.Config{AllowNets: []netip.Prefix{netip.MustParsePrefix(tt.allowed)}, OwnAddrs: ownAddrs()}
			for _, ip := range tt.beside {
				config.Exchanger, config.Dialer = dnstest.New(zoneOf(ip)), noDialer{t}
				verifyWith(t, config)
			}
			for _, ip := range tt.in {
				synctest.Test(t, func(t *testing.T) {
					network := smtptest.NewNetwork()
					defer network.Close()
					network.Add(ip, &smtptest.Host{})
					config.Exchanger, config.Dialer = dnstest.New(zoneOf(ip)), network
					if result := verifyWith(t, config); result.Reason != rcpt.ReasonMailboxNotFound {
						t.Errorf("%s: %s", ip, result.Reason)
					}
				})
			}
		})
	}
}

// TestPublicAddressBesideReservedOnes checks that the one that may be dialled
// is, and it alone.
func TestPublicAddressBesideReservedOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		defer network.Close()
		network.Add("9.9.9.9", &smtptest.Host{CatchAll: true})
		zone := zoneOf("127.0.0.1", "10.0.0.1", ownPublic, "9.9.9.9", "::ffff:127.0.0.1", "::1")
		result := verifyWith(t, engine.Config{Exchanger: dnstest.New(zone), Dialer: network, OwnAddrs: ownAddrs()})
		if result.Verdict != rcpt.VerdictAcceptAll {
			t.Errorf("%s, %s", result.Verdict, result.Reason)
		}
		for _, addr := range network.Dials() {
			if addr != "9.9.9.9:25" {
				t.Errorf("%s was dialled", addr)
			}
		}
	})
}

// TestOwnAddressIsToldAsSuch checks that the operator learns why such a domain
// cannot be verified.
func TestOwnAddressIsToldAsSuch(t *testing.T) {
	result := verifyWith(t, engine.Config{Exchanger: dnstest.New(zoneOf(ownPublic)), Dialer: noDialer{t}, OwnAddrs: ownAddrs()})
	if !strings.Contains(result.Message, "the machine that asks") {
		t.Errorf("message %q", result.Message)
	}
}

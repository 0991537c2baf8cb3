package dnsresolve

import (
	"context"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The servers of tests in memory: names only.
const (
	firstServer  = "192.0.2.1:53"
	secondServer = "192.0.2.2:53"
)

// newTest returns a Resolver that asks exchanger in memory and does not
// shuffle, and closes it when the test ends.
func newTest(t testing.TB, exchanger Exchanger, change ...func(*Config)) *Resolver {
	t.Helper()
	config := Config{Servers: []string{firstServer}, Exchanger: exchanger}
	for _, c := range change {
		c(&config)
	}
	r, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	r.shuffle = func(int, func(i, j int)) {}
	return r
}

func twoServers(c *Config) { c.Servers = []string{firstServer, secondServer} }

func noCache(c *Config) { c.CacheBytes = -1 }

// find is MailHosts where it cannot be cancelled.
func find(t testing.TB, r *Resolver, domain string) Findings {
	t.Helper()
	found, err := r.MailHosts(context.Background(), domain)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// compare compares findings; the evidence is compared where want has some.
func compare(t testing.TB, got, want Findings) {
	t.Helper()
	options := []cmp.Option{cmpopts.EquateComparable(netip.Addr{})}
	if want.Lookups == nil {
		options = append(options, cmpopts.IgnoreFields(Findings{}, "Lookups"))
	}
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// halfOf is h when one of its address look-ups failed.
func halfOf(h Host) Host {
	h.Incomplete = true
	return h
}

// host is a Host with addresses, or without addresses and with a status.
func host(name string, preference uint16, status Status, ips ...string) Host {
	h := Host{Name: name, Preference: preference, Status: status}
	for _, ip := range ips {
		addr := netip.MustParseAddr(ip)
		h.Addrs = append(h.Addrs, Addr{IP: addr, Reserved: Reserved(addr)})
	}
	return h
}

package dnsresolve

import (
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

func TestAdapterServers(t *testing.T) {
	servers := func(ips ...string) (all []netip.Addr) {
		for _, ip := range ips {
			all = append(all, netip.MustParseAddr(ip))
		}
		return all
	}
	lan := adapter{up: true, gateway: true, metric: 25, servers: servers("192.168.1.1", "fe80::1%12", "8.8.8.8")}
	cable := adapter{up: true, gateway: true, metric: 5, servers: servers("10.0.0.1", "8.8.8.8")}
	vpn := adapter{up: true, metric: 1, servers: servers("172.16.0.1")}
	unplugged := adapter{gateway: true, servers: servers("10.9.9.9")}
	unset := adapter{up: true, gateway: true, servers: servers("fec0:0:0:ffff::1", "fec0:0:0:ffff::2%1", "fec0:0:0:ffff::3")}
	for _, tt := range []struct {
		name string
		all  []adapter
		want []string
	}{
		{"one", []adapter{lan}, []string{"192.168.1.1:53", "[fe80::1%12]:53", "8.8.8.8:53"}},
		{"by metric, each server once", []adapter{lan, cable}, []string{"10.0.0.1:53", "8.8.8.8:53", "192.168.1.1:53", "[fe80::1%12]:53"}},
		{"those that lead out", []adapter{vpn, lan}, []string{"192.168.1.1:53", "[fe80::1%12]:53", "8.8.8.8:53"}},
		{"none leads out", []adapter{unplugged, vpn}, []string{"172.16.0.1:53"}},
		{"not plugged in", []adapter{unplugged}, nil},
		{"servers that do not exist", []adapter{unset}, nil},
		{"servers that do not exist beside others", []adapter{unset, vpn}, []string{"172.16.0.1:53"}},
		{"no adapter", nil, nil},
	} {
		got, err := addresses(nil, func() ([]string, string, error) { return adapterServers(tt.all) })
		if !slices.Equal(got, tt.want) || (err != nil) != (tt.want == nil) {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}

// TestSystemWithoutServers checks that a Resolver which would ask nobody cannot
// be made in silence. An Exchanger may need no server's name.
func TestSystemWithoutServers(t *testing.T) {
	none := func() ([]string, string, error) { return nil, "", errNoServers }
	if _, err := newResolver(Config{}, none); !errors.Is(err, errNoServers) {
		t.Errorf("error %v", err)
	}
	for name, config := range map[string]Config{
		"Servers": {Servers: []string{"192.0.2.53"}}, "Exchanger": {Exchanger: dnstest.New(oneHost)},
	} {
		r, err := newResolver(config, none)
		if err != nil {
			t.Errorf("with %s: %v", name, err)
			continue
		}
		r.Close()
	}
}

// TestServersAreLogged checks that it can be seen which servers are asked.
func TestServersAreLogged(t *testing.T) {
	var out strings.Builder
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	r, err := New(Config{Servers: []string{"192.0.2.53", "[2001:db8::53]:5353"}, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if want := "[192.0.2.53:53 [2001:db8::53]:5353]"; !strings.Contains(out.String(), want) {
		t.Errorf("log %q, want %s", out.String(), want)
	}
}

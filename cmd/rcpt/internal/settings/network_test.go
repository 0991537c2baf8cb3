package settings

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rcpt/rcpt/engine"
)

// TestNameOf: only public addresses are looked up, and only full names count.
func TestNameOf(t *testing.T) {
	for _, c := range []struct {
		addrs []string
		names map[string]string
		want  string
		asked []string
	}{
		{[]string{"127.0.0.1/8", "10.1.2.3/8", "fe80::1/64"}, nil, "", nil},
		{[]string{"127.0.0.1/8", "9.9.9.9/24"}, map[string]string{"9.9.9.9": "mail.acme.example."}, "mail.acme.example", []string{"9.9.9.9"}},
		{[]string{"9.9.9.9/24", "2620:fe::9/64"}, map[string]string{"2620:fe::9": "mail.acme.example."}, "mail.acme.example", []string{"9.9.9.9", "2620:fe::9"}},
		{[]string{"9.9.9.9/24"}, map[string]string{"9.9.9.9": "localhost."}, "", []string{"9.9.9.9"}},
		{[]string{"9.9.9.9/24"}, map[string]string{"9.9.9.9": "bad name.example."}, "", []string{"9.9.9.9"}},
	} {
		var addrs []net.Addr
		for _, addr := range c.addrs {
			ip, network, err := net.ParseCIDR(addr)
			check(t, err)
			addrs = append(addrs, &net.IPNet{IP: ip, Mask: network.Mask})
		}
		var asked []string
		got := nameOf(t.Context(), addrs, func(_ context.Context, ip string) ([]string, error) {
			asked = append(asked, ip)
			if name, ok := c.names[ip]; ok {
				return []string{name}, nil
			}
			return nil, errors.New("no name")
		})
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.addrs, got, c.want)
		}
		if diff := cmp.Diff(c.asked, asked); diff != "" {
			t.Errorf("%v: asked (-want +got):\n%s", c.addrs, diff)
		}
	}
}

// TestHELOIsLazy: a configured name is used, and no name is looked up if no
// mail host is asked.
func TestHELOIsLazy(t *testing.T) {
	if got := HELO(t.Context(), engine.Config{HELO: "mail.acme.example", Level: engine.LevelSMTP}); got != "mail.acme.example" {
		t.Errorf("got %q", got)
	}
	if got := HELO(t.Context(), engine.Config{Level: engine.LevelDNS}); got != "" {
		t.Errorf("got %q", got)
	}
}

// TestClientAddrs: a name is looked up only if mail hosts see one known
// address.
func TestClientAddrs(t *testing.T) {
	one, two := netip.MustParseAddr("9.9.9.9"), netip.MustParseAddr("9.9.9.10")
	for _, c := range []struct {
		config engine.Config
		want   string
	}{
		{engine.Config{SourceIPs: []netip.Addr{one}}, "[9.9.9.9/32]"},
		{engine.Config{SourceIPs: []netip.Addr{one, two}}, "[]"},
		{engine.Config{Proxies: []*url.URL{{Scheme: "socks5", Host: "10.0.0.1:1080"}}}, "[]"},
		{engine.Config{Proxies: []*url.URL{{Scheme: "socks5", Host: "10.0.0.1:1080"}}, SourceIPs: []netip.Addr{one}}, "[]"},
	} {
		addrs, err := clientAddrs(c.config)
		if got := fmt.Sprint(addrs); err != nil || got != c.want {
			t.Errorf("%+v: %s (%v), want %s", c.config, got, err, c.want)
		}
	}
}

func TestIsFullName(t *testing.T) {
	for name, want := range map[string]bool{
		"mail.acme.example": true, "mail.acme.example.": true,
		"mail": false, "mail.": false, "": false, "localhost.localdomain": false, "a b.example": false,
	} {
		if got := isFullName(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

func TestCheckResolvers(t *testing.T) {
	asked := ""
	lookUp := func(_ context.Context, name string) ([]string, error) {
		asked += name + " "
		switch name {
		case "nowhere.example":
			return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
		case "later.example":
			return nil, &net.DNSError{Err: "server misbehaving", Name: name, IsTemporary: true}
		}
		return []string{"192.0.2.53"}, nil
	}
	check(t, checkResolvers([]string{"192.0.2.53", "[2001:db8::53]:53", "2001:db8::53", "dns.example:5353", "later.example"}, lookUp))
	if want := "dns.example later.example "; asked != want {
		t.Errorf("asked about %q, want %q", asked, want)
	}
	err := checkResolvers([]string{"dns.example", "nowhere.example:53"}, lookUp)
	if err == nil || !strings.Contains(err.Error(), "--resolver nowhere.example:53: there is no host nowhere.example") {
		t.Error(err)
	}
}

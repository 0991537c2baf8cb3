package egress_test

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe/egress"
)

// secret is the password of the proxies.
const secret = "hunter2"

// TestProxyURLs checks which URLs are accepted, and that no error shows what
// may be a password.
func TestProxyURLs(t *testing.T) {
	for text, ok := range map[string]bool{
		"socks5://proxy.example:1080":                  true,
		"socks5://10.0.0.1:1080/":                      true,
		"socks5://[2001:db8::1]:1080":                  true,
		"socks5://u:" + secret + "@proxy.example:1080": true,
		"socks5://u@proxy.example:1080":                true,
		"http://u:" + secret + "@proxy.example:1080":   false,
		"socks5://u:" + secret + "@proxy.example":      false,
		"socks5://u:" + secret + "@proxy.example:0":    false,
		"socks5://u:" + secret + "@h:70000":            false,
		"socks5://:" + secret + "@proxy.example:1080":  false,
		"socks5://proxy.example:1080/" + secret:        false,
		"socks5://proxy.example:1080?" + secret:        false,
		"socks5://:1080":                               false,
		"proxy.example:1080":                           false,
	} {
		address, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := egress.Proxy(address, nil)
		if (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
		if strings.Contains(fmt.Sprint(e.Name, err), secret) {
			t.Errorf("%s: the password is in %q, %v", text, e.Name, err)
		}
	}
	if _, err := egress.Proxy(nil, nil); err == nil {
		t.Error("no URL at all is taken for a proxy")
	}
}

// TestSourceIP checks that connections come from the address and reach its
// family only.
func TestSourceIP(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	defer listener.Close()
	e, err := egress.SourceIP(netip.MustParseAddr("127.0.0.9"))
	if err != nil {
		t.Skipf("loopback is one address here: %v", err)
	}
	all := egress.Egresses{e}
	conn, err := all.DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	far, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	if got := far.RemoteAddr().(*net.TCPAddr).IP.String(); got != "127.0.0.9" {
		t.Errorf("the connection comes from %s", got)
	}
	if conn, err := all.DialContext(t.Context(), "tcp", "[::1]:25"); err == nil {
		conn.Close()
		t.Error("an IPv4 address led to an IPv6 host")
	}
}

func TestSourceIPsThatAreNone(t *testing.T) {
	for _, ip := range []string{"0.0.0.0", "::", "224.0.0.1", "192.0.2.200"} {
		if _, err := egress.SourceIP(netip.MustParseAddr(ip)); err == nil {
			t.Errorf("%s: no error", ip)
		}
	}
	if _, err := egress.SourceIP(netip.Addr{}); err == nil {
		t.Error("no address at all: no error")
	}
}

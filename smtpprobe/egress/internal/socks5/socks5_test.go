package socks5_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/rcpt/rcpt/smtpprobe/egress/internal/socks5"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	proxyAddr = "10.0.0.1:1080"
	target    = "192.0.2.1:25"
	secret    = "hunter2"
)

// dial connects to target through a proxy in a bubble of its own, and hangs up.
func dial(t *testing.T, proxy *smtptest.Proxy, dialer socks5.Dialer) (local net.Addr, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		defer network.Close()
		network.Add(target, smtptest.Script("S: 220 hello\nclose"))
		if proxy != nil {
			proxy.Dialer = network
			network.Add(proxyAddr, proxy)
		}
		dialer.Proxy, dialer.Forward = proxyAddr, network
		ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
		defer cancel()
		var conn net.Conn
		if conn, err = dialer.DialContext(ctx, "tcp", target); err != nil {
			return
		}
		defer conn.Close()
		local = conn.LocalAddr()
		greeting := make([]byte, 9)
		if n, _ := conn.Read(greeting); string(greeting[:n]) != "220 hello" {
			t.Errorf("read %q", greeting[:n])
		}
	})
	return local, err
}

// TestConnects checks that what follows the proxy's reply comes from the
// target, and that the proxy's own address is known if the proxy reports it.
func TestConnects(t *testing.T) {
	for bound, want := range map[string]string{"": "0.0.0.0:0", "198.51.100.7:4711": "198.51.100.7:4711", "[2001:db8::7]:1": "[2001:db8::7]:1"} {
		proxy := &smtptest.Proxy{}
		if bound != "" {
			proxy.Bound = netip.MustParseAddrPort(bound)
		}
		local, err := dial(t, proxy, socks5.Dialer{})
		if err != nil || local.String() != want {
			t.Errorf("bound to %q: %v (%v), want %s", bound, local, err, want)
		}
		if got := proxy.Targets(); len(got) != 1 || got[0] != target {
			t.Errorf("asked for %v", got)
		}
	}
}

func TestAuthenticates(t *testing.T) {
	tests := []struct {
		name       string
		wants, has [2]string
		fails      string
	}{
		{"right", [2]string{"u", secret}, [2]string{"u", secret}, ""},
		{"offered for nothing", [2]string{}, [2]string{"u", secret}, ""},
		{"wrong", [2]string{"u", "other"}, [2]string{"u", secret}, "it refuses the user name and password"},
		{"missing", [2]string{"u", "other"}, [2]string{}, "lets nobody in without"},
		{"too long", [2]string{"u", "other"}, [2]string{"u", strings.Repeat(secret, 40)}, "longer than 255 octets"},
		{"too long a name", [2]string{"u", "other"}, [2]string{strings.Repeat("u", 256), secret}, "longer than 255 octets"},
	}
	for _, tt := range tests {
		proxy := &smtptest.Proxy{Username: tt.wants[0], Password: tt.wants[1]}
		_, err := dial(t, proxy, socks5.Dialer{Username: tt.has[0], Password: tt.has[1]})
		if tt.fails == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		wantProxyError(t, tt.name, err, tt.fails)
	}
}

func wantProxyError(t *testing.T, name string, err error, text string) {
	t.Helper()
	var broken *socks5.Error
	if !errors.As(err, &broken) || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: %v; want an error about the proxy with %q", name, err, text)
	}
	if err != nil && strings.Contains(err.Error(), secret) {
		t.Errorf("%s: the password is in %v", name, err)
	}
}

// TestHostileProxies checks that whatever a proxy does ends in time and is
// reported as the proxy's failure.
func TestHostileProxies(t *testing.T) {
	tests := []struct {
		name  string
		fault smtptest.ProxyFault
		text  string
	}{
		{"stalls", smtptest.ProxyStalls, "deadline exceeded"},
		{"closes", smtptest.ProxyCloses, "EOF"},
		{"HTTP", smtptest.ProxyIsHTTP, "does not speak SOCKS5"},
		{"SOCKS4", smtptest.ProxyIsSOCKS4, "does not speak SOCKS5"},
		{"GSSAPI", smtptest.ProxyWantsGSSAPI, "method 1 for authentication, which was not on offer"},
		{"closes at the request", smtptest.ProxyClosesAtRequest, "EOF"},
		{"garbage at the request", smtptest.ProxyGarbageAtRequest, "does not speak SOCKS5"},
		{"cuts its reply", smtptest.ProxyCutsReply, "EOF"},
	}
	for _, tt := range tests {
		_, err := dial(t, &smtptest.Proxy{Fault: tt.fault}, socks5.Dialer{Username: "u", Password: secret})
		wantProxyError(t, tt.name, err, tt.text)
	}
	_, err := dial(t, nil, socks5.Dialer{})
	wantProxyError(t, "refused", err, "connection refused")
}

// TestReplies checks which failure is reported: that of the target, of the
// network between, or of the proxy.
func TestReplies(t *testing.T) {
	for code, want := range map[byte]error{
		3: syscall.ENETUNREACH, 4: syscall.EHOSTUNREACH, 5: syscall.ECONNREFUSED, 6: syscall.ETIMEDOUT, 8: syscall.EAFNOSUPPORT,
	} {
		_, err := dial(t, &smtptest.Proxy{Reply: code}, socks5.Dialer{})
		var broken *socks5.Error
		if !errors.Is(err, want) || errors.As(err, &broken) {
			t.Errorf("code %d: %v, want %v", code, err, want)
		}
	}
	for code, text := range map[byte]string{1: "does not say why", 2: "rules do not allow", 7: "does not support CONNECT", 9: "unknown code 9"} {
		_, err := dial(t, &smtptest.Proxy{Reply: code}, socks5.Dialer{})
		wantProxyError(t, text, err, text)
	}
}

// TestWaitForTheTarget checks that a proxy which does not answer a request is
// assumed to wait for the target: that is no failure of the proxy.
func TestWaitForTheTarget(t *testing.T) {
	_, err := dial(t, &smtptest.Proxy{Fault: smtptest.ProxyStallsAtRequest}, socks5.Dialer{})
	var broken *socks5.Error
	if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &broken) {
		t.Errorf("got %v, want the deadline, and no failure of the proxy", err)
	}
}

// TestNamesAreNotSent checks that no name reaches the proxy, which would look
// it up again.
func TestNamesAreNotSent(t *testing.T) {
	network := smtptest.NewNetwork()
	defer network.Close()
	dialer := socks5.Dialer{Proxy: proxyAddr, Forward: network}
	if _, err := dialer.DialContext(t.Context(), "tcp", "mx.example.test:25"); err == nil || len(network.Dials()) > 0 {
		t.Errorf("%v, dialled %v", err, network.Dials())
	}
}

// forward is the far end of a proxy's connection.
type forward struct {
	net.Conn
	closed bool
}

func (f *forward) DialContext(context.Context, string, string) (net.Conn, error) { return f, nil }

func (f *forward) Close() error {
	f.closed = true
	return f.Conn.Close()
}

// TestPasswordNotOffered checks that nothing is sent to a proxy that requires a
// password if there is none, and that a useless connection is closed.
func TestPasswordNotOffered(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	way := &forward{Conn: near}
	said := make(chan []byte, 1)
	go func() {
		hello := make([]byte, 3)
		_, _ = io.ReadFull(far, hello)
		_, _ = far.Write([]byte{5, 2})
		rest, _ := io.ReadAll(far)
		said <- rest
	}()
	dialer := socks5.Dialer{Proxy: proxyAddr, Forward: way}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := dialer.DialContext(ctx, "tcp", target)
	wantProxyError(t, "password", err, "method 2 for authentication, which was not on offer")
	if !way.closed {
		t.Fatal("the connection is open still")
	}
	if rest := <-said; len(rest) > 0 {
		t.Errorf("it was told %q", rest)
	}
}

// TestOnTheWire has a proxy send its reply with every form of address that RFC
// 1928 §6 allows.
func TestOnTheWire(t *testing.T) {
	for _, tt := range []struct{ name, target, asked, reply, local, fails string }{
		{"IPv4", "192.0.2.1:25", "\x05\x01\x00\x01\xc0\x00\x02\x01\x00\x19", "\x05\x00\x00\x01\x0a\x00\x00\x01\x00\x50", "10.0.0.1:80", ""},
		{"IPv4 mapped", "[::ffff:192.0.2.1]:25", "\x05\x01\x00\x01\xc0\x00\x02\x01\x00\x19", "\x05\x00\x00\x01\x0a\x00\x00\x01\x00\x50", "10.0.0.1:80", ""},
		{"a name", "192.0.2.1:25", "\x05\x01\x00\x01\xc0\x00\x02\x01\x00\x19", "\x05\x00\x00\x03\x04gate\x00\x50", ":0", ""},
		{"another kind", "192.0.2.1:25", "\x05\x01\x00\x01\xc0\x00\x02\x01\x00\x19", "\x05\x00\x00\x02\x00\x50\x00\x50", "", "does not speak SOCKS5"},
	} {
		near, far := net.Pipe()
		go func() {
			hello, asked := make([]byte, 3), make([]byte, len(tt.asked))
			_, _ = io.ReadFull(far, hello)
			_, _ = far.Write([]byte{5, 0})
			if _, err := io.ReadFull(far, asked); err != nil || string(asked) != tt.asked {
				t.Errorf("%s: asked %q (%v)", tt.name, asked, err)
			}
			_, _ = io.WriteString(far, tt.reply+"220 hello")
		}()
		dialer := socks5.Dialer{Proxy: proxyAddr, Forward: &forward{Conn: near}}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		conn, err := dialer.DialContext(ctx, "tcp", tt.target)
		cancel()
		switch {
		case tt.fails != "":
			wantProxyError(t, tt.name, err, tt.fails)
		case err != nil:
			t.Errorf("%s: %v", tt.name, err)
		default:
			greeting := make([]byte, 9)
			if _, err := io.ReadFull(conn, greeting); string(greeting) != "220 hello" || conn.LocalAddr().String() != tt.local {
				t.Errorf("%s: read %q (%v), from %v", tt.name, greeting, err, conn.LocalAddr())
			}
		}
		_ = near.Close()
	}
}

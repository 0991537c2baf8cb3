package smtptest_test

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

func TestNetworkDialErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := smtptest.NewNetwork()
		defer n.Close()
		n.Add("192.0.2.1", &smtptest.Host{})
		n.Unreachable("192.0.2.2")
		n.Blackhole("192.0.2.3")
		ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
		defer cancel()
		for _, tt := range []struct {
			address string
			want    error
			after   time.Duration
		}{
			{"192.0.2.1:26", syscall.ECONNREFUSED, 0},
			{"192.0.2.9:25", syscall.ECONNREFUSED, 0},
			{"192.0.2.2:25", syscall.EHOSTUNREACH, 0},
			{"192.0.2.3:25", context.DeadlineExceeded, 7 * time.Second},
			{"192.0.2.1:25", context.DeadlineExceeded, 0},
		} {
			begun := time.Now()
			_, err := n.DialContext(ctx, "tcp", tt.address)
			var opErr *net.OpError
			if !errors.As(err, &opErr) || opErr.Op != "dial" || !errors.Is(err, tt.want) {
				t.Errorf("%s: got %#v, want a net.OpError of %v", tt.address, err, tt.want)
			}
			if got := time.Since(begun); got != tt.after {
				t.Errorf("%s: failed after %v, want %v", tt.address, got, tt.after)
			}
		}
		want := []string{"192.0.2.1:26", "192.0.2.9:25", "192.0.2.2:25", "192.0.2.3:25", "192.0.2.1:25"}
		if diff := cmp.Diff(want, n.Dials()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestNetworkForgetsOldDials(t *testing.T) {
	n := smtptest.NewNetwork()
	defer n.Close()
	for range 10_000 {
		_, _ = n.DialContext(t.Context(), "tcp", "192.0.2.1:25")
	}
	_, _ = n.DialContext(t.Context(), "tcp", "192.0.2.2:25")
	dials := n.Dials()
	if len(dials) != 10_000 || dials[0] != "192.0.2.1:25" || dials[9_999] != "192.0.2.2:25" {
		t.Errorf("%d dials, from %s to %s", len(dials), dials[0], dials[len(dials)-1])
	}
}

func TestNetworkTimeoutIsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := smtptest.NewNetwork()
		defer n.Close()
		n.Blackhole("192.0.2.3")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := n.DialContext(ctx, "tcp", "192.0.2.3:25")
		var netErr net.Error
		if !errors.As(err, &netErr) || !netErr.Timeout() {
			t.Errorf("got %v, want a net.Error that is a timeout", err)
		}
	})
}

func TestNetworkRefusesNames(t *testing.T) {
	n := smtptest.NewNetwork()
	defer n.Close()
	if _, err := n.DialContext(t.Context(), "tcp", "mx.example:25"); err == nil {
		t.Error("dialled a name")
	}
	defer func() {
		if recover() == nil {
			t.Error("Add took a name")
		}
	}()
	n.Add("mx.example", &smtptest.Host{})
}

func TestNetworkAddresses(t *testing.T) {
	for _, tt := range []struct{ add, dial, local string }{
		{"192.0.2.1", "192.0.2.1:25", "198.51.100.1"},
		{"192.0.2.1:2525", "192.0.2.1:2525", "198.51.100.1"},
		{"2001:db8::1", "[2001:db8::1]:25", "2001:db8:c::1"},
		{"[2001:db8::1]:2525", "[2001:db8::1]:2525", "2001:db8:c::1"},
	} {
		n := smtptest.NewNetwork()
		n.Add(tt.add, smtptest.HandlerFunc(func(conn net.Conn) {
			_, _ = io.WriteString(conn, conn.LocalAddr().String()+" "+conn.RemoteAddr().String()+"\r\n")
			_ = conn.Close()
		}))
		c := dial(t, n, tt.dial)
		local, remote := c.conn.LocalAddr().(*net.TCPAddr), c.conn.RemoteAddr().(*net.TCPAddr)
		if local.IP.String() != tt.local || local.Port == 0 || remote.String() != tt.dial {
			t.Errorf("%s: client's addresses are %v, %v", tt.add, local, remote)
		}
		if got, want := c.reply(), remote.String()+" "+local.String(); got != want {
			t.Errorf("%s: server's addresses are %s, want %s", tt.add, got, want)
		}
		n.Close()
		if got := n.Sessions()[0].Addr; got != tt.dial {
			t.Errorf("session at %s, want %s", got, tt.dial)
		}
	}
}

func TestConnectionErrorsAreThoseOfTCP(t *testing.T) {
	n := smtptest.NewNetwork()
	defer n.Close()
	n.Add("192.0.2.1", smtptest.Script("close"))
	n.Add("192.0.2.2", smtptest.Script("reset"))
	n.Add("192.0.2.3", smtptest.Script("hang"))
	one := make([]byte, 1)

	c := dial(t, n, "192.0.2.1:25")
	if _, err := c.conn.Read(one); err != io.EOF {
		t.Errorf("read after close: %v, want EOF", err)
	}
	if _, err := c.conn.Write(one); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("write after close: %v, want EPIPE", err)
	}

	c = dial(t, n, "192.0.2.2:25")
	if _, err := c.conn.Read(one); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("read after reset: %v, want ECONNRESET", err)
	}
	if _, err := c.conn.Write(one); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("write after reset: %v, want ECONNRESET", err)
	}

	c = dial(t, n, "192.0.2.3:25")
	_ = c.conn.SetReadDeadline(time.Unix(1, 0))
	_, err := c.conn.Read(one)
	var netErr net.Error
	if !errors.As(err, &netErr) || !netErr.Timeout() {
		t.Errorf("read after its deadline: %v, want a timeout", err)
	}
	_ = c.conn.Close()
	if _, err := c.conn.Read(one); !errors.Is(err, net.ErrClosed) {
		t.Errorf("read after own close: %v, want net.ErrClosed", err)
	}
}

func TestServerCanHaveReadDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := connect(t, smtptest.HandlerFunc(func(conn net.Conn) {
			_ = conn.SetDeadline(time.Now().Add(time.Minute))
			_, err := conn.Read(make([]byte, 1))
			var netErr net.Error
			if !errors.As(err, &netErr) || !netErr.Timeout() {
				t.Errorf("got %v, want a timeout", err)
			}
			_ = conn.SetReadDeadline(time.Time{})
			if n, err := conn.Read(make([]byte, 6)); n != 6 || err != nil {
				t.Errorf("without a deadline: %d, %v", n, err)
			}
			_ = conn.SetReadDeadline(time.Unix(1, 0))
			if n, err := conn.Read(make([]byte, 9)); n != 0 || !errors.As(err, &netErr) || !netErr.Timeout() {
				t.Errorf("with one that has passed: %d, %v", n, err)
			}
			_ = conn.Close()
		}))
		begun := time.Now()
		time.AfterFunc(time.Minute, func() { c.send("NOOP\r\nQUIT\r\n") })
		c.wantEOF()
		if got := time.Since(begun); got != time.Minute {
			t.Errorf("hung up after %v, want 1m", got)
		}
	})
}

func TestCloseWaitsForSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, c := connect(t, &smtptest.Host{})
		go func() {
			c.hello()
			time.Sleep(2 * time.Second)
			c.want("QUIT", "221 ")
		}()
		synctest.Wait()
		if s := n.Sessions()[0]; s.QUIT {
			t.Errorf("before: %+v", s)
		}
		begun := time.Now()
		n.Close()
		if got := time.Since(begun); got != 2*time.Second {
			t.Errorf("Close took %v, want 2s", got)
		}
		if s := n.Sessions()[0]; !s.QUIT {
			t.Errorf("after: %+v", s)
		}
		if _, err := n.DialContext(t.Context(), "tcp", addr); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("dial after Close: %v, want refused", err)
		}
	})
}

func TestCloseCutsLeakedConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, c := connect(t, smtptest.Script("hang"))
		begun := time.Now()
		n.Close()
		if got := time.Since(begun); got != 5*time.Second {
			t.Errorf("Close took %v, want 5s", got)
		}
		c.wantEOF()
	})
}

func TestCloseEndsSilentDials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := smtptest.NewNetwork()
		n.Blackhole("192.0.2.1")
		failed := make(chan error)
		go func() {
			_, err := n.DialContext(context.Background(), "tcp", addr)
			failed <- err
		}()
		synctest.Wait()
		n.Close()
		if err := <-failed; err == nil {
			t.Error("dial succeeded")
		}
	})
}

// TestZeroNetwork checks that a Network needs no constructor.
func TestZeroNetwork(t *testing.T) {
	var n smtptest.Network
	n.Blackhole("192.0.2.2")
	n.Add("192.0.2.1", &smtptest.Host{})
	c := dial(t, &n, "192.0.2.1:25")
	c.hello()
	_ = c.conn.Close()
	n.Close()
	if _, err := n.DialContext(t.Context(), "tcp", "192.0.2.2:25"); !errors.Is(err, net.ErrClosed) {
		t.Errorf("error %v", err)
	}
}

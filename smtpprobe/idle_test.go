package smtpprobe_test

import (
	"bufio"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestNobodyWaitsForAGoodbye has a host end an idle session that a request
// would have had. The request gets another one before the host answers QUIT.
func TestNobodyWaitsForAGoodbye(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		var sessions atomic.Int32
		network.Add("192.0.2.1", smtptest.HandlerFunc(func(conn net.Conn) {
			if sessions.Add(1) > 1 {
				good().ServeSMTP(conn)
				return
			}
			in := bufio.NewReader(conn)
			_, _ = io.WriteString(conn, "220 mx\r\n")
			for _, reply := range []string{"250-mx\r\n250 PIPELINING", "250 ok", "250 2.1.5 <alice@example.com> ok", "550 5.1.1 <random@example.com> no such user"} {
				_, _ = in.ReadString('\n')
				_, _ = io.WriteString(conn, reply+"\r\n")
			}
			time.Sleep(time.Second)
			_, _ = io.WriteString(conn, "421 enough\r\n")
			_, _ = io.Copy(io.Discard, in)
		}))
		prober := newProber(t, smtpprobe.Config{}, network)
		ask := func() time.Duration {
			began := time.Now()
			found, err := prober.Probe(t.Context(), request(smtpprobe.Request{Hosts: hostsAt("192.0.2.1")}))
			if err != nil || len(found.Sessions) != 1 || found.Sessions[0].Target == nil {
				t.Errorf("%+v, %v", found, err)
			}
			return time.Since(began)
		}
		ask()
		time.Sleep(3 * time.Second)
		if took := ask(); took > time.Second {
			t.Errorf("took %v", took)
		}
		if err := prober.Close(); err != nil {
			t.Error(err)
		}
		network.Close()
		if n := sessions.Load(); n != 2 {
			t.Errorf("%d sessions, want 2", n)
		}
	})
}

// TestEachIdleSessionEndsInItsTime sees that the end of one is not forgotten
// over that of another.
func TestEachIdleSessionEndsInItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		prober := newProber(t, smtpprobe.Config{}, network)
		began := time.Now()
		for _, step := range []struct {
			at   time.Duration
			ask  string
			idle int // just before
		}{
			{0, "192.0.2.1", 0}, {2 * time.Second, "192.0.2.2", 1}, {4900 * time.Millisecond, "", 2}, {5100 * time.Millisecond, "", 1},
			{6900 * time.Millisecond, "", 1}, {7100 * time.Millisecond, "", 0}, {20 * time.Second, "192.0.2.3", 0},
			{24900 * time.Millisecond, "", 1}, {25100 * time.Millisecond, "", 0},
		} {
			time.Sleep(time.Until(began.Add(step.at)))
			synctest.Wait()
			if n := prober.Stats().Idle; n != step.idle {
				t.Errorf("after %v: %d are idle, want %d", step.at, n, step.idle)
			}
			if step.ask == "" {
				continue
			}
			network.Add(step.ask, good())
			if _, err := prober.Probe(t.Context(), request(smtpprobe.Request{Hosts: hostsAt(step.ask)})); err != nil {
				t.Error(err)
			}
		}
		if err := prober.Close(); err != nil {
			t.Error(err)
		}
		network.Close()
	})
}

// TestHostThatEndsAnIdleSession sees that a host which hangs up on a session
// that rests is not taken for one that has had enough of a transaction: its
// next session serves one after the other.
func TestHostThatEndsAnIdleSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		var sessions atomic.Int32
		network.Add("192.0.2.1", smtptest.HandlerFunc(func(conn net.Conn) {
			if sessions.Add(1) == 1 {
				time.AfterFunc(time.Second, func() { _ = conn.Close() })
			}
			good().ServeSMTP(conn)
		}))
		prober := newProber(t, smtpprobe.Config{}, network)
		for range 4 {
			found, err := prober.Probe(t.Context(), request(smtpprobe.Request{Hosts: hostsAt("192.0.2.1")}))
			if err != nil || found.Sessions[0].Target == nil {
				t.Errorf("%+v, %v", found, err)
			}
			time.Sleep(2 * time.Second)
		}
		if err := prober.Close(); err != nil {
			t.Error(err)
		}
		network.Close()
		if n := sessions.Load(); n != 2 {
			t.Errorf("%d sessions, want 2", n)
		}
	})
}

// TestIdleSessionsOutliveDoubt sees that a mailbox which is to be asked about
// in a session of its own takes a new one, and that the sessions that rest stay
// for others.
func TestIdleSessionsOutliveDoubt(t *testing.T) {
	host := slow(time.Second, 0, 0)
	host.Mailboxes["odd"] = "451 4.3.0 Temporary lookup failure"
	sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() { _ = b.ask(b.Context(), about(target)) }) // a new session each 300 ms
		}
		wg.Wait()
		r := b.ask(b.Context(), about("odd@example.com"))
		if got := summaries(r.found); got != "greeting 220, ehlo 250, mail 250, target 451, control 550" || r.took > 1100*time.Millisecond {
			b.Errorf("found %s (%v) after %v", got, r.err, r.took)
		}
		synctest.Wait()
		if n := b.pool.Stats().Idle; n != 4 {
			b.Errorf("%d sessions are idle, want 4", n)
		}
	})
	if len(sessions) != 4 {
		t.Errorf("%d sessions, want 4", len(sessions))
	}
}

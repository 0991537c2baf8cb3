package smtpprobe_test

import (
	"bufio"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestNobodyWaitsForAGoodbye sees that who would have had an idle session, of which the host has had enough, gets another one while the host takes
// its time over the QUIT.
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

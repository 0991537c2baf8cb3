package smtpprobe_test

import (
	"context"
	"net"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// gauge is a dialer that knows how many connections are open, and the most that were.
type gauge struct {
	smtpprobe.Dialer
	mu         sync.Mutex
	open, most int
}

type gaugedConn struct {
	net.Conn
	closed func()
}

func (g *gauge) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := g.Dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	g.add(1)
	return gaugedConn{c, sync.OnceFunc(func() { g.add(-1) })}, nil
}

func (g *gauge) add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open += n
	g.most = max(g.most, g.open)
}

func (c gaugedConn) Close() error {
	c.closed()
	return c.Conn.Close()
}

func TestSessionsAreLimited(t *testing.T) {
	for _, tt := range []struct {
		name   string
		config smtpprobe.Config
		hosts  [][]smtpprobe.Host // asked by turns
		most   int
	}{
		{"per host", smtpprobe.Config{MaxSessionsPerHost: 2}, [][]smtpprobe.Host{mx("192.0.2.1")}, 2},
		{"per address, whatever its name", smtpprobe.Config{MaxSessionsPerHost: 2}, [][]smtpprobe.Host{mx("192.0.2.1"), {{Name: "alias.example", Addrs: mx("192.0.2.1")[0].Addrs}}}, 2},
		{"per address, however written", smtpprobe.Config{MaxSessionsPerHost: 2}, [][]smtpprobe.Host{mx("192.0.2.1"), mx("::ffff:192.0.2.1")}, 2},
		{"hosts do not wait for each other", smtpprobe.Config{MaxSessionsPerHost: 2}, [][]smtpprobe.Host{mx("192.0.2.1"), mx("192.0.2.2")}, 4},
		{"in all", smtpprobe.Config{MaxSessionsPerHost: 2, MaxSessions: 3}, [][]smtpprobe.Host{mx("192.0.2.1"), mx("192.0.2.2")}, 3},
		{"by default", smtpprobe.Config{}, [][]smtpprobe.Host{mx("192.0.2.1")}, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := twoHosts(slow(time.Second, time.Second, 0))
				g := &gauge{Dialer: network}
				prober := newProber(t, tt.config, g)
				var wg sync.WaitGroup
				for i := range 12 {
					wg.Go(func() {
						found, err := prober.Probe(t.Context(), request(smtpprobe.Request{Hosts: tt.hosts[i%len(tt.hosts)]}))
						if got := summaries(found); got != goodFound || err != nil {
							t.Errorf("found %s (%v)", got, err)
						}
					})
				}
				wg.Wait()
				if err := prober.Close(); err != nil {
					t.Error(err)
				}
				network.Close()
				if g.most != tt.most || g.open != 0 {
					t.Errorf("at most %d sessions at a time, want %d; %d left open", g.most, tt.most, g.open)
				}
			})
		})
	}
}

func twoHosts(h smtptest.Handler) *smtptest.Network {
	network := smtptest.NewNetwork()
	network.Add("192.0.2.1", h)
	network.Add("192.0.2.2", h)
	return network
}

func TestWhoWaitsIsServedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := twoHosts(slow(time.Second, 0, 0))
		prober := newProber(t, smtpprobe.Config{MaxSessionsPerHost: 1}, network)
		var wg sync.WaitGroup
		var want []string
		for i := range 5 {
			mailbox := "u" + strconv.Itoa(i) + "@example.com"
			want = append(want, "RCPT TO:<"+mailbox+">")
			wg.Go(func() {
				_, _ = prober.Probe(t.Context(), smtpprobe.Request{Hosts: mx("192.0.2.1"), Target: mailbox})
			})
			synctest.Wait()
		}
		wg.Wait()
		_ = prober.Close()
		network.Close()
		var got []string
		for _, s := range network.Sessions() {
			got = append(got, s.Commands[2])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	})
}

func TestWaitingForASessionEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := twoHosts(smtptest.Script("hang"))
		prober := newProber(t, smtpprobe.Config{MaxSessionsPerHost: 1}, network)
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = prober.Probe(t.Context(), request(smtpprobe.Request{Hosts: mx("192.0.2.1")})) })
		synctest.Wait()

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		found, err := prober.Probe(ctx, request(smtpprobe.Request{Hosts: mx("192.0.2.1")}))
		if got, want := summaries(found), "failure timeout at connect"; got != want || err != nil {
			t.Errorf("found %s (%v), want %s", got, err, want)
		}
		wg.Wait()
		_ = prober.Close()
		network.Close()
		if got := len(network.Dials()); got != 1 {
			t.Errorf("%d connections, want 1", got)
		}
	})
}

package smtpprobe_test

import (
	"context"
	"errors"
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

// gauge is a dialer that knows how many connections are open, and the most that
// were.
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
		network := twoHosts(&smtptest.Host{CatchAll: true, GreetingDelay: time.Second})
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
			got = append(got, withVerb(s, "RCPT")...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	})
}

// occupy takes the only session with a host that is silent for 20 s.
func occupy(t *testing.T, prober *smtpprobe.Pool, addr string) (wait func()) {
	t.Helper()
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = prober.Probe(t.Context(), request(smtpprobe.Request{Hosts: mx(addr)})) })
	synctest.Wait()
	return wg.Wait
}

// TestWaitingForASessionTellsNothingAboutTheHost sees that a session which
// never began is in no findings, only those before it are.
func TestWaitingForASessionTellsNothingAboutTheHost(t *testing.T) {
	deadline := func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, time.Second)
	}
	cancel := func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(time.Second, cancel)
		return ctx, cancel
	}
	for _, tt := range []struct {
		name   string
		config smtpprobe.Config
		end    func(context.Context) (context.Context, context.CancelFunc)
		addrs  []string // the last is occupied, unless sessions are limited in all
		found  string
		err    error
		took   time.Duration
	}{
		{"deadline", smtpprobe.Config{MaxSessionsPerHost: 1}, deadline, []string{"192.0.2.1"}, "", smtpprobe.ErrBusy, time.Second},
		{"deadline, all sessions taken", smtpprobe.Config{MaxSessions: 1}, deadline, []string{"192.0.2.3"}, "", smtpprobe.ErrBusy, time.Second},
		{"deadline at the second host", smtpprobe.Config{MaxSessionsPerHost: 1}, deadline, []string{"192.0.2.2", "192.0.2.1"}, "greeting 421", smtpprobe.ErrBusy, time.Second},
		{"cancel", smtpprobe.Config{MaxSessionsPerHost: 1}, cancel, []string{"192.0.2.1"}, "", context.Canceled, time.Second},
		{"cancel, all sessions taken", smtpprobe.Config{MaxSessions: 1}, cancel, []string{"192.0.2.3"}, "", context.Canceled, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := smtptest.NewNetwork()
				network.Add("192.0.2.1", smtptest.Script("hang"))
				network.Add("192.0.2.2", &smtptest.Host{Greeting: "421 busy"})
				prober := newProber(t, tt.config, network)
				wait := occupy(t, prober, "192.0.2.1")

				ctx, stop := tt.end(t.Context())
				defer stop()
				start := time.Now()
				found, err := prober.Probe(ctx, request(smtpprobe.Request{Hosts: mx(tt.addrs...), Budget: time.Minute}))
				if got := summaries(found); got != tt.found || !errors.Is(err, tt.err) || time.Since(start) != tt.took {
					t.Errorf("found %q (%v) after %v, want %q (%v) after %v", got, err, time.Since(start), tt.found, tt.err, tt.took)
				}
				if errors.Is(err, smtpprobe.ErrBusy) && errors.Is(err, context.Canceled) {
					t.Errorf("busy and cancelled at the same time: %v", err)
				}
				wait()
				_ = prober.Close()
				network.Close()
				if got, want := len(network.Dials()), len(tt.addrs); got != want {
					t.Errorf("%d connections, want %d", got, want)
				}
			})
		})
	}
}

// TestWhoWaitsIsLimited has one session under way and two waiting, and sees
// that a third is turned away, and another address is not. Those that are told
// of waits are not limited, and take nobody's place.
func TestWhoWaitsIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := twoHosts(slow(5*time.Second, 0, 0))
		prober := newProber(t, smtpprobe.Config{MaxSessionsPerHost: 1, MaxWaitingPerHost: 2}, network)
		var wg sync.WaitGroup
		for i := range 9 {
			req := smtpprobe.Request{Hosts: mx("192.0.2.1")}
			if i%3 > 0 {
				req.Queued = func(bool) {}
			}
			wg.Go(func() {
				found, err := prober.Probe(t.Context(), request(req))
				if got := summaries(found); got != goodFound || err != nil {
					t.Errorf("found %s (%v)", got, err)
				}
			})
			synctest.Wait()
		}
		start := time.Now()
		found, err := prober.Probe(t.Context(), request(smtpprobe.Request{Hosts: mx("::ffff:192.0.2.1")}))
		if !errors.Is(err, smtpprobe.ErrBusy) || len(found.Sessions) != 0 || time.Since(start) != 0 {
			t.Errorf("found %s (%v) after %v", summaries(found), err, time.Since(start))
		}
		if _, err := prober.Probe(t.Context(), request(smtpprobe.Request{Hosts: mx("192.0.2.2")})); err != nil {
			t.Errorf("another address: %v", err)
		}
		wg.Wait()
		_ = prober.Close()
		network.Close()
	})
}

// TestBudget is about a host that falls silent at EHLO and can be asked at
// once, or one that does at RCPT and can be asked after the 20 s that another
// probe waits for it and the 3 s of its QUIT.
func TestBudget(t *testing.T) {
	for _, tt := range []struct {
		name     string
		occupied bool
		budget   time.Duration
		timeout  time.Duration // of the context
		took     time.Duration
	}{
		{"bounds the probe", false, 5 * time.Second, time.Minute, 5 * time.Second},
		{"the context does so too", false, 5 * time.Second, 3 * time.Second, 3 * time.Second},
		{"none is no bound", false, 0, time.Minute, 20 * time.Second},
		{"stands still while the probe waits", true, 5 * time.Second, time.Minute, 28 * time.Second},
		{"the context does not", true, 5 * time.Second, 25 * time.Second, 25 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host, want := "S: 220 mx\nhang", "greeting 220, failure timeout at ehlo"
				if tt.occupied {
					host, want = group+"S: 250 ok\nhang", "greeting 220, ehlo 250, mail 250, failure timeout at rcpt"
				}
				network := twoHosts(smtptest.Script(host))
				prober := newProber(t, smtpprobe.Config{MaxSessionsPerHost: 1}, network)
				if tt.occupied {
					defer occupy(t, prober, "192.0.2.1")()
				}
				ctx, cancel := context.WithTimeout(t.Context(), tt.timeout)
				defer cancel()
				start := time.Now()
				found, err := prober.Probe(ctx, request(smtpprobe.Request{Hosts: mx("192.0.2.1"), Budget: tt.budget}))
				if got := summaries(found); got != want || err != nil {
					t.Errorf("found %s (%v), want %s", got, err, want)
				}
				if got := time.Since(start); got != tt.took {
					t.Errorf("took %v, want %v", got, tt.took)
				}
				_ = prober.Close()
				network.Close()
			})
		})
	}
}

func TestSpentBudgetEndsTheTour(t *testing.T) {
	hang := smtptest.Script("S: 220 mx\nhang")
	o := probe(t, setting{req: smtpprobe.Request{Budget: 5 * time.Second}}, hang, good())
	if got, want := summaries(o.found), "greeting 220, failure timeout at ehlo"; got != want || o.err != nil {
		t.Errorf("found %s (%v), want %s", got, o.err, want)
	}
}

func TestPassedDeadlineIsNotTakenForAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithDeadline(t.Context(), time.Now())
		defer cancel()
		o := probeContext(ctx, t, silentNetwork(good()), mx("192.0.2.1"))
		if got, want := summaries(o.found), "failure timeout at connect"; got != want || o.err != nil {
			t.Errorf("found %s (%v), want %s", got, o.err, want)
		}
	})
}

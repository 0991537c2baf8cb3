package smtpprobe_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// two are a host at 192.0.2.1 and another at 192.0.2.2.
func two(h smtptest.Handler) map[string]smtptest.Handler {
	return map[string]smtptest.Handler{"192.0.2.1": h, "192.0.2.2": h}
}

func TestSessionsAreLimited(t *testing.T) {
	for _, tt := range []struct {
		name   string
		config smtpprobe.Config
		hosts  [][]smtpprobe.Host // asked by turns
		most   int
	}{
		{"per host", smtpprobe.Config{MaxSessionsPerHost: 2}, [][]smtpprobe.Host{mx("192.0.2.1")}, 2},
		{"per address, whatever its name", smtpprobe.Config{MaxSessionsPerHost: 2},
			[][]smtpprobe.Host{mx("192.0.2.1"), {{Name: "alias.example", Addrs: addrsOf("192.0.2.1")}}}, 2},
		{"per address, however written", smtpprobe.Config{MaxSessionsPerHost: 2}, [][]smtpprobe.Host{mx("192.0.2.1"), mx("::ffff:192.0.2.1")}, 2},
		{"hosts do not wait for each other", smtpprobe.Config{MaxSessionsPerHost: 2}, [][]smtpprobe.Host{mx("192.0.2.1"), mx("192.0.2.2")}, 4},
		{"in all", smtpprobe.Config{MaxSessionsPerHost: 2, MaxSessions: 3}, [][]smtpprobe.Host{mx("192.0.2.1"), mx("192.0.2.2")}, 3},
		{"by default", smtpprobe.Config{}, [][]smtpprobe.Host{mx("192.0.2.1")}, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, tt.config, two(slow(time.Second, time.Second, 0)), func(b *bubble) {
				var wg sync.WaitGroup
				for i := range 12 {
					wg.Go(func() {
						r := b.ask(b.Context(), request(smtpprobe.Request{Hosts: tt.hosts[i%len(tt.hosts)]}))
						if summaries(r.found) != goodFound || r.err != nil {
							t.Errorf("found %v", r)
						}
					})
				}
				wg.Wait()
				if _, most := b.gauges.peaks(); most != tt.most {
					t.Errorf("at most %d sessions at a time, want %d", most, tt.most)
				}
			})
		})
	}
}

// occupy takes the only session with a host that is silent for 20 s, and
// returns a function that waits for its end.
func (b *bubble) occupy(addr string) (wait func()) {
	var wg sync.WaitGroup
	wg.Go(func() { b.ask(b.Context(), request(smtpprobe.Request{Hosts: mx(addr)})) })
	synctest.Wait()
	return wg.Wait
}

// TestWaitingForASessionTellsNothingAboutTheHost sees that a session which
// never began is in no findings, only those before it are.
func TestWaitingForASessionTellsNothingAboutTheHost(t *testing.T) {
	deadline, cancel := deadlineAfter(time.Second), cancelAfter(time.Second)
	perHost, inAll := smtpprobe.Config{MaxSessionsPerHost: 1}, smtpprobe.Config{MaxSessions: 1}
	for _, tt := range []struct {
		name   string
		config smtpprobe.Config
		end    func(context.Context) (context.Context, context.CancelFunc)
		addrs  []string // the last is occupied, unless sessions are limited in all
		found  string
		err    error
	}{
		{"deadline", perHost, deadline, []string{"192.0.2.1"}, "", context.DeadlineExceeded},
		{"deadline, all sessions taken", inAll, deadline, []string{"192.0.2.3"}, "", context.DeadlineExceeded},
		{"deadline at the second host", perHost, deadline, []string{"192.0.2.2", "192.0.2.1"}, "greeting 421", context.DeadlineExceeded},
		{"cancel", perHost, cancel, []string{"192.0.2.1"}, "", context.Canceled},
		{"cancel, all sessions taken", inAll, cancel, []string{"192.0.2.3"}, "", context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hosts := map[string]smtptest.Handler{"192.0.2.1": smtptest.Script("hang"), "192.0.2.2": &smtptest.Host{Greeting: "421 busy"}}
			inBubble(t, tt.config, hosts, func(b *bubble) {
				wait := b.occupy("192.0.2.1")
				ctx, stop := tt.end(b.Context())
				defer stop()
				r := b.ask(ctx, request(smtpprobe.Request{Hosts: mx(tt.addrs...), Budget: time.Minute}))
				if summaries(r.found) != tt.found || !errors.Is(r.err, tt.err) || r.took != time.Second {
					t.Errorf("found %v after %v, want %q (%v)", r, r.took, tt.found, tt.err)
				}
				if errors.Is(r.err, smtpprobe.ErrBusy) {
					t.Errorf("busy, and the end of the caller at the same time: %v", r.err)
				}
				wait()
				if got, want := len(b.network.Dials()), len(tt.addrs); got != want {
					t.Errorf("%d connections, want %d", got, want)
				}
			})
		})
	}
}

// TestThoseThatWaitAreLimited has one session under way and two waiting, and
// sees that a third is turned away, and another address is not. Those of a
// list are not limited, and take nobody's place.
func TestThoseThatWaitAreLimited(t *testing.T) {
	inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1, MaxWaitingPerHost: 2}, two(slow(5*time.Second, 0, 0)), func(b *bubble) {
		var wg sync.WaitGroup
		list := new(smtpprobe.Caller)
		for i := range 9 {
			req := smtpprobe.Request{Hosts: mx("192.0.2.1")}
			if i%3 > 0 {
				req.Caller = list
			}
			wg.Go(func() {
				if r := b.ask(b.Context(), request(req)); summaries(r.found) != goodFound || r.err != nil {
					b.Errorf("found %v", r)
				}
			})
			synctest.Wait()
		}
		r := b.ask(b.Context(), request(smtpprobe.Request{Hosts: mx("::ffff:192.0.2.1")}))
		if !errors.Is(r.err, smtpprobe.ErrBusy) || len(r.found.Sessions) != 0 || r.took != 0 {
			b.Errorf("found %v after %v", r, r.took)
		}
		if r := b.ask(b.Context(), request(smtpprobe.Request{Hosts: mx("192.0.2.2")})); r.err != nil {
			b.Errorf("another address: %v", r.err)
		}
		wg.Wait()
	})
}

// TestBudget is about a host that falls silent at EHLO and can be asked at
// once, or one that does at RCPT and can be asked after the 20 s that another
// probe waits for it and the 3 s of its QUIT. The host has the whole budget,
// and only a patient probe waits beyond it. No other host is asked then.
func TestBudget(t *testing.T) {
	const silent = "greeting 220, failure timeout at ehlo"
	for _, tt := range []struct {
		name     string
		occupied bool
		patient  bool
		budget   time.Duration
		took     time.Duration
		want     string
	}{
		{"bounds the probe", false, false, 5 * time.Second, 5 * time.Second, silent},
		{"bounds the wait", true, false, 5 * time.Second, 5 * time.Second, "failure limited at connect"},
		{"is over while the host has time", true, false, 25 * time.Second, 25 * time.Second, "greeting 220, ehlo 250, failure limited at rcpt"},
		{"none is no bound", false, false, 0, 20 * time.Second, silent},
		{"stands still while a patient one waits", true, true, 5 * time.Second, 28 * time.Second, "greeting 220, ehlo 250, mail 250, failure timeout at rcpt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host := "S: 220 mx\nhang"
			if tt.occupied {
				host = lockStep + "C: RCPT *\nhang"
			}
			inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(smtptest.Script(host)), func(b *bubble) {
				if tt.occupied {
					defer b.occupy("192.0.2.1")()
				}
				req := request(smtpprobe.Request{Hosts: mx("192.0.2.1"), Budget: tt.budget})
				if tt.patient {
					req = patient([]smtpprobe.Request{req})[0]
				}
				r := b.ask(b.Context(), req)
				if summaries(r.found) != tt.want || r.err != nil || r.took.Round(time.Millisecond) != tt.took {
					t.Errorf("found %v after %v, want %s after %v", r, r.took, tt.want, tt.took)
				}
				if f := r.last().Failure; (f.Kind == smtp.KindLimited) != (f.RetryAfter > 0) {
					t.Errorf("%s, to be tried again after %v", f.Kind, f.RetryAfter)
				}
			})
		})
	}
	hang := smtptest.Script("S: 220 mx\nhang")
	o := probe(t, setting{req: smtpprobe.Request{Budget: 5 * time.Second}}, hang, good())
	if want := "greeting 220, failure timeout at ehlo"; summaries(o.found) != want || o.err != nil {
		t.Errorf("a spent one: found %v, want %s", o, want)
	}
}

// TestStats looks at a pool with one question under way and two that wait, when
// they are answered, and when the pool is closed.
func TestStats(t *testing.T) {
	inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(&smtptest.Host{CatchAll: true, RCPTDelay: time.Second}), func(b *bubble) {
		check := func(when string, want smtpprobe.Stats) {
			b.Helper()
			if diff := cmp.Diff(want, b.pool.Stats()); diff != "" {
				b.Errorf("%s: %s", when, diff)
			}
		}
		check("before", smtpprobe.Stats{})
		var asked sync.WaitGroup
		for _, m := range []string{"first@example.test", "second@example.test", "third@example.test"} {
			asked.Go(func() { b.ask(b.Context(), about(m)) })
			synctest.Wait()
		}
		check("busy", smtpprobe.Stats{Sessions: 1, UnderWay: 1, Waiting: 2, Hosts: 1})
		asked.Wait()
		synctest.Wait()
		check("at rest", smtpprobe.Stats{Sessions: 1, Idle: 1, Hosts: 1})
		_ = b.pool.Close()
		check("closed", smtpprobe.Stats{Hosts: 1})
	})
}

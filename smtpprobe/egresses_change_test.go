package smtpprobe_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestAddAndRemove sees that an egress that is added while all others are busy
// takes its share, and that one that is removed ends its sessions with QUIT,
// gets no new ones, and loses no question.
func TestAddAndRemove(t *testing.T) {
	byWays(t, smtpprobe.Config{MaxSessionsPerHost: 1}, []string{"a", "b"}, func(m *manyWays) {
		slow := func() *smtptest.Host { return &smtptest.Host{CatchAll: true, RCPTDelay: time.Second} }
		m.hosts("a", slow)
		m.hosts("b", slow)
		var all sync.WaitGroup
		var mu sync.Mutex
		by, list := map[string]int{}, new(smtpprobe.Caller)
		ask := func() {
			for i := range manyHosts {
				for j := range 3 {
					all.Go(func() {
						req := about(fmt.Sprintf("good%d@d%d.example", j, i), fmt.Sprintf("192.0.%d.1", i))
						req.Caller = list
						found, err := m.pool.Probe(m.Context(), req)
						mu.Lock()
						defer mu.Unlock()
						if err != nil || len(found.Sessions) != 1 || found.Sessions[0].Target == nil {
							m.Errorf("host %d: %s (%v)", i, summaries(found), err)
							return
						}
						by[found.Sessions[0].Egress]++
					})
				}
			}
		}
		ask()
		time.Sleep(500 * time.Millisecond)
		c := m.newClient("c")
		m.hosts("c", slow)
		if err := m.pool.SetEgresses(egress.Egresses{{Name: "a", Dialer: m.clients["a"]}, c}, nil); err != nil {
			m.Fatal(err)
		}
		if b := m.state("b"); !b.Leaving || b.Sessions == 0 {
			m.Errorf("it is shown as %+v", b)
		}
		m.clients["b"].dials()
		ask()
		time.Sleep(7 * time.Second) // for a transaction, and not for an idle session
		if len(m.pool.Egresses()) != 2 {
			m.Errorf("it still is %+v", m.state("b"))
		}
		all.Wait()
		if by["a"]+by["b"]+by["c"] != 2*3*manyHosts || by["c"] < manyHosts {
			m.Errorf("asked by %v", by)
		}
		if n := m.clients["b"].dials(); n > 0 {
			m.Errorf("%d sessions by an egress that was removed", n)
		}
		for _, s := range m.clients["b"].Sessions() {
			if !s.QUIT {
				m.Errorf("a session ended without QUIT: %s", s.Commands)
			}
		}
		if err := m.pool.SetEgresses(egress.Egresses{c}, nil); err != nil {
			m.Fatal(err)
		}
		time.Sleep(time.Second)
		if all := m.pool.Egresses(); len(all) != 1 {
			m.Errorf("idle sessions did not end: %+v", all)
		}
	})
}

// TestOwnIntroduction sees that sessions have the EHLO name and the
// reverse-path of their egress.
func TestOwnIntroduction(t *testing.T) {
	config := smtpprobe.Config{HELO: "pool.example", MailFrom: "pool@example.com"}
	inBubble(t, config, one(takesAll()), func(b *bubble) {
		for _, tt := range []struct{ helo, from, want string }{
			{"", "", "EHLO pool.example|MAIL FROM:<pool@example.com>"},
			{"own.example", "own@example.org", "EHLO own.example|MAIL FROM:<own@example.org>"},
			{"own.example", "<>", "EHLO own.example|MAIL FROM:<>"},
		} {
			e := egress.Egress{Name: tt.from, Dialer: b.gauges, HELO: tt.helo, MailFrom: tt.from}
			if err := b.pool.SetEgresses(egress.Egresses{e}, nil); err != nil {
				b.Fatal(err)
			}
			last := b.ask(b.Context(), about("good@a.example")).last()
			for want := range strings.SplitSeq(tt.want, "|") {
				if said := transcript(last); !strings.Contains(said, want+"\n") {
					b.Errorf("%q: no %q in\n%s", tt.from, want, said)
				}
			}
			if last.MailFrom != tt.from {
				b.Errorf("%q: the session has %q", tt.from, last.MailFrom)
			}
		}
	})
}

// TestAgeOfAnEgress sees that an egress that is not new may name more
// recipients on its first day.
func TestAgeOfAnEgress(t *testing.T) {
	named := func(since time.Duration) (n int) {
		config := smtpprobe.Config{Pace: pace.Settings{Preset: pace.Careful, Egress: pace.EgressLimits{FirstDay: 10}}}
		inBubble(t, config, one(takesAll()), func(b *bubble) {
			e := egress.Egress{Name: "a", Dialer: b.gauges, Since: time.Now().Add(-since)}
			if err := b.pool.SetEgresses(egress.Egresses{e}, nil); err != nil {
				b.Fatal(err)
			}
			requests := aboutAll(mailboxes(100, none, "a.example"))
			for i := range requests {
				requests[i].Budget = time.Second
				if b.ask(b.Context(), requests[i]).code() != 0 {
					n++
				}
			}
		})
		return n
	}
	if fresh, old := named(0), named(72*time.Hour); fresh == 0 || old < 3*fresh {
		t.Errorf("a new one named %d, one of three days %d", fresh, old)
	}
}

// TestEgressesThatCannotBe sees that what would be no sane command or route is
// refused, and changes nothing.
func TestEgressesThatCannotBe(t *testing.T) {
	pool := newProber(t, smtpprobe.Config{}, smtptest.NewNetwork())
	defer func() { _ = pool.Close() }()
	for _, tt := range []struct {
		e      egress.Egress
		routes map[string][]string
		want   string
	}{
		{egress.Egress{HELO: "a\r\nQUIT"}, nil, "Egresses[0].HELO"},
		{egress.Egress{MailFrom: "a@b>\r\n"}, nil, "Egresses[0].MailFrom"},
		{egress.Egress{Weight: -1}, nil, "Egresses[0].Weight"},
		{egress.Egress{Name: "a"}, map[string][]string{"google": {"b"}}, `no egress "b"`},
		{egress.Egress{Name: "a"}, map[string][]string{"google": {}}, "names no egress"},
	} {
		err := pool.SetEgresses(egress.Egresses{tt.e}, tt.routes)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v; want %s", err, tt.want)
		}
		if _, err := smtpprobe.New(smtpprobe.Config{Egresses: egress.Egresses{tt.e}, Routes: tt.routes}); err == nil {
			t.Errorf("a pool with %+v", tt.e)
		}
	}
	if all := pool.Egresses(); len(all) != 1 || all[0].Name != "" {
		t.Errorf("%+v", all)
	}
}

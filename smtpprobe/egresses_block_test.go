package smtpprobe_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// TestABlockMovesAProvider sees that a provider which blocks one of three
// egresses is asked by the others, and by none when it blocks a second: a third
// address would be spent, too. Other providers do not notice.
func TestABlockMovesAProvider(t *testing.T) {
	byWays(t, smtpprobe.Config{}, []string{"a", "b", "c"}, func(m *manyWays) {
		m.hosts("a", blocks)
		m.hosts("b", takesAll)
		m.hosts("c", takesAll)
		m.byEgress(giant)
		time.Sleep(time.Minute)
		now, answered := m.byEgress(giant)
		if answered != manyHosts || slices.Contains(now[:], "a") {
			m.Errorf("after the first block %d of %d were answered, by %v", answered, manyHosts, now)
		}
		a := m.state("a").Said
		if len(a) != 1 || a[0].Provider != giant || a[0].Class != replies.ClassBlocked || a[0].Code != 554 || a[0].Enhanced != "5.7.1" {
			m.Errorf("the provider said %+v", a)
		}
		if s := m.ask(0, "another.example"); s.Greeting == nil {
			m.Errorf("another provider: %s", summary(s))
		}
		m.hosts("b", blocks)
		time.Sleep(time.Minute)
		m.byEgress(giant)
		for _, c := range m.clients {
			c.dials()
		}
		if now, answered = m.byEgress(giant); answered != 0 {
			m.Errorf("after the second block %d were answered, by %v", answered, now)
		}
		for name, c := range m.clients {
			if n := c.dials(); n > 0 {
				m.Errorf("after the second block, %d sessions by %s", n, name)
			}
		}
	})
}

// TestABlockMovesThoseThatWait sees that probes which wait for a provider go on
// by another egress when it blocks theirs, with no word of that.
func TestABlockMovesThoseThatWait(t *testing.T) {
	byWays(t, smtpprobe.Config{Pace: pace.Settings{Unknown: pace.Limits{Sessions: 1}}}, []string{"a", "b"}, func(m *manyWays) {
		m.hosts("a", blocks)
		m.hosts("b", takesAll)
		_, requests := operated(nil, manyHosts, 1, giant)
		for i := range requests {
			requests[i].Hosts[0].Addrs = addrsOf(fmt.Sprintf("192.0.%d.1", i))
		}
		refused := 0
		m.pool.ProbeAll(m.Context(), requests, func(i int, found smtpprobe.Findings, err error) {
			switch s := found.Sessions[0]; {
			case len(found.Sessions) != 1 || err != nil || s.Greeting == nil:
				m.Errorf("host %d: %d sessions, the first %s, %v", i, len(found.Sessions), summary(s), err)
			case s.Greeting.Refused():
				refused++
			}
		})
		if refused != 5 {
			m.Errorf("%d refused, want 5", refused)
		}
	})
}

// TestABlockOutlivesItsEgress sees that an egress which was blocked still is
// when another one was removed, and when it comes back itself.
func TestABlockOutlivesItsEgress(t *testing.T) {
	byWays(t, smtpprobe.Config{}, []string{"a", "b", "c"}, func(m *manyWays) {
		m.hosts("a", blocks)
		m.hosts("b", takesAll)
		m.hosts("c", takesAll)
		m.byEgress(giant)
		m.hosts("a", takesAll)
		for _, names := range []string{"ac", "c", "ac"} {
			time.Sleep(time.Minute) // idle sessions end
			var all egress.Egresses
			for _, name := range strings.Split(names, "") {
				all = append(all, egress.Egress{Name: name, Dialer: m.clients[name]})
			}
			if err := m.pool.SetEgresses(all, nil); err != nil {
				m.Fatal(err)
			}
			if now, answered := m.byEgress(giant); answered != manyHosts || slices.Contains(now[:], "a") {
				m.Errorf("%s: %d of %d were answered, by %v", names, answered, manyHosts, now)
			}
		}
	})
}

// TestABlockIsRemembered sees that a pool which begins with what another left
// does not ask by the egress that was blocked.
func TestABlockIsRemembered(t *testing.T) {
	left := []pace.Memory{{Provider: giant, Egress: "a", PausedUntil: time.Date(2000, 1, 1, 1, 0, 0, 0, time.UTC), Pauses: 1}}
	byWays(t, smtpprobe.Config{PaceMemory: left}, []string{"a", "b"}, func(m *manyWays) {
		m.hosts("a", takesAll)
		m.hosts("b", takesAll)
		now, answered := m.byEgress(giant)
		if answered != manyHosts || slices.Contains(now[:], "a") {
			m.Errorf("%d of %d were answered, by %v", answered, manyHosts, now)
		}
		time.Sleep(time.Hour)
		if now, _ = m.byEgress(giant); !slices.Contains(now[:], "a") {
			m.Error("not asked by it after the pause")
		}
	})
}

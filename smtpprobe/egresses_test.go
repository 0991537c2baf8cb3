package smtpprobe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// client is an egress of a test, with hosts that know it as a client of its
// own.
type client struct {
	*smtptest.Network
	name string

	mu    sync.Mutex
	fault error // of the egress itself
	met   int   // connections since dials was last called
}

func (c *client) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c.mu.Lock()
	fault := c.fault
	c.met++
	c.mu.Unlock()
	if fault != nil {
		return nil, &egress.Error{Egress: c.name, Err: fault}
	}
	return c.Network.DialContext(ctx, network, address)
}

func (c *client) breaks(fault error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault = fault
}

// dials returns how many connections were opened since it was last called.
func (c *client) dials() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, c.met = c.met, 0
	return n
}

// manyWays is a pool with some egresses, inside a bubble.
type manyWays struct {
	*testing.T
	pool    *smtpprobe.Pool
	clients map[string]*client
	log     bytes.Buffer
}

// newClient returns an egress with a name.
func (m *manyWays) newClient(name string) egress.Egress {
	c := &client{Network: smtptest.NewNetwork(), name: name}
	m.clients[name] = c
	m.Cleanup(c.Close)
	return egress.Egress{Name: name, Dialer: c}
}

// byWays runs f in a bubble with a pool that has egresses of these names.
func byWays(t *testing.T, c smtpprobe.Config, names []string, f func(m *manyWays)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := &manyWays{T: t, clients: map[string]*client{}}
		for _, name := range names {
			c.Egresses = append(c.Egresses, m.newClient(name))
		}
		c.Logger = slog.New(slog.NewTextHandler(&m.log, nil))
		m.pool = newProber(t, c, nil)
		f(m)
		if err := m.pool.Close(); err != nil {
			t.Error(err)
		}
	})
}

const manyHosts = 60

// hosts gives a client the mail hosts 192.0.0.1, 192.0.1.1 and so on.
func (m *manyWays) hosts(name string, host func() *smtptest.Host) {
	for i := range manyHosts {
		m.clients[name].Add(fmt.Sprintf("192.0.%d.1", i), host())
	}
}

func takesAll() *smtptest.Host { return &smtptest.Host{CatchAll: true} }
func blocks() *smtptest.Host {
	return &smtptest.Host{Greeting: "554 5.7.1 your address is on our block list"}
}

// ask asks host i, of a provider, and returns the last session.
func (m *manyWays) ask(i int, provider string) smtpprobe.Session {
	m.Helper()
	req := about(fmt.Sprintf("good@d%d.example", i), fmt.Sprintf("192.0.%d.1", i))
	if provider != "" {
		req.Hosts[0].Name = fmt.Sprintf("mx%d.%s", i, provider)
	}
	found, err := m.pool.Probe(m.Context(), req)
	if err != nil || len(found.Sessions) == 0 {
		m.Fatalf("host %d: %v", i, err)
	}
	return found.Sessions[len(found.Sessions)-1]
}

// byEgress asks all hosts and returns which one met them.
func (m *manyWays) byEgress(provider string) (all [manyHosts]string, answered int) {
	m.Helper()
	for i := range all {
		s := m.ask(i, provider)
		all[i] = s.Egress
		if s.Target != nil && !s.Target.Refused() {
			answered++
		}
	}
	return all, answered
}

const giant = "giant.example"

// TestDeadEgress sees that work goes on where one of three egresses is dead,
// that it costs few tries, and that the egress gets its own hosts back, and no
// others, when it works again.
func TestDeadEgress(t *testing.T) {
	byWays(t, smtpprobe.Config{}, []string{"a", "b", "c"}, func(m *manyWays) {
		for name := range m.clients {
			m.hosts(name, takesAll)
		}
		before, _ := m.byEgress("")
		m.clients["b"].breaks(errors.New("the proxy is down"))
		m.clients["b"].dials()
		time.Sleep(time.Minute)
		now, answered := m.byEgress("")
		if answered != manyHosts {
			m.Errorf("%d of %d were answered", answered, manyHosts)
		}
		for i := range now {
			if now[i] == "b" || before[i] != "b" && now[i] != before[i] {
				m.Errorf("host %d: %s, before %s", i, now[i], before[i])
			}
		}
		if n := m.clients["b"].dials(); n > 4 {
			m.Errorf("%d tries by the dead egress", n)
		}
		if b := m.state("b"); !b.Down || b.Fault != "b: the proxy is down" {
			m.Errorf("it is shown as %+v", b)
		}
		m.clients["b"].breaks(nil)
		time.Sleep(time.Minute)
		if again, _ := m.byEgress(""); again != before {
			m.Errorf("%v, before %v", again, before)
		}
		if b := m.state("b"); b.Down || b.Fault != "" || b.LastReply.IsZero() {
			m.Errorf("it is shown as %+v", b)
		}
		if said := m.log.String(); strings.Count(said, "does not work") != 1 || strings.Count(said, "works again") != 1 {
			m.Errorf("the log has %s", said)
		}
	})
}

func (m *manyWays) state(name string) smtpprobe.Egress {
	all := m.pool.Egresses()
	return all[slices.IndexFunc(all, func(e smtpprobe.Egress) bool { return e.Name == name })]
}

// TestAllEgressesAreDead sees that a probe tries four egresses and reports our
// own failure, and that the next probe finds them mended.
func TestAllEgressesAreDead(t *testing.T) {
	byWays(t, smtpprobe.Config{}, []string{"a", "b", "c", "d", "e", "f"}, func(m *manyWays) {
		for name, c := range m.clients {
			m.hosts(name, takesAll)
			c.breaks(errors.New("gone"))
		}
		found, _ := m.pool.Probe(m.Context(), about("good@d0.example", "192.0.0.1"))
		tried := map[string]bool{}
		for _, s := range found.Sessions {
			if tried[s.Egress] = true; s.Failure == nil || s.Failure.Kind != smtp.KindEgress {
				m.Errorf("by %s: %s", s.Egress, summary(s))
			}
		}
		if len(found.Sessions) != 4 || len(tried) != 4 {
			m.Errorf("%d sessions by %d egresses, want 4", len(found.Sessions), len(tried))
		}
		for i := range 20 {
			if s := m.ask(i, ""); s.Failure == nil || s.Failure.Kind != smtp.KindEgress {
				m.Fatalf("host %d: %s", i, summary(s))
			}
		}
		for _, c := range m.clients {
			c.breaks(nil)
		}
		if s := m.ask(0, ""); s.Target == nil {
			m.Errorf("after that: %s", summary(s))
		}
	})
}

// TestHostIsAskedByOneEgress sees that a host which does not listen is not
// tried by another egress.
func TestHostIsAskedByOneEgress(t *testing.T) {
	byWays(t, smtpprobe.Config{}, []string{"a", "b", "c"}, func(m *manyWays) {
		if s := m.ask(0, ""); s.Failure == nil || m.clients["a"].dials()+m.clients["b"].dials()+m.clients["c"].dials() != 1 {
			m.Errorf("tried more than once: %s", summary(s))
		}
	})
}

// TestRoutes sees that a provider is asked by the egresses of its route only,
// the others by those of the default one.
func TestRoutes(t *testing.T) {
	config := smtpprobe.Config{Routes: map[string][]string{giant: {"a", "b"}, smtpprobe.DefaultRoute: {"c"}}}
	byWays(t, config, []string{"a", "b", "c"}, func(m *manyWays) {
		for name := range m.clients {
			m.hosts(name, takesAll)
		}
		now, answered := m.byEgress(giant)
		if answered != manyHosts || slices.Contains(now[:], "c") || !slices.Contains(now[:], "a") || !slices.Contains(now[:], "b") {
			m.Errorf("the giant: %d of %d were answered, by %v", answered, manyHosts, now)
		}
		if s := m.ask(1, "another.example"); s.Egress != "c" {
			m.Errorf("another provider: by %q", s.Egress)
		}
		m.clients["a"].breaks(errors.New("gone"))
		m.clients["b"].breaks(errors.New("gone"))
		time.Sleep(time.Minute)
		if s := m.ask(0, giant); s.Failure == nil || s.Failure.Kind != smtp.KindEgress {
			m.Errorf("with a dead route: %s by %s", summary(s), s.Egress)
		}
	})
}

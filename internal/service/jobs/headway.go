package jobs

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Headway is how a job gets on. It is the same on each node, but for the
// providers: of those, each node knows how it asks them itself.
type Headway struct {
	Rate    float64       // addresses a second, over the last ten seconds
	Left    time.Duration // until it is done; less than zero: not known
	Waiting []headway.Waiting
	// Next is when the first of the addresses is due that are asked again
	// later; zero: there are none.
	Next time.Time
}

// Headway returns how a job gets on that has not ended. Nothing is known of one
// that is paused.
func (m *Manager) Headway(ctx context.Context, j rows.Job) (h Headway, err error) {
	h.Left = -1
	if j.State != rows.JobQueued && j.State != rows.JobRunning {
		return h, nil
	}
	left, err := m.config.Store.JobLeft(ctx, j.ID)
	if err != nil {
		return h, err
	}
	now := m.config.Now()
	l := headway.List{Left: j.Addresses - j.Done, Rate: m.rateOf(j, now)}
	l.At, l.LaterAt = m.providers(j.ID, left)
	for _, at := range left {
		if !at.Later {
			continue
		}
		if l.Later == 0 || at.First.Before(l.First) {
			l.First = at.First
		}
		if at.Last.After(l.Last) {
			l.Last = at.Last
		}
		l.Later += at.Addresses
	}
	if m.config.Pacing != nil {
		l.Paces = m.config.Pacing()
	}
	if l.Network = m.network.fault(); l.Network != "" && l.Rate.Now > 0 {
		l.Network = "" // other nodes go on
	}
	h.Rate, h.Next, h.Waiting = l.Rate.Now, l.First, l.Waiting(now)
	if takes, known := l.TimeLeft(now); known {
		h.Left = takes
	}
	return h, nil
}

// Network is what does not work of this node's own network; empty: nothing is
// known to be at fault.
func (m *Manager) Network() headway.Fault { return m.network.fault() }

// rateOf is how fast a job advances, on all nodes together.
func (m *Manager) rateOf(j rows.Job, now time.Time) headway.Rate {
	m.mu.Lock()
	defer m.mu.Unlock()
	meter := m.meters[j.ID]
	if meter == nil {
		return headway.Rate{}
	}
	return meter.Rate(j.Done, now)
}

// measure notes how far the jobs are that may have something to ask, and
// forgets the others. The caller has locked m.mu.
func (m *Manager) measure(active []rows.Job) {
	now := m.config.Now()
	before := m.meters
	m.meters = make(map[string]*headway.Meter, len(active))
	for _, j := range active {
		meter := before[j.ID]
		if meter == nil {
			meter = &headway.Meter{}
		}
		meter.Note(j.Done, now)
		m.meters[j.ID] = meter
	}
}

// providers counts the addresses of a job that are to be asked now, and later,
// by their provider, as far as it is known: those of large domains on all
// nodes, and of small ones those that this node has.
func (m *Manager) providers(job string, left []rows.LeftAt) (now, later map[string]int64) {
	at := map[bool]map[string]int64{false: {}, true: {}} // by Later, and domain
	for _, l := range left {
		at[l.Later][l.Domain] += l.Addresses
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.runOf(job); r != nil {
		for domain, n := range r.progress.Load().ByDomain {
			if _, large := at[false][domain]; !large {
				at[false][domain] = n
			}
		}
	}
	return m.byProvider(at[false]), m.byProvider(at[true])
}

// byProvider counts by provider what is counted by domain. The caller has
// locked m.mu.
func (m *Manager) byProvider(domains map[string]int64) map[string]int64 {
	all := make(map[string]int64)
	for domain, n := range domains {
		if name := m.pacedAs(domain); name != "" {
			all[name] += n
		}
	}
	return all
}

// maxPaced bounds the domains of which the provider is remembered.
const maxPaced = 50_000

// pacedAs is the provider of a domain, which is remembered when the DNS answer
// that says so has expired. The caller has locked m.mu.
func (m *Manager) pacedAs(domain string) string {
	name := m.paced[domain]
	if name != "" || domain == "" || m.config.Paced == nil {
		return name
	}
	if name = m.config.Paced(domain); name == "" {
		return ""
	}
	if len(m.paced) >= maxPaced {
		m.paced = make(map[string]string)
	}
	m.paced[domain] = name
	return name
}

//go:build !plan

package smtpprobe

import (
	"cmp"
	"slices"

	"github.com/rcpt/rcpt/smtpprobe/internal/egresses"
)

// Egresses returns the state of each egress, and of those whose last sessions
// end. It takes the lock of the pool, so it is for monitoring.
func (p *Pool) Egresses() []Egress {
	p.mu.Lock()
	defer p.mu.Unlock()
	said := map[*egresses.Egress][]Said{}
	for key, g := range p.providers {
		if !g.said.At.IsZero() {
			said[key.egress] = append(said[key.egress], g.said)
		}
	}
	var all []Egress
	for _, e := range p.egresses.All() {
		last := said[e]
		slices.SortFunc(last, func(a, b Said) int {
			return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Provider, b.Provider))
		})
		all = append(all, Egress{
			Name: e.Name, HELO: p.config.helo(e.Egress), Weight: max(1, e.Weight), Sessions: e.Limit.Sessions(),
			Leaving: e.Leaving, Down: e.Down(), Fault: e.Fault(), LastReply: e.LastReply,
			Said: last[:min(len(last), maxSaid)],
		})
	}
	return all
}

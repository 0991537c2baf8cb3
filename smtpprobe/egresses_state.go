package smtpprobe

import (
	"cmp"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/egresses"
	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// Egress is the state of an egress.
type Egress struct {
	Name      string    // empty: the network as it is
	HELO      string    // EHLO name; empty: an address literal
	Weight    int       // its share of the mail hosts, in proportion to the others
	Sessions  int       // open, or about to be
	Leaving   bool      // it was removed, and its last sessions end
	Down      bool      // it does not work, and is tried every half minute
	Fault     string    // what is wrong; empty: nothing is known
	LastReply time.Time // when a mail host last greeted us by it; zero: none did
	Said      []Said    // what providers said to it, the last first; at most ten
}

// Said is the last reply of a provider to an egress. Its text is left out, as
// it may name a mailbox.
type Said struct {
	Provider string // its pacing name
	At       time.Time
	Class    replies.Class
	Code     int
	Enhanced string // empty: there was none
}

// maxSaid is the number of providers in [Egress].Said.
const maxSaid = 10

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

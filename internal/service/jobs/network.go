package jobs

import (
	"sync"
	"time"

	"github.com/rcpt/rcpt/internal/headway"
)

// network follows whether this node's own network works. While it does not,
// the node has no batches: what it had is given back, for nodes that can ask,
// or until it can ask again.
type network struct {
	ask func() headway.Fault // nil: it always works

	mu      sync.Mutex
	outages []outage // the last ones
}

// outage is when the network did not work.
type outage struct{ from, to time.Time } // to is zero while it lasts

// maxOutages bounds those that are remembered.
const maxOutages = 100

// fault is what does not work.
func (n *network) fault() headway.Fault {
	if n.ask == nil {
		return ""
	}
	return n.ask()
}

// down reports whether the network does not work, and notes the time.
func (n *network) down(now time.Time) bool {
	down := n.fault() != ""
	n.mu.Lock()
	defer n.mu.Unlock()
	lasts := len(n.outages) > 0 && n.outages[len(n.outages)-1].to.IsZero()
	switch {
	case down && !lasts:
		n.outages = append(n.outages[max(0, len(n.outages)-maxOutages+1):], outage{from: now})
	case !down && lasts:
		n.outages[len(n.outages)-1].to = now
	}
	return down
}

// downWithin is for how long the network has not worked between two times.
func (n *network) downWithin(from, to time.Time) (sum time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, o := range n.outages {
		begin, end := from, to
		if o.from.After(from) {
			begin = o.from
		}
		if !o.to.IsZero() && o.to.Before(to) {
			end = o.to
		}
		sum += max(0, end.Sub(begin))
	}
	return sum
}

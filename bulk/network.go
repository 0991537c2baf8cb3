package bulk

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
)

// offlineWait is how long a task waits that came to nothing because our own
// network does not work: it is not asked about before the network works.
const offlineWait = time.Second

// network follows whether our own network works.
type network struct {
	offline func() bool // nil: it works
	down    bool
	looked  time.Duration // when that was looked at last
	outage  time.Duration // for how long it has not worked in all
}

// look reports whether the network does not work.
func (n *network) look(now time.Duration) bool {
	if n.offline == nil {
		return false
	}
	if n.down {
		n.outage += now - n.looked
	}
	n.looked, n.down = now, n.offline()
	return n.down
}

// heldFor is the number of the provider that has held a task back; zero: none
// has.
func (r *run) heldFor(err error) uint16 {
	var held *smtpprobe.HeldBackError
	if !errors.As(err, &held) {
		return 0
	}
	i := slices.Index(r.providers, held.Provider)
	if i < 0 {
		if len(r.providers) == math.MaxUint16 {
			return 0
		}
		i = len(r.providers)
		r.providers = append(r.providers, held.Provider)
	}
	return uint16(i + 1)
}

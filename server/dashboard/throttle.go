package dashboard

import (
	"hash/maphash"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// How guessing is slowed down. After some tries for nothing, each further one has to wait twice as long as the one before. An account waits a
// minute at most, so that a stranger cannot keep its owner out for long; a network, a quarter of an hour.
const (
	triesFree      = 5
	firstWait      = time.Second
	longestAccount = time.Minute
	longestNetwork = 15 * time.Minute
	// forgetAfter is how long after the last try the count begins anew.
	forgetAfter = time.Hour
)

// throttleSlots is how many counters there are. Names are hashed onto them with a secret: strangers cannot fill a table with made-up names, and
// whose counter an account shares by chance cannot be found out.
const throttleSlots = 1 << 14

// throttle counts tries that led nowhere.
type throttle struct {
	seed  maphash.Seed
	mu    sync.Mutex
	slots [throttleSlots]tries
}

// tries is what is remembered of an account or a network.
type tries struct {
	count int
	until time.Time // no further try before
	last  time.Time
}

func newThrottle() *throttle { return &throttle{seed: maphash.MakeSeed()} }

// begin counts a try, or says how long to wait for it; then it does not count. A try counts as failed until forgive: many at the same moment are
// no way around it.
func (t *throttle) begin(now time.Time, login string, client netip.Addr) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	account, network := t.account(login), t.network(client)
	if wait = max(account.until.Sub(now), network.until.Sub(now)); wait > 0 {
		return wait
	}
	account.add(now, longestAccount)
	network.add(now, longestNetwork)
	return 0
}

// forgive forgets the tries for an account whose password was right, and the last one of the network. What else the network tried stays:
// an account of one's own is no way to go on with another.
func (t *throttle) forgive(login string, client netip.Addr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	*t.account(login) = tries{}
	if network := t.network(client); network.count > 0 {
		network.count--
		network.until = time.Time{}
	}
}

func (t *throttle) account(login string) *tries {
	return t.slot("account:" + strings.ToLower(strings.TrimSpace(login)))
}

// network is the counter of what one client has to itself: an IPv4 address, or an IPv6 network of 64 bits.
func (t *throttle) network(client netip.Addr) *tries {
	client = client.Unmap()
	bits := 32
	if client.Is6() {
		bits = 64
	}
	prefix, _ := client.Prefix(bits) // the zero prefix for an address that is not known
	return t.slot("network:" + prefix.String())
}

func (t *throttle) slot(name string) *tries {
	return &t.slots[maphash.String(t.seed, name)%throttleSlots]
}

func (s *tries) add(now time.Time, longest time.Duration) {
	if now.Sub(s.last) > forgetAfter {
		*s = tries{}
	}
	s.count++
	s.last = now
	if over := s.count - triesFree; over >= 0 {
		s.until = now.Add(min(longest, firstWait<<min(over, 20)))
	}
}

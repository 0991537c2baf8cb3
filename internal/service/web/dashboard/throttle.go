package dashboard

import (
	"hash/maphash"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// Limits of guessing. After some failed tries, each further one must wait twice
// as long as the one before: for an account at most a minute, so that a
// stranger cannot lock its owner out for long; for a network at most a quarter
// of an hour.
const (
	triesFree      = 5
	firstWait      = time.Second
	longestAccount = time.Minute
	longestNetwork = 15 * time.Minute
	// forgetAfter is the time after the last try at which the count starts
	// again.
	forgetAfter = time.Hour
)

// throttleSlots is the number of counters. Names are hashed onto them with a
// secret: strangers cannot fill a table with made-up names, nor find out which
// accounts share a counter.
const throttleSlots = 1 << 14

// maxFamiliar bounds the networks that accounts are known to come from. Only
// right passwords add to them.
const maxFamiliar = 1000

// throttle counts failed tries.
//
// A network from which an account was signed in to before has a counter of its
// own for this account. So tries from elsewhere, even from thousands of
// networks at a time, do not lock the owner out.
type throttle struct {
	seed     maphash.Seed
	mu       sync.Mutex
	slots    [throttleSlots]tries
	familiar map[origin]*tries
}

// origin is a network from where an account was signed in to.
type origin struct {
	login   string
	network netip.Prefix
}

// tries is what is remembered of an account or a network.
type tries struct {
	count int
	until time.Time // no further try before
	last  time.Time
}

func newThrottle() *throttle {
	return &throttle{seed: maphash.MakeSeed(), familiar: make(map[origin]*tries)}
}

// begin counts a try, or says how long to wait for it; then it does not count.
// A try counts as failed until forgive: many at the same moment are no way
// around it.
func (t *throttle) begin(now time.Time, login string, client netip.Addr) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own := t.familiar[originOf(login, client)]; own != nil {
		if wait = own.until.Sub(now); wait > 0 {
			return wait
		}
		own.add(now, longestAccount)
		return 0
	}
	account, network := t.account(login), t.network(client)
	if wait = max(account.until.Sub(now), network.until.Sub(now)); wait > 0 {
		return wait
	}
	account.add(now, longestAccount)
	network.add(now, longestNetwork)
	return 0
}

// forgive forgets the tries for an account whose password was right, and the
// last one of the network. Other tries of the network stay: one's own account
// is no way to go on with another. So a try that was counted separately is not
// taken from the common count.
func (t *throttle) forgive(login string, client netip.Addr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own := t.familiar[originOf(login, client)]; own != nil {
		*own = tries{}
		return
	}
	*t.account(login) = tries{}
	if network := t.network(client); network.count > 0 {
		network.count--
		network.until = time.Time{}
	}
}

// knows reports whether the account is known to come from the network.
func (t *throttle) knows(login string, client netip.Addr) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.familiar[originOf(login, client)] != nil
}

// welcome records that the account is known to come from the network, whose
// tries are forgiven.
func (t *throttle) welcome(login string, client netip.Addr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := originOf(login, client)
	if t.familiar[at] == nil && len(t.familiar) >= maxFamiliar {
		for other := range t.familiar { // any will do: it becomes a network like all others
			delete(t.familiar, other)
			break
		}
	}
	t.familiar[at] = &tries{}
}

func originOf(login string, client netip.Addr) origin {
	return origin{folded(login), networkOf(client)}
}

func folded(login string) string { return strings.ToLower(strings.TrimSpace(login)) }

func (t *throttle) account(login string) *tries { return t.slot("account:" + folded(login)) }

func (t *throttle) network(client netip.Addr) *tries {
	return t.slot("network:" + networkOf(client).String())
}

// networkOf is what one client has to itself: an IPv4 address, or an IPv6
// network of 64 bits; the zero prefix for an address that is not known.
func networkOf(client netip.Addr) netip.Prefix {
	client = client.Unmap()
	bits := 32
	if client.Is6() {
		bits = 64
	}
	prefix, _ := client.Prefix(bits)
	return prefix
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

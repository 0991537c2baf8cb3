package smtpprobe

import (
	"context"
	"net/netip"
	"sync"

	"golang.org/x/sync/semaphore"
)

// limiter bounds the sessions that are open at a time, in all and to one IP address. Addresses count and not names, because the load is
// the machine's: thousands of domains have a mail exchanger name of their own for the same machine. Those who wait are served in order.
type limiter struct {
	all     *semaphore.Weighted
	perAddr int64

	mu    sync.Mutex
	addrs map[netip.Addr]*addrSlots // those in use
}

// addrSlots are the slots of one address, dropped when nobody holds or awaits one.
type addrSlots struct {
	*semaphore.Weighted
	users int
}

func newLimiter(inAll, perAddr int) *limiter {
	return &limiter{
		all:     semaphore.NewWeighted(int64(inAll)),
		perAddr: int64(perAddr),
		addrs:   make(map[netip.Addr]*addrSlots),
	}
}

// acquire waits for a session slot for addr. Who waits for a busy address holds no slot that another address could use.
func (l *limiter) acquire(ctx context.Context, addr netip.Addr) (release func(), err error) {
	addr = addr.Unmap()
	slots := l.enter(addr)
	if err := slots.Acquire(ctx, 1); err != nil {
		l.leave(addr)
		return nil, err
	}
	if err := l.all.Acquire(ctx, 1); err != nil {
		slots.Release(1)
		l.leave(addr)
		return nil, err
	}
	return func() {
		l.all.Release(1)
		slots.Release(1)
		l.leave(addr)
	}, nil
}

func (l *limiter) enter(addr netip.Addr) *addrSlots {
	l.mu.Lock()
	defer l.mu.Unlock()
	slots := l.addrs[addr]
	if slots == nil {
		slots = &addrSlots{Weighted: semaphore.NewWeighted(l.perAddr)}
		l.addrs[addr] = slots
	}
	slots.users++
	return slots
}

func (l *limiter) leave(addr netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	slots := l.addrs[addr]
	slots.users--
	if slots.users == 0 {
		delete(l.addrs, addr)
	}
}

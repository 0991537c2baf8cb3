package smtpprobe

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"

	"golang.org/x/sync/semaphore"
)

// ErrBusy says that no session with a mail host became free: a limit of ours, which tells nothing about the host or the mailbox.
var ErrBusy = errors.New("smtpprobe: too many wait for a session with this mail host")

// limiter bounds the sessions that are open at a time, in all and to one IP address, and those who wait for one to an address. Addresses
// count and not names, because the load is the machine's: thousands of domains have a mail exchanger name of their own for the same
// machine. Those who wait are served in order.
type limiter struct {
	all      *semaphore.Weighted
	perAddr  int64
	maxUsers int // of one address: those who have a session and those who wait

	mu    sync.Mutex
	addrs map[netip.Addr]*addrSlots // those in use
}

// addrSlots are the slots of one address, dropped when nobody holds or awaits one.
type addrSlots struct {
	*semaphore.Weighted
	users int
}

func newLimiter(inAll, perAddr, waitingPerAddr int) *limiter {
	return &limiter{
		all:      semaphore.NewWeighted(int64(inAll)),
		perAddr:  int64(perAddr),
		maxUsers: perAddr + waitingPerAddr,
		addrs:    make(map[netip.Addr]*addrSlots),
	}
}

// acquire waits for a session slot for addr. Who waits for a busy address holds no slot that another address could use. The error wraps
// [context.Canceled] when the caller has given up, and else [ErrBusy].
func (l *limiter) acquire(ctx context.Context, addr netip.Addr) (release func(), err error) {
	addr = addr.Unmap()
	slots := l.enter(addr)
	if slots == nil {
		return nil, busy(addr)
	}
	if !takeSlot(ctx, slots.Weighted) {
		l.leave(addr)
		return nil, waitError(ctx, addr)
	}
	if !takeSlot(ctx, l.all) {
		slots.Release(1)
		l.leave(addr)
		return nil, waitError(ctx, addr)
	}
	return func() {
		l.all.Release(1)
		slots.Release(1)
		l.leave(addr)
	}, nil
}

// takeSlot waits for a slot until ctx ends. A free one is taken even then: what follows is a matter of the session.
func takeSlot(ctx context.Context, slots *semaphore.Weighted) bool {
	return slots.TryAcquire(1) || slots.Acquire(ctx, 1) == nil
}

// waitError is the error of a wait that the end of ctx has ended.
func waitError(ctx context.Context, addr netip.Addr) error {
	if err := cancelled(ctx); err != nil {
		return err
	}
	return busy(addr)
}

func busy(addr netip.Addr) error { return fmt.Errorf("%w (%s)", ErrBusy, addr) }

// enter counts a user of addr in; nil: there are too many.
func (l *limiter) enter(addr netip.Addr) *addrSlots {
	l.mu.Lock()
	defer l.mu.Unlock()
	slots := l.addrs[addr]
	if slots == nil {
		slots = &addrSlots{Weighted: semaphore.NewWeighted(l.perAddr)}
		l.addrs[addr] = slots
	}
	if slots.users == l.maxUsers {
		return nil
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

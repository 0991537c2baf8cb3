package engine

import (
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/rcpt/rcpt/dnsresolve"
)

// markOwn marks an address of this machine, as if it were reserved. Otherwise
// anybody could name this machine as a mail host and have it talk to its own
// services, which often trust it more than others.
const markOwn = "own"

// addrsLast is how long the addresses of the interfaces are cached: they rarely
// change, and reading them costs a system call.
const addrsLast = time.Minute

// ownAddrs are the addresses of this machine. It is safe for concurrent use.
type ownAddrs struct {
	named []netip.Addr

	mu    sync.Mutex
	known map[netip.Addr]bool
	until time.Time
}

// newOwnAddrs returns the addresses of this machine's interfaces and those that
// are named, which others translate to them.
func newOwnAddrs(named []netip.Addr) *ownAddrs { return &ownAddrs{named: named} }

// mark marks this machine's addresses among those of mail hosts. Addresses that
// are reserved anyway stay what they are.
func (o *ownAddrs) mark(hosts []dnsresolve.Host) {
	for _, host := range hosts {
		for i, addr := range host.Addrs {
			host.Addrs[i] = o.marked(addr)
		}
	}
}

// marked is mark for one address.
func (o *ownAddrs) marked(addr dnsresolve.Addr) dnsresolve.Addr {
	if addr.Reserved == "" && o.has(addr.IP) {
		addr.Reserved = markOwn
	}
	return addr
}

func (o *ownAddrs) has(ip netip.Addr) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := time.Now(); !now.Before(o.until) {
		o.known, o.until = o.current(), now.Add(addrsLast)
	}
	return o.known[ip] || slices.ContainsFunc(dnsresolve.NAT64(ip), func(ip netip.Addr) bool { return o.known[ip] })
}

// current reads the addresses. If the system does not tell them, only the named
// ones are known.
func (o *ownAddrs) current() map[netip.Addr]bool {
	known := map[netip.Addr]bool{}
	for _, ip := range o.named {
		known[ip.Unmap()] = true
	}
	interfaces, _ := net.InterfaceAddrs()
	for _, addr := range interfaces {
		if prefix, err := netip.ParsePrefix(addr.String()); err == nil {
			known[prefix.Addr().Unmap()] = true
		}
	}
	return known
}

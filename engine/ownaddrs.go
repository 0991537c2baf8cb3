package engine

import (
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/rcpt/rcpt/dnsresolve"
)

// ownAddress is what an address of this machine is marked with, as if it were reserved. A stranger who names this machine as a mail host would
// have it talk to its own services, which often trust it more than others.
const ownAddress = "own"

// ownAddrsLast is how long the addresses of the interfaces are believed: they seldom change, and asking costs a system call.
const ownAddrsLast = time.Minute

// ownAddrs are the addresses of this machine.
type ownAddrs struct {
	named []netip.Addr // by the configuration

	mu    sync.Mutex
	known map[netip.Addr]bool
	until time.Time
}

// mark marks this machine's addresses among those of mail hosts that are public.
func (o *ownAddrs) mark(hosts []dnsresolve.Host) {
	for _, host := range hosts {
		for i, addr := range host.Addrs {
			host.Addrs[i] = o.marked(addr)
		}
	}
}

func (o *ownAddrs) marked(addr dnsresolve.Addr) dnsresolve.Addr {
	if addr.Reserved == "" && o.has(addr.IP) {
		addr.Reserved = ownAddress
	}
	return addr
}

func (o *ownAddrs) has(ip netip.Addr) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := time.Now(); !now.Before(o.until) {
		o.known, o.until = o.current(), now.Add(ownAddrsLast)
	}
	return o.known[ip]
}

// current asks the system. What it does not tell is not known: then only the named addresses are.
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

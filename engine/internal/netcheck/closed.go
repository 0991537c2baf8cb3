package netcheck

import (
	"net/netip"
	"slices"
	"sync"

	"github.com/rcpt/rcpt/internal/sys/lru"
	"github.com/rcpt/rcpt/smtpprobe"
)

const (
	// renewAfter is how old a check that failed is when it is made again beside
	// those that ask, so that they need not wait for it when it ends to count.
	renewAfter = doubtLasts / 2
	// mostAnswers is how many mail hosts are remembered that have greeted.
	mostAnswers = 10_000
)

// Closed is called before a verification asks mail hosts. It returns why that
// would be in vain; empty: they are to be asked. The rule:
//
//   - A check has failed, and still counts.
//   - There is one egress. Where there are several, some may work although the
//     hosts of the check could not be reached by theirs.
//   - None of the hosts has greeted us before, or it was out of reach since: a
//     firewall may let some through.
//
// One of the hosts is tried beside the verification, unless another is being
// tried. If it greets, the check no longer counts.
func (c *Port) Closed(hosts []smtpprobe.Host) (fault string) {
	if c == nil || c.reached.Load() {
		return ""
	}
	c.mu.Lock()
	if c.counts() {
		fault = c.last.Fault
	}
	c.mu.Unlock()
	if fault == "" || c.answers.has(hosts) || c.Ways() > 1 {
		return ""
	}
	c.beside(netip.AddrPortFrom(hosts[0].Addrs[0], c.Port))
	return fault
}

// beside tries to reach a mail host, unless another is being tried.
func (c *Port) beside(addr netip.AddrPort) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.trying && c.Base.Err() == nil {
		c.trying = true
		c.work.Go(func() { c.try(addr) })
	}
}

// counts reports whether the check has failed so recently that it need not be
// waited for. The lock is held.
func (c *Port) counts() bool {
	return c.last.failed(doubtLasts) || c.last.Outcome == Failed && c.flight != nil
}

// renew makes the check again if it has failed and will not count for long. The
// lock is held.
func (c *Port) renew() {
	if c.last.Outcome == Failed && !c.last.failed(renewAfter) && c.Base.Err() == nil {
		c.join()
	}
}

// Status returns the latest outcome. Whoever waits for the network to work
// again asks nobody, and so it makes a check that has failed again.
func (c *Port) Status() Check {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.renew()
	return c.last
}

// try tries to reach a mail host.
func (c *Port) try(addr netip.AddrPort) {
	greeted := make(chan bool, 1)
	c.work.Go(func() { c.greets(addr, greeted) })
	if <-greeted {
		c.note("")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trying = false
	c.renew()
}

// answers are the mail hosts that have greeted us when they were last asked.
// The zero value has none.
type answers struct {
	once  sync.Once
	hosts *lru.Cache[netip.Addr, bool]
}

func (a *answers) all() *lru.Cache[netip.Addr, bool] {
	a.once.Do(func() { a.hosts = lru.New[netip.Addr, bool](mostAnswers) })
	return a.hosts
}

// note notes what mail hosts said, and which were out of reach.
func (a *answers) note(said smtpprobe.Findings, silent []netip.AddrPort) {
	all := a.all()
	for i := range said.Sessions {
		addr := said.Sessions[i].Addr
		greeted := said.Sessions[i].Greeting != nil
		if before, _ := all.Get(addr.Addr()); before != greeted && (greeted || slices.Contains(silent, addr)) {
			all.Put(addr.Addr(), greeted, 1)
		}
	}
}

// has reports whether one of the hosts has greeted.
func (a *answers) has(hosts []smtpprobe.Host) bool {
	all := a.all()
	for _, host := range hosts {
		if slices.ContainsFunc(host.Addrs, func(addr netip.Addr) bool { ok, _ := all.Get(addr); return ok }) {
			return true
		}
	}
	return false
}

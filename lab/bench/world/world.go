package world

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// World is a world at work.
type World struct {
	spec    Spec
	names   *dnstest.Server
	dns     string // HOST:PORT
	hosts   map[netip.Addr]*host
	servers []*smtptest.Server
	counts  *counts
	all     operator
	taken   map[string]int // DNS queries by type, when they were last taken
}

// Start starts a world. Its mail hosts need as many file descriptors as there
// are of them.
func Start(spec Spec) (*World, error) {
	w, err := newWorld(spec)
	if err != nil {
		return nil, err
	}
	if w.dns, err = w.names.StartAt(w.spec.dnsIP().String()); err == nil {
		err = w.listen()
	}
	if err != nil {
		w.Close()
		return nil, fmt.Errorf("world: %w", err)
	}
	return w, nil
}

func newWorld(spec Spec) (*World, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	w := &World{spec: spec, hosts: make(map[netip.Addr]*host), counts: newCounts(), taken: make(map[string]int)}
	w.all = operator{rules: spec.Operator, clients: make(map[netip.Addr]*operatorClient)}
	w.names = dnstest.New(w.zone())
	w.names.Break(dnstest.Fault{Delay: spec.Delay})
	return w, nil
}

// zone has the domains and their mail hosts, which it makes.
func (w *World) zone() string {
	var zone strings.Builder
	for n := range w.spec.Domains {
		for i, e := range w.spec.exchanges(n) {
			fmt.Fprintf(&zone, "%s. MX %d %s.\n", domainName(n), 10*(i+1), e.name)
			if w.hosts[e.ip] == nil {
				w.hosts[e.ip] = &host{traits: e.traits, world: w}
				fmt.Fprintf(&zone, "%s. A %s\n", e.name, e.ip)
			}
		}
	}
	return zone.String()
}

func (w *World) listen() error {
	for ip, host := range w.hosts {
		server, err := smtptest.StartAt(netip.AddrPortFrom(ip, w.spec.Port).String(), host.smtp())
		if err != nil {
			return err
		}
		w.servers = append(w.servers, server)
	}
	return nil
}

// DNS is the address of the DNS server, as HOST:PORT.
func (w *World) DNS() string { return w.dns }

// settlePause is how often Take looks whether the last sessions have ended.
const settlePause = 5 * time.Millisecond

// Take returns the counters and begins anew. It waits until no session is open,
// or until ctx ends.
func (w *World) Take(ctx context.Context) Counters {
	tick := time.NewTicker(settlePause)
	defer tick.Stop()
	for w.counts.sessions.now.Load() > 0 && ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	taken := Counters{
		Connections: w.counts.connections.Swap(0),
		TurnedAway:  w.counts.turnedAway.Swap(0),
		Waits:       w.counts.waits.Swap(0),
		NoQUIT:      w.counts.noQUIT.Swap(0),
		PeakInAll:   w.counts.sessions.takePeak(),
		Open:        w.counts.sessions.now.Load(),
		Commands:    w.counts.commands.take(),
		DNS:         w.takeQueries(),
	}
	taken.Blocks, taken.PeakPerClient = w.all.take()
	for _, host := range w.hosts {
		taken.PeakPerHost = max(taken.PeakPerHost, host.sessions.takePeak())
	}
	return taken
}

// takeQueries returns how many queries there were since it was last called, by
// type.
func (w *World) takeQueries() map[string]int64 {
	taken := make(map[string]int64)
	for _, kind := range []string{"A", "AAAA", "MX", "CNAME", "PTR", "TXT"} {
		n := w.names.Count("", kind)
		if more := n - w.taken[kind]; more > 0 {
			taken[kind] = int64(more)
		}
		w.taken[kind] = n
	}
	return taken
}

// Close ends listening and every session.
func (w *World) Close() {
	w.names.Close()
	var all sync.WaitGroup
	for _, server := range w.servers {
		all.Go(server.Close)
	}
	all.Wait()
}

// Memory is a world without sockets, for a client in the same process. In a
// bubble of testing/synctest its delays take no time, and a list takes as long
// as its schedule says: processors and other programs have no part in it.
type Memory struct {
	*World
	network *smtptest.Network
}

// NewMemory makes a world. [Memory.DialContext] and [Memory.Exchange] reach it.
func NewMemory(spec Spec) (*Memory, error) {
	w, err := newWorld(spec)
	if err != nil {
		return nil, err
	}
	m := &Memory{World: w, network: smtptest.NewNetwork()}
	for ip, host := range w.hosts {
		m.network.Add(netip.AddrPortFrom(ip, spec.Port).String(), host.smtp())
	}
	return m, nil
}

// DialContext connects to a mail host.
func (m *Memory) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return m.network.DialContext(ctx, network, address)
}

// Exchange answers a DNS query.
func (m *Memory) Exchange(ctx context.Context, query []byte, network, server string) ([]byte, error) {
	return m.names.Exchange(ctx, query, network, server)
}

// Close waits for the sessions; the client ends them.
func (m *Memory) Close() { m.network.Close() }

package world

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/netip"
	"time"
)

// World is a world at work.
type World struct {
	spec    Spec
	zone    *zone
	dns     *DNSServer
	hosts   []*host
	sockets *Sockets
	tls     *tls.Config
	counts  *counts
	all     operator
}

// Start starts a world. Its mail hosts need as many file descriptors as there
// are of them.
func Start(spec Spec) (*World, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	w := newWorld(spec)
	w.sockets = NewSockets()
	if err := w.start(); err != nil {
		w.Close()
		return nil, fmt.Errorf("world: %w", err)
	}
	return w, nil
}

func newWorld(spec Spec) *World {
	w := &World{spec: spec, zone: newZone(spec), counts: newCounts()}
	w.all = operator{rules: spec.Operator, clients: make(map[netip.Addr]*operatorClient)}
	return w
}

func (w *World) start() (err error) {
	if w.tls, err = NewTLS(); err != nil {
		return err
	}
	if w.dns, err = StartDNS(w.spec.dnsIP(), w.zone); err != nil {
		return err
	}
	started := make(map[netip.Addr]bool)
	for n := range w.spec.Domains {
		for _, e := range w.spec.exchanges(n) {
			if started[e.ip] {
				continue
			}
			started[e.ip] = true
			host, err := w.startHost(e)
			if err != nil {
				return err
			}
			w.hosts = append(w.hosts, host)
		}
	}
	return nil
}

// DNS is the address of the DNS server, as HOST:PORT.
func (w *World) DNS() string { return w.dns.Addr }

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
		DNS:         w.zone.queries.take(),
	}
	taken.Blocks, taken.PeakPerClient = w.all.take()
	for _, host := range w.hosts {
		taken.PeakPerHost = max(taken.PeakPerHost, host.sessions.takePeak())
	}
	return taken
}

// Close ends listening and every session.
func (w *World) Close() {
	if w.dns != nil {
		w.dns.Close()
	}
	w.sockets.Close()
}

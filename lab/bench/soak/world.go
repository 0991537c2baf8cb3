package soak

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt/lab/bench/world"
)

// World is a world at work.
type World struct {
	spec    Spec
	tls     *tls.Config
	dns     *world.DNSServer
	sockets *world.Sockets
	began   time.Time
	port    uint16
	counts  *counts
}

// host is a mail host at work.
type host struct {
	domain
	world  *World
	visits atomic.Int64
}

// portTries is how often another port is tried where one is taken on some
// address.
const portTries = 10

// Start starts a world. Its hosts need as many file descriptors as there are of
// them.
func Start(spec Spec) (*World, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	certificate, err := world.NewTLS()
	if err != nil {
		return nil, err
	}
	w := &World{spec: spec, tls: certificate, sockets: world.NewSockets(), began: time.Now(), counts: newCounts()}
	if w.dns, err = world.StartDNS(spec.dnsIP(), newZone(w)); err == nil {
		err = w.listen()
	}
	if err != nil {
		w.Close()
		return nil, fmt.Errorf("soak: %w", err)
	}
	return w, nil
}

// DNS is the address of the DNS server, as HOST:PORT; Port that of the mail
// hosts.
func (w *World) DNS() string  { return w.dns.Addr }
func (w *World) Port() uint16 { return w.port }

// Counters returns what clients did so far. The peak begins anew.
func (w *World) Counters() Counters { return w.counts.read() }

// listen opens all mail hosts on one port.
func (w *World) listen() (err error) {
	for range portTries {
		if err = w.listenOn(); err == nil {
			break
		}
		w.sockets.Close()
		w.sockets = world.NewSockets()
	}
	return err
}

func (w *World) listenOn() error {
	w.port = 0 // the first host chooses
	for _, d := range w.spec.domains() {
		if d.mode.dns == none || d.mode.dns == forges {
			if err := w.open(d.ip, &host{domain: d, world: w}); err != nil {
				return err
			}
		}
	}
	wire := domain{name: "tripwire", mode: &mode{name: "tripwire", at: map[phase]act{atGreeting: closes}}}
	return w.open(w.spec.tripwire(), &host{domain: wire, world: w})
}

func (w *World) open(ip netip.Addr, h *host) (err error) {
	w.port, err = w.sockets.Listen(netip.AddrPortFrom(ip, w.port), h.serve)
	return err
}

func (h *host) serve(conn net.Conn) {
	w := h.world
	w.counts.enter()
	defer w.counts.leave()
	if h.name == "tripwire" {
		w.counts.add(contact, h.mode)
	}
	(&session{host: h, mode: h.now(), tcp: conn, conn: conn, in: bufio.NewReaderSize(conn, maxCommand)}).run()
}

// now is the mode of the next session. Hosts that turn are honest half of the
// time.
func (h *host) now() *mode {
	if h.mode.name != turning {
		return h.mode
	}
	turn := int64(time.Since(h.world.began) / h.world.spec.Turn)
	random := rand.New(rand.NewPCG(h.world.spec.Seed, uint64(binary.BigEndian.Uint32(h.ip.AsSlice()))<<32|uint64(turn)))
	if random.IntN(2) == 0 {
		return h.mode
	}
	return turns[random.IntN(len(turns))]
}

// turns are the modes that a host can have beside honesty without a lie about
// its mailboxes.
var turns = func() (all []*mode) {
	for i := range modes {
		if m := &modes[i]; m.dns == none && m.name != turning && (m.truth == checks || m.truth == mute) {
			all = append(all, m)
		}
	}
	return all
}()

// Close ends listening and every session.
func (w *World) Close() {
	if w.dns != nil {
		w.dns.Close()
	}
	w.sockets.Close()
}

// pause waits, and reports whether the world goes on.
func (w *World) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-w.sockets.Ended():
		return false
	}
}

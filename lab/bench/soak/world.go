package soak

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
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
	port    uint16
	servers []*smtptest.Server
	began   time.Time
	counts  *counts
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
	w := &World{spec: spec, names: newDNS(spec), began: time.Now(), counts: newCounts()}
	var err error
	if w.dns, err = w.names.StartAt(spec.dnsIP().String()); err == nil {
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
func (w *World) DNS() string  { return w.dns }
func (w *World) Port() uint16 { return w.port }

// Counters returns what clients did so far. The peak begins anew.
func (w *World) Counters() Counters {
	c := w.counts.read()
	c.Queries = int64(w.names.Count("", ""))
	return c
}

// listen opens all mail hosts on one port.
func (w *World) listen() (err error) {
	for range portTries {
		if err = w.listenOn(); err == nil {
			break
		}
		w.closeHosts()
	}
	return err
}

func (w *World) listenOn() error {
	w.port = 0 // the first host chooses
	for _, d := range w.spec.domains() {
		if d.kind.has() {
			if err := w.open(d.ip, w.handler(d)); err != nil {
				return err
			}
		}
	}
	return w.open(w.spec.tripwire(), smtptest.HandlerFunc(func(conn net.Conn) {
		w.counts.add(contact, "tripwire")
		_ = conn.Close()
	}))
}

func (w *World) open(ip netip.Addr, h smtptest.Handler) error {
	counted := smtptest.HandlerFunc(func(conn net.Conn) {
		w.counts.enter()
		defer w.counts.leave()
		h.ServeSMTP(conn)
	})
	server, err := smtptest.StartAt(netip.AddrPortFrom(ip, w.port).String(), smtptest.Unrecorded(counted))
	if err != nil {
		return err
	}
	w.servers = append(w.servers, server)
	w.port = netip.MustParseAddrPort(server.Addr).Port()
	return nil
}

// handler is the mail host of a domain.
func (w *World) handler(d domain) smtptest.Handler {
	if d.kind.Name != changing {
		return w.host(d.kind)
	}
	return smtptest.HandlerFunc(func(conn net.Conn) { w.host(w.now(d)).ServeSMTP(conn) })
}

// host makes a host of a kind. What its clients must not do is counted.
func (w *World) host(k *kind) smtptest.Handler {
	h, ok := k.Host().(*smtptest.Host)
	if !ok { // a script
		return k.Host()
	}
	h.Forgets = true
	if _, ok := h.Mailboxes[full+"#"]; !ok {
		h.Mailboxes[full+"#"] = smtptest.Full
	}
	h.Ended = func(v *smtptest.Visit) {
		if v.DATA {
			w.counts.add(data, k.Name)
		}
		// A client that never spoke may have had no time to read the greeting.
		if v.Lost && !v.Odd && v.Commands > 0 && k.ours {
			w.counts.add(noQUIT, k.Name)
		}
	}
	return h
}

// now is the kind of a changing host in its next session. It is honest half of
// the time.
func (w *World) now(d domain) *kind {
	turn := int64(time.Since(w.began) / w.spec.Turn)
	random := rand.New(rand.NewPCG(w.spec.Seed, uint64(binary.BigEndian.Uint32(d.ip.AsSlice()))<<32|uint64(turn)))
	if random.IntN(2) == 0 {
		return d.kind // as written, honest
	}
	return changes()[random.IntN(len(changes()))]
}

// changes are what a changing host can be beside honest.
var changes = sync.OnceValue(func() (all []*kind) {
	for _, k := range kinds() {
		if k.mayChange() {
			all = append(all, k)
		}
	}
	return all
})

// Close ends listening and every session.
func (w *World) Close() {
	w.names.Close()
	w.closeHosts()
}

func (w *World) closeHosts() {
	var all sync.WaitGroup
	for _, server := range w.servers {
		all.Go(server.Close)
	}
	all.Wait()
	w.servers = nil
}

// deadHosts is how many mail exchangers a domain has whose hosts are all dead.
const deadHosts = 50

// troubles are what can be wrong with an answer. None of them can be taken for
// a word of the domain's.
var troubles = map[string]dnstest.Kind{
	"fails": dnstest.ServFail, "loses": dnstest.Lose, "truncates": dnstest.TruncateForever, "forges": dnstest.ForgeID,
}

// newDNS makes the DNS of a world, of records that live for ten seconds, so
// that the same domains are looked up again and again. Whatever is asked, a
// share of all queries has some trouble.
func newDNS(spec Spec) *dnstest.Server {
	var zone strings.Builder
	zone.WriteString("$TTL 10\ntest. SOA ns.test. hostmaster.test. 1 10 10 10 10\n")
	for _, d := range spec.domains() {
		zone.WriteString(spec.records(d))
	}
	server := dnstest.New(zone.String())
	for _, d := range spec.domains() {
		if trouble, ok := troubles[d.kind.dns]; ok {
			server.Break(dnstest.Fault{Name: d.name, Kind: trouble})
		}
	}
	for _, trouble := range troubles {
		server.Break(dnstest.Fault{Kind: trouble, Share: spec.DNSFaults / float64(len(troubles))})
	}
	return server
}

// records are those of a domain. One without trouble has one mail host.
func (s Spec) records(d domain) string {
	mx, all := "mx."+d.name+".", ""
	switch d.kind.dns {
	case "nothing":
		return ""
	case "null-mx":
		return d.name + ". MX 0 .\n"
	case "circle":
		return fmt.Sprintf("%s. MX 10 %s\n%s CNAME %s\n", d.name, mx, mx, mx)
	case "dead":
		for i := range deadHosts {
			all += fmt.Sprintf("%s. MX %d %d.%s\n%d.%s A %s\n", d.name, i, i, mx, i, mx, s.dead(i))
		}
		return all
	case "reserved":
		return fmt.Sprintf("%s. MX 10 %s\n%s A %s\n", d.name, mx, mx, s.tripwire())
	}
	return fmt.Sprintf("%s. MX 10 %s\n%s A %s\n", d.name, mx, mx, d.ip)
}

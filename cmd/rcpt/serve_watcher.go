package main

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// mostSeen bounds what is remembered of strangers' hosts.
const mostSeen = 100

// manySilent is how many mail hosts in a row are out of reach when the way out to them is suspected: some hosts are always dead.
const manySilent = 10

// watcher remembers, for people who look after a service, how DNS servers and mail hosts have treated it since it began.
type watcher struct {
	mu        sync.Mutex
	blocks    map[string]*blockSeen    // by provider, or by mail host
	resolvers map[string]*resolverSeen // by server
	ways      map[string]*waySeen      // by the name of the way out; empty: the only one
	shed      int64
	hour      hour
}

// waySeen is how a way out to mail hosts does.
type waySeen struct {
	lastReply time.Time                   // zero: none yet
	broken    bool                        // the proxy or the source address itself failed since then
	silent    map[netip.AddrPort]struct{} // hosts out of reach since then, manySilent at most
}

// fault is what is wrong with the way; empty: nothing that is known.
func (seen *waySeen) fault() string {
	switch {
	case seen.broken:
		return "the proxy or the source address does not work"
	case len(seen.silent) == manySilent:
		return fmt.Sprintf("the last %d mail hosts could not be reached: is port 25 open to the outside?", manySilent)
	}
	return ""
}

// blockSeen is that a mail host refused us and not a mailbox.
type blockSeen struct {
	provider string
	count    int64
	last     time.Time
	reply    string // its codes: the text may name the address that was asked about
}

// resolverSeen is how a DNS server answers.
type resolverSeen struct {
	server     string
	lastAnswer time.Time
	fault      string // that the last question showed; empty: none
}

func newWatcher() *watcher {
	return &watcher{blocks: make(map[string]*blockSeen), resolvers: make(map[string]*resolverSeen), ways: make(map[string]*waySeen)}
}

// hooks adds what the watcher wants to know to the hooks of an engine.
func (w *watcher) hooks(h engine.Hooks) engine.Hooks {
	resolved, probed, verified := h.Resolved, h.Probed, h.Verified
	h.Resolved = func(f dnsresolve.Findings, took time.Duration) {
		w.resolved(f)
		if resolved != nil {
			resolved(f, took)
		}
	}
	h.Probed = func(f smtpprobe.Findings, took time.Duration) {
		w.probed(f)
		if probed != nil {
			probed(f, took)
		}
	}
	h.Verified = func(r engine.Result) {
		w.verified(r)
		if verified != nil {
			verified(r)
		}
	}
	return h
}

func (w *watcher) resolved(f dnsresolve.Findings) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range f.Lookups {
		switch {
		case l.Cached:
		case l.Server != "":
			w.lookedUp(l.Server, l.Status, now)
		case resolverFaults[l.Status] != "": // none of the servers answered
			for server := range w.resolvers {
				w.lookedUp(server, l.Status, now)
			}
		}
	}
}

// lookedUp notes how a question to a server ended. The lock is held.
func (w *watcher) lookedUp(server string, status dnsresolve.Status, now time.Time) {
	seen := w.resolvers[server]
	if seen == nil {
		if len(w.resolvers) >= mostSeen {
			return
		}
		seen = &resolverSeen{server: server}
		w.resolvers[server] = seen
	}
	if seen.fault = resolverFaults[status]; status != dnsresolve.StatusTimeout && status != dnsresolve.StatusError {
		seen.lastAnswer = now
	}
}

// names are the DNS servers that are to be asked.
func (w *watcher) names(servers []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, server := range servers {
		if len(w.resolvers) < mostSeen && w.resolvers[server] == nil {
			w.resolvers[server] = &resolverSeen{server: server}
		}
	}
}

// resolverFaults are the statuses that say something about the server. SERVFAIL and broken answers are mostly the fault of the domain.
var resolverFaults = map[dnsresolve.Status]string{
	dnsresolve.StatusTimeout: "did not answer the last question",
	dnsresolve.StatusError:   "could not be reached",
	dnsresolve.StatusRefused: "refused the last question: it may not serve this machine",
}

// probed looks at what the sessions say about the ways out.
func (w *watcher) probed(f smtpprobe.Findings) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range f.Sessions {
		s := &f.Sessions[i]
		seen := w.ways[s.Egress] // of a set that the configuration names
		if seen == nil {
			seen = &waySeen{silent: make(map[netip.AddrPort]struct{})}
			w.ways[s.Egress] = seen
		}
		seen.add(s, now)
	}
}

func (seen *waySeen) add(s *smtpprobe.Session, now time.Time) {
	switch {
	case s.Greeting != nil:
		seen.lastReply, seen.broken = now, false
		clear(seen.silent)
	case s.Failure == nil || s.Failure.Phase != smtp.PhaseConnect:
	case s.Failure.Kind == smtp.KindEgress:
		seen.broken = true
	case s.Failure.Kind == smtp.KindTimeout, s.Failure.Kind == smtp.KindUnreachable, s.Failure.Kind == smtp.KindRefused:
		if len(seen.silent) < manySilent { // a host may be told of again without having been tried again
			seen.silent[s.Addr] = struct{}{}
		}
	}
}

func (w *watcher) verified(r engine.Result) {
	d := r.Details
	if d != nil && !d.Cached && r.Domain != "" { // what is no address says nothing of the network
		w.mu.Lock()
		w.hour.add(time.Now(), r.Verdict, d.Reason)
		w.mu.Unlock()
	}
	if d == nil || d.Cached || d.Reason != engine.Blocked || d.SMTP == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	name := cmp.Or(d.Provider, d.SMTP.Host)
	seen := w.blocks[name]
	if seen == nil {
		w.makeRoom()
		seen = &blockSeen{provider: name}
		w.blocks[name] = seen
	}
	seen.count++
	seen.last = d.CheckedAt
	seen.reply = strings.TrimSpace(strconv.Itoa(d.SMTP.Code) + " " + d.SMTP.Enhanced)
}

// makeRoom forgets the block that is oldest, where there are many.
func (w *watcher) makeRoom() {
	if len(w.blocks) < mostSeen {
		return
	}
	oldest := ""
	for name, b := range w.blocks {
		if oldest == "" || b.last.Before(w.blocks[oldest].last) {
			oldest = name
		}
	}
	delete(w.blocks, oldest)
}

// refused counts the requests that were turned away because there was too much to do.
func (w *watcher) refused(why string) {
	if why != "busy" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.shed++
}

// way is how a way out does: when a mail host last replied through it, and what is wrong with it.
func (w *watcher) way(name string) (lastReply time.Time, fault string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if seen := w.ways[name]; seen != nil {
		return seen.lastReply, seen.fault()
	}
	return time.Time{}, ""
}

// seen is what is remembered: the latest blocks first, and the DNS servers by name.
func (w *watcher) seen() (blocks []blockSeen, resolvers []resolverSeen, shed int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.blocks {
		blocks = append(blocks, *b)
	}
	for _, r := range w.resolvers {
		resolvers = append(resolvers, *r)
	}
	slices.SortFunc(blocks, func(a, b blockSeen) int { return cmp.Or(b.last.Compare(a.last), cmp.Compare(a.provider, b.provider)) })
	slices.SortFunc(resolvers, func(a, b resolverSeen) int { return cmp.Compare(a.server, b.server) })
	return blocks, resolvers, w.shed
}

// hour counts the verifications of the last sixty minutes, the present one included.
type hour struct{ minutes [60]minute }

type minute struct {
	number  int64 // since 1970
	checked int64
	unknown map[engine.Reason]int64
}

func (h *hour) add(now time.Time, verdict engine.Verdict, reason engine.Reason) {
	number := now.Unix() / 60
	m := &h.minutes[number%int64(len(h.minutes))]
	if m.number != number {
		*m = minute{number: number, unknown: make(map[engine.Reason]int64)}
	}
	m.checked++
	if verdict == engine.Unknown {
		m.unknown[reason]++
	}
}

// sum returns how many were verified, how many of them are unknown, and the reason that most of these have.
func (h *hour) sum(now time.Time) (checked, unknown int64, mostly engine.Reason) {
	number := now.Unix() / 60
	reasons := make(map[engine.Reason]int64)
	for _, m := range h.minutes {
		if m.number <= number-int64(len(h.minutes)) {
			continue
		}
		checked += m.checked
		for reason, n := range m.unknown {
			unknown += n
			reasons[reason] += n
		}
	}
	for _, reason := range byCount(reasons)[:min(1, len(reasons))] {
		mostly = reason
	}
	return checked, unknown, mostly
}

// lastHour is what was verified in the last hour.
func (w *watcher) lastHour() (checked, unknown int64, mostly engine.Reason) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hour.sum(time.Now())
}

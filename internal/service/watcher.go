package service

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/doctor"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// maxSeen bounds how many mail hosts and DNS servers are remembered.
const maxSeen = 100

// watcher records for the operator how DNS servers and mail hosts have answered
// since the service started.
type watcher struct {
	mu        sync.Mutex
	blocks    map[string]*blockSeen    // by provider or mail host
	resolvers map[string]*resolverSeen // by server
	shed      int64                    // requests refused because the server was busy
	hour      hour
}

// blockSeen counts the refusals of a mail host that concern us and not a
// mailbox.
type blockSeen struct {
	provider string
	count    int64
	last     time.Time
	reply    string // its codes only: the text may quote the address
	cause    string // as of [doctor.Remedy]
	do       string
}

// resolverSeen is the state of a DNS server.
type resolverSeen struct {
	server     string
	lastAnswer time.Time
	fault      string // of the last query; empty: none
}

func newWatcher() *watcher {
	return &watcher{blocks: make(map[string]*blockSeen), resolvers: make(map[string]*resolverSeen)}
}

// hooks adds the watcher to the hooks of an engine.
func (w *watcher) hooks(h engine.Hooks) engine.Hooks {
	resolved, verified := h.Resolved, h.Verified
	h.Resolved = func(ctx context.Context, f dnsresolve.Findings, took time.Duration) {
		w.resolved(f)
		if resolved != nil {
			resolved(ctx, f, took)
		}
	}
	h.Verified = func(ctx context.Context, r rcpt.Result, err error) {
		w.verified(r)
		if verified != nil {
			verified(ctx, r, err)
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
		case resolverFaults[l.Status] != "": // no server answered
			for server := range w.resolvers {
				w.lookedUp(server, l.Status, now)
			}
		}
	}
}

// lookedUp records the outcome of a query to a server. The caller holds the
// lock.
func (w *watcher) lookedUp(server string, status dnsresolve.Status, now time.Time) {
	seen := w.resolvers[server]
	if seen == nil {
		if len(w.resolvers) >= maxSeen {
			return
		}
		seen = &resolverSeen{server: server}
		w.resolvers[server] = seen
	}
	if seen.fault = resolverFaults[status]; status != dnsresolve.StatusTimeout && status != dnsresolve.StatusError {
		seen.lastAnswer = now
	}
}

// addResolvers adds the DNS servers that will be queried.
func (w *watcher) addResolvers(servers []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, server := range servers {
		if len(w.resolvers) < maxSeen && w.resolvers[server] == nil {
			w.resolvers[server] = &resolverSeen{server: server}
		}
	}
}

// resolverFaults are the statuses that concern the server. SERVFAIL and broken
// answers are mostly faults of the domain.
var resolverFaults = map[dnsresolve.Status]string{
	dnsresolve.StatusTimeout: "did not answer the last query",
	dnsresolve.StatusError:   "could not be reached",
	dnsresolve.StatusRefused: "refused the last query: it may not serve this machine",
}

func (w *watcher) verified(r rcpt.Result) {
	d := r.Details
	if d != nil && !d.Cached && r.Domain != "" { // an address without a domain says nothing about the network
		w.mu.Lock()
		w.hour.add(time.Now(), r.Verdict, r.Reason)
		w.mu.Unlock()
	}
	if d == nil || d.Cached || r.Reason != rcpt.ReasonBlocked || d.SMTP == nil {
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
	seen.last = r.CheckedAt
	seen.cause, seen.do = doctor.Remedy(replies.Input{Phase: d.SMTP.Phase, Host: d.SMTP.Host, Mailbox: r.Email,
		Reply: smtp.Reply{Code: d.SMTP.Code, Enhanced: d.SMTP.Enhanced, Lines: []string{d.SMTP.Text}}})
	seen.reply = strings.TrimSpace(strconv.Itoa(d.SMTP.Code) + " " + d.SMTP.Enhanced)
}

// makeRoom removes the oldest block if there are too many.
func (w *watcher) makeRoom() {
	if len(w.blocks) < maxSeen {
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

// refused counts the requests that were refused because the server was busy.
func (w *watcher) refused(why string) {
	if why != "busy" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.shed++
}

// seen returns the blocks, the latest first, and the DNS servers by name.
func (w *watcher) seen() (blocks []blockSeen, resolvers []resolverSeen, shed int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.blocks {
		blocks = append(blocks, *b)
	}
	for _, r := range w.resolvers {
		resolvers = append(resolvers, *r)
	}
	slices.SortFunc(blocks, func(a,
		b blockSeen) int {
		return cmp.Or(b.last.Compare(a.last), cmp.Compare(a.provider, b.provider))
	})
	slices.SortFunc(resolvers, func(a, b resolverSeen) int { return cmp.Compare(a.server, b.server) })
	return blocks, resolvers, w.shed
}

// hour counts the verifications of the last sixty minutes, including the
// present one.
type hour struct{ minutes [60]minute }

type minute struct {
	number  int64 // since 1970
	checked int64
	unknown map[rcpt.Reason]int64
}

func (h *hour) add(now time.Time, verdict rcpt.Verdict, reason rcpt.Reason) {
	number := now.Unix() / 60
	m := &h.minutes[number%int64(len(h.minutes))]
	if m.number != number {
		*m = minute{number: number, unknown: make(map[rcpt.Reason]int64)}
	}
	m.checked++
	if verdict == rcpt.VerdictUnknown {
		m.unknown[reason]++
	}
}

// sum returns the number of verifications, how many of them are unknown, and
// the most frequent reason for that.
func (h *hour) sum(now time.Time) (checked, unknown int64, mostly rcpt.Reason) {
	number := now.Unix() / 60
	reasons := make(map[rcpt.Reason]int64)
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
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		if reasons[reason] > reasons[mostly] {
			mostly = reason
		}
	}
	return checked, unknown, mostly
}

// lastHour returns the sum of the last hour.
func (w *watcher) lastHour() (checked, unknown int64, mostly rcpt.Reason) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hour.sum(time.Now())
}

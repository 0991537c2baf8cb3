package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine"
)

// mostSeen bounds what is remembered of strangers' hosts.
const mostSeen = 100

// watcher remembers, for people who look after a service, how DNS servers and mail hosts have treated it since it began.
type watcher struct {
	mu        sync.Mutex
	blocks    map[string]*blockSeen    // by provider, or by mail host
	resolvers map[string]*resolverSeen // by server
	shed      int64
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
	fault      string // of the last question; empty: it was answered
}

func newWatcher() *watcher {
	return &watcher{blocks: make(map[string]*blockSeen), resolvers: make(map[string]*resolverSeen)}
}

// hooks adds what the watcher wants to know to the hooks of an engine.
func (w *watcher) hooks(h engine.Hooks) engine.Hooks {
	resolved, verified := h.Resolved, h.Verified
	h.Resolved = func(f dnsresolve.Findings, took time.Duration) {
		w.resolved(f)
		if resolved != nil {
			resolved(f, took)
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
		if l.Cached || l.Server == "" {
			continue
		}
		seen := w.resolvers[l.Server]
		if seen == nil {
			if len(w.resolvers) >= mostSeen {
				continue
			}
			seen = &resolverSeen{server: l.Server}
			w.resolvers[l.Server] = seen
		}
		seen.lastAnswer, seen.fault = now, ""
		if l.Status.Temporary() {
			seen.fault = string(l.Status)
		}
	}
}

func (w *watcher) verified(r engine.Result) {
	d := r.Details
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

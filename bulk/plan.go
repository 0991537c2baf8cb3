package bulk

import (
	"math/bits"
	"time"
)

const (
	// smallDomain is the most addresses of a small domain, queued and in
	// progress.
	smallDomain = 4
	// batchSize is how many addresses of a large domain are started in a row:
	// as many as a mail host accepts in one transaction.
	batchSize = 50
	// Large domains together may have largeShare of the addresses in progress
	// while small ones wait.
	largeShare, largeShareOf = 3, 4
	// growthWait is how long a small domain waits while more of the list is
	// read and large domains can use the concurrency. More of its addresses may
	// follow, and if they came one by one each would need a session.
	growthWait = 5 * time.Second
)

// planner chooses the next address. The first address of a domain is started
// alone, as its scout, because the others would only wait for the DNS with it.
// Once the scout has found its mail host, the others are started in batches, so
// that they share transactions. Domains with more addresses come first, because
// their hosts take longest, and domains of about the same size take turns.
// Large domains get no more than their share of the addresses in progress; the
// rest is for small ones.
type planner struct {
	perDomain int
	growing   bool          // more of the list is read
	now       time.Duration // since the start of the run

	domains map[string]*domainQueue
	// The domains that may start an address, by size. An entry is skipped if
	// its domain is listed elsewhere by now.
	sizes   [maxSizes]queue[*domainQueue]
	planned int   // tasks queued and in progress
	started int   // tasks in progress
	ofLarge int   // tasks in progress that were started in the turn of a large domain
	octets  int64 // of the items queued and in progress
}

// maxSizes is the number of sizes of domains: the small ones, and one for each
// power of two.
const maxSizes = 32

// domainQueue is a domain with its queued addresses and the number in progress.
type domainQueue struct {
	domain      string
	first, last *task
	queued      int
	started     int
	scout       *task                // in progress, and has not found its mail host yet
	scouted     bool                 // the scout has found its mail host
	since       time.Duration        // when it was listed
	turn        int                  // tasks started in this turn
	in          *queue[*domainQueue] // where it is listed; nil: nowhere
}

func newPlanner(perDomain int) *planner {
	return &planner{perDomain: perDomain, domains: make(map[string]*domainQueue)}
}

func (p *planner) add(t *task, domain string) {
	l := p.domains[domain]
	if l == nil {
		l = &domainQueue{domain: domain, scouted: t.tries.answers > 0}
		p.domains[domain] = l
	}
	t.queue, t.next = l, nil
	if l.first == nil {
		l.first = t
	} else {
		l.last.next = t
	}
	l.last = t
	l.queued++
	p.planned++
	p.octets += t.record.item.octets()
	p.list(l)
}

// byDomain counts the addresses that are queued and in progress.
func (p *planner) byDomain() map[string]int64 {
	all := make(map[string]int64, len(p.domains))
	for name, l := range p.domains {
		all[name] = int64(l.queued + l.started)
	}
	return all
}

// list appends a domain to those of its size, if it may start an address.
func (p *planner) list(l *domainQueue) {
	if !l.ready(p.perDomain) {
		return
	}
	if in := &p.sizes[l.size()]; l.in != in {
		l.in, l.turn, l.since = in, 0, p.now
		in.push(l)
	}
}

// ready reports whether the domain may start an address.
func (l *domainQueue) ready(most int) bool { return l.queued > 0 && l.started < most && l.scout == nil }

// size is zero for a small domain, and grows with the number of addresses.
func (l *domainQueue) size() int {
	if n := l.queued + l.started; n > smallDomain {
		return min(bits.Len(uint(n)), maxSizes-1)
	}
	return 0
}

// next starts a task if no more than so many are in progress; nil: none may be
// started.
func (p *planner) next(room int) *task {
	small, large := head(&p.sizes[0]), p.largest()
	if large != nil && (p.ofLarge < room*largeShare/largeShareOf || small == nil || p.mayGrow(small)) {
		p.ofLarge++
		t := p.start(large, batchSize)
		t.ofLarge = true
		return t
	}
	if small != nil {
		return p.start(small, smallDomain)
	}
	return nil
}

// mayGrow reports whether more addresses of a small domain may follow soon.
func (p *planner) mayGrow(small *domainQueue) bool {
	return p.growing && p.now-small.since < growthWait
}

// largest returns the domain that is next among those of the largest size; nil:
// all are small.
func (p *planner) largest() *domainQueue {
	for size := maxSizes - 1; size > 0; size-- {
		if l := head(&p.sizes[size]); l != nil {
			return l
		}
	}
	return nil
}

// head returns the domain that is next; nil: no domain waits.
func head(domains *queue[*domainQueue]) *domainQueue {
	for domains.len() > 0 {
		if d := *domains.at(0); d.in == domains {
			return d
		}
		domains.pop()
	}
	return nil
}

// start starts the next task of a domain. It ends the domain's turn if the turn
// has that many tasks, or the domain can start no more.
func (p *planner) start(l *domainQueue, turn int) *task {
	t := l.first
	l.first, t.next = t.next, nil
	t.ofLarge = false
	l.queued--
	l.started++
	p.started++
	if t.scouts = !l.scouted; t.scouts {
		l.scout = t
	}
	if l.turn++; l.turn == turn || !l.ready(p.perDomain) {
		l.in.pop()
		l.in = nil
		p.list(l)
	}
	return t
}

// drop takes all tasks that were not started.
func (p *planner) drop() (dropped []*task) {
	for name, l := range p.domains {
		for t := l.first; t != nil; t = t.next {
			dropped = append(dropped, t)
			p.octets -= t.record.item.octets()
		}
		p.planned -= l.queued
		l.first, l.last, l.queued, l.in = nil, nil, 0, nil
		if l.started == 0 {
			delete(p.domains, name)
		}
	}
	p.sizes = [maxSizes]queue[*domainQueue]{}
	return dropped
}

// found lets the other addresses of a domain start: its scout has found its
// mail host, or is done.
func (p *planner) found(t *task) {
	if l := t.queue; l != nil && l.scout == t {
		l.scout, l.scouted = nil, true
		p.list(l)
	}
}

// done ends a task that was started.
func (p *planner) done(t *task) {
	p.found(t)
	l := t.queue
	t.queue = nil
	if t.ofLarge {
		p.ofLarge--
	}
	p.planned--
	p.started--
	p.octets -= t.record.item.octets()
	l.started--
	p.list(l)
	if l.queued == 0 && l.started == 0 {
		delete(p.domains, l.domain)
	}
}

package feed

import (
	"cmp"
	"math/bits"
	"time"

	"github.com/rcpt/rcpt/internal/sys/ring"
)

const (
	// smallDomain is the most addresses of a small domain, queued and in
	// progress.
	smallDomain = 4
	// batchSize is the turn of a large domain, and the size of a batch.
	batchSize = 50
	// largeShare is what large domains together may have of the addresses in
	// progress while small ones wait.
	largeShare, largeShareOf = 3, 4
	// growthWait is how long a small domain waits for company.
	growthWait = 5 * time.Second
	// maxSizes is the number of sizes of domains: the small ones, and one for
	// each power of two.
	maxSizes = 32
)

// Plan is the addresses of a list that are queued and in progress. Each has a
// value of the caller.
type Plan[T any] struct {
	Now     time.Duration // since the list was begun; to be set before what follows from it
	Growing bool          // more of the list is read

	limits  Limits
	domains map[string]*domain[T]
	sizes   [maxSizes]sized[T] // the domains that may start an address
	found   [2]sized[T]        // before them: small ones and large ones that follow their scouts
	listed  int                // so many entries were made in both
	planned int                // addresses queued and in progress
	started int                // addresses in progress
	ofLarge int                // addresses in progress that were started in the turn of a large domain
	octets  int64              // of the addresses queued and in progress
}

// Address is an address that is queued or in progress.
type Address[T any] struct {
	Of     T
	Scouts bool // it is to find the mail hosts of its domain (Rule 1.2)

	domain  *domain[T]
	next    *Address[T] // in the queue
	octets  int64
	ofLarge bool
}

// Domain is that of the address.
func (a *Address[T]) Domain() string { return a.domain.name }

// domain is a domain with its queued addresses and the number in progress.
type domain[T any] struct {
	name        string
	first, last *Address[T]
	queued      int
	started     int
	most        int           // that may be in progress
	follows     bool          // the scout has found its mail hosts, and the others have had no turn since
	since       time.Duration // when it was listed
	turn        int           // addresses started in this turn
	in          *sized[T]     // where it is listed; nil: nowhere
	number      int           // of its entry there
}

// sized is the domains of about the same size, in the order of their turns. An
// entry is skipped if its domain has another one by now: one that has grown and
// shrunk goes to the end.
type sized[T any] struct{ ring.Queue[entry[T]] }

type entry[T any] struct {
	domain *domain[T]
	number int
}

// New returns a Plan without addresses.
func New[T any](l Limits) *Plan[T] {
	return &Plan[T]{limits: l, domains: make(map[string]*domain[T])}
}

// Planned is the number of addresses that are queued and in progress.
func (p *Plan[T]) Planned() int { return p.planned }

// Started is the number of addresses in progress.
func (p *Plan[T]) Started() int { return p.started }

// Octets is how much memory the addresses take that are queued and in progress.
func (p *Plan[T]) Octets() int64 { return p.octets }

// ByDomain counts the addresses that are queued and in progress.
func (p *Plan[T]) ByDomain() map[string]int64 {
	all := make(map[string]int64, len(p.domains))
	for name, d := range p.domains {
		all[name] = int64(d.queued + d.started)
	}
	return all
}

// Add queues an address that takes so much memory. It is answered if it had an
// answer before. (Rule 1.1)
func (p *Plan[T]) Add(of T, name string, octets int64, answered bool) *Address[T] {
	d := p.domains[name]
	if d == nil {
		d = &domain[T]{name: name, most: 1}
		if answered {
			d.most = p.limits.PerDomain
		}
		p.domains[name] = d
	}
	a := &Address[T]{Of: of, domain: d, octets: octets}
	if d.first == nil {
		d.first = a
	} else {
		d.last.next = a
	}
	d.last = a
	d.queued++
	p.planned++
	p.octets += octets
	p.list(d)
	return a
}

// list appends a domain to those of its size, if it may start an address.
func (p *Plan[T]) list(d *domain[T]) {
	if !d.ready() {
		return
	}
	in := &p.sizes[d.size()]
	if d.follows {
		in = &p.found[min(d.size(), 1)]
	}
	if d.in != in {
		p.listed++
		d.in, d.number, d.turn, d.since = in, p.listed, 0, p.Now
		in.Push(entry[T]{d, d.number})
	}
}

// ready reports whether the domain may start an address. (Rules 1.2 and 1.6)
func (d *domain[T]) ready() bool { return d.queued > 0 && d.started < d.most }

// size is zero for a small domain, and grows with the number of addresses.
// (Rule 1.3)
func (d *domain[T]) size() int {
	if n := d.queued + d.started; n > smallDomain {
		return min(bits.Len(uint(n)), maxSizes-1)
	}
	return 0
}

// Next starts the addresses that are next, as long as no more than so many are
// in progress; none: no other may be started. (Rule 1.7)
func (p *Plan[T]) Next(room int) (batch []*Address[T]) {
	for p.started < room && len(batch) < batchSize {
		d, large := p.choose(room)
		if d == nil || len(batch) > 0 && d != batch[0].domain {
			break
		}
		batch = append(batch, p.start(d, large))
	}
	return batch
}

// choose returns the domain that is next, and whether it is the turn of large
// ones; nil: none may start an address. (Rules 1.3 to 1.5)
func (p *Plan[T]) choose(room int) (next *domain[T], isLarge bool) {
	small, large := cmp.Or(p.found[0].head(), p.sizes[0].head()), cmp.Or(p.found[1].head(), p.largest())
	if large != nil && (p.ofLarge < room*largeShare/largeShareOf || small == nil || p.mayGrow(small)) {
		return large, true
	}
	return small, false
}

// mayGrow reports whether more addresses of a small domain may follow soon.
// (Rule 1.5)
func (p *Plan[T]) mayGrow(small *domain[T]) bool {
	return p.Growing && !small.follows && p.Now-small.since < growthWait
}

// largest returns the domain that is next among those of the largest size; nil:
// all are small.
func (p *Plan[T]) largest() *domain[T] {
	for size := maxSizes - 1; size > 0; size-- {
		if d := p.sizes[size].head(); d != nil {
			return d
		}
	}
	return nil
}

// head returns the domain that is next; nil: no domain waits.
func (s *sized[T]) head() *domain[T] {
	for s.Len() > 0 {
		if e := s.At(0); e.domain.in == s && e.domain.number == e.number {
			return e.domain
		}
		s.Pop()
	}
	return nil
}

// start starts the next address of a domain. It ends the domain's turn if the
// turn is full, or the domain can start no more.
func (p *Plan[T]) start(d *domain[T], large bool) *Address[T] {
	a := d.first
	d.first, a.next = a.next, nil
	d.queued--
	d.started++
	p.started++
	turn := smallDomain
	if a.ofLarge = large; large {
		p.ofLarge++
		turn = batchSize
	}
	a.Scouts = d.most == 1
	if d.turn++; d.turn == turn || !d.ready() {
		d.in.Pop()
		d.in, d.follows = nil, false
		p.list(d)
	}
	return a
}

// Found lets the others of a domain follow its scout, which has found its mail
// hosts. (Rule 1.2)
func (p *Plan[T]) Found(a *Address[T]) {
	if d := a.domain; d.most < p.limits.PerDomain {
		d.most, d.follows = p.limits.PerDomain, true
		p.list(d)
	}
}

// Done ends an address that was started. Its domain needs no scout from then
// on. (Rule 1.2)
func (p *Plan[T]) Done(a *Address[T]) {
	d := a.domain
	d.most = p.limits.PerDomain
	if a.ofLarge {
		p.ofLarge--
	}
	p.planned--
	p.started--
	p.octets -= a.octets
	d.started--
	p.list(d)
	if d.queued == 0 && d.started == 0 {
		delete(p.domains, d.name)
	}
}

// Drop takes all addresses that were not started.
func (p *Plan[T]) Drop() (dropped []T) {
	for name, d := range p.domains {
		for a := d.first; a != nil; a = a.next {
			dropped = append(dropped, a.Of)
			p.octets -= a.octets
		}
		p.planned -= d.queued
		d.first, d.last, d.queued, d.in = nil, nil, 0, nil
		if d.started == 0 {
			delete(p.domains, name)
		}
	}
	p.sizes, p.found = [maxSizes]sized[T]{}, [2]sized[T]{}
	return dropped
}

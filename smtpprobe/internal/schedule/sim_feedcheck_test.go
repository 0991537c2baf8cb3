package schedule

import (
	"math/bits"
	"time"
)

// feedCheck sees that a list is fed as package feed promises: from outside, by
// what was added, begun and done.
type feedCheck struct {
	domains map[string]*domainCheck
	started int
	ofLarge int // of them, begun in the turn of a large domain
}

// domainCheck is what is known of a domain.
type domainCheck struct {
	queued  []*listed
	started int
	since   time.Duration // it has addresses that may begin
	passed  int           // turns of others of its size since then
	large   map[*listed]bool
	most    int  // that may be in progress
	follows bool // those that may begin do so behind their scout
}

// As in package feed.
const (
	smallDomain = 4
	feedBatch   = 50
	growthWait  = 5 * time.Second
)

func (c *feedCheck) of(a *listed) *domainCheck { return c.domains[a.domain.name] }

func (c *feedCheck) add(f *feeding, a *listed) {
	if c == nil {
		return
	}
	d := c.of(a)
	if d == nil {
		d = &domainCheck{large: map[*listed]bool{}, most: 1}
		if a.tries.Answers > 0 {
			d.most = f.limits.PerDomain
		}
		c.domains[a.domain.name] = d
	}
	if len(d.queued) == 0 {
		d.since, d.passed = f.fed.Now, 0
	}
	d.queued = append(d.queued, a)
	if n := f.fed.Planned(); n > f.spec.window {
		f.wrong("%d are planned, of at most %d", n, f.spec.window)
	}
}

// ready reports whether a domain may begin an address.
func (d *domainCheck) ready() bool { return len(d.queued) > 0 && d.started < d.most }

func (d *domainCheck) isLarge() bool { return len(d.queued)+d.started > smallDomain }

// begins sees that a batch may begin, and now.
func (c *feedCheck) begins(f *feeding, batch []*handed, room int) {
	if c == nil {
		return
	}
	d := c.of(batch[0].Of)
	if c.started+len(batch) > room || len(batch) > feedBatch {
		f.wrong("%d in progress and a batch of %d, and room for %d", c.started, len(batch), room)
	}
	large := d.isLarge()
	c.takeTurns(f, d, large, room)
	for _, h := range batch {
		a := h.Of
		switch {
		case c.of(a) != d:
			f.wrong("a batch has addresses of two domains")
		case len(d.queued) == 0 || d.queued[0] != a:
			f.wrong("%s is not the next of its domain", a.email)
		case !d.ready():
			f.wrong("%s may not begin", a.email)
		}
		if f.fault != nil {
			return
		}
		if d.large[a] = large; large {
			c.ofLarge++
		}
		d.queued = d.queued[1:]
		d.started++
		c.started++
	}
	d.since, d.passed = f.fed.Now, 0
	d.follows = d.follows && d.ready()
}

// takeTurns sees that it is the turn of a domain: that no small one waits while
// large ones have more than their share, and that all of its size come to their
// turn.
func (c *feedCheck) takeTurns(f *feeding, d *domainCheck, large bool, room int) {
	for name, other := range c.domains {
		if other == d || !other.ready() {
			continue
		}
		waited := f.fed.Now - other.since
		switch {
		case large && !other.isLarge() && c.ofLarge >= room*3/4 && (!f.fed.Growing || waited > growthWait):
			f.wrong("%s waits behind a large domain", name)
		case !large && other.isLarge() && c.ofLarge < room*3/4:
			f.wrong("%s is large, and has not its share", name)
		case large && other.isLarge() && !d.follows && bitsOf(other) > bitsOf(d):
			f.wrong("%s is larger, and waits", name)
		case bitsOf(other) == bitsOf(d):
			if other.passed++; other.passed > 2*len(f.domains)*feedBatch {
				f.wrong("%s starves: %d turns have passed it", name, other.passed)
			}
		}
	}
}

// sizeWithout is the size when one that is in progress is done.
func (d *domainCheck) sizeWithout() int {
	less := domainCheck{queued: d.queued, started: d.started - 1}
	return bitsOf(&less)
}

// bitsOf is the size of a domain, by powers of two.
func bitsOf(d *domainCheck) int {
	if !d.isLarge() {
		return 0
	}
	return bits.Len(uint(len(d.queued) + d.started))
}

// found notes that a scout has found the mail hosts of its domain.
func (c *feedCheck) found(f *feeding, a *listed) {
	if c == nil {
		return
	}
	if d := c.of(a); d.most < f.limits.PerDomain {
		d.most, d.follows = f.limits.PerDomain, true
	}
}

func (c *feedCheck) done(f *feeding, a *listed) {
	if c == nil {
		return
	}
	d := c.of(a)
	if size := bitsOf(d); !d.ready() || size != d.sizeWithout() {
		d.since, d.passed = f.fed.Now, 0
	}
	d.most = f.limits.PerDomain
	if d.large[a] {
		c.ofLarge--
	}
	delete(d.large, a)
	d.started--
	c.started--
	if d.started == 0 && len(d.queued) == 0 {
		delete(c.domains, a.domain.name)
	}
}

// checkEnd sees that each address has one final outcome, and nothing is left.
func (f *feeding) checkEnd() {
	for i := range f.list {
		if n := f.list[i].given; n != 1 {
			f.wrong("%s has %d final outcomes", f.list[i].email, n)
		}
	}
	if s := f.plan.Stats(); s.Sessions+s.Waiting+s.UnderWay > 0 || f.waiting != 0 || f.fed.Planned() != 0 {
		f.wrong("something is left: %+v, %d wait, %d are planned", s, f.waiting, f.fed.Planned())
	}
}

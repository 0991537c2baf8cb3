package bulk

import (
	"math/bits"
	"time"
)

const (
	// few is how many addresses a small domain has at most, queued and under
	// way.
	few = 4
	// turn is how many addresses of a large domain are started in a row: what a
	// mail host takes in one transaction.
	turn = 50
	// Large domains together may have largeShare of what may be under way while
	// small ones wait.
	largeShare, largeShareOf = 3, 4
	// companyWait is how long a small domain waits while more of the list is
	// read and large domains want the room. More of its addresses may follow,
	// and if they came one by one each would need a session.
	companyWait = 5 * time.Second
)

// planner chooses the next address. The first address of a domain goes ahead as
// its scout, because the others would only wait for the DNS with it. Once the
// scout has found its mail host the others are started several at a time, so
// that they share transactions. Domains with more to do come first, because
// their hosts take longest, and domains of about the same size take turns.
// Large domains get no more than their share of what may be in progress; the
// rest is for small ones.
type planner struct {
	perDomain int
	growing   bool          // more of the list is read
	now       time.Duration // since the start of the run

	lanes map[string]*lane
	// that may start an address, by size; they are passed over if they are
	// listed elsewhere by now
	sizes   [maxSizes]queue[*lane]
	planned int   // tasks queued and in progress
	started int   // tasks in progress
	ofLarge int   // tasks in progress that were started in the turn of a large domain
	octets  int64 // of the items queued and under way
}

// maxSizes is how many sizes of domains there are: the small ones, and one for
// each power of two.
const maxSizes = 32

// lane is a domain with its queued addresses and the number in progress.
type lane struct {
	domain      string
	first, last *task
	queued      int
	started     int
	scout       *task         // in progress, and has not found its mail host yet
	scouted     bool          // its scout has
	since       time.Duration // when it was listed
	turn        int           // how many it has started in this turn
	in          *queue[*lane] // where it is listed; nil: nowhere
}

func newPlanner(perDomain int) *planner {
	return &planner{perDomain: perDomain, lanes: make(map[string]*lane)}
}

func (p *planner) add(t *task, domain string) {
	l := p.lanes[domain]
	if l == nil {
		l = &lane{domain: domain, scouted: t.course.answers > 0}
		p.lanes[domain] = l
	}
	t.lane, t.next = l, nil
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

// list gives a lane a turn among those of its size, if it has use for one.
func (p *planner) list(l *lane) {
	if !l.ready(p.perDomain) {
		return
	}
	if in := &p.sizes[l.size()]; l.in != in {
		l.in, l.turn, l.since = in, 0, p.now
		in.push(l)
	}
}

// ready reports whether the lane may start an address.
func (l *lane) ready(most int) bool { return l.queued > 0 && l.started < most && l.scout == nil }

// size is zero for a small domain, and more the more it has to do.
func (l *lane) size() int {
	if n := l.queued + l.started; n > few {
		return min(bits.Len(uint(n)), maxSizes-1)
	}
	return 0
}

// next starts a task if no more than so many are in progress; nil: none may be
// started.
func (p *planner) next(room int) *task {
	small, large := head(&p.sizes[0]), p.largest()
	if large != nil && (p.ofLarge < room*largeShare/largeShareOf || small == nil || p.maySwell(small)) {
		p.ofLarge++
		t := p.start(large, turn)
		t.ofLarge = true
		return t
	}
	if small != nil {
		return p.start(small, few)
	}
	return nil
}

// maySwell reports whether a small domain may have more to do soon.
func (p *planner) maySwell(small *lane) bool { return p.growing && p.now-small.since < companyWait }

// largest returns the lane that is next among those of the largest size; nil:
// all are small.
func (p *planner) largest() *lane {
	for size := maxSizes - 1; size > 0; size-- {
		if l := head(&p.sizes[size]); l != nil {
			return l
		}
	}
	return nil
}

// head returns the lane that is next; nil: there is none.
func head(lanes *queue[*lane]) *lane {
	for lanes.len() > 0 {
		if l := *lanes.at(0); l.in == lanes {
			return l
		}
		lanes.pop()
	}
	return nil
}

// start starts the next task of a lane and ends the lane's turn if it has
// started that many in it, or can start no more.
func (p *planner) start(l *lane, turn int) *task {
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

// found lets the others follow a scout, which has found its mail host or is
// done.
func (p *planner) found(t *task) {
	if l := t.lane; l != nil && l.scout == t {
		l.scout, l.scouted = nil, true
		p.list(l)
	}
}

// done ends a task that was started.
func (p *planner) done(t *task) {
	p.found(t)
	l := t.lane
	t.lane = nil
	if t.ofLarge {
		p.ofLarge--
	}
	p.planned--
	p.started--
	p.octets -= t.record.item.octets()
	l.started--
	p.list(l)
	if l.queued == 0 && l.started == 0 {
		delete(p.lanes, l.domain)
	}
}

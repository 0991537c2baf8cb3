package bulk

const (
	// few is how many addresses a small domain has at most, queued and under way.
	few = 4
	// Large domains together may have largeShare of the concurrency while small ones wait.
	largeShare, largeShareOf = 3, 4
)

// planner says which address is next. Domains take turns, each for several addresses, so that these meet at the mail host. Large domains have
// turns of their own and come first, so that those which take longest start early, but only up to their share of the concurrency: the rest is
// for the small ones.
type planner struct {
	perDomain  int
	largeLimit int

	lanes   map[string]*lane
	small   queue[*lane] // that may start an address; they are passed over if they are listed elsewhere by now
	large   queue[*lane]
	planned int   // tasks queued and under way
	started int   // tasks under way
	ofLarge int   // tasks under way that were started in the turn of a large domain
	octets  int64 // of the items queued and under way
}

// lane is a domain with its addresses that are queued, and how many are under way.
type lane struct {
	domain      string
	first, last *task
	queued      int
	started     int
	turn        int           // how many it has started in this turn
	in          *queue[*lane] // where it is listed; nil: nowhere
}

func newPlanner(concurrency, perDomain int) *planner {
	return &planner{perDomain: perDomain, largeLimit: concurrency * largeShare / largeShareOf, lanes: make(map[string]*lane)}
}

func (p *planner) add(t *task, domain string) {
	l := p.lanes[domain]
	if l == nil {
		l = &lane{domain: domain}
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

// list gives a lane a turn, if it has use for one. A small lane that has become large changes over, and the other way round.
func (p *planner) list(l *lane) {
	if l.queued == 0 || l.started >= p.perDomain {
		return
	}
	in := &p.small
	if l.queued+l.started > few {
		in = &p.large
	}
	if l.in != in {
		l.in, l.turn = in, 0
		in.push(l)
	}
}

// next starts a task; nil: there is none that may be started.
func (p *planner) next() *task {
	small, large := head(&p.small), head(&p.large)
	if large != nil && (p.ofLarge < p.largeLimit || small == nil) {
		p.ofLarge++
		t := p.start(large, p.perDomain)
		t.ofLarge = true
		return t
	}
	if small != nil {
		return p.start(small, few)
	}
	return nil
}

// head returns the lane whose turn it is; nil: there is none.
func head(lanes *queue[*lane]) *lane {
	for lanes.len() > 0 {
		if l := *lanes.at(0); l.in == lanes {
			return l
		}
		lanes.pop()
	}
	return nil
}

// start starts the next task of a lane and ends the lane's turn if it has started that many in it, or can start no more.
func (p *planner) start(l *lane, turn int) *task {
	t := l.first
	l.first, t.next = t.next, nil
	t.ofLarge = false
	l.queued--
	l.started++
	p.started++
	if l.turn++; l.turn == turn || l.queued == 0 || l.started >= p.perDomain {
		l.in.pop()
		l.in = nil
		p.list(l)
	}
	return t
}

// done ends a task that was started.
func (p *planner) done(t *task) {
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

package bulk

const (
	// few is how many addresses a domain has under way before it counts as crowded, and how many it may start in a row before it is another's
	// turn.
	few = 4
	// Crowded domains together may have crowdShare of the concurrency for their tasks beyond the first few, while others wait.
	crowdShare, crowdShareOf = 3, 4
)

// planner says which address is next. Domains take turns, each for several addresses, so that these meet at the mail host. Crowded domains
// have turns of their own and a share of the concurrency, which neither the others can take from them nor they exceed while others wait.
type planner struct {
	perDomain  int
	extraLimit int

	lanes   map[string]*lane
	light   queue[*lane] // that have addresses queued and may start them
	crowded queue[*lane] // the same, of crowded domains
	planned int          // tasks queued and under way
	started int          // tasks under way
	extra   int          // tasks that were started beyond the first few of their domain
	octets  int64        // of the items queued and under way
}

// lane is a domain with its addresses that are queued, and how many are under way.
type lane struct {
	domain      string
	first, last *task
	started     int
	turn        int // how many it has started in this turn
	listed      bool
}

func newPlanner(concurrency, perDomain int) *planner {
	return &planner{perDomain: perDomain, extraLimit: concurrency * crowdShare / crowdShareOf, lanes: make(map[string]*lane)}
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
	p.planned++
	p.octets += t.record.item.octets()
	p.list(l)
}

// list gives a lane a turn, if it has use for one.
func (p *planner) list(l *lane) {
	if l.listed || l.first == nil || l.started >= p.perDomain {
		return
	}
	l.listed, l.turn = true, 0
	if l.started < few {
		p.light.push(l)
	} else {
		p.crowded.push(l)
	}
}

// next starts a task; nil: there is none that may be started.
func (p *planner) next() *task {
	lanes, turn := &p.light, few
	if p.crowded.len() > 0 && (p.extra < p.extraLimit || p.light.len() == 0) {
		lanes, turn = &p.crowded, p.perDomain
	}
	if lanes.len() == 0 {
		return nil
	}
	l := *lanes.at(0)
	t := p.start(l)
	if l.turn++; l.turn == turn || l.first == nil || l.started >= p.perDomain {
		lanes.pop()
		l.listed = false
		p.list(l)
	}
	return t
}

func (p *planner) start(l *lane) *task {
	t := l.first
	l.first, t.next = t.next, nil
	t.extra = l.started >= few
	if t.extra {
		p.extra++
	}
	l.started++
	p.started++
	return t
}

// done ends a task that was started.
func (p *planner) done(t *task) {
	l := t.lane
	t.lane = nil
	if t.extra {
		p.extra--
	}
	p.planned--
	p.started--
	p.octets -= t.record.item.octets()
	l.started--
	p.list(l)
	if l.first == nil && l.started == 0 {
		delete(p.lanes, l.domain)
	}
}

package smtpprobe

import "github.com/rcpt/rcpt/smtpprobe/internal/schedule"

// lists are those with jobs that have no answer.
type lists struct {
	of   map[*Caller]*list
	by   map[schedule.CallerID]*list
	last schedule.CallerID
}

// list is a list as the plan knows it.
type list struct {
	id      schedule.CallerID
	caller  *Caller
	waiting int // of its jobs
}

func newLists() lists {
	return lists{of: make(map[*Caller]*list), by: make(map[schedule.CallerID]*list)}
}

// known returns the number by which the plan knows a list, which it is told of
// with the first jobs; 0: there is no list.
func (p *Pool) known(c *Caller) schedule.CallerID {
	if c == nil {
		return 0
	}
	l := p.lists.of[c]
	if l == nil {
		p.lists.last++
		l = &list{id: p.lists.last, caller: c}
		p.lists.of[c], p.lists.by[l.id] = l, l
		if c.Most > 0 {
			p.do(schedule.CallerSet{ID: l.id, Most: c.Most})
		}
	}
	if c.ended() {
		p.do(schedule.CallerEnds{ID: l.id})
	}
	return l.id
}

// count notes how many jobs of a list wait, and forgets it when all have their
// answers.
func (all *lists) count(a schedule.Action) {
	l := all.by[a.Caller]
	l.caller.Wait(a.Waiting - l.waiting)
	if l.waiting = a.Waiting; a.Gone {
		delete(all.of, l.caller)
		delete(all.by, l.id)
	}
}

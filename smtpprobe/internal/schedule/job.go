package schedule

import (
	"math"
	"time"
)

// place is where a job is.
type place uint8

const (
	waiting  place = iota // for a session
	asked                 // a session has it
	held                  // refused, and nobody is known whom the host accepts
	answered              // it is forgotten, too
)

// rank is who goes first: single checks, and then lists.
type rank uint8

const (
	single rank = iota
	list
	ranks
)

// job is a question that has no answer yet.
type job struct {
	Job
	caller   *caller // nil: it is a single check
	host     *host
	place    place
	session  *session // that has it
	leads    bool     // the session is opened for it, or it is the first of the transaction
	control  *control // what the host said about a control of the domain before; nil: not known
	alone    bool     // to be asked one command at a time, first in a session of its own
	most     int      // jobs of its next transaction; zero: any number
	atLimit  int      // how often the host refused a session while others with it had just ended
	turn     int      // of its line
	since    time.Time
	waited   time.Duration
	timer    timer // rings when its caller waits no longer
	lasted   bool  // it has rung, and the end of a session is awaited
	in       *line // of those that wait or are held
	prev     *job
	next     *job
	original time.Duration // the budget that it came with
}

func (j *job) rank() rank {
	if j.Caller != 0 {
		return list
	}
	return single
}

// ends is when the time of the host is over; zero: never. It runs only while a
// session has the job.
func (j *job) ends() time.Time {
	if j.original == 0 {
		return time.Time{}
	}
	return j.since.Add(j.Budget)
}

// late reports whether the time of the host is over.
func (j *job) late(now time.Time) bool { return passed(j.ends(), now) }

// left reports whether the caller waits no more.
func (j *job) left(now time.Time) bool { return j.place == answered || passed(j.Limit, now) }

// passed reports whether a time is over; a zero one never is.
func passed(end, now time.Time) bool { return !end.IsZero() && !now.Before(end) }

// taken notes that a session begins with the job.
func (j *job) taken(x *session, now time.Time) {
	j.waited += now.Sub(j.since)
	j.place, j.session, j.since = asked, x, now
	j.host.underWay++
}

// leaves notes that the session does not have a job any more.
func (s *State) leaves(j *job) {
	s.lead(j, false)
	j.session = nil
	j.host.underWay--
}

// spend takes the time that the session had from that of the host. If others
// were asked about in the same transaction, its time begins anew: one of them
// may be why it is asked again. (Rule 1.2)
func (j *job) spend(shared bool, now time.Time) {
	switch spent := now.Sub(j.since); {
	case shared:
		j.waited += spent
	case j.original > 0:
		j.Budget -= spent
	}
	j.since = now
}

// failed notes that a transaction of so many jobs, this one included, was not
// believed. The next one is a quarter as large; one by itself is alone. (Rule
// 3.4)
func (j *job) failed(jobs int) {
	j.most = max(1, jobs/4)
	j.alone = jobs == 1
}

// atMost is how many jobs may be in its next transaction.
func (j *job) atMost() int {
	if j.most == 0 {
		return math.MaxInt
	}
	return j.most
}

// line is a list of jobs, in order.
type line struct {
	first, last *job
	n           int
}

func (l *line) append(j *job) {
	j.in, j.prev, j.next = l, l.last, nil
	if l.last != nil {
		l.last.next = j
	} else {
		l.first = j
	}
	l.last = j
	l.n++
}

func (l *line) prepend(j *job) {
	j.in, j.prev, j.next = l, nil, l.first
	if l.first != nil {
		l.first.prev = j
	} else {
		l.last = j
	}
	l.first = j
	l.n++
}

func (l *line) remove(j *job) {
	if j.prev != nil {
		j.prev.next = j.next
	} else {
		l.first = j.next
	}
	if j.next != nil {
		j.next.prev = j.prev
	} else {
		l.last = j.prev
	}
	j.in, j.prev, j.next = nil, nil, nil
	l.n--
}

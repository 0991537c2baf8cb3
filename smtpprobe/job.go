//go:build !plan

package smtpprobe

import (
	"math"
	"sync/atomic"
	"time"
)

// job is one question to one mail host: what becomes of the request's target
// there.
type job struct {
	route   route
	req     *Request
	domain  string // of the target
	budget  *budget
	results chan<- result // has room for this one
	number  int           // of its request, and of its place in the batch, by which it is known there

	// The pool's lock guards the rest.
	since   time.Time      // when it began to wait
	turn    int            // of its line
	worker  *worker        // that has taken it; nil: it waits
	alone   bool           // to be asked one command at a time, in a session of its own
	most    int            // jobs of its next transaction; zero: any number
	atLimit int            // how often the host refused a session while others with it had just ended
	gone    atomic.Bool    // the caller has given up; a worker may look at any time
	queued  bool           // it waits, or goes along with another, and Queued was called
	control *controlAnswer // what the host said about a control of the domain before; nil: not known
	calls   string         // the other mailbox that the last answer about the target named; empty: none did
}

func newJob(r route, req *Request, b *budget) *job {
	return &job{route: r, req: req, domain: domainOf(req.Target), budget: b, since: time.Now()}
}

// finish gives the result. There is one to each job.
func (j *job) finish(r result) {
	j.queue(false)
	r.job = j
	j.results <- r
}

// queue notes whether the job waits for a session or shares the transaction of
// another, and calls Queued.
func (j *job) queue(waits bool) {
	if j.queued == waits {
		return
	}
	j.queued = waits
	if j.req.Queued != nil {
		j.req.Queued(waits)
	}
}

// taken notes that a worker begins with the job: from now on the budget's clock
// runs. A job that shares another's transaction still counts as waiting.
func (j *job) taken(w *worker, along bool) {
	now := time.Now()
	j.budget.extend(now.Sub(j.since))
	j.worker, j.since = w, now
	j.queue(along)
}

// ends returns when the time of the host is over; zero: never.
func (j *job) ends() time.Time { return j.budget.end }

// late reports whether the time of the host is over.
func (j *job) late(now time.Time) bool { return passed(j.ends(), now) }

// left reports whether the caller of the job does not wait any more. Its limit
// may end a session just before it ends the wait.
func (j *job) left(now time.Time) bool { return j.gone.Load() || passed(j.budget.limit, now) }

// time is how much there was for the job when it began to wait, or was taken.
func (j *job) time() time.Duration {
	if end := j.ends(); !end.IsZero() {
		return end.Sub(j.since)
	}
	return math.MaxInt64
}

// ofList reports whether the job is of a list, and no single check.
func (j *job) ofList() bool { return j.req.Lane != nil }

// failed notes that a transaction of so many jobs, this one included, was not
// believed. The next one is a quarter as large; one by itself is alone.
func (j *job) failed(jobs int) {
	j.most = max(1, jobs/4)
	j.alone = jobs == 1
}

// allows reports whether a transaction of so many jobs may have this one.
func (j *job) allows(jobs int) bool { return j.most == 0 || jobs <= j.most }

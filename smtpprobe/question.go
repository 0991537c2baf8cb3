package smtpprobe

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/schedule"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/provider"
)

// job is one question to one mail host: what becomes of the request's target
// there.
type job struct {
	route    route
	req      *Request
	domain   string // of the target
	provider pace.Table
	without  []schedule.EgressID // by which the host could not be asked
	budget   *budget
	began    time.Time   // when it was put
	number   int         // of its request
	place    int         // in its batch
	results  chan<- *job // has room for this one
	waits    waits

	// The pool's lock guards the rest until the job has its answer.
	id      schedule.JobID
	session *session // that has asked about it last, or was opened for it; nil: none
	asked   bool     // it does so now
	calls   string   // the other mailbox that the last answer about the target named; empty: none did
	account account
	answer  answer
}

// answer is what the plan has answered a job with.
type answer struct {
	result             schedule.Result
	egress             schedule.EgressID
	retry, ago, waited time.Duration
	from               *remark // nil: the job's own account has the answer
}

func newJob(r route, req *Request, b *budget) *job {
	j := &job{
		route: r, req: req, domain: domainOf(req.Target), budget: b,
		provider: provider.Pacing(r.host, r.addr.Addr()),
	}
	j.waits.call = req.Queued
	return j
}

// question is the job as the plan knows it.
func (j *job) question(caller schedule.CallerID) schedule.Job {
	j.began = time.Now()
	q := schedule.Job{
		ID: j.id, Addr: netip.AddrPortFrom(j.route.addr.Addr().Unmap(), j.route.addr.Port()), Provider: j.provider,
		Host: hostName(j.route.host), Without: j.without, Caller: caller,
		Target: j.req.Target, Domain: j.domain, Control: j.req.Control, UTF8: j.req.SMTPUTF8,
		Again: len(j.route.failed) > 0, Patient: j.req.patient(), Limit: j.budget.limit,
	}
	if end := j.budget.end; !end.IsZero() {
		q.Budget = max(1, end.Sub(j.began))
	}
	return q
}

// takenBy notes that a session begins to ask about the job.
func (j *job) takenBy(s *session) { j.session, j.asked = s, true }

// waits tells a caller whether its probe waits for a session. The calls
// alternate, whoever makes them.
type waits struct {
	is   atomic.Bool
	mu   sync.Mutex // guards what follows, and is held while the caller is told
	told bool
	call func(waits bool) // nil: nobody is told
}

// waits notes that a job waits, or does not any more.
func (p *Pool) waits(j *job, is bool) {
	if j.waits.call != nil && j.waits.is.Swap(is) != is {
		p.waited = append(p.waited, j)
	}
}

// tell tells the caller, if it does not know.
func (w *waits) tell() {
	if w.call == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if is := w.is.Load(); is != w.told {
		w.told = is
		w.call(is)
	}
}

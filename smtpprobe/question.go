package smtpprobe

import (
	"net/netip"
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

	// The pool's lock guards the rest until the job has its answer.
	id      schedule.JobID
	session *session // that has asked about it last, or was opened for it; nil: none
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
	return &job{
		route: r, req: req, domain: domainOf(req.Target), budget: b,
		provider: provider.Pacing(r.host, r.addr.Addr()),
	}
}

// question is the job as the plan knows it.
func (j *job) question(caller schedule.CallerID) schedule.Job {
	j.began = time.Now()
	q := schedule.Job{
		ID: j.id, Addr: netip.AddrPortFrom(j.route.addr.Addr().Unmap(), j.route.addr.Port()), Provider: j.provider,
		Host: hostName(j.route.host), Without: j.without, Caller: caller,
		Target: j.req.Target, Domain: j.domain, Control: j.req.Control, UTF8: j.req.SMTPUTF8,
		Again: len(j.route.failed) > 0, Limit: j.budget.limit,
	}
	if end := j.budget.end; !end.IsZero() {
		q.Budget = max(1, end.Sub(j.began))
	}
	return q
}

// takenBy notes that a session begins to ask about the job.
func (j *job) takenBy(s *session) { j.session = s }

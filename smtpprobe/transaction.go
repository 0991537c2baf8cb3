package smtpprobe

import (
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/dialogue"
)

// transaction is a mail transaction about the targets of some jobs, in their
// order.
type transaction struct {
	dialogue.Transaction // Alone: what comes of it is the answer

	s     *session
	host  *mailHost
	jobs  []*job
	proof proof
	heard int // recipients that the host had heard of late
}

// newTransaction returns the next transaction of a session. A job that must be
// asked alone has one for itself, the first of its session.
func newTransaction(s *session, h *mailHost, jobs []*job, p proof, inGroup bool) *transaction {
	t := &transaction{s: s, host: h, jobs: jobs, proof: p, heard: h.heard}
	t.Session, t.End = s.Session, lastEnd(jobs)
	t.Alone, t.UTF8 = jobs[0].alone, jobs[0].req.SMTPUTF8
	t.Named = make([]dialogue.Recipient, 0, len(jobs)+usualBeside)
	for _, j := range jobs {
		t.Add(dialogue.Recipient{Mailbox: j.req.Target, Domain: j.domain, Calls: j.calls})
	}
	if inGroup || t.Alone && p.mailbox != "" {
		t.Add(dialogue.Recipient{Mailbox: p.mailbox, Domain: domainOf(p.mailbox), Role: dialogue.Proof})
	}
	targets := len(t.Named)
	for _, j := range jobs {
		if j.control == nil && j.req.Control != "" && t.controlOf(j) == nil {
			t.addControl(j, dialogue.Control)
		}
	}
	if len(t.Named) > targets {
		return t
	}
	for _, j := range slices.Backward(jobs) {
		if j.control != nil && j.control.Refused() {
			t.addControl(j, dialogue.Canary)
			break
		}
	}
	return t
}

// usualBeside is how many recipients most transactions name beside the targets:
// a proof and a control.
const usualBeside = 2

func (t *transaction) addControl(j *job, role dialogue.Role) {
	t.Add(dialogue.Recipient{Mailbox: j.req.Control, Domain: j.domain, Role: role})
}

// controlOf returns the control of a job's domain in this transaction.
func (t *transaction) controlOf(j *job) *dialogue.Recipient {
	for i := len(t.jobs); i < len(t.Named) && j.req.Control != ""; i++ {
		if r := &t.Named[i]; r.IsControl() && r.Domain == j.domain {
			return r
		}
	}
	return nil
}

// company reports whether others are to be answered in the session, too.
func (t *transaction) company() bool { return len(t.jobs) > 1 || !t.Fresh }

// lastEnd is when the time for the last of some jobs is over; zero: never.
func lastEnd(jobs []*job) time.Time {
	var last time.Time
	for _, j := range jobs {
		end := j.ends()
		if end.IsZero() {
			return end
		}
		if end.After(last) {
			last = end
		}
	}
	return last
}

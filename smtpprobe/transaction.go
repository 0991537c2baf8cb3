//go:build !plan

package smtpprobe

import (
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/dialogue"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// transaction is a mail transaction about the targets of some jobs, in their
// order.
type transaction struct {
	*dialogue.Transaction

	s    *session
	host *mailHost
	jobs []*job

	heard int            // recipients that were named to the host, with its own
	judge belief.Case    // what is known of the host and, once the transaction is over, its outcome
	found belief.Finding // then
}

// newTransaction returns the next transaction of a session. A job that must be
// asked alone has one for itself, the first of its session: its outcome is the
// answer.
func newTransaction(s *session, h *mailHost, jobs []*job, proof string) *transaction {
	t := &transaction{s: s, host: h, jobs: jobs}
	t.Transaction = &dialogue.Transaction{
		Session: s.Session, End: lastEnd(jobs), Alone: jobs[0].alone, UTF8: jobs[0].req.SMTPUTF8,
		Named: make([]dialogue.Recipient, 0, len(jobs)+usualBeside),
	}
	t.judge.Controls = make([]*smtp.Reply, len(jobs))
	for i, j := range jobs {
		t.Add(dialogue.Recipient{Mailbox: j.req.Target, Domain: j.domain, Calls: j.calls})
		if j.control != nil {
			t.judge.Controls[i] = j.control.reply
		}
	}
	if proof != "" {
		t.Add(dialogue.Recipient{Mailbox: proof, Domain: domainOf(proof), Role: belief.Proof})
	}
	targets := len(t.Named)
	for i, j := range jobs {
		if j.control == nil && j.req.Control != "" && t.ControlOf(i) == nil {
			t.addControl(j, belief.Control)
		}
	}
	if len(t.Named) > targets {
		return t
	}
	for _, j := range slices.Backward(jobs) {
		if j.control.refused() {
			t.addControl(j, belief.Canary)
			break
		}
	}
	return t
}

// usualBeside is how many recipients most transactions name beside the targets:
// a proof and a control.
const usualBeside = 2

func (t *transaction) addControl(j *job, role belief.Role) {
	t.Add(dialogue.Recipient{Mailbox: j.req.Control, Domain: j.domain, Role: role})
}

// controlFor returns the control that was named and belongs in the findings of
// job i; nil: none was named, or its request has no control.
func (t *transaction) controlFor(i int) *dialogue.Recipient {
	if t.jobs[i].req.Control == "" {
		return nil
	}
	return t.ControlOf(i)
}

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

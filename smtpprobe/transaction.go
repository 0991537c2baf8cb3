//go:build !plan

package smtpprobe

import (
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/transaction"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// talk is a mail transaction about the targets of some jobs, in their
// order.
type talk struct {
	asked *transaction.Transaction
	said  *belief.Outcome // of that

	s    *session
	host *mailHost
	jobs []*job

	heard int            // recipients that were named to the host, with its own
	judge belief.Case    // what is known of the host and, once the transaction is over, its outcome
	found belief.Finding // then
}

// newTalk returns the next transaction of a session. A job that must be
// asked alone has one for itself, the first of its session: its outcome is the
// answer.
func newTalk(s *session, h *mailHost, jobs []*job, proof string) *talk {
	t := &talk{s: s, host: h, jobs: jobs}
	t.asked = &transaction.Transaction{
		End: lastEnd(jobs), UTF8: jobs[0].req.SMTPUTF8, Calls: make([]string, len(jobs)),
		Outcome: belief.Outcome{Alone: jobs[0].alone, Named: make([]belief.Heard, 0, len(jobs)+usualBeside)},
	}
	t.said = &t.asked.Outcome
	t.judge = belief.Case{Outcome: t.said, Controls: make([]*smtp.Reply, len(jobs))}
	for i, j := range jobs {
		t.asked.Add(belief.Target, j.req.Target, j.domain)
		t.asked.Calls[i] = j.calls
		if j.control != nil {
			t.judge.Controls[i] = j.control.reply
		}
	}
	if proof != "" {
		t.asked.Add(belief.Proof, proof, domainOf(proof))
	}
	targets := len(t.said.Named)
	for i, j := range jobs {
		if j.control == nil && j.req.Control != "" && t.said.ControlOf(i) == nil {
			t.addControl(j, belief.Control)
		}
	}
	if len(t.said.Named) > targets {
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

func (t *talk) addControl(j *job, role belief.Role) {
	t.asked.Add(role, j.req.Control, j.domain)
}

// controlFor returns the control that was named and belongs in the findings of
// job i; less than zero: none was named, or its request has no control.
func (t *talk) controlFor(i int) int {
	if t.jobs[i].req.Control == "" {
		return -1
	}
	return t.said.ControlAt(i)
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

package smtpprobe

import (
	"errors"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/schedule"
	"github.com/rcpt/rcpt/smtpprobe/internal/transaction"
	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// account is what a session was to a job.
type account struct {
	found   *Session
	end     *smtp.Failure // what ended the session; nil: nothing did
	offline bool          // dialling failed before a packet left this machine
	err     error         // of the dialer
}

// remark is what a session means for others, of whose mailboxes nothing was
// said in it.
type remark struct {
	session Session
	offline bool
	silent  bool // it fell silent, and was not closed
}

// talk is a mail transaction about the targets of some jobs, in their
// order.
type talk struct {
	s       *session
	jobs    []*job
	known   []schedule.Control
	asked   *transaction.Transaction
	said    *belief.Outcome // of that
	failure *smtp.Failure   // what ended the session; nil: nothing did
}

// newTalk returns the next transaction of a session.
func newTalk(s *session, o order) *talk {
	t := &talk{s: s, jobs: o.jobs, known: o.Known}
	t.asked = &transaction.Transaction{End: o.Until, UTF8: o.UTF8, Calls: o.calls}
	t.said = &t.asked.Outcome
	t.said.Alone, t.said.Named = o.Alone, make([]belief.Heard, 0, len(o.jobs)+len(o.controls)+1)
	for _, j := range o.jobs {
		t.asked.Add(belief.Target, j.req.Target, j.domain)
	}
	if o.Proof != "" {
		t.asked.Add(belief.Proof, o.Proof, domainOf(o.Proof))
	}
	role := belief.Control
	if o.Canary {
		role = belief.Canary
	}
	for _, j := range o.controls {
		t.asked.Add(role, j.req.Control, j.domain)
	}
	return t
}

// carryOut carries the transaction out, and notes in the transcript what ended
// the session.
func (t *talk) carryOut() {
	err := t.s.mail.Run(t.s.ctx, t.asked)
	switch {
	case t.said.Trouble == belief.NotAsked:
		t.failure = t.withoutSMTPUTF8()
	case errors.As(err, &t.failure):
	}
	if t.failure != nil {
		t.s.Note(t.failure.Error())
	}
	if err != nil {
		t.s.NoteQuit()
	}
	t.s.logEnd(t.failure)
}

// outcome is what was said, as facts.
func (t *talk) outcome() schedule.Outcome {
	o := schedule.Outcome{
		Outcome: *t.said, Slow: t.asked.Slow, Ended: t.asked.Ended, Trial: t.asked.Trial, Hurried: t.s.Hurried(),
		NoTLS: t.said.MAIL.Refused() && t.said.MAIL.Reply.Code == replyTLSRequired,
	}
	if !t.asked.Began.IsZero() {
		o.Took = time.Since(t.asked.Began)
	}
	if t.asked.Grouped {
		o.Passed = append(o.Passed, wire.PIPELINING)
	}
	return o
}

// remark is what the session means for others, if something is the matter with
// it.
func (t *talk) remark() any {
	ill := func(r belief.Heard) bool {
		return r.Class == replies.ClassRateLimited || r.Role == belief.Proof && !r.Accepted() ||
			t.said.Alone && r.Role == belief.Target && r.Dead()
	}
	if t.said.Trouble == belief.None && !slices.ContainsFunc(t.said.Named, ill) {
		return nil
	}
	told := t.s.foundBy(t.s.route.host)
	told.MAIL, told.Transcript = t.said.MAIL.Reply, t.s.Transcript(true)
	return &remark{session: brief(told), silent: t.said.Trouble == belief.FellSilent}
}

// withoutSMTPUTF8 says why the question cannot be put. Where TLS was on offer
// and failed, what would be offered over TLS is unknown.
func (t *talk) withoutSMTPUTF8() *smtp.Failure {
	if t.s.foundBy(t.s.route.host).tlsUnusable() {
		return &smtp.Failure{Phase: smtp.PhaseMAIL, Kind: smtp.KindTLS, Text: "SMTPUTF8 is not offered without TLS"}
	}
	return &smtp.Failure{Phase: smtp.PhaseMAIL, Kind: smtp.KindSMTPUTF8, Text: "SMTPUTF8 is not offered"}
}

// accounts returns what the transaction was to each job.
func (t *talk) accounts() []account {
	all := make([]account, len(t.jobs))
	for i := range t.jobs {
		all[i] = account{found: t.account(i), end: t.endFor(i)}
	}
	return all
}

// account is what the transaction was to a job whose reply is believed.
func (t *talk) account(i int) *Session {
	j, r, control := t.jobs[i], &t.said.Named[i], (*belief.Heard)(nil)
	named := []int{i}
	if at := t.controlFor(i); at >= 0 {
		named, control = append(named, at), &t.said.Named[at]
	}
	found := t.s.findings(j)
	found.Trial, found.MAIL, found.Target, found.Recipients = t.asked.Trial, t.said.MAIL.Reply, r.Reply, r.Before
	if r.Reply == nil {
		found.Failure = t.endFor(i)
	} else if control != nil && control.Reply == nil {
		found.Failure = t.failure
	}
	if control != nil && control.OffTopic() {
		named, control = named[:1], nil
	}
	switch {
	case control != nil:
		found.Control, found.Behind = control.Reply, control.Behind
	case found.Target != nil && t.known[i].Reply != nil:
		found.Control, found.Behind, found.ControlShared = t.known[i].Reply, t.known[i].Behind, true
	}
	if !t.said.Company() && !t.said.Names(belief.Proof) {
		found.Transcript = t.s.Transcript(false)
		return found
	}
	found.Transcript = t.asked.Excerpt(namedBefore(r.Before), named...)
	return found
}

// controlFor returns the control that was named and belongs in the findings of
// job i; less than zero: none was named, or its request has no control.
func (t *talk) controlFor(i int) int {
	if t.jobs[i].req.Control == "" {
		return -1
	}
	return t.said.ControlAt(i)
}

// endFor is what ended the session for a job that got no answer in it.
func (t *talk) endFor(i int) *smtp.Failure {
	if f := t.failure; f != nil && f.Kind == smtp.KindTimeout && t.hadNoTurn(i) {
		return lateTurn(f.Phase)
	}
	return t.failure
}

// hadNoTurn reports whether the time of a job was over while the host answered
// about others of the transaction: it was not silent.
func (t *talk) hadNoTurn(i int) bool {
	if !passed(t.jobs[i].budget.limit, time.Now()) {
		return false
	}
	for other := range t.said.Named {
		if other != i && t.said.Named[other].Reply != nil {
			return true
		}
	}
	return false
}

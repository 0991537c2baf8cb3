//go:build plan

package smtpprobe

import (
	"errors"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/dialogue"
	"github.com/rcpt/rcpt/smtpprobe/internal/schedule"
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

// transaction is a mail transaction about the targets of some jobs, in their
// order.
type transaction struct {
	*dialogue.Transaction
	s       *session
	jobs    []*job
	known   []schedule.Control
	failure *smtp.Failure // what ended the session; nil: nothing did
	ended   bool          // the session can have no other
}

// newTransaction returns the next transaction of a session.
func newTransaction(s *session, o order) *transaction {
	t := &transaction{s: s, jobs: o.jobs, known: o.Known}
	t.Transaction = &dialogue.Transaction{
		Session: s.Session, End: o.Until, Alone: o.Alone, UTF8: o.UTF8,
		Named: make([]dialogue.Recipient, 0, len(o.jobs)+len(o.controls)+1),
	}
	for i, j := range o.jobs {
		t.Add(dialogue.Recipient{Mailbox: j.req.Target, Domain: j.domain, Calls: o.calls[i]})
	}
	if o.Proof != "" {
		t.Add(dialogue.Recipient{Mailbox: o.Proof, Domain: domainOf(o.Proof), Role: belief.Proof})
	}
	role := belief.Control
	if o.Canary {
		role = belief.Canary
	}
	for _, j := range o.controls {
		t.Add(dialogue.Recipient{Mailbox: j.req.Control, Domain: j.domain, Role: role})
	}
	return t
}

// carryOut carries the transaction out, and notes in the transcript what ended
// the session.
func (t *transaction) carryOut() {
	var err error
	if t.Targets == 0 {
		err = t.prove()
	} else {
		err = t.Run(t.s.ctx)
	}
	switch {
	case t.Trouble == belief.NotAsked:
		t.failure = t.withoutSMTPUTF8()
	case errors.As(err, &t.failure):
	}
	if t.failure != nil {
		t.s.Note(t.failure.Error())
	}
	t.ended = err != nil || t.s.Unreset
	if err != nil {
		t.s.NoteQuit()
	}
	t.s.logEnd(t.failure)
}

// prove names the proof, and nobody else.
func (t *transaction) prove() error {
	t.Stopped = -1
	t.s.Bound(t.End)
	said, err := t.s.NameOne(t.s.ctx, t.Named[0].Mailbox, t.UTF8)
	if t.Named[0].Exchange.Exchange = said; said.Reply != nil {
		t.Named[0].Class = t.s.read(smtp.PhaseRCPT, *said.Reply, t.Named[0].Mailbox).Class
	}
	if err != nil {
		t.Trouble = belief.HungUp
	}
	return err
}

// outcome is what was said, as facts.
func (t *transaction) outcome() schedule.Outcome {
	o := schedule.Outcome{
		Outcome: *t.Outcome(), Slow: t.s.Slow, Ended: t.ended, Hurried: t.s.Hurried(),
		NoTLS: t.MAIL.Refused() && t.MAIL.Reply.Code == replyTLSRequired,
	}
	if !t.Began.IsZero() {
		o.Took = time.Since(t.Began)
	}
	if t.Trouble == belief.FailedTrial {
		o.Trial = t.s.Trial()
	}
	if t.Named[0].Reply != nil && t.s.Grouped {
		o.Passed = append(o.Passed, wire.PIPELINING)
	}
	return o
}

// remark is what the session means for others, if something is the matter with
// it.
func (t *transaction) remark() any {
	ill := func(r dialogue.Recipient) bool {
		return r.Class == replies.ClassRateLimited || r.Role == belief.Proof && !r.Accepted()
	}
	if t.Trouble == belief.None && !slices.ContainsFunc(t.Named, ill) {
		return nil
	}
	told := t.s.findings(t.s.first)
	told.MAIL, told.Transcript = t.MAIL.Reply, t.s.Transcript(true)
	return &remark{session: brief(told), silent: t.Trouble == belief.FellSilent}
}

// withoutSMTPUTF8 says why the question cannot be put. Where TLS was on offer
// and failed, what would be offered over TLS is unknown.
func (t *transaction) withoutSMTPUTF8() *smtp.Failure {
	if t.s.findings(t.s.first).tlsUnusable() {
		return &smtp.Failure{Phase: smtp.PhaseMAIL, Kind: smtp.KindTLS, Text: "SMTPUTF8 is not offered without TLS"}
	}
	return &smtp.Failure{Phase: smtp.PhaseMAIL, Kind: smtp.KindSMTPUTF8, Text: "SMTPUTF8 is not offered"}
}

// accounts returns what the transaction was to each job.
func (t *transaction) accounts() []account {
	all := make([]account, len(t.jobs))
	for i := range t.jobs {
		all[i] = account{found: t.account(i), end: t.endFor(i)}
	}
	return all
}

// account is what the transaction was to a job whose reply is believed.
func (t *transaction) account(i int) *Session {
	j, r, control := t.jobs[i], &t.Named[i], t.controlFor(i)
	found := t.s.findings(j)
	if t.Trouble == belief.FailedTrial {
		found.Trial = t.s.Trial()
	}
	found.MAIL, found.Target, found.Recipients = t.MAIL.Reply, r.Reply, r.Before
	if r.Reply == nil {
		found.Failure = t.endFor(i)
	} else if control != nil && control.Reply == nil {
		found.Failure = t.failure
	}
	if control != nil && control.Role == belief.Canary && !saysWhether(control.Class) {
		control = nil // it was about something else this time
	}
	switch {
	case control != nil:
		found.Control, found.Behind = control.Reply, control.Behind
	case found.Target != nil && t.known[i].Reply != nil:
		found.Control, found.Behind, found.ControlShared = t.known[i].Reply, t.known[i].Behind, true
	}
	if !t.Company() && !t.Names(belief.Proof) {
		found.Transcript = t.s.Transcript(false)
		return found
	}
	parts := []wire.Exchange{t.MAIL.Exchange, r.Exchange.Exchange}
	if control != nil {
		parts = append(parts, control.Exchange.Exchange)
	}
	found.Transcript = t.s.Excerpt(namedBefore(r.Before), parts...)
	return found
}

// controlFor returns the control that was named and belongs in the findings of
// job i; nil: none was named, or its request has no control.
func (t *transaction) controlFor(i int) *dialogue.Recipient {
	if t.jobs[i].req.Control == "" {
		return nil
	}
	return t.ControlOf(i)
}

// endFor is what ended the session for a job that got no answer in it.
func (t *transaction) endFor(i int) *smtp.Failure {
	if f := t.failure; f != nil && f.Kind == smtp.KindTimeout && t.hadNoTurn(i) {
		return lateTurn(f.Phase)
	}
	return t.failure
}

// hadNoTurn reports whether the time of a job was over while the host answered
// about others of the transaction: it was not silent.
func (t *transaction) hadNoTurn(i int) bool {
	answered := func(r dialogue.Recipient) bool { return r.Reply != nil }
	return passed(t.jobs[i].budget.limit, time.Now()) && slices.ContainsFunc(t.Named, answered)
}

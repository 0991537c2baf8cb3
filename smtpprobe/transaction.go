package smtpprobe

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// transaction names the targets of some jobs to a mail host, and behind them a
// control for each domain of which it is not known whether the host accepts
// every mailbox there. Where all are known, it names the control of a domain
// that refuses it once more. So it ends with a refusal, and RSET behind that
// with an acceptance: a reply too many, or one too few, shows there.
type transaction struct {
	s      *session
	host   *mailHost
	jobs   []*job
	mail   exchange
	named  []recipient // targets in the order of the jobs, then the proof, then the controls
	fresh  bool        // the first of its session
	plain  bool        // one command at a time
	utf8   bool        // with SMTPUTF8
	canary bool        // the last recipient is a control that the host is known to refuse
	began  time.Time   // when the recipients' turn came

	proof        string // mailbox that shows whether the host still accepts anybody; empty: there is none
	known        bool   // the host accepted it before
	provesItself bool   // names the proof behind the targets
	heard        int    // recipients that the host had heard of late
	trouble      trouble
	misplaced    bool // a reply is another command's, as far as one can tell
	silent       int  // the recipient over which the host fell silent; -1: none
}

// role is why a recipient is named.
type role int

const (
	isTarget role = iota
	isControl
	isProof
)

// recipient is a mailbox named in a transaction.
type recipient struct {
	mailbox string
	domain  string
	role    role
	before  int  // recipients that were named in the session before this one
	dropped bool // the reply was not believed, and there is no time to ask again
	exchange
}

// exchange is a command and its reply.
type exchange struct {
	wire.Exchange
	class replies.Class // of the reply, once the transaction is over; of MAIL only where it was refused
}

func (e *exchange) accepted() bool { return e.Reply != nil && !e.Reply.Refused() }
func (e *exchange) refused() bool  { return e.Reply != nil && e.Reply.Refused() }

func newTransaction(s *session, h *mailHost, jobs []*job, proof string, inGroup bool) *transaction {
	t := &transaction{s: s, host: h, jobs: jobs, fresh: s.transactions == 0, silent: -1, proof: proof}
	t.plain, t.utf8 = jobs[0].alone, jobs[0].req.SMTPUTF8
	for _, j := range jobs {
		t.named = append(t.named, recipient{mailbox: j.req.Target, domain: j.domain})
	}
	if inGroup || t.plain && proof != "" {
		t.named = append(t.named, recipient{mailbox: proof, domain: domainOf(proof), role: isProof})
		t.provesItself = true
	}
	targets := len(t.named)
	for _, j := range jobs {
		if j.control == nil && j.req.Control != "" && t.controlOf(j) == nil {
			t.nameControl(j)
		}
	}
	if len(t.named) > targets {
		return t
	}
	for _, j := range slices.Backward(jobs) {
		if j.control != nil && j.control.Refused() {
			t.nameControl(j)
			t.canary = true
			break
		}
	}
	return t
}

func (t *transaction) nameControl(j *job) {
	t.named = append(t.named, recipient{mailbox: j.req.Control, domain: j.domain, role: isControl})
}

// controlOf returns the control of a job's domain in this transaction.
func (t *transaction) controlOf(j *job) *recipient {
	for i := len(t.jobs); i < len(t.named) && j.req.Control != ""; i++ {
		if t.named[i].role == isControl && t.named[i].domain == j.domain {
			return &t.named[i]
		}
	}
	return nil
}

// run carries the transaction out. The error is the end of the session.
func (t *transaction) run(ctx context.Context) error {
	s := t.s
	s.Begin(len(t.named), t.ends())
	if t.utf8 && !s.Offers("SMTPUTF8") {
		t.trouble = notAsked
		return nil
	}
	if !t.fresh {
		s.Listen(ctx)
	}
	err := t.converse(ctx)
	if err == nil {
		err = t.check(ctx)
		t.misplaced = err != nil
	}
	t.trouble = t.troubleOf(err)
	if err == nil && t.controlTooMany() {
		if err = t.controlAgain(ctx); !errors.Is(err, wire.ErrRefused) {
			t.trouble = t.troubleOf(err)
		}
	}
	return err
}

// converse sends MAIL, a RCPT for each recipient and RSET, and reads the
// replies: in one group (RFC 2920 §3.1) where PIPELINING is offered, and else
// each command when the one before is answered.
func (t *transaction) converse(ctx context.Context) error {
	s := t.s
	s.transactions++
	inGroup := s.Offers("PIPELINING") && !t.plain
	commands := []string{t.mailCommand()}
	for i := range t.named {
		commands = append(commands, "RCPT TO:<"+t.named[i].mailbox+">")
	}
	commands = append(commands, "RSET")
	var sent []wire.Exchange
	var err error
	if inGroup {
		if sent, err = s.Send(ctx, smtp.PhaseMAIL, commands...); err != nil {
			return err
		}
		t.mail.Exchange = sent[0]
		for i := range t.named {
			t.named[i].Exchange = sent[i+1]
		}
	}
	for i, command := range commands {
		at := i
		if !inGroup {
			at = 0
			if i > 0 && i <= len(t.named) {
				if t.named[i-1].role == isProof && !t.wantsProof() {
					continue
				}
				s.Listen(ctx)
			}
			if sent, err = s.Send(ctx, phaseAt(i), command); err != nil {
				return err
			}
		}
		if err := t.hear(ctx, i, sent[at]); err != nil {
			return err
		}
	}
	return nil
}

func phaseAt(command int) smtp.Phase {
	if command == 0 {
		return smtp.PhaseMAIL
	}
	return smtp.PhaseRCPT
}

// mailCommand never has a BODY parameter: that declares the encoding of a body
// (RFC 6152 §3), and none will follow.
func (t *transaction) mailCommand() string {
	command := "MAIL FROM:<" + t.s.pool.config.MailFrom + ">"
	if t.utf8 {
		command += " SMTPUTF8" // RFC 6531 §3.4
	}
	return command
}

// wantsProof reports whether the target that is alone in the transaction was
// refused as a mailbox that is not there.
func (t *transaction) wantsProof() bool {
	r := &t.named[0]
	return !t.plain || r.Reply != nil && isDead(t.s.pool.read(t.s, smtp.PhaseRCPT, *r.Reply, r.mailbox))
}

// hear reads the reply to a command: MAIL, a recipient or RSET.
func (t *transaction) hear(ctx context.Context, i int, sent wire.Exchange) error {
	switch {
	case i == 0:
		t.mail.Exchange = sent
		return t.hearMail(ctx)
	case i <= len(t.named):
		t.named[i-1].Exchange = sent
		return t.hearRecipient(ctx, i-1)
	}
	return t.hearReset(ctx, sent)
}

// hearMail reads the reply to MAIL. It must not be the one to EHLO once more.
func (t *transaction) hearMail(ctx context.Context) error {
	s := t.s
	if err := s.Read(ctx, smtp.PhaseMAIL, &t.mail.Exchange); err != nil {
		return err
	}
	if r, ehlo := t.mail.Reply, s.Opening().EHLO; len(r.Lines) > 1 && r.Code == ehlo.Code && slices.Equal(r.Lines, ehlo.Lines) {
		t.misplaced = true
		return t.outOfStep(ctx, smtp.PhaseMAIL, "EHLO was answered twice")
	}
	if t.mail.refused() {
		return wire.ErrRefused
	}
	return nil
}

// outOfStep is the failure of a transaction whose replies do not fit their
// commands.
func (t *transaction) outOfStep(ctx context.Context, phase smtp.Phase, why string) error {
	return t.s.Fault(ctx, phase, smtp.ProtocolError("replies out of step: "+why))
}

// hearRecipient reads the reply about a recipient. After a 421 nothing more
// will come.
func (t *transaction) hearRecipient(ctx context.Context, i int) error {
	s, r := t.s, &t.named[i]
	r.before = s.recipients
	since := time.Now()
	if t.began.IsZero() {
		t.began = since
	}
	t.bound(i)
	if err := s.Read(ctx, smtp.PhaseRCPT, &r.Exchange); err != nil {
		t.silent = i
		return err
	}
	s.recipients++
	if r.refused() {
		s.refused++
		if s.slow++; s.refused <= defaultRefused || time.Since(since) <= impatience {
			s.slow = 0
		}
	}
	if r.Reply.Code == smtp.CodeServiceClosing {
		return wire.ErrRefused
	}
	return nil
}

// bound sets until when to wait for the reply about a recipient, or behind the
// last for that to RSET. The time of a job does not run while the others of its
// transaction are answered. What shows the replies to be in step is not worth
// more time than they took.
func (t *transaction) bound(i int) {
	if len(t.jobs) == 0 {
		return
	}
	now, end := time.Now(), t.ends()
	took := now.Sub(t.began)
	if !end.IsZero() && len(t.jobs) > 1 {
		end = end.Add(took)
	}
	if enough := now.Add(max(leastSilence, 2*took)); t.settledWithout(i) && (end.IsZero() || enough.Before(end)) {
		end = enough
	}
	t.s.Bound(end)
}

// settledWithout reports whether recipient i need not be heard to know what
// became of the targets: all were refused, or it is RSET's turn.
func (t *transaction) settledWithout(i int) bool {
	return i == len(t.named) || i >= len(t.jobs) && !slices.ContainsFunc(t.named[:len(t.jobs)], func(r recipient) bool { return r.accepted() })
}

// hearReset reads the reply to the RSET that ends the transaction. Hosts do not
// refuse it (RFC 5321 §4.1.1.5) but for not knowing it, 50z, or with 421: any
// other refusal belongs to a command before it.
func (t *transaction) hearReset(ctx context.Context, sent wire.Exchange) error {
	s := t.s
	t.bound(len(t.named))
	if err := s.Read(ctx, smtp.PhaseRCPT, &sent); err != nil {
		return err
	}
	reply := *sent.Reply
	switch {
	case reply.Code == smtp.CodeServiceClosing:
		return wire.ErrRefused
	case reply.Refused() && reply.Code/10 != 50:
		t.misplaced = true
		return t.outOfStep(ctx, smtp.PhaseRCPT, "RSET was refused")
	}
	s.unreset = reply.Refused()
	if !t.plain && strings.HasSuffix(reply.Enhanced, destinationValid) && t.anySays(reply) {
		t.misplaced = true
		return t.outOfStep(ctx, smtp.PhaseRCPT, "RSET was answered like a recipient")
	}
	return nil
}

// destinationValid is the detail of an enhanced status code that accepts a
// recipient (RFC 3463 §3.2).
const destinationValid = ".1.5"

// anySays reports whether a recipient was given the same reply.
func (t *transaction) anySays(reply smtp.Reply) bool {
	return slices.ContainsFunc(t.named, func(r recipient) bool {
		return r.Reply != nil && r.Reply.Code == reply.Code && r.Reply.Enhanced == reply.Enhanced && slices.Equal(r.Reply.Lines, reply.Lines)
	})
}

// controlTooMany reports whether the only target was accepted and the control
// refused for being one recipient too many. Nothing is known then of whether
// the host checks its recipients. Some hosts say so for good: "552 too many
// recipients", as RFC 5321 §4.5.3.1.10 expects of old ones, or "550 bounce
// messages have only one recipient". A policy (X.7.z, RFC 3463 §3.8) is about
// us, and asking again would not change it.
func (t *transaction) controlTooMany() bool {
	last := &t.named[len(t.named)-1]
	if len(t.jobs) != 1 || last.role != isControl || last.Reply == nil || !t.named[0].accepted() {
		return false
	}
	return limited(*last.Reply) || last.Reply.Code >= 500 && !strings.HasPrefix(last.Reply.Enhanced, "5.7.") &&
		t.s.pool.read(t.s, smtp.PhaseRCPT, *last.Reply, "@"+last.domain) == replies.RateLimited
}

// controlAgain asks about the control in a transaction of its own. Where that
// is refused too, the answer stays what it was.
func (t *transaction) controlAgain(ctx context.Context) error {
	control := &t.named[len(t.named)-1]
	reply, err := t.s.nameOne(ctx, control.mailbox, t.utf8)
	if reply != nil {
		control.Reply = reply
	}
	return err
}

// nameOne names one mailbox in a transaction of its own. There is no reply if
// it was not in step.
func (s *session) nameOne(ctx context.Context, mailbox string, utf8 bool) (*smtp.Reply, error) {
	if s.unreset {
		return nil, wire.ErrRefused // the host knows no RSET
	}
	t := &transaction{s: s, utf8: utf8, named: []recipient{{mailbox: mailbox}}, silent: -1}
	err := t.converse(ctx)
	if err == nil {
		err = s.Leftover(ctx, smtp.PhaseRCPT)
		t.misplaced = err != nil
	}
	if t.misplaced {
		return nil, err
	}
	return t.named[0].Reply, err
}

// ends is when the time for the last of the jobs is over; zero: never.
func (t *transaction) ends() time.Time { return lastEnd(t.jobs) }

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

// limited reports whether a recipient was refused for being one too many (RFC
// 5321 §4.5.3.1.10, RFC 3463 §3.6).
func limited(r smtp.Reply) bool {
	return strings.HasSuffix(r.Enhanced, ".5.3") && r.Code >= 400 || r.Code == smtp.CodeInsufficientStorage && r.Enhanced == ""
}

package smtpprobe

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

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
	if r := t.mail.Reply; len(r.Lines) > 1 && same(*r, *s.Opening().EHLO) {
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
		t.stopped = i
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
		t.stopped = i
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
	now, end := time.Now(), t.end
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
	accepted := func(r recipient) bool { return r.accepted() }
	return i == len(t.named) || i >= len(t.jobs) && !slices.ContainsFunc(t.named[:len(t.jobs)], accepted)
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
		return t.outOfStep(ctx, smtp.PhaseRCPT, "RSET was refused")
	}
	s.unreset = reply.Refused()
	if !t.alone && strings.HasSuffix(reply.Enhanced, destinationValid) && t.anySays(reply) {
		return t.outOfStep(ctx, smtp.PhaseRCPT, "RSET was answered like a recipient")
	}
	return nil
}

// destinationValid is the detail of an enhanced status code that accepts a
// recipient (RFC 3463 §3.2).
const destinationValid = ".1.5"

// anySays reports whether a recipient was given the same reply.
func (t *transaction) anySays(reply smtp.Reply) bool {
	return slices.ContainsFunc(t.named, func(r recipient) bool { return r.Reply != nil && same(*r.Reply, reply) })
}

func same(a, b smtp.Reply) bool {
	return a.Code == b.Code && a.Enhanced == b.Enhanced && slices.Equal(a.Lines, b.Lines)
}

// controlTooMany reports whether the only target was accepted and the control
// refused for being one recipient too many. Nothing is known then of whether
// the host checks its recipients. Some hosts say so for good: "552 too many
// recipients", as RFC 5321 §4.5.3.1.10 expects of old ones, or "550 bounce
// messages have only one recipient". A policy (X.7.z, RFC 3463 §3.8) is about
// us, and asking again would not change it.
func (t *transaction) controlTooMany() bool {
	last := &t.named[len(t.named)-1]
	if len(t.jobs) != 1 || !last.isControl() || last.Reply == nil || !t.named[0].accepted() {
		return false
	}
	return limited(*last.Reply) || last.Reply.Code >= 500 && !strings.HasPrefix(last.Reply.Enhanced, "5.7.") &&
		t.s.pool.read(t.s, smtp.PhaseRCPT, *last.Reply, "@"+last.domain) == replies.ClassRateLimited
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

// limited reports whether a recipient was refused for being one too many (RFC
// 5321 §4.5.3.1.10, RFC 3463 §3.6).
func limited(r smtp.Reply) bool {
	return strings.HasSuffix(r.Enhanced, ".5.3") && r.Refused() ||
		r.Code == smtp.CodeInsufficientStorage && r.Enhanced == ""
}

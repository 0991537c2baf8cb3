package dialogue

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// hear reads the reply to a command: MAIL, a recipient or RSET.
func (t *Transaction) hear(ctx context.Context, i int, sent wire.Exchange) error {
	switch {
	case i == 0:
		t.MAIL.Exchange = sent
		return t.hearMail(ctx)
	case i <= len(t.Named):
		t.Named[i-1].Exchange.Exchange = sent
		return t.hearRecipient(ctx, i-1)
	}
	return t.hearReset(ctx, sent)
}

// hearMail reads the reply to MAIL. It must not be the one to EHLO once more.
func (t *Transaction) hearMail(ctx context.Context) error {
	if err := t.Read(ctx, smtp.PhaseMAIL, &t.MAIL.Exchange); err != nil {
		return err
	}
	if r := t.MAIL.Reply; len(r.Lines) > 1 && same(*r, *t.Opening().EHLO) {
		return t.outOfStep(ctx, smtp.PhaseMAIL, "EHLO was answered twice")
	}
	t.Passed(wire.STARTTLS) // where it was refused: the host goes on in plain text
	if t.ungrouped(*t.MAIL.Reply) {
		return wire.ErrRefused
	}
	if t.MAIL.Refused() {
		t.Passed(wire.PIPELINING) // the refusal is of something else
		t.MAIL.Class = t.Classify(smtp.PhaseMAIL, *t.MAIL.Reply, "").Class
		return wire.ErrRefused
	}
	return nil
}

// outOfStep is the failure of a transaction whose replies do not fit their
// commands.
func (t *Transaction) outOfStep(ctx context.Context, phase smtp.Phase, why string) error {
	return t.Fault(ctx, phase, smtp.ProtocolError("replies out of step: "+why))
}

// hearRecipient reads the reply about a recipient. After a 421 nothing more
// will come.
func (t *Transaction) hearRecipient(ctx context.Context, i int) error {
	s, r := t.Session, &t.Named[i]
	r.Before = s.Recipients
	if t.Began.IsZero() {
		t.Began = time.Now()
	}
	t.bound(i)
	if err := s.Read(ctx, smtp.PhaseRCPT, &r.Exchange.Exchange); err != nil {
		t.Stopped = i
		return err
	}
	if t.ungrouped(*r.Reply) {
		t.Stopped = i
		return wire.ErrRefused
	}
	t.Passed(wire.PIPELINING)
	t.Grouped = t.Grouped || t.inGroup()
	t.classify(r)
	s.Recipients++
	if r.Refused() {
		s.Refused++
	}
	if r.Reply.Code == smtp.CodeServiceClosing {
		t.Stopped = i
		return wire.ErrRefused
	}
	return nil
}

// ungrouped reports whether a host, on the trial of PIPELINING, refuses a
// command of a group as one that it does not know or that comes at the wrong
// moment, or speaks of the group. A wrong argument (501, 504) is something
// else.
func (t *Transaction) ungrouped(r smtp.Reply) bool {
	if t.Trial() != wire.PIPELINING || !r.Refused() {
		return false
	}
	if r.Code == 500 || r.Code == 502 || r.Code == 503 || r.Enhanced == "4.5.1" || r.Enhanced == "5.5.1" {
		return true
	}
	text := strings.ToLower(strings.Join(r.Lines, " "))
	return strings.Contains(text, "pipelin") || strings.Contains(text, "synchroni")
}

const (
	// impatience is the wait by which a host shows that it has had enough
	// refusals: Postfix waits a second (smtpd_error_sleep_time).
	impatience = 900 * time.Millisecond
	// leastSilence is the least wait for a reply that shows no more than
	// whether the others are in step.
	leastSilence = 3 * time.Second
)

// bound sets until when to wait for the reply about a recipient, or behind the
// last for that to RSET. The time of a job does not run while the others of its
// transaction are answered. What shows the replies to be in step is not worth
// more time than they took.
func (t *Transaction) bound(i int) {
	if t.Targets == 0 {
		return
	}
	now, end := time.Now(), t.End
	took := now.Sub(t.Began)
	if !end.IsZero() && t.Targets > 1 {
		end = end.Add(took)
	}
	if enough := now.Add(max(leastSilence, 2*took)); t.settledWithout(i) && (end.IsZero() || enough.Before(end)) {
		end = enough
	}
	t.Bound(end)
}

// settledWithout reports whether recipient i need not be heard to know what
// becomes of the targets: all were refused, or only the reply to RSET is left.
func (t *Transaction) settledWithout(i int) bool {
	accepted := func(r Recipient) bool { return r.Accepted() }
	return i == len(t.Named) || i >= t.Targets && !slices.ContainsFunc(t.Named[:t.Targets], accepted)
}

// hearReset reads the reply to the RSET that ends the transaction. Hosts do not
// refuse it (RFC 5321 §4.1.1.5) but for not knowing it, 50z, or with 421: any
// other refusal belongs to a command before it.
func (t *Transaction) hearReset(ctx context.Context, sent wire.Exchange) error {
	t.bound(len(t.Named))
	since := time.Now()
	if err := t.Read(ctx, smtp.PhaseRCPT, &sent); err != nil {
		return err
	}
	reply := *sent.Reply
	t.Slow = t.Refused > t.ManyRefused && time.Since(since) > impatience
	switch {
	case reply.Code == smtp.CodeServiceClosing:
		return wire.ErrRefused
	case reply.Refused() && reply.Code/10 != 50:
		return t.outOfStep(ctx, smtp.PhaseRCPT, "RSET was refused")
	}
	t.Unreset = reply.Refused()
	if !t.Alone && strings.HasSuffix(reply.Enhanced, destinationValid) && t.anySays(reply) {
		return t.outOfStep(ctx, smtp.PhaseRCPT, "RSET was answered like a recipient")
	}
	return nil
}

// destinationValid is the detail of an enhanced status code that accepts a
// recipient (RFC 3463 §3.2).
const destinationValid = ".1.5"

// anySays reports whether a recipient was given the same reply.
func (t *Transaction) anySays(reply smtp.Reply) bool {
	return slices.ContainsFunc(t.Named, func(r Recipient) bool { return r.Reply != nil && same(*r.Reply, reply) })
}

func same(a, b smtp.Reply) bool {
	return a.Code == b.Code && a.Enhanced == b.Enhanced && slices.Equal(a.Lines, b.Lines)
}

// TooMany reports whether the reply refuses a recipient for being one too many
// (RFC 5321 §4.5.3.1.10, RFC 3463 §3.6).
func (e *Exchange) TooMany() bool {
	r := e.Reply
	return r != nil && (strings.HasSuffix(r.Enhanced, ".5.3") && r.Refused() ||
		r.Code == smtp.CodeInsufficientStorage && r.Enhanced == "")
}

// classify reads the reply about a recipient.
func (t *Transaction) classify(r *Recipient) {
	mailbox := r.Mailbox
	if r.IsControl() {
		mailbox = "@" + r.Domain
	}
	reading := t.Classify(smtp.PhaseRCPT, *r.Reply, mailbox)
	r.Class, r.RetryAfter = reading.Class, reading.RetryAfter
}

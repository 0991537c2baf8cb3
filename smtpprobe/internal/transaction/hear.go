package transaction

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// hear reads the reply to a command: MAIL, a recipient or RSET.
func (t *Transaction) hear(ctx context.Context, i int, sent wire.Exchange) error {
	switch {
	case i == 0:
		t.mail = sent
		return t.hearMail(ctx)
	case i <= len(t.heard):
		t.heard[i-1].exchange = sent
		return t.hearRecipient(ctx, i-1)
	}
	return t.hearReset(ctx, sent)
}

// hearMail reads the reply to MAIL. It must not be the one to EHLO once more.
func (t *Transaction) hearMail(ctx context.Context) error {
	conn, mail := t.session.Conn, &t.Outcome.MAIL
	if err := conn.Read(ctx, smtp.PhaseMAIL, &t.mail); err != nil {
		return err
	}
	mail.Reply = t.mail.Reply
	if lines := mail.Reply.Lines; len(lines) > 1 && slices.Equal(lines, conn.Opening().EHLO.Lines) {
		return t.outOfStep(ctx, smtp.PhaseMAIL, "EHLO was answered twice")
	}
	conn.Passed(wire.STARTTLS) // where it was refused: the host goes on in plain text
	if t.ungrouped(*mail.Reply) {
		return wire.ErrRefused
	}
	if mail.Refused() {
		conn.Passed(wire.PIPELINING) // the refusal is of something else
		mail.Class = t.session.Classify(smtp.PhaseMAIL, *mail.Reply, "").Class
		return wire.ErrRefused
	}
	return nil
}

// outOfStep is the failure of a transaction whose replies do not fit their
// commands.
func (t *Transaction) outOfStep(ctx context.Context, phase smtp.Phase, why string) error {
	return t.session.Conn.Fault(ctx, phase, smtp.ProtocolError("replies out of step: "+why))
}

// hearRecipient reads the reply about a recipient. After a 421 nothing more
// will come.
func (t *Transaction) hearRecipient(ctx context.Context, i int) error {
	s, r := t.session, &t.Outcome.Named[i]
	r.Before = s.Recipients
	if t.Began.IsZero() {
		t.Began = time.Now()
	}
	t.bound(i)
	if err := s.Conn.Read(ctx, smtp.PhaseRCPT, &t.heard[i].exchange); err != nil {
		t.Outcome.Stopped = i
		return err
	}
	r.Reply = t.heard[i].exchange.Reply
	if t.ungrouped(*r.Reply) {
		t.Outcome.Stopped = i
		return wire.ErrRefused
	}
	s.Conn.Passed(wire.PIPELINING)
	s.Grouped = s.Grouped || t.inGroup()
	t.classify(i)
	s.Recipients++
	if r.Refused() {
		s.Refused++
	}
	if r.Reply.Code == smtp.CodeServiceClosing {
		t.Outcome.Stopped = i
		return wire.ErrRefused
	}
	return nil
}

// classify reads the reply about a recipient.
func (t *Transaction) classify(i int) {
	r := &t.Outcome.Named[i]
	mailbox := r.Mailbox
	if r.IsControl() {
		mailbox = "@" + r.Domain
	}
	reading := t.session.Classify(smtp.PhaseRCPT, *r.Reply, mailbox)
	r.Class, t.heard[i].retryAfter = reading.Class, reading.RetryAfter
}

// ungrouped reports whether a host, on the trial of PIPELINING, refuses a
// command of a group as one that it does not know or that comes at the wrong
// moment, or speaks of the group. A wrong argument (501, 504) is something
// else.
func (t *Transaction) ungrouped(r smtp.Reply) bool {
	if t.session.Conn.Trial() != wire.PIPELINING || !r.Refused() {
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
	targets := t.Outcome.Targets
	if targets == 0 {
		return
	}
	now, end := time.Now(), t.End
	took := now.Sub(t.Began)
	if !end.IsZero() && targets > 1 {
		end = end.Add(took)
	}
	if enough := now.Add(max(leastSilence, 2*took)); t.settledWithout(i) && (end.IsZero() || enough.Before(end)) {
		end = enough
	}
	t.session.Conn.Bound(end)
}

// settledWithout reports whether recipient i need not be heard to know what
// becomes of the targets: all were refused, or only the reply to RSET is left.
func (t *Transaction) settledWithout(i int) bool {
	o := &t.Outcome
	accepted := func(r belief.Heard) bool { return r.Accepted() }
	return i == len(o.Named) || i >= o.Targets && !slices.ContainsFunc(o.Named[:o.Targets], accepted)
}

// hearReset reads the reply to the RSET that ends the transaction. Hosts do not
// refuse it (RFC 5321 §4.1.1.5) but for not knowing it, 50z, or with 421: any
// other refusal belongs to a command before it, as does an acceptance in the
// words of a recipient: what is left over then may still be on its way.
func (t *Transaction) hearReset(ctx context.Context, sent wire.Exchange) error {
	s := t.session
	t.bound(len(t.heard))
	since := time.Now()
	if err := s.Conn.Read(ctx, smtp.PhaseRCPT, &sent); err != nil {
		return err
	}
	t.Slow = s.Refused > s.ManyRefused && time.Since(since) > impatience
	switch reply := sent.Reply; {
	case reply.Code == smtp.CodeServiceClosing:
		return wire.ErrRefused
	case reply.Refused() && reply.Code/10 != 50:
		return t.outOfStep(ctx, smtp.PhaseRCPT, "RSET was refused")
	case reply.Refused():
		s.Unreset = true
	case !t.Outcome.Alone && strings.HasSuffix(reply.Enhanced, destinationValid) && t.saidOfRecipient(*reply):
		return t.outOfStep(ctx, smtp.PhaseRCPT, "RSET was answered like a recipient")
	}
	return nil
}

// saidOfRecipient reports whether a recipient was given the same reply.
func (t *Transaction) saidOfRecipient(reply smtp.Reply) bool {
	same := func(r belief.Heard) bool {
		return r.Reply != nil && r.Reply.Code == reply.Code && r.Reply.Enhanced == reply.Enhanced &&
			slices.Equal(r.Reply.Lines, reply.Lines)
	}
	return slices.ContainsFunc(t.Outcome.Named, same)
}

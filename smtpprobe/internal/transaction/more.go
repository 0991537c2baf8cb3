package transaction

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

const (
	// patience is the longest wait that a host may ask for within a session.
	patience = 5 * time.Second
	// maxWaits is how often it may. Postfix that asks another host about a
	// recipient (reject_unverified_recipient) waits for the answer, looking
	// three times, 3 s apart (address_verify_poll_delay), and then says 450.
	maxWaits = 3
)

// askMore asks what the answers about a lone target, and about those that are
// named behind the targets, left open, each time in a transaction of its own.
//
// A lone target, or its control, that is to be asked about again within seconds
// is. A proof that was refused, or a control that was refused and not for being
// unknown, may have been one recipient too many, whatever the words: some hosts
// take one recipient of a bounce. So it is named first in a transaction. If the
// control is refused for good there, too, an accepted target is named once more
// behind it: if the host still accepts that one, the refusal is about the
// control, and the host tells mailboxes apart.
func (t *Transaction) askMore(ctx context.Context) error {
	o := &t.Outcome
	if o.Targets == 0 {
		return nil
	}
	t.session.Conn.Bound(t.End)
	for waits := 0; waits < maxWaits && o.Targets == 1; waits++ {
		if err := t.comeBack(ctx); err != nil {
			return err
		}
	}
	for i := o.Targets; i < len(o.Named) && t.hasTime(0); i++ {
		if err := t.settle(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// settle names a proof or a control once more that was refused in a way that
// may be about the transaction, and behind a control that is refused again a
// target. If the answer is another one now, it was one recipient too many: the
// other targets may have been, too.
func (t *Transaction) settle(ctx context.Context, i int) error {
	o := &t.Outcome
	r := &o.Named[i]
	target := t.acceptedIn(r.Domain)
	switch r.Role {
	case belief.Proof:
		if !r.Refused() {
			return nil
		}
	case belief.Control:
		if target == nil || !r.Nameless() && (o.Targets > 1 || !r.Unclear()) {
			return nil
		}
	default:
		return nil
	}
	if err := t.again(ctx, i); err != nil {
		return err
	}
	if r.Role == belief.Control && r.Nameless() {
		said, err := t.nameOnceMore(ctx, *target)
		if err != nil {
			return err
		}
		r.Behind = said.Outcome.Named[0].Reply
	}
	if o.Targets > 1 && !r.AcceptsBehind() && (r.Role == belief.Control || r.Accepted()) {
		o.Trouble = belief.TooMany
	}
	return nil
}

// acceptedIn returns the first target of a domain that was accepted, and is not
// one that hosts accept from everybody; nil: there is none.
func (t *Transaction) acceptedIn(domain string) *belief.Heard {
	for i := range t.Outcome.Targets {
		if r := &t.Outcome.Named[i]; r.Domain == domain && r.Accepted() && !belief.Exempt(r.Mailbox) {
			return r
		}
	}
	return nil
}

// hasTime reports whether another question can be put after a wait.
func (t *Transaction) hasTime(wait time.Duration) bool {
	return t.End.IsZero() || time.Until(t.End) > wait+leastSilence
}

// again names a recipient once more. If there is an answer, it is the one that
// counts.
func (t *Transaction) again(ctx context.Context, i int) error {
	more, err := t.nameOnceMore(ctx, t.Outcome.Named[i])
	if err == nil {
		t.Outcome.Named[i].Said, t.heard[i] = more.Outcome.Named[0].Said, more.heard[0]
	}
	return err
}

// nameOnceMore names a recipient in a transaction of its own. There is no
// answer if that was not in step to its end.
func (t *Transaction) nameOnceMore(ctx context.Context, r belief.Heard) (*Transaction, error) {
	t.Outcome.Repeated++
	if t.session.Unreset {
		return nil, wire.ErrRefused
	}
	more := &Transaction{UTF8: t.UTF8, session: t.session, heard: make([]heard, 1)}
	more.Outcome.Named = []belief.Heard{{Mailbox: r.Mailbox, Domain: r.Domain, Role: r.Role}}
	err := more.converse(ctx)
	if err == nil {
		err = t.session.Conn.Leftover(ctx, smtp.PhaseRCPT)
	}
	t.Slow = t.Slow || more.Slow
	return more, err
}

// comeBack waits for as long as the host asks for, if those are seconds and
// there is time for them, and names the recipients again that it put off.
func (t *Transaction) comeBack(ctx context.Context) error {
	var wait time.Duration
	var putOff []int
	for i := range t.heard {
		if after := t.heard[i].retryAfter; t.Outcome.Named[i].Refused() && after > 0 && after <= patience {
			wait, putOff = max(wait, after), append(putOff, i)
		}
	}
	if wait == 0 || !t.hasTime(wait) {
		return nil
	}
	select {
	case <-ctx.Done():
		return t.session.Conn.Fault(ctx, smtp.PhaseRCPT, ctx.Err())
	case <-time.After(wait):
	}
	t.session.Conn.Listen(ctx)
	for _, i := range putOff {
		if err := t.again(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

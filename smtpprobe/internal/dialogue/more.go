package dialogue

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/replies"
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
	t.Bound(t.End)
	for waits := 0; waits < maxWaits && t.Targets == 1; waits++ {
		if err := t.comeBack(ctx); err != nil {
			return err
		}
	}
	for i := t.Targets; i < len(t.Named) && t.hasTime(0); i++ {
		if err := t.settle(ctx, &t.Named[i]); err != nil {
			return err
		}
	}
	return nil
}

// settle names a proof or a control once more that was refused in a way that
// may be about the transaction, and behind a control that is refused again a
// target. If the answer is another one now, it was one recipient too many: the
// other targets may have been, too.
func (t *Transaction) settle(ctx context.Context, r *Recipient) error {
	target := t.acceptedIn(r.Domain)
	switch r.Role {
	case belief.Proof:
		if !r.Refused() {
			return nil
		}
	case belief.Control:
		if target == nil || !r.Nameless() && (t.Targets > 1 || !r.Unclear()) {
			return nil
		}
	default:
		return nil
	}
	if err := t.again(ctx, r); err != nil {
		return err
	}
	if r.Role == belief.Control && r.Nameless() {
		t.Repeated++
		said, err := t.NameOne(ctx, target.Mailbox, t.UTF8)
		if err != nil {
			return err
		}
		r.Behind = said.Reply
	}
	if t.Targets > 1 && !r.AcceptsBehind() && (r.Role == belief.Control || r.Accepted()) {
		t.Trouble = belief.TooMany
	}
	return nil
}

// acceptedIn returns the first target of a domain that was accepted, and is not
// one that hosts accept from everybody; nil: there is none.
func (t *Transaction) acceptedIn(domain string) *Recipient {
	for i := range t.Targets {
		if r := &t.Named[i]; r.Domain == domain && r.Accepted() && !belief.Exempt(r.Mailbox) {
			return r
		}
	}
	return nil
}

// hasTime reports whether another question can be put after a wait.
func (t *Transaction) hasTime(wait time.Duration) bool {
	return t.End.IsZero() || time.Until(t.End) > wait+leastSilence
}

// Unclear reports whether a control was refused and not called unknown. Where
// it is greylisted, asking again at once would not help.
func (r *Recipient) Unclear() bool {
	return r.Refused() && r.Class != replies.ClassNoSuchUser && r.Class != replies.ClassGreylisted
}

// Nameless reports whether a control was refused for good, and neither called
// unknown nor one too many.
func (r *Recipient) Nameless() bool {
	return r.Unclear() && r.Reply.Code >= 500 && r.Class != replies.ClassRateLimited && !r.TooMany()
}

// AcceptsBehind reports whether the host accepted a target behind a control:
// its refusal is about the control.
func (r *Recipient) AcceptsBehind() bool { return r.Behind != nil && !r.Behind.Refused() }

// again names a recipient once more. If there is an answer, it is the one that
// counts.
func (t *Transaction) again(ctx context.Context, r *Recipient) error {
	t.Repeated++
	said, err := t.NameOne(ctx, r.Mailbox, t.UTF8)
	if said.Reply != nil {
		r.Exchange.Exchange = said
		t.classify(r)
	}
	return err
}

// comeBack waits for as long as the host asks for, if those are seconds and
// there is time for them, and names the recipients again that it put off.
func (t *Transaction) comeBack(ctx context.Context) error {
	var wait time.Duration
	var putOff []*Recipient
	for i := range t.Named {
		if r := &t.Named[i]; r.Refused() && r.RetryAfter > 0 && r.RetryAfter <= patience {
			wait, putOff = max(wait, r.RetryAfter), append(putOff, r)
		}
	}
	if wait == 0 || !t.hasTime(wait) {
		return nil
	}
	select {
	case <-ctx.Done():
		return t.Fault(ctx, smtp.PhaseRCPT, ctx.Err())
	case <-time.After(wait):
	}
	t.Listen(ctx)
	for _, r := range putOff {
		if err := t.again(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

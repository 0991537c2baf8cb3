package transaction

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// troubleOf tells why the transaction is not believed.
func (t *Transaction) troubleOf(err error) belief.Trouble {
	failure, failed := errors.AsType[*smtp.Failure](err)
	switch {
	case t.session.Conn.FailedTrial(err) != "":
		return belief.FailedTrial
	case failed:
		switch failure.Kind {
		case smtp.KindProtocol:
			return belief.OutOfStep
		case smtp.KindCancelled:
			return belief.CutOff
		case smtp.KindTimeout:
			return belief.FellSilent
		}
		return belief.HungUp
	case t.Outcome.MAIL.Refused():
		return belief.MAILRefused
	case err != nil:
		return belief.HungUp
	}
	return belief.None
}

// check fails when a whole transaction shows that its replies are not in step
// with its commands: a control that the host is known to refuse was accepted, a
// reply names another recipient or is one to MAIL, or something is left over.
func (t *Transaction) check(ctx context.Context) error {
	if err := t.session.Conn.Leftover(ctx, smtp.PhaseRCPT); err != nil {
		return err
	}
	o := &t.Outcome
	if last := &o.Named[len(o.Named)-1]; last.Role == belief.Canary && last.Accepted() && !o.Alone {
		return t.outOfStep(ctx, smtp.PhaseRCPT, "a random mailbox that is refused as a rule was accepted")
	}
	if t.answersMail() && !o.Alone {
		return t.outOfStep(ctx, smtp.PhaseRCPT, "a recipient was answered like MAIL")
	}
	misplaced := false
	for i := range o.Named {
		misplaced = t.namesAnother(i) || misplaced
	}
	if misplaced {
		return t.outOfStep(ctx, smtp.PhaseRCPT, "the answer about one recipient names another")
	}
	return nil
}

// Details of enhanced status codes that accept a sender (other address status)
// and a recipient (RFC 3463 §3.2).
const (
	otherAddress     = ".1.0"
	destinationValid = ".1.5"
)

// answersMail reports whether a recipient was accepted with the detail of a
// sender, beside one that was accepted with that of a recipient.
func (t *Transaction) answersMail() bool {
	says := func(detail string) bool {
		return slices.ContainsFunc(t.Outcome.Named, func(r belief.Heard) bool {
			return r.Accepted() && strings.HasSuffix(r.Reply.Enhanced, detail)
		})
	}
	return says(otherAddress) && says(destinationValid)
}

// namesAnother reports whether the reply to recipient i names a mailbox that is
// not the one it should be about. If the host names the same again when it is
// asked about a target alone, that is what it calls the target. Many name the
// postmaster as the one to turn to.
func (t *Transaction) namesAnother(i int) bool {
	o := &t.Outcome
	r := &o.Named[i]
	if r.Reply == nil {
		return false
	}
	name := bracketed(r.Reply.Lines)
	if r.Role != belief.Target {
		return slices.ContainsFunc(o.Named[:o.Targets], func(target belief.Heard) bool {
			return strings.EqualFold(target.Mailbox, name) && target.Mailbox != r.Mailbox
		})
	}
	own := strings.EqualFold(unquoted.Replace(name), unquoted.Replace(r.Mailbox))
	if name == "" || own || strings.EqualFold(name, t.session.MailFrom) {
		return false
	}
	if local, _, _ := strings.Cut(name, "@"); strings.EqualFold(local, belief.Postmaster) {
		return false
	}
	before := t.Calls[i]
	t.Calls[i] = strings.ToLower(name)
	return !o.Alone || t.Calls[i] != before
}

// unquoted takes the quotes off a local-part: hosts name "a b"@a.example as a
// b@a.example, too.
var unquoted = strings.NewReplacer(`"`, "", `\`, "")

// bracketed returns the first mailbox that stands in angle brackets, as those
// that a refusal is about mostly do.
func bracketed(lines []string) string {
	for _, line := range lines {
		_, rest, _ := strings.Cut(line, "<")
		if name, _, ok := strings.Cut(rest, ">"); ok && strings.Contains(name, "@") {
			return name
		}
	}
	return ""
}

package smtpprobe

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// trouble is why a transaction is not believed.
type trouble int

const (
	noTrouble   trouble = iota
	notAsked            // the host lacks what the question needs
	cutOff              // the caller gave up
	mailRefused         // MAIL was
	outOfStep           // replies do not fit their commands
	tooMany             // a recipient was refused for being one too many
	hungUp              // 421, or the end of the connection
	fellSilent
)

// troubleOf tells why the transaction is not believed.
func (t *transaction) troubleOf(err error) trouble {
	failure, failed := errors.AsType[*smtp.Failure](err)
	switch {
	case failed:
		switch failure.Kind {
		case smtp.KindProtocol:
			return outOfStep
		case smtp.KindCancelled:
			return cutOff
		case smtp.KindTimeout:
			return fellSilent
		}
		return hungUp
	case t.mail.refused():
		return mailRefused
	case err != nil:
		return hungUp
	}
	return noTrouble
}

// check fails when a whole transaction shows that its replies are not in step
// with its commands: a control that the host is known to refuse was accepted,
// a reply names another recipient, or something is left over.
func (t *transaction) check(ctx context.Context) error {
	if err := t.s.Leftover(ctx, smtp.PhaseRCPT); err != nil {
		return err
	}
	if last := &t.named[len(t.named)-1]; last.role == isCanary && last.accepted() && !t.alone {
		return t.outOfStep(ctx, smtp.PhaseRCPT, "a random mailbox that is refused as a rule was accepted")
	}
	misplaced := false
	for i := range t.named {
		misplaced = t.namesAnother(i) || misplaced
	}
	if misplaced {
		return t.outOfStep(ctx, smtp.PhaseRCPT, "the answer about one recipient names another")
	}
	return nil
}

// namesAnother reports whether the reply to recipient i names a mailbox that is
// not the one it should be about. If the host names the same again when it is
// asked about a target alone, that is what it calls the target. Many name the
// postmaster as the one to turn to.
func (t *transaction) namesAnother(i int) bool {
	r := &t.named[i]
	if r.Reply == nil {
		return false
	}
	name := bracketed(r.Reply.Lines)
	if r.role != isTarget {
		return slices.ContainsFunc(t.jobs, func(j *job) bool {
			return strings.EqualFold(j.req.Target, name) && j.req.Target != r.mailbox
		})
	}
	own := strings.EqualFold(unquoted.Replace(name), unquoted.Replace(r.mailbox))
	if name == "" || own || strings.EqualFold(name, t.s.mailFrom) {
		return false
	}
	if local, _, _ := strings.Cut(name, "@"); strings.EqualFold(local, postmaster) {
		return t.comesLate(name)
	}
	j := t.jobs[i]
	before := j.named
	j.named = strings.ToLower(name)
	return !t.alone || j.named != before
}

// unquoted takes the quotes off a local-part: hosts name "a b"@a.example as a
// b@a.example, too.
var unquoted = strings.NewReplacer(`"`, "", `\`, "")

// comesLate reports whether the transaction before this one named a mailbox: a
// reply that is about it is a late one.
func (t *transaction) comesLate(mailbox string) bool {
	return slices.ContainsFunc(t.before, func(r recipient) bool { return strings.EqualFold(r.mailbox, mailbox) })
}

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

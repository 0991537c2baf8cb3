package smtpprobe

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Replies come in the order of their commands (RFC 2920 §3.2 and RFC 5321 §4.1.4 leave no other). A host that gets it wrong, or that has a reply of
// its own left over from before, gives one recipient the answer about another, and a mailbox that exists the refusal of one that does not. What
// gives it away is a refused target beside an accepted control, which an honest host has only where it takes every mailbox but that one, and a
// reply that names somebody else.

// confirmed is what a host has shown, as [traits.trusted] has it, that refuses a mailbox in a domain whose control it accepts and means it.
const confirmed = "refused beside an accepted control"

// contradicted reports whether a target was refused for good in a domain whose control was accepted.
func (f *flight) contradicted(i int) bool {
	control := f.asks[i].control
	if r := f.controlOf(f.asks[i]); r != nil {
		control = r.reply
	}
	reply := f.named[i].reply
	return reply != nil && reply.Code >= 500 && control != nil && refusal(*control) == nil
}

// doubts reports whether a target may have been given the answer about another: the host has not shown yet that it means what it says. The pool's
// lock is held.
func (f *flight) doubts(i int) bool { return f.contradicted(i) && !f.host.traits.trusted[confirmed] }

// doubtsControl reports the same of a control.
func (f *flight) doubtsControl(control *recipient) bool {
	for i := range f.asks {
		if f.named[i].domain == control.domain && f.doubts(i) {
			return true
		}
	}
	return false
}

// trustDomain notes that the host means a refusal beside an accepted control. Those who wait to be asked about the same domain by themselves can
// come along with others again.
func (h *mailHost) trustDomain(domain string) {
	h.trust(confirmed)
	for _, a := range h.waiting {
		if a.alone && a.domain == domain {
			a.alone, a.doubts = false, 0
		}
	}
}

// confirm asks about the target in a transaction of its own, waiting for each reply, unless it was so already. If the host does not say it again,
// it has not been said.
func (f *flight) confirm(ctx context.Context) error {
	if len(f.named) == 1 {
		f.confirmed = f.fresh
		return nil
	}
	s, target, control := f.s, &f.named[0], &f.named[1]
	first, accepted := target.reply, control.reply
	target.reply, control.reply = nil, nil
	var mail, again said
	err := s.reset(ctx)
	if err == nil {
		err = s.ask(ctx, PhaseMAIL, f.mailCommand(), &mail)
	}
	if err == nil && refusal(*mail.reply) == nil {
		s.transacting = true
		err = s.ask(ctx, PhaseRCPT, rcptCommand(target.mailbox), &again)
	}
	switch {
	case errors.Is(err, errRefused), err == nil && again.reply == nil:
		return s.fault(ctx, PhaseRCPT, protocolError(fmt.Sprintf("a %d for the mailbox beside a %d for a random one, and no second answer", first.Code, accepted.Code)))
	case err != nil:
		return err
	case refusal(*again.reply) == nil:
		return s.fault(ctx, PhaseRCPT, protocolError(fmt.Sprintf("replies out of order: a %d for the mailbox beside another, a %d alone", first.Code, again.reply.Code)))
	}
	target.said, control.reply = again, accepted
	if again.reply.Code == replyServiceClosing {
		return errRefused
	}
	f.confirmed = again.reply.Code >= 500
	return f.checkInStep(ctx)
}

// checkNames fails when a reply names another recipient of the flight, and not the one that it is the answer about.
func (f *flight) checkNames(ctx context.Context) error {
	if len(f.named) < 2 {
		return nil
	}
	for i := range f.named {
		reply := f.named[i].reply
		if reply == nil {
			continue
		}
		if name := bracketed(reply.Lines); name != "" && !strings.EqualFold(name, f.named[i].mailbox) && f.names(name) {
			return f.s.fault(ctx, PhaseRCPT, protocolError("replies out of order: the answer about one recipient names another"))
		}
	}
	return nil
}

// inPlace is how many of the first n replies about recipients are shown to be in step with the commands: those up to the last that names its own.
func (f *flight) inPlace(n int) int {
	for n > 0 && !strings.EqualFold(bracketed(f.named[n-1].reply.Lines), f.named[n-1].mailbox) {
		n--
	}
	return n
}

// destinationValid is the detail of an enhanced status code that accepts a recipient (RFC 3463 §3.2).
const destinationValid = ".1.5"

// speaksOfRecipient reports whether a reply before the first recipient's speaks of a recipient.
func (f *flight) speaksOfRecipient(r Reply) bool {
	return strings.HasSuffix(r.Enhanced, destinationValid) || f.names(bracketed(r.Lines))
}

// names reports whether a mailbox is among the recipients.
func (f *flight) names(mailbox string) bool {
	for i := range f.named {
		if strings.EqualFold(f.named[i].mailbox, mailbox) {
			return true
		}
	}
	return false
}

// bracketed returns the first mailbox that stands in angle brackets, as those that a refusal is about mostly do.
func bracketed(lines []string) string {
	for _, line := range lines {
		_, rest, _ := strings.Cut(line, "<")
		if name, _, ok := strings.Cut(rest, ">"); ok && strings.Contains(name, "@") {
			return name
		}
	}
	return ""
}

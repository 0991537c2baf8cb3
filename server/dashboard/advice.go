package dashboard

import (
	"strings"

	"github.com/rcpt/rcpt/engine"
)

// What the flags of an address mean to senders.
const (
	adviceDisposable = "A throw-away mailbox: do not count on it, whatever the mail host says."
	adviceRole       = "It stands for a function and not for a person: write only what everybody behind it expects."
	adviceFree       = "Anybody can open a mailbox at this provider, so the address proves no company."
)

// adviceOn returns what follows from a result for the owner of a list: what it
// means, in other words than the message, and what to do. The flags come first,
// because a mailbox that accepts mail may still be one not to write to.
func adviceOn(r engine.Result) string {
	text := causeOf(r)
	switch {
	case r.Verdict == engine.Undeliverable:
		return text.Meaning + " " + text.Do // no flag makes it worth keeping
	case r.SpamTrap, r.Details != nil && r.Details.Reason == engine.SpamTrap:
		return reasonNote(engine.SpamTrap)
	case r.Disposable && text.writes:
		return adviceDisposable + " " + text.Meaning
	case r.Disposable:
		return adviceDisposable + " " + text.Meaning + " " + text.Do
	case r.Role && text.writes:
		return adviceRole + " " + text.Meaning
	case r.FreeEmail && text.writes:
		return text.Meaning + " " + text.Do + " " + adviceFree
	}
	return text.Meaning + " " + text.Do
}

// causeOf is the text of the result's reason, where one reason has several
// causes that of the one at hand.
func causeOf(r engine.Result) reasonText {
	var reason engine.Reason
	if r.Details != nil {
		reason = r.Details.Reason
	}
	text := reasonTexts[reason]
	_, domain, _ := strings.Cut(r.Email[max(0, strings.LastIndexByte(r.Email, '@')):], "@")
	switch {
	case reason == engine.MXReservedAddress && r.Verdict == engine.Undeliverable:
		text.Meaning, text.Do = "The DNS leads back to the machine that asks, so no mail can arrive.", "Look for a typing mistake, or remove the address."
	case reason != engine.SMTPSkipped || r.Domain != "":
	case strings.HasPrefix(domain, "["):
		text.Meaning = "Hardly any mail host takes mail for such an address from strangers, and this server does not verify it."
		text.Do = "Ask for an address with a domain."
	case !strings.Contains(domain, "."):
		text.Meaning = "Such a name means something in a local network at most, and this server does not verify it."
		text.Do = "Look for a missing ending such as .com, or ask for the whole address."
	}
	return text
}

package dashboard

import (
	"strings"

	"github.com/rcpt/rcpt"
)

// What the flags of an address mean to senders.
const (
	adviceDisposable = "A disposable mailbox: do not rely on it, even if the mail host accepts it."
	adviceRole       = "The address is for a function, not a person: several people may read it."
	adviceFree       = "Anybody can open a mailbox at this provider, so the address does not prove that its owner belongs to a company."
)

// adviceOn returns what a result means, in other words than its message, and
// what the owner of a list should do. The flags come first, because an address
// whose mailbox accepts mail may still be a bad one to write to.
func adviceOn(r rcpt.Result) string {
	text := causeOf(r)
	switch {
	case r.Verdict == rcpt.VerdictUndeliverable:
		return text.Meaning + " " + text.Do // no flag makes it worth keeping
	case r.SpamTrap, r.Reason == rcpt.ReasonSpamTrap:
		return reasonNote(rcpt.ReasonSpamTrap)
	case r.Disposable && text.writes:
		return adviceDisposable + " " + text.Meaning
	case r.Disposable:
		return adviceDisposable + " " + text.Meaning + " " + text.Do
	case r.Role && text.writes:
		return adviceRole + " " + text.Meaning
	case r.Free && text.writes:
		return text.Meaning + " " + text.Do + " " + adviceFree
	}
	return text.Meaning + " " + text.Do
}

// causeOf returns the text of the result's reason. If a reason has several
// causes, it returns the text of this one.
func causeOf(r rcpt.Result) reasonText {
	reason, text := r.Reason, reasonTexts[r.Reason]
	_, domain, _ := strings.Cut(r.Email[max(0, strings.LastIndexByte(r.Email, '@')):], "@")
	switch {
	case reason == rcpt.ReasonMXReservedAddress && r.Verdict == rcpt.VerdictUndeliverable:
		text.Meaning, text.Do = "The mail host's address is a loopback address, so no mail can arrive.", "Check for a typing mistake, or remove the address."
	case reason != rcpt.ReasonUnsupportedAddress:
	case strings.HasPrefix(domain, "["):
		text.Meaning = "The domain is an address literal. Few mail hosts accept mail for such addresses, and this server does not verify them."
		text.Do = "Ask for an address with a domain."
	case !strings.Contains(domain, "."):
		text.Meaning = "A domain without a dot works only in a local network, and this server does not verify it."
		text.Do = "Check for a missing ending such as .com, or ask for the whole address."
	}
	return text
}

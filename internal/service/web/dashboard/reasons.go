package dashboard

import (
	"strings"

	"github.com/rcpt/rcpt"
)

// reasonText is a reason for people who do not know the code.
type reasonText struct {
	Name    string // in a few words, as the heading of a row
	Meaning string // what it says about the address, in other words than the result's message
	Do      string // advice for the owner of a list
	writes  bool   // Do recommends writing to the address
}

// reasonTexts has every reason of the engine.
var reasonTexts = map[rcpt.Reason]reasonText{
	rcpt.ReasonRecipientAccepted: {"Mailbox accepts mail",
		"The host refused a random address of the same domain, so it checks mailboxes.", "Safe to write to.", true},
	rcpt.ReasonCatchAll: {"Domain accepts every address",
		"The host accepted a random address too, so its acceptance does not show whether this mailbox exists.",
		"Write to it if you have reason to trust the address.", true},
	rcpt.ReasonControlInconclusive: {"Accepted, but perhaps like every address",
		"The host accepted the address, but did not show whether it accepts every address.",
		"The address is probably good.", true},
	rcpt.ReasonInvalidSyntax: {"Not a valid address", "No mail system could deliver to it.", "Ask for the address again.", false},
	rcpt.ReasonDomainNotFound: {"Domain does not exist", "The DNS has no such domain, so no mail can arrive.",
		"Check the part after the @ for a typing mistake.", false},
	rcpt.ReasonNoMailHost: {"Domain has no mail host", "The domain exists, but no host accepts mail for it.",
		"Check for a typing mistake, or remove the address.", false},
	rcpt.ReasonNullMX: {"Domain accepts no mail", "The DNS says that the domain never accepts mail.", "Remove the address.", false},
	rcpt.ReasonMXReservedAddress: {"Mail host in a private network", "The mail host has an address that cannot be on the public internet.",
		"If it is a network of yours, start the server with --allow-net.", false},
	rcpt.ReasonDNSTemporary: {"DNS gave no answer", "This says nothing about the mailbox.", "Check again in a minute.", false},
	rcpt.ReasonConnectionFailed: {"Mail host could not be reached",
		"The mail hosts may be down, or your network may block port 25.",
		"Check again later; if this happens with every address, ask your hosting provider.",
		false},
	rcpt.ReasonConnectionTimeout: {"Mail host did not answer in time", "The host may be busy, or deliberately slow with unknown clients.", "Check again later.", false},
	rcpt.ReasonTLSFailed: {"Encryption (TLS) failed",
		"This says nothing about the mailbox. The cause is often the certificate or the configuration of the mail host.", "Check again later.", false},
	rcpt.ReasonMailboxNotFound: {"Mailbox does not exist", "The host's reply is about this mailbox, not about this server.", "Remove it: mail to it bounces.", false},
	rcpt.ReasonMailboxDisabled: {"Mailbox is disabled", "The mailbox exists, but it is closed.", "Remove the address: mail to it bounces.", false},
	rcpt.ReasonMailboxMoved:    {"Mailbox has moved", "The owner has another address now.", "Remove this address, or ask for the new one.", false},
	rcpt.ReasonMailboxFull: {"Mailbox is full", "The mailbox is over its quota, and mail to it bounces for now.",
		"Check again in a few days, and remove the address if the mailbox is still full.", false},
	rcpt.ReasonNotOurDomain: {"Host does not handle the domain",
		"The mail host says that it does not accept mail for the domain from this server.",
		"The domain may be moving or abandoned: check again in a few days.", false},
	rcpt.ReasonGreylisted: {"Greylisted: try again later", "Many hosts defer unknown clients at first; this says nothing about the mailbox.",
		"Check again after the time shown.", false},
	rcpt.ReasonRateLimited: {"Rate limited", "The host limits how often this server may ask.", "Check again later, and check lists of this domain more slowly.", false},
	rcpt.ReasonBlocked: {"This server is blocked", "The host refused this server, which says nothing about the mailbox.",
		"See Health, and check whether the server's address is on a block list.", false},
	rcpt.ReasonRestricted: {"Takes mail from certain senders only", "It exists, but a rule of its own refuses other senders, such as those who are no members of the list.",
		"Ask its owner whether you may write to it.", false},
	rcpt.ReasonTemporaryFailure: {"Temporary problem of the mail host", "The host cannot check the mailbox at the moment.", "Check again later.", false},
	rcpt.ReasonAmbiguousRefusal: {"Refused for an unclear reason", "The refusal may be about the mailbox or about this server.",
		"Read the host's reply.", false},
	rcpt.ReasonProtocolError: {"No valid SMTP", "The server that answered may not be a mail host.", "Check again later; if the fault persists, mail will probably not arrive.", false},
	rcpt.ReasonSMTPUTF8Unsupported: {"Host does not support non-ASCII addresses",
		"The part before the @ has non-ASCII characters, which this host does not support.",
		"Ask for another address.", false},
	rcpt.ReasonSpamTrap: {"Known spam trap", "Nobody signs up with such an address.",
		"Do not write to it. Find out how it got into your list before you write to the other addresses.", false},
	rcpt.ReasonLevelReached: {"Mail host was not contacted", "The server is configured to check only the address and the DNS (--level).",
		"Start it with --level smtp to contact mail hosts.", false},
	rcpt.ReasonUnsupportedAddress: {"A kind of address that is not verified", "The address has no domain of the public DNS, and this server does not verify it.",
		"Check for a missing ending such as .com, or ask for another address.", false},
	rcpt.ReasonNotAsked: {"Excluded by the settings", "The settings of the server exclude the domain, its mail host or its provider (--no-ask).",
		"The flags show what is known without asking.", false},
	rcpt.ReasonSeveralAddresses: {"Several addresses in one cell", "Which one is meant cannot be known, so none was asked about.",
		"Give each address a row or a column of its own.", false},
	rcpt.ReasonNoAddress: {"The cell is empty", "There is no address, and so nothing bad is known of this person.",
		"Look for the address in another column, or ask for it.", false},
	rcpt.ReasonUnclearAddress: {"Words beside the address", "They may say that it is another person's, or out of use, so it was not asked about.",
		"See the suggestion: if that is the address, put it into the cell by itself.", false},
	rcpt.ReasonInvalidRow: {"The row cannot be read", "The row of the list is damaged, which says nothing about the address.",
		"Mend the row in your file, and verify it again.", false},
	rcpt.ReasonUnfinished:    {"Ended before there was an answer", "This says nothing about the address.", "Check again.", false},
	rcpt.ReasonBusy:          {"Too many wait for the mail host", "This says nothing about the address.", "Check again later.", false},
	rcpt.ReasonClosed:        {"The server was shutting down", "This says nothing about the address.", "Check again.", false},
	rcpt.ReasonNotYet:        {"No answer yet", "The verification goes on.", "Check again in a minute.", false},
	rcpt.ReasonInternalError: {"Fault of this server", "This says nothing about the address.", "See the server's log.", false},
	rcpt.ReasonResolverUnreliable: {"DNS resolver cannot be trusted", "The server's DNS resolver denies domains that exist, so this says nothing about the address.",
		"See Health; check again when the resolver works.", false},
	rcpt.ReasonPortBlocked: {"Port 25 is closed here", "The server's network blocks connections to mail hosts, so this says nothing about the address.",
		"See Health; check again when port 25 is open.", false},
	rcpt.ReasonEgressFailed: {"Proxy or source address failed", "The proxy or source address through which this server contacts the host failed, so this says nothing about the address.",
		"See Health and the server's log; check again when the proxy works.", false},
}

// reasonName is the reason in a few words.
func reasonName(reason rcpt.Reason) string {
	if text, known := reasonTexts[reason]; known {
		return text.Name
	}
	return strings.ReplaceAll(string(reason), "_", " ")
}

// reasonNote returns what the reason means and what to do, if only the reason
// is known.
func reasonNote(reason rcpt.Reason) string {
	text := reasonTexts[reason]
	return strings.TrimSpace(text.Meaning + " " + text.Do)
}

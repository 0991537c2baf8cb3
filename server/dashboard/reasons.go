package dashboard

import (
	"strings"

	"github.com/rcpt/rcpt/engine"
)

// reasonText is a reason for people who do not know the code.
type reasonText struct {
	Name    string // in a few words, as the heading of a row
	Meaning string // what it says about the address, in other words than the result's message
	Do      string // what follows for the owner of a list
	writes  bool   // Do tells to write to the address
}

// reasonTexts has every reason of the engine.
var reasonTexts = map[engine.Reason]reasonText{
	engine.RecipientAccepted: {"Mailbox accepts mail",
		"A random address of the same domain was refused, so the acceptance means this mailbox.", "Safe to write to.", true},
	engine.CatchAll: {"Domain accepts every address",
		"A random address was accepted as well, so nobody can tell from outside whether this mailbox exists.",
		"Write to it if you have reason to trust the address.", true},
	engine.ControlInconclusive: {"Accepted, but perhaps as any address would be",
		"The host took the address but would not say how it treats others.", "The address is probably good.", true},
	engine.InvalidSyntax: {"Not a valid address", "No mail system could deliver to it.", "Ask for the address again.", false},
	engine.DomainNotFound: {"Domain does not exist", "The DNS has no such domain, so no mail can arrive.",
		"Look for a typing mistake in what stands after the @.", false},
	engine.NoMailHost: {"Domain has no mail host", "The domain is there, but no host takes mail for it.",
		"Look for a typing mistake, or remove the address.", false},
	engine.NullMX: {"Domain takes no mail", "The owner of the domain has said in the DNS that it never takes mail.", "Remove the address.", false},
	engine.MXReservedAddress: {"Mail host in a private network", "The DNS leads to an address that cannot be on the public internet.",
		"If it is a network of yours, start the server with --allow-net.", false},
	engine.DNSTemporary: {"DNS gave no answer", "This says nothing about the mailbox.", "Check again in a minute.", false},
	engine.ConnectionFailed: {"Mail host could not be reached",
		"The mail hosts may be down, or your network may not let anybody out to port 25.", "Check again later; if every address ends so, ask your provider.", false},
	engine.ConnectionTimeout: {"Mail host did not answer in time", "The host may be busy, or slow on purpose with strangers.", "Check again later.", false},
	engine.TLSFailed: {"Encryption (TLS) failed",
		"This says nothing about the mailbox. It is often a certificate or a setting of the mail host, and may pass.", "Check again later.", false},
	engine.MailboxNotFound: {"Mailbox does not exist", "The host says so of this address, not of us.", "Remove it: mail to it bounces.", false},
	engine.MailboxDisabled: {"Mailbox is disabled", "Somebody had this mailbox and it is closed.", "Remove the address: mail to it bounces.", false},
	engine.MailboxMoved:    {"Mailbox has moved", "The person has another address now.", "Remove this one, or ask for the new one.", false},
	engine.MailboxFull: {"Mailbox is full", "Its owner has not made room, and mail bounces for now.",
		"Check again in some days, and remove the address if it stays so.", false},
	engine.NotOurDomain: {"Host does not handle the domain",
		"The host that the DNS names says that it does not handle the domain, or not for strangers.", "The domain may be moving or given up: check again in some days.", false},
	engine.Greylisted: {"Asked to come back later (greylisting)", "Usual for strangers, and no sign of anything bad.",
		"Check again after the time shown, and the host will tell.", false},
	engine.RateLimited: {"Asked too often", "The host wants fewer questions.", "Check again later, and give lists of this domain more time.", false},
	engine.Blocked: {"This server is blocked", "This is about the server that asks, and says nothing about the mailbox.",
		"See Health, and whether the server's address is on a block list.", false},
	engine.TemporaryFailure: {"Temporary problem of the mail host", "The host cannot say at the moment.", "Check again later.", false},
	engine.AmbiguousRefusal: {"Refused, and it is not clear what", "The host said no in words that could mean the mailbox, or us.",
		"Its reply has the words.", false},
	engine.ProtocolError: {"Not a proper mail host", "What answers there may be no mail host.", "Check again later; if it stays so, mail will hardly arrive.", false},
	engine.SMTPUTF8Unsupported: {"Host takes no letters beyond ASCII",
		"Mail to such an address needs a host that takes letters beyond ASCII, and this one does not.", "Ask for another address.", false},
	engine.SpamTrap: {"Known spam trap", "Nobody signs up with such an address.",
		"Do not write to it, and find out how it got into your list before you write to anybody of it.", false},
	engine.SMTPSkipped: {"Mailbox was not asked about", "The server is set to look at the address and the DNS only (--level).",
		"Start it with --level smtp to ask the mail host.", false},
	engine.InternalError: {"Fault of this server", "This says nothing about the address.", "The server's log says more.", false},
	engine.ResolverUnreliable: {"DNS resolver cannot be trusted", "The server's DNS resolver denies domains that exist, so this says nothing about the address.",
		"See Health; check again when the resolver works.", false},
	engine.PortBlocked: {"Port 25 is closed here", "The server's network lets nobody out to mail hosts, so this says nothing about the address.",
		"See Health; check again when port 25 is open.", false},
}

// reasonName is the reason in a few words.
func reasonName(reason engine.Reason) string {
	if text, known := reasonTexts[reason]; known {
		return text.Name
	}
	return strings.ReplaceAll(string(reason), "_", " ")
}

// reasonNote is what the reason means and what to do, where nothing is known of
// the address but the reason.
func reasonNote(reason engine.Reason) string {
	text := reasonTexts[reason]
	return strings.TrimSpace(text.Meaning + " " + text.Do)
}

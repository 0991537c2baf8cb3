package dashboard

import "github.com/rcpt/rcpt/engine"

// advice is what follows from a reason for somebody who has the address in a list: what it means, in other words than the message, and what to do.
var advice = map[engine.Reason]string{
	engine.RecipientAccepted:   "A random address of the same domain was refused, so the acceptance means this mailbox. Safe to write to.",
	engine.CatchAll:            "A random address was accepted as well, so nobody can tell from outside whether this mailbox exists. Write to it if you have reason to trust the address.",
	engine.InvalidSyntax:       "No mail system could deliver to it. Ask for the address again.",
	engine.DomainNotFound:      "The DNS has no such domain, so no mail can arrive. Look for a typing mistake in what stands after the @.",
	engine.NoMailHost:          "The domain is there, but no host takes mail for it. Look for a typing mistake, or remove the address.",
	engine.NullMX:              "The owner of the domain has said in the DNS that it never takes mail. Remove the address.",
	engine.MXReservedAddress:   "The DNS leads to an address that cannot be on the public internet. If it is a network of yours, start the server with --allow-net.",
	engine.DNSTemporary:        "This says nothing about the mailbox. Check again in a minute.",
	engine.ConnectionFailed:    "The mail hosts may be down, or your network may not let anybody out to port 25. Check again later; if every address ends so, ask your provider.",
	engine.ConnectionTimeout:   "The host may be busy, or slow on purpose with strangers. Check again later.",
	engine.TLSFailed:           "This says nothing about the mailbox. It is often a certificate or a setting of the mail host, and may pass.",
	engine.MailboxNotFound:     "The host says so of this address, not of us. Remove it: mail to it bounces.",
	engine.MailboxDisabled:     "Somebody had this mailbox and it is closed. Remove the address: mail to it bounces.",
	engine.MailboxMoved:        "The person has another address now. Remove this one, or ask for the new one.",
	engine.MailboxFull:         "Its owner has not made room. Mail bounces for now; check again in some days, and remove the address if it stays so.",
	engine.NotOurDomain:        "The host that the DNS names says that it does not handle the domain, or not for strangers. The domain may be moving or given up.",
	engine.Greylisted:          "Usual for strangers, and no sign of anything bad. Check again after the time shown, and the host will tell.",
	engine.RateLimited:         "The host wants fewer questions. Check again later, and give lists of this domain more time.",
	engine.Blocked:             "This is about the server that asks, and says nothing about the mailbox. See Health, and whether the server's address is on a block list.",
	engine.TemporaryFailure:    "The host cannot say at the moment. Check again later.",
	engine.AmbiguousRefusal:    "The host said no in words that could mean the mailbox, or us. The dialogue below has them.",
	engine.ProtocolError:       "What answers there may be no mail host. Check again later; if it stays so, mail will hardly arrive.",
	engine.SMTPUTF8Unsupported: "Mail to such an address needs a host that takes letters beyond ASCII, and this one does not.",
	engine.ControlInconclusive: "The host took the address but would not say how it treats others. The address is probably good.",
	engine.SpamTrap:            "Nobody signs up with such an address. Find out how it got into your list before you write to anybody of it.",
	engine.SMTPSkipped:         "The server is set to look at the address and the DNS only (--level), so the mailbox itself was not asked about.",
	engine.ResolverUnreliable:  "This is about the server's network, and says nothing about the address. See Health for what is wrong with its DNS resolver.",
	engine.PortBlocked:         "This is about the server's network, and says nothing about the address. See Health; a host that lets nobody out to port 25 is the usual cause.",
	engine.InternalError:       "This is a fault of the server, not of the address. Its log says more.",
}

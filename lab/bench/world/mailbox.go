package world

import "strings"

// policy is what a domain does with recipients.
type policy int

const (
	checks policy = iota
	acceptsAll
	greylistsBefore
	greylistsAfter
)

// state is what is the matter with a mailbox.
type state int

const (
	exists state = iota
	unknown
	full
	disabled
)

// Truth is the right answer about an address.
type Truth string

// The truths. A mailbox that is full, or whose host greylists, is Temporary:
// nobody can tell more today, and nobody may call it dead.
const (
	Exists    Truth = "exists"
	NotExists Truth = "not"
	AcceptAll Truth = "accept-all"
	Temporary Truth = "temporary"
)

// Truth is the right answer about an address of the list.
func (s Spec) Truth(address string) Truth {
	local, domain, _ := strings.Cut(address, "@")
	mailbox, _ := s.mailbox(local, domain)
	policy := s.policy(domain)
	switch {
	case policy == acceptsAll:
		return AcceptAll
	case policy == greylistsBefore, policy == greylistsAfter && mailbox != unknown, mailbox == full:
		return Temporary
	case mailbox == exists:
		return Exists
	}
	return NotExists
}

// policy of a domain. The largest domains check.
func (s Spec) policy(domain string) policy {
	n, _ := number(domainPrefix, strings.TrimSuffix(domain, domainSuffix))
	if s.isLarge(n) {
		return checks
	}
	mix := s.DomainMix
	return [...]policy{acceptsAll, greylistsBefore, greylistsAfter, checks}[pick(
		s.share("policy", domain), mix.AcceptAll, mix.GreylistBefore, mix.GreylistAfter)]
}

// mailbox is the state of a mailbox and whether it answers late. One that the
// list cannot contain does not exist.
func (s Spec) mailbox(local, domain string) (state, bool) {
	if _, ok := number(localPrefix, local); !ok {
		return unknown, false
	}
	mix, address := s.MailboxMix, local+"@"+domain
	states := [...]state{unknown, full, disabled, exists}
	is := states[pick(s.share("mailbox", address), mix.Unknown, mix.Full, mix.Disabled)]
	return is, s.share("slow", address) < mix.Slow
}

// answer is the reply to RCPT, and whether it comes late.
func (s Spec) answer(mailbox string) (reply string, late bool) {
	local, domain, _ := strings.Cut(mailbox, "@")
	if n, ok := number(domainPrefix, strings.TrimSuffix(domain, domainSuffix)); !ok || n >= s.Domains {
		return "550 5.7.1 Relaying denied", false
	}
	state, late := s.mailbox(local, domain)
	return rcptReply(s.policy(domain), state, mailbox), late
}

func rcptReply(policy policy, state state, mailbox string) string {
	switch {
	case policy == acceptsAll:
		return "250 2.1.5 Ok"
	case policy == greylistsBefore, policy == greylistsAfter && state != unknown:
		return "450 4.2.0 <" + mailbox + ">: Recipient address rejected: Greylisted, please try again in 300 seconds"
	case state == unknown:
		return "550 5.1.1 <" + mailbox + ">: Recipient address rejected: User unknown in virtual mailbox table"
	case state == full:
		return "452 4.2.2 <" + mailbox + ">: Mailbox is full / over quota"
	case state == disabled:
		return "550 5.2.1 <" + mailbox + ">: The mailbox is disabled"
	}
	return "250 2.1.5 Ok"
}

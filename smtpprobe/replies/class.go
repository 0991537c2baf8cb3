package replies

import (
	"maps"
	"slices"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Class is what a reply proves.
type Class string

// The classes.
const (
	ClassOK           Class = "ok"             // 2yz to RCPT: this host takes mail for the mailbox
	ClassOKUnverified Class = "ok_unverified"  // 252: accepted without verification
	ClassNoSuchUser   Class = "no_such_user"   // the mailbox does not exist
	ClassDisabled     Class = "disabled"       // the mailbox exists and takes no mail
	ClassMoved        Class = "moved"          // the mailbox has another address now
	ClassMailboxFull  Class = "mailbox_full"   // the mailbox is over its quota
	ClassNotOurDomain Class = "not_our_domain" // the host does not serve the domain (to us)
	ClassGreylisted   Class = "greylisted"     // deferred once, whoever the client is (RFC 6647)
	ClassRateLimited  Class = "rate_limited"   // too much or too fast
	ClassTemporary    Class = "temporary"      // any other 4yz
	ClassBlocked      Class = "blocked"        // concerns the client: address, sender, HELO, reputation, policy
	ClassRestricted   Class = "restricted"     // the mailbox or list takes mail from certain senders only
	ClassAmbiguous    Class = "ambiguous"      // a 5yz that names nothing
)

// subject is what the replies of a class are about.
type subject int

const (
	ofSession   subject = iota // the client, the session, or nothing that is named
	ofRecipient                // how the host treats this recipient, or its domain
	ofMailbox                  // whether it takes mail
)

// meaning is what follows from a class. To add a class is to add its constant
// and its meaning, rules that lead to it, and its reason in package engine.
type meaning struct {
	about   subject
	accepts bool // the recipient was accepted: no rule says so, but the code
	dead    bool // the mailbox takes no mail, for good
	putsOff bool // the host asks for another try, whatever its code
}

// meanings has every class.
var meanings = map[Class]meaning{
	ClassOK:           {about: ofMailbox, accepts: true},
	ClassOKUnverified: {about: ofMailbox, accepts: true},
	ClassNoSuchUser:   {about: ofMailbox, dead: true},
	ClassDisabled:     {about: ofMailbox, dead: true},
	ClassMoved:        {about: ofMailbox, dead: true},
	ClassMailboxFull:  {about: ofMailbox},
	ClassNotOurDomain: {about: ofRecipient},
	ClassRestricted:   {about: ofRecipient},
	ClassGreylisted:   {putsOff: true},
	ClassRateLimited:  {putsOff: true},
	ClassTemporary:    {},
	ClassBlocked:      {},
	ClassAmbiguous:    {},
}

// Classes returns every class, in alphabetical order.
func Classes() []Class { return slices.Sorted(maps.Keys(meanings)) }

// Dead reports whether a reply of the class says that the mailbox takes no
// mail, for good.
func (c Class) Dead() bool { return meanings[c].dead }

// AboutMailbox reports whether a reply of the class says what is the matter
// with the mailbox: that it takes mail, takes none, or takes none today. Such a
// reply means the same to any client and at any time of a session.
func (c Class) AboutMailbox() bool { return meanings[c].about == ofMailbox }

// aboutMailboxes are the reply codes that can concern a mailbox: 55z is about
// the mail system, 50z about syntax and 53z about authentication (RFC 5321
// §4.2.1, RFC 4954 §6). The other codes are not standard but used.
var aboutMailboxes = []string{"55x", "51x", "52x", "54x", "57x", "58x"}

// scope returns the phases and codes to which the rules of a class are limited
// unless they set them themselves; nil: any. Rules about a recipient apply at
// RCPT, those that call its mailbox dead to permanent refusals only. It is
// false for what is no class of a rule.
func (c Class) scope() (phases []smtp.Phase, codes []string, ok bool) {
	meaning, known := meanings[c]
	if meaning.about != ofSession {
		phases = []smtp.Phase{smtp.PhaseRCPT}
	}
	if meaning.dead {
		codes = aboutMailboxes
	}
	return phases, codes, known && !meaning.accepts
}

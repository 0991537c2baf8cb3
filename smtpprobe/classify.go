package smtpprobe

import "time"

// Class is what a reply proves.
type Class string

// The classes.
const (
	ClassOK           Class = "ok"             // 250, 251 to RCPT: this host takes mail for the mailbox
	ClassOKUnverified Class = "ok_unverified"  // 252: taken without a look
	ClassNoSuchUser   Class = "no_such_user"   // the mailbox does not exist
	ClassDisabled     Class = "disabled"       // the mailbox exists and takes no mail
	ClassMoved        Class = "moved"          // the mailbox has another address now
	ClassMailboxFull  Class = "mailbox_full"   // the mailbox is over its quota
	ClassNotOurDomain Class = "not_our_domain" // the host does not serve the domain (to us)
	ClassGreylisted   Class = "greylisted"     // come back later, as a rule (RFC 6647)
	ClassRateLimited  Class = "rate_limited"   // too much, too fast
	ClassTemporary    Class = "temporary"      // any other 4yz
	ClassBlocked      Class = "blocked"        // about us: client, sender, HELO, reputation, policy
	ClassAmbiguous    Class = "ambiguous"      // a 5yz that names nothing
)

// Reading is what a reply was read as, and why.
type Reading struct {
	Class      Class
	Rule       string        // id of the rule that decided
	RetryAfter time.Duration // the reply's own hint; zero: none
}

// Question is a reply with what is needed to read it.
type Question struct {
	Phase   Phase
	Reply   Reply
	Host    string // name of the mail host
	Mailbox string // the recipient, whose own words must not decide anything
}

// Classifier reads replies. It is safe for concurrent use.
type Classifier struct{}

// DefaultClassifier returns the classifier with the embedded rules.
func DefaultClassifier() *Classifier { panic("not here yet") }

// Read tells what q.Reply proves.
func (c *Classifier) Read(q Question) Reading { panic("not here yet") }

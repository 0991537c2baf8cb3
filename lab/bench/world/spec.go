package world

import (
	"errors"
	"fmt"
	"time"
)

// Spec is everything there is to know about a world. Shares are parts of one,
// taken by hash.
type Spec struct {
	Seed      uint64        // another seed, another world of the same kind
	Subnet    uint8         // the world's addresses are 127.Subnet.0.0/16
	Port      uint16        // of every mail host
	Delay     time.Duration // before each group of replies and each DNS answer
	Addresses int           // on the list
	Domains   int           // that the list is spread over

	// Skew is the exponent s of Zipf's law: the n-th domain has a share of the
	// list proportional to n^-s. Zero: all have the same.
	Skew float64
	// Providers are organisations whose mail hosts serve many domains: the
	// largest ones, and of the others the share Hosted.
	Providers int
	Hosted    float64
	// Hosters serve the other domains, each with one name for its hosts. Zero:
	// each domain has hosts of its own.
	Hosters int

	// Operator, if it has a limit, runs the mail hosts of all domains: each
	// domain has one of its own, with a name below the operator's.
	Operator Operator

	DomainMix  DomainMix
	MailboxMix MailboxMix
	HostMix    HostMix
}

// DomainMix is what the small domains do. The largest check every recipient at
// once.
type DomainMix struct {
	AcceptAll       float64 // take every recipient
	GreylistBefore  float64 // greylist whoever comes, before they look for the mailbox
	GreylistAfter   float64 // refuse unknown mailboxes, and greylist whoever comes for another
	SecondMailHosts float64 // have two mail hosts
}

// MailboxMix is what mailboxes do where the domain checks its recipients; the
// rest exist and take mail.
type MailboxMix struct {
	Unknown  float64 // 550 5.1.1
	Full     float64 // 452 4.2.2
	Disabled float64 // 550 5.2.1

	Slow      float64       // answer late, whatever they answer
	SlowDelay time.Duration // how late
}

// HostMix is what mail hosts offer and allow. Zero means no limit.
type HostMix struct {
	NoPipelining float64 // do not offer PIPELINING; hosts of providers always do
	STARTTLS     float64 // offer STARTTLS

	Tarpits     float64       // of the hosts that are no provider's: answer late, whatever they are asked
	TarpitDelay time.Duration // how late

	Strict            float64 // have the three limits that follow; hosts of providers always do
	MaxRecipients     int     // accepted in one transaction; then 452 4.5.3
	SoftErrors        int     // refused in one session; then each reply is a second late
	MaxErrors         int     // refused in one session, for whatever reason; then 421 4.7.0
	SessionsPerClient int     // open at a time, closing ones included, for every host; then 421 4.7.0
}

// Operator looks at what a client address does at all of its mail hosts
// together.
type Operator struct {
	SessionsPerClient int           // open at a time; then 421 4.7.0
	Complaints        int           // so many within a minute, and the client is blocked
	BlocksFor         time.Duration // with 554 5.7.1 in place of the greeting
}

// maxHosts is how many mail hosts a /16 holds in the layout of [Spec.hostIP].
const maxHosts = 255 * hostsPerBlock

func (s Spec) check() error {
	switch {
	case s.Addresses < 1 || s.Domains < 1:
		return errors.New("world: a world has addresses and domains")
	case s.Providers*hostsPerDomain+s.Domains*hostsPerDomain > maxHosts:
		return fmt.Errorf("world: %d domains and %d providers are too many for one /16", s.Domains, s.Providers)
	case s.Port == 0:
		return errors.New("world: a port is needed")
	}
	return nil
}

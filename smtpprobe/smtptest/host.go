package smtptest

import (
	"cmp"
	"net"
	"sync"
	"time"
)

// Host is a mail host that behaves, but for what its fields say. The zero Host
// takes mail for postmaster, as every host has to (RFC 5321 §4.5.1), and
// refuses every other mailbox as unknown. Set the fields before its first
// connection, and do not copy it. It is safe for concurrent use.
//
// Fields that hold replies take the text from the reply code on. "\n" separates
// the lines of a reply of several: "550-5.1.1 Sorry\n550 5.1.1 Unknown". A text
// that begins with 2 accepts, any other refuses, and one that begins with 421
// hangs up too. "%s" in a reply to RCPT stands for the recipient. A line may
// also be a step of a [Script], which is done in its place: [Hangs], or "sleep
// 5s" before a reply; and "due" is what the host would say without the field.
type Host struct {
	Name    string   // default: mx.smtptest.example
	Domains []string // domains it takes mail for, others are refused as relaying; none: any domain

	// Mailboxes are keyed by address or local-part, lower-case. A "*" at the
	// end of a local-part stands for any text, and "#" for any digits, or none.
	Mailboxes map[string]Mailbox
	CatchAll  bool   // mailboxes that are not in Mailboxes exist too
	Unknown   string // reply to RCPT for mailboxes that do not exist; default: 550 5.1.1

	// Greylist makes the first attempt of each client address, sender and
	// recipient a temporary failure, and those that follow too until this much
	// time has passed (RFC 6647). It comes before Mailboxes.
	Greylist      time.Duration
	GreylistReply string // default: 451 4.7.1

	Greeting string // instead of the greeting; a refusal leaves the client nothing but QUIT
	EHLO     string // instead of the reply to EHLO, keywords included; after a refusal HELO works
	HELO     string // instead of the reply to HELO
	MAIL     string // instead of the reply to MAIL
	RCPT     string // instead of the reply to every RCPT
	DATA     string // instead of the reply to DATA
	RSET     string // instead of the reply to RSET
	QUIT     string // instead of the reply to QUIT

	// RCPTFunc chooses the reply to RCPT. Empty: as the other fields say.
	RCPTFunc func(v *Visit, rcpt string) string
	// Say chooses what is said to a command, or, where that is empty, as the
	// greeting. Due is what the host would say; empty leaves it at that. It is
	// asked last, about RCPT as well, and before the Visit counts the command's
	// effect.
	Say func(v *Visit, command, due string) string
	// Arrange makes what is said in answer to the commands that came together
	// of the answers that should be said.
	Arrange func(v *Visit, commands, answers []string) []string
	// Ended is told of each session when it is over, and before the client can
	// see that.
	Ended func(v *Visit)

	NoPipelining  bool // PIPELINING is not offered
	SMTPUTF8      bool // SMTPUTF8 is offered
	MaxRecipients int  // recipients accepted in one transaction, those beyond get 452 4.5.3; 0: any number

	STARTTLS   TLSMode // default: not offered
	RequireTLS bool    // 530 5.7.0 to all that matters until TLS was started

	GreetingDelay time.Duration // before the greeting
	// ReplyDelay is from the arrival of a command to its reply: commands sent
	// together wait once, as for a distant host.
	ReplyDelay time.Duration
	RCPTDelay  time.Duration // before the reply to each RCPT, one after the other, as a tarpit does
	Pace       time.Duration // before each reply, one after the other, the greeting included

	LineEnd   string        // of replies; default: CRLF
	ByteDelay time.Duration // after each byte of a reply, which then travels alone; 0: a reply is sent at once

	// Forgets has the host, and the Network or Server that it is in, keep
	// nothing of its sessions: best in a test of millions of mailboxes.
	Forgets bool

	limits []*limit       // "after 3 refusals"
	nth    map[int]string // the reply to one recipient of a transaction, whoever it is

	mu           sync.Mutex
	visits       []*Visit
	begun        int
	open         int
	greylist     greylist
	certificates map[string]hostTLS // by the kind of the step starttls
}

// What a Host does in place of a reply.
const (
	Hangs  = "hang"  // it says nothing more
	Closes = "close" // it hangs up
	Resets = "reset" // it resets the connection
	Skips  = "skip"  // it goes on without a reply
)

// Defaults of a Host.
const (
	defaultName          = "mx.smtptest.example"
	defaultUnknown       = "550 5.1.1 <%s>: no such mailbox here"
	defaultGreylistReply = "451 4.7.1 Greylisted, please try again later"
)

// ServeSMTP plays the host on one connection.
func (h *Host) ServeSMTP(conn net.Conn) {
	t := newTalk(wireOf(conn), h)
	defer func() { _ = t.wire.Close() }()
	t.visit = h.begin(t)
	defer h.end(t.visit)
	defer t.flush()
	t.greet()
	for !t.over {
		t.converse()
	}
}

func (h *Host) name() string { return cmp.Or(h.Name, defaultName) }

// keywords are the lines of the reply to EHLO.
func (h *Host) keywords(secure bool) []string {
	lines := []string{h.name()}
	if !h.NoPipelining {
		lines = append(lines, "PIPELINING")
	}
	lines = append(lines, "SIZE 10240000")
	if h.STARTTLS != TLSNone && !secure {
		lines = append(lines, "STARTTLS")
	}
	lines = append(lines, "ENHANCEDSTATUSCODES", "8BITMIME")
	if h.SMTPUTF8 {
		lines = append(lines, "SMTPUTF8")
	}
	return lines
}

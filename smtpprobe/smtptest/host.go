package smtptest

import (
	"net"
	"sync"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Host is a mail host that behaves, but for what its fields say. The zero Host
// takes mail for postmaster, as every host has to (RFC 5321 §4.5.1), and
// refuses every other mailbox as unknown. Set the fields before its first
// connection, and do not copy it. It is safe for concurrent use.
//
// Fields that hold replies take the text from the reply code on. "\n" separates
// the lines of a reply of several: "550-5.1.1 Sorry\n550 5.1.1 Unknown". A text
// that begins with 2 accepts, any other refuses, and one that begins with 421
// hangs up too. "%s" in a reply to RCPT stands for the recipient.
type Host struct {
	Name    string   // default: mx.smtptest.example
	Domains []string // domains it takes mail for, others are refused as relaying; none: any domain

	Mailboxes map[string]Mailbox // keyed by address or local-part, lower-case
	CatchAll  bool               // mailboxes that are not in Mailboxes exist too
	Unknown   string             // reply to RCPT for mailboxes that do not exist; default: defaultUnknown

	// Greylist makes the first attempt of each client address, sender and
	// recipient a temporary failure, and those that follow too until this much
	// time has passed (RFC 6647). It comes before Mailboxes.
	Greylist      time.Duration
	GreylistReply string // default: 451 4.7.1

	Greeting string // instead of the greeting; a refusal leaves the client nothing but QUIT
	EHLO     string // instead of the reply to EHLO, keywords included; after a refusal HELO works
	MAIL     string // instead of the reply to MAIL
	RCPT     string // instead of the reply to every RCPT
	// RCPTFunc chooses the reply to RCPT, n being its number in the
	// transaction, from 1. Empty: as the other fields say. Sessions call it
	// concurrently.
	RCPTFunc func(rcpt string, n int) string

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

	HangAt  smtp.Phase // the phase that is never answered
	CloseAt smtp.Phase // the phase that is answered by hanging up
	resetAt smtp.Phase // the phase that is answered by resetting the connection
	leaveAt smtp.Phase // the phase that is answered 421, and by hanging up

	lineEnd   string        // of replies; default: CRLF
	byteDelay time.Duration // after each byte of a reply, which then travels alone; 0: a reply is sent at once

	// Brief keeps of each session what happened, and not what was said, which
	// is more than a test of millions of mailboxes can have in memory.
	Brief bool

	greylist greylist
	tlsOnce  sync.Once
	tls      hostTLS
}

// defaultUnknown is the reply to RCPT for mailboxes that a Host does not have.
const defaultUnknown = "550 5.1.1 <%s>: no such mailbox here"

// Other defaults of a Host.
const (
	defaultName          = "mx.smtptest.example"
	defaultGreylistReply = "451 4.7.1 Greylisted, please try again later"
)

// Phases beside those of package smtp, for a client that is no prober.
const (
	phaseDATA smtp.Phase = "data"
	phaseRSET smtp.Phase = "rset"
)

// phaseOf returns the phase of a command, empty for those without one.
func phaseOf(verb string) smtp.Phase {
	switch verb {
	case "EHLO", "HELO":
		return smtp.PhaseEHLO
	case "STARTTLS":
		return smtp.PhaseSTARTTLS
	case "MAIL":
		return smtp.PhaseMAIL
	case "RCPT":
		return smtp.PhaseRCPT
	case "DATA":
		return phaseDATA
	case "RSET":
		return phaseRSET
	case "QUIT":
		return smtp.PhaseQUIT
	}
	return ""
}

// ServeSMTP plays the host on one connection.
func (h *Host) ServeSMTP(conn net.Conn) {
	w := wireOf(conn)
	defer func() { _ = w.Close() }()
	newDialogue(h, w).run()
}

func (h *Host) name() string { return orDefault(h.Name, defaultName) }

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

func orDefault(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

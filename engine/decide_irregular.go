package engine

import (
	"fmt"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/internal/reading"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// The reasons of irregularities of MX records.
const (
	irregularMXAddress = "mx_address" // it names an IP address in place of a host (RFC 1035 §3.3.9)
	irregularMXName    = "mx_name"    // it names what is no name of a host, such as a URL
)

// irregularities lists what is irregular about the address and the mail
// exchangers of its domain.
func irregularities(evidence Evidence) (all []rcpt.Irregularity) {
	all = reading.Irregularities(evidence.Irregular)
	if evidence.DNS == nil {
		return all
	}
	for _, host := range evidence.DNS.Hosts {
		switch {
		case evidence.DNS.Implicit:
		case host.NamesAddress():
			detail := "an MX record names an address in place of a host: " + host.Name
			all = append(all, rcpt.Irregularity{Reason: irregularMXAddress, Detail: detail})
		case !host.NamesHost():
			detail := "an MX record names what is no name of a host: " + host.Name
			all = append(all, rcpt.Irregularity{Reason: irregularMXName, Detail: detail})
		}
	}
	return all
}

// ofIrregular makes a judgement one about an address that the grammar forbids.
// Such an address is not well-formed only where nobody says anything else: the
// DNS has neither MX nor address for a domain that is irregular itself, or the
// mail host refuses the address for its syntax.
func (j judgement) ofIrregular(evidence Evidence) judgement {
	if len(evidence.Irregular) == 0 {
		return j
	}
	denied := j.reason == rcpt.ReasonDomainNotFound ||
		j.reason == rcpt.ReasonNoMailHost && evidence.DNS.Status == dnsresolve.StatusNoData
	switch rule := j.ruling(); {
	case denied && evidence.irregularDomain():
		return notWellFormed(evidence, j, "and the DNS has neither MX nor address records for its domain")
	case refusesSyntax(evidence, j):
		return notWellFormed(evidence, j, "and the mail host refuses it for its syntax")
	default:
		rule.message = reading.Message(j.reason, rule.message, evidence.Irregular)
		j.special = &rule
	}
	return j
}

func notWellFormed(evidence Evidence, j judgement, also string) judgement {
	rule := rulingOf(rcpt.ReasonInvalidSyntax)
	rule.message = fmt.Sprintf("The address is not well-formed (%s), %s.", reading.Details(evidence.Irregular), also)
	j.reason, j.special, j.retryAfter = rcpt.ReasonInvalidSyntax, &rule, 0
	return j
}

// irregularDomain reports whether something is irregular about the domain.
func (e Evidence) irregularDomain() bool {
	last := len(e.Irregular) - 1
	return last >= 0 && e.Irregular[last].Pos > len(e.Local)
}

// refusesSyntax reports whether the mail host refused the address for its
// syntax, which tells nothing more than the grammar does. It may accept another
// form than the one in quotes that was sent. The codes are used for much else.
// So if only the local-part is irregular, the host must have another answer for
// a random mailbox; and if the domain is, which that mailbox has as well, the
// words or the enhanced status code must say so.
func refusesSyntax(evidence Evidence, j judgement) bool {
	if j.reason != rcpt.ReasonAmbiguousRefusal || j.answer == nil || j.answer.Phase != smtp.PhaseRCPT {
		return false
	}
	session := telling(evidence.SMTP.Sessions)
	quoted := strings.HasPrefix(evidence.Mailbox, `"`) && !strings.HasPrefix(evidence.Local, `"`)
	switch {
	case quoted, !aboutSyntax(session.Target):
		return false
	case evidence.irregularDomain():
		return session.Target.Enhanced == enhancedBadMailbox || j.answer.Rule == ruleSyntax
	}
	return session.Control != nil && !aboutSyntax(session.Control)
}

// ruleSyntax is the rule for words about the syntax of an address.
const ruleSyntax = "syntax"

// Codes that say that an address is not well-formed (RFC 5321 §4.2.3, RFC 3463
// §3.2).
const (
	replyBadParameter   = 501
	replyBadMailboxName = 553
	enhancedBadMailbox  = "5.1.3"
)

func aboutSyntax(reply *smtp.Reply) bool {
	switch {
	case reply == nil || reply.Code < 500:
		return false
	case reply.Enhanced == enhancedBadMailbox, reply.Code == replyBadParameter:
		return true
	}
	return reply.Code == replyBadMailboxName && reply.Enhanced == ""
}

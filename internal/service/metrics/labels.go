package metrics

import (
	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// other replaces every word that is in no set.
const other = "other"

// set is the closed set of the values of a label.
type set map[string]struct{}

func setOf[W ~string](words ...W) set {
	s := make(set, len(words))
	for _, word := range words {
		s[string(word)] = struct{}{}
	}
	return s
}

// word returns the word if it is in the set, and else the one for all others.
func (s set) word(word string) string {
	if _, ok := s[word]; ok {
		return word
	}
	return other
}

// The sets. A test holds that each has all the words that its package declares.
var (
	verdicts = setOf(rcpt.VerdictDeliverable, rcpt.VerdictUndeliverable, rcpt.VerdictAcceptAll,
		rcpt.VerdictUnknown)
	reasons = setOf(rcpt.Reasons()...)

	dnsTypes    = setOf("MX", "A", "AAAA")
	dnsStatuses = setOf(dnsresolve.StatusOK, dnsresolve.StatusNoData, dnsresolve.StatusNXDomain, dnsresolve.StatusServFail,
		dnsresolve.StatusRefused, dnsresolve.StatusTimeout, dnsresolve.StatusMalformed, dnsresolve.StatusError)

	failures = setOf(smtp.KindRefused, smtp.KindUnreachable, smtp.KindTimeout, smtp.KindClosed, smtp.KindReset,
		smtp.KindTLS, smtp.KindProtocol, smtp.KindSMTPUTF8, smtp.KindCancelled, smtp.KindEgress, smtp.KindPaused, smtp.KindLimited, smtp.KindTurned)
)

// truth is a bool as a label.
func truth(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

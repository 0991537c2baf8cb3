package engine

import (
	"net/netip"
	"slices"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/engine/rhsbl"
	"github.com/rcpt/rcpt/internal/reading"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/provider"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Policy is what [Decide] judges by besides the facts.
type Policy struct {
	// AllowNets are reserved networks whose mail hosts may be contacted.
	AllowNets []netip.Prefix
	// Classifier reads the replies. Default: the embedded rules.
	Classifier *replies.Classifier
	// Lists are what the address and its mail hosts are matched against, in
	// place of [Evidence.Matches]. Nil: as the evidence has it. What lists in
	// the DNS answered ([Evidence.RHSBL]) and the suggestion stay in any case.
	Lists *lists.Lists
}

// Decide judges the evidence. It is a pure function.
//
// A mail host is not asked about a spam trap. If [Policy.Lists] no longer have
// the address, the evidence lacks the answer: the result is unknown, with
// [rcpt.ReasonUnfinished], and the address may be verified again.
func Decide(evidence Evidence, policy Policy) rcpt.Result {
	stored := evidence.Matches
	evidence = evidence.matchedBy(policy.Lists)
	j := judge(evidence, policy).unlessSpared(evidence, stored).ofIrregular(evidence)
	r := rcpt.Result{
		Email:      evidence.Email,
		Local:      evidence.Local,
		Domain:     evidence.Domain,
		Verdict:    j.ruling().verdict,
		Reason:     j.reason,
		Message:    j.ruling().message,
		Suggestion: evidence.Suggestion,
		AcceptAll:  j.catchAll == rcpt.CatchAllYes,
		CheckedAt:  evidence.StartedAt,
		Details:    details(evidence, j),
	}
	reading.Flag(&r, evidence.Matches)
	if wait := retryAfter(j); wait > 0 {
		r.RetryAt = evidence.StartedAt.Add(evidence.Duration + wait)
	}
	return r
}

// judgement is the outcome of judging one part of the evidence.
type judgement struct {
	reason     rcpt.Reason
	special    *ruling // where the reason's own does not fit
	retryAfter time.Duration
	catchAll   rcpt.CatchAllState
	answer     *rcpt.SMTPAnswer
}

func (j judgement) ruling() ruling {
	if j.special != nil {
		return *j.special
	}
	return rulingOf(j.reason)
}

// judge considers the facts in the order in which they were gathered. The first
// that leaves nothing to ask decides.
func judge(evidence Evidence, policy Policy) judgement {
	switch {
	case evidence.notCarriedOut() != "":
		return judgement{reason: evidence.notCarriedOut()}
	case evidence.Syntax != nil:
		return judgeSyntax(*evidence.Syntax)
	case reading.Trapped(evidence.Matches):
		return judgement{reason: rcpt.ReasonSpamTrap}
	case evidence.DNS == nil:
		return judgeSkipped(evidence.NotAsked)
	}
	if j := judgeDNS(*evidence.DNS, policy.AllowNets); j.reason != "" {
		return j.unlessResolver(evidence.Network)
	}
	switch {
	case evidence.SMTP != nil:
	case evidence.Network != nil && evidence.Network.PortFault != "":
		return judgement{reason: rcpt.ReasonPortBlocked}
	default:
		return judgeSkipped(evidence.NotAsked)
	}
	return judgeSMTP(evidence, policy.Classifier).unlessPort(evidence.Network)
}

// judgeSyntax distinguishes what can be put to no mail host from what we do not
// verify.
func judgeSyntax(fault address.Error) judgement {
	switch fault.Reason {
	case address.ReasonLocalTooLong, address.ReasonLabelHyphen, address.ReasonReservedLabel, address.ReasonBidiRule:
		// Earlier versions took these for proof, and asked nobody.
		return judgement{reason: rcpt.ReasonLevelReached}.ofIrregular(Evidence{Irregular: []address.Error{fault}})
	}
	reason, message := reading.Judge(fault)
	rule := rulingOf(reason)
	rule.message = message
	return judgement{reason: reason, special: &rule}
}

// details lays the judgement and what it rests on out for people and programs.
func details(evidence Evidence, j judgement) *rcpt.Details {
	d := &rcpt.Details{
		Irregular: irregularities(evidence),
		Canonical: canonical(evidence.Mailbox),
		CatchAll:  j.catchAll,
		Matches:   slices.Concat(evidence.Matches, rhsbl.Listings(evidence.RHSBL)),
		SMTP:      j.answer,
		Duration:  evidence.Duration,
	}
	if d.CatchAll == "" {
		d.CatchAll = rcpt.CatchAllUnknown
	}
	if evidence.DNS != nil {
		d.MX = make([]rcpt.MX, 0, len(evidence.DNS.Hosts))
		for _, host := range evidence.DNS.Hosts {
			d.MX = append(d.MX, rcpt.MX{Host: host.Name, Preference: host.Preference})
			if d.Provider == "" {
				d.Provider = provider.Of(host.Name).Name
			}
		}
	}
	if evidence.SMTP != nil {
		d.Transcript = transcript(*evidence.SMTP)
	}
	return d
}

// canonical is [address.Address.Canonical] of an address as RCPT TO names it;
// empty if there is none.
func canonical(mailbox string) string {
	a, err := address.Read(mailbox)
	if err != nil {
		return ""
	}
	return a.Canonical()
}

// retryAfter returns the mail host's own hint or the reason's wait in whole
// seconds; zero if asking again is not worthwhile.
func retryAfter(j judgement) time.Duration {
	wait := j.ruling().retryAfter
	if wait > 0 && j.retryAfter > 0 {
		wait = j.retryAfter
	}
	return (wait + time.Second - 1).Truncate(time.Second)
}

// transcript joins the dialogues of all sessions, each with its own clock.
func transcript(said smtpprobe.Findings) []smtp.Line {
	if len(said.Sessions) == 1 {
		return said.Sessions[0].Transcript
	}
	var lines []smtp.Line
	for _, session := range said.Sessions {
		lines = append(lines, session.Transcript...)
	}
	return lines
}

package engine

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/provider"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// replyServiceClosing ends a session at any point (RFC 5321 §3.8).
const replyServiceClosing = 421

// replyEncryptionRequired is the reply of a host that requires TLS (RFC 3207
// §4).
const replyEncryptionRequired = 530

// judgeSMTP judges what the mail hosts said. A host that was asked because the
// one before refused us counts only if it takes the mailbox and not a random
// one. A backup that takes everything tells nothing, and one that refuses all
// may no longer know the domain.
func judgeSMTP(evidence Evidence, classifier *replies.Classifier) judgement {
	sessions := evidence.SMTP.Sessions
	if behind := behindRefusal(sessions); len(behind) > 0 {
		if j := judgeSessions(behind, evidence, classifier); j.ruling().verdict == rcpt.VerdictDeliverable {
			return j
		}
		answered := func(s smtpprobe.Session) bool { return s.Target != nil }
		sessions = slices.DeleteFunc(slices.Clone(sessions), answered)
	}
	return judgeSessions(sessions, evidence, classifier)
}

// behindRefusal returns the sessions behind that in which a host refused us for
// good before anything was asked, and had not put us off at another address.
func behindRefusal(sessions []smtpprobe.Session) []smtpprobe.Session {
	for i, session := range sessions {
		phase, reply := decisive(session)
		if reply == nil || reply.Code < 500 || phase != smtp.PhaseGreeting && phase != smtp.PhaseEHLO {
			continue
		}
		putOff := func(before smtpprobe.Session) bool {
			_, reply := decisive(before)
			return before.Host == session.Host && reply != nil && reply.Code < 500
		}
		if !slices.ContainsFunc(sessions[:i], putOff) {
			return sessions[i+1:]
		}
	}
	return nil
}

// judgeSessions judges by the session that tells most.
func judgeSessions(sessions []smtpprobe.Session, evidence Evidence, classifier *replies.Classifier) judgement {
	session := telling(sessions)
	phase, reply := decisive(session)
	if reply == nil {
		return judgeFailure(session, evidence)
	}
	read := func(phase smtp.Phase, reply smtp.Reply, mailbox string) replies.Classification {
		return classifier.Read(replies.Input{
			Phase: phase, Reply: reply, Host: session.Host, Mailbox: mailbox, Sender: sender(session, evidence),
			At: evidence.StartedAt.Add(evidence.Duration),
		})
	}
	reading := read(phase, *reply, evidence.Mailbox)
	foretold := opening(session, read)
	if foretold.Class != replies.ClassOK {
		reading = foretold
	}
	j := judgement{
		reason:     reasonFor(reading.Class, phase, reply.Code),
		retryAfter: reading.RetryAfter,
		answer:     answerOf(session, phase, *reply, reading.Rule),
	}
	if session.Unproven && j.ruling().verdict == rcpt.VerdictUndeliverable {
		j.reason, j.special = rcpt.ReasonRateLimited, &refusesEverybody
	}
	if phase == smtp.PhaseRCPT && foretold.Class == replies.ClassOK {
		j.catchAll = judgeControl(session, "@"+evidence.Domain, read)
	}
	switch {
	case reading.Class == replies.ClassOK:
		j.accept(session)
		switch inconclusive := j.reason == rcpt.ReasonControlInconclusive; {
		case inconclusive && session.Control != nil:
			j.awaitControl(read(smtp.PhaseRCPT, *session.Control, "@"+evidence.Domain), session.Control.Code)
		case inconclusive && session.Failure != nil:
			j.special = &controlLater
		}
	case reply.Code == replyEncryptionRequired && slices.ContainsFunc(sessions, failedTLS):
		j.reason = rcpt.ReasonTLSFailed
	case j.catchAll == rcpt.CatchAllYes && j.ruling().verdict == rcpt.VerdictUndeliverable:
		j.catchAll = rcpt.CatchAllUnknown // it takes strangers' mailboxes, but evidently not all
	}
	if j.reason == rcpt.ReasonBlocked {
		j.special = blockedRuling(replies.Input{
			Phase: phase, Reply: *reply, Host: session.Host, Mailbox: evidence.Mailbox,
			Sender: sender(session, evidence),
		})
	}
	j.mindCode(reply.Code)
	return j
}

// opening reads the greeting of a session. One that is no refusal may say that
// the host treats this client apart, whatever it answers later.
func opening(session smtpprobe.Session, read func(smtp.Phase, smtp.Reply, string) replies.Classification,
) replies.Classification {
	if session.Greeting == nil || session.Greeting.Refused() {
		return replies.Classification{Class: replies.ClassOK}
	}
	return read(smtp.PhaseGreeting, *session.Greeting, "")
}

// mindCode gives a reason without a wait one where the code of the reply
// invites another try (RFC 5321 §4.2.1), or where its rule knows a time.
func (j *judgement) mindCode(code int) {
	if rule := j.ruling(); (code/100 == 4 || j.retryAfter > 0) && rule.retryAfter == 0 {
		rule.retryAfter = retryDeferred
		j.special = &rule
	}
}

// sender is the reverse-path of a session.
func sender(session smtpprobe.Session, evidence Evidence) string {
	if session.MailFrom == "" {
		return evidence.MailFrom
	}
	return strings.Trim(session.MailFrom, "<>")
}

// telling returns the session that says most about the mailbox, and the later
// of two that say as much. In order: an answer to RCPT for the target, a
// refusal of the client, silence, a failure of ours. A lack of SMTPUTF8 counts
// only if every session ended with it: a host that was not reached, or deferred
// us, may offer it.
func telling(sessions []smtpprobe.Session) smtpprobe.Session {
	var best smtpprobe.Session
	bestRank := -1
	for _, session := range sessions {
		if r := rank(session); r > bestRank || r == bestRank && !afterPutOff(best, session) {
			best, bestRank = session, r
		}
	}
	return best
}

// afterPutOff reports whether a mail host that deferred us over one address
// refused us permanently over IPv6, where hosts require more of clients: it may
// answer later over the first.
func afterPutOff(before, session smtpprobe.Session) bool {
	_, first := decisive(before)
	_, then := decisive(session)
	return first != nil && then != nil && first.Code < 500 && then.Code >= 500 &&
		before.Host == session.Host && before.Addr.Addr().Unmap().Is4() && session.Addr.Addr().Unmap().Is6()
}

func rank(session smtpprobe.Session) int {
	_, reply := decisive(session)
	switch {
	case session.Target != nil:
		return 5
	case lacksSMTPUTF8(session):
		return 0
	case session.Failure != nil && session.Failure.Kind == smtp.KindEgress:
		return 1
	case reply != nil:
		return 4
	case session.Greeting != nil:
		return 3
	}
	return 2
}

func lacksSMTPUTF8(session smtpprobe.Session) bool {
	return session.Failure != nil && session.Failure.Kind == smtp.KindSMTPUTF8
}

// decisive returns the reply that decides a session: the reply to RCPT for the
// target, or the refusal before it; nil if there is neither.
func decisive(session smtpprobe.Session) (smtp.Phase, *smtp.Reply) {
	if session.Target != nil {
		return smtp.PhaseRCPT, session.Target
	}
	if lacksSMTPUTF8(session) || session.Trial != "" {
		return "", nil // what it refused was the extension, or how we used it
	}
	for _, step := range []struct {
		phase smtp.Phase
		reply *smtp.Reply
	}{
		{smtp.PhaseGreeting, session.Greeting},
		{smtp.PhaseEHLO, session.EHLO},
		{smtp.PhaseMAIL, session.MAIL},
	} {
		if step.reply != nil && step.reply.Code >= 400 {
			return step.phase, step.reply
		}
	}
	// Any other refusal of STARTTLS does not end the session.
	if session.STARTTLS != nil && session.STARTTLS.Code == replyServiceClosing {
		return smtp.PhaseSTARTTLS, session.STARTTLS
	}
	return "", nil
}

// reasonFor maps what a refusal proves to a reason. It enforces two laws,
// whatever the rules say: a refusal before RCPT concerns the client, and a 4yz
// reply proves nothing permanently.
func reasonFor(class replies.Class, phase smtp.Phase, code int) rcpt.Reason {
	reason := reasonOf[class]
	if reason.Verdict() != rcpt.VerdictUndeliverable {
		return reason
	}
	switch {
	case code < 500:
		return rcpt.ReasonTemporaryFailure
	case phase != smtp.PhaseRCPT && phase != smtp.PhaseDATA:
		return rcpt.ReasonBlocked
	}
	return reason
}

// uncheckedRuling replaces the ruling of [rcpt.ReasonCatchAll] for a provider
// that is known to accept everything and to sort later.
var uncheckedRuling = ruling{verdict: rcpt.VerdictAcceptAll,
	message: "The mail host does not check recipients before it takes mail, and refuses or drops it later: " +
		"nothing can be learned about this mailbox by asking."}

// uncheckingRuling is the same for a program that does so unless it is told
// otherwise.
func uncheckingRuling(software string) ruling {
	return ruling{verdict: rcpt.VerdictAcceptAll, message: "The mail host takes mail for every address: " + software +
		" does not check recipients before it takes mail, unless it is told to. " +
		"Nothing can be learned about this mailbox by asking."}
}

// accept judges an accepted target by what is known of the domain's catch-all,
// of its provider and, if everything is accepted, of the program that does.
func (j *judgement) accept(session smtpprobe.Session) {
	recipients := provider.Of(session.Host).Recipients
	switch {
	case j.catchAll == rcpt.CatchAllYes:
		j.reason = rcpt.ReasonCatchAll
		if recipients == provider.RecipientsUnchecked {
			j.special = &uncheckedRuling
		} else if software := unchecking(session); software != "" {
			rule := uncheckingRuling(software)
			j.special = &rule
		}
	case j.catchAll == rcpt.CatchAllNo, recipients == provider.RecipientsChecked:
		j.reason = rcpt.ReasonRecipientAccepted
	default:
		j.reason = rcpt.ReasonControlInconclusive
	}
}

// unchecking returns the program of a mail host that accepted the target, if it
// is known not to check recipients.
func unchecking(session smtpprobe.Session) string {
	if session.Greeting == nil {
		return ""
	}
	text := func(reply *smtp.Reply) string { return strings.Join(reply.Lines, " ") }
	return provider.Unchecking(text(session.Greeting), text(session.Target))
}

// controlPutOff is the message about [rcpt.ReasonControlInconclusive] where the
// random mailbox was greylisted.
const controlPutOff = "The mail host accepted the address, and asks to come back later (greylisting) " +
	"for the random one beside it; try again."

// controlLater replaces the ruling of [rcpt.ReasonControlInconclusive] where
// the random mailbox may be refused or accepted later.
var controlLater = ruling{verdict: rcpt.VerdictUnknown, retryAfter: retryTemporary,
	message: "The mail host accepted the address, and had no answer about the random one beside it " +
		"for the moment; try again later."}

// awaitControl makes a retry worthwhile if the control was greylisted, or
// refused for another reason that passes, because the control will be the same
// one then (controls). If the target passed a host that greylists, it was asked
// about before, and this control was not: on another day, with another secret,
// or in a shared transaction, where a host without PIPELINING gets the control
// only after an accepted target.
func (j *judgement) awaitControl(control replies.Classification, code int) {
	later := judgement{reason: reasonFor(control.Class, smtp.PhaseRCPT, code)}
	later.mindCode(code)
	rule := controlLater
	if rule.retryAfter = later.ruling().retryAfter; rule.retryAfter == 0 {
		return
	}
	if later.reason == rcpt.ReasonGreylisted {
		rule.message = controlPutOff
	}
	j.special, j.retryAfter = &rule, control.RetryAfter
}

// judgeControl returns what the reply to the random mailbox says about the
// domain's catch-all. A refusal means "no" only if it calls the mailbox
// unknown, or if the host, behind it, accepted again a mailbox that it had
// accepted before: a limit on recipients, a policy or a temporary failure says
// nothing by itself. mailbox is what is known of the random one.
func judgeControl(
	session smtpprobe.Session, mailbox string, read func(smtp.Phase, smtp.Reply, string) replies.Classification,
) rcpt.CatchAllState {
	control := session.Control
	if control == nil {
		return rcpt.CatchAllUnknown
	}
	switch smtpprobe.ControlClass(read(smtp.PhaseRCPT, *control, mailbox), *control) {
	case replies.ClassNoSuchUser:
		return rcpt.CatchAllNo
	case replies.ClassOK:
		return rcpt.CatchAllYes
	}
	if behind := session.Behind; behind != nil && control.Code >= 500 && !behind.Refused() {
		return rcpt.CatchAllNo
	}
	return rcpt.CatchAllUnknown
}

// failureReasons maps the ways in which a session fails to reasons.
var failureReasons = map[smtp.Kind]rcpt.Reason{
	smtp.KindRefused:     rcpt.ReasonConnectionFailed,
	smtp.KindUnreachable: rcpt.ReasonConnectionFailed,
	smtp.KindClosed:      rcpt.ReasonConnectionFailed,
	smtp.KindReset:       rcpt.ReasonConnectionFailed,
	smtp.KindTimeout:     rcpt.ReasonConnectionTimeout,
	smtp.KindTLS:         rcpt.ReasonTLSFailed,
	smtp.KindProtocol:    rcpt.ReasonProtocolError,
	smtp.KindSMTPUTF8:    rcpt.ReasonSMTPUTF8Unsupported,
	smtp.KindEgress:      rcpt.ReasonEgressFailed,
	smtp.KindPaused:      rcpt.ReasonBlocked,
	smtp.KindTurned:      rcpt.ReasonRateLimited,
	smtp.KindLimited:     rcpt.ReasonRateLimited,
}

// judgeFailure judges a session that ended without a decisive reply.
func judgeFailure(session smtpprobe.Session, evidence Evidence) judgement {
	if session.Failure == nil {
		return judgement{reason: rcpt.ReasonConnectionFailed}
	}
	failure := *session.Failure
	reason, ok := failureReasons[failure.Kind]
	if !ok {
		reason = rcpt.ReasonConnectionFailed
	}
	j := judgement{reason: reason, answer: &rcpt.SMTPAnswer{
		Host: session.Host, IP: session.Addr.Addr().String(),
		Phase: failure.Phase, Kind: failure.Kind, Text: failure.Text,
	}}
	switch failure.Kind {
	case smtp.KindPaused:
		j.special, j.retryAfter = &paused, failure.RetryAfter
	case smtp.KindLimited:
		j.special, j.retryAfter = &limited, failure.RetryAfter
	case smtp.KindTurned:
		j.special, j.retryAfter = &refusesEverybody, failure.RetryAfter
	}
	if unreached(reason) {
		hosts := len(evidence.DNS.Hosts) + evidence.DNS.Omitted
		j.special = afterFailure(reason, failure, tried(evidence.DNS.Hosts, evidence.SMTP.Sessions), hosts)
	}
	if reason == rcpt.ReasonSMTPUTF8Unsupported && !allLackSMTPUTF8(*evidence.DNS, evidence.SMTP.Sessions) {
		j.special = &someLackSMTPUTF8
	}
	return j
}

// tried is how many of the mail hosts sessions were tried with, under whatever
// name.
func tried(hosts []dnsresolve.Host, sessions []smtpprobe.Session) int {
	n := 0
	for _, host := range hosts {
		with := func(s smtpprobe.Session) bool {
			at := func(a dnsresolve.Addr) bool { return a.IP.Unmap() == s.Addr.Addr().Unmap() }
			return s.Host == host.Name || slices.ContainsFunc(host.Addrs, at)
		}
		if slices.ContainsFunc(sessions, with) {
			n++
		}
	}
	return n
}

// paused replaces the ruling of [rcpt.ReasonBlocked] for a mail host that was
// not asked.
var paused = ruling{verdict: rcpt.VerdictUnknown, retryAfter: retryTemporary,
	message: "The mail host was not asked: its provider has refused us, " +
		"so rcpt waits before it asks again."}

// limited replaces the ruling of [rcpt.ReasonRateLimited] for a mail host that
// was not asked.
var limited = ruling{verdict: rcpt.VerdictUnknown, retryAfter: retryTemporary,
	message: "The mail host was not asked in time: rcpt asks it, or its provider, as much as it may already. " +
		"Try again later."}

// refusesEverybody replaces the ruling of [rcpt.ReasonRateLimited], and of a
// refusal of the mailbox, where nothing shows that the mail host still accepts
// anybody.
var refusesEverybody = ruling{verdict: rcpt.VerdictUnknown, retryAfter: retryTemporary,
	message: "The mail host refuses every mailbox that it is asked about, " +
		"perhaps because it was asked about many: try again later."}

// someLackSMTPUTF8 replaces the ruling of [rcpt.ReasonSMTPUTF8Unsupported] if
// not all mail hosts were asked.
var someLackSMTPUTF8 = ruling{verdict: rcpt.VerdictUnknown, retryAfter: retryTemporary,
	message: "The local-part has non-ASCII characters. The mail hosts that answered cannot take such addresses, " +
		"but not all were asked."}

// allLackSMTPUTF8 reports whether every mail host of the domain was asked, at
// one of its addresses, and does not offer SMTPUTF8.
func allLackSMTPUTF8(found dnsresolve.Findings, sessions []smtpprobe.Session) bool {
	lacking := map[netip.Addr]bool{}
	for _, session := range sessions {
		if lacksSMTPUTF8(session) {
			lacking[session.Addr.Addr().Unmap()] = true
		}
	}
	for _, host := range found.Hosts {
		asked := slices.ContainsFunc(host.Addrs, func(a dnsresolve.Addr) bool { return lacking[a.IP.Unmap()] })
		if host.Status.Temporary() || host.Status == dnsresolve.StatusOK && !asked {
			return false
		}
	}
	return found.Omitted == 0
}

// failedTLS reports whether TLS failed in a session, or had failed before it.
func failedTLS(session smtpprobe.Session) bool {
	return session.Failure != nil && session.Failure.Kind == smtp.KindTLS ||
		session.Trial == wordSTARTTLS || slices.Contains(session.Shunned, wordSTARTTLS)
}

// wordSTARTTLS is the extension of RFC 3207.
const wordSTARTTLS = "STARTTLS"

func answerOf(session smtpprobe.Session, phase smtp.Phase, reply smtp.Reply, rule string) *rcpt.SMTPAnswer {
	return &rcpt.SMTPAnswer{
		Host: session.Host, IP: session.Addr.Addr().String(), Phase: phase,
		Code: reply.Code, Enhanced: reply.Enhanced, Text: strings.Join(reply.Lines, " "), Rule: rule,
	}
}

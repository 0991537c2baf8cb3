//go:build !plan

package smtpprobe

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// failedSession is a session that was of no use, and would be of none to
// others. For a while nobody needs to try again.
type failedSession struct {
	session Session
	offline bool // dialling failed before a packet left this machine
	at      time.Time
	lasts   time.Duration // how long it is an answer; 0: failureLasts
	waits   bool          // callers that are told of waits may wait for better times
	had     time.Duration // the time it had, where more might have brought more; 0: it was enough
}

func newFailedSession(s *session, first *job, err error) *failedSession {
	f := &failedSession{session: brief(s.notOpened(first, err)), offline: s.Offline(), at: time.Now()}
	var failure *smtp.Failure
	if errors.As(err, &failure) && s.Hurried() {
		switch failure.Kind {
		case smtp.KindTimeout, smtp.KindTLS, smtp.KindEgress:
			f.had = first.time()
		}
	}
	return f
}

// newSilentSession is what a session without an answer to RCPT means for
// others, of whose mailboxes nothing was said in it.
func newSilentSession(t *talk) *failedSession {
	kind, text := smtp.KindClosed, "the server closed the connection at the first RCPT, a moment ago"
	if t.said.Trouble == belief.FellSilent {
		kind, text = smtp.KindTimeout, "no answer to the first RCPT, a moment ago"
	}
	silent := t.remark(&smtp.Failure{Phase: smtp.PhaseRCPT, Kind: kind, Text: text})
	if t.s.Hurried() && kind == smtp.KindTimeout {
		silent.had = t.jobs[0].time()
	}
	return silent
}

// newHostileSession is what it means for others that a host refuses everybody.
func newHostileSession(t *talk) *failedSession {
	return t.remark(&smtp.Failure{
		Phase: smtp.PhaseRCPT, Kind: smtp.KindTurned, RetryAfter: retryHostile,
		Text: "not asked: a moment ago, the host refused a mailbox that it had accepted before",
	})
}

// newLimitedSession is what it means for others that a host answers every
// question, one after the other, with a limit of its own.
func newLimitedSession(t *talk) *failedSession {
	f := t.remark(&smtp.Failure{
		Phase: smtp.PhaseRCPT, Kind: smtp.KindLimited, RetryAfter: limitedLasts,
		Text: "not asked: the host has answered several questions in a row with a limit of its own",
	})
	f.lasts = limitedLasts
	return f
}

// remark is the session of a transaction with a failure in place of what was
// said about recipients.
func (t *talk) remark(failure *smtp.Failure) *failedSession {
	told := t.s.findings(t.jobs[0])
	told.MAIL, told.Failure, told.Transcript = t.said.MAIL.Reply, failure, t.s.Transcript(true)
	f := &failedSession{session: brief(told), at: time.Now()}
	f.session.Transcript = append(f.session.Transcript, smtp.Line{From: smtp.FromProber, Text: failure.Error()})
	return f
}

// over reports whether the failure is a thing of the past.
func (f *failedSession) over() bool { return f.left() <= 0 }

// left is how long it is to be remembered.
func (f *failedSession) left() time.Duration {
	return cmp.Or(f.lasts, failureLasts) - time.Since(f.at)
}

// answer is what the failure means for a job that waited while the session was
// tried. A job with more time than the session had, give or take what a lookup
// takes, might do better.
func (f *failedSession) answer(j *job) (result, bool) {
	if f.waits && j.req.Queued != nil || f.had > 0 && j.time() > f.had+f.had/10 {
		return result{}, false
	}
	s := f.session
	s.Host, s.Addr = hostName(j.route.host), j.route.addr
	s.Transcript = slices.Clone(s.Transcript)
	if f.lasts > 0 {
		failure := *s.Failure
		failure.RetryAfter = f.left().Round(time.Second)
		s.Failure = &failure
	}
	return result{session: &s, offline: f.offline}, true
}

// remembered is what it means for a job that comes later.
func (f *failedSession) remembered(j *job) (result, bool) {
	r, ok := f.answer(j)
	if ok {
		remark := fmt.Sprintf("not tried again: this was %v ago", time.Since(f.at).Round(time.Second))
		r.session.Transcript = append(r.session.Transcript, smtp.Line{From: smtp.FromProber, Text: remark})
	}
	return r, ok
}

// domainBook remembers whether mail hosts take every address in a domain, so
// that a long list does not ask that for each of its addresses.
type domainBook map[domainKey]*domainNote

// domainKey names the host, too: a backup may take what the others would
// refuse.
type domainKey struct {
	host   netip.AddrPort
	domain string
}

type domainNote struct {
	answer controlAnswer
	until  time.Time
}

// control returns the answer about an earlier control of the domain; nil: none
// is known, or it is time to ask again.
func (b domainBook) control(host netip.AddrPort, domain string) *controlAnswer {
	key := domainKey{host, domain}
	n := b[key]
	if n == nil {
		return nil
	}
	if time.Now().After(n.until) {
		delete(b, key)
		return nil
	}
	return &n.answer
}

// note keeps an answer about a control, if it is not too long to remember.
func (b domainBook) note(host netip.AddrPort, domain string, answer controlAnswer) {
	kept := briefReply(answer.reply)
	if kept.String() != answer.reply.String() {
		return
	}
	if len(b) >= maxDomainNotes {
		b.shrink()
	}
	answer.reply = kept
	if answer.behind != nil {
		answer.behind = briefReply(answer.behind)
	}
	b[domainKey{host, domain}] = &domainNote{answer: answer, until: time.Now().Add(controlLasts)}
}

// shrink drops what is out of date, and if that is little, half of the rest: it
// can be asked again.
func (b domainBook) shrink() {
	now, n := time.Now(), 0
	for key, note := range b {
		if now.After(note.until) || n%2 == 0 {
			delete(b, key)
		}
		n++
	}
}

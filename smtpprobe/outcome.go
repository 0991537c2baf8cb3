package smtpprobe

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/internal/schedule"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// outcome is what the answer of the plan means. The job is no longer known to
// the pool. The context is that of its caller.
func (j *job) outcome(ctx context.Context) result {
	j.budget.extend(j.answer.waited)
	r := result{job: j}
	switch a := &j.answer; a.result {
	case schedule.Final, schedule.Failed:
		r.session, r.offline = j.account.found, j.account.offline
	case schedule.Unproven:
		r.session = j.account.found
		r.session.Unproven = true
	case schedule.NotBelieved:
		r.session = j.notBelieved()
	case schedule.Inherited:
		r.session, r.offline = j.told(a.from.session.Failure), a.from.offline
	case schedule.Silent:
		r.session = j.told(silence(a.from))
	case schedule.Turned, schedule.AtLimit:
		r.session = j.told(noAnswers(a))
	case schedule.Unfinished, schedule.TooLate:
		r.session = j.soFar(smtp.KindTimeout)
	case schedule.OutOfTurn:
		r.session = j.soFar(smtp.KindLimited)
	case schedule.GivenUp:
		if r.err = gaveUp(ctx); j.session != nil {
			r.session = j.soFar(smtp.KindCancelled)
		}
	case schedule.NoEgress:
		f := &smtp.Failure{Phase: smtp.PhaseConnect, Kind: smtp.KindEgress, Text: egress.ErrNone.Error()}
		r.session, r.offline = notTried(j, f), true
	case schedule.Paused, schedule.Slowed, schedule.Limited, schedule.Busy:
		r.session = j.inTime(a)
	default:
		r.err = j.notDone(a)
	}
	return r
}

// notDone is why we could not work.
func (j *job) notDone(a *answer) error {
	switch a.result {
	case schedule.Resources:
		return j.account.err
	case schedule.Full:
		return busy(j)
	case schedule.HeldBack:
		return &HeldBackError{Provider: j.provider.Provider, RetryAfter: a.retry, err: busy(j)}
	case schedule.LeftOut:
		return leftOut(j)
	case schedule.Moved:
		return errMoved
	}
	return ErrClosed
}

// notBelieved is the session of a job whose reply is not believed, and that
// cannot be asked about again.
func (j *job) notBelieved() *Session {
	found, end := j.account.found, j.account.end
	found.Target, found.Failure = nil, end
	switch {
	case end == nil && found.MAIL != nil && !found.MAIL.Refused():
		const text = "the answer was not believed, and there was no time for a second one"
		found.Failure = &smtp.Failure{Phase: smtp.PhaseRCPT, Kind: smtp.KindProtocol, Text: text}
	case end != nil && end.Kind == smtp.KindSMTPUTF8:
		const text = "SMTPUTF8 is not offered in this session"
		found.Failure = &smtp.Failure{Phase: smtp.PhaseMAIL, Kind: smtp.KindProtocol, Text: text}
	}
	return found
}

// soFar is the session of a job whose time is over while it is asked, or a
// session is opened for it.
func (j *job) soFar(kind smtp.Kind) *Session {
	if j.session == nil {
		return tooLate(j)
	}
	return j.session.soFar(j, kind)
}

// told is what a session of others means for the job, with what ended it.
func (j *job) told(end *smtp.Failure) *Session {
	from := j.answer.from
	s := from.session
	s.Host, s.Addr, s.Failure = hostName(j.route.host), j.route.addr, end
	s.Transcript = slices.Clone(s.Transcript)
	if end != from.session.Failure {
		s.Transcript = append(s.Transcript, smtp.Line{From: smtp.FromProber, Text: end.Error()})
	}
	if ago := j.answer.ago; ago > 0 {
		text := fmt.Sprintf("not tried again: this was %v ago", ago.Round(time.Second))
		s.Transcript = append(s.Transcript, smtp.Line{From: smtp.FromProber, Text: text})
	}
	return &s
}

// silence is what it means for others that a session ended without an answer to
// RCPT.
func silence(r *remark) *smtp.Failure {
	if r.silent {
		const text = "no answer to the first RCPT, a moment ago"
		return &smtp.Failure{Phase: smtp.PhaseRCPT, Kind: smtp.KindTimeout, Text: text}
	}
	const text = "the server closed the connection at the first RCPT, a moment ago"
	return &smtp.Failure{Phase: smtp.PhaseRCPT, Kind: smtp.KindClosed, Text: text}
}

// noAnswers is what it means for others that a host refuses everybody, or
// answers every question, one after the other, with a limit of its own.
func noAnswers(a *answer) *smtp.Failure {
	if a.result == schedule.AtLimit {
		const text = "not asked: the host has answered several questions in a row with a limit of its own"
		retry := a.retry.Round(time.Second)
		return &smtp.Failure{Phase: smtp.PhaseRCPT, Kind: smtp.KindLimited, RetryAfter: retry, Text: text}
	}
	const text = "not asked: a moment ago, the host refused a mailbox that it had accepted before"
	return &smtp.Failure{Phase: smtp.PhaseRCPT, Kind: smtp.KindTurned, RetryAfter: retryHostile, Text: text}
}

// inTime is the session of a job that could not be asked in its time, or
// because its provider is paused.
func (j *job) inTime(a *answer) *Session {
	switch a.result {
	case schedule.Limited:
		return notInTime(j, a.retry, "its provider is asked as much as it may be; it may be its turn in %v")
	case schedule.Busy:
		return notInTime(j, a.retry, "no session with the host became free in time; it may be its turn in %v")
	}
	kind, why, wait := smtp.KindPaused, "refused us", a.retry.Round(time.Second)
	if a.result == schedule.Slowed {
		kind, why = smtp.KindLimited, "found us too fast"
	}
	return notTried(j, &smtp.Failure{
		Phase: smtp.PhaseConnect, Kind: kind, RetryAfter: wait,
		Text: fmt.Sprintf("not asked: the provider %s, and is paused for another %v", why, wait),
	})
}

package smtpprobe

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// failedSession is a session that was of no use, and would be of none to
// others. For a while nobody needs to try again.
type failedSession struct {
	session Session
	offline bool // dialling failed before a packet left this machine
	at      time.Time
	waits   bool          // callers that are told of waits may wait for better times
	had     time.Duration // the time it had, where more might have brought more; 0: it was enough
}

func newFailedSession(s *session, first *job, err error) *failedSession {
	f := &failedSession{session: brief(s.notOpened(first, err)), offline: s.Offline(), at: time.Now()}
	var failure *smtp.Failure
	if errors.As(err, &failure) && s.Hurried() && (failure.Kind == smtp.KindTimeout || failure.Kind == smtp.KindTLS || failure.Kind == smtp.KindEgress) {
		f.had = first.time()
	}
	return f
}

// newSilentSession is what a session without an answer to RCPT means for
// others, of whose mailboxes nothing was said in it.
func newSilentSession(t *transaction) *failedSession {
	kind, text := smtp.KindClosed, "the server closed the connection at the first RCPT, a moment ago"
	if t.trouble == fellSilent {
		kind, text = smtp.KindTimeout, "no answer to the first RCPT, a moment ago"
	}
	silent := t.remark(&smtp.Failure{Phase: smtp.PhaseRCPT, Kind: kind, Text: text})
	if t.s.Hurried() && kind == smtp.KindTimeout {
		silent.had = t.jobs[0].time()
	}
	return silent
}

// newTurnedSession is what it means for others that a host refuses everybody.
func newTurnedSession(t *transaction) *failedSession {
	return t.remark(&smtp.Failure{
		Phase: smtp.PhaseRCPT, Kind: smtp.KindTurned, RetryAfter: int64(retryTurned / time.Second),
		Text: "not asked: a moment ago, the host refused a mailbox that it had accepted before",
	})
}

// remark is the session of a transaction with a failure in place of what was
// said about recipients.
func (t *transaction) remark(failure *smtp.Failure) *failedSession {
	told := t.s.findings(t.jobs[0])
	told.MAIL, told.Failure, told.Transcript = t.mail.Reply, failure, t.s.Transcript(true)
	f := &failedSession{session: brief(told), at: time.Now()}
	f.session.Transcript = append(f.session.Transcript, smtp.Line{From: smtp.FromProber, Text: failure.Error()})
	return f
}

// over reports whether the failure is a thing of the past.
func (f *failedSession) over() bool { return time.Since(f.at) > failureLasts }

// concerns reports whether an ask would meet with the same: it has no more time
// than the session had, give or take what a look into the DNS takes.
func (f *failedSession) concerns(a *job) bool {
	if f.waits && a.req.Queued != nil {
		return false
	}
	return f.had == 0 || a.time() <= f.had+f.had/10
}

// answer is what the failure means for an ask that came while the session was
// tried.
func (f *failedSession) answer(a *job) result {
	told := f.session
	told.Host, told.Addr = hostName(a.route.host), a.route.addr
	told.Transcript = slices.Clone(told.Transcript)
	return result{session: &told, offline: f.offline}
}

// remembered is what it means for one that comes later.
func (f *failedSession) remembered(a *job) result {
	told := f.answer(a)
	remark := fmt.Sprintf("not tried again: this was %v ago", time.Since(f.at).Round(time.Second))
	told.session.Transcript = append(told.session.Transcript, smtp.Line{From: smtp.FromProber, Text: remark})
	return told
}

// giveUp answers those who wait, and would meet with the same failure.
func (h *mailHost) giveUp(failed *failedSession) {
	others := h.waiting[:0]
	for _, a := range h.waiting {
		if !failed.concerns(a) {
			others = append(others, a)
			continue
		}
		a.left.extend(time.Since(a.since))
		a.tell(failed.answer(a))
	}
	clear(h.waiting[len(others):])
	h.waiting = others
}

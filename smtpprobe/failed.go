package smtpprobe

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// failedSession is a session that did not get as far as MAIL, or that stands for several at which nobody got an answer to RCPT. For a while nobody
// needs to try again.
type failedSession struct {
	session Session
	offline bool // dialling failed before a packet left this machine
	at      time.Time
	had     time.Duration // the time it had, where more might have brought more; 0: it was enough
}

func newFailedSession(s *session, first *ask, err error) *failedSession {
	f := &failedSession{session: brief(s.account(first)), offline: s.offline, at: time.Now()}
	var failure *Failure
	if errors.As(err, &failure) && s.hurried && (failure.Kind == KindTimeout || failure.Kind == KindTLS || failure.Kind == KindEgress) {
		f.had = first.time()
	}
	return f
}

// newMuteSession is what a session without an answer to RCPT means for others, of whose mailboxes nothing was said in it.
func newMuteSession(f *flight, failure *Failure) *failedSession {
	first := f.asks[0]
	told := f.s.account(first)
	told.MAIL, told.Transcript = f.mail.reply, told.Transcript[:f.s.opening]
	told.Failure = &Failure{Phase: failure.Phase, Kind: failure.Kind, Text: fmt.Sprintf("no answer to RCPT in %d sessions in a row", muteSessions)}
	mute := &failedSession{session: brief(told), at: time.Now()}
	mute.session.Transcript = append(mute.session.Transcript, Line{From: fromProber, Text: told.Failure.Error()})
	if f.s.hurried && failure.Kind == KindTimeout {
		mute.had = first.time()
	}
	return mute
}

// noteMute counts the sessions in a row that ended without an answer to RCPT, by failing. When they are many, those who wait get no other.
func (h *mailHost) noteMute(f *flight, failure *Failure) {
	switch {
	case f.answered():
		h.mute = 0
		return
	case failure == nil, failure.Kind == KindCancelled, failure.Kind == KindSMTPUTF8, !f.fresh, f.s.conn.left:
		return
	}
	if h.mute++; h.mute >= muteSessions {
		h.failed = newMuteSession(f, failure)
		h.giveUp(h.failed)
	}
}

// answered reports whether the host said anything about a recipient.
func (f *flight) answered() bool {
	return slices.ContainsFunc(f.named, func(r recipient) bool { return r.reply != nil || r.unplaced })
}

// over reports whether the failure is a thing of the past.
func (f *failedSession) over() bool { return time.Since(f.at) > failureLasts }

// concerns reports whether an ask would meet with the same: it has no more time than the session had, give or take what a look into the DNS takes.
func (f *failedSession) concerns(a *ask) bool {
	return f.had == 0 || a.time() <= f.had+f.had/10
}

// answer is what the failure means for an ask that came while the session was tried.
func (f *failedSession) answer(a *ask) answer {
	told := f.session
	told.Host, told.Addr = truncate(clean(a.route.host), maxDomain), a.route.addr
	told.Transcript = slices.Clone(told.Transcript)
	return answer{session: &told, offline: f.offline}
}

// remembered is what it means for one that comes later.
func (f *failedSession) remembered(a *ask) answer {
	told := f.answer(a)
	remark := fmt.Sprintf("not tried again: this was %v ago", time.Since(f.at).Round(time.Second))
	told.session.Transcript = append(told.session.Transcript, Line{From: fromProber, Text: remark})
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
		a.left.stoodStill(time.Since(a.since))
		a.tell(failed.answer(a))
	}
	clear(h.waiting[len(others):])
	h.waiting = others
}

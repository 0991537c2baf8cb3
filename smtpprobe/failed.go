package smtpprobe

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// failedSession is a session that did not get as far as MAIL. For a while nobody needs to try again.
type failedSession struct {
	session Session
	offline bool // dialling failed before a packet left this machine
	at      time.Time
	had     time.Duration // the time it had, where more might have brought more; 0: it was enough
}

func newFailedSession(s *session, first *ask, err error) *failedSession {
	f := &failedSession{session: *s.account(first), offline: s.offline, at: time.Now()}
	var failure *Failure
	if errors.As(err, &failure) && s.hurried && (failure.Kind == KindTimeout || failure.Kind == KindTLS || failure.Kind == KindEgress) {
		f.had = first.time()
	}
	return f
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

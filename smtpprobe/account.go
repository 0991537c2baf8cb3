package smtpprobe

import (
	"context"
	"errors"
	"slices"
	"strconv"
)

// begin turns the session to the next transaction.
func (s *session) begin(t *transaction) {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.log.cut(s.opening)
	s.log.many = max(0, len(t.named)-firstRecipients)
	s.bound = t.ends()
	s.conn.taken = -s.log.many * recipientBytes
}

// end completes the findings with what ended the session; nil and errRefused
// need no word.
func (s *session) end(err error) {
	var f *Failure
	if errors.As(err, &f) {
		s.log.mu.Lock()
		s.Failure = f
		s.log.mu.Unlock()
		s.log.add(fromProber, f.Error())
	}
}

// leave notes in the transcript that QUIT will follow.
func (s *session) leave() {
	if s.conn != nil && s.conn.usable {
		s.log.add(fromClient, "QUIT")
	}
}

// account is what the opening of the session, which failed, means for an ask.
func (s *session) account(a *job) *Session {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	told := s.findingsFor(a)
	told.Transcript = slices.Clone(s.log.lines)
	return told
}

// findingsFor is what has been found, without the transcript, as it concerns an
// ask. The lock of the log is held, or the session is the caller's.
func (s *session) findingsFor(a *job) *Session {
	told := s.Session
	told.Host = truncate(clean(a.route.host), maxDomain)
	return &told
}

// tooLate is the account of a session for which there was no time at all.
func tooLate(a *job) *Session {
	f := &Failure{Phase: PhaseConnect, Kind: KindTimeout, Text: failureText(KindTimeout, context.DeadlineExceeded)}
	return &Session{Host: truncate(clean(a.route.host), maxDomain), Addr: a.route.addr, Failure: f}
}

// soFar is the account of a session that an ask could not wait for: its
// opening, as what follows may be about others.
func (s *session) soFar(ctx context.Context, a *job) *Session {
	told := s.account(a)
	if s.log.mu.Lock(); s.opening > 0 {
		told.Transcript = told.Transcript[:s.opening]
	}
	s.log.mu.Unlock()
	kind := KindTimeout
	if cancelled(ctx) != nil {
		kind = KindCancelled
	}
	if told.Failure == nil {
		told.Failure = &Failure{Phase: phaseOf(told), Kind: kind, Text: failureText(kind, context.DeadlineExceeded)}
	}
	return told
}

// phaseOf is how far a session has come.
func phaseOf(s *Session) Phase {
	switch {
	case s.Greeting == nil && len(s.Transcript) == 0:
		return PhaseConnect
	case s.Greeting == nil:
		return PhaseGreeting
	case s.EHLO == nil:
		return PhaseEHLO
	}
	return PhaseRCPT
}

// account is what came of the transaction for a job.
func (t *transaction) account(i int, failure *Failure) *Session {
	s, j := t.s, t.jobs[i]
	told := s.findingsFor(j)
	told.MAIL, told.Failure, told.Target = t.mail.reply, failure, t.named[i].reply
	told.Recipients = t.named[i].before
	control := t.controlOf(j)
	if control != nil && t.canary && control.class != ClassNoSuchUser && control.class != ClassOK {
		control = nil // it was about something else this time
	}
	switch {
	case control != nil:
		told.Control = control.reply
	case told.Target != nil:
		told.Control, told.ControlShared = j.control, j.control != nil
	}
	if len(t.jobs) == 1 && t.fresh && t.proof == "" {
		told.Transcript = slices.Clone(s.log.lines)
	} else {
		told.Transcript = t.transcript(&t.named[i], control)
	}
	return told
}

// usualLines is how many lines there are behind the opening, as a rule at most:
// a remark, three commands, and their replies of a line each.
const usualLines = 7

// namedBefore says that others were asked about in the same session.
func namedBefore(others int) string {
	if others == 1 {
		return "1 other recipient has been named in this session"
	}
	return strconv.Itoa(others) + " other recipients have been named in this session"
}

// transcript is the part of the dialogue that has to do with one target: the
// opening, MAIL, its RCPT and that of the control.
func (t *transaction) transcript(target, control *recipient) []Line {
	log := t.s.log.lines
	lines := make([]Line, 0, t.s.opening+usualLines)
	lines = append(lines, log[:t.s.opening]...)
	if target.before > 0 {
		at := atMS(log)
		if t.mail.command < len(log) {
			at = log[t.mail.command].AtMS // they were named before what follows
		}
		lines = append(lines, Line{From: fromProber, Text: namedBefore(target.before), AtMS: at})
	}
	for _, part := range []*exchange{&t.mail, &target.exchange, exchangeOf(control)} {
		if part != nil && part.command > 0 && part.command < len(log) { // the log may have been full
			lines = append(lines, log[part.command])
			lines = append(lines, log[part.from:part.to]...)
		}
	}
	return lines
}

func exchangeOf(r *recipient) *exchange {
	if r == nil {
		return nil
	}
	return &r.exchange
}

func atMS(log []Line) int64 {
	if len(log) == 0 {
		return 0
	}
	return log[len(log)-1].AtMS
}

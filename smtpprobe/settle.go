package smtpprobe

import (
	"errors"
	"slices"
	"strconv"
	"time"
)

// settle gives the asks of a flight their answers, or has them asked again: what a host says in the middle of a session may be about the session,
// and is then no answer about the mailbox.
func (w *worker) settle(f *flight, err error) {
	p := w.pool
	failure := f.failed(err)
	if err != nil {
		w.session.leave()
	}
	f.classify()
	final := w.decide(f, failure)
	for i, a := range f.asks {
		if final[i] {
			a.tell(answer{session: f.account(i, f.failureOf(i, failure))})
		}
	}
	p.logSession(&w.session.Session)
}

// decide tells for which asks the flight has the answer, and lets the others wait again.
func (w *worker) decide(f *flight, failure *Failure) (final []bool) {
	p := w.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	defer w.done()
	p.learn(w, f, failure)
	w.host.wellAt = time.Now()
	final = make([]bool, len(f.asks))
	for i, verdict := range slices.Backward(f.judgeAll(failure)) { // each goes in front of those behind it
		a := f.asks[i]
		careful := f.alone() && f.named[i].unplaced && !a.careful
		final[i] = verdict == told || a.alone && a.doubts >= maxDoubts && !careful || a.gone || w.ctx.Err() != nil
		if final[i] {
			a.queue(false) // before tell, which has no lock
			f.named[i].doubted = verdict != told && f.doubts(i)
			continue
		}
		if verdict != askInTurn {
			a.doubts++
		}
		a.careful = a.careful || careful
		a.alone = verdict == askAlone || a.doubts >= maxDoubts // the last word is as plain as can be
		p.resubmit(w.host, a)
		if a.careful {
			p.staff(w.host) // at once: a host that has fallen silent will not be quick to say goodbye either
		}
	}
	if w.ctx.Err() == nil {
		w.host.noteMute(f, failure)
	}
	return final
}

// judgeAll decides what becomes of each ask. The one over whom the host fell silent is to be asked alone, and one of the others, as what that shows is
// good for the rest.
func (f *flight) judgeAll(failure *Failure) []verdict {
	verdicts := make([]verdict, len(f.asks))
	suspect := f.suspect(failure)
	alone := false
	for i := range f.asks {
		verdicts[i] = f.judge(i, failure)
		switch {
		case verdicts[i] != askAlone || i == suspect:
		case suspect >= 0 && f.named[i].reply == nil:
			verdicts[i] = askInTurn // that nothing is known about it is not its doing
		case alone:
			verdicts[i] = askAgain
		default:
			alone = true
		}
	}
	if suspect >= 0 && verdicts[suspect] == askAlone {
		f.asks[suspect].silent = &hush{named: f.s.recipients, refused: f.s.refused}
	}
	return verdicts
}

// verdict is what becomes of an ask after a flight.
type verdict int

const (
	told      verdict = iota
	askInTurn         // with others: the host hung up before it came to it
	askAgain          // with others: it was not its turn
	askAlone          // first on a session of its own
)

// failed notes what ended the session in the transcript.
func (f *flight) failed(err error) *Failure {
	var failure *Failure
	swallowed := f.swallowed()
	switch {
	case f.unasked:
		failure = f.withoutSMTPUTF8()
	case !errors.As(err, &failure) && !swallowed:
		return nil
	case swallowed && (failure == nil || failure.Kind != KindCancelled):
		failure = &Failure{Phase: PhaseRCPT, Kind: KindProtocol, Text: "replies out of step: an odd one before the first recipient's, and one too few"}
	}
	f.s.log.add(fromProber, failure.Error())
	if failure.Kind == KindProtocol {
		for i := range f.named {
			f.named[i].reply = nil // whatever it answered, it may not have been RCPT
		}
	}
	return failure
}

// swallowed reports whether a reply before the first recipient's may be missing, so that each behind it has moved to the command before: the last
// recipient got none, and the reply to MAIL, or to RSET before it, has several lines, which is rare, and may lack its last, or what is taken for the
// reply to MAIL speaks of a recipient.
func (f *flight) swallowed() bool {
	last := f.named[len(f.named)-1].reply
	return f.shifted && (last == nil || last.Code == replyServiceClosing)
}

// withoutSMTPUTF8 says why the question cannot be put. Where TLS was on offer and failed, what would be offered over TLS is unknown.
func (f *flight) withoutSMTPUTF8() *Failure {
	if f.s.tlsUnusable() {
		return &Failure{Phase: PhaseMAIL, Kind: KindTLS, Text: "SMTPUTF8 is not offered without TLS"}
	}
	return &Failure{Phase: PhaseMAIL, Kind: KindSMTPUTF8, Text: "SMTPUTF8 is not offered"}
}

// failureOf is the failure as it concerns an ask: one whose recipients were all answered has none.
func (f *flight) failureOf(i int, failure *Failure) *Failure {
	control := f.controlOf(f.asks[i])
	if f.named[i].doubted {
		return &Failure{Phase: PhaseRCPT, Kind: KindProtocol, Text: "refused beside a random mailbox that was accepted, and no time for a second answer"}
	}
	if f.named[i].reply != nil && (control == nil || control.reply != nil) {
		return nil
	}
	return failure
}

// judge decides what becomes of an ask. A flight of one ask on a fresh session is asked as plainly as can be: whatever comes of it is the answer.
func (f *flight) judge(i int, failure *Failure) verdict {
	reply, a := f.named[i].reply, f.asks[i]
	plain := f.fresh && !f.s.conn.left // a group with QUIT in it is more than a host need take
	switch {
	case f.unasked, f.fresh && f.alone() && (!f.named[i].unplaced || a.late(time.Now())):
		return told
	case failure != nil && failure.Kind == KindProtocol:
		return askAlone
	case f.mail.reply == nil, refusal(*f.mail.reply) != nil:
		if plain {
			return told
		}
		return askAgain
	case f.named[i].unplaced:
		return askAlone
	case reply == nil && plain && i == 0:
		return told
	case reply == nil && f.wornOut:
		return askInTurn
	case reply == nil:
		return askAlone
	case f.doubts(i):
		return askAlone
	case refusal(*reply) == nil && f.controlDoubtful(a):
		return askAlone
	case f.named[i].before == 0 && plain:
		return told
	case reply.Code == replyServiceClosing:
		return askAlone
	case limited(*reply):
		return askAgain
	case !f.believes(&f.named[i]):
		return askAlone
	}
	return told
}

// controlDoubtful reports whether the control was refused in a way that may be about the session.
func (f *flight) controlDoubtful(a *ask) bool {
	control := f.controlOf(a)
	return control != nil && (control.reply == nil || control.reply.Code == replyServiceClosing || limited(*control.reply) || !f.believes(control))
}

// believes reports whether a reply to a recipient who was not the first of the session is about the mailbox: it names it, or the host has given
// the same to a first recipient.
func (f *flight) believes(r *recipient) bool {
	switch r.class {
	case ClassRateLimited, ClassBlocked, ClassAmbiguous:
		return f.host.traits.trusted[sortOf(r)]
	}
	return true
}

func (p *Pool) read(s *session, phase Phase, reply Reply, mailbox string) Class {
	return p.config.Classifier.Read(Question{Phase: phase, Reply: reply, Host: s.Host, Mailbox: mailbox, Sender: p.config.MailFrom}).Class
}

// sortOf is the sort of a refusal.
func sortOf(r *recipient) string {
	return strconv.Itoa(r.reply.Code) + " " + r.reply.Enhanced + " " + string(r.class)
}

// ends is when the time for the last of the asks is over; zero: never.
func (f *flight) ends() time.Time {
	var end time.Time
	for _, a := range f.asks {
		e := a.ends()
		if e.IsZero() {
			return e
		}
		if e.After(end) {
			end = e
		}
	}
	return end
}

package schedule

import (
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// settled notes the end of a transaction: each job gets its answer, or waits to
// be asked again, or for a proof. (Rules 3.4, 3.5 and 4.1 to 4.3)
func (s *State) settled(x *session, e Settled) {
	if x == nil || x.run == nil {
		return
	}
	r := x.run
	x.run = nil
	r.Outcome = &e.Outcome.Outcome
	x.hears(r.Outcome, s.now)
	switch {
	case x.phase != busy: // it was ended meanwhile
		s.endRun(x, r)
	case r.proves != nil:
		s.heardProof(x, r, &r.Outcome.Named[0])
		s.goesOn(x, e.Outcome.Ended)
	default:
		s.settle(x, r, &e.Outcome, e.Account)
	}
	s.touch(x.host)
}

// hears counts what was said in a transaction, also where nobody waits for it
// any more. (Rule 6.1)
func (x *session) hears(o *belief.Outcome, now time.Time) {
	if o.Trouble != belief.NotAsked {
		x.transactions += 1 + o.Repeated
	}
	x.named += o.Repeated
	x.host.provider.Named(o.Repeated, now)
	for i := range o.Named {
		if r := &o.Named[i]; r.Reply != nil {
			x.named++
			if r.Refused() {
				x.refused++
			}
		}
	}
}

// endRun notes that a transaction about targets is over, as far as the first
// words of the host go: others may wait for what it has heard. (Rule 4.4)
func (s *State) endRun(x *session, r *run) {
	if r == nil || r.proves != nil {
		return
	}
	o := r.Outcome
	if o == nil {
		o = &belief.Outcome{}
	}
	p, last := x.host.proofs, false
	if p.first, last = p.first.Ends(o, r.heard, p.heard); last && p.accepts() {
		s.askHeld(x.host)
	}
}

func (s *State) settle(x *session, r *run, o *Outcome, account any) {
	h, p := x.host, x.host.proofs
	h.wellAt = s.now
	r.Host.Shown, r.Host.Accepts, r.Host.Limited = h.shown, p.accepts(), h.limited
	r.Host.Others = p.heard != r.heard
	p.heard += o.Repeated
	s.endRun(x, r)
	r.Host.First = p.first.Words()
	f := r.Judge()
	s.learn(x, r, o, &f)
	open := s.giveFates(x, r, &f)
	s.stopAsking(x, r, o, &f, account)
	s.giveAnswers(x, r, &f)
	switch {
	case len(open) == 0:
	case !o.Ended && !r.Outcome.Names(belief.Proof):
		s.prove(x, r, open, &f)
		return
	case !o.Ended && !o.Alone && f.ProofAccepted: // but it proves nothing for their words
		s.release(x)
		s.hold(r, open, p.acceptsOthers())
	default:
		s.release(x)
		s.askAgain(r, open, true)
	}
	s.goesOn(x, o.Ended)
}

// giveFates lets those wait that are to be asked again, each in front of those
// behind it, and returns those that wait for a proof. The session keeps them.
// (Rules 3.4 and 3.5)
func (s *State) giveFates(x *session, r *run, f *belief.Finding) (open []int) {
	o := r.Outcome
	var kept []*job
	for i := len(r.jobs) - 1; i >= 0; i-- {
		j := r.jobs[i]
		if j.session != x || j.place != asked {
			continue
		}
		fate := &f.Fates[i]
		if (*fate == belief.Again || *fate == belief.AgainAlone) && s.over(r, j) {
			*fate = r.NoTimeFor(i)
		}
		if *fate == belief.AwaitsProof {
			open, kept = append(open, i), append(kept, j)
			continue
		}
		s.leaves(j)
		if *fate == belief.Again || *fate == belief.AgainAlone {
			if f.Trouble != belief.None || f.Hostile { // else the number is no trouble
				j.failed(o.Targets)
			}
			j.alone = j.alone || *fate == belief.AgainAlone || o.Targets == 1
			s.goesAgain(j, o.Company())
		}
	}
	slices.Reverse(open)
	slices.Reverse(kept)
	x.jobs = kept
	return open
}

// giveAnswers answers those whose fate is final.
func (s *State) giveAnswers(x *session, r *run, f *belief.Finding) {
	for i, j := range r.jobs {
		if j.place != asked || j.session != nil {
			continue
		}
		switch f.Fates[i] {
		case belief.Final:
			s.answer(j, Answered{Result: s.final(x, r, f)})
		case belief.Unproven:
			s.answer(j, Answered{Result: Unproven})
		case belief.Dropped:
			s.answer(j, Answered{Result: NotBelieved})
		}
	}
}

// final is what a final fate is worth. SMTPUTF8 is missing where two sessions
// lack it and none is known that offered it: the machines behind an address may
// differ. (Rule 3.6)
func (s *State) final(x *session, r *run, f *belief.Finding) Result {
	shown := x.host.shown
	if f.Trouble == belief.NotAsked &&
		(shown[belief.OffersSMTPUTF8] || !r.Outcome.Alone && !shown[belief.LacksSMTPUTF8]) {
		return NotBelieved
	}
	return Final
}

// over reports whether there is no time to ask about a job again. (Rule 3.5)
func (s *State) over(r *run, j *job) bool {
	return j.left(s.now) || !r.Outcome.Company() && j.late(s.now)
}

// release takes the jobs off a session. They are answered, wait or are held
// next.
func (s *State) release(x *session) {
	for _, j := range x.jobs {
		s.leaves(j)
	}
	x.jobs = nil
}

// goesAgain lets a job wait to be asked again, ahead of the others of its rank;
// shared: others were asked about in the same transaction.
func (s *State) goesAgain(j *job, shared bool) {
	switch failure, known := s.failureFor(j); {
	case s.shut:
		s.answer(j, Answered{Result: ShutDown})
	case j.host.key.egress.leaving:
		s.answer(j, Answered{Result: Moved})
	case j.caller.ended():
		s.answer(j, Answered{Result: LeftOut})
	case known:
		s.answer(j, failure)
	default:
		j.spend(shared, s.now)
		j.place = waiting
		j.host.queue.goFirst(j)
		s.touch(j.host)
	}
}

// goesOn has a session begin its next transaction, rest until there is one, or
// end. (Rules 5.3 and 5.4)
func (s *State) goesOn(x *session, ended bool) {
	if ended {
		s.end(x, gone)
		return
	}
	s.move(x, idle)
	if s.next(x) {
		return
	}
	h, may := x.host, x.host.provider.MayName(x.named, s.now, true)
	listIsOver := h.queue.len() > 0 && h.queue.rank() == list && may < pace.LeastNamed
	if listIsOver || s.somebodyWaits(h.provider) || !s.usable(x) {
		s.end(x, Quit)
	}
}

// stopAsking answers the jobs that wait for a host that has shown that it
// cannot be asked for the moment: it refuses everybody, answers everybody with
// a limit of its own, or never answered about a recipient. (Rule 4.5)
func (s *State) stopAsking(x *session, r *run, o *Outcome, f *belief.Finding, account any) {
	h := x.host
	if f.Trouble == belief.NotAsked && !h.shown[belief.LacksSMTPUTF8] {
		x.retired = true // a session of another machine, perhaps, is next
	}
	if f.Hostile || f.Reworded {
		s.noteHostile(x, x.use(r.Outcome.Targets, s.now))
	}
	if f.Hostile && r.Outcome.Alone {
		s.rest(h, account)
	}
	if h.limited = f.Limited; h.limited >= maxLimited {
		s.fail(h, &failure{result: AtLimit, account: account, lasts: limitedLasts})
	}
	if !h.answers && f.Mute {
		if h.mute++; h.mute >= maxMute {
			silent := &failure{result: Silent, account: account, lasts: failureLasts}
			if o.Hurried && f.Trouble == belief.FellSilent {
				silent.had = r.jobs[0].Budget
			}
			s.fail(h, silent)
		}
	}
}

// learn notes what a transaction has shown about the host, its domains and its
// provider.
func (s *State) learn(x *session, r *run, o *Outcome, f *belief.Finding) {
	h, u := x.host, x.use(o.Targets, s.now)
	if o.Slow {
		h.limits.slowedDown(s.now)
	}
	s.learnLimits(x, u, o, f)
	if f.PutOff {
		h.limits.full(h.tally.live(), x.asked, s.now)
	}
	x.troubled = x.troubled || f.Trouble > belief.MAILRefused
	if o.Took > 0 || o.Answered() {
		h.perRecipient = o.Took / time.Duration(len(o.Named))
	}
	if o.NoTLS {
		h.trials.wanted(startTLS, s.now)
	}
	for _, keyword := range o.Passed {
		h.trials.pass(keyword, s.now)
	}
	h.answers = h.answers || o.Answered()
	h.trust(s.now, f.Shown...)
	for _, i := range f.Accepted {
		if i < o.Targets {
			s.noteAccepted(h, o.Named[i].Mailbox)
		} else {
			s.noteProof(h, r)
		}
	}
	for _, i := range f.Controls {
		s.noteControl(h, &o.Named[i])
	}
	s.learnProvider(x, o, f)
}

// learnLimits notes what a transaction has shown about the limits of the host.
// (Rules 9.1 to 9.4)
func (s *State) learnLimits(x *session, u use, o *Outcome, f *belief.Finding) {
	h := x.host
	switch f.Trouble {
	case belief.NotAsked, belief.CutOff:
	case belief.None:
		h.limits.succeeded(u, s.now)
		if h.queue.len() > 0 && len(h.sessions) >= h.sessionsFor(h.queue.rank(), s.now) {
			h.limits.sessions.succeeded(s.now)
		}
		for i := range o.Named {
			if said := &o.Named[i]; said.Reply != nil {
				h.asked++
				if said.Refused() {
					h.refused++
				}
			}
		}
	case belief.TooMany, belief.FellSilent:
		h.limits.recipients.halve(o.Targets, s.now)
	case belief.FailedTrial:
		h.trials.fail(o.Trial, s.now)
	case belief.MAILRefused:
		if !o.Fresh {
			h.limits.failed(u, s.now)
		}
	default:
		h.limits.failed(u, s.now)
	}
}

// learnProvider notes what was said that the provider thinks of us.
func (s *State) learnProvider(x *session, o *Outcome, f *belief.Finding) {
	g := x.host.provider
	if o.Fresh && o.MAIL.Class != "" {
		s.note(x, said{o.Named[0].Domain, o.MAIL.Class, o.MAIL.Reply.Code, o.MAIL.Reply.Enhanced, true})
	}
	for _, i := range f.Tells {
		r := &o.Named[i]
		if r.Role == belief.Target {
			g.Mailbox(r.Dead(), s.now)
		}
		s.note(x, said{r.Domain, r.Class, r.Reply.Code, r.Reply.Enhanced, false})
	}
	s.noted(g)
}

// notOpened notes that a session could not be opened. If the host has as many
// as it takes, the job waits. Otherwise the failure answers all jobs that wait.
// (Rule 5.5)
func (s *State) notOpened(x *session, e NotOpened) {
	if x == nil || x.phase != opening {
		return
	}
	h, first, live := x.host, x.jobs[0], x.host.tally.live()
	had := first.Budget
	others, recent := s.othersThan(x, &e)
	s.release(x)
	s.end(x, gone)
	if e.Resources {
		s.answer(first, Answered{Result: Resources})
		return
	}
	own := e.Failure == smtp.KindEgress
	if !e.Hurried || e.Failure == "" {
		s.hears(h.key.egress, h.key.addr, e.Greeted, &e)
	}
	if e.Trial == "" {
		s.noteOpening(x, first, e.Said)
	}
	switch {
	case first.left(s.now) || others == 0 && (!recent || first.atLimit >= maxAtLimit):
		s.answer(first, Answered{Result: Failed})
		s.failsFor(h, &e, had, others > 0 || recent)
		return
	case others > 0 && !own:
		h.limits.full(live, x.asked, s.now)
	default:
		h.leaveAlone(s.now.Add(atLimitPause))
		first.atLimit++
	}
	s.goesAgain(first, true)
}

// othersThan is how many other sessions the host has, and whether it had one
// just now, or its provider has so many: it may have as many as it takes. If it
// did not answer at all, only those count that it has greeted: how it will
// answer those that are being opened is not known.
func (s *State) othersThan(x *session, e *NotOpened) (others int, recent bool) {
	h := x.host
	if e.Trial != "" && !h.trials.passed(e.Trial) {
		return 0, false // that it fails is no matter of how many sessions there are
	}
	others = h.tally.live() - 1
	if unanswered(e.Failure) {
		others = h.tally.open()
	}
	oneTooMany := len(e.Said) > 0 && e.Said[0].Class == replies.ClassRateLimited && h.provider.tally.live() > 1
	return others, e.Failure != smtp.KindEgress && s.now.Sub(h.wellAt) < atLimitLasts || oneTooMany
}

// failsFor draws the consequence of a failure for others than the job that the
// session was opened for, which had so much time; full: the host may have as
// many as it takes.
func (s *State) failsFor(h *host, e *NotOpened, had time.Duration, full bool) {
	switch {
	case e.Trial != "":
		h.trials.fail(e.Trial, s.now)
	case !full:
		f := &failure{result: Inherited, account: e.Account, lasts: failureLasts}
		switch {
		case e.Failure == smtp.KindEgress: // ours: it may be mended at any moment
			f.lasts = 0
		case e.Hurried && (e.Failure == smtp.KindTimeout || e.Failure == smtp.KindTLS):
			f.had = had
		}
		s.fail(h, f)
	default:
		h.leaveAlone(s.now.Add(atLimitPause))
	}
}

// unanswered reports whether a session failed because the host was out of reach
// or silent.
func unanswered(f smtp.Kind) bool {
	return f == smtp.KindTimeout || f == smtp.KindUnreachable || f == smtp.KindRefused
}

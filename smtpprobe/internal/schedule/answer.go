package schedule

import (
	"slices"
	"time"
)

// Answered is what a job is answered with.
type Answered struct {
	Result Result
	Retry  time.Duration
	From   any
	Ago    time.Duration
}

// answer gives a job its answer. There is one to each. (Rule 1.1)
func (s *State) answer(j *job, with Answered) {
	x := j.session
	switch {
	case j.place == waiting:
		j.waited += s.now.Sub(j.since)
		if j.in != nil {
			j.host.queue.remove(j)
		}
	case j.place == held:
		j.host.held.remove(j)
	}
	a := Action{
		Do: Answer, Job: j.ID, Result: with.Result, Retry: with.Retry, From: with.From, Ago: with.Ago, Waited: j.waited,
	}
	if j.host != nil {
		a.Egress = j.host.key.egress.ID
		s.touch(j.host)
	}
	j.place = answered
	s.stop(&j.timer)
	delete(s.jobs, j.ID)
	s.do(a)
	if x != nil {
		s.drops(x, j)
	}
	s.parts(j)
}

// arrive takes jobs, and decides upon them together.
func (s *State) arrive(jobs []Job) {
	for i := range jobs {
		j := &job{Job: jobs[i], since: s.now, original: jobs[i].Budget}
		s.jobs[j.ID] = j
		s.joins(j)
		if a, known := s.place(j); known {
			s.answer(j, a)
			continue
		}
		if !j.Limit.IsZero() {
			s.set(&j.timer, j.Limit, j)
		}
		if j.Again {
			j.host.queue.goFirst(j)
		} else {
			j.host.queue.lineUp(j)
		}
		s.touch(j.host)
	}
}

// place finds the host of a job by its egress, and its answer if that needs no
// session.
func (s *State) place(j *job) (a Answered, known bool) {
	if s.shut {
		return Answered{Result: ShutDown}, true
	}
	e := s.choose(j.Provider.Provider, j.Addr.Addr(), j.Without)
	if e == nil {
		return Answered{Result: NoEgress}, true
	}
	h := s.host(&j.Job, e)
	j.host = h
	if _, paused := s.pausedUntil(h.provider); paused {
		return s.pause(h.provider), true
	}
	if a, known = s.failureFor(j); known {
		a.Ago = max(1, a.Ago)
		return a, true
	}
	switch {
	case j.caller == nil && h.isFull(s.config.MaxWaitingPerHost, s.now):
		return Answered{Result: Full}, true
	case j.caller.ended():
		return Answered{Result: LeftOut}, true
	case j.caller.holdsBack(h.provider):
		_, at := h.provider.MayOpen(s.now, true)
		return Answered{Result: HeldBack, Retry: max(0, at.Sub(s.now))}, true
	}
	return a, false
}

// isFull reports whether so many single checks wait for a session, beside those
// that are about to have one. (Rule 6.5)
func (h *host) isFull(most int, now time.Time) bool {
	return most > 0 && h.queue.ranks[single].n-max(0, h.limits.sessions.size(now)-len(h.sessions)) >= most
}

// failure is why a host is not asked for a while, which answers those that want
// to. (Rule 4.5)
type failure struct {
	result  Result
	account any
	at      time.Time
	lasts   time.Duration
	waits   bool          // lists may wait for better times
	had     time.Duration // the time it had, where more might have brought more; zero: it was enough
}

// left is how long it is to be remembered.
func (f *failure) left(now time.Time) time.Duration { return f.lasts - now.Sub(f.at) }

// answers reports whether the failure is the answer of a job. One with more
// time than the session had, give or take what a lookup takes, might do better.
func (f *failure) answers(j *job) bool {
	if f.had > 0 && (j.original == 0 || j.Budget > f.had+f.had/10) {
		return false
	}
	return !f.waits || j.caller == nil
}

// answer is what it means for a job.
func (f *failure) answer(now time.Time) Answered {
	a := Answered{Result: f.result, From: f.account, Ago: now.Sub(f.at)}
	if f.result == AtLimit {
		a.Retry = f.left(now)
	}
	return a
}

// failureFor returns the failure of its host that is the answer of a job.
func (s *State) failureFor(j *job) (a Answered, known bool) {
	f := j.host.failed
	if f == nil || f.left(s.now) <= 0 || !f.answers(j) {
		return a, false
	}
	return f.answer(s.now), true
}

// fail notes that a host is not to be asked for a while, unless it is known not
// to be for longer, and answers those that wait for it.
func (s *State) fail(h *host, f *failure) {
	f.at = s.now
	if h.failed == nil || h.failed.left(s.now) < f.lasts {
		h.failed = f
	}
	for _, j := range h.queue.all() {
		if f.answers(j) {
			s.answer(j, f.answer(s.now))
		}
	}
}

// giveUp takes jobs back whose callers have gone.
func (s *State) giveUp(jobs []JobID) {
	for _, id := range jobs {
		if j := s.jobs[id]; j != nil {
			s.takeBack(j, GivenUp)
		}
	}
}

// ring answers a job whose caller waits no longer. If a session may end at the
// same moment that tells more, it has a moment to do so. (Rule 1.2)
func (j *job) ring(s *State) {
	if !j.lasted && (j.place == asked && j.late(s.now) || j.place == waiting && j.host.opens()) {
		j.lasted = true
		s.set(&j.timer, s.now.Add(lastWords), j)
		return
	}
	s.answer(j, j.lastWord())
}

// lastWord is the answer of a job whose time is over. The host is not to blame
// if it lets others in, and had less time for the job than it is given: others
// are asked about in the same transaction, or most of the time went by while
// the job waited. (Rule 1.2)
func (j *job) lastWord() Answered {
	h := j.host
	switch {
	case j.place == held:
		return Answered{Result: Unproven}
	case j.place == asked && h.tally.open() > 0 && (j.session.company() || j.waited > j.original/2):
		return Answered{Result: OutOfTurn}
	case j.place == asked:
		return Answered{Result: Unfinished}
	case h.opens():
		return Answered{Result: TooLate}
	}
	return Answered{Result: Busy, Retry: LeastWait}
}

// opens reports whether a host has let nobody in yet, and is about to: what is
// waited for is its greeting.
func (h *host) opens() bool { return h.tally.open() == 0 && h.tally.in(opening) > 0 }

// callerEnds answers the jobs of a list that wait. (Rule 1.5)
func (s *State) callerEnds(id CallerID) {
	c := s.caller(id)
	c.ends = true
	s.answerWaiting(LeftOut, func(j *job) bool { return j.caller == c })
}

// shutDown answers what waits, and ends the sessions that are idle. (Rule 1.6)
func (s *State) shutDown() {
	s.shut = true
	s.answerWaiting(ShutDown, func(*job) bool { return true })
	for len(s.idle) > 0 {
		s.end(s.idle[0], Quit)
	}
}

// answerWaiting answers those of the jobs that wait, for a session or for a
// proof, in their order.
func (s *State) answerWaiting(with Result, which func(*job) bool) {
	var all []*job
	for _, j := range s.jobs {
		if (j.place == waiting || j.place == held) && which(j) {
			all = append(all, j)
		}
	}
	slices.SortFunc(all, func(a, b *job) int { return int(a.ID - b.ID) })
	for _, j := range all {
		s.takeBack(j, with)
	}
}

// takeBack answers a job that is not to be asked again. Of a refusal that is
// held the answer is known.
func (s *State) takeBack(j *job, with Result) {
	if j.place == held {
		with = Unproven
	}
	s.answer(j, Answered{Result: with})
}

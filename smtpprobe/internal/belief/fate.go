package belief

// Fate is what becomes of a target after a transaction.
type Fate int

// Fates of targets.
const (
	Final       Fate = iota // what the host said, or did, is the answer
	AwaitsProof             // refused, and nobody was accepted behind it yet
	Unproven                // final: refused, and the host gave no proof that it still accepts anybody
	Dropped                 // final, without the reply, which is not believed: there is no time to ask again
	Again                   // in a smaller transaction
	AgainAlone              // one command at a time, in a session of its own
)

// fates returns what becomes of the targets. Of those with the same doubtful
// reply one is asked about alone: its answer shows what that reply means for
// the others.
func (c *Case) fates(trouble Trouble) []Fate {
	fates := make([]Fate, c.Outcome.Targets)
	alone := map[string]bool{}
	for i := range fates {
		fates[i] = c.fate(i, trouble)
		if fates[i] == AgainAlone {
			sort := sortOf(&c.Outcome.Named[i])
			if c.rewordedAt(i) {
				sort = WordingOf(&c.Outcome.Named[i]).String()
			}
			if alone[sort] {
				fates[i] = Again
			}
			alone[sort] = true
		}
	}
	return fates
}

func (c *Case) fate(i int, trouble Trouble) Fate {
	switch {
	case trouble == NotAsked && !c.Outcome.Alone && !c.Host.Shown[LacksSMTPUTF8]:
		return AgainAlone
	case trouble == CutOff:
		return c.NoTimeFor(i)
	case c.Outcome.Alone:
		return c.last(i)
	case trouble == None:
		return c.believe(i)
	case trouble == NotAsked, trouble == FailedTrial, c.owns(i, trouble):
		return Final
	}
	return Again
}

// owns reports whether the trouble is the answer about target i: the session
// ended before anybody was named, the host fell silent at the target, or no
// other target was in the session and it ended there, or with what is no reply.
func (c *Case) owns(i int, trouble Trouble) bool {
	o := c.Outcome
	switch {
	case o.Fresh && !o.MAIL.Accepted():
		return trouble != OutOfStep
	case o.Stopped == i && trouble == FellSilent:
		return o.Fresh || i > 0
	}
	return !o.Company() && (o.Stopped == i || o.Stopped > i && trouble == OutOfStep)
}

// believe tells what a reply in a transaction that is in step proves.
func (c *Case) believe(i int) Fate {
	r := &c.Outcome.Named[i]
	switch {
	case c.contradicted(i) && !c.Host.Shown[Confirmed]:
		return AgainAlone
	case c.Outcome.Company() && (!c.believes(r) || r.Accepted() && c.controlDoubtful(i)):
		return AgainAlone
	case !r.Dead() || c.proven(i):
		return Final
	case c.rewordedAt(i):
		return AgainAlone
	case c.hostile(), c.mayBeHostile() && (c.Host.Accepts || c.anyAccepted()), c.proofAccepted() && c.behindRefusal(i):
		return Again
	}
	return AwaitsProof
}

// last is the fate of a target that is not asked about again. Without a proof
// that is known to be one, another session may bring it.
func (c *Case) last(i int) Fate {
	switch {
	case !c.Outcome.Named[i].Dead() || c.proven(i):
		return Final
	case c.ProofKnown:
		return Unproven
	}
	return AwaitsProof
}

// NoTimeFor returns the fate of target i if it is to be asked about again and
// there is no time: a reply that is not believed is dropped, and a refusal
// stays without the proof that it lacks.
func (c *Case) NoTimeFor(i int) Fate {
	r := &c.Outcome.Named[i]
	switch {
	case c.trouble() != None, c.contradicted(i), r.Accepted():
		return Dropped
	case r.Dead():
		return Unproven
	}
	return Final
}

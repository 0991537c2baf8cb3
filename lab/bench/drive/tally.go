package drive

import "github.com/rcpt/rcpt/lab/bench/world"

// Tally holds verdicts against the truth.
type Tally struct {
	Answered           int
	Right              int
	Unsettled          int // unknown, where the truth could be known
	FalseUndeliverable int // called dead without proof: the worst that a verifier can do
	Wrong              int // anything else
	Failed             int // the tool said that it could not do it; counted above as well
}

func (t *Tally) add(a Answer, truth world.Truth) {
	t.Answered++
	if a.Failed {
		t.Failed++
	}
	switch {
	case a.Verdict == right(truth):
		t.Right++
	case a.Verdict == Unknown:
		t.Unsettled++
	case a.Verdict == Undeliverable:
		t.FalseUndeliverable++
	default:
		t.Wrong++
	}
}

func right(truth world.Truth) Verdict {
	switch truth {
	case world.Exists:
		return Deliverable
	case world.NotExists:
		return Undeliverable
	case world.AcceptAll:
		return AcceptAll
	}
	return Unknown
}

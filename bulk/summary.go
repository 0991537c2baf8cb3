package bulk

import (
	"time"

	"github.com/rcpt/rcpt/engine"
)

// Summary is the outcome of a run.
type Summary struct {
	Read       int64 // items
	Done       int64 // items with their final result
	Written    int64 // items that the sink took
	Failed     int64 // of Done: items whose verification could not be carried out (Success is false)
	Verdicts   map[engine.Verdict]int64
	Reasons    map[engine.Reason]int64 // without those of no single address
	Actions    map[Action]int64        // that [ActionFor] gives for the results as they were trimmed
	Recalled   int64                   // items whose result was in [Options.Journal] when the run began
	Duplicates int64                   // items whose result was another item's
	Retries    int64                   // times that an address was asked about again after a temporary answer
	// Worst are the domains with the most addresses that are unknown or
	// undeliverable, the worst first: as many as [Options.WorstDomains] says.
	// Where the list has very many domains, counts may be too low.
	Worst   []WorstDomain
	Elapsed time.Duration
	// Drained is set if [Options.Drain] ended the run, perhaps before the end
	// of the list.
	Drained bool
}

// tally counts what a run does.
type tally struct {
	read, done, failed, recalled, duplicates, retries int64

	verdicts map[engine.Verdict]int64
	actions  map[Action]int64
	reasons  map[engine.Reason]int64
	worst    worst
}

func newTally(worstDomains int) tally {
	return tally{
		verdicts: make(map[engine.Verdict]int64), reasons: make(map[engine.Reason]int64),
		actions: make(map[Action]int64), worst: newWorst(worstDomains),
	}
}

func (t *tally) add(a *answer) {
	t.done++
	if !a.result.Success {
		t.failed++
	}
	t.verdicts[a.result.Verdict]++
	t.actions[ActionFor(a.result)]++
	if a.reason == "" || a.result.Verdict == engine.VerdictSeveral || a.result.Verdict == engine.VerdictEmpty {
		return
	}
	t.reasons[a.reason]++
	t.worst.add(a.result, a.reason)
}

func (t *tally) summary(elapsed time.Duration, written int64, drained bool) Summary {
	return Summary{
		Read: t.read, Done: t.done, Written: written, Failed: t.failed,
		Verdicts: t.verdicts, Reasons: t.reasons, Actions: t.actions,
		Recalled: t.recalled, Duplicates: t.duplicates, Retries: t.retries,
		Worst: t.worst.domains(), Elapsed: elapsed, Drained: drained,
	}
}

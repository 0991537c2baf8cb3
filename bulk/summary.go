package bulk

import (
	"time"

	"github.com/rcpt/rcpt"
)

// Summary is the outcome of a run.
type Summary struct {
	Read       int64 // items
	Done       int64 // items with their final result
	Written    int64 // items that the sink took
	Failed     int64 // of Done: items whose verification could not be carried out ([rcpt.Reason.Failed])
	Verdicts   map[rcpt.Verdict]int64
	Reasons    map[rcpt.Reason]int64  // without those of no single address
	Groups     map[Group]Count        // that [GroupFor] gives for the results as they were trimmed
	Addresses  map[rcpt.Verdict]int64 // distinct addresses; of more than a million perhaps some too few
	Recalled   int64                  // items whose result was in [Options.Journal] when the run began
	Duplicates int64                  // items whose result was another item's
	Retries    int64                  // times that an address was asked about again after a temporary answer
	// Worst are the domains with the most addresses that are unknown or
	// undeliverable, the worst first: as many as [Options.WorstDomains] says.
	// Where the list has very many domains, counts may be too low.
	Worst   []WorstDomain
	Elapsed time.Duration
	// Drained is set if [Options.Drain] ended the run, perhaps before the end
	// of the list.
	Drained bool
}

// Count is how many items there are of a kind, and how many distinct addresses
// they hold. An item that was not asked about, as it is not one address, holds
// none.
type Count struct{ Rows, Addresses int64 }

// AllAddresses returns how many distinct addresses have a result.
func (s Summary) AllAddresses() (n int64) {
	for _, count := range s.Addresses {
		n += count
	}
	return n
}

// tally counts what a run does.
type tally struct {
	read, done, failed, recalled, duplicates, retries int64

	verdicts  map[rcpt.Verdict]int64
	addresses map[rcpt.Verdict]int64
	groups    map[Group]Count
	reasons   map[rcpt.Reason]int64
	seen      distinct
	worst     worst
}

func newTally(worstDomains int) tally {
	return tally{
		verdicts: make(map[rcpt.Verdict]int64), reasons: make(map[rcpt.Reason]int64),
		addresses: make(map[rcpt.Verdict]int64), groups: make(map[Group]Count), worst: newWorst(worstDomains),
	}
}

func (t *tally) add(a *answer) {
	t.done++
	if a.result.Reason.Failed() {
		t.failed++
	}
	t.verdicts[a.result.Verdict]++
	t.count(a.result)
	t.reasons[a.result.Reason]++
	if holdsAddress(a.result) {
		t.worst.add(a.result)
	}
}

func (t *tally) count(r rcpt.Result) {
	group := GroupFor(r)
	n := t.groups[group]
	n.Rows++
	if holdsAddress(r) && t.seen.add(r) {
		n.Addresses++
		t.addresses[r.Verdict]++
	}
	t.groups[group] = n
}

func (t *tally) summary(elapsed time.Duration, written int64, drained bool) Summary {
	return Summary{
		Read: t.read, Done: t.done, Written: written, Failed: t.failed,
		Verdicts: t.verdicts, Reasons: t.reasons, Groups: t.groups, Addresses: t.addresses,
		Recalled: t.recalled, Duplicates: t.duplicates, Retries: t.retries,
		Worst: t.worst.domains(), Elapsed: elapsed, Drained: drained,
	}
}

package bulk

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/engine"
)

const (
	// worstDomains is how many a summary names.
	worstDomains = 10
	// countedDomains is how many are counted at a time to find them. When there
	// are more, the rarer half is forgotten.
	countedDomains = 10_000
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
	// Worst are the domains with the most results that are unknown or
	// undeliverable, the worst first. In lists with more than 10,000 such
	// domains a count may be too low.
	Worst   []DomainCount
	Elapsed time.Duration
	// Drained is set if [Options.Drain] ended the run, perhaps before the end
	// of the list.
	Drained bool
}

// DomainCount is how many addresses of a domain are unknown or undeliverable,
// and why, the most frequent reason first.
type DomainCount struct {
	Domain  string
	Count   int64
	Reasons []engine.Reason
}

// tally counts what a run does.
type tally struct {
	read, done, failed, recalled, duplicates, retries int64

	verdicts map[engine.Verdict]int64
	actions  map[Action]int64
	reasons  map[engine.Reason]int64
	bad      map[domainReason]int64
}

type domainReason struct {
	domain string
	reason engine.Reason
}

func newTally() tally {
	return tally{
		verdicts: make(map[engine.Verdict]int64), reasons: make(map[engine.Reason]int64),
		actions: make(map[Action]int64), bad: make(map[domainReason]int64),
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
	bad := a.result.Verdict == engine.VerdictUnknown || a.result.Verdict == engine.VerdictUndeliverable
	if a.result.Domain == "" || !bad {
		return
	}
	of := domainReason{a.result.Domain, a.reason}
	if t.bad[of] == 0 {
		of.domain = strings.Clone(of.domain) // it may be a part of something long
		t.forgetRare()
	}
	t.bad[of]++
}

func (t *tally) forgetRare() {
	if len(t.bad) < countedDomains {
		return
	}
	ranking := t.ranking()
	for _, of := range ranking[len(ranking)/2:] {
		delete(t.bad, of)
	}
}

// ranking is what was counted, the most frequent first.
func (t *tally) ranking() []domainReason {
	return slices.SortedFunc(maps.Keys(t.bad), func(a, b domainReason) int {
		return cmp.Or(cmp.Compare(t.bad[b], t.bad[a]), strings.Compare(a.domain, b.domain),
			strings.Compare(string(a.reason), string(b.reason)))
	})
}

// worst adds up what was counted of each domain.
func (t *tally) worst() []DomainCount {
	var domains []DomainCount
	place := make(map[string]int)
	for _, of := range t.ranking() {
		at, found := place[of.domain]
		if !found {
			at = len(domains)
			place[of.domain] = at
			domains = append(domains, DomainCount{Domain: of.domain})
		}
		domains[at].Count += t.bad[of]
		domains[at].Reasons = append(domains[at].Reasons, of.reason)
	}
	slices.SortStableFunc(domains, func(a, b DomainCount) int { return cmp.Compare(b.Count, a.Count) })
	return slices.Clone(domains[:min(worstDomains, len(domains))])
}

func (t *tally) summary(elapsed time.Duration, written int64, drained bool) Summary {
	return Summary{
		Read: t.read, Done: t.done, Written: written, Failed: t.failed,
		Verdicts: t.verdicts, Reasons: t.reasons, Actions: t.actions,
		Recalled: t.recalled, Duplicates: t.duplicates, Retries: t.retries,
		Worst: t.worst(), Elapsed: elapsed, Drained: drained,
	}
}

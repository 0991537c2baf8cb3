package bulk

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/engine"
)

const (
	// worstDomains is how many a summary names.
	worstDomains = 10
	// countedDomains is how many are counted at a time to find them. When there are more, the rarer half is forgotten.
	countedDomains = 10_000
)

// Summary is what came of a run.
type Summary struct {
	Read       int64 // items
	Done       int64 // items with their final result
	Written    int64 // items that the sink took
	Verdicts   map[engine.Verdict]int64
	Reasons    map[engine.Reason]int64 // without results that have no details, and those of no single address
	Recalled   int64                   // items whose result was in [Options.Journal] when the run began
	Duplicates int64                   // items whose result was another item's
	Retries    int64                   // times that an address was asked about again after a temporary answer
	// Worst are the domains with the most results that are unknown or undeliverable for one reason, the worst first. In lists with more than
	// 10,000 such domains a count may be too low.
	Worst   []DomainCount
	Elapsed time.Duration
	// Drained says that [Options.Drain] ended the run, perhaps before the end of the list.
	Drained bool
}

// DomainCount is how many addresses of a domain have a reason.
type DomainCount struct {
	Domain string
	Reason engine.Reason
	Count  int64
}

// tally counts what a run does.
type tally struct {
	read, done, recalled, duplicates, retries int64
	verdicts                                  map[engine.Verdict]int64
	reasons                                   map[engine.Reason]int64
	bad                                       map[domainReason]int64
}

type domainReason struct {
	domain string
	reason engine.Reason
}

func newTally() tally {
	return tally{
		verdicts: make(map[engine.Verdict]int64), reasons: make(map[engine.Reason]int64), bad: make(map[domainReason]int64),
	}
}

func (t *tally) add(a *answer) {
	t.done++
	t.verdicts[a.result.Verdict]++
	if a.reason == "" || a.result.Verdict == engine.Several || a.result.Verdict == engine.Empty {
		return
	}
	t.reasons[a.reason]++
	if a.result.Domain == "" || a.result.Verdict != engine.Unknown && a.result.Verdict != engine.Undeliverable {
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
	counts := t.ranking()
	clear(t.bad)
	for _, c := range counts[:len(counts)/2] {
		t.bad[domainReason{c.Domain, c.Reason}] = c.Count
	}
}

func (t *tally) ranking() []DomainCount {
	counts := make([]DomainCount, 0, len(t.bad))
	for of, count := range t.bad {
		counts = append(counts, DomainCount{of.domain, of.reason, count})
	}
	slices.SortFunc(counts, func(a, b DomainCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Domain, b.Domain), strings.Compare(string(a.Reason), string(b.Reason)))
	})
	return counts
}

func (t *tally) summary(elapsed time.Duration, written int64, drained bool) Summary {
	worst := t.ranking()
	return Summary{
		Read: t.read, Done: t.done, Written: written, Verdicts: t.verdicts, Reasons: t.reasons, Recalled: t.recalled, Duplicates: t.duplicates, Retries: t.retries,
		Worst: slices.Clone(worst[:min(worstDomains, len(worst))]), Elapsed: elapsed, Drained: drained,
	}
}

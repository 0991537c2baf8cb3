package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
)

// writeSummary tells what came of a list.
func writeSummary(w io.Writer, s bulk.Summary) {
	fmt.Fprintf(w, "%d of %d rows verified in %s (%.1f/s); duplicates: %d, asked again: %d\n",
		s.Done, s.Read, s.Elapsed.Round(time.Second/10), perSecond(s.Done, s.Elapsed), s.Duplicates, s.Retries)
	asked := s.Done - s.Verdicts[engine.Several] - s.Verdicts[engine.Empty]
	if s.Done == 0 {
		return
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer table.Flush()
	fmt.Fprintln(table, "Results")
	for _, verdict := range verdicts() {
		writeShare(table, string(verdict), s.Verdicts[verdict], asked)
	}
	for _, verdict := range []engine.Verdict{engine.Several, engine.Empty} {
		if n := s.Verdicts[verdict]; n > 0 {
			fmt.Fprintf(table, "  %s\t%9d\n", verdict, n)
		}
	}
	fmt.Fprintln(table, "Reasons")
	for _, reason := range byCount(s.Reasons) {
		writeShare(table, string(reason), s.Reasons[reason], asked)
	}
	if len(s.Worst) > 0 {
		fmt.Fprintln(table, "Domains with most undeliverable or unknown addresses")
	}
	for _, worst := range s.Worst {
		fmt.Fprintf(table, "  %s\t%9d\t%s\n", printable(worst.Domain), worst.Count, worst.Reason)
	}
}

func perSecond(count int64, elapsed time.Duration) float64 {
	if elapsed <= 0 {
		return 0
	}
	return float64(count) / elapsed.Seconds()
}

func writeShare(w io.Writer, name string, count, total int64) {
	fmt.Fprintf(w, "  %s\t%9d\t%5.1f %%\n", name, count, 100*float64(count)/float64(max(total, 1)))
}

// byCount returns the keys, those with the highest counts first.
func byCount[K cmp.Ordered](counts map[K]int64) []K {
	return slices.SortedFunc(maps.Keys(counts), func(a, b K) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// tellForeign says that a list is not UTF-8.
func tellForeign(w io.Writer, name string, line int) {
	if line > 0 {
		fmt.Fprintf(w, "rcpt: %s: not UTF-8 from line %d on; rows that are not were read as Windows-1252\n", printable(name), line)
	}
}

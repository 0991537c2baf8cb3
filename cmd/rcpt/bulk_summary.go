package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
)

// bulkReport is what a summary tells.
type bulkReport struct {
	bulk.Summary
	total  listTotal
	unit   string        // what is counted: rows, or addresses where a row has several
	output writtenFile   // without a name it is standard output
	parts  []writtenFile // files of --split, in the order of [bulk.Actions]
	again  string        // the command that asks again about what is unknown; empty where that comes too early
}

// writtenFile is a file of the output.
type writtenFile struct {
	name string
	rows int64
}

// holding is the file, with its number of rows unless that was said.
func (f writtenFile) holding(said int64) string {
	switch {
	case f.name == "":
		return ""
	case f.rows == said:
		return " -> " + printable(f.name)
	}
	return fmt.Sprintf(" -> %s (%s)", printable(f.name), counted(f.rows, rowUnit))
}

// The units of what is counted.
const (
	rowUnit     = "row"
	addressUnit = "address"
)

// counted is "1 row" or "7,620 addresses".
func counted(count int64, unit string) string {
	text := humanize.Comma(count) + " " + unit
	switch {
	case count == 1:
		return text
	case unit == addressUnit:
		return text + "es"
	}
	return text + "s"
}

// writeSummary tells what came of a list, and what to do next.
func writeSummary(w io.Writer, s bulkReport) {
	fmt.Fprintf(w, "%s verified in %s (%s/s)%s\n", s.share(), s.Elapsed.Round(time.Second/10), perSecond(s.Done-s.Recalled, s.Elapsed),
		s.output.holding(s.saidRows(s.Done)))
	for _, fact := range []struct {
		count int64
		text  string
	}{
		{s.Recalled, "were settled by the run before"},
		{s.Duplicates, "repeat the address of a row before and share its result"},
	} {
		if fact.count > 0 {
			fmt.Fprintf(w, "  %s of them %s\n", humanize.Comma(fact.count), fact.text)
		}
	}
	if s.Retries > 0 {
		fmt.Fprintf(w, "  asked again after a temporary answer: %s times\n", humanize.Comma(s.Retries))
	}
	if s.Done > 0 {
		writeCounts(w, s)
	}
	if s.again != "" && s.Actions[bulk.Retry] > 0 {
		fmt.Fprintf(w, "To ask again about what is unknown, in some hours: %s\n", s.again)
	}
}

// writeCounts tells how many have which result, and why.
func writeCounts(w io.Writer, s bulkReport) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer table.Flush()
	fmt.Fprintln(table, "Results")
	asked := s.Done - s.Verdicts[engine.Several] - s.Verdicts[engine.Empty]
	for _, verdict := range verdicts() {
		writeShare(table, string(verdict), s.Verdicts[verdict], asked, "")
	}
	for _, verdict := range []engine.Verdict{engine.Several, engine.Empty} {
		writeShare(table, string(verdict), s.Verdicts[verdict], 0, "")
	}
	fmt.Fprintln(table, "What to do (rcpt_action)")
	for i, action := range bulk.Actions() {
		writeShare(table, string(action), s.Actions[action], s.Done, s.advice(i, action))
	}
	if len(s.Reasons) > 0 {
		fmt.Fprintln(table, "Reasons")
	}
	for _, reason := range byCount(s.Reasons) {
		writeShare(table, cmp.Or(string(reason), "-"), s.Reasons[reason], asked, "")
	}
	if len(s.Worst) > 0 {
		fmt.Fprintln(table, "Domains with most undeliverable or unknown addresses")
	}
	for _, worst := range s.Worst {
		fmt.Fprintf(table, "  %s\t%9s\t\t%s\n", printable(worst.Domain), humanize.Comma(worst.Count), joined(worst.Reasons))
	}
}

// share is "90,488 of about 200,000 rows".
func (s bulkReport) share() string {
	done := humanize.Comma(s.Done)
	switch {
	case s.total.exact:
		return done + " of " + counted(s.total.rows, s.unit)
	case s.total.rows == 0:
		return counted(s.Done, s.unit)
	}
	return done + " of about " + counted(s.total.rows, s.unit)
}

// saidRows is how many rows a number tells of; where it counts addresses, none.
func (s bulkReport) saidRows(count int64) int64 {
	if s.unit == addressUnit {
		return -1
	}
	return count
}

// advice is what to do with the rows of an action.
func (s bulkReport) advice(i int, action bulk.Action) string {
	text := map[bulk.Action]string{
		bulk.Send:   "may be mailed",
		bulk.Review: "a risk: you decide, rcpt_reason says why",
		bulk.Remove: "do not mail them",
		bulk.Retry:  "verify them again before you mail them",
	}[action]
	if len(s.parts) > 0 {
		text += s.parts[i].holding(s.saidRows(s.Actions[action]))
	}
	return text
}

func joined(reasons []engine.Reason) string {
	var words []string
	for _, reason := range reasons {
		words = append(words, string(reason))
	}
	return strings.Join(words, ", ")
}

func perSecond(count int64, elapsed time.Duration) string {
	if elapsed <= 0 {
		return "0"
	}
	rate := float64(count) / elapsed.Seconds()
	if rate < 10 {
		return fmt.Sprintf("%.1f", rate)
	}
	return humanize.Comma(int64(rate))
}

// writeShare writes a row of the table, unless there is nothing to tell.
// Without a total there is no share.
func writeShare(w io.Writer, name string, count, total int64, text string) {
	if count == 0 {
		return
	}
	if text != "" {
		text = "\t" + text
	}
	share := ""
	if total > 0 {
		share = fmt.Sprintf("\t%5.1f %%", 100*float64(count)/float64(total))
	}
	fmt.Fprintf(w, "  %s\t%9s%s%s\n", name, humanize.Comma(count), share, text)
}

// byCount returns the keys, those with the highest counts first.
func byCount[K cmp.Ordered](counts map[K]int64) []K {
	return slices.SortedFunc(maps.Keys(counts), func(a, b K) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// maxMerged is how many merged rows are named.
const maxMerged = 5

// addMerged notes lines that look like several rows which a stray quote has made one.
func (n *inputNotes) addMerged(first, last int) {
	n.merged++
	if len(n.mergedRows) < maxMerged {
		n.mergedRows = append(n.mergedRows, fmt.Sprintf("%d–%d", first, last))
	}
}

// tellColumns says which columns are read, where there is a choice.
func tellColumns(w io.Writer, in *listInput) {
	read, others := in.Columns()
	if len(read) == 0 {
		return
	}
	text := "Reading column " + read[0]
	if len(read) > 1 {
		text = "Reading columns " + strings.Join(read, ", ")
	}
	switch len(others) {
	case 0:
	case 1:
		text += "; 1 more column holds addresses, use --column: " + others[0]
	default:
		text += fmt.Sprintf("; %d more columns hold addresses, use --column: %s", len(others), strings.Join(others, ", "))
	}
	fmt.Fprintln(w, printable(text))
}

// tellNotes says what came up while a list was read.
func (c *bulkCommand) tellNotes(w io.Writer, n inputNotes, former *formerRows) {
	name := printable(c.inputName())
	if n.foreign > 0 {
		fmt.Fprintf(w, "rcpt: %s: not UTF-8 from line %d on; rows that are not were read as Windows-1252\n", name, n.foreign)
	}
	if n.merged > 0 {
		more := ""
		if n.merged > len(n.mergedRows) {
			more = fmt.Sprintf(" and %d more", n.merged-len(n.mergedRows))
		}
		fmt.Fprintf(w, "rcpt: %s: rows %s%s look merged by a stray quote: one address of each was verified; mend the quotes and run it again\n",
			name, strings.Join(n.mergedRows, ", "), more)
	}
	if c.Dedupe {
		fmt.Fprintf(w, "Repeated addresses: %d rows were left out.\n", n.repeated)
	}
	if former != nil {
		fmt.Fprintf(w, "Settled before: %d results were taken from %s.\n", former.taken, printable(c.RetryUnknown))
	}
}

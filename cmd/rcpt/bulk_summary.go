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

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/list/file"
	"github.com/rcpt/rcpt/internal/sys/tty"
)

// worstDomains is how many domains the summary names.
const worstDomains = 10

// bulkReport is the contents of a summary.
type bulkReport struct {
	bulk.Summary
	unit   unit                 // that the summary counts
	rows   map[bulk.Group]int64 // of each group
	total  file.Total
	output writtenFile   // without a name: standard output
	parts  []writtenFile // files of --split, in the order of [bulk.Groups]
	// harvested are providers at which rcpt slowed down
	harvested []harvested
	again     string // command that verifies unknown addresses again; may be empty
	drawn     int64  // rows of the list, of which a sample was verified; 0: all rows were
}

// writtenFile is a file of the output.
type writtenFile struct {
	name string
	rows int64
}

// report makes the contents of the summary. Written are the rows of each file.
func (c *bulkCommand) report(run bulkRun, summary bulk.Summary, written []int64) bulkReport {
	r := bulkReport{Summary: summary, unit: unitOf(run.input), rows: run.output.Groups(), total: run.input.Total(),
		drawn: run.input.Notes().Drawn}
	if c.toStdout() {
		return r
	}
	r.output = writtenFile{string(c.Output), written[0]}
	for i, name := range c.partNames() {
		r.parts = append(r.parts, writtenFile{name, written[i+1]})
	}
	r.again = c.retryCommand()
	return r
}

// retryCommand is the command that verifies the unknown addresses of the output
// again. It is empty if the output does not have all rows.
func (c *bulkCommand) retryCommand() string {
	if len(c.Only) > 0 {
		return ""
	}
	output := string(c.Output)
	words := []string{"rcpt", "bulk", "--retry-unknown", output, "-o", file.NameBeside(output, "again")}
	for _, column := range c.Column {
		words = append(words, "--column", column)
	}
	for i, word := range words {
		words[i] = quoted(word)
	}
	return strings.Join(words, " ")
}

// writeSummary prints the results of a list, and what to do next.
func writeSummary(w io.Writer, s bulkReport) {
	elapsed, rate := s.Elapsed.Round(time.Second/10), perSecond(s.Done-s.Recalled, s.Elapsed)
	fmt.Fprintf(w, "%s verified in %s (%s/s)%s\n", s.share(), elapsed, rate, s.destination(s.output, s.Done))
	for _, fact := range []struct {
		count int64
		text  string
	}{
		{s.Recalled, "settled by the run before"},
		{s.Duplicates, "repeats of an earlier address, which share its result"},
		{s.Retries, "retries after a temporary answer"},
	} {
		if fact.count > 0 {
			fmt.Fprintf(w, "  %s: %s\n", fact.text, humanize.Comma(fact.count))
		}
	}
	for _, h := range s.harvested {
		const format = "  %s was asked more slowly: %.0f%% of the mailboxes did not exist, " +
			"which looks like address harvesting\n"
		fmt.Fprintf(w, format, tty.Printable(h.provider), 100*h.share)
	}
	if s.Done > 0 {
		writeGroups(w, s)
		writeCounts(w, s)
	}
	if s.drawn > 0 && s.Done == s.total.Rows {
		writeEstimate(w, s)
	}
	if s.again != "" && s.Groups[bulk.GroupRetry].Rows > 0 {
		fmt.Fprintf(w, "To verify the unknown addresses again, in some hours: %s\n", s.again)
	}
}

// writeGroups prints how many rows are of each group, how many distinct
// addresses they hold, and what to do with them.
func writeGroups(w io.Writer, s bulkReport) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer table.Flush()
	rows := s.allRows()
	fmt.Fprintf(table, "Groups (rcpt_group)\t%9s\t\t%9s\n", "rows", "addresses")
	for i, group := range bulk.Groups() {
		n := s.rows[group]
		if n == 0 {
			continue
		}
		fmt.Fprintf(table, "  %s\t%9s\t%5.1f%%\t%9s\t%s\n", group, humanize.Comma(n), percent(n, rows),
			humanize.Comma(s.Groups[group].Addresses), s.advice(i, group))
	}
	if all := s.AllAddresses(); all > 0 {
		dead := s.Addresses[rcpt.VerdictUndeliverable]
		fmt.Fprintf(table, "Proven undeliverable: %s of %s (%.2f%%)\n",
			humanize.Comma(dead), addressUnit.count(all), percent(dead, all))
	}
}

// allRows is how many rows have a result.
func (s bulkReport) allRows() (n int64) {
	for _, rows := range s.rows {
		n += rows
	}
	return n
}

func percent(n, of int64) float64 { return 100 * float64(n) / float64(max(1, of)) }

// writeCounts prints how many rows have which result, and why; where rows have
// several addresses, how many of these.
func writeCounts(w io.Writer, s bulkReport) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer table.Flush()
	fmt.Fprintf(table, "Results, by %s\n", s.unit.one)
	for _, verdict := range verdicts() {
		writeShare(table, string(verdict), s.Verdicts[verdict], s.Done)
	}
	if len(s.Reasons) > 0 {
		fmt.Fprintf(table, "Reasons, by %s\n", s.unit.one)
	}
	for _, reason := range byCount(s.Reasons) {
		writeShare(table, cmp.Or(string(reason), "-"), s.Reasons[reason], s.Done)
	}
	if len(s.Worst) > 0 {
		fmt.Fprintln(table, "Domains with most undeliverable or unknown addresses")
	}
	for _, bad := range s.Worst {
		domain, count := tty.Printable(bad.Name), humanize.Comma(bad.Count)
		fmt.Fprintf(table, "  %s\t%9s\t\t%s\n", domain, count, joined(bad.Reasons))
	}
}

// share is "90,488 of about 200,000 rows".
func (s bulkReport) share() string {
	done := humanize.Comma(s.Done)
	switch {
	case s.total.Exact:
		return done + " of " + s.unit.count(s.total.Rows)
	case s.total.Rows == 0:
		return s.unit.count(s.Done)
	}
	return done + " of about " + s.unit.count(s.total.Rows)
}

// destination names a file, and the number of its rows unless it is the count
// beside it.
func (s bulkReport) destination(f writtenFile, count int64) string {
	switch {
	case f.name == "":
		return ""
	case s.unit == rowUnit && f.rows == count:
		return " -> " + tty.Printable(f.name)
	}
	return fmt.Sprintf(" -> %s (%s)", tty.Printable(f.name), rowUnit.count(f.rows))
}

// advice is what to do with the rows of a group.
func (s bulkReport) advice(i int, group bulk.Group) string {
	text := map[bulk.Group]string{
		bulk.GroupSafe:  "may be mailed",
		bulk.GroupRisky: "you decide: rcpt_reason says why",
		bulk.GroupBad:   "do not mail them",
		bulk.GroupRetry: "verify them again before you mail them",
		bulk.GroupNone:  "there is no address",
	}[group]
	if len(s.parts) == 0 {
		return text
	}
	text += " -> " + tty.Printable(s.parts[i].name)
	if written := s.parts[i].rows; written != s.rows[group] { // for --only
		text += " (" + rowUnit.count(written) + ")"
	}
	return text
}

// unit is what a run counts: rows, or addresses where rows have several.
type unit struct{ one, many string }

var (
	rowUnit     = unit{"row", "rows"}
	addressUnit = unit{"address", "addresses"}
	resultUnit  = unit{"result", "results"}
)

func unitOf(in *file.Input) unit {
	if in.AddressesPerRow() > 1 {
		return addressUnit
	}
	return rowUnit
}

// count is "1 row" or "7,620 addresses".
func (u unit) count(n int64) string {
	if n == 1 {
		return "1 " + u.one
	}
	return humanize.Comma(n) + " " + u.many
}

func joined(reasons []rcpt.Reason) string {
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

// writeShare writes a row of the table, unless its count is zero. Without a
// total it leaves the percentage out.
func writeShare(w io.Writer, name string, count, total int64) {
	if count == 0 {
		return
	}
	share := ""
	if total > 0 {
		share = fmt.Sprintf("\t%5.1f%%", percent(count, total))
	}
	fmt.Fprintf(w, "  %s\t%9s%s\n", name, humanize.Comma(count), share)
}

// byCount returns the keys, those with the highest counts first.
func byCount[K cmp.Ordered](counts map[K]int64) []K {
	return slices.SortedFunc(maps.Keys(counts), func(a, b K) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

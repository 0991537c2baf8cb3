package main

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/list/file"
)

// TestSummaryText: the whole summary of a resumed run.
func TestSummaryText(t *testing.T) {
	var out bytes.Buffer
	writeSummary(&out, bulkReport{
		Summary: bulk.Summary{
			Done: 90_488, Recalled: 40_000, Duplicates: 1204, Retries: 7620, Elapsed: 10 * time.Second,
			Verdicts: map[rcpt.Verdict]int64{rcpt.VerdictDeliverable: 79_000, rcpt.VerdictUndeliverable: 1000, rcpt.VerdictUnknown: 10_488},
			Groups: map[bulk.Group]bulk.Count{
				bulk.GroupSafe: {Rows: 79_000, Addresses: 78_100}, bulk.GroupBad: {Rows: 1000, Addresses: 900}, bulk.GroupRetry: {Rows: 10_000, Addresses: 9_900},
			},
			Addresses: map[rcpt.Verdict]int64{rcpt.VerdictDeliverable: 78_100, rcpt.VerdictUndeliverable: 900, rcpt.VerdictUnknown: 9_900},
			Reasons:   map[rcpt.Reason]int64{rcpt.ReasonRecipientAccepted: 79_000, rcpt.ReasonNullMX: 1000, rcpt.ReasonGreylisted: 7620, rcpt.ReasonRateLimited: 2380},
			Worst:     []bulk.WorstDomain{{Name: "full.example", Count: 10_000, Reasons: []rcpt.Reason{rcpt.ReasonGreylisted, rcpt.ReasonRateLimited}}},
		},
		rows: map[bulk.Group]int64{bulk.GroupSafe: 79_000, bulk.GroupBad: 1000, bulk.GroupRetry: 10_000, bulk.GroupNone: 488},
		unit: rowUnit, total: file.Total{Rows: 200_000}, output: writtenFile{"checked.csv", 90_488}, again: "rcpt bulk …", harvested: []harvested{{"google", 0.744}},
	})
	const want = `90,488 of about 200,000 rows verified in 10s (5,048/s) -> checked.csv
  settled by the run before: 40,000
  repeats of an earlier address, which share its result: 1,204
  retries after a temporary answer: 7,620
  google was asked more slowly: 74% of the mailboxes did not exist, which looks like address harvesting
Groups (rcpt_group)       rows          addresses
  safe                  79,000   87.3%     78,100  may be mailed
  bad                    1,000    1.1%        900  do not mail them
  retry                 10,000   11.1%      9,900  verify them again before you mail them
  none                     488    0.5%          0  there is no address
Proven undeliverable: 900 of 88,900 addresses (1.01%)
Results, by row
  deliverable       79,000   87.3%
  undeliverable      1,000    1.1%
  unknown           10,488   11.6%
Reasons, by row
  recipient_accepted     79,000   87.3%
  greylisted              7,620    8.4%
  rate_limited            2,380    2.6%
  null_mx                 1,000    1.1%
Domains with most undeliverable or unknown addresses
  full.example     10,000    greylisted, rate_limited
To verify the unknown addresses again, in some hours: rcpt bulk …
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestRowsLeft: the rest of a list that was not read is not called nothing.
func TestRowsLeft(t *testing.T) {
	for want, c := range map[string]struct {
		total   file.Total
		settled int64
	}{
		"2 rows are left":              {file.Total{Rows: 3, Exact: true}, 1},
		"1 row is left":                {file.Total{Rows: 3, Exact: true}, 2},
		"about 2,000 rows are left":    {file.Total{Rows: 2001}, 1},
		"the rest of the list is left": {file.Total{}, 0},
	} {
		if got := rowsLeft(rowUnit, c.total, c.settled); got != want {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
	if got := rowsLeft(rowUnit, file.Total{Rows: 3}, 4); got != "the rest of the list is left" {
		t.Errorf("more than was estimated: %q", got)
	}
}

// TestLimits: a share is of the distinct addresses, a number is of these; what
// is no address is counted by rows.
func TestLimits(t *testing.T) {
	s := bulkReport{
		Summary: bulk.Summary{
			Done:      250,
			Verdicts:  map[rcpt.Verdict]int64{rcpt.VerdictUnknown: 30},
			Addresses: map[rcpt.Verdict]int64{rcpt.VerdictDeliverable: 190, rcpt.VerdictUndeliverable: 4, rcpt.VerdictUnknown: 6},
			Groups:    map[bulk.Group]bulk.Count{bulk.GroupBad: {Rows: 30, Addresses: 5}},
		},
		unit: rowUnit, rows: map[bulk.Group]int64{bulk.GroupSafe: 200, bulk.GroupBad: 30, bulk.GroupNone: 20},
	}
	for text, want := range map[string]string{
		"undeliverable=2%":    "",
		"undeliverable=1.5%":  "--fail-above: undeliverable: 4 of 200 addresses, which is 2.00%: 0.50 more than the limit of 1.5%",
		"undeliverable=0%":    "--fail-above: undeliverable: 4 of 200 addresses, which is 2.00%: 2.00 more than the limit of 0%",
		"undeliverable=4":     "",
		"undeliverable=3":     "--fail-above: undeliverable: 4 addresses, 1 more than the limit of 3",
		"bad=2%":              "--fail-above: bad: 5 of 200 addresses, which is 2.50%: 0.50 more than the limit of 2%",
		"bad=5":               "",
		"risky=0":             "",
		"none=8%":             "",
		"none=7%":             "--fail-above: none: 20 of 250 rows, which is 8.00%: 1.00 more than the limit of 7%",
		"none=19":             "--fail-above: none: 20 rows, 1 more than the limit of 19",
		"accept-all=100%":     "",
		"deliverable=94.999%": "--fail-above: deliverable: 190 of 200 addresses, which is 95.00%: 0.00 more than the limit of 94.999%",
	} {
		var l limit
		if err := l.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		err := checkLimits([]limit{l}, s)
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && got != want {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		if err != nil && exitCode(err) != exitLimit {
			t.Errorf("%s: exit code %d", text, exitCode(err))
		}
	}
	for _, text := range []string{"", "bad", "bad=", "bad=%", "bad=-1", "bad=1.5", "bad=101%", "bad=NaN%", "good=1%", "bad=1e"} {
		if err := new(limit).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is a limit", text)
		}
	}
}

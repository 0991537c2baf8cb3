package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/list/file"
)

// TestSummaryText: the whole summary of a resumed run.
func TestSummaryText(t *testing.T) {
	var out bytes.Buffer
	writeSummary(&out, bulkReport{
		Summary: bulk.Summary{
			Done: 90_488, Recalled: 40_000, Duplicates: 1204, Retries: 7620, Elapsed: 10 * time.Second,
			Verdicts: map[engine.Verdict]int64{engine.VerdictDeliverable: 80_000, engine.VerdictUnknown: 10_000, engine.VerdictEmpty: 488},
			Actions:  map[bulk.Action]int64{bulk.ActionSend: 80_000, bulk.ActionRemove: 488, bulk.ActionRetry: 10_000},
			Reasons:  map[engine.Reason]int64{engine.ReasonRecipientAccepted: 80_000, engine.ReasonGreylisted: 7620, engine.ReasonRateLimited: 2380},
			Worst:    []bulk.WorstDomain{{Name: "full.example", Count: 10_000, Reasons: []engine.Reason{engine.ReasonGreylisted, engine.ReasonRateLimited}}},
		},
		unit: rowUnit, total: file.Total{Rows: 200_000}, output: writtenFile{"checked.csv", 90_488}, again: "rcpt bulk …", harvested: []harvested{{"google", 0.744}},
	})
	const want = `90,488 of about 200,000 rows verified in 10s (5,048/s) -> checked.csv
  settled by the run before: 40,000
  repeats of an earlier address, which share its result: 1,204
  retries after a temporary answer: 7,620
  google was asked more slowly: 74 % of the mailboxes did not exist, which looks like address harvesting
Results
  deliverable     80,000   88.9 %
  unknown         10,000   11.1 %
  empty              488
What to do (rcpt_action)
  send       80,000   88.4 %  may be mailed
  remove        488    0.5 %  do not mail them
  retry      10,000   11.1 %  verify them again before you mail them
Reasons
  recipient_accepted     80,000   88.9 %
  greylisted              7,620    8.5 %
  rate_limited            2,380    2.6 %
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

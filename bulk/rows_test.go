package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
)

// rowsOf is a list of rows of several addresses. As in a file that is read,
// only the last item of a row has the row.
func rowsOf(rows ...string) *list {
	l := &list{}
	for i, row := range rows {
		emails := strings.Fields(row)
		for _, email := range emails {
			l.items = append(l.items, bulk.Item{Email: email})
		}
		l.items[len(l.items)-1].Row = fmt.Appendf(nil, "row %d", i+1)
	}
	return l
}

// joined is a sink that puts the results of a row together.
type joined struct {
	rows    []string
	results []string
}

func (j *joined) Write(_ context.Context, item bulk.Item, r rcpt.Result) error {
	j.results = append(j.results, r.Email)
	if item.Row != nil {
		j.rows = append(j.rows, fmt.Sprintf("%s: %s", item.Row, strings.Join(j.results, " ")))
		j.results = nil
	}
	return nil
}

func (*joined) Flush(context.Context) error { return nil }

// TestDrainLeavesRowsWhole: a row of several addresses is in the output of a
// drained run with the results of all, or not at all, whichever of them is not
// done and whatever stands around it. The next run has every row.
func TestDrainLeavesRowsWhole(t *testing.T) {
	rows := []string{
		"a@fine1.example b@fine2.example",
		"c@fine3.example slow@s1.example", // the last is not done
		"d@fine4.example e@fine5.example",
		"slow@s2.example f@fine6.example", // the first is not done
		"g@fine7.example slow@s3.example", // a half of each of two rows
		"slow@s4.example h@fine8.example",
		"slow@s5.example slow@s6.example",
		"i@fine9.example a@fine1.example", // a duplicate
		"j@fine10.example slow@s1.example",
	}
	var all []string
	for i, row := range rows {
		all = append(all, fmt.Sprintf("row %d: %s", i+1, row))
	}
	for _, limits := range []bulk.Limits{{}, {HeldBytes: 1}} {
		for drainedAt, want := range map[time.Duration][]string{
			500 * time.Millisecond:  {all[0], all[2], all[7]}, // all are being asked
			1500 * time.Millisecond: {all[0], all[2], all[7]}, // the first are written
		} {
			name := filepath.Join(t.TempDir(), "journal")
			synctest.Test(t, func(t *testing.T) {
				run := func(open func(string, map[string]string) (*bulk.Journal, error), o bulk.Options) []string {
					var err error
					o.Journal, err = open(name, nil)
					if err != nil {
						t.Fatal(err)
					}
					source, sink := rowsOf(rows...), &joined{}
					o.PerRow, o.SpillDir = 2, filepath.Dir(name)
					_, err = bulk.Run(t.Context(), source, sink, o.Within(limits))
					if err := errors.Join(err, o.Journal.Close()); err != nil {
						t.Error(err)
					}
					return sink.rows
				}
				answer := func(address string, _ int) (rcpt.Result, error) { return deliverable(address), nil }
				drain := make(chan struct{})
				time.AfterFunc(drainedAt, func() { close(drain) })
				drained := run(bulk.CreateJournal, bulk.Options{Verifier: bulk.OneByOne(slowOnes{&answers{reply: answer}}.Verify), Drain: drain})
				if diff := cmp.Diff(want, drained); diff != "" {
					t.Errorf("drained at %v: %s", drainedAt, diff)
				}
				resumed := run(bulk.OpenJournal, bulk.Options{Verifier: bulk.OneByOne(slowOnes{&answers{reply: answer}}.Verify)})
				if diff := cmp.Diff(all, resumed); diff != "" {
					t.Errorf("resumed: %s", diff)
				}
			})
		}
	}
}

// TestDrainWithinRow: a row that was not read to its end is not written.
func TestDrainWithinRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink, drain := &joined{}, make(chan struct{})
		time.AfterFunc(2*time.Second+time.Second/2, func() { close(drain) })
		answer := func(address string, _ int) (rcpt.Result, error) { return deliverable(address), nil }
		summary, err := bulk.Run(t.Context(), rowsOf("a@one.example b@two.example", "c@one.example d@two.example"), sink,
			bulk.Options{Verifier: bulk.OneByOne((&answers{reply: answer}).Verify), PerRow: 2, Drain: drain}.Within(bulk.Limits{Window: 1}))
		if len(sink.rows) != 1 || len(sink.results) > 0 || err != nil || summary.Done != 3 {
			t.Errorf("%q and %q: %+v (%v)", sink.rows, sink.results, summary, err)
		}
	})
}

// TestShortRow: a source that ends within a row keeps nothing back.
func TestShortRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &joined{}
		answer := func(address string, _ int) (rcpt.Result, error) { return deliverable(address), nil }
		summary, err := bulk.Run(t.Context(), rowsOf("a@one.example b@two.example", "c@three.example"), sink,
			bulk.Options{Verifier: bulk.OneByOne((&answers{reply: answer}).Verify), PerRow: 2})
		want := []string{"row 1: a@one.example b@two.example", "row 2: c@three.example"}
		if diff := cmp.Diff(want, sink.rows); diff != "" || err != nil || summary.Done != 3 {
			t.Errorf("%+v (%v): %s", summary, err, diff)
		}
	})
}

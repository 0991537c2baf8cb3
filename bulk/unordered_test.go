package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
)

// TestUnordered checks that a result is written when it is final, whatever the
// results before it wait for: a retry or a slow host.
func TestUnordered(t *testing.T) {
	emails := []string{"grey@one.example", "slow@two.example", "fast@three.example", "grey@one.example", "fast@three.example"}
	for unordered, want := range map[bool][]string{
		false: {"row 1", "row 2", "row 3", "row 4", "row 5"},
		true:  {"row 3", "row 5", "row 2", "row 1", "row 4"},
	} {
		synctest.Test(t, func(t *testing.T) {
			verifier := &answers{reply: func(address string, n int) (rcpt.Result, error) {
				switch {
				case address == "slow@two.example":
					time.Sleep(10 * time.Second)
				case address == "grey@one.example" && n == 1:
					return greylisted(address, time.Minute), nil
				}
				return deliverable(address), nil
			}}
			var rows []string
			started := time.Now()
			sink := bulk.SinkFunc(func(_ context.Context, item bulk.Item, r rcpt.Result) error {
				if item.Email == "fast@three.example" && (time.Since(started) < 2*time.Second) != unordered {
					t.Errorf("unordered %t: %s after %s", unordered, item.Row, time.Since(started))
				}
				if r.Verdict != rcpt.VerdictDeliverable || r.Email != item.Email {
					t.Errorf("%s: %s %s", item.Row, r.Email, r.Verdict)
				}
				rows = append(rows, string(item.Row))
				return nil
			})
			summary, err := bulk.Run(t.Context(), listOf(emails...), sink, bulk.Options{Verifier: bulk.OneByOne(verifier.Verify), RetryWindow: time.Hour, Unordered: unordered})
			if err != nil || summary.Written != 5 || summary.Duplicates != 2 {
				t.Errorf("unordered %t: %v, %+v", unordered, err, summary)
			}
			if diff := cmp.Diff(want, rows); diff != "" {
				t.Errorf("unordered %t: %s", unordered, diff)
			}
		})
	}
}

// TestUnorderedWritesEachOnce checks that nothing is lost or written twice,
// whichever limit applies.
func TestUnorderedWritesEachOnce(t *testing.T) {
	emails := append(numbered(300, "giant.example"), "not an address", "", "user1@giant.example")
	for i := range 200 {
		emails = append(emails, fmt.Sprintf("one@small%d.example", i))
	}
	want := lines(emails, rcpt.VerdictDeliverable)
	slices.Sort(want)
	for name, limits := range map[string]bulk.Limits{
		"in memory": {}, "in files": {HeldBytes: 1}, "small window": {Window: 3}, "little ahead": {Ahead: 2}, "one a domain": {PerDomain: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := &file{}
				options := bulk.Options{Verifier: bulk.OneByOne(uneven{}.Verify), Concurrency: 50, SpillDir: t.TempDir(), Unordered: true}.Within(limits)
				if _, err := bulk.Run(t.Context(), listOf(emails...), out, options); err != nil {
					t.Fatal(err)
				}
				if slices.Equal(out.lines, lines(emails, rcpt.VerdictDeliverable)) && name == "in memory" {
					t.Error("written in the order of the list")
				}
				slices.Sort(out.lines)
				if diff := cmp.Diff(want, out.lines); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// TestUnorderedStopped checks that a run which is stopped writes all that is
// done, also behind what is not.
func TestUnorderedStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		verifier := &answers{reply: func(address string, _ int) (rcpt.Result, error) {
			if address == "slow@one.example" {
				<-ctx.Done()
				return failed(address), ctx.Err()
			}
			return deliverable(address), nil
		}}
		out := &file{}
		_, err := bulk.Run(ctx, listOf("slow@one.example", "fast@two.example"), out, bulk.Options{Verifier: bulk.OneByOne(verifier.Verify), Unordered: true})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if diff := cmp.Diff([]string{"row 2: fast@two.example deliverable"}, out.lines); diff != "" {
			t.Error(diff)
		}
	})
}

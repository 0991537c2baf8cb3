package bulk_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
)

func TestSummary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emails := append(numbered(3, "fine.example"), numbered(2, "bad.example")...)
		emails = append(emails, numbered(4, "grey.example")...)
		emails = append(emails, "user1@bad.example", "no address", "ghost@grey.example")
		verifier := &answers{reply: func(address string, n int) (rcpt.Result, error) {
			switch r := deliverable(address); {
			case r.Domain == "bad.example", r.Local == "ghost":
				return result(address, rcpt.VerdictUndeliverable, rcpt.ReasonMailboxNotFound), nil
			case r.Domain == "grey.example":
				return greylisted(address, time.Minute), nil
			case r.Domain == "":
				return result(address, rcpt.VerdictUndeliverable, rcpt.ReasonInvalidSyntax), nil
			default:
				return r, nil
			}
		}}
		out := &file{}
		got, err := bulk.Run(t.Context(), listOf(emails...), out, bulk.Options{
			Verifier: bulk.OneByOne(verifier.Verify), RetryWindow: time.Minute, Trim: rcpt.Result.WithoutDetails, WorstDomains: 2,
		})
		if err != nil {
			t.Fatal(err)
		}
		want := bulk.Summary{
			Read: 12, Done: 12, Written: 12, Duplicates: 1, Retries: 4,
			Verdicts: map[rcpt.Verdict]int64{rcpt.VerdictDeliverable: 3, rcpt.VerdictUndeliverable: 5, rcpt.VerdictUnknown: 4},
			Reasons: map[rcpt.Reason]int64{
				rcpt.ReasonRecipientAccepted: 3, rcpt.ReasonMailboxNotFound: 4, rcpt.ReasonGreylisted: 4, rcpt.ReasonInvalidSyntax: 1,
			},
			Groups: map[bulk.Group]bulk.Count{
				bulk.GroupSafe: {Rows: 3, Addresses: 3}, bulk.GroupBad: {Rows: 5, Addresses: 4}, bulk.GroupRetry: {Rows: 4, Addresses: 4},
			},
			Addresses: map[rcpt.Verdict]int64{rcpt.VerdictDeliverable: 3, rcpt.VerdictUndeliverable: 4, rcpt.VerdictUnknown: 4},
			Worst: []bulk.WorstDomain{
				{Name: "grey.example", Count: 5, Reasons: []rcpt.Reason{rcpt.ReasonGreylisted, rcpt.ReasonMailboxNotFound}},
				{Name: "bad.example", Count: 3, Reasons: []rcpt.Reason{rcpt.ReasonMailboxNotFound}},
			},
		}
		for _, r := range out.results {
			if r.Details != nil {
				t.Errorf("%s is not trimmed", r.Email)
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(bulk.Summary{}, "Elapsed")); diff != "" {
			t.Error(diff)
		}
	})
}

// TestGroupCounts: repeats are rows and no addresses, and spellings of a domain
// are one address.
func TestGroupCounts(t *testing.T) {
	emails := []string{"info@bücher.example", "info@xn--bcher-kva.example", "Info@bücher.example"}
	for i := range 50 {
		emails = append(emails, fmt.Sprintf("u%d@acme.example", i), fmt.Sprintf("u%d@ACME.example", i))
	}
	got, err := bulk.Run(t.Context(), listOf(emails...), &file{}, bulk.Options{Verifier: bulk.OneByOne((&answers{}).Verify)})
	if err != nil {
		t.Fatal(err)
	}
	if n := got.Groups[bulk.GroupSafe]; n != (bulk.Count{Rows: 103, Addresses: 52}) || got.AllAddresses() != 52 {
		t.Errorf("%+v, %d addresses in all", n, got.AllAddresses())
	}
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		verifier := &answers{reply: func(address string, n int) (rcpt.Result, error) {
			if n == 1 && address == "user1@one.example" {
				return greylisted(address, time.Minute), nil
			}
			return deliverable(address), nil
		}}
		var got []bulk.Progress
		_, err := bulk.Run(t.Context(), listOf(numbered(100, "one.example")...), &file{}, bulk.Options{
			Verifier: bulk.OneByOne(verifier.Verify), RetryWindow: time.Hour,
			Progress: func(p bulk.Progress) { got = append(got, p) },
		}.Within(bulk.Limits{PerDomain: 10, ProgressEvery: 5500 * time.Millisecond}))
		if err != nil {
			t.Fatal(err)
		}
		first := bulk.Progress{
			Read: 100, Done: 40, Waiting: 1, Verdicts: map[rcpt.Verdict]int64{rcpt.VerdictDeliverable: 40}, // of one, and four times ten
			HeldBack: map[string]int64{}, ByDomain: map[string]int64{"one.example": 59},
			Elapsed: 5500 * time.Millisecond, Exhausted: true,
		}
		if next := got[0].NextRetry; next < 55*time.Second || next > 62*time.Second || got[0].LastRetry != next {
			t.Errorf("the first is asked again in %v, the last in %v", next, got[0].LastRetry)
		}
		got[0].NextRetry, got[0].LastRetry = 0, 0 // they are spread
		if diff := cmp.Diff(first, got[0]); diff != "" {
			t.Error(diff)
		}
		last := got[len(got)-1]
		if last.Done != 100 || last.Waiting != 0 || last.Verdicts[rcpt.VerdictDeliverable] != 100 {
			t.Errorf("at the end %+v", last)
		}
	})
}

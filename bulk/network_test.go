package bulk_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
)

// TestOffline: while our network does not work nobody is asked, what has failed
// in the meantime is no answer, and the time does not count against the retry
// window.
func TestOffline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var offline atomic.Bool
		verifier := &answers{reply: func(address string, n int) (rcpt.Result, error) {
			switch {
			case offline.Load(): // the DNS has failed under it
				return unknownFor(address, rcpt.ReasonDNSTemporary, time.Minute), nil
			case strings.HasPrefix(address, "grey") && n < 4:
				return greylisted(address, time.Minute), nil
			}
			return deliverable(address), nil
		}}
		emails := append(numbered(100, "fine.example"), "grey@grey.example")
		var last bulk.Progress
		time.AfterFunc(3*time.Second+time.Second/2, func() { offline.Store(true) })
		time.AfterFunc(2*time.Hour, func() { offline.Store(false) })
		out := &file{}
		summary, err := bulk.Run(t.Context(), listOf(emails...), out, bulk.Options{
			Verifier: bulk.OneByOne(verifier.Verify), RetryWindow: 10 * time.Minute, Offline: offline.Load,
			Progress: func(p bulk.Progress) {
				if offline.Load() {
					last = p
				}
			},
		}.Within(bulk.Limits{PerDomain: 10}))
		if err != nil || summary.Verdicts[rcpt.VerdictDeliverable] != 101 {
			t.Errorf("%+v (%v)", summary, err)
		}
		if last.Done != 21 || last.Waiting > 0 { // the greylisted one would be due
			t.Errorf("at the end of the outage: %+v", last)
		}
		asked := 0
		for _, email := range emails {
			for _, at := range verifier.asked[email] {
				if at > 4*time.Second && at < 2*time.Hour {
					t.Errorf("%s was asked about after %v", email, at)
				}
				asked++
			}
		}
		if asked > 101+10+3 { // ten were in progress, one was greylisted
			t.Errorf("%d questions", asked)
		}
	})
}

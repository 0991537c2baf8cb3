package bulk_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/smtpprobe"
)

// TestHeldBackAddressesWait has a provider take no more for a day, and sees
// that its addresses wait that long, without being tried all the time, and that
// those of others do not.
func TestHeldBackAddressesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		free := start.Add(24 * time.Hour)
		verifier := &answers{reply: func(address string, _ int) (rcpt.Result, error) {
			if wait := time.Until(free); address[0] == 'h' && wait > 0 {
				return rcpt.Result{}, fmt.Errorf("engine: %w", &smtpprobe.HeldBackError{Provider: "p", RetryAfter: wait})
			}
			return deliverable(address), nil
		}}
		out := &file{}
		summary, err := bulk.Run(t.Context(), listOf("h1@held.example", "h2@held.example", "a@free.example"), out,
			bulk.Options{Verifier: bulk.OneByOne(verifier.Verify), RetryWindow: time.Minute})
		if err != nil || summary.Failed > 0 || summary.Done != 3 {
			t.Fatalf("%+v (%v)", summary, err)
		}
		if took := time.Since(start); took < 24*time.Hour || took > 24*time.Hour+time.Minute {
			t.Errorf("it took %v", took)
		}
		for address, want := range map[string]int{"h1@held.example": 2, "h2@held.example": 2, "a@free.example": 1} {
			if n := len(verifier.asked[address]); n != want {
				t.Errorf("%s was tried %d times, want %d", address, n, want)
			}
		}
	})
}

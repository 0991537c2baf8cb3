package bulk_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
)

// TestVerdictBesideAnError: a verifier says that it could not work, and leaves
// a verdict beside it. That is no proof against a customer.
func TestVerdictBesideAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		verify := func(_ context.Context, address string) (rcpt.Result, error) {
			return rcpt.Result{Email: address, Verdict: rcpt.VerdictUndeliverable, Reason: rcpt.ReasonMailboxNotFound}, errors.New("the backend is down")
		}
		var got rcpt.Result
		sink := bulk.SinkFunc(func(_ context.Context, _ bulk.Item, r rcpt.Result) error { got = r; return nil })
		source := bulk.Addresses(func(yield func(string) bool) { yield("jane@example.org") })
		if _, err := bulk.Run(t.Context(), source, sink, bulk.Options{Verifier: bulk.OneByOne(verify), RetryWindow: time.Minute}); err != nil {
			t.Fatal(err)
		}
		if got.Verdict != rcpt.VerdictUnknown || got.Reason != rcpt.ReasonInternalError || got.Action() != rcpt.ActionRetry {
			t.Errorf("%+v", got)
		}
	})
}

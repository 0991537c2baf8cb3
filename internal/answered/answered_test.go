package answered_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/answered"
)

func TestResult(t *testing.T) {
	dead := rcpt.Result{Email: "a@b.example", Verdict: rcpt.VerdictUndeliverable, Reason: rcpt.ReasonMailboxNotFound, Message: "No."}
	for _, tt := range []struct {
		name    string
		result  rcpt.Result
		err     error
		verdict rcpt.Verdict
		reason  rcpt.Reason
		message string
	}{
		{"an answer", dead, nil, rcpt.VerdictUndeliverable, rcpt.ReasonMailboxNotFound, "No."},
		{"a verdict beside an error", dead, errors.New("no files"), rcpt.VerdictUnknown, rcpt.ReasonInternalError, rcpt.ReasonInternalError.Message()},
		{"busy", rcpt.Result{}, fmt.Errorf("mine: %w", engine.ErrBusy), rcpt.VerdictUnknown, rcpt.ReasonBusy, rcpt.ReasonBusy.Message()},
		{"closed", rcpt.Result{}, engine.ErrClosed, rcpt.VerdictUnknown, rcpt.ReasonClosed, rcpt.ReasonClosed.Message()},
		{"goes on", rcpt.Result{}, fmt.Errorf("%w: %w", engine.ErrNotYet, context.Canceled), rcpt.VerdictUnknown, rcpt.ReasonNotYet, rcpt.ReasonNotYet.Message()},
		{"an end of the context", dead, context.DeadlineExceeded, rcpt.VerdictUnknown, rcpt.ReasonUnfinished, rcpt.ReasonUnfinished.Message()},
		{"a reason of its own", rcpt.Result{Reason: rcpt.ReasonUnfinished, Message: "Gone."}, errors.New("x"), rcpt.VerdictUnknown, rcpt.ReasonUnfinished, "Gone."},
		{"nothing", rcpt.Result{}, nil, rcpt.VerdictUnknown, rcpt.ReasonInternalError, rcpt.ReasonInternalError.Message()},
		{"a failure with a verdict", rcpt.Result{Verdict: rcpt.VerdictUndeliverable, Reason: rcpt.ReasonBusy}, nil, rcpt.VerdictUnknown, rcpt.ReasonBusy, rcpt.ReasonBusy.Message()},
		{"a verdict without a reason", rcpt.Result{Verdict: rcpt.VerdictDeliverable}, nil, rcpt.VerdictDeliverable, "", ""},
	} {
		got := answered.Result("a@b.example", tt.result, tt.err)
		if got.Email != "a@b.example" || got.Verdict != tt.verdict || got.Reason != tt.reason || got.Message != tt.message {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

package rcpt

import (
	"testing"
	"time"
)

func TestLasts(t *testing.T) {
	checked := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name    string
		verdict Verdict
		details *Details
		failed  bool
		want    time.Duration
	}{
		{"deliverable", VerdictDeliverable, &Details{Reason: ReasonRecipientAccepted, CheckedAt: checked}, false, 12 * time.Hour},
		{"a dead domain", VerdictUndeliverable, &Details{Reason: ReasonDomainNotFound, CheckedAt: checked}, false, time.Hour},
		{"a hint that is shorter", VerdictUnknown, &Details{Reason: ReasonTemporaryFailure, RetryAfter: time.Minute, CheckedAt: checked}, false, time.Minute},
		{"a hint counts from the answer", VerdictUnknown, &Details{Reason: ReasonGreylisted, RetryAfter: time.Minute, Duration: 1500 * time.Millisecond, CheckedAt: checked}, false, 61500 * time.Millisecond},
		{"a hint that is longer", VerdictUnknown, &Details{Reason: ReasonTemporaryFailure, RetryAfter: 2 * time.Hour, CheckedAt: checked}, false, 10 * time.Minute},
		{"an unknown where others are proofs", VerdictUnknown, &Details{Reason: ReasonSMTPUTF8Unsupported, RetryAfter: 15 * time.Minute, CheckedAt: checked}, false, 15 * time.Minute},
		{"not carried out", VerdictUnknown, &Details{Reason: ReasonInternalError, CheckedAt: checked}, true, 0},
		{"not carried out, whatever the reason", VerdictUnknown, &Details{Reason: ReasonTemporaryFailure, CheckedAt: checked}, true, 0},
		{"a proof is none for asking again", VerdictUndeliverable, &Details{Reason: ReasonMailboxNotFound, RetryAfter: time.Minute, CheckedAt: checked}, false, 6 * time.Hour},
		{"without details", VerdictDeliverable, nil, false, 0},
		{"checked nobody knows when", VerdictDeliverable, &Details{Reason: ReasonRecipientAccepted}, false, 0},
	} {
		if got := (Result{Success: !tt.failed, Verdict: tt.verdict, Details: tt.details}).Lasts(); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

package rcpt

import (
	"testing"
	"time"
)

func TestExpires(t *testing.T) {
	checked := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name    string
		verdict Verdict
		reason  Reason
		checked time.Time
		retry   time.Duration // after the answer, which took a second and a half
		want    time.Duration
	}{
		{"deliverable", VerdictDeliverable, ReasonRecipientAccepted, checked, 0, 12 * time.Hour},
		{"a dead domain", VerdictUndeliverable, ReasonDomainNotFound, checked, 0, time.Hour},
		{"a hint that is shorter", VerdictUnknown, ReasonTemporaryFailure, checked, time.Minute, 61500 * time.Millisecond},
		{"a hint that is longer", VerdictUnknown, ReasonTemporaryFailure, checked, 2 * time.Hour, 10 * time.Minute},
		{"an unknown where others are proofs", VerdictUnknown, ReasonSMTPUTF8Unsupported, checked, 15 * time.Minute, 15*time.Minute + 1500*time.Millisecond},
		{"not carried out", VerdictUnknown, ReasonInternalError, checked, 0, 0},
		{"a proof is none for asking again", VerdictUndeliverable, ReasonMailboxNotFound, checked, time.Minute, 6 * time.Hour},
		{"no reason", VerdictDeliverable, "", checked, 0, 0},
		{"checked nobody knows when", VerdictDeliverable, ReasonRecipientAccepted, time.Time{}, 0, 0},
	} {
		r := Result{Verdict: tt.verdict, Reason: tt.reason, CheckedAt: tt.checked, Details: &Details{Duration: 1500 * time.Millisecond}}
		if tt.retry > 0 {
			r.RetryAt = checked.Add(r.Details.Duration + tt.retry)
		}
		if got := r.RetryAfter(); got != tt.retry {
			t.Errorf("%s: retry after %v, want %v", tt.name, got, tt.retry)
		}
		want := time.Time{}
		if tt.want > 0 {
			want = checked.Add(tt.want)
		}
		if got := r.Expires(); !got.Equal(want) {
			t.Errorf("%s: expires %v, want %v", tt.name, got, want)
		}
		for at, reusable := range map[time.Time]bool{
			checked: tt.want > 0, checked.Add(tt.want - 1): tt.want > 0, checked.Add(tt.want): false,
			checked.Add(-clockSlack): tt.want > 0, checked.Add(-clockSlack - 1): false,
		} {
			if got := r.Reusable(at); got != reusable && !(tt.want == 0 && !got) {
				t.Errorf("%s: reusable at %v: %t", tt.name, at, got)
			}
		}
	}
}

// TestSettled: what may be remembered though it was got in a hurry.
func TestSettled(t *testing.T) {
	refused := &Details{SMTP: &SMTPAnswer{Code: 421}}
	for _, tt := range []struct {
		name string
		r    Result
		want bool
	}{
		{"a verdict", Result{Verdict: VerdictDeliverable, Details: &Details{}}, true},
		{"a verdict without details", Result{Verdict: VerdictUndeliverable}, true},
		{"a refusal", Result{Verdict: VerdictUnknown, Reason: ReasonBlocked, Details: refused}, true},
		{"a silent host", Result{Verdict: VerdictUnknown, Reason: ReasonConnectionTimeout, Details: &Details{SMTP: &SMTPAnswer{}}}, false},
		{"no DNS", Result{Verdict: VerdictUnknown, Reason: ReasonDNSTemporary, Details: &Details{}}, false},
		{"no DNS, without details", Result{Verdict: VerdictUnknown, Reason: ReasonDNSTemporary}, false},
	} {
		if got := tt.r.Settled(); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}

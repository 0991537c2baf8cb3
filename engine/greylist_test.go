package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestGreylistingBeforeTheMailbox asks again after the time of retry_after. The
// host defers each recipient once, those that do not exist too. It has to let
// the random recipient pass in the end: without that, nothing is known of the
// address.
func TestGreylistingBeforeTheMailbox(t *testing.T) {
	mailboxes := map[string]smtptest.Mailbox{"alice": smtptest.Accepts}
	tests := []struct {
		name  string
		host  *smtptest.Host
		email string
		tries int
		want  rcpt.Verdict
	}{
		{"exists", &smtptest.Host{Mailboxes: mailboxes}, "alice@example.test", 2, rcpt.VerdictDeliverable},
		{"exists, without PIPELINING", &smtptest.Host{Mailboxes: mailboxes, NoPipelining: true}, "alice@example.test", 2, rcpt.VerdictDeliverable},
		{"missing", &smtptest.Host{Mailboxes: mailboxes}, "ghost@example.test", 2, rcpt.VerdictUndeliverable},
		{"catch-all", &smtptest.Host{CatchAll: true}, "alice@example.test", 2, rcpt.VerdictAcceptAll},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.host.Greylist = 4 * time.Minute
				verifier, _, _ := inMemory(t, engine.Config{}, tt.host)
				for try := 1; ; try++ {
					result, err := verifier.Verify(t.Context(), tt.email)
					if err != nil {
						t.Fatal(err)
					}
					again := result.RetryAt
					if last := try == tt.tries; again.IsZero() != last || last && result.Verdict != tt.want {
						t.Fatalf("try %d of %d: %s, %s, again in %v; want %s\n%v", try, tt.tries,
							result.Verdict, result.Reason, result.RetryAfter(), tt.want, result.Details.Transcript)
					}
					if again.IsZero() {
						return
					}
					time.Sleep(time.Until(again))
				}
			})
		})
	}
}

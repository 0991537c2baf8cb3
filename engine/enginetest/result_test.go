package enginetest_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/enginetest"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestResult: a program decides by a made result as by that of a Verifier.
func TestResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := enginetest.New(t)
		boxes := map[string]smtptest.Mailbox{"alice": smtptest.Accepts, "full": smtptest.OverQuota, "gone": smtptest.Disabled}
		for _, name := range []string{"works.test", "mailinator.com", "gmail.com"} {
			world.Domain(name, &smtptest.Host{Mailboxes: boxes})
		}
		world.Domain("all.test", &smtptest.Host{CatchAll: true})
		world.Domain("blocks.test", &smtptest.Host{Greeting: "554 5.7.1 Your IP address is on a block list"})
		world.Domain("refuses.test", nil)
		world.Domain("silent.test", &smtptest.Host{GreetingDelay: time.Hour})
		world.DNS.Add("null.test. MX 0 .\n")
		v := world.Verifier(engine.Config{})
		for _, email := range []string{
			"alice@works.test", "bob@works.test", "full@works.test", "gone@works.test", "info@mailinator.com", "alice@gmail.com",
			"alice@all.test", "alice@blocks.test", "alice@refuses.test", "alice@silent.test", "alice@null.test",
			"alice@missing.test", "alice@gmial.com", "alice@gmail", "alice@[192.0.2.1]", "alice", "",
		} {
			real, err := v.Verify(t.Context(), email)
			if err != nil {
				t.Fatal(err)
			}
			made := enginetest.Result(email, real.Reason)
			type decisions struct {
				email, local, domain, suggestion           string
				verdict                                    rcpt.Verdict
				acceptAll, role, free, disposable, retried bool
				hasMX                                      bool
				action                                     rcpt.Action
			}
			of := func(r rcpt.Result) decisions {
				hasMX, _ := r.HasMX()
				return decisions{
					r.Email, r.Local, r.Domain, r.Suggestion, r.Verdict,
					r.AcceptAll, r.Role, r.Free, r.Disposable, !r.RetryAt.IsZero(), hasMX, r.Action(),
				}
			}
			if of(made) != of(real) || made.Message == "" || made.CheckedAt.IsZero() {
				t.Errorf("%s, %s:\nmade %+v\nreal %+v", email, real.Reason, of(made), of(real))
			}
		}
	})
}

// TestResultThatCannotBe: a table with a result that no Verifier gives is
// wrong, and says so.
func TestResultThatCannotBe(t *testing.T) {
	for _, tt := range []struct {
		email  string
		reason rcpt.Reason
		want   string
	}{
		{"alice@works.test", "mailbox_on_fire", "there is no reason"},
		{"alice@works.test", "", "there is no reason"},
		{"alice@works.test", rcpt.ReasonInvalidSyntax, "no Verifier gives invalid_syntax"},
		{"alice@gmail", rcpt.ReasonRecipientAccepted, "no Verifier gives recipient_accepted"},
		{"alice", rcpt.ReasonMailboxNotFound, "no Verifier gives mailbox_not_found"},
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, tt.want) {
					t.Errorf("%s, %s: %q", tt.email, tt.reason, text)
				}
			}()
			enginetest.Result(tt.email, tt.reason)
		}()
	}
}

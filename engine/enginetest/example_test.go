package enginetest_test

import (
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/enginetest"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// signUp is the handler of a sign-up form. It refuses what is no address, and
// what is proven to be undeliverable.
func signUp(verifier rcpt.Verifier) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		result, err := verifier.Verify(r.Context(), r.FormValue("email"))
		switch {
		case result.Verdict == rcpt.VerdictUndeliverable, result.Reason.EndsAt() == rcpt.StepSyntax:
			http.Error(w, "Please check your address. "+result.Message, http.StatusUnprocessableEntity)
		case err != nil:
			log.Print(err) // the visitor has gone, or the Verifier is busy
		}
	}
}

func TestSignUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // waiting takes no time here
		world := enginetest.New(t)
		world.Domain("example.org", &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}})
		world.Domain("slow.example", &smtptest.Host{GreetingDelay: time.Minute})
		handler := signUp(world.Verifier(engine.Config{Timeout: 3 * time.Second}))

		for email, want := range map[string]int{
			"alice@example.org": 200, "alcie@example.org": 422, "alice@gmail": 422, "bob@slow.example": 200,
		} {
			form := strings.NewReader(url.Values{"email": {email}}.Encode())
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", form)
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			answer, began := httptest.NewRecorder(), time.Now()
			handler(answer, request)
			if took := time.Since(began); answer.Code != want || took > 3*time.Second {
				t.Errorf("%s: status %d after %v, want %d", email, answer.Code, took, want)
			}
		}
	})
}

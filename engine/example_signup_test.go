package engine_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// signUp handles a sign-up form. It refuses addresses that are proven to be
// undeliverable, and lets a visitor wait no longer than limit: what is not
// known by then is no reason to turn anybody away. The context ends when the
// visitor has gone.
func signUp(verifier *engine.Verifier, limit time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		how := engine.VerifyOptions{Timeout: limit}
		result, err := verifier.VerifyWith(r.Context(), r.FormValue("email"), how)
		switch {
		case err != nil: // the verification could not be carried out
			fmt.Fprint(w, "Welcome!")
		case result.Verdict == engine.VerdictUndeliverable:
			http.Error(w, "Please check your address. "+result.Message, http.StatusUnprocessableEntity)
		default:
			fmt.Fprint(w, "Welcome!")
		}
	}
}

// The handler of a sign-up form with a time limit, and a world of fakes to try
// it without a network. Package enginetest makes such a world in one call, for
// tests.
func Example_signUp() {
	mail := smtptest.NewNetwork()
	mail.Add("192.0.2.1", &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}})
	mail.Blackhole("192.0.2.2") // never answers
	dns := dnstest.New("example.org. MX 10 mx.example.org.\nmx.example.org. A 192.0.2.1\n" +
		"slow.example. MX 10 mx.slow.example.\nmx.slow.example. A 192.0.2.2\n")
	verifier, err := engine.New(engine.Config{
		Exchanger: dns, Dialer: mail, AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()

	visit := func(email string, limit time.Duration) {
		form := strings.NewReader(url.Values{"email": {email}}.Encode())
		request := httptest.NewRequest(http.MethodPost, "/signup", form)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		answer := httptest.NewRecorder()
		signUp(verifier, limit)(answer, request)
		fmt.Println(answer.Code, strings.TrimSpace(answer.Body.String()))
	}
	visit("alice@example.org", time.Minute)
	visit("alcie@example.org", time.Minute)
	visit("bob@slow.example", time.Millisecond)
	// Output:
	// 200 Welcome!
	// 422 Please check your address. The mail host says that the mailbox does not exist.
	// 200 Welcome!
}

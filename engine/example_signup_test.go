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

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// signUp handles a sign-up form. It tells what is no secret: what is no
// address, a domain that takes no mail, a mailbox for minutes. About mailboxes
// it tells nothing: all others see the same page. The verifier decides how long
// a visitor waits: what is not known by then, or cannot be found out, is no
// reason to turn anybody away.
func signUp(verifier rcpt.Verifier) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		result, err := verifier.Verify(r.Context(), r.FormValue("email"))
		if err != nil || result.Reason.About() == rcpt.AboutUs { // ours to mend; the result has what was found all the same
			log.Print(result.Reason, ": ", err)
		}
		switch action := result.FormAction(); {
		case action == rcpt.FormAskAgain && result.Suggestion != "":
			http.Error(w, "Did you mean "+result.Suggestion+"?", http.StatusUnprocessableEntity)
		case action == rcpt.FormAskAgain:
			http.Error(w, "Please check the address, or use another one.", http.StatusUnprocessableEntity)
		default: // of which FormReject gets none
			fmt.Fprint(w, "We have sent you a mail.")
		}
	}
}

// signUpAs sends a form to the handler and prints the answer.
func signUpAs(verifier rcpt.Verifier, email string) {
	form := strings.NewReader(url.Values{"email": {email}}.Encode())
	request := httptest.NewRequest(http.MethodPost, "/signup", form)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer := httptest.NewRecorder()
	signUp(verifier)(answer, request)
	fmt.Println(answer.Code, strings.TrimSpace(answer.Body.String()))
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

	form := verifier.With(engine.VerifyOptions{Clean: true, Timeout: time.Minute})
	signUpAs(form, "Alice <alice@example.org>")
	signUpAs(form, "alcie@example.org")
	signUpAs(form, "alice@gmail")
	signUpAs(form, "n/a")
	signUpAs(verifier.With(engine.VerifyOptions{Clean: true, Timeout: time.Millisecond}), "bob@slow.example")
	// Output:
	// 200 We have sent you a mail.
	// 200 We have sent you a mail.
	// 422 Did you mean alice@gmail.com?
	// 422 Please check the address, or use another one.
	// 200 We have sent you a mail.
}

// The same handler where TCP port 25 is closed, or nobody is to wait for mail
// hosts: at LevelDNS it refuses domains that take no mail. A resolver that
// fails is no reason to turn anybody away.
func Example_signUpDNS() {
	dns := dnstest.New("example.org. MX 10 mx.example.org.\nmx.example.org. A 192.0.2.1\n" +
		"nomail.example. MX 0 .\nmailinator.com. MX 10 mx.example.org.\n")
	dns.Break(dnstest.Fault{Name: "broken.example", Kind: dnstest.ServFail})
	verifier, err := engine.New(engine.Config{
		Level: engine.LevelDNS, Exchanger: dns, AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()

	form := verifier.With(engine.VerifyOptions{Clean: true, Timeout: 2 * time.Second})
	signUpAs(form, "anybody@example.org")
	signUpAs(form, "alice@nomail.example")
	signUpAs(form, "alice@exmaple.invalid")
	signUpAs(form, "alice@gmail")
	signUpAs(form, "alice@broken.example")
	signUpAs(form, "alice@mailinator.com")
	// Output:
	// 200 We have sent you a mail.
	// 422 Please check the address, or use another one.
	// 422 Please check the address, or use another one.
	// 422 Did you mean alice@gmail.com?
	// 200 We have sent you a mail.
	// 422 Please check the address, or use another one.
}

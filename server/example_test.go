package server_test

import (
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/server"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// A program that has signed its clients in decides by its session who may ask.
// The handler has all below /mail/, beside the pages of the program.
func ExampleHandler() {
	verifier, err := engine.New(engine.Config{Level: engine.LevelSyntax})
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()
	verify, err := server.Handler(verifier, server.Options{Authorize: func(r *http.Request) (string, error) {
		if cookie, err := r.Cookie("session"); err == nil && cookie.Value == "ann's" {
			return "ann", nil
		}
		return "", errors.New("not signed in")
	}})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mail/", verify)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "our own page") })

	get := func(path, session string) {
		request := httptest.NewRequest(http.MethodGet, path, nil)
		request.AddCookie(&http.Cookie{Name: "session", Value: session})
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, request)
		fmt.Println(path, answer.Code, answer.Header().Get("Content-Type"))
	}
	get("/mail/api/v1/verify?email=nobody", "ann's")
	get("/mail/api/v1/verify?email=nobody", "none")
	get("/mail/openapi.json", "none")
	get("/", "none")
	// Output:
	// /mail/api/v1/verify?email=nobody 200 application/json; charset=utf-8
	// /mail/api/v1/verify?email=nobody 401 application/json; charset=utf-8
	// /mail/openapi.json 200 application/json
	// / 200 text/plain; charset=utf-8
}

// One key lets clients in. The Verifier remembers results, so that a client
// that asks twice costs nothing; fresh=1 asks again.
func ExampleHandler_key() {
	mail := smtptest.NewNetwork()
	mail.Add("192.0.2.1", &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}})
	verifier, err := engine.New(engine.Config{
		MaxRemembered: 10_000,
		Exchanger:     dnstest.New("example.org. MX 10 mx.example.org.\nmx.example.org. A 192.0.2.1\n"),
		Dialer:        mail, AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()
	verify, err := server.Handler(verifier, server.Options{
		Key: "a-long-random-key", Fresh: verifier.With(engine.VerifyOptions{Fresh: true}),
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, key := range []string{"a-long-random-key", "a guess"} {
		request := httptest.NewRequest(http.MethodGet, "/api/v1/verify?email=alice@example.org", nil)
		request.Header.Set("X-API-Key", key)
		answer := httptest.NewRecorder()
		verify.ServeHTTP(answer, request)
		fmt.Println(answer.Code, strings.TrimSpace(answer.Body.String()))
	}
	// Output:
	// 200 {"email":"alice@example.org","user":"alice","domain":"example.org","accept_all":0,"role":0,"free_email":0,"disposable":0,"spamtrap":0,"success":true,"result":"deliverable","message":"The mail host takes mail for this mailbox and refuses unknown ones."}
	// 401 {"message":"Unauthorized"}
}

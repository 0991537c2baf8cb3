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

// The endpoint is mounted in a program that has routes of its own.
func ExampleServer() {
	mail := smtptest.NewNetwork()
	mail.Add("192.0.2.1", &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}})
	dns := dnstest.New("example.org. MX 10 mx.example.org.\nmx.example.org. A 192.0.2.1\n")
	verifier, err := engine.New(engine.Config{
		Remember:  10_000, // results, so that a client that asks twice costs nothing
		Exchanger: dns, Dialer: mail, AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()
	verify, err := server.New(server.Config{Verifier: verifier, Key: "a-long-random-key"})
	if err != nil {
		log.Fatal(err)
	}
	defer verify.Close()
	mux := http.NewServeMux()
	mux.Handle("/api/v1/verify", verify)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "our own page") })

	get := func(path, key string) {
		request := httptest.NewRequest(http.MethodGet, path, nil)
		request.Header.Set("X-API-Key", key)
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, request)
		fmt.Println(answer.Code, strings.TrimSpace(answer.Body.String()))
	}
	get("/api/v1/verify?email=alice@example.org", "a-long-random-key")
	get("/api/v1/verify?email=alice@example.org", "a guess")
	get("/", "")
	// Output:
	// 200 {"email":"alice@example.org","user":"alice","domain":"example.org","accept_all":0,"role":0,"free_email":0,"disposable":0,"spamtrap":0,"success":true,"result":"deliverable","message":"The mail host takes mail for this mailbox and refuses unknown ones."}
	// 401 {"message":"Unauthorized"}
	// 200 our own page
}

// A program that has signed its clients in already decides by its session who
// may ask.
func ExampleConfig_authorize() {
	verifier, err := engine.New(engine.Config{Level: engine.LevelSyntax})
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()
	verify, err := server.New(server.Config{Verifier: verifier, Authorize: func(r *http.Request) (string, error) {
		if cookie, err := r.Cookie("session"); err == nil && cookie.Value == "ann's" {
			return "ann", nil
		}
		return "", errors.New("not signed in")
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer verify.Close()
	for _, session := range []string{"ann's", "none"} {
		request := httptest.NewRequest(http.MethodGet, "/check-address?email=nobody", nil)
		request.AddCookie(&http.Cookie{Name: "session", Value: session})
		answer := httptest.NewRecorder()
		verify.ServeHTTP(answer, request)
		fmt.Println(answer.Code)
	}
	// Output:
	// 200
	// 401
}

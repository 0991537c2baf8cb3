package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/server/client"
)

// message is what a sign-up form says about an address; empty: nothing is
// wrong. It is written for any Verifier.
func message(ctx context.Context, verifier rcpt.Verifier, address string) string {
	result, err := verifier.Verify(ctx, address)
	if err != nil {
		log.Print(err) // not verified: the visitor is let in
	}
	if result.Verdict == rcpt.VerdictUndeliverable || result.Reason.EndsAt() == rcpt.StepSyntax {
		return result.Message
	}
	return ""
}

// A program changes from verifying by itself to asking a service by one line:
// that which makes its Verifier. A service on this machine with a ready answer
// takes the place of the real one.
func Example() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"email":"alice@acme.example","user":"alice","domain":"acme.example","accept_all":0,"role":0,"free_email":0,"disposable":0,`+
			`"spamtrap":0,"success":true,"result":"undeliverable","message":"The mail host says that the mailbox does not exist.",`+
			`"details":{"reason":"mailbox_not_found","catch_all":"no","cached":false,"checked_at":"2026-11-22T09:30:00Z","duration_ms":412}}`)
	}))
	defer service.Close()

	// verifier, err := engine.New(engine.Config{HELO: "verifier.example.com"})
	verifier, err := client.New(client.Config{URL: service.URL, Key: "rcpt_the-key"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(message(context.Background(), verifier, "alice@acme.example"))
	// Output: The mail host says that the mailbox does not exist.
}

// The errors of a client are those of the service, of the network, or of the
// context.
func ExampleClient_Verify() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"message":"Unauthorized"}`)
	}))
	defer service.Close()
	verifier, err := client.New(client.Config{URL: service.URL, Key: "a-key-that-has-expired"})
	if err != nil {
		log.Fatal(err)
	}
	result, err := verifier.Verify(context.Background(), "alice@acme.example")
	var refused *client.Error
	switch {
	case errors.As(err, &refused):
		fmt.Println("refused with status", refused.Status)
	case errors.Is(err, client.ErrNotVerified):
		fmt.Println("the service could not carry it out:", result.Reason)
	case err != nil:
		fmt.Println("no answer:", err)
	}
	fmt.Println(result.Email, result.Verdict)
	// Output:
	// refused with status 401
	// alice@acme.example unknown
}

func ExampleClient_SendList() {
	c, err := client.New(client.Config{URL: "https://verify.example.com", Key: os.Getenv("RCPT_API_KEY")})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	list, err := os.Open("people.csv")
	if err != nil {
		log.Fatal(err)
	}
	defer list.Close()
	job, err := c.SendList(ctx, list, client.ListOptions{Name: "people"})
	if err != nil {
		log.Fatal(err)
	}
	if job, err = c.WaitForJob(ctx, job.ID, time.Minute); err != nil {
		log.Fatal(err)
	}
	fmt.Println(job.State, job.Results)
	rows, err := c.JobResults(ctx, job.ID, client.ResultsOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	if _, err := io.Copy(os.Stdout, rows); err != nil {
		log.Fatal(err)
	}
}

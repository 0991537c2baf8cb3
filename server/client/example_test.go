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

	"github.com/rcpt/rcpt/server/client"
)

// A service on this machine with a ready answer takes the place of the real
// one.
func Example() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"email":"alice@acme.example","user":"alice","domain":"acme.example","accept_all":0,"role":0,"free_email":0,"disposable":0,`+
			`"spamtrap":0,"success":true,"result":"undeliverable","message":"The mail host says that the mailbox does not exist.",`+
			`"details":{"reason":"mailbox_not_found","catch_all":"no","cached":false,"checked_at":"2026-11-22T09:30:00Z","duration_ms":412}}`)
	}))
	defer service.Close()

	c, err := client.New(client.Config{URL: service.URL, Key: "rcpt_the-key"})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	v, err := c.Verify(ctx, "alice@acme.example", client.Options{Details: true})
	var refused *client.Error
	switch {
	case errors.As(err, &refused):
		log.Fatalf("refused with status %d: %s", refused.Status, refused.Message)
	case err != nil:
		log.Fatal(err)
	}
	fmt.Println(v.Verdict, v.Details.Reason)
	// Output: undeliverable mailbox_not_found
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

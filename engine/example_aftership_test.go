package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"log/slog"
	"strings"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
)

// afterShip is the Result of github.com/AfterShip/email-verifier v1.4.1, with
// its JSON.
type afterShip struct {
	Email        string          `json:"email"`
	Reachable    string          `json:"reachable"`
	Syntax       afterShipSyntax `json:"syntax"`
	SMTP         *afterShipSMTP  `json:"smtp"`
	Gravatar     *struct{}       `json:"gravatar"` // always null
	Suggestion   string          `json:"suggestion"`
	Disposable   bool            `json:"disposable"`
	RoleAccount  bool            `json:"role_account"`
	Free         bool            `json:"free"`
	HasMxRecords bool            `json:"has_mx_records"`
}

type afterShipSyntax struct {
	Username string `json:"username"`
	Domain   string `json:"domain"`
	Valid    bool   `json:"valid"`
}

type afterShipSMTP struct {
	HostExists  bool `json:"host_exists"`
	FullInbox   bool `json:"full_inbox"`
	CatchAll    bool `json:"catch_all"`
	Deliverable bool `json:"deliverable"`
	Disabled    bool `json:"disabled"`
}

func toAfterShip(r rcpt.Result) afterShip {
	valid := r.Reason.EndsAt() != rcpt.StepSyntax
	hasMX, known := r.HasMX()
	a := afterShip{
		Email:        r.Email,
		Reachable:    "unknown",
		Syntax:       afterShipSyntax{Username: r.Local, Domain: r.Domain, Valid: valid},
		Suggestion:   r.Suggestion[strings.LastIndexByte(r.Suggestion, '@')+1:],
		Disposable:   r.Disposable,
		RoleAccount:  r.Role,
		Free:         r.Free,
		HasMxRecords: hasMX || valid && !known, // what is not known refuses nobody
	}
	switch r.Verdict {
	case rcpt.VerdictDeliverable:
		a.Reachable = "yes"
	case rcpt.VerdictUndeliverable:
		a.Reachable = "no"
	}
	if r.Details != nil && r.Details.SMTP != nil { // a mail host was asked
		a.SMTP = &afterShipSMTP{
			HostExists:  r.Details.SMTP.Code != 0,
			FullInbox:   r.Reason == rcpt.ReasonMailboxFull,
			CatchAll:    r.AcceptAll,
			Deliverable: r.Verdict == rcpt.VerdictDeliverable,
			Disabled:    r.Reason == rcpt.ReasonMailboxDisabled,
		}
	}
	return a
}

// formVerifier is made once, when the program starts: what a person typed is
// cleaned, and waited for five seconds at most.
func formVerifier(verifier *engine.Verifier) rcpt.Verifier {
	return verifier.With(engine.VerifyOptions{Clean: true, Timeout: 5 * time.Second})
}

func check(ctx context.Context, form rcpt.Verifier, email string) (problem string) {
	result, err := form.Verify(ctx, email)
	switch { // the result comes first: its flags are there beside an error, too
	case result.Reason.EndsAt() == rcpt.StepSyntax, result.Verdict == rcpt.VerdictUndeliverable:
		if result.Suggestion != "" {
			return "Did you mean " + result.Suggestion + "?"
		}
		return result.Message
	case result.Disposable:
		return "Please use an address that you keep."
	case err != nil: // the visitor has gone, or the Verifier is busy or closed
		slog.WarnContext(ctx, "address not verified", "error", err)
	case result.Reason.About() == rcpt.AboutUs: // port 25 is closed, we are on a block list …
		slog.WarnContext(ctx, "verification does not work", "reason", result.Reason)
	}
	return ""
}

// A program that answered with the JSON of AfterShip's email-verifier goes on
// doing so.
func Example_afterShip() {
	verifier, err := engine.New(fakes())
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()
	result, err := verifier.Verify(context.Background(), "alice@example.org")
	if err != nil {
		log.Print(err) // nothing was found out; the result has the flags
	}
	text, err := json.Marshal(toAfterShip(result))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
	// Output:
	// {"email":"alice@example.org","reachable":"yes","syntax":{"username":"alice","domain":"example.org","valid":true},"smtp":{"host_exists":true,"full_inbox":false,"catch_all":false,"deliverable":true,"disabled":false},"gravatar":null,"suggestion":"","disposable":false,"role_account":false,"free":false,"has_mx_records":true}
}

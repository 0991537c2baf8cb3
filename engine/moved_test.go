package engine_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/screen"
)

// isAddress is the validator's tag "email", for one that throws nothing away.
func isAddress(text string) bool {
	result := screen.Check(text) // cleaned: it may be "Jane <jane@example.com>"
	return result.Email == text && result.Reason.EndsAt() != rcpt.StepSyntax && !result.Disposable
}

// parse is checkmail.ValidateFormat and emailaddress.Parse.
func parse(email string) (local, domain string, err error) {
	a, err := address.Parse(email)
	return a.Local(), a.Domain(), err
}

// hasMailHost is net.LookupMX, where dns is a Verifier at LevelDNS.
func hasMailHost(ctx context.Context, dns rcpt.Verifier, email string) (has, known bool) {
	result, _ := dns.Verify(ctx, email) // beside an error nothing is known
	return result.HasMX()
}

// refuse is checkmail.ValidateHost, truemail.Validate and email.ValidateHost.
func refuse(ctx context.Context, v rcpt.Verifier, email string) error {
	result, _ := v.Verify(ctx, email) // beside an error nothing speaks against the address
	if result.Verdict == rcpt.VerdictUndeliverable || result.Reason.EndsAt() == rcpt.StepSyntax {
		return errors.New(result.Message)
	}
	return nil
}

// TestMoved: what programs make of other packages' calls refuses only what is
// proven, at the level that they had.
func TestMoved(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for _, tt := range []struct {
		email                               string
		parses, has, known, refused, bySMTP bool
	}{
		{email: "alice@works.test", parses: true, has: true, known: true},
		{email: "bob@works.test", parses: true, has: true, known: true, bySMTP: true},
		{email: "alice@blocks.test", parses: true, has: true, known: true},
		{email: "alice@refuses.test", parses: true, has: true, known: true},
		{email: "alice@silent.test", parses: true, has: true, known: true},
		{email: "alice@a-only.test", parses: true, has: true, known: true},
		{email: "alice@servfail.test", parses: true},
		{email: "alice@lost.test", parses: true},
		{email: "alice@refused-dns.test", parses: true},
		{email: "alice@nowhere.test", parses: true, known: true, refused: true, bySMTP: true},
		{email: "alice@null.test", parses: true, known: true, refused: true, bySMTP: true},
		{email: "alice@missing.test", parses: true, known: true, refused: true, bySMTP: true},
		{email: "alice@gmail", refused: true, bySMTP: true},
		{email: "alice", refused: true, bySMTP: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			mailbox := oldHosts(t).Verifier(engine.Config{Timeout: 10 * time.Second})
			dns := mailbox.With(engine.VerifyOptions{Level: engine.LevelDNS})
			if _, _, err := parse(tt.email); (err == nil) != tt.parses {
				t.Errorf("%s: %v", tt.email, err)
			}
			if isAddress(tt.email) != tt.parses || isAddress("Alice <"+tt.email+">") || isAddress("alice@mailinator.com") {
				t.Errorf("%s: an address: %v", tt.email, !tt.parses)
			}
			if _, known := hasMailHost(ended, dns, tt.email); known {
				t.Errorf("%s: known before anybody was asked", tt.email)
			}
			if err := refuse(ended, mailbox, tt.email); err != nil && tt.parses {
				t.Errorf("%s: refused before anybody was asked: %v", tt.email, err)
			}
			if has, known := hasMailHost(t.Context(), dns, tt.email); has != tt.has || known != tt.known {
				t.Errorf("%s: a mail host: %v, known: %v", tt.email, has, known)
			}
			if err := refuse(t.Context(), dns, tt.email); (err != nil) != tt.refused {
				t.Errorf("%s: refused by the DNS: %v", tt.email, err)
			}
			if err := refuse(t.Context(), mailbox, tt.email); (err != nil) != tt.bySMTP {
				t.Errorf("%s: refused: %v", tt.email, err)
			}
		})
	}
}

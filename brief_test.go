package rcpt_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestBrief: what a form needs is there, as true and false, with and without
// details, and nothing of the session is.
func TestBrief(t *testing.T) {
	const want = `{"email":"sales@gmial.com","result":"undeliverable","reason":"mailbox_not_found",` +
		`"message":"The mail host says that the mailbox does not exist.","suggestion":"sales@gmail.com",` +
		`"accept_all":false,"role":true,"free_email":true,"disposable":false}`
	result := rcpt.Result{
		Email: "sales@gmial.com", Local: "sales", Domain: "gmial.com", Role: true, Free: true,
		Verdict: rcpt.VerdictUndeliverable, Reason: rcpt.ReasonMailboxNotFound, Message: rcpt.ReasonMailboxNotFound.Message(),
		Suggestion: "sales@gmail.com", Details: &rcpt.Details{
			MX:         []rcpt.MX{{Host: "mx.gmial.com"}},
			SMTP:       &rcpt.SMTPAnswer{Host: "mx.gmial.com", IP: "192.0.2.7", Code: 550, Text: "no such user"},
			Transcript: []smtp.Line{{From: "C", Text: "EHLO verifier.example.com"}},
		},
	}
	for _, r := range []rcpt.Result{result, result.WithoutDetails()} {
		if got, err := json.Marshal(r.Brief()); err != nil || string(got) != want {
			t.Errorf("%s, %v\nwant %s", got, err, want)
		}
	}
}

// TestBriefTellsNoTrap: for no reason does a browser learn that an address is a
// spam trap, and each other reason is told as it is.
func TestBriefTellsNoTrap(t *testing.T) {
	for _, reason := range rcpt.Reasons() {
		trap := rcpt.Result{
			Email: "a@b.example", Verdict: reason.Verdict(), Reason: reason, Message: reason.Message(),
			SpamTrap: true, Details: &rcpt.Details{Matches: []rcpt.Match{{List: "spamtrap", Entry: "b.example"}}},
		}.Brief()
		text, err := json.Marshal(trap)
		if err != nil || strings.Contains(strings.ToLower(string(text)), "trap") {
			t.Errorf("%s: %s, %v", reason, text, err)
		}
		if reason != rcpt.ReasonSpamTrap && (trap.Reason != reason || trap.Message != reason.Message()) {
			t.Errorf("%s is told as %s: %q", reason, trap.Reason, trap.Message)
		}
		if trap.Verdict != reason.Verdict() {
			t.Errorf("%s: %s", reason, trap.Verdict)
		}
	}
}

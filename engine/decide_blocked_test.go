package engine_test

import (
	"strings"
	"testing"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestExplainBlocked: the message names the cause where it is known, and only
// of refusals that concern us.
func TestExplainBlocked(t *testing.T) {
	for text, want := range map[string]string{
		"554 5.7.1 blocked using zen.spamhaus.org": "on a list of Spamhaus",
		"554 5.7.1 Client host rejected":           "a block list, a policy or our reputation",
		"550 5.7.1 Null sender is not allowed":     "It does not take the null reverse-path, <>.",
		"550 5.1.1 User unknown":                   "does not exist",
	} {
		reply, err := smtp.ParseReply(text)
		if err != nil {
			t.Fatal(err)
		}
		q := replies.Input{Phase: smtp.PhaseRCPT, Reply: reply, Host: "mx.example.net"}
		if _, got := engine.Explain(q, replies.DefaultClassifier()); !strings.Contains(got.Message, want) {
			t.Errorf("%q: message %q, want %q in it", text, got.Message, want)
		}
	}
}

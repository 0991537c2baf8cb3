package engine_test

import (
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestExplainByTheEmbeddedRules checks that Explain without a classifier reads
// as Decide does with a policy without one.
func TestExplainByTheEmbeddedRules(t *testing.T) {
	reply, err := smtp.ParseReply("550 5.1.1 no such user")
	if err != nil {
		t.Fatal(err)
	}
	_, result := engine.Explain(replies.Input{Phase: smtp.PhaseRCPT, Reply: reply}, nil)
	if result.Reason != rcpt.ReasonMailboxNotFound {
		t.Errorf("%s, want %s", result.Reason, rcpt.ReasonMailboxNotFound)
	}
}

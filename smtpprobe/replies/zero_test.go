package replies_test

import (
	"testing"

	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestClassifierWithoutRules checks that a nil classifier and the zero one read
// by the embedded rules.
func TestClassifierWithoutRules(t *testing.T) {
	reply, err := smtp.ParseReply("550 5.1.1 no such user")
	if err != nil {
		t.Fatal(err)
	}
	q := replies.Input{Phase: smtp.PhaseRCPT, Reply: reply}
	want := replies.DefaultClassifier().Read(q)
	if want.Class != replies.ClassNoSuchUser {
		t.Fatalf("the default reads %q as %s", reply, want.Class)
	}
	for name, c := range map[string]*replies.Classifier{"nil": nil, "zero": {}} {
		if got := c.Read(q); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		if _, _, known := c.Origin(want.Rule); !known {
			t.Errorf("%s: does not know where the rule %s is from", name, want.Rule)
		}
	}
}

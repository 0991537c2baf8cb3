package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// said is a reply as it stands on the wire.
func said(t *testing.T, line string) smtp.Reply {
	t.Helper()
	reply, err := smtp.ParseReply(line)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// TestControl is the table of what the reply to the control of an accepted
// mailbox proves, and of when it is worth another try.
func TestControl(t *testing.T) {
	for _, tt := range []struct {
		control, behind string // behind: to the mailbox once more; empty: it was not named
		reason          rcpt.Reason
		retryAfter      time.Duration
	}{
		{"550 5.1.1 User unknown", "", rcpt.ReasonRecipientAccepted, 0},
		{"250 ok", "", rcpt.ReasonCatchAll, 0},

		// A reply that calls it unknown for now tells mailboxes apart, too.
		{"450 4.1.1 <random@example.com>: Recipient address rejected: undeliverable address: User unknown in virtual alias table", "", rcpt.ReasonRecipientAccepted, 0},
		{"450 4.1.1 <random@example.com>, Recipient unknown", "", rcpt.ReasonRecipientAccepted, 0},
		{"451 No such user here", "", rcpt.ReasonRecipientAccepted, 0},

		// One that puts it off does not, whoever is accepted behind it: a host
		// may have heard of one mailbox before, and not of the other.
		{"450 4.1.1 <random@example.com>: Recipient address rejected: unverified address: Address verification in progress", "", rcpt.ReasonControlInconclusive, 3 * time.Second},
		{"450 4.1.1 <random@example.com>: Recipient address rejected: unverified address: connect to mx.example.com[192.0.2.1]:25: Connection refused", "", rcpt.ReasonControlInconclusive, 15 * time.Minute},
		{"451 Greylisted", "", rcpt.ReasonControlInconclusive, 5 * time.Minute},
		{"451 Greylisted for 90 seconds", "", rcpt.ReasonControlInconclusive, 90 * time.Second},
		{"451 Requested action not taken", "", rcpt.ReasonControlInconclusive, 15 * time.Minute},
		{"451 Requested action not taken", "250 ok", rcpt.ReasonControlInconclusive, 15 * time.Minute},
		{"451 Too fast, wait 60 seconds", "", rcpt.ReasonControlInconclusive, time.Minute},
		{"550 Too many recipients", "", rcpt.ReasonControlInconclusive, 15 * time.Minute},

		// A refusal without a name is about the control if the mailbox is
		// accepted behind it.
		{"550 Mailbox unavailable or access denied", "", rcpt.ReasonControlInconclusive, 0},
		{"550 Mailbox unavailable or access denied", "250 ok", rcpt.ReasonRecipientAccepted, 0},
		{"550 Mailbox unavailable or access denied", "550 Mailbox unavailable or access denied", rcpt.ReasonControlInconclusive, 0},
		{"550 I cannot deliver mail for <random@example.com>", "250 ok", rcpt.ReasonRecipientAccepted, 0},
		{"550 5.7.1 Blocked", "", rcpt.ReasonControlInconclusive, 0},
		{"554 5.7.1 Relay access denied", "250 ok", rcpt.ReasonRecipientAccepted, 0},
	} {
		session := answered(accepted, said(t, tt.control))
		if tt.behind != "" {
			behind := said(t, tt.behind)
			session.Behind = &behind
		}
		got := Decide(asked(session), Policy{})
		if got.Reason != tt.reason || got.RetryAfter() != tt.retryAfter {
			t.Errorf("%s, behind it %q: %s, retry after %v; want %s, %v", tt.control, tt.behind, got.Reason, got.RetryAfter(), tt.reason, tt.retryAfter)
		}
	}
}

// TestControlWithoutAnswer checks that a host which leaves at the control may
// be asked again.
func TestControlWithoutAnswer(t *testing.T) {
	session := smtpprobe.Session{Target: &accepted, Failure: &smtp.Failure{Phase: smtp.PhaseRCPT, Kind: smtp.KindClosed}}
	if got := Decide(asked(session), Policy{}); got.Reason != rcpt.ReasonControlInconclusive || got.RetryAfter() != retryTemporary {
		t.Errorf("%s, retry after %v", got.Reason, got.RetryAfter())
	}
}

// TestControlThatIsDisabled checks that a host which calls what never was
// disabled does not accept everything, if its code says that it does not exist.
func TestControlThatIsDisabled(t *testing.T) {
	for enhanced, want := range map[string]rcpt.Reason{
		"5.1.1": rcpt.ReasonRecipientAccepted, "5.2.1": rcpt.ReasonRecipientAccepted, "5.0.0": rcpt.ReasonControlInconclusive, "": rcpt.ReasonControlInconclusive,
	} {
		got := Decide(asked(answered(accepted, reply(550, enhanced, "The mailbox is disabled"))), Policy{})
		if got.Reason != want {
			t.Errorf("%q: %s, want %s", enhanced, got.Reason, want)
		}
	}
}

// TestUnchecked checks the message about hosts that are known to take mail for
// every recipient: it says so, and the verdict stays.
func TestUnchecked(t *testing.T) {
	const says = "does not check recipients before it takes mail"
	for _, tt := range []struct {
		host, greeting, accepted string
		want                     string // in the message
	}{
		{"mta5.am0.yahoodns.net", "220 mx ready", "250 recipient ok", says},
		{"mx.sendgrid.net", "220 mx ready", "250 Accepted", says},
		{"mxa.mailgun.org", "220 mx ready", "250 Great success", says},
		{"mxb.eu.mailgun.org", "220 mx ready", "250 Great success", says},
		{"mx.example.com", "220 mx.example.com Microsoft ESMTP MAIL Service ready", "250 2.1.5 Recipient OK", "Microsoft Exchange " + says},
		{"mx.example.com", "220 mx.example.com ESMTP", "250 ok", "qmail " + says},
		{"mx.example.com", "220 mx.example.com ESMTP Postfix", "250 2.1.5 Ok", "takes mail for every address of the domain"},
	} {
		session := answered(said(t, tt.accepted), said(t, tt.accepted))
		greeting := said(t, tt.greeting)
		session.Host, session.Greeting = tt.host, &greeting
		got := Decide(asked(session), Policy{})
		if got.Verdict != rcpt.VerdictAcceptAll || got.Reason != rcpt.ReasonCatchAll || !strings.Contains(got.Message, tt.want) {
			t.Errorf("%s, %s: %s, %s", tt.host, tt.greeting, got.Verdict, got.Message)
		}
		unknown := said(t, "550 5.1.1 no such user")
		session.Control = &unknown
		if got := Decide(asked(session), Policy{}); got.Verdict != rcpt.VerdictDeliverable || strings.Contains(got.Message, says) {
			t.Errorf("%s, %s, and unknown mailboxes are refused: %s, %s", tt.host, tt.greeting, got.Verdict, got.Message)
		}
	}
}

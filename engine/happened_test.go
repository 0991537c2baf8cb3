package engine

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestMessagesSayWhatHappened: a session that failed has the message of its
// failure, and its kind among the details; the reason stays one of two.
func TestMessagesSayWhatHappened(t *testing.T) {
	for _, tt := range []struct {
		phase   smtp.Phase
		kind    smtp.Kind
		message string
	}{
		{smtp.PhaseConnect, smtp.KindRefused, "The mail host refused the connection."},
		{smtp.PhaseConnect, smtp.KindUnreachable, "No mail host of the domain could be reached."},
		{smtp.PhaseConnect, smtp.KindTimeout, "No connection to the mail host came about in time."},
		{smtp.PhaseGreeting, smtp.KindTimeout, "The mail host did not greet in time."},
		{smtp.PhaseGreeting, smtp.KindReset, "The mail host hung up without a greeting."},
		{smtp.PhaseEHLO, smtp.KindClosed, "The mail host hung up before it could be asked about the mailbox."},
		{smtp.PhaseMAIL, smtp.KindTimeout, "The domain's mail host did not answer in time."},
		{smtp.PhaseRCPT, smtp.KindClosed, "The mail host hung up when it was asked about the mailbox."},
		{smtp.PhaseRCPT, smtp.KindReset, "The mail host hung up when it was asked about the mailbox."},
		{smtp.PhaseRCPT, smtp.KindTimeout, "The mail host did not answer in time when it was asked about the mailbox."},
	} {
		result := Decide(asked(failed(tt.phase, tt.kind)), Policy{})
		if result.Message != tt.message || result.Details.SMTP.Kind != tt.kind || result.RetryAfter() == 0 {
			t.Errorf("%s at %s: %q (%+v)", tt.kind, tt.phase, result.Message, result.Details.SMTP)
		}
	}
}

// TestNotAllWereTried: the message says how many of the mail hosts were tried,
// where that was not all. One that has two names is one.
func TestNotAllWereTried(t *testing.T) {
	two := dnsresolve.Findings{Status: dnsresolve.StatusOK, Hosts: []dnsresolve.Host{host("mx1", "192.0.2.1", ""), host("mx2", "192.0.2.2", "")}}
	alias := dnsresolve.Findings{Status: dnsresolve.StatusOK, Hosts: []dnsresolve.Host{host("mx1", "192.0.2.1", ""), host("mx2", "192.0.2.1", "")}}
	session := failed(smtp.PhaseRCPT, smtp.KindClosed)
	session.Host, session.Addr = "mx1", netip.MustParseAddrPort("192.0.2.1:25")
	for _, tt := range []struct {
		found dnsresolve.Findings
		says  string // empty: nothing
	}{
		{two, "Only 1 of the domain's 2 mail hosts could be tried."},
		{omitting(two), "Only 1 of the domain's 3 mail hosts could be tried."},
		{alias, ""},
	} {
		result := Decide(withSMTP(found(tt.found), session), Policy{})
		if _, says, _ := strings.Cut(result.Message, "mailbox. "); says != tt.says {
			t.Errorf("%q, want %q", result.Message, tt.says)
		}
	}
}

// TestTLSThatFailedBefore: a host that insists on TLS, which was not used as it
// had failed there, is one whose TLS failed.
func TestTLSThatFailedBefore(t *testing.T) {
	mail := smtp.Reply{Code: 530, Lines: []string{"Must issue a STARTTLS command first"}}
	for _, sessions := range [][]smtpprobe.Session{
		{{MAIL: &mail, Shunned: []string{"STARTTLS"}}},
		{{Trial: "STARTTLS", Failure: &smtp.Failure{Phase: smtp.PhaseSTARTTLS, Kind: smtp.KindClosed}}, {MAIL: &mail}},
	} {
		if got := Decide(asked(sessions...), Policy{}).Reason; got != rcpt.ReasonTLSFailed {
			t.Errorf("%s", got)
		}
	}
}

// TestTrialThatFailed: what a host says to a group that it does not understand
// is no answer, whether or not the second try brings one.
func TestTrialThatFailed(t *testing.T) {
	refusal := smtp.Reply{Code: 500, Enhanced: "5.5.1", Lines: []string{"Pipelining not supported"}}
	first := smtpprobe.Session{MAIL: &refusal, Trial: "PIPELINING"}
	for second, want := range map[*smtpprobe.Session]rcpt.Reason{
		nil: rcpt.ReasonConnectionFailed,
		ref(failed(smtp.PhaseGreeting, smtp.KindTimeout)):                              rcpt.ReasonConnectionTimeout,
		ref(answered(smtp.Reply{Code: 250}, smtp.Reply{Code: 550, Enhanced: "5.1.1"})): rcpt.ReasonRecipientAccepted,
	} {
		sessions := []smtpprobe.Session{first}
		if second != nil {
			sessions = append(sessions, *second)
		}
		if got := Decide(asked(sessions...), Policy{}).Reason; got != want {
			t.Errorf("%+v: %s, want %s", second, got, want)
		}
	}
}

func ref(s smtpprobe.Session) *smtpprobe.Session { return &s }

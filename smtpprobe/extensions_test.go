package smtpprobe_test

import (
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
)

// TestSTARTTLSDialogue: a session begins anew under TLS (RFC 3207 §4.2).
func TestSTARTTLSDialogue(t *testing.T) {
	const anew = `
		S: 220 mx
		C: EHLO *
		S: 250-mx
		S: 250-PIPELINING
		S: 250 STARTTLS
		C: STARTTLS
		S: 220 go ahead
		starttls
		C: EHLO *
	`
	testDialogues(t, []dialogue{
		{
			name:   "extensions are read anew after STARTTLS",
			host:   anew + "S: 250 mx\n" + answers,
			client: greets + "STARTTLS\n" + greets + asksBoth + quits,
			found:  "greeting 220, ehlo 250, starttls 220, mail 250, target 250, control 550, TLS 1.3",
		},
		{
			name:   "what was offered before TLS is forgotten",
			host:   anew + "S: 502 what\nC: HELO *\nS: 250 mx\nC: MAIL *\nS: 550 blocked",
			client: greets + "STARTTLS\n" + greets + "HELO probe.example\nMAIL FROM:<>\n" + quits,
			found:  "greeting 220, ehlo 250, starttls 220, mail 550, TLS 1.3",
		},
		{
			name:   "plain text where STARTTLS is refused",
			host:   beforeTLS + "S: 454 not now\n" + answers,
			client: greets + "STARTTLS\n" + asksBoth + quits,
			found:  "greeting 220, ehlo 250, starttls 454, mail 250, target 250, control 550",
		},
	})
}

// TestSMTPUTF8Dialogue: the extension is used where the target needs it, and
// missed only where the host has said that it has none (RFC 6531 §3.2).
func TestSMTPUTF8Dialogue(t *testing.T) {
	testDialogues(t, []dialogue{
		{
			name:   "SMTPUTF8 where the target needs it",
			set:    setting{req: smtpprobe.Request{Target: "zoë@example.com", Control: control, SMTPUTF8: true}},
			host:   heard + "S: 250-mx\nS: 250-PIPELINING\nS: 250-8BITMIME\nS: 250 SMTPUTF8" + askedBoth + yesNo,
			client: greets + "MAIL FROM:<> SMTPUTF8\nRCPT TO:<zoë@example.com>\nRCPT TO:<random@example.com>\nRSET\n" + quits,
			found:  goodFound,
		},
		{
			name: "SMTPUTF8 is not used where it is not needed",
			host: heard + `
				S: 250-mx
				S: 250-PIPELINING
				S: 250 SMTPUTF8
				C: MAIL FROM:<>
				C: RCPT *
				C: RCPT *
				C: RSET
				` + yesNo,
			client: greets + asksBoth + quits,
			found:  goodFound,
		},
		{
			name:   "SMTPUTF8 is needed and not offered",
			set:    setting{req: smtpprobe.Request{Target: "zoë@example.com", SMTPUTF8: true}},
			host:   pipelining,
			client: greets + quits,
			found:  "greeting 220, ehlo 250, failure smtputf8 at mail",
		},
		{
			name:   "a refused EHLO says nothing about SMTPUTF8",
			set:    setting{req: smtpprobe.Request{Target: "zoë@example.com", SMTPUTF8: true}},
			host:   heard + "S: 550 not you",
			client: greets + quits,
			found:  "greeting 220, ehlo 550",
		},
		{
			name:   "a host without EHLO has no SMTPUTF8",
			set:    setting{req: smtpprobe.Request{Target: "bücher@example.com", SMTPUTF8: true}},
			host:   noEHLO + "S: 250 mx",
			client: greets + "HELO probe.example\n" + quits,
			found:  "greeting 220, ehlo 250, failure smtputf8 at mail",
		},
		{
			name:   "a host that wants neither EHLO nor HELO has said nothing about SMTPUTF8",
			set:    setting{req: smtpprobe.Request{Target: "bücher@example.com", SMTPUTF8: true}},
			host:   noEHLO + "S: 550 go away",
			client: greets + "HELO probe.example\n" + quits,
			found:  "greeting 220, ehlo 550",
		},
	})
}

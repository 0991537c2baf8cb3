package smtpprobe_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
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

// utf8Requests are about n mailboxes that need SMTPUTF8.
func utf8Requests(n int) []smtpprobe.Request {
	requests := aboutAll(mailboxes(n, none, "a.example"))
	for i := range requests {
		requests[i].Target, requests[i].SMTPUTF8 = fmt.Sprintf("goodü%d@a.example", i), true
	}
	return requests
}

// TestSMTPUTF8AtSomeMachines is about a host that offers SMTPUTF8 in some of
// its sessions only: it is not missing. The mailboxes are asked about one after
// the other; of sessions side by side two may lack it before another is heard.
func TestSMTPUTF8AtSomeMachines(t *testing.T) {
	for name, without := range map[string]func(session int) bool{
		"every other lacks it":      func(n int) bool { return n%2 == 1 },
		"all but the first lack it": func(n int) bool { return n > 1 },
	} {
		t.Run(name, func(t *testing.T) {
			host := &peer{Say: func(v *visit, c, _ string) string {
				if c == "EHLO probe.example" && !without(v.Number) {
					return "250-mx\n250-PIPELINING\n250 SMTPUTF8"
				}
				return ""
			}}
			inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 2}, one(host), func(b *bubble) {
				for i, r := range b.askInTurn(utf8Requests(20)) {
					if f := r.last().Failure; r.err != nil || f != nil && f.Kind == smtp.KindSMTPUTF8 {
						b.Errorf("%d: found %v", i, r)
					}
				}
			})
		})
	}
}

// TestSMTPUTF8IsMissing holds that a host without SMTPUTF8 is asked in two
// sessions, and not twice about each mailbox.
func TestSMTPUTF8IsMissing(t *testing.T) {
	sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(&peer{}), func(b *bubble) {
		for i, r := range b.askAll(utf8Requests(50)) {
			if f := r.last().Failure; f == nil || f.Kind != smtp.KindSMTPUTF8 {
				b.Errorf("%d: found %v", i, r)
			}
		}
	})
	if len(sessions) > 4 {
		t.Errorf("%d sessions", len(sessions))
	}
}

// TestSMTPUTF8IsNotMixed sees that a transaction whose targets do not need
// SMTPUTF8, and which does not declare it, has none that does.
func TestSMTPUTF8IsNotMixed(t *testing.T) {
	host := &peer{SMTPUTF8: true}
	sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
		requests := append(utf8Requests(20), aboutAll(mailboxes(20, none, "a.example"))...)
		b.checkAnswered(b.askAll(requests), 250)
	})
	declared, transactions := false, map[bool]int{}
	for _, s := range sessions {
		for _, command := range s.Commands {
			switch {
			case strings.HasPrefix(command, "MAIL"):
				declared = strings.HasSuffix(command, " SMTPUTF8")
				transactions[declared]++
			case strings.HasPrefix(command, "RCPT TO:<good") && strings.Contains(command, "ü") && !declared:
				t.Errorf("%s, without SMTPUTF8", command)
			}
		}
	}
	if transactions[true] == 0 || transactions[false] == 0 {
		t.Errorf("transactions by whether SMTPUTF8 is declared: %v", transactions)
	}
}

package smtpprobe_test

import (
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestTalkativeHost sees that hosts whose openings and replies are longer than
// a transcript may be are understood like others.
func TestTalkativeHost(t *testing.T) {
	lines := func(code string, n int) string {
		return strings.Repeat(code+"-welcome\n", n-1) + code + " welcome"
	}
	long := strings.Repeat("550-5.1.1 The account that you tried to reach does not exist. Please look at the spelling of the address.\n", 4)
	for name, host := range map[string]*peer{
		"greeting": {Greet: func(*visit) string { return lines("220", 100) }},
		"greeting and EHLO": {Greet: func(*visit) string { return lines("220", 100) }, Say: func(_ *visit, c string) string {
			if strings.HasPrefix(c, "EHLO") {
				return "250-mx\n250-PIPELINING\n" + lines("250", 98)
			}
			return ""
		}},
		"MAIL": {Greet: func(*visit) string { return lines("220", 100) }, Say: func(_ *visit, c string) string {
			if strings.HasPrefix(c, "MAIL") {
				return lines("250", 100)
			}
			return ""
		}},
		"refusals": {RCPT: func(_ *visit, m string) string {
			if strings.HasPrefix(m, "good") {
				return ""
			}
			return long + "550 5.1.1 no such user"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			list := mailboxes(100, every(2), "a.example", "b.example", "c.example", "d.example", "e.example")
			answers, _ := crowd(t, smtpprobe.Config{Session: smtpprobe.SessionCaps{Refused: 1000}}, host, list)
			checkTruth(t, list, answers)
			for i, r := range answers {
				checkFindings(t, r.found)
				said := "S 250 2.1.5 Ok"
				if want(list[i]) == 550 {
					said = "S 550 5.1.1 no such user"
				}
				text := transcript(r.last())
				if name == "refusals" && (!strings.Contains(text, "C RCPT TO:<"+list[i]+">") || !strings.Contains(text, said)) {
					t.Errorf("%s, or what was said of it, is not in its own transcript:\n%s", list[i], text)
				}
			}
		})
	}
}

// TestTalkativeHostOverTLS introduces itself twice, so that the opening alone
// fills a transcript.
func TestTalkativeHostOverTLS(t *testing.T) {
	long := func(code string, first ...string) string {
		return code + "-" + strings.Join(append(first, strings.Split(strings.Repeat("welcome ", 90), " ")...), "\n"+code+"-") + "\n" + code + " welcome"
	}
	host := &smtptest.Host{
		STARTTLS: smtptest.TLSWorks, Greeting: long("220"), EHLO: long("250", "mx", "PIPELINING", "STARTTLS"),
		RCPTFunc: func(m string, _ int) string { return enhanced.about(m) },
	}
	answers, _ := crowd(t, smtpprobe.Config{}, host, company())
	checkTruth(t, company(), answers)
	for _, r := range answers {
		checkFindings(t, r.found)
	}
}

// TestLongSession holds that the bound on what is read is one on each
// transaction: a session may go on for long.
func TestLongSession(t *testing.T) {
	host := &peer{RCPT: func(*visit, string) string {
		return strings.Repeat("250-"+strings.Repeat("x", 1000)+"\n", 3) + "250 ok"
	}}
	sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
		b.checkAnswered(b.askInTurn(aboutAll(mailboxes(30, none, "a.example"))), 250)
	})
	if len(sessions) != 1 {
		t.Errorf("%d sessions", len(sessions))
	}
}

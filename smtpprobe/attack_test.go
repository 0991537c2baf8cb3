package smtpprobe_test

import (
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestOddReplies is about what no mail host should say, beyond the hosts of
// [hostile.Kinds].
func TestOddReplies(t *testing.T) {
	const noReply = "failure protocol at greeting"
	const opened = "greeting 220, ehlo 250, mail 250, "
	const doubted = opened + "failure protocol at rcpt"
	for _, tt := range []struct{ name, script, found string }{
		{"too much in all", "S: 220 mx\nC: EHLO *\n" + strings.Repeat("S: 250-"+strings.Repeat("x", 4000)+"\n", 20),
			"greeting 220, failure protocol at ehlo"},
		{"blank line", "S: ", noReply},
		{"reply code 1yz", "S: 120 wait", noReply},
		{"reply code 600", "S: 600 what", noReply},
		{"four digits", "S: 2200 mx", noReply},
		{"221 to RCPT", group + "S: 250 ok\nS: 221 bye", doubted},
		{"help to RCPT", group + "S: 250 ok\nS: 214 try this", doubted},
		{"authenticated at RCPT", group + "S: 250 ok\nS: 235 ok", doubted},
		{"354 to RCPT", group + "S: 250 ok\nS: 354 go on", doubted},
		{"unknown codes of acceptance", group + "S: 200 ok\nS: 200 ok\nS: 550 no\nS: 200 ok",
			"greeting 220, ehlo 250, mail 200, target 200, control 550"},
		{"unknown codes of refusal", group + "S: 250 ok\nS: 599 no\nS: 599 no\nS: 250 ok", opened + "target 599, control 599"},
		{"two replies to MAIL, in turn", "S: 220 mx\nC: EHLO *\nS: 250 mx\nC: MAIL *\n" + `raw: 250 ok\r\n250 ok\r\n`, doubted},
		{"two replies to RCPT, in turn", lockStep + "C: RCPT *\n" + `raw: 550 no\r\n250 yes\r\n`, doubted},
		{"garbage behind the target's answer", group + "S: 250 ok\nS: 550 no\nS: what?", doubted},
		{"half a reply", group + "S: 250 ok\nraw: 550 n\nclose", opened + "failure closed at rcpt\ngreeting 220, ehlo 250, failure timeout at mail"},
		{"bare LF is only odd", group + `raw: 250 ok\n250-yes\n250 yes\n550 no\n250 reset\n`, goodFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := probe(t, setting{}, smtptest.Script(tt.script))
			if summaries(o.found) != tt.found || o.err != nil {
				t.Errorf("found %v, want %s", o, tt.found)
			}
			checkFindings(t, o.found)
		})
	}
	leaves := &peer{Say: at("RSET", closes), RCPTFunc: func(_ *visit, m string) string {
		return plain.about(strings.Replace(m, target, "good", 1))
	}}
	if o := probe(t, setting{}, leaves); summaries(o.found) != goodFound {
		t.Errorf("one that leaves with the recipients answered: %v", o)
	}
}

// TestQUITIsSent sees who hears QUIT. A session that has answered is kept, so
// its QUIT comes when the pool closes and is in nobody's transcript.
func TestQUITIsSent(t *testing.T) {
	const (
		never = iota
		atOnce
		atClose
	)
	ehlo := "S: 220 mx\nC: EHLO *\nS: 250 mx\n"
	for _, tt := range []struct {
		name string
		host smtptest.Handler
		quit int
	}{
		{"after an answer", good(), atClose},
		{"after a refused greeting", &smtptest.Host{Greeting: "554 no"}, atOnce},
		{"after a refused MAIL", &smtptest.Host{MAIL: "550 no"}, atOnce},
		{"after 421", smtptest.Script("S: 421 busy"), atOnce},
		{"after a timeout", smtptest.Script(ehlo + "hang"), atOnce},
		{"after a reply out of step", smtptest.Script(`raw: 220 mx\r\n220 mx\r\n`), atOnce},
		{"never into silence", smtptest.Script("hang"), never},
		{"never into half a greeting", smtptest.Script("S: 220-mx\nhang"), never},
		{"never to another protocol", smtptest.Script("S: SSH-2.0-OpenSSH_9.9"), never},
		{"never into a handshake", smtptest.Script(beforeTLS + `raw: 220 go\r\n250 injected\r\n`), never},
		{"never to one that hung up", smtptest.Script(ehlo + "close"), never},
		{"over TLS too", tlsHost(smtptest.TLSWorks), atClose},
		{"over TLS as soon as that is established", smtptest.Script(starttls + "hang"), atOnce},
		{"never to one that hung up after the handshake", smtptest.Script(starttls + "close"), never},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := probe(t, setting{}, tt.host)
			if got, want := o.sessions[0].QUIT, tt.quit != never; got != want {
				t.Errorf("QUIT %t, want %t; client: %q", got, want, o.sessions[0].Client)
			}
			if got, want := strings.Contains(transcript(o.found.Sessions[0]), "C QUIT"), tt.quit == atOnce; got != want {
				t.Errorf("the transcript has QUIT: %t, want %t:\n%s", got, want, transcript(o.found.Sessions[0]))
			}
		})
	}
}

// TestTalkativeHost sees that hosts whose openings and replies are longer than
// a transcript may be are understood like others.
func TestTalkativeHost(t *testing.T) {
	lines := func(code string, n int) string {
		return strings.Repeat(code+"-welcome\n", n-1) + code + " welcome"
	}
	long := strings.Repeat("550-5.1.1 The account that you tried to reach does not exist. Please look at the spelling of the address.\n", 4)
	for name, host := range map[string]*peer{
		"greeting":                {Greeting: lines("220", 100)},
		"greeting, EHLO and MAIL": {Greeting: lines("220", 100), EHLO: "250-mx\n250-PIPELINING\n" + lines("250", 98), MAIL: lines("250", 100)},
		"refusals": {RCPTFunc: func(_ *visit, m string) string {
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
		RCPTFunc: func(_ *smtptest.Visit, m string) string { return enhanced.about(m) },
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
	host := &peer{RCPTFunc: func(*visit, string) string {
		return strings.Repeat("250-"+strings.Repeat("x", 1000)+"\n", 3) + "250 ok"
	}}
	sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
		b.checkAnswered(b.askInTurn(aboutAll(mailboxes(30, none, "a.example"))), 250)
	})
	if len(sessions) != 1 {
		t.Errorf("%d sessions", len(sessions))
	}
}

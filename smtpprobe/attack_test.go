package smtpprobe_test

import (
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestOddReplies is about what no mail host should say, beyond the hosts of
// [smtptest.HostileKinds].
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
		{"two replies to MAIL, in turn", "S: 220 mx\nC: EHLO *\nS: 250 mx\nC: MAIL *\n" + `raw: 250 ok\r\n250 ok\r\n`, doubted},
		{"two replies to RCPT, in turn", lockStep + "C: RCPT *\n" + `raw: 550 no\r\n250 yes\r\n`, doubted},
		{"garbage behind the target's answer", group + "S: 250 ok\nS: 550 no\nS: what?", doubted},
		{"half a reply", group + "S: 250 ok\nraw: 550 n\nclose", opened + "failure closed at rcpt"},
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
	leaves := &peer{Say: at("RSET", closes), RCPT: func(_ *visit, m string) string {
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

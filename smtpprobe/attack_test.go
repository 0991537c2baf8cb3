package smtpprobe_test

import (
	"encoding/json"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// endless sends a text again and again.
func endless(first, then string) smtptest.Handler {
	return smtptest.HandlerFunc(func(c net.Conn) {
		_, err := c.Write([]byte(first))
		for err == nil {
			_, err = c.Write([]byte(then))
		}
	})
}

// TestHostileServers sees that no server gets more out of a session than a
// failure.
func TestHostileServers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		host  smtptest.Handler
		found string
	}{
		{"endless greeting", endless("", "220-more\r\n"), "failure protocol at greeting"},
		{"endless line", endless("220 ", "more"), "failure protocol at greeting"},
		{"line of 10 MB", smtptest.Script("S: 220 " + strings.Repeat("x", 10<<20)), "failure protocol at greeting"},
		{"line of 10 MB at RCPT", smtptest.Script(group + "S: 250 ok\nS: 550 " + strings.Repeat("x", 10<<20)),
			"greeting 220, ehlo 250, mail 250, failure protocol at rcpt"},
		{"endless stream of replies", endless("", "220 more\r\n"), "greeting 220, failure protocol at ehlo"},
		{"too much in all", smtptest.Script("S: 220 mx\nC: EHLO *\n" + strings.Repeat("S: 250-"+strings.Repeat("x", 4000)+"\n", 20)),
			"greeting 220, failure protocol at ehlo"},
		{"byte by byte", tarpit("220 " + strings.Repeat("x", 400) + "\r\n"), "failure timeout at greeting"},
		{"binary", smtptest.Script(`raw: \x16\x03\x01\x00\xff\n`), "failure protocol at greeting"},
		{"HTTP", smtptest.Script("S: HTTP/1.1 400 Bad Request\nS: Content-Type: text/html\nS: \nclose"), "failure protocol at greeting"},
		{"blank line", smtptest.Script("S: "), "failure protocol at greeting"},
		{"reply code 1yz", smtptest.Script("S: 120 wait"), "failure protocol at greeting"},
		{"reply code 600", smtptest.Script("S: 600 what"), "failure protocol at greeting"},
		{"four digits", smtptest.Script("S: 2200 mx"), "failure protocol at greeting"},
		{"mixed codes", smtptest.Script(group + "S: 250 ok\nS: 250-yes\nS: 550 no\nS: 250 reset"), "greeting 220, ehlo 250, mail 250, failure protocol at rcpt"},
		{"221 to RCPT", smtptest.Script(group + "S: 250 ok\nS: 221 bye"), "greeting 220, ehlo 250, mail 250, failure protocol at rcpt"},
		{"354 to RCPT", smtptest.Script(group + "S: 250 ok\nS: 354 go ahead\nS: 250 yes"), "greeting 220, ehlo 250, mail 250, failure protocol at rcpt"},
		{"two greetings", smtptest.Script(`raw: 220 mx\r\n220 mx\r\n`), "greeting 220, failure protocol at ehlo"},
		{"two replies to MAIL, in turn", smtptest.Script("S: 220 mx\nC: EHLO *\nS: 250 mx\nC: MAIL *\n" + `raw: 250 ok\r\n250 ok\r\n`),
			"greeting 220, ehlo 250, mail 250, failure protocol at rcpt"},
		{"two replies to RCPT, in turn", smtptest.Script("S: 220 mx\nC: EHLO *\nS: 250 mx\nC: MAIL *\nS: 250 ok\nC: RCPT *\n" + `raw: 550 no\r\n250 yes\r\n`),
			"greeting 220, ehlo 250, mail 250, failure protocol at rcpt"},
		{"garbage behind the target's answer", smtptest.Script(group + "S: 250 ok\nS: 550 no\nS: what?"),
			"greeting 220, ehlo 250, mail 250, failure protocol at rcpt"},
		{"leaves with the recipients answered", &peer{other: at("RSET", closes), rcpt: func(_ *visit, m string) string {
			if m == target {
				return "250 yes"
			}
			return ""
		}}, "greeting 220, ehlo 250, mail 250, target 250, control 550"},
		{"half a reply", smtptest.Script(group + "S: 250 ok\nraw: 550 n\nclose"), "greeting 220, ehlo 250, mail 250, failure closed at rcpt"},
		{"bare LF is only odd", smtptest.Script(group + `raw: 250 ok\n250-yes\n250 yes\n550 no\n250 reset\n`), goodFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := probe(t, setting{}, tt.host)
			if got := summaries(o.found); got != tt.found || o.err != nil {
				t.Errorf("found %s (%v), want %s", got, o.err, tt.found)
			}
			checkFindings(t, o.found)
		})
	}
}

// tarpit sends a text a byte a second.
func tarpit(text string) smtptest.Handler {
	return smtptest.HandlerFunc(func(c net.Conn) {
		for i := range len(text) {
			if _, err := c.Write([]byte{text[i]}); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	})
}

// checkFindings sees that findings are bounded, printable, and survive JSON.
func checkFindings(t *testing.T, f smtpprobe.Findings) {
	t.Helper()
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	if limit := 1 << 20; len(data) > limit {
		t.Errorf("findings of %d bytes, more than %d", len(data), limit)
	}
	var back smtpprobe.Findings
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f, back, cmpopts.EquateComparable(netip.AddrPort{})); diff != "" {
		t.Errorf("findings through JSON (-was +is):\n%s", diff)
	}
	for _, s := range f.Sessions {
		for _, line := range s.Transcript {
			if !utf8.ValidString(line.Text) || strings.ContainsAny(line.Text, "\r\n\x00\x1b") {
				t.Errorf("transcript has %q", line.Text)
			}
		}
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

package smtptest_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

func TestHostRepliesToRCPT(t *testing.T) {
	mailboxes := map[string]smtptest.Mailbox{
		"alice":            smtptest.Accepts,
		"zoe":              "",
		"bob@other.test":   smtptest.Accepts,
		"full":             smtptest.Full,
		"quota":            smtptest.OverQuota,
		"gone":             smtptest.Disabled,
		"moved":            smtptest.Moved,
		"odd":              "550-5.1.1 first\n550 5.1.1 second <%s>",
		"jörg@example.com": smtptest.Accepts,
	}
	usual := &smtptest.Host{Mailboxes: mailboxes, Domains: []string{"example.com", "other.test"}}
	for _, tt := range []struct {
		name string
		host *smtptest.Host
		rcpt string
		want string
	}{
		{"accepted", usual, "alice@example.com", "250 2.1.5 "},
		{"case does not matter", usual, "ALICE@Example.COM", "250 2.1.5 "},
		{"zero mailbox", usual, "zoe@example.com", "250 2.1.5 "},
		{"by address", usual, "bob@other.test", "250 2.1.5 "},
		{"by address, other domain", usual, "bob@example.com", "550 5.1.1 <bob@example.com>: no such mailbox here"},
		{"full", usual, "full@example.com", "452 4.2.2 "},
		{"over quota", usual, "quota@example.com", "552 5.2.2 "},
		{"disabled", usual, "gone@example.com", "550 5.2.1 "},
		{"moved", usual, "moved@example.com", "551 5.1.6 "},
		{"own words", usual, "odd@example.com", "550-5.1.1 first\n550 5.1.1 second <odd@example.com>"},
		{"unknown", usual, "nobody@example.com", "550 5.1.1 <nobody@example.com>: no such mailbox here"},
		{"other domain", usual, "alice@example.org", "550 5.7.1 <alice@example.org>: relaying denied"},
		{"UTF-8 without SMTPUTF8", usual, "jörg@example.com", "553 5.6.7 "},
		{"any domain", &smtptest.Host{Mailboxes: mailboxes}, "alice@example.org", "250 2.1.5 "},
		{"zero host", &smtptest.Host{}, "alice@example.com", "550 5.1.1 "},
		{"catch-all", &smtptest.Host{CatchAll: true}, "nobody@example.com", "250 2.1.5 "},
		{"catch-all, full", &smtptest.Host{CatchAll: true, Mailboxes: mailboxes}, "full@example.com", "452 4.2.2 "},
		{"unknown in own words", &smtptest.Host{Unknown: "550 5.4.1 Access denied"}, "a@example.com", "550 5.4.1 Access denied"},
		{"all refused", &smtptest.Host{RCPT: "554 5.7.1 blocked"}, "a@example.com", "554 5.7.1 blocked"},
		{"bad syntax", usual, "alice", "501 5.5.2 "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, c := connect(t, tt.host)
			c.hello()
			c.want("MAIL FROM:<>", "250 ")
			c.want("RCPT TO:<"+tt.rcpt+">", tt.want)
			c.want("QUIT", "221 ")
			c.wantEOF()
		})
	}
}

// TestForgettingHost: nothing of its sessions is kept.
func TestForgettingHost(t *testing.T) {
	for _, forgets := range []bool{false, true} {
		h := &smtptest.Host{CatchAll: true, Forgets: forgets}
		n, c := connect(t, h)
		c.hello()
		c.want("MAIL FROM:<>", "250 ")
		c.want("RCPT TO:<a@example.com>", "250 ")
		c.want("QUIT", "221 ")
		c.wantEOF()
		if kept := len(n.Sessions()) + len(h.Visits()) + len(h.Recipients()); (kept == 0) != forgets {
			t.Errorf("forgets %t: %+v", forgets, n.Sessions())
		}
	}
}

func TestHostRCPTFunc(t *testing.T) {
	_, c := connect(t, &smtptest.Host{CatchAll: true, RCPTFunc: func(v *smtptest.Visit, rcpt string) string {
		if v.Here == 1 {
			return "452 4.5.3 <%s>: too many recipients"
		}
		return ""
	}})
	c.hello()
	for range 2 { // RSET begins the count anew
		c.want("MAIL FROM:<>", "250 ")
		c.want("RCPT TO:<a@example.com>", "250 ")
		c.want("RCPT TO:<b@example.com>", "452 4.5.3 <b@example.com>: too many")
		c.want("RCPT TO:<c@example.com>", "250 ")
		c.want("RSET", "250 ")
	}
}

func TestHostMaxRecipients(t *testing.T) {
	_, c := connect(t, &smtptest.Host{CatchAll: true, MaxRecipients: 1})
	c.hello()
	c.want("MAIL FROM:<>", "250 ")
	c.want("RCPT TO:<a@example.com>", "250 ")
	c.want("RCPT TO:<b@example.com>", "452 4.5.3 ")
}

func TestHostKeepsSequence(t *testing.T) {
	_, c := connect(t, &smtptest.Host{CatchAll: true})
	c.reply()
	c.want("MAIL FROM:<>", "503 ")
	c.want("EHLO client.example", "250-")
	c.want("RCPT TO:<a@example.com>", "503 ")
	c.want("DATA", "503 ")
	c.want("MAIL FROM:<>", "250 ")
	c.want("MAIL FROM:<>", "503 ")
	c.want("RCPT TO:<a@example.com>", "250 ")
	c.want("RSET", "250 ")
	c.want("RCPT TO:<a@example.com>", "503 ")
	c.want("AUTH PLAIN", "5")
}

func TestHostRefusesBDAT(t *testing.T) {
	n, c := connect(t, &smtptest.Host{CatchAll: true})
	c.hello()
	c.want("MAIL FROM:<>", "250 ")
	c.want("RCPT TO:<a@example.com>", "250 ")
	c.want("BDAT 6 LAST\r\nNOOP", "502 ")
	c.reply() // the chunk is answered as a command, but not noted as one
	c.want("RSET", "250 ")
	_ = c.conn.Close()
	s := only(t, n)
	if diff := cmp.Diff([]string{"BDAT 6 LAST", "RSET"}, s.Commands[3:]); diff != "" || !s.DATA || s.QUIT {
		t.Error(s.DATA, s.QUIT, diff)
	}
}

func TestHostKeywords(t *testing.T) {
	for _, tt := range []struct {
		name string
		host *smtptest.Host
		want string
	}{
		{"default", &smtptest.Host{}, "250-mx.smtptest.example\n250-PIPELINING\n250-SIZE 10240000\n250-ENHANCEDSTATUSCODES\n250 8BITMIME"},
		{"few", &smtptest.Host{Name: "mx.example", NoPipelining: true}, "250-mx.example\n250-SIZE 10240000\n250-ENHANCEDSTATUSCODES\n250 8BITMIME"},
		{"many", &smtptest.Host{STARTTLS: smtptest.TLSWorks, SMTPUTF8: true},
			"250-mx.smtptest.example\n250-PIPELINING\n250-SIZE 10240000\n250-STARTTLS\n250-ENHANCEDSTATUSCODES\n250-8BITMIME\n250 SMTPUTF8"},
		{"own words", &smtptest.Host{EHLO: "250-hi\n250 pipelining"}, "250-hi\n250 pipelining"},
		{"refused", &smtptest.Host{EHLO: "550 5.7.1 Bad name"}, "550 5.7.1 Bad name"},
		{"unknown", &smtptest.Host{EHLO: "502 5.5.1 EHLO command not implemented"}, "502 5.5.1 EHLO command not implemented"},
		{"hangs up", &smtptest.Host{EHLO: "421 4.3.2 Not now"}, "421 4.3.2 Not now"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, c := connect(t, tt.host)
			c.reply()
			if diff := cmp.Diff(tt.want, c.cmd("EHLO client.example")); diff != "" {
				t.Error(diff)
			}
			if strings.HasPrefix(tt.want, "421") {
				c.wantEOF()
				return
			}
			if !strings.HasPrefix(tt.want, "250") {
				c.want("MAIL FROM:<>", "503 ")
			}
			c.want("HELO client.example", "250 ")
			c.want("MAIL FROM:<>", "250 ")
		})
	}
}

func TestHostSMTPUTF8(t *testing.T) {
	_, c := connect(t, &smtptest.Host{SMTPUTF8: true, Mailboxes: map[string]smtptest.Mailbox{"jörg": smtptest.Accepts}})
	c.hello()
	c.want("MAIL FROM:<> SMTPUTF8", "250 ")
	c.want("RCPT TO:<Jörg@example.com>", "250 ")
	c.want("RSET", "250 ")
	c.want("MAIL FROM:<>", "250 ")
	c.want("RCPT TO:<jörg@example.com>", "553 5.6.7 ")

	_, c = connect(t, &smtptest.Host{})
	c.hello()
	c.want("MAIL FROM:<> SMTPUTF8", "504 ")
}

func TestHostGreetings(t *testing.T) {
	n, c := connect(t, &smtptest.Host{Greeting: "554-mx.example\n554 5.7.1 No service"})
	if got := c.reply(); got != "554-mx.example\n554 5.7.1 No service" {
		t.Errorf("greeting %q", got)
	}
	c.want("EHLO client.example", "503 ")
	c.want("QUIT", "221 ")
	c.wantEOF()
	if s := only(t, n); !s.QUIT {
		t.Error("QUIT was not noted")
	}

	_, c = connect(t, &smtptest.Host{Greeting: "421 4.3.2 Too busy"})
	if got := c.reply(); got != "421 4.3.2 Too busy" {
		t.Errorf("greeting %q", got)
	}
	c.wantEOF()

	_, c = connect(t, &smtptest.Host{Greeting: "220-mx.example\n220 ready"})
	c.hello()
}

func TestHostMAIL(t *testing.T) {
	_, c := connect(t, &smtptest.Host{CatchAll: true, MAIL: "550-5.7.1 You are\n550 5.7.1 on a list"})
	c.hello()
	c.want("MAIL FROM:<>", "550-5.7.1 You are\n550 5.7.1 on a list")
	c.want("RCPT TO:<a@example.com>", "503 ")
}

func TestHostGreylists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, first := connect(t, &smtptest.Host{CatchAll: true, Greylist: time.Minute})
		attempt := func(c *client, sender, rcpt, want string) {
			t.Helper()
			c.hello()
			c.want("MAIL FROM:<"+sender+">", "250 ")
			c.want("RCPT TO:<"+rcpt+">", want)
			c.want("QUIT", "221 ")
		}
		attempt(first, "", "a@example.com", "451 4.7.1 Greylisted")
		time.Sleep(59 * time.Second)
		attempt(dial(t, n, addr), "", "a@example.com", "451 ")
		time.Sleep(time.Second)
		attempt(dial(t, n, addr), "", "A@example.com", "250 ")
		attempt(dial(t, n, addr), "", "b@example.com", "451 ")
		attempt(dial(t, n, addr), "other@example.com", "a@example.com", "451 ")
	})
}

func TestHostRecordsDATA(t *testing.T) {
	n, c := connect(t, &smtptest.Host{CatchAll: true})
	c.hello()
	c.want("MAIL FROM:<>", "250 ")
	c.want("RCPT TO:<a@example.com>", "250 ")
	if only := n.Sessions()[0]; only.DATA {
		t.Error("DATA noted too early")
	}
	c.want("DATA", "354 ")
	c.want("Subject: x\r\n\r\nQUIT\r\n..\r\n.\r\nQUIT", "250 ") // commands may follow a message at once (RFC 2920 §3.1)
	c.reply()
	s := only(t, n)
	want := []string{"EHLO client.example", "MAIL FROM:<>", "RCPT TO:<a@example.com>", "DATA", "QUIT"}
	if diff := cmp.Diff(want, s.Commands); diff != "" {
		t.Error(diff)
	}
	if !s.DATA || s.Err != nil {
		t.Errorf("DATA %t, %v", s.DATA, s.Err)
	}
}

func TestSessionHoldsBothStreams(t *testing.T) {
	n, c := connect(t, &smtptest.Host{CatchAll: true})
	c.hello()
	c.want("MAIL FROM:<>", "250 ")
	c.send("NOOP\r\nunread")
	_ = c.conn.Close()
	want := smtptest.Session{
		Addr:   addr,
		Client: "EHLO client.example\r\nMAIL FROM:<>\r\nNOOP\r\nunread",
		Server: "220 mx.smtptest.example ESMTP\r\n250-mx.smtptest.example\r\n250-PIPELINING\r\n250-SIZE 10240000\r\n250-ENHANCEDSTATUSCODES\r\n" +
			"250 8BITMIME\r\n250 2.1.0 Ok\r\n",
		Commands: []string{"EHLO client.example", "MAIL FROM:<>", "NOOP"},
	}
	got := only(t, n)
	got.Server = strings.TrimSuffix(got.Server, "250 2.0.0 Ok\r\n") // whether it got so far depends
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

package smtptest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestRead has hosts of plain text answer some recipients, one transaction
// after the other.
func TestRead(t *testing.T) {
	for _, tt := range []struct {
		text  string
		rcpts string // "|" between transactions, "/" between sessions
		says  string
	}{
		{"box a\nboxes b c\nbox full 452 4.2.2 full", "a b c full d postmaster", "250 250 250 452 550 250"},
		{"# a remark\n\nbox postmaster missing\nunknown 551 5.1.6 %s", "postmaster", "551"},
		{"catch-all\ndomains other.test", "a", "550"},
		{"box a\n\t250-one\n\t250 two", "a", "250"},
		{"every 450-4.2.0 a\\n450 4.2.0 b", "a", "450"},
		{"catch-all\nnth 2 550 second", "a b c|d e", "250 550 250 250 550"},
		{"catch-all\nmax 1", "a b|c", "250 452 250"},
		{"greylist 1h 450 4.2.0 later", "a", "450"},
		{"boxes a b\nafter 2 refusals -> 550 5.7.1 turned", "a x y b|a/a", "250 550 550 550 550 250"},
		{"boxes a b\nafter 2 refusals of a transaction -> 554 turned", "x y a|b", "550 550 554 250"},
		{"boxes a b\nafter 1 refusals of all -> 554 turned", "x a/a", "550 554 554"},
		{"boxes a b\nafter 1 refusals for 20s -> 554 turned", "x a/a sleep a x a", "550 554 554 250 550 554"},
		{"catch-all\nafter 2 recipients -> 554 turned", "a b c/a", "250 250 554 250"},
		{"boxes a b\nafter 1 accepted of all -> 421 bye", "x y a b", "550 550 250 421"},
		{"catch-all\nafter 1 transactions -> 554 turned", "a b|c/d", "250 250 554 250"},
		{"catch-all\nafter 4 commands of all -> 554 banned", "a b", "250 554"},
		{"catch-all\nafter 1 sessions of all -> 554 banned", "a/b", "250 greeting"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			host, err := smtptest.Read(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				n := smtptest.NewNetwork()
				defer n.Close()
				n.Add(addr, host)
				var said []string
				for session := range strings.SplitSeq(tt.rcpts, "/") {
					said = append(said, asks(dial(t, n, addr), session)...)
				}
				if got := strings.Join(said, " "); got != tt.says {
					t.Errorf("said %s, want %s", got, tt.says)
				}
			})
		})
	}
}

// asks names recipients in a session, and returns the codes of the replies.
func asks(c *client, rcpts string) (said []string) {
	defer c.conn.Close()
	if !strings.HasPrefix(c.reply(), "2") {
		return []string{"greeting"}
	}
	c.cmd("EHLO me")
	for transaction := range strings.SplitSeq(rcpts, "|") {
		c.cmd("RSET")
		c.cmd("MAIL FROM:<>")
		for rcpt := range strings.FieldsSeq(transaction) {
			if rcpt == "sleep" {
				time.Sleep(20 * time.Second)
				continue
			}
			said = append(said, c.cmd("RCPT TO:<" + rcpt + "@example.com>")[:3])
		}
	}
	return said
}

// TestReadSetsFields: what is no reply to RCPT is a field.
func TestReadSetsFields(t *testing.T) {
	text := "name mx.test\ngreeting 220 hi\nehlo 250 a\nhelo 250 b\nmail 250 c\ndata 554 d\nrset 250 e\nquit 221 f\ntls works\n" +
		"tls-required\nno-pipelining\nutf8\ndelay greeting 1s\ndelay reply 2s\ndelay rcpt 3s\ndelay each 4s\nline-end \\n\noctets 5s"
	read, err := smtptest.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	h := read.(*smtptest.Host)
	got := fmt.Sprint(h.Name, h.Greeting, h.EHLO, h.HELO, h.MAIL, h.DATA, h.RSET, h.QUIT, h.STARTTLS == smtptest.TLSWorks, h.RequireTLS,
		h.NoPipelining, h.SMTPUTF8, h.GreetingDelay, h.ReplyDelay, h.RCPTDelay, h.Pace, h.ByteDelay) + h.LineEnd
	want := "mx.test220 hi250 a250 b250 c554 d250 e221 ftrue true true true 1s 2s 3s 4s 5s\n"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestWrongText: what nobody understands is an error.
func TestWrongText(t *testing.T) {
	for _, text := range []string{
		"nonsense", "nth x 550 no", "max x", "greylist soon", "tls always", "delay lunch 1h", "delay rcpt x", "line-end \\q", "octets x",
		"groups of two", "after lunch -> 550 no", "after 3 refusals 550 no", "after 3 breaths -> 550 no", "after 3 refusals on Monday -> 550 no",
		"after 3 sessions -> 554 no", "S: 220 hi\nnonsense",
	} {
		if _, err := smtptest.Read(text); err == nil {
			t.Errorf("%q is read", text)
		}
		if _, err := smtptest.ReadSituations("== it: is wrong\n" + text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
	if _, err := smtptest.ReadSituations("== it: is asked\n? a deliverable"); err == nil {
		t.Error("a question without an arrow is read")
	}
}

// TestReadSituations: what stands before the first is common to all hosts, but
// for scripts; words of others are kept for them.
func TestReadSituations(t *testing.T) {
	all, err := smtptest.ReadSituations(`# remark
box a
mx both.test

== one: is first
box b
mx one.test
? a once -> deliverable recipient_accepted
? c -> mailbox_not_found # nobody

== two
S: 554 no
`, "mx")
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	one, two := all[0], all[1]
	if one.Name != "one" || one.About != "is first" || !slices.Equal(one.Rest, []string{"mx both.test", "mx one.test"}) || !slices.Equal(two.Rest, []string{"mx both.test"}) {
		t.Errorf("%+v, %+v", one, two)
	}
	if got, want := fmt.Sprint(one.Asked), "[{a [once] [deliverable recipient_accepted] } {c [] [mailbox_not_found] nobody}]"; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	for s, want := range map[*smtptest.Situation]string{&one: "250 250 550", &two: "greeting"} {
		_, c := connect(t, s.Host())
		if got := strings.Join(asks(c, "a b c"), " "); got != want {
			t.Errorf("%s says %s, want %s", s.Name, got, want)
		}
	}
}

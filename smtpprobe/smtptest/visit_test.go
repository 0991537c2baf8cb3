package smtptest_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

var whole = "EHLO me\r\n" + flight + "RSET\r\nQUIT\r\n"

// says is all that a host says to some commands at once, in codes.
func says(t *testing.T, h smtptest.Handler, commands string) string {
	t.Helper()
	_, c := connect(t, h)
	c.send(commands)
	var said []string
	for {
		line, err := c.r.ReadString('\n')
		if err != nil {
			return strings.Join(said, " ")
		}
		if line = strings.TrimSpace(line); line[3] != '-' {
			said = append(said, line[:3])
		}
	}
}

// behind says something at a command that begins so.
func behind(verb string, say func(due string) string) func(*smtptest.Visit, string, string) string {
	return func(_ *smtptest.Visit, command, due string) string {
		if strings.HasPrefix(command, verb) && (verb != "" || command == "") {
			return say(due)
		}
		return ""
	}
}

// TestSay: a host says what its functions choose, to the letter.
func TestSay(t *testing.T) {
	const usual = "220 250 250 250 250 250 221"
	text := func(text string) func(string) string { return func(string) string { return text } }
	for name, tt := range map[string]struct {
		host *smtptest.Host
		says string
	}{
		"nothing else":            {&smtptest.Host{Say: behind("", text(""))}, usual},
		"greets otherwise":        {&smtptest.Host{Say: behind("", text("421 no"))}, "421"},
		"hangs up":                {&smtptest.Host{Say: behind("MAIL", text(smtptest.Closes))}, "220 250"},
		"one reply too few":       {&smtptest.Host{Say: behind("MAIL", text(smtptest.Skips))}, "220 250 250 250 250 221"},
		"one reply too many":      {&smtptest.Host{Say: behind("RSET", func(due string) string { return due + "\n599 more" })}, usual[:23] + " 599 221"},
		"its own, and more":       {&smtptest.Host{RSET: "due\n599 more"}, usual[:23] + " 599 221"},
		"421 in the middle":       {&smtptest.Host{Say: behind("RCPT", text("421 no"))}, "220 250 250 421"},
		"refuses the sender":      {&smtptest.Host{Say: behind("MAIL", text("550 no"))}, "220 250 550 503 503 250 221"},
		"steps":                   {&smtptest.Host{MAIL: "sleep 1s\nS: 250 yes\nraw: 251 yes\\r\\n"}, "220 250 250 251 250 250 250 221"},
		"bytes that travel alone": {&smtptest.Host{ByteDelay: time.Second}, usual},
		"one after the other":     {&smtptest.Host{Pace: time.Second}, usual},
		"of all the first":        {&smtptest.Host{Arrange: func(_ *smtptest.Visit, _, a []string) []string { return a[:1] }}, "220 250"},
		"of all but the last":     {&smtptest.Host{Arrange: func(_ *smtptest.Visit, _, a []string) []string { return a[:len(a)-1] }}, usual[:23]},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.host.CatchAll = true
				if got := says(t, tt.host, whole); got != tt.says {
					t.Errorf("said %s, want %s", got, tt.says)
				}
			})
		})
	}
}

// TestVisits: a host knows what its clients have done, and how many there are.
func TestVisits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Int64
		host := &smtptest.Host{
			Mailboxes: map[string]smtptest.Mailbox{"a": smtptest.Accepts},
			Say: func(v *smtptest.Visit, command, _ string) string {
				if command == "" && v.Open > 1 {
					return "421 4.7.0 one is enough"
				}
				return ""
			},
			Ended: func(v *smtptest.Visit) { ended.Add(int64(v.Number)) },
		}
		n, first := connect(t, host)
		first.hello()
		second := dial(t, n, addr)
		if got := second.reply(); got != "421 4.7.0 one is enough" {
			t.Errorf("the second was told %q", got)
		}
		second.wantEOF()
		first.send(flight + "QUIT\r\n")
		for range 4 {
			first.reply()
		}
		time.Sleep(time.Minute)
		dial(t, n, addr).hello()
		n.Close()
		visits := host.Visits()
		v := *visits[0]
		if len(visits) != 3 || v.Number != 1 || v.Open != 1 || v.Commands != 5 || v.Waits != 2 || v.Mailed != 1 ||
			v.Named != 2 || v.Refused != 1 || v.Here != 2 || v.Accepted != 1 || !v.QUIT || v.TLS || v.DATA || v.Left.IsZero() || v.Client.String() != "198.51.100.1" {
			t.Errorf("%d visits, the first %+v", len(visits), v)
		}
		if visits[1].Open != 2 || visits[2].Open != 1 || !visits[2].Began.After(v.Left) {
			t.Errorf("%+v, %+v", *visits[1], *visits[2])
		}
		if want := []string{"a@example.com", "b@example.com"}; !slices.Equal(host.Recipients(), want) {
			t.Errorf("asked about %q", host.Recipients())
		}
		if ended.Load() != 1+2+3 {
			t.Error("not all have ended")
		}
	})
}

// TestSleep: what was said before it arrives before it.
func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := connect(t, &smtptest.Host{CatchAll: true, RCPTFunc: func(v *smtptest.Visit, _ string) string {
			v.Sleep(time.Minute)
			return ""
		}})
		c.hello()
		begun := time.Now()
		c.send(flight)
		for i, want := range []time.Duration{0, time.Minute, 2 * time.Minute} {
			if c.reply(); time.Since(begun) != want {
				t.Errorf("reply %d after %v, want %v", i+1, time.Since(begun), want)
			}
		}
	})
}

// TestMailboxPatterns: the longest pattern counts, and a mailbox in full more
// than any.
func TestMailboxPatterns(t *testing.T) {
	host := &smtptest.Host{CatchAll: true, Mailboxes: map[string]smtptest.Mailbox{
		"box*": "250 box", "box1*": "250 box1", "box12": "250 box12", "real#": "250 real", "*": "250 any", "postmaster": smtptest.Missing,
	}}
	_, c := connect(t, host)
	c.hello()
	c.want("MAIL FROM:<>", "250 ")
	for local, want := range map[string]string{
		"box": "250 box", "Box7": "250 box", "box13": "250 box1", "box12": "250 box12", "real": "250 real", "real70": "250 real",
		"real7x": "250 any", "x": "250 any", "postmaster": "550 5.1.1",
	} {
		c.want("RCPT TO:<"+local+"@example.com>", want)
	}
}

package smtptest_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

const flight = "MAIL FROM:<>\r\nRCPT TO:<a@example.com>\r\nRCPT TO:<b@example.com>\r\n"

// waits plays a whole session and returns how long the greeting, EHLO and the
// flight took.
func waits(t *testing.T, h *smtptest.Host) (greeting, ehlo, transaction time.Duration) {
	t.Helper()
	var took [3]time.Duration
	synctest.Test(t, func(t *testing.T) {
		last := time.Now()
		lap := func() time.Duration {
			d := time.Since(last)
			last = time.Now()
			return d
		}
		_, c := connect(t, h)
		c.reply()
		took[0] = lap()
		c.want("EHLO client.example", "250-")
		took[1] = lap()
		for line := range strings.Lines(flight) {
			c.send(line)
		}
		for range 3 {
			c.reply()
		}
		took[2] = lap()
	})
	return took[0], took[1], took[2]
}

func TestDelays(t *testing.T) {
	for _, tt := range []struct {
		name                        string
		host                        *smtptest.Host
		greeting, ehlo, transaction time.Duration
	}{
		{"none", &smtptest.Host{}, 0, 0, 0},
		{"a flight waits once", &smtptest.Host{GreetingDelay: 100 * time.Millisecond, ReplyDelay: 100 * time.Millisecond},
			100 * time.Millisecond, 100 * time.Millisecond, 100 * time.Millisecond},
		{"each RCPT waits", &smtptest.Host{GreetingDelay: 4 * time.Second, RCPTDelay: 4 * time.Second}, 4 * time.Second, 0, 8 * time.Second},
		{"both", &smtptest.Host{ReplyDelay: time.Second, RCPTDelay: 4 * time.Second}, 0, time.Second, 9 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			greeting, ehlo, transaction := waits(t, tt.host)
			if greeting != tt.greeting || ehlo != tt.ehlo || transaction != tt.transaction {
				t.Errorf("got %v, %v, %v", greeting, ehlo, transaction)
			}
		})
	}
}

func TestDelaysAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := connect(t, &smtptest.Host{CatchAll: true, ReplyDelay: time.Second, RCPTDelay: 4 * time.Second})
		c.hello()
		c.want("MAIL FROM:<>", "250 ")
		begun := time.Now()
		c.want("RCPT TO:<a@example.com>", "250 ")
		if took := time.Since(begun); took != 5*time.Second {
			t.Errorf("RCPT took %v, want 5s", took)
		}
	})
}

// phase is a step of a session, and the field of a host with its reply.
type phase struct {
	name, line string
	reply      func(h *smtptest.Host) *string
}

var phases = []phase{
	{"greeting", "", func(h *smtptest.Host) *string { return &h.Greeting }},
	{"EHLO", "EHLO client.example", func(h *smtptest.Host) *string { return &h.EHLO }},
	{"STARTTLS", "STARTTLS", func(h *smtptest.Host) *string { return (*string)(&h.STARTTLS) }},
	{"MAIL", "MAIL FROM:<>", func(h *smtptest.Host) *string { return &h.MAIL }},
	{"RCPT", "RCPT TO:<a@example.com>", func(h *smtptest.Host) *string { return &h.RCPT }},
	{"DATA", "DATA", func(h *smtptest.Host) *string { return &h.DATA }},
	{"RSET", "RSET", func(h *smtptest.Host) *string { return &h.RSET }},
	{"QUIT", "QUIT", func(h *smtptest.Host) *string { return &h.QUIT }},
}

// at is a host that says this at a phase.
func at(p phase, text string) *smtptest.Host {
	h := &smtptest.Host{CatchAll: true, STARTTLS: smtptest.TLSWorks}
	*p.reply(h) = text
	return h
}

// untilPhase brings a session to the phase and sends its command.
func untilPhase(c *client, at phase) {
	c.t.Helper()
	if at.line == "" {
		return
	}
	c.reply()
	for _, p := range phases[1:] {
		if p.name == at.name {
			c.send(p.line + "\r\n")
			return
		}
		if p.name != "STARTTLS" && p.name != "DATA" {
			c.cmd(p.line)
		}
	}
}

func TestHangAt(t *testing.T) {
	for _, phase := range phases {
		t.Run(phase.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, c := connect(t, at(phase, smtptest.Hangs))
				untilPhase(c, phase)
				_ = c.conn.SetReadDeadline(time.Now().Add(time.Hour))
				begun := time.Now()
				if b, err := c.r.ReadByte(); err == nil || time.Since(begun) != time.Hour {
					t.Errorf("got %q after %v", b, time.Since(begun))
				}
				c.send("NOOP\r\n") // a hanging host does not block a client's writes
				_ = c.conn.Close()
				if s := only(t, n); !strings.HasSuffix(s.Client, "NOOP\r\n") || s.Commands[len(s.Commands)-1] != "NOOP" {
					t.Errorf("the client's last command was not noted: %q", s.Client)
				}
			})
		})
	}
}

func TestCloseAt(t *testing.T) {
	for _, phase := range phases {
		t.Run(phase.name, func(t *testing.T) {
			n, c := connect(t, at(phase, smtptest.Closes))
			untilPhase(c, phase)
			c.wantEOF()
			if s := only(t, n); s.Err != nil {
				t.Error(s.Err)
			}
		})
	}
}

func Test421HangsUp(t *testing.T) {
	_, c := connect(t, &smtptest.Host{CatchAll: true, RCPTFunc: func(v *smtptest.Visit, _ string) string {
		return map[int]string{1: "421 4.7.0 Too many recipients"}[v.Here]
	}})
	c.hello()
	c.send(flight + "RSET\r\n")
	for _, want := range []string{"250 ", "250 ", "421 4.7.0 Too many recipients"} {
		if got := c.reply(); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	c.wantEOF()
}

func TestClientThatDoesNotWait(t *testing.T) {
	ehlo := "EHLO client.example\r\n"
	for _, tt := range []struct {
		name    string
		host    *smtptest.Host
		flights []string
		want    string // part of the session's error; empty: none
	}{
		{"pipelining", &smtptest.Host{CatchAll: true}, []string{ehlo, flight + "RSET\r\n", flight + "QUIT\r\n"}, ""},
		{"lock-step", &smtptest.Host{CatchAll: true, NoPipelining: true}, []string{ehlo, "MAIL FROM:<>\r\n", "RSET\r\n", "QUIT\r\n"}, ""},
		{"not offered", &smtptest.Host{CatchAll: true, NoPipelining: true}, []string{ehlo, flight}, "wait for the reply to MAIL"},
		{"before EHLO", &smtptest.Host{CatchAll: true}, []string{flight}, "wait for the reply to MAIL"},
		{"behind EHLO", &smtptest.Host{CatchAll: true}, []string{ehlo + flight}, "wait for the reply to EHLO"},
		{"behind STARTTLS", &smtptest.Host{CatchAll: true, STARTTLS: smtptest.TLSRefused}, []string{ehlo, "STARTTLS\r\nNOOP\r\n"}, "wait for the reply to STARTTLS"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, c := connect(t, tt.host)
				c.reply()
				for _, f := range tt.flights {
					c.send(f)
					for range strings.Count(f, "\n") {
						c.reply()
					}
				}
				_ = c.conn.Close()
				err := only(t, n).Err
				if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want %q", err, tt.want)
				}
				if (n.Err() == nil) != (err == nil) {
					t.Errorf("Network.Err: %v", n.Err())
				}
			})
		})
	}
}

func TestClientThatDoesNotWaitInWritesOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, c := connect(t, &smtptest.Host{CatchAll: true, NoPipelining: true, RCPTDelay: time.Second})
		c.hello()
		c.want("MAIL FROM:<>", "250 ")
		c.send("RCPT TO:<a@example.com>\r\n")
		c.send("RCPT TO:<b@example.com>\r\n")
		c.reply()
		c.reply()
		_ = c.conn.Close()
		if s := only(t, n); s.Err == nil || s.Err.Error() != "client did not wait for the reply to RCPT" {
			t.Errorf("got %v", s.Err)
		}
	})
}

func TestClientThatSpeaksFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, c := connect(t, &smtptest.Host{GreetingDelay: time.Second})
		c.send("EHLO client.example\r\n")
		c.reply()
		_ = c.conn.Close()
		if s := only(t, n); s.Err == nil {
			t.Error("not noted")
		}
	})
}

func TestDelayEndsWhenClientLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, c := connect(t, &smtptest.Host{GreetingDelay: time.Hour})
		_ = c.conn.Close()
		begun := time.Now()
		n.Close()
		if took := time.Since(begun); took != 0 {
			t.Errorf("Close took %v", took)
		}
	})
}

package smtptest_test

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/internal/testkit/hostile"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

func TestResetAt(t *testing.T) {
	for _, phase := range phases {
		t.Run(phase.name, func(t *testing.T) {
			_, c := connect(t, at(phase, smtptest.Resets))
			untilPhase(c, phase)
			if _, err := c.r.ReadByte(); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("got %v, want a reset", err)
			}
		})
	}
}

func TestLeaveAt(t *testing.T) {
	for _, phase := range phases {
		t.Run(phase.name, func(t *testing.T) {
			_, c := connect(t, at(phase, "421 4.3.2 Service closing transmission channel"))
			untilPhase(c, phase)
			if got := c.reply(); !strings.HasPrefix(got, "421 ") {
				t.Errorf("got %q", got)
			}
			c.wantEOF()
		})
	}
}

func TestLineEnd(t *testing.T) {
	_, c := connect(t, &smtptest.Host{LineEnd: "\n"})
	c.reply()
	c.send("EHLO client.example\r\nQUIT\r\n")
	if all, _ := io.ReadAll(c.r); strings.Contains(string(all), "\r") || !strings.HasSuffix(string(all), "221 2.0.0 Bye\n") {
		t.Errorf("got %q", all)
	}
}

func TestBytesTravelAlone(t *testing.T) {
	for name, h := range map[string]smtptest.Handler{
		"host":   &smtptest.Host{Greeting: "220 mx", ByteDelay: 2 * time.Second},
		"script": smtptest.Script("drip 2s 220 mx"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, c := connect(t, h)
				begun := time.Now()
				for i, want := range "220 mx\r\n" {
					got, err := c.r.ReadByte()
					if took := time.Since(begun); rune(got) != want || c.r.Buffered() > 0 || took != time.Duration(i)*2*time.Second || err != nil {
						t.Fatalf("got %q (%v) after %v", got, err, took)
					}
				}
				_ = c.conn.Close()
				n.Close()
			})
		})
	}
}

func TestScriptFloods(t *testing.T) {
	n, c := connect(t, smtptest.Script(`flood 220-a\r\n`))
	for range 10_000 {
		if line, err := c.r.ReadString('\n'); line != "220-a\r\n" || err != nil {
			t.Fatalf("got %q (%v)", line, err)
		}
	}
	_ = c.conn.Close()
	only(t, n)
}

func TestSTARTTLSOdd(t *testing.T) {
	for _, tt := range []struct {
		name string
		mode smtptest.TLSMode
		want string // part of the error of a client that verifies; empty: none until it reads
	}{
		{"wants a certificate", smtptest.TLSWorks + " wants-certificate", ""},
		{"expired", smtptest.TLSWorks + " expired", "certificate has expired"},
		{"other name", smtptest.TLSWorks + " other-name", "not mx.smtptest.example"},
		{"old", smtptest.TLSWorks + " old", "protocol version"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &smtptest.Host{STARTTLS: tt.mode}
			_, c := connect(t, h)
			c.hello()
			c.want("STARTTLS", "220 ")
			switch err := handshake(c, h); {
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want %q", err, tt.want)
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want == "":
				if _, err := c.r.ReadByte(); err == nil || !strings.Contains(err.Error(), "certificate required") {
					t.Errorf("got %v, want an alert", err)
				}
			}
		})
	}
}

// TestHostileHosts sees that each has a name of its own, serves more than one
// client, and ends when the client leaves.
func TestHostileHosts(t *testing.T) {
	names := map[string]bool{}
	for _, kind := range hostile.Kinds() {
		t.Run(kind, func(t *testing.T) {
			if names[kind] || strings.ContainsAny(kind, " \"=") {
				t.Error("the name is taken, or is not one word")
			}
			names[kind] = true
			synctest.Test(t, func(t *testing.T) {
				n, first := connect(t, hostile.Host(kind))
				second := dial(t, n, addr)
				for _, c := range []*client{first, second} {
					_ = c.conn.SetDeadline(time.Now().Add(time.Minute))
					for range 20 { // as a client that reads little and speaks out of turn
						_, _ = io.WriteString(c.conn, "EHLO client.example\r\nRCPT TO:<real@example.com>\r\n")
						_, _ = c.r.ReadByte()
					}
					_ = c.conn.Close()
				}
				n.Close()
			})
		})
	}
	if len(names) < 80 {
		t.Errorf("%d kinds", len(names))
	}
}

func TestUnknownHostileHost(t *testing.T) {
	defer func() {
		if got, want := recover(), "hostile: no host is called nice"; got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}()
	hostile.Host("nice")
}

// TestRandomHostIsTheSameEachTime holds that a failure met with it can be met
// again.
func TestRandomHostIsTheSameEachTime(t *testing.T) {
	ask := func() (all string) {
		_, c := connect(t, hostile.Host("random"))
		c.reply()
		for range 50 {
			all += c.cmd("NOOP") + "\n"
		}
		return all
	}
	if one, two := ask(), ask(); one != two {
		t.Errorf("got %q and %q", one, two)
	}
}

// TestPipeliningReversed has the host give the first recipient of a group the
// answer about the second.
func TestPipeliningReversed(t *testing.T) {
	_, c := connect(t, hostile.Host("pipelining-reversed"))
	c.hello()
	c.send("MAIL FROM:<>\r\nRCPT TO:<real@example.com>\r\nRCPT TO:<other@example.com>\r\n")
	for _, want := range []string{"250", "550", "250"} {
		if got := c.reply(); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %s", got, want)
		}
	}
	c.want("RCPT TO:<real@example.com>", "250")
}

package fakehost_test

import (
	"bufio"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/fakehost"
)

// say says some commands at once, and returns all that the host says until it
// hangs up or has nothing more to say for a minute.
func say(t *testing.T, h *fakehost.Host, commands ...string) string {
	t.Helper()
	client, server := net.Pipe()
	go h.ServeSMTP(server)
	go func() { _, _ = io.WriteString(client, strings.Join(append(commands, ""), "\r\n")) }()
	_ = client.SetReadDeadline(time.Now().Add(time.Minute))
	said, _ := io.ReadAll(bufio.NewReader(client))
	_ = client.Close()
	return strings.ReplaceAll(strings.TrimSuffix(string(said), "\r\n"), "\r\n", "|")
}

var commands = []string{"EHLO me", "MAIL FROM:<>", "RCPT TO:<good@a.example>", "RCPT TO:<bad@a.example>", "RSET", "QUIT"}

func TestHost(t *testing.T) {
	const honest = "220 mx|250-mx|250-PIPELINING|250 8BITMIME|250 2.1.0 Ok|250 2.1.5 Ok|550 5.1.1 <bad@a.example>: no such user|250 2.0.0 Ok|221 bye"
	at := func(verb, text string) func(s *fakehost.Session, command string) string {
		return func(_ *fakehost.Session, command string) string {
			if strings.HasPrefix(command, verb) {
				return text
			}
			return ""
		}
	}
	for name, tt := range map[string]struct {
		host *fakehost.Host
		says string
	}{
		"honest":      {&fakehost.Host{}, honest},
		"bytewise":    {&fakehost.Host{Bytewise: true}, honest},
		"slowly":      {&fakehost.Host{Pace: time.Second, Takes: time.Second}, honest},
		"arranged":    {&fakehost.Host{Arrange: func(_ *fakehost.Session, _, answers []string) []string { return answers[:1] }}, "220 mx|250-mx|250-PIPELINING|250 8BITMIME"},
		"keywords":    {&fakehost.Host{Keywords: "SIZE DSN", Say: at("MAIL", fakehost.Closes)}, "220 mx|250-mx|250-SIZE|250-DSN|250 8BITMIME"},
		"greeting":    {&fakehost.Host{Greet: func(*fakehost.Session) string { return "421 no" }}, "421 no"},
		"hangs":       {&fakehost.Host{Say: at("EHLO", fakehost.Hangs)}, "220 mx"},
		"skips, more": {&fakehost.Host{Say: at("EHLO", fakehost.Skips), After: at("EHLO", "421 enough")}, "220 mx|421 enough"},
		"too many":    {&fakehost.Host{Tolerates: 1, TooMany: "421 no"}, honest},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if got := say(t, tt.host, commands...); got != tt.says {
					t.Errorf("said %s\nwant %s", got, tt.says)
				}
			})
		})
	}
}

func TestSessionsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &fakehost.Host{Tolerates: 1, TooMany: "421 no"}
		first, server := net.Pipe()
		go host.ServeSMTP(server)
		synctest.Wait()
		if got := say(t, host, commands...); got != "421 no" {
			t.Errorf("the second was told %q", got)
		}
		_ = first.Close()
		synctest.Wait()
		_ = say(t, host, commands...)
		if most, away := host.Most(); most != 2 || away != 1 {
			t.Errorf("%d open, %d turned away", most, away)
		}
		if want := []string{"good@a.example", "bad@a.example"}; !slices.Equal(host.Asked(), want) {
			t.Errorf("asked about %q", host.Asked())
		}
		if s := host.Sessions()[2]; s.Number != 3 || s.Named != 2 || s.Refused != 1 || s.Accepted != 1 || s.Mailed != 1 || s.Left.IsZero() {
			t.Errorf("%+v", s)
		}
	})
}

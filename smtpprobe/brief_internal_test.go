package smtpprobe

import (
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// texts are n texts of so many bytes.
func texts(n, bytes int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.Repeat("x", bytes)
	}
	return list
}

// TestWhatIsRememberedIsBrief sees that a session that is remembered for others
// takes little, however much its host had to say.
func TestWhatIsRememberedIsBrief(t *testing.T) {
	talk := &smtp.Reply{Code: 550, Enhanced: "5.7.1", Lines: append([]string{"You are blocked"}, texts(99, 1000)...)}
	s := Session{Host: "mx.example", Greeting: talk, EHLO: talk, STARTTLS: talk, MAIL: talk, Extensions: append([]string{"SIZE"}, texts(99, 64)...)}
	for _, text := range texts(256, 512) {
		s.Transcript = append(s.Transcript, smtp.Line{From: smtp.FromServer, Text: text})
	}
	b := brief(&s)
	total := 0
	for _, r := range []*smtp.Reply{b.Greeting, b.EHLO, b.STARTTLS, b.MAIL} {
		if r.Code != 550 || r.Enhanced != "5.7.1" || r.Lines[0] != "You are blocked" {
			t.Errorf("reply %+v", r)
		}
		total += len(r.String())
	}
	total += len(strings.Join(b.Extensions, ""))
	for _, line := range b.Transcript {
		total += len(line.Text)
	}
	if total > 12<<10 {
		t.Errorf("%d bytes", total)
	}
	if !b.offers("SIZE") || b.Host != s.Host || b.Control != nil {
		t.Errorf("session %+v", b)
	}
	if last := b.Transcript[len(b.Transcript)-1]; last.From != smtp.FromProber {
		t.Errorf("the transcript ends with %q", last.Text)
	}
	if len(s.Transcript) != 256 || len(s.Greeting.Lines) != 100 {
		t.Error("the session itself was cut")
	}
}

func TestShortSessionIsRememberedWhole(t *testing.T) {
	s := Session{Greeting: &smtp.Reply{Code: 421, Lines: []string{"busy", "later"}}, Transcript: []smtp.Line{{From: smtp.FromServer, Text: "421 busy", At: 3 * time.Millisecond}}}
	b := brief(&s)
	if b.Greeting.String() != s.Greeting.String() || len(b.Transcript) != 1 || b.Transcript[0] != s.Transcript[0] {
		t.Errorf("remembered %+v", b)
	}
}

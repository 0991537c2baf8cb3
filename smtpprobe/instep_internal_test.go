package smtpprobe

import "testing"

// TestReplyToRSETShows is about when the reply to RSET proves that none before it came twice: not where it may be that about the last recipient.
func TestReplyToRSETShows(t *testing.T) {
	parsed := func(line string) *Reply {
		r, err := ParseReply(line)
		if err != nil {
			t.Fatal(err)
		}
		return &r
	}
	for _, tt := range []struct {
		name           string
		reset, usually string // usually: before; empty: it was not heard
		heard          string // about a recipient
		want           bool
	}{
		{"words of its own", "250 2.0.0 Ok", "", "250 2.1.5 Ok", true},
		{"as ever", "250 2.0.0 Ok", "250 2.0.0 Ok", "550 5.1.1 no such user", true},
		{"as ever, speaking of a recipient", "250 2.1.5 Flushed b17 - gsmtp", "250 2.1.5 Flushed b16 - gsmtp", "250 2.1.5 OK b17 - gsmtp", true},
		{"the same for everything", "250 ok", "250 ok", "250 ok", false},
		{"the same for everything, and nobody was accepted", "250 Ok sender", "", "550 no such user", false},
		{"the same for everything, as ever", "250 Ok sender", "250 Ok sender", "550 no such user", false},
		{"other words than ever", "250 2.1.5 Ok", "250 2.0.0 Ok", "550 5.1.1 no such user", false},
		{"of a recipient", "250 2.1.5 Ok", "", "550 5.1.1 no such user", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &flight{mail: said{reply: parsed("250 Ok sender")}, named: []recipient{{mailbox: "a@a.example", said: said{reply: parsed(tt.heard)}}, {mailbox: "b@a.example"}}}
			usual := ""
			if tt.usually != "" {
				usual = wording(*parsed(tt.usually))
			}
			if got := f.shows(*parsed(tt.reset), usual); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

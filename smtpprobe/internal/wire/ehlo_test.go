package wire

import (
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// FuzzKeywords holds that whatever a host says to EHLO, its extensions are few,
// each once, and spelt as we compare them; and that what a host says in small
// letters, or with parameters, is the same.
func FuzzKeywords(f *testing.F) {
	for _, seed := range []string{
		"250-mx.example\n250-PIPELINING\n250-SIZE 10240000\n250 8BITMIME",
		"250 mx.example", "250-mx\n250-starttls\n250 StartTLS", "250-mx\n250-AUTH=LOGIN PLAIN\n250-\n250 X-\x00",
		"250-mx\n250-PIPELINING\t\n250  STARTTLS", "250-PIPELINING\n250 STARTTLS",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		reply, err := smtp.ParseReply(strings.Split(text, "\n")...)
		if err != nil {
			return
		}
		found := keywords(reply)
		if len(found) >= smtp.MaxReplyLines {
			t.Errorf("%d extensions", len(found))
		}
		for i, keyword := range found {
			if keyword == "" || len(keyword) > smtp.MaxText || !isKeyword(keyword) || slices.Contains(found[:i], keyword) {
				t.Errorf("extension %q of %q", keyword, found)
			}
		}
		if len(found) > 0 && len(reply.Lines) == 1 {
			t.Errorf("%q is the host's name and no extension", found)
		}
		bare := smtp.Reply{Code: 250, Lines: []string{"mx"}}
		for _, keyword := range found {
			bare.Lines = append(bare.Lines, strings.ToLower(keyword)+" parameter")
		}
		if again := keywords(bare); !slices.Equal(again, found) {
			t.Errorf("%q becomes %q", found, again)
		}
	})
}

// TestLongKeywords holds that a name as long as no extension has is not kept.
func TestLongKeywords(t *testing.T) {
	long := strings.Repeat("X", maxKeyword)
	got := keywords(smtp.Reply{Code: 250, Lines: []string{"mx.example", long, long + "X", "PIPELINING"}})
	if !slices.Equal(got, []string{long, "PIPELINING"}) {
		t.Errorf("got %q", got)
	}
}

package smtp_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

func TestParseReply(t *testing.T) {
	type reply = smtp.Reply
	for _, tt := range []struct {
		name  string
		lines string // separated by "\n"
		want  reply
	}{
		{"plain", "250 ok", reply{250, "", []string{"ok"}}},
		{"code only", "250", reply{250, "", []string{""}}},
		{"no text", "250 ", reply{250, "", []string{""}}},
		{"two lines", "250-mx\n250 SIZE", reply{250, "", []string{"mx", "SIZE"}}},
		{"empty lines", "550-\n550 no", reply{550, "", []string{"", "no"}}},
		{"enhanced", "550 5.1.1 no such user", reply{550, "5.1.1", []string{"no such user"}}},
		{"enhanced only", "550 5.1.1", reply{550, "5.1.1", []string{""}}},
		{"enhanced on each line", "550-5.1.1 no\n550 5.1.1 such user", reply{550, "5.1.1", []string{"no", "such user"}}},
		{"enhanced on one line", "550-5.1.1 no\n550 such user", reply{550, "5.1.1", []string{"no", "such user"}}},
		{"enhanced on the last line", "550-no\n550 5.1.1 such user", reply{550, "5.1.1", []string{"no", "such user"}}},
		{"enhanced lines that disagree", "550-5.1.1 no\n550 5.7.1 no", reply{550, "", []string{"5.1.1 no", "5.7.1 no"}}},
		{"enhanced of another class than the code", "550 4.7.1 later", reply{550, "4.7.1", []string{"later"}}},
		{"long subject and detail", "550 5.100.999 no", reply{550, "5.100.999", []string{"no"}}},
		{"appliance's #", "550 #5.1.0 Address rejected", reply{550, "5.1.0", []string{"Address rejected"}}},
		{"qmail's", "553 sorry, not here (#5.1.1)", reply{553, "5.1.1", []string{"sorry, not here (#5.1.1)"}}},
		{"qmail's with a period", "553 sorry (#5.7.1).", reply{553, "5.7.1", []string{"sorry (#5.7.1)."}}},
		{"colon behind it", "550 5.1.1: no", reply{550, "5.1.1", []string{"no"}}},
		{"twice", "550 5.1.1 5.1.1 no", reply{550, "5.1.1", []string{"5.1.1 no"}}},
		{"leading one before qmail's", "550 5.1.1 no (#5.7.1)", reply{550, "5.1.1", []string{"no (#5.7.1)"}}},
		{"IP address", "550 5.1.1.25 is listed", reply{550, "", []string{"5.1.1.25 is listed"}}},
		{"domain", "550 5.1.1.example is listed", reply{550, "", []string{"5.1.1.example is listed"}}},
		{"class 1", "250 1.1.1 ok", reply{250, "", []string{"1.1.1 ok"}}},
		{"class 3", "550 3.1.1 no", reply{550, "", []string{"3.1.1 no"}}},
		{"four digits", "550 5.1000.1 no", reply{550, "", []string{"5.1000.1 no"}}},
		{"two numbers", "550 5.1 no", reply{550, "", []string{"5.1 no"}}},
		{"within the text", "550 said: 550 5.1.1 no", reply{550, "", []string{"said: 550 5.1.1 no"}}},
		{"spaces", "550   5.1.1   no  ", reply{550, "5.1.1", []string{"no"}}},
		{"UTF-8", "550 Empfänger unbekannt", reply{550, "", []string{"Empfänger unbekannt"}}},
		{"Latin-1", "550 Empf\xe4nger", reply{550, "", []string{"Empfänger"}}},
		{"controls", "550 a\tb\x00c\x1b[31m\u202ed\x7f", reply{550, "", []string{`a b\x00c\x1b[31m\u202ed\x7f`}}},
		{"carriage return within", "550 a\r250 b", reply{550, "", []string{`a\r250 b`}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := smtp.ParseReply(strings.Split(tt.lines, "\n")...)
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestParseReplyRefuses(t *testing.T) {
	for name, lines := range map[string][]string{
		"nothing":              nil,
		"empty line":           {""},
		"two digits":           {"25"},
		"four digits":          {"2500 ok"},
		"no digits":            {"abc ok"},
		"sign":                 {"+25 ok"},
		"other separator":      {"250_ok"},
		"separator of UTF-8":   {"250\u00a0ok"},
		"leading space":        {" 250 ok"},
		"code below 200":       {"199 ok"},
		"code above 599":       {"600 ok"},
		"other script's digit": {"٢٥٠ ok"},
		"mixed codes":          {"250-ok", "550 no"},
		"goes on":              {"250-ok"},
		"ends early":           {"250 ok", "250 ok"},
		"too many lines":       append(slicesOf("250-x", 100), "250 x"),
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := smtp.ParseReply(lines...); err == nil {
				t.Errorf("read as %v", got)
			}
		})
	}
}

func slicesOf(s string, n int) []string {
	return strings.Split(strings.TrimSuffix(strings.Repeat(s+"\n", n), "\n"), "\n")
}

func TestReplyTextIsBounded(t *testing.T) {
	r, err := smtp.ParseReply("550 5.1.1 " + strings.Repeat("ä", 2000))
	if err != nil {
		t.Fatal(err)
	}
	if text := r.Lines[0]; len(text) > 1024 || !utf8.ValidString(text) || !strings.HasSuffix(text, "ä…") {
		t.Errorf("%d bytes, ending in %q", len(text), text[len(text)-8:])
	}
}

// TestReplyIsBounded checks that a reply of many long lines is cut and keeps
// its enhanced status code.
func TestReplyIsBounded(t *testing.T) {
	lines := slices.Repeat([]string{"550-5.1.1 " + strings.Repeat("x", 4000)}, 99)
	r, err := smtp.ParseReply(append(lines, "550 5.1.1 no")...)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Join(r.Lines, "")); n > 4<<10 || n < 2<<10 || r.Enhanced != "5.1.1" {
		t.Errorf("%d bytes in %d lines, enhanced code %q", n, len(r.Lines), r.Enhanced)
	}
}

func TestReplyString(t *testing.T) {
	for want, r := range map[string]smtp.Reply{
		"250 ":                       {Code: 250},
		"250 ok":                     {Code: 250, Lines: []string{"ok"}},
		"550-5.1.1 no\n550 5.1.1 ok": {Code: 550, Enhanced: "5.1.1", Lines: []string{"no", "ok"}},
	} {
		if got := r.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// FuzzParseReply sees that what was read is clean and reads the same again.
func FuzzParseReply(f *testing.F) {
	for _, seed := range []string{
		"250 ok", "250-mx\n250 SIZE", "550-5.1.1 no\n550 5.1.1 such user", "550 #5.1.0 no", "553 sorry (#5.7.1)", "550-5.1.1 a\n550 5.7.1 b",
		"250", "250-\n250 ", "550 \xe4\x00\t\u202e", "550 5.1.1: 5.1.1 : x", "421", "550 5.1.1 " + strings.Repeat("x", 1100) + "(#5.7.1)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := smtp.ParseReply(strings.Split(text, "\n")...)
		if err != nil {
			return
		}
		for _, line := range r.Lines {
			if !utf8.ValidString(line) || strings.ContainsAny(line, "\r\n\x00\x1b\t") || len(line) > 1024 {
				t.Errorf("text %q", line)
			}
		}
		again, err := smtp.ParseReply(strings.Split(r.String(), "\n")...)
		if diff := cmp.Diff(r, again); diff != "" || err != nil {
			t.Errorf("read again: %v (-was +is):\n%s", err, diff)
		}
	})
}

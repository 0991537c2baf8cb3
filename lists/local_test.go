package lists

import (
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"testing"
)

func TestMatchLocal(t *testing.T) {
	l := smallEdition(t, addition(KindRole, "kontakt-büro\nzoe@acme.example"), addition(KindSpamTrap, "bob@acme.example"))
	for _, tt := range []struct{ local, domain, want string }{
		{"info", "acme.example", "role:info"},
		{"INFO+spring", "acme.example", "role:info"},
		{"ＩＮＦＯ", "acme.example", "role:info"},
		{"info2", "acme.example", "role:info"},
		{"info-2024", "acme.example", "role:info"},
		{"2024.info", "acme.example", "role:info"},
		{"sales-uk", "acme.example", "role:sales"},
		{"uk_sales.team", "acme.example", "role:sales"},
		{"tier1.support", "acme.example", "role:support"},
		{"support-l2", "acme.example", "role:support"},
		{"sales.support", "acme.example", "role:sales"},
		{"do-not-reply", "acme.example", "role:reply"},
		{"no-reply", "acme.example", ""}, // "no" is no word of this edition
		{"kontakt-büro", "acme.example", "role:kontakt-büro"},
		{"KONTAKT-BU\u0308RO", "acme.example", "role:kontakt-büro"},
		{"zoe", "acme.example", "role:zoe@acme.example"},
		{"zoe+x", "acme.example", "role:zoe@acme.example"},
		{"zoe", "other.example", ""},

		{"information", "acme.example", ""},
		{"salesman", "acme.example", ""},
		{"mark.sales", "acme.example", ""},
		{"sales..uk", "acme.example", ""},
		{"-sales", "acme.example", ""},
		{"uk", "acme.example", ""},
		{"uk-team", "acme.example", ""},
		{"2024", "acme.example", ""},
		{"2in.fo", "acme.example", ""},
		{"+info", "acme.example", ""},
		{"", "acme.example", ""},

		{"i.n.f.o", "acme.example", ""},
		{"i.n.f.o", "gmail.com", "role:info free:gmail.com allow:gmail.com"},
		{"s.ales+x", "gmail.com", "role:sales free:gmail.com allow:gmail.com"},

		{"spamtrap", "acme.example", "spamtrap:spamtrap"},
		{"SpamTrap-2024+x", "acme.example", "spamtrap:spamtrap"},
		{"the_spamtrap", "acme.example", "spamtrap:spamtrap"},
		{"spamtrapper", "acme.example", ""},
		{"spam", "uce.example", "spamtrap:spam@uce.example"},
		{"spam", "sub.uce.example", ""},
		{"bob", "acme.example", "spamtrap:bob@acme.example"},
	} {
		if got := entriesOf(l.Match(tt.local, tt.domain)); got != tt.want {
			t.Errorf("Match(%q, %q) = %q, want %q", tt.local, tt.domain, got, tt.want)
		}
	}
}

func TestMatchDigests(t *testing.T) {
	l := smallEdition(t, addition(KindSpamTrap,
		"2D57BA0B0B89FB7D4A5DF4E5F2B6D5F3F7E7E1A0\n"+ // of no known address
			sha1Of("bob@acme.example")+"\n"+sha256Of("eve@acme.example")))
	for _, tt := range []struct {
		local string
		want  bool
	}{
		{"bob", true}, {"Bob", true}, {"bob+tag", true}, {"eve", true}, {"EVE", true}, {"mallory", false}, {sha1Of("bob@acme.example"), false},
	} {
		got := l.Match(tt.local, "acme.example")
		if (len(got) == 1 && got[0].List == KindSpamTrap && got[0].Confidence == ConfidenceStrong) != tt.want {
			t.Errorf("%s: %+v", tt.local, got)
		}
	}
}

func sha1Of(address string) string { return fmt.Sprintf("%x", sha1.Sum([]byte(address))) }

func sha256Of(address string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(address))) }

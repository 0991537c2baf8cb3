package lists

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// entriesOf renders matches as "list:entry list:entry".
func entriesOf(matches []Match) string {
	var parts []string
	for _, m := range matches {
		parts = append(parts, string(m.List)+":"+m.Entry)
	}
	return strings.Join(parts, " ")
}

func TestMatchEmbedded(t *testing.T) {
	l := embeddedLists(t)
	for _, tt := range []struct{ local, domain, want string }{
		{"info", "acme.example", "role:info"},
		{"Info", "acme.example", "role:info"},
		{"info+spring", "acme.example", "role:info"},
		{"list-request", "acme.example", "role:list-request"},
		{"postmaster", "acme.example", "role:postmaster"},
		{"info.smith", "acme.example", ""},
		{"marketa", "acme.example", ""},
		{"infantino", "acme.example", ""},
		{"salesman", "acme.example", ""},
		{"supporta", "acme.example", ""},
		{"alexa", "acme.example", ""},
		{"per", "acme.example", ""},
		{"2024", "acme.example", ""},
		{"+info", "acme.example", ""},
		{"", "acme.example", ""},

		{"john", "bigpond.com", "free:bigpond.com"},
		{"john", "zoho.eu", "free:zoho.eu allow:zoho.eu"},
		{"john", "internet.ru", "free:internet.ru allow:internet.ru"},
		{"john", "mail.bigpond.com", ""},
		{"john", "facebook.com", "allow:facebook.com"},
		{"john", "alibaba.com", ""},
		{"john", "comcast.com", ""},
		{"john", "orange.com", ""},
		{"john", "zohocorp.com", ""},
		{"sales", "gmail.com", "role:sales free:gmail.com allow:gmail.com"},

		{"john", "mailinator.com", "disposable:mailinator.com"},
		{"john", "a.b.mailinator.com", "disposable:mailinator.com"},
		{"john", "ourmailinator.example", ""},
		{"john", "mailinator.com.acme.example", ""},
		{"john", "xn--mllmail-n2a.com", "disposable:xn--mllmail-n2a.com"},
		{"john", "privaterelay.appleid.com", "relay:privaterelay.appleid.com"},
		{"john", "duck.com", "relay:duck.com"},
		{"john", "k3x.mozmail.com", "relay:mozmail.com"},
		{"john", "simplelogin.com", "relay:simplelogin.com"},

		{"john", "ox.ac.uk", ""},
		{"john", "uw.edu.pl", ""},
		{"john", "student.unmuh.ac.id", ""},
		{"john", "eu.org", "disposable:eu.org"},
		{"john", "acme.eu.org", ""},
		{"john", "mail.acme.eu.org", ""},

		{"spamtrap", "acme.example", "spamtrap:spamtrap"},
		{"SpamTrap-2024+x", "acme.example", "spamtrap:spamtrap"},
		{"the_honeypot", "acme.example", "spamtrap:honeypot"},
		{"honeypotter", "acme.example", ""},
	} {
		if got := entriesOf(l.Match(tt.local, tt.domain)); got != tt.want {
			t.Errorf("Match(%q, %q) = %q, want %q", tt.local, tt.domain, got, tt.want)
		}
	}
}

// A name that no domain can have is not looked for, label after label.
func TestMatchOverlongNames(t *testing.T) {
	l := embeddedLists(t)
	name := strings.Repeat("a.", 1<<17) + "mailinator.com"
	if got := entriesOf(l.Match("info", name)); got != "role:info" {
		t.Errorf("domain: %s", got)
	}
	if got := l.MatchHosts("acme.example", []string{name}); got != nil {
		t.Errorf("host: %v", got)
	}
	if got := entriesOf(l.Match(strings.Repeat("sales-", 1<<17)+"uk", "acme.example")); got != "role:sales" {
		t.Errorf("local-part: %s", got)
	}
}

func TestMatchTellsWhatItRestsOn(t *testing.T) {
	l := smallEdition(t)
	got := l.Match("info", "throw.example")
	want := []Match{
		{List: KindRole, Entry: "info", Source: "rcpt: RFC 2142", Group: "info", Confidence: ConfidenceCurated},
		{List: KindDisposable, Entry: "throw.example", Source: "one 1.0, two 2.0", Group: "throw", Confidence: ConfidenceBulk},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMatchAdditions(t *testing.T) {
	l := embeddedLists(t,
		addition(KindRole, "billing-desk@\nbüro\nzoe@acme.example"),
		addition(KindFree, "free.example"),
		addition(KindDisposable, "throw.example\nmüll.example\neu.org\nduck.com"),
		addition(KindSpamTrap, "trap.example\nold.bob@acme.example\npit@"),
		addition(KindAllow, "good.throw.example\ninfo@\nsales@shop.example\nmailinator.com"),
	)
	for _, tt := range []struct{ local, domain, want string }{
		{"Billing-Desk", "acme.example", "role:billing-desk"},
		{"BÜRO", "acme.example", "role:büro"},
		{"zoe+x", "acme.example", "role:zoe@acme.example"},
		{"zoe", "other.example", ""},
		{"john", "free.example", "free:free.example"},
		{"john", "sub.free.example", ""},
		{"john", "sub.throw.example", "disposable:throw.example"},
		{"john", "xn--mll-hoa.example", "disposable:xn--mll-hoa.example"},
		{"john", "acme.eu.org", ""},
		{"john", "sub.trap.example", "spamtrap:trap.example"},
		{"old.bob", "acme.example", "spamtrap:old.bob@acme.example"},
		{"bob", "acme.example", ""},
		{"the.pit", "acme.example", "spamtrap:pit"},

		{"john", "good.throw.example", "allow:good.throw.example"},
		{"john", "very.good.throw.example", "allow:good.throw.example"},
		{"info", "acme.example", "allow:info"},
		{"info", "throw.example", "allow:info"},
		{"sales", "acme.example", "role:sales"},
		{"sales", "shop.example", "allow:sales@shop.example"},
		{"spamtrap", "mailinator.com", "allow:mailinator.com"},
		{"john", "duck.com", "disposable:duck.com relay:duck.com"}, // the user knows better than the edition
	} {
		if got := entriesOf(l.Match(tt.local, tt.domain)); got != tt.want {
			t.Errorf("Match(%q, %q) = %q, want %q", tt.local, tt.domain, got, tt.want)
		}
	}
}

func TestMatchPrefersTheUsersEntry(t *testing.T) {
	l := embeddedLists(t, addition(KindDisposable, "mailinator.com"))
	got := l.Match("john", "mailinator.com")
	if len(got) != 1 || got[0].Source != "mine.txt" {
		t.Errorf("got %v, want one match from mine.txt", got)
	}
}

func TestMatchDoesNotAllocate(t *testing.T) {
	l := embeddedLists(t, addition(KindSpamTrap, "bob@acme.example"))
	room := make([]Match, 0, 6)
	for _, tt := range []struct {
		local, domain string
	}{
		{"John.Smith-Jones+Newsletter", "mail.department.acme.example"},
		{"info", "mailinator.com"},
		{"sales-uk", "mail.example"},
		{"john", "gmail.com"},
		{"john", "a.b.mailinator.com"},
	} {
		if n := testing.AllocsPerRun(100, func() { l.appendMatches(room, tt.local, tt.domain) }); n != 0 {
			t.Errorf("%s@%s: %v allocations", tt.local, tt.domain, n)
		}
	}
}

// A list needs no name to be the user's.
func TestMatchAdditionWithoutName(t *testing.T) {
	l := smallEdition(t, Addition{Kind: KindAllow, From: strings.NewReader("info@\n")})
	if got := entriesOf(l.Match("info", "acme.example")); got != "allow:info" {
		t.Errorf("got %q", got)
	}
}

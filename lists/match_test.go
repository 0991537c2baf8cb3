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
		{"john", "privaterelay.appleid.com", "allow:privaterelay.appleid.com"},
		{"john", "duck.com", "allow:duck.com"},
		{"john", "k3x.mozmail.com", "allow:mozmail.com"},
		{"john", "simplelogin.com", "allow:simplelogin.com"},

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

func TestMatchNamesItsSource(t *testing.T) {
	got := embeddedLists(t).Match("john", "mailinator.com")
	want := []Match{{
		List:   Disposable,
		Entry:  "mailinator.com",
		Source: "disposable-domains 2.0.1, disposable-email-domains-js 1.26.0",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMatchAdditions(t *testing.T) {
	l := embeddedLists(t,
		addition(Role, "billing-desk@\nbüro\nzoe@acme.example"),
		addition(Free, "free.example"),
		addition(Disposable, "throw.example\nmüll.example\neu.org\nduck.com"),
		addition(SpamTrap, "trap.example\nold.bob@acme.example\npit@"),
		addition(Allow, "good.throw.example\ninfo@\nsales@shop.example\nmailinator.com"),
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
		{"john", "duck.com", "disposable:duck.com allow:duck.com"}, // the user knows better than the embedded list
	} {
		if got := entriesOf(l.Match(tt.local, tt.domain)); got != tt.want {
			t.Errorf("Match(%q, %q) = %q, want %q", tt.local, tt.domain, got, tt.want)
		}
	}
}

func TestMatchPrefersTheUsersEntry(t *testing.T) {
	l := embeddedLists(t, addition(Disposable, "mailinator.com"))
	got := l.Match("john", "mailinator.com")
	if len(got) != 1 || got[0].Source != "mine.txt" {
		t.Errorf("got %v, want one match from mine.txt", got)
	}
}

func TestMatchMissDoesNotAllocate(t *testing.T) {
	l := embeddedLists(t, addition(SpamTrap, "bob@acme.example"))
	allocs := testing.AllocsPerRun(100, func() {
		l.Match("John.Smith-Jones+Newsletter", "mail.department.acme.example")
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestMatchHosts(t *testing.T) {
	l := embeddedLists(t,
		addition(Disposable, "mx:backend.example\nthrow.example\neu.org"),
		addition(Allow, "good.throw.example"),
	)
	for _, tt := range []struct{ hosts, want string }{
		{"mail.mailinator.com", "disposable:mx:mail.mailinator.com"},
		{"MX1.Backend.Example.", "disposable:mx:mx1.backend.example"},
		{"backend.example", "disposable:mx:backend.example"},
		{"mx.acme.example mx.throw.example", "disposable:mx:mx.throw.example"},
		{"mx.good.throw.example", ""},
		{"mx.acme.eu.org", ""},
		{"mx.acme.example", ""},
		{"mx.simplelogin.co", ""},
		{"", ""},
	} {
		if got := entriesOf(l.MatchHosts(strings.Fields(tt.hosts))); got != tt.want {
			t.Errorf("MatchHosts(%q) = %q, want %q", tt.hosts, got, tt.want)
		}
	}
}

// A user's list, or a bad update of a package, must not make half the world disposable.
func TestMatchHostsNeverMatchesSharedHosts(t *testing.T) {
	l := embeddedLists(t, addition(Disposable, "google.com\nmx:outlook.com\ncloudflare.net\nprivateemail.com\nforwardemail.net\n"+
		"simplelogin.co\nmigadu.com\nzoho.com\nzoho.eu\nimprovmx.com\ngooglemail.com"))
	for _, host := range []string{
		"aspmx.l.google.com", "alt1.aspmx.l.google.com", "aspmx2.googlemail.com", "acme-example.mail.protection.outlook.com",
		"route1.mx.cloudflare.net", "mx1.privateemail.com", "mx1.forwardemail.net", "mx1.simplelogin.co", "aspmx1.migadu.com",
		"mx.zoho.com", "mx2.zoho.eu", "mx1.improvmx.com",
	} {
		if got := l.MatchHosts([]string{host}); got != nil {
			t.Errorf("MatchHosts(%q) = %v", host, got)
		}
	}
}

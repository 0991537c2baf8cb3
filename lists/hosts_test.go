package lists

import (
	"strings"
	"testing"
)

func TestMatchHosts(t *testing.T) {
	l := smallEdition(t,
		addition(KindDisposable, "mx:mine.example\naway.example\nmx:box.shared.example"),
		addition(KindSpamTrap, "mx:pit.example"),
		addition(KindAllow, "good.away.example"),
	)
	for _, tt := range []struct{ domain, hosts, want string }{
		{"acme.example", "mx.backend.example", "disposable:mx:mx.backend.example"},
		{"acme.example", "BACKEND.Example.", "disposable:mx:backend.example"},
		{"acme.example", "MX1.Mine.Example.", "disposable:mx:mx1.mine.example"},
		{"acme.example", "mx.notbackend.example", ""},
		{"acme.example", "mail.mailinator.com", "disposable:mx:mail.mailinator.com"},
		{"acme.example", "mx.acme.example mx.away.example", "disposable:mx:mx.away.example"},
		{"acme.example", "mx.good.away.example", ""},
		{"acme.example", "mx.kept.throw.example", ""},
		{"acme.example", "mx.acme.eu.org", ""},
		{"acme.example", "eu.org", "disposable:mx:eu.org"},
		{"acme.example", "box.shared.example", ""},
		{"acme.example", "mx.acme.example", ""},
		{"acme.example", "park.parked.example", "spamtrap:mx:park.parked.example"},
		{"acme.example", "park.parked.example mx.pit.example", "spamtrap:mx:mx.pit.example"},
		{"acme.example", "", ""},
		{"gmial.com", "mx.acme.example", "spamtrap:typo:gmail.com"},
		{"gmial.com", "mx.acme.example alt1.aspmx.l.google.com.", ""},
		{"gmial.com", "notgoogle.com", "spamtrap:typo:gmail.com"},
		{"gmial.com", "mx.pit.example", "spamtrap:mx:mx.pit.example"},
		{"gmial.com", "", ""},
		{"gmial.com", ".", ""},
		{"gmall.com", "mx.acme.example", ""},
		{"gmail.com", "mx.acme.example", ""},
	} {
		if got := entriesOf(l.MatchHosts(tt.domain, strings.Fields(tt.hosts))); got != tt.want {
			t.Errorf("MatchHosts(%q, %q) = %q, want %q", tt.domain, tt.hosts, got, tt.want)
		}
	}
}

func TestMatchHostsStrength(t *testing.T) {
	l := smallEdition(t, addition(KindSpamTrap, "mx:pit.example"))
	for host, want := range map[string]Confidence{"mx.pit.example": ConfidenceStrong, "mx.parked.example": ConfidenceWeak} {
		if got := l.MatchHosts("acme.example", []string{host}); len(got) != 1 || got[0].Confidence != want {
			t.Errorf("%s: %+v, want confidence %s", host, got, want)
		}
	}
}

// TestMatchHostsNeverMatchesSharedHosts checks that neither a user's list nor a
// bad update of a package makes half the world disposable.
func TestMatchHostsNeverMatchesSharedHosts(t *testing.T) {
	l := embeddedLists(t, addition(KindDisposable, "google.com\nmx:outlook.com\ncloudflare.net\nprivateemail.com\nforwardemail.net\n"+
		"simplelogin.co\nmigadu.com\nzoho.com\nzoho.eu\nimprovmx.com\ngooglemail.com"))
	for _, host := range []string{
		"aspmx.l.google.com", "alt1.aspmx.l.google.com", "aspmx2.googlemail.com", "acme-example.mail.protection.outlook.com",
		"route1.mx.cloudflare.net", "mx1.privateemail.com", "mx1.forwardemail.net", "mx1.simplelogin.co", "aspmx1.migadu.com",
		"mx.zoho.com", "mx2.zoho.eu", "mx1.improvmx.com",
	} {
		if got := l.MatchHosts("acme.example", []string{host}); got != nil {
			t.Errorf("MatchHosts(%q) = %v", host, got)
		}
	}
}

package provider

import (
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
)

func TestPacing(t *testing.T) {
	addr := netip.MustParseAddr("192.0.2.77")
	for _, tt := range []struct {
		host, want string
		known      bool
	}{
		{"gmail-smtp-in.l.google.com", "google", true},
		{"aspmx.l.google.com", "google", true},
		{"a-example.mail.protection.outlook.com", "microsoft", true},
		{"outlook-com.olc.protection.outlook.com", "microsoft", true},
		{"mx00.gmx.net", "united_internet", true},
		{"mx-ha02.web.de", "united_internet", true},
		{"mx00.kundenserver.de", "united_internet", true},
		{"in1-smtp.messagingengine.com", "fastmail", true},
		{"mx1.a.hoster.example", "hoster.example", false},
		{"MX2.B.Hoster.Example.", "hoster.example", false},
		{"mx.hoster.co.uk", "hoster.co.uk", false},
		{"hoster.example", "hoster.example", false},
		{"mx.customer.github.io", "github.io", false}, // a private suffix is one company's
		{"inbound-smtp.eu-west-1.amazonaws.com", "amazon_ses", true},
		{"ec2-192-0-2-77.eu-west-1.compute.amazonaws.com", "192.0.2.0/24", false},
		{"ec2-192-0-2-77.compute-1.amazonaws.com", "192.0.2.0/24", false},
		{"static.77.2.0.192.clients.your-server.de", "192.0.2.0/24", false},
		{"www77.your-server.de", "your-server.de", false},
		{"w0077.kasserver.com", "kasserver.com", false},
		{"co.uk", "192.0.2.0/24", false},
		{"mx", "192.0.2.0/24", false},
		{"192.0.2.77", "192.0.2.0/24", false},
		{"", "192.0.2.0/24", false},
	} {
		if got := Pacing(tt.host, addr); got.Provider != tt.want || got.Known != tt.known {
			t.Errorf("%q is paced as %q, known %t; want %q, %t", tt.host, got.Provider, got.Known, tt.want, tt.known)
		}
	}
	for ip, want := range map[string]string{"::ffff:192.0.2.1": "192.0.2.0/24", "2001:db8:1:2::3": "2001:db8:1::/48"} {
		if got := Pacing("", netip.MustParseAddr(ip)).Provider; got != want {
			t.Errorf("%s is paced as %q, want %q", ip, got, want)
		}
	}
}

func TestPacingOf(t *testing.T) {
	for name, want := range map[string]string{"google": "google", "gmail": "google", "outlook": "microsoft", "fastmail": "fastmail"} {
		if got, ok := PacingOf(name); !ok || got.Provider != want {
			t.Errorf("%s is paced as %q, %t; want %q", name, got.Provider, ok, want)
		}
	}
	if got, ok := PacingOf("others"); ok {
		t.Errorf("others is a provider: %+v", got)
	}
	names := PacingNames()
	if !slices.Contains(names, "google") || slices.Contains(names, "gmail") || !slices.IsSorted(names) {
		t.Errorf("names %v", names)
	}
}

// TestLimits checks that each number of the table has a source that the file
// explains, and belongs to a provider.
func TestLimits(t *testing.T) {
	names := PacingNames()
	for name, limits := range embedded().Limits {
		if name != others && !slices.Contains(names, name) {
			t.Errorf("limits of %s, which is no provider", name)
		}
		for rule, text := range limits {
			value, source, _ := strings.Cut(text, " ")
			var l pace.Limits
			if err := setLimit(&l, rule, value); err != nil || l == (pace.Limits{}) {
				t.Errorf("%s: %s %q: %v", name, rule, text, err)
			}
			if embedded().Sources[source] == "" {
				t.Errorf("%s: %s has no source", name, rule)
			}
		}
		if name != others && limits["sessions"] == "" {
			t.Errorf("%s: no limit of sessions", name)
		}
	}
	google, _ := PacingOf("google")
	if l := google.Limits; l.Sessions != 5 || l.RecipientsPerSession != 50 || l.RefusedPause != time.Hour || l.SlowFor != 30*time.Minute || google.Sources["sessions"] == "" {
		t.Errorf("google has %+v", google)
	}
	fastmail, _ := PacingOf("fastmail")
	if l := fastmail.Limits; l.Sessions != 10 || l.SessionsPerMinute != 50 {
		t.Errorf("fastmail, which has no limits of its own, has %+v", l)
	}
}

// TestDocumentedLimits compares the table of docs/pacing.md with the data.
func TestDocumentedLimits(t *testing.T) {
	text, err := os.ReadFile("../../docs/pacing.md")
	if err != nil {
		t.Fatal(err)
	}
	rowOf := func(name, others string, limits map[string]string, columns ...string) string {
		row := "| `" + name + "` |"
		if name == others {
			row = "| other known ones |"
		}
		for _, column := range columns {
			value, _, _ := strings.Cut(limits[column], " ")
			row += " " + value + " |"
		}
		return row
	}
	for name, limits := range embedded().Limits {
		rows := []string{rowOf(name, others, limits,
			"sessions", "sessions_per_minute", "recipients_per_session", "recipients_per_minute", "recipients_per_day")}
		reactions := rowOf(name, "", limits, "refused_pause", "deferred_pause", "throttled_pause", "slow_for")
		if strings.ContainsAny(strings.ReplaceAll(reactions, name, ""), "123456789") {
			rows = append(rows, reactions)
		}
		for _, row := range rows {
			if !strings.Contains(string(text), row+"\n") {
				t.Errorf("docs/pacing.md lacks the row %s", row)
			}
		}
	}
}

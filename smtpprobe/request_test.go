package smtpprobe_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

func TestConfigIsChecked(t *testing.T) {
	for _, tt := range []struct {
		name   string
		config smtpprobe.Config
		want   string // in the error; empty: none
	}{
		{"empty", smtpprobe.Config{}, ""},
		{"names", smtpprobe.Config{HELO: "mail.example", MailFrom: "probe@mail.example"}, ""},
		{"literal", smtpprobe.Config{HELO: "[IPv6:2001:db8::1]"}, ""},
		{"CRLF in the EHLO name", smtpprobe.Config{HELO: "a\r\nDATA"}, "Config.HELO"},
		{"space in the EHLO name", smtpprobe.Config{HELO: "a b"}, "Config.HELO"},
		{"IDN as EHLO name", smtpprobe.Config{HELO: "bücher.example"}, "Config.HELO"},
		{"long EHLO name", smtpprobe.Config{HELO: strings.Repeat("a", 256)}, "Config.HELO"},
		{"CRLF in the reverse-path", smtpprobe.Config{MailFrom: "a@b\r\nDATA"}, "Config.MailFrom"},
		{"bracket in the reverse-path", smtpprobe.Config{MailFrom: "<a@b>"}, "Config.MailFrom"},
		{"parameter in the reverse-path", smtpprobe.Config{MailFrom: "a@b> SIZE=1"}, "Config.MailFrom"},
		{"non-ASCII reverse-path", smtpprobe.Config{MailFrom: "zoë@b"}, "Config.MailFrom"},
		{"negative number", smtpprobe.Config{MaxSessions: -1}, "Config.MaxSessions: -1 is negative"},
		{"negative number of those who wait", smtpprobe.Config{MaxWaitingPerHost: -1}, "Config.MaxWaitingPerHost: -1 is negative"},
		{"negative timeout", smtpprobe.Config{Timeouts: smtpprobe.Timeouts{Quit: -1}}, "Config.Timeouts.Quit: -1ns is negative"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantError(t, func() error { _, err := smtpprobe.New(tt.config); return err }(), tt.want)
		})
	}
}

// wantError fails the test unless err says want, or is nil where that is empty.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// TestInjection sees that nothing but a mailbox gets between the angle
// brackets, whatever the caller let through.
func TestInjection(t *testing.T) {
	for _, bad := range []string{
		"alice",
		"@example.com",
		"alice@",
		"a@b\r\nDATA",
		"a@b\nDATA",
		"a@b\rDATA",
		"a@b\x00",
		"a@b\x7f",
		"a@b>\r\nRCPT TO:<c@d",
		"a@b> NOTIFY=NEVER",
		"<a@b>",
		"a b@c",
		`a\ b@c`,
		`"a@b`,
		`a@b"c`,
		`"a\"@b`,
		`"a"> x"@b`,
		"@relay.example,@b:c@d",
		"\"a\r\nDATA\"@b",
		"zoë@example.com",
		"a@b\u202e",
		"a\xff@b",
		strings.Repeat("a", 250) + "@b.de",
	} {
		t.Run(bad, func(t *testing.T) {
			for name, req := range map[string]smtpprobe.Request{
				"target":  {Target: bad},
				"control": {Target: target, Control: bad},
			} {
				o := probe(t, setting{req: req}, good())
				wantError(t, o.err, name)
				if len(o.dials) != 0 || len(o.found.Sessions) != 0 {
					t.Errorf("%s was put on the wire", name)
				}
			}
		})
	}
}

func TestUnusualMailboxesAreAsked(t *testing.T) {
	for _, mailbox := range []string{
		`"a b"@example.com`,
		`"a>b"@example.com`,
		`"a\"> b"@example.com`,
		`"a@b"@example.com`,
		"o'neil+tag/x=y@example.com",
	} {
		o := probe(t, setting{req: smtpprobe.Request{Target: mailbox}}, smtptest.Script(
			"S: 220 mx\nC: EHLO *\nS: 250 mx\nC: MAIL *\nS: 250 ok\nC: RCPT TO:<"+mailbox+">\nS: 250 yes"))
		if got, want := summaries(o.found), "greeting 220, ehlo 250, mail 250, target 250"; got != want || o.err != nil {
			t.Errorf("%s: found %s (%v), want %s", mailbox, got, o.err, want)
		}
	}
}

func TestImpossibleRequestsAreRefused(t *testing.T) {
	o := probe(t, setting{req: smtpprobe.Request{Hosts: []smtpprobe.Host{{Name: "mx\r\n.example", Addrs: []netip.Addr{{}}}}}})
	wantError(t, o.err, `mail host "mx\r\n.example"`)
	wantError(t, probe(t, setting{req: smtpprobe.Request{Budget: -1}}, good()).err, "negative")
}

// TestOddHostNames sees that a host is asked whatever it is called, and that
// its name gets no further than the findings, clean.
func TestOddHostNames(t *testing.T) {
	long := strings.Repeat("a", 300)
	for name, want := range map[string]string{
		"mx_1.example":                  "mx_1.example",
		"mx\r\nRCPT TO:<eve@b>.example": `mx\r\nRCPT TO:<eve@b>.example`,
		"mx example":                    "mx example",
		"mx\x00\u202e.example":          `mx\x00\u202e.example`,
		"":                              "",
		long:                            long[:252] + "…",
	} {
		t.Run(name, func(t *testing.T) {
			hosts := mx("192.0.2.1")
			hosts[0].Name = name
			o := probe(t, setting{hosts: one(tlsHost(smtptest.TLSWorks)), req: smtpprobe.Request{Hosts: hosts}})
			if o.err != nil {
				t.Fatal(o.err)
			}
			session := o.found.Sessions[0]
			if session.Host != want || session.Target == nil || session.TLS == "" {
				t.Errorf("found %s at %q, want it at %q", summary(session), session.Host, want)
			}
			if strings.Contains(o.sessions[0].Client, "eve") {
				t.Errorf("the client said %q", o.sessions[0].Client)
			}
			checkFindings(t, o.found)
		})
	}
}

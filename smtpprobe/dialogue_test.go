package smtpprobe_test

import (
	"net/netip"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestDialogue compares everything that the client sends.
func TestDialogue(t *testing.T) {
	for _, tt := range []struct {
		name   string
		set    setting
		host   string
		client string
		found  string
	}{
		{
			name: "one flight where PIPELINING is offered",
			host: `
				S: 220 mx ready
				C: EHLO *
				S: 250-mx
				S: 250 pipelining
				C: MAIL *
				C: RCPT *
				C: RCPT *
				S: 250 sender
				S: 250 yes
				S: 550 no`,
			client: `
				EHLO probe.example
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				RCPT TO:<random@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 250, target 250, control 550",
		},
		{
			name: "in turn where it is not",
			host: `
				S: 220 mx ready
				C: EHLO *
				S: 250 mx
				C: MAIL *
				S: 250 sender
				C: RCPT TO:<alice@*
				S: 250 yes
				C: RCPT TO:<random@*
				S: 550 no`,
			client: `
				EHLO probe.example
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				RCPT TO:<random@example.com>
				QUIT`,
			found: goodFound,
		},
		{
			name: "HELO where EHLO is refused",
			host: `
				S: 220 mx
				C: EHLO *
				S: 502 what
				C: HELO *
				S: 250 mx
				C: MAIL *
				S: 250 sender
				C: RCPT *
				S: 250 yes
				C: RCPT *
				S: 250 yes`,
			client: `
				EHLO probe.example
				HELO probe.example
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				RCPT TO:<random@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 250, target 250, control 250",
		},
		{
			name: "extensions are read anew after STARTTLS",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250-mx
				S: 250-PIPELINING
				S: 250 STARTTLS
				C: STARTTLS
				S: 220 go ahead
				starttls
				C: EHLO *
				S: 250 mx
				C: MAIL *
				S: 250 sender
				C: RCPT *
				S: 250 yes
				C: RCPT *
				S: 550 no`,
			client: `
				EHLO probe.example
				STARTTLS
				EHLO probe.example
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				RCPT TO:<random@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, starttls 220, mail 250, target 250, control 550, TLS 1.3",
		},
		{
			name: "what was offered before TLS is forgotten",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250-mx
				S: 250-PIPELINING
				S: 250 STARTTLS
				C: STARTTLS
				S: 220 go ahead
				starttls
				C: EHLO *
				S: 502 what
				C: HELO *
				S: 250 mx
				C: MAIL *
				S: 550 blocked`,
			client: `
				EHLO probe.example
				STARTTLS
				EHLO probe.example
				HELO probe.example
				MAIL FROM:<>
				QUIT`,
			found: "greeting 220, ehlo 250, starttls 220, mail 550, TLS 1.3",
		},
		{
			name: "the first line of the EHLO reply is a name",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250-PIPELINING
				S: 250 SIZE
				C: MAIL *
				S: 550 blocked`,
			client: `
				EHLO probe.example
				MAIL FROM:<>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 550",
		},
		{
			name: "plain text where STARTTLS is refused",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250-mx
				S: 250 STARTTLS
				C: STARTTLS
				S: 454 not now
				C: MAIL *
				S: 250 sender
				C: RCPT *
				S: 250 yes
				C: RCPT *
				S: 550 no`,
			client: `
				EHLO probe.example
				STARTTLS
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				RCPT TO:<random@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, starttls 454, mail 250, target 250, control 550",
		},
		{
			name: "a reverse-path, and no control recipient",
			set:  setting{config: smtpprobe.Config{MailFrom: "probe@probe.example"}, req: smtpprobe.Request{Target: target}},
			host: `
				S: 220 mx
				C: EHLO *
				S: 250-mx
				S: 250 PIPELINING
				C: MAIL *
				C: RCPT *
				S: 250 sender
				S: 250 yes`,
			client: `
				EHLO probe.example
				MAIL FROM:<probe@probe.example>
				RCPT TO:<alice@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 250, target 250",
		},
		{
			name: "SMTPUTF8 where the target needs it",
			set:  setting{req: smtpprobe.Request{Target: "zoë@example.com", Control: control, SMTPUTF8: true}},
			host: `
				S: 220 mx
				C: EHLO *
				S: 250-mx
				S: 250-PIPELINING
				S: 250-8BITMIME
				S: 250 SMTPUTF8
				C: MAIL *
				C: RCPT *
				C: RCPT *
				S: 250 sender
				S: 250 yes
				S: 550 no`,
			client: `
				EHLO probe.example
				MAIL FROM:<> SMTPUTF8
				RCPT TO:<zoë@example.com>
				RCPT TO:<random@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 250, target 250, control 550",
		},
		{
			name: "SMTPUTF8 is not used where it is not needed",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250-mx
				S: 250-PIPELINING
				S: 250 SMTPUTF8
				C: MAIL FROM:<>
				C: RCPT *
				C: RCPT *
				S: 250 sender
				S: 250 yes
				S: 550 no`,
			client: `
				EHLO probe.example
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				RCPT TO:<random@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 250, target 250, control 550",
		},
		{
			name: "SMTPUTF8 is needed and not offered",
			set:  setting{req: smtpprobe.Request{Target: "zoë@example.com", SMTPUTF8: true}},
			host: `
				S: 220 mx
				C: EHLO *
				S: 250-mx
				S: 250 PIPELINING`,
			client: `
				EHLO probe.example
				QUIT`,
			found: "greeting 220, ehlo 250, failure smtputf8 at mail",
		},
		{
			name: "a refused EHLO says nothing about SMTPUTF8",
			set:  setting{req: smtpprobe.Request{Target: "zoë@example.com", SMTPUTF8: true}},
			host: `
				S: 220 mx
				C: EHLO *
				S: 550 not you`,
			client: `
				EHLO probe.example
				QUIT`,
			found: "greeting 220, ehlo 550",
		},
		{
			name: "refused at the greeting",
			host: `
				S: 554-no
				S: 554 service`,
			client: `
				QUIT`,
			found: "greeting 554",
		},
		{
			name: "refused at MAIL, in one flight",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250-mx
				S: 250 PIPELINING
				C: MAIL *
				C: RCPT *
				C: RCPT *
				S: 550 blocked
				S: 503 MAIL first
				S: 503 MAIL first`,
			client: `
				EHLO probe.example
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				RCPT TO:<random@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 550",
		},
		{
			name: "refused at MAIL, in turn",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250 mx
				C: MAIL *
				S: 550 blocked`,
			client: `
				EHLO probe.example
				MAIL FROM:<>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 550",
		},
		{
			name: "a control beyond the limit on recipients gets a transaction of its own",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250-mx
				S: 250 PIPELINING
				C: MAIL *
				C: RCPT *
				C: RCPT *
				S: 250 sender
				S: 250 yes
				S: 452 4.5.3 too many recipients
				C: RSET
				C: MAIL FROM:<>
				C: RCPT TO:<random@example.com>
				S: 250 reset
				S: 250 sender
				S: 550 5.1.1 unknown`,
			client: `
				EHLO probe.example
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				RCPT TO:<random@example.com>
				RSET
				MAIL FROM:<>
				RCPT TO:<random@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 250, target 250, control 550",
		},
		{
			name: "no second transaction for a target that was refused",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250-mx
				S: 250 PIPELINING
				C: MAIL *
				C: RCPT *
				C: RCPT *
				S: 250 sender
				S: 550 5.1.1 unknown
				S: 452 4.5.3 too many recipients`,
			client: `
				EHLO probe.example
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				RCPT TO:<random@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 250, target 550, control 452",
		},
		{
			name: "the limit stands when the second MAIL is refused",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250-mx
				S: 250 PIPELINING
				C: MAIL *
				C: RCPT *
				C: RCPT *
				S: 250 sender
				S: 250 yes
				S: 452 4.5.3 too many recipients
				C: RSET
				C: MAIL FROM:<>
				C: RCPT TO:<random@example.com>
				S: 250 reset
				S: 450 enough
				S: 503 no MAIL`,
			client: `
				EHLO probe.example
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				RCPT TO:<random@example.com>
				RSET
				MAIL FROM:<>
				RCPT TO:<random@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 250, target 250, control 452",
		},
		{
			name: "the limit stands when the server leaves instead",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250-mx
				S: 250 PIPELINING
				C: MAIL *
				C: RCPT *
				C: RCPT *
				S: 250 sender
				S: 250 yes
				S: 452 4.5.3 too many recipients
				C: RSET
				C: MAIL FROM:<>
				C: RCPT TO:<random@example.com>
				S: 421 enough`,
			client: `
				EHLO probe.example
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				RCPT TO:<random@example.com>
				RSET
				MAIL FROM:<>
				RCPT TO:<random@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 250, target 250, control 452",
		},
		{
			name: "a control that is refused for good for being the second gets one, too",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250 mx
				C: MAIL *
				S: 250 sender
				C: RCPT TO:<alice@example.com>
				S: 250 yes
				C: RCPT TO:<random@example.com>
				S: 550 bounce messages have only one recipient
				C: RSET
				S: 250 reset
				C: MAIL *
				S: 250 sender
				C: RCPT TO:<random@example.com>
				S: 550 Unrouteable address`,
			client: `
				EHLO probe.example
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				RCPT TO:<random@example.com>
				RSET
				MAIL FROM:<>
				RCPT TO:<random@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 250, target 250, control 550",
		},
		{
			name: "a control that is refused by policy is not asked for twice",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250 mx
				C: MAIL *
				S: 250 sender
				C: RCPT TO:<alice@example.com>
				S: 250 yes
				C: RCPT TO:<random@example.com>
				S: 550 5.7.1 too many recipients from your network`,
			client: `
				EHLO probe.example
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				RCPT TO:<random@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 250, target 250, control 550",
		},
		{
			name: "a greeting that begins before the host has made up its mind",
			host: `
				S: 220-mx
				S: 521 5.7.1 Service unavailable; client [192.0.2.10] blocked using rbl.example`,
			client: `
				QUIT`,
			found: "greeting 521",
		},
		{
			name: "no other reply changes its mind",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250-mx
				S: 550 no`,
			client: `
				EHLO probe.example
				QUIT`,
			found: "greeting 220, failure protocol at ehlo",
		},
		{
			name: "the second transaction in lock-step",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250 mx
				C: MAIL *
				S: 250 sender
				C: RCPT TO:<alice@example.com>
				S: 250 yes
				C: RCPT TO:<random@example.com>
				S: 452 too many recipients
				C: RSET
				S: 250 reset
				C: MAIL *
				S: 250 sender
				C: RCPT TO:<random@example.com>
				S: 250 yes`,
			client: `
				EHLO probe.example
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				RCPT TO:<random@example.com>
				RSET
				MAIL FROM:<>
				RCPT TO:<random@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 250, target 250, control 250",
		},
		{
			name: "a host without EHLO has no SMTPUTF8",
			set:  setting{req: smtpprobe.Request{Target: "bücher@example.com", SMTPUTF8: true}},
			host: `
				S: 220 mx
				C: EHLO *
				S: 502 what?
				C: HELO *
				S: 250 mx`,
			client: `
				EHLO probe.example
				HELO probe.example
				QUIT`,
			found: "greeting 220, ehlo 250, failure smtputf8 at mail",
		},
		{
			name: "a host that wants neither EHLO nor HELO has said nothing about SMTPUTF8",
			set:  setting{req: smtpprobe.Request{Target: "bücher@example.com", SMTPUTF8: true}},
			host: `
				S: 220 mx
				C: EHLO *
				S: 502 what?
				C: HELO *
				S: 550 go away`,
			client: `
				EHLO probe.example
				HELO probe.example
				QUIT`,
			found: "greeting 220, ehlo 550",
		},
		{
			name: "no control after the target's 421",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250 mx
				C: MAIL *
				S: 250 sender
				C: RCPT *
				S: 421 enough`,
			client: `
				EHLO probe.example
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 250, target 421",
		},
		{
			name: "421 to everything in the flight",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250-mx
				S: 250 PIPELINING
				C: MAIL *
				C: RCPT *
				C: RCPT *
				S: 250 sender
				raw: 421 enough\r\n421 enough\r\n`,
			client: `
				EHLO probe.example
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				RCPT TO:<random@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 250, target 421",
		},
		{
			name: "the control's reply after the target's 421 does not matter",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250-mx
				S: 250 PIPELINING
				C: MAIL *
				C: RCPT *
				C: RCPT *
				S: 250 sender
				raw: 421 enough\r\n250 yes\r\n`,
			client: `
				EHLO probe.example
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				RCPT TO:<random@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 250, target 421",
		},
		{
			name: "421 unasked stands for the control's reply",
			host: `
				S: 220 mx
				C: EHLO *
				S: 250 mx
				C: MAIL *
				S: 250 sender
				C: RCPT *
				raw: 550 no\r\n421 too many errors\r\n`,
			client: `
				EHLO probe.example
				MAIL FROM:<>
				RCPT TO:<alice@example.com>
				QUIT`,
			found: "greeting 220, ehlo 250, mail 250, target 550, control 421",
		},
		{
			name: "a greeting in parts, as of postscreen",
			host: `
				S: 220-mx
				sleep 6s
				S: 220 mx
				C: EHLO *
				S: 421 busy`,
			client: `
				EHLO probe.example
				QUIT`,
			found: "greeting 220, ehlo 421",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := probe(t, tt.set, smtptest.Script(tt.host))
			if o.err != nil {
				t.Fatal(o.err)
			}
			if got := summaries(o.found); got != tt.found {
				t.Errorf("found\n%s\nwant\n%s\n%s", got, tt.found, transcript(o.found.Sessions[0]))
			}
			if diff := cmp.Diff(wire(tt.client), o.sessions[0].Client); diff != "" {
				t.Errorf("client (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAddressLiteralIsTheDefaultName(t *testing.T) {
	// The network of smtptest gives a client the addresses 198.51.100.1 and 2001:db8:c::1.
	for addr, want := range map[string]string{
		"192.0.2.1":    "EHLO [198.51.100.1]",
		"2001:db8::25": "EHLO [IPv6:2001:db8:c::1]",
	} {
		synctest.Test(t, func(t *testing.T) {
			network := smtptest.NewNetwork()
			network.Add(addr, &smtptest.Host{})
			hosts := []smtpprobe.Host{{Name: "mx.example", Addrs: []netip.Addr{netip.MustParseAddr(addr)}}}
			o := probeNetwork(t, setting{config: smtpprobe.Config{Helo: ownAddress}, req: smtpprobe.Request{Hosts: hosts}}, network)
			if got := o.sessions[0].Commands[0]; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestTranscript(t *testing.T) {
	o := probe(t, setting{}, smtptest.Script(`
		S: 220 mx
		sleep 2s
		C: EHLO *
		S: 250-mx
		S: 250 PIPELINING
		C: MAIL *
		C: RCPT *
		C: RCPT *
		S: 550 5.7.1 blocked
		S: 503 MAIL first
		raw: 503 MAIL \x00 first\n`))
	const want = `* connected to mx1.example 192.0.2.1:25
S 220 mx
C EHLO probe.example
S 250-mx
S 250 PIPELINING
C MAIL FROM:<>
C RCPT TO:<alice@example.com>
C RCPT TO:<random@example.com>
S 550 5.7.1 blocked
S 503 MAIL first
* the server ends lines with a bare LF
S 503 MAIL \x00 first
C QUIT
`
	session := o.found.Sessions[0]
	if diff := cmp.Diff(want, transcript(session)); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
	for i, line := range session.Transcript {
		want := int64(0)
		if i > 2 {
			want = 2000
		}
		if line.AtMS != want {
			t.Errorf("%q at %d ms, want %d", line.Text, line.AtMS, want)
		}
	}
}

package smtpprobe_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// dialogue is a probe of one host.
type dialogue struct {
	name   string
	set    setting
	host   string // the script
	client string // everything that the client sends
	found  string // as summaries say it
}

func testDialogues(t *testing.T, all []dialogue) {
	for _, tt := range all {
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

// TestDialogue is about the greeting, the transaction, and what a host may
// refuse on the way.
func TestDialogue(t *testing.T) {
	testDialogues(t, []dialogue{
		{
			name:   "one group where PIPELINING is offered",
			host:   "S: 220 mx ready\nC: EHLO *\nS: 250-mx\nS: 250 pipelining" + askedBoth + yesNo,
			client: greets + asksBoth + quits,
			found:  goodFound,
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
				S: 550 5.1.1 unknown`,
			client: greets + asksBoth + quits,
			found:  goodFound,
		},
		{
			name:   "HELO where EHLO is refused",
			host:   noEHLO + "S: 250 mx\nC: MAIL *\nS: 250 sender\nC: RCPT *\nS: 250 yes\nC: RCPT *\nS: 250 yes",
			client: greets + "HELO probe.example\n" + asksBoth + quits,
			found:  "greeting 220, ehlo 250, mail 250, target 250, control 250",
		},
		{
			name:   "the first line of the EHLO reply is a name",
			host:   heard + "S: 250-PIPELINING\nS: 250 SIZE\nC: MAIL *\nS: 550 blocked",
			client: greets + "MAIL FROM:<>\n" + quits,
			found:  "greeting 220, ehlo 250, mail 550",
		},
		{
			name:   "a reverse-path, and no control recipient",
			set:    setting{config: smtpprobe.Config{MailFrom: "probe@probe.example"}, req: smtpprobe.Request{Target: target}},
			host:   pipelining + "C: MAIL *\nC: RCPT *\nC: RSET\nS: 250 sender\nS: 250 yes\nS: 250 reset",
			client: greets + "MAIL FROM:<probe@probe.example>\nRCPT TO:<alice@example.com>\nRSET\n" + quits,
			found:  "greeting 220, ehlo 250, mail 250, target 250",
		},
		{
			name:   "refused at the greeting",
			host:   "S: 554-no\nS: 554 service",
			client: quits,
			found:  "greeting 554",
		},
		{
			name:   "refused at MAIL, in one group",
			host:   group + "S: 550 blocked\nS: 503 MAIL first\nS: 503 MAIL first\nS: 250 reset",
			client: greets + asksBoth + quits,
			found:  "greeting 220, ehlo 250, mail 550",
		},
		{
			name:   "refused at MAIL, in turn",
			host:   heard + "S: 250 mx\nC: MAIL *\nS: 550 blocked",
			client: greets + "MAIL FROM:<>\n" + quits,
			found:  "greeting 220, ehlo 250, mail 550",
		},
		{
			name:   "a greeting that begins before the host has made up its mind",
			host:   "S: 220-mx\nS: 521 5.7.1 Service unavailable; client [192.0.2.10] blocked using rbl.example",
			client: quits,
			found:  "greeting 521",
		},
		{
			name:   "no other reply changes its mind",
			host:   heard + "S: 250-mx\nS: 550 no",
			client: greets + quits,
			found:  "greeting 220, failure protocol at ehlo",
		},
		{
			name:   "a greeting in parts, as of postscreen",
			host:   "S: 220-mx\nsleep 6s\nS: 220 mx\nC: EHLO *\nS: 421 busy",
			client: greets + quits,
			found:  "greeting 220, ehlo 421",
		},
	})
}

func TestAddressLiteralIsTheDefaultName(t *testing.T) {
	// The network of smtptest gives a client the addresses 198.51.100.1 and
	// 2001:db8:c::1.
	for addr, want := range map[string]string{
		"192.0.2.1":    "EHLO [198.51.100.1]",
		"2001:db8::25": "EHLO [IPv6:2001:db8:c::1]",
	} {
		o := probe(t, setting{
			config: smtpprobe.Config{HELO: ownAddress}, hosts: map[string]smtptest.Handler{addr: &smtptest.Host{}},
			req: smtpprobe.Request{Hosts: mx(addr)},
		})
		if got := o.sessions[0].Commands[0]; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTranscript(t *testing.T) {
	o := probe(t, setting{}, smtptest.Script(`
		S: 220 mx
		sleep 2s
		C: EHLO *
		S: 250-mx
		raw: 250-\x00\n
		S: 250 PIPELINING
		C: MAIL *
		C: RCPT *
		C: RCPT *
		C: RSET
		S: 550 5.7.1 blocked
		S: 503 MAIL first`))
	const want = `* connected to mx1.example 192.0.2.1:25
S 220 mx
C EHLO probe.example
S 250-mx
* the server ends lines with a bare LF
S 250-\x00
S 250 PIPELINING
C MAIL FROM:<>
C RCPT TO:<alice@example.com>
C RCPT TO:<random@example.com>
C RSET
S 550 5.7.1 blocked
C QUIT
`
	session := o.found.Sessions[0]
	if diff := cmp.Diff(want, transcript(session)); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
	for i, line := range session.Transcript {
		want := time.Duration(0)
		if i > 2 {
			want = 2 * time.Second
		}
		if line.At != want {
			t.Errorf("%q at %v, want %v", line.Text, line.At, want)
		}
	}
}

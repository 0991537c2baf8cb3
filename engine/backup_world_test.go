package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// refusesUs are primaries that put off or refuse everybody, with whether a host
// of another provider is asked then.
var refusesUs = []struct {
	name  string
	host  *smtptest.Host
	asked bool
}{
	{"greeting", &smtptest.Host{Greeting: "554 5.7.1 No SMTP service for you"}, true},
	{"EHLO", &smtptest.Host{EHLO: "550 5.7.1 go away"}, true},
	{"MAIL", &smtptest.Host{MAIL: "550 5.7.1 go away"}, false},
	{"greylisting", &smtptest.Host{RCPT: "451 4.7.1 Greylisted, please try again later"}, false},
	{"no lookup", &smtptest.Host{RCPT: "451 4.3.0 Temporary lookup failure"}, false},
	{"not verified yet", &smtptest.Host{RCPT: "450 4.1.1 unverified address: Address verification in progress"}, false},
}

// TestBackups: behind a host that refuses us a host of another provider is
// asked, and believed where it takes the mailbox and refuses a random one.
// Whatever else it says, it settles nothing, as docs/decisions/0022 measured.
func TestBackups(t *testing.T) {
	for backup, host := range map[string]*smtptest.Host{
		"knows mailboxes": honest(),
		"takes all":       {CatchAll: true},
		"greylists":       {RCPT: "451 4.7.1 Greylisted, please try again later"},
		"refuses us":      {Greeting: "554 5.7.1 No SMTP service for you"},
		"relays not":      {RCPT: "554 5.7.1 Relay access denied"},
		"knows nobody":    {RCPT: "550 5.1.1 User unknown"},
	} {
		for _, primary := range refusesUs {
			for _, name := range []string{"mx2.own.test", "mx.other.test"} {
				for _, local := range []string{"real", "dead"} {
					synctest.Test(t, func(t *testing.T) {
						zone := fmt.Sprintf("own.test. MX 10 mx1.own.test.\nown.test. MX 20 %s.\nmx1.own.test. A 192.0.2.1\n%[1]s. A 192.0.2.2\n", name)
						verifier, network, _ := inMemory(t, engine.Config{Exchanger: dnstest.New(zone)}, primary.host)
						network.Add("192.0.2.2", host)
						result, err := verifier.Verify(t.Context(), local+"@own.test")
						asked := primary.asked && name == "mx.other.test"
						want := rcpt.VerdictUnknown
						if asked && backup == "knows mailboxes" && local == "real" {
							want = rcpt.VerdictDeliverable
						}
						if dials := len(network.Dials()); err != nil || result.Verdict != want || (dials == 2) != asked || result.AcceptAll {
							t.Errorf("%s at %s, %s that %s: %s (%s) after %d connections",
								local, primary.name, name, backup, result.Verdict, result.Reason, dials)
						}
					})
				}
			}
		}
	}
}

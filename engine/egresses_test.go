package engine_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// clientOf is an egress with a network of its own, whose hosts know it as a
// client of their own.
func clientOf(t *testing.T, name string, giant func() *smtptest.Host) egress.Egress {
	network := smtptest.NewNetwork()
	t.Cleanup(network.Close)
	mailboxes := map[string]smtptest.Mailbox{"alice": smtptest.Accepts}
	for i := range poolDomains {
		host := giant()
		host.Mailboxes = mailboxes
		network.Add(fmt.Sprintf("9.9.%d.9", i), host)
		network.Add(fmt.Sprintf("9.8.%d.9", i), &smtptest.Host{Mailboxes: mailboxes, Greylist: 5 * time.Minute})
	}
	return egress.Egress{Name: name, Dialer: network}
}

const poolDomains = 30

func anyHost() *smtptest.Host { return &smtptest.Host{} }

type deadDialer struct{ name string }

func (d deadDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	return nil, &egress.Error{Egress: d.name, Err: errors.New("the proxy is down")}
}

// TestThreeEgresses has three egresses, of which a provider blocks one and
// another is dead, and adds a fourth while addresses are greylisted. Every
// address gets its verdict, no answer is wrong on the way, and hosts that
// greylist meet the same client again.
func TestThreeEgresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		blocked := func() *smtptest.Host { return &smtptest.Host{Greeting: "554 5.7.1 your address is blocked"} }
		egresses := egress.Egresses{clientOf(t, "blocked", blocked), {Name: "dead", Dialer: deadDialer{"dead"}}, clientOf(t, "well", anyHost)}
		var zone strings.Builder
		var open []string
		for i := range poolDomains {
			fmt.Fprintf(&zone, "g%d.test. MX 10 mx%d.giant.test.\nmx%d.giant.test. A 9.9.%d.9\n", i, i, i, i)
			fmt.Fprintf(&zone, "o%d.test. MX 10 mx.o%d.test.\nmx.o%d.test. A 9.8.%d.9\n", i, i, i, i)
			for _, name := range []string{"alice", "ghost"} {
				open = append(open, fmt.Sprintf("%s@g%d.test", name, i), fmt.Sprintf("%s@o%d.test", name, i))
			}
		}
		verifier, err := engine.New(engine.Config{
			HELO: "verifier.test", Resolvers: []string{"192.0.2.53"}, Exchanger: dnstest.New(zone.String()), Egresses: egresses,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer verifier.Close()
		first := map[string]string{} // the egress that was greylisted
		for round := 0; len(open) > 0 && round < 8; round++ {
			open = verifyOnce(t, verifier, open, first)
			if round == 0 {
				if err := verifier.SetEgresses(append(egresses, clientOf(t, "fourth", anyHost)), nil); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(6 * time.Minute)
		}
		if len(open) > 0 {
			t.Errorf("%d have no verdict: %v", len(open), open)
		}
		met := map[string]int{}
		for i := range poolDomains {
			evidence, err := verifier.Gather(t.Context(), fmt.Sprintf("alice@g%d.test", i))
			if err != nil {
				t.Fatal(err)
			}
			met[evidence.SMTP.Sessions[len(evidence.SMTP.Sessions)-1].Egress]++
		}
		if met["fourth"] < poolDomains/6 || met["well"] < poolDomains/6 || met["dead"]+met["blocked"] > 1 { // one shows after a pause that the block still stands
			t.Errorf("the provider was met by %v", met)
		}
		for _, e := range verifier.Egresses() {
			if e.Down != (e.Name == "dead") {
				t.Errorf("%s is down: %t", e.Name, e.Down)
			}
		}
	})
}

// verifyOnce verifies the addresses and returns those that are unknown.
func verifyOnce(t *testing.T, verifier *engine.Verifier, addresses []string, first map[string]string) (open []string) {
	t.Helper()
	for _, address := range addresses {
		evidence, err := verifier.Gather(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		result := engine.Decide(evidence, verifier.Policy())
		want := rcpt.VerdictDeliverable
		if strings.HasPrefix(address, "ghost") {
			want = rcpt.VerdictUndeliverable
		}
		switch {
		case result.Verdict == rcpt.VerdictUnknown:
			open = append(open, address)
		case result.Verdict != want:
			t.Errorf("%s is %s, %s", address, result.Verdict, result.Reason)
		}
		if len(evidence.SMTP.Sessions) == 0 {
			continue
		}
		last := evidence.SMTP.Sessions[len(evidence.SMTP.Sessions)-1]
		if before, greylisted := first[address]; greylisted && last.Egress != before {
			t.Errorf("%s was greylisted by %s, and asked by %s", address, before, last.Egress)
		}
		if result.Reason == rcpt.ReasonGreylisted {
			first[address] = last.Egress
		}
	}
	return open
}

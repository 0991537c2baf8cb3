package engine_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/testkit/hostile"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// unknownMailbox is the reply to RCPT for mailboxes that a host does not have.
const unknownMailbox = "550 5.1.1 <%s>: no such mailbox here"

// hostileZone has a domain of the hostile host, one of the honest host, and one
// whose backup is honest.
const hostileZone = `
hostile.test. MX 10 mx.hostile.test.
mx.hostile.test. A 192.0.2.1
honest.test. MX 10 mx.honest.test.
mx.honest.test. A 192.0.2.2
backed.test. MX 10 mx.backed.test.
backed.test. MX 20 mx.honest.test.
mx.backed.test. A 192.0.2.3
`

// honest is a host that has the mailboxes that begin with "real", as the
// hostile ones would if they could.
func honest() *smtptest.Host {
	return &smtptest.Host{RCPTFunc: func(_ *smtptest.Visit, rcpt string) string {
		if local, _, _ := strings.Cut(rcpt, "@"); strings.TrimRight(local, "0123456789") == "real" { // which no random control is
			return string(smtptest.Accepts)
		}
		return unknownMailbox
	}}
}

// TestHostileHosts checks for each hostile host: the answer comes in time, is
// not that a mailbox which exists does not, and leaves the honest hosts of
// other domains as they were.
func TestHostileHosts(t *testing.T) {
	for _, kind := range hostile.All() {
		for _, timeout := range []time.Duration{engine.DefaultTimeout, 5 * time.Second} {
			t.Run(fmt.Sprintf("%s in %v", kind.Name, timeout), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { verifyBehind(t, kind, timeout) })
			})
		}
	}
}

func verifyBehind(t *testing.T, kind smtptest.Situation, timeout time.Duration) {
	if len(kind.Asked) == 0 || kind.Asked[0].Address != "real" {
		t.Fatal("nobody has said what may be found about a mailbox that exists")
	}
	allowed := kind.Asked[0].Allowed
	config := engine.Config{Timeout: timeout, Exchanger: dnstest.New(hostileZone)}
	verifier, network, _ := inMemory(t, config, kind.Host())
	network.Add("192.0.2.2", honest())
	network.Add("192.0.2.3", kind.Host())
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() {
		r := inTime(t, verifier, network, "real@hostile.test", timeout)
		reason, isAllowed := r.Reason, slices.Contains(allowed, string(r.Reason)) || slices.Contains(allowed, string(r.Verdict))
		if timeout == engine.DefaultTimeout && !isAllowed {
			t.Errorf("%s, want one of %s", reason, allowed)
		}
	})
	all.Go(func() { inTime(t, verifier, network, "real@backed.test", timeout) })
	all.Go(func() {
		for range 3 {
			began := time.Now()
			if r := inTime(t, verifier, network, "real@honest.test", timeout); r.Verdict != rcpt.VerdictDeliverable || time.Since(began) > time.Second {
				t.Errorf("an honest host: %s, %s after %v", r.Verdict, r.Reason, time.Since(began))
			}
			time.Sleep(timeout / 3)
		}
	})
}

// inTime verifies an address whose mailbox exists.
func inTime(t *testing.T, verifier *engine.Verifier, network *smtptest.Network, address string, timeout time.Duration) rcpt.Result {
	t.Helper()
	began := time.Now()
	r, err := verifier.Verify(t.Context(), address)
	if err != nil || r.Reason.Failed() || r.Verdict == rcpt.VerdictUndeliverable {
		t.Errorf("%s: %s, %s (%v)\n%s", address, r.Verdict, r.Reason, err, transcriptOf(r))
	}
	if took := time.Since(began); took > timeout+time.Second {
		t.Errorf("%s took %v", address, took)
	}
	for _, session := range network.Sessions() {
		if session.DATA {
			t.Errorf("DATA was sent:\n%s", session.Client)
		}
	}
	return r
}

// TestFiftyDeadExchangers checks that a domain with any number of dead mail
// exchangers costs six connections and the usual time.
func TestFiftyDeadExchangers(t *testing.T) {
	var zone strings.Builder
	for i := range 50 {
		fmt.Fprintf(&zone, "many.test. MX %d mx%d.many.test.\nmx%d.many.test. A 192.0.2.%d\n", i, i, i, i+1)
	}
	for name, dead := range map[string]func(n *smtptest.Network, addr string){
		"swallow packets":    (*smtptest.Network).Blackhole,
		"cannot be reached":  (*smtptest.Network).Unreachable,
		"refuse connections": func(*smtptest.Network, string) {},
		"are silent":         func(n *smtptest.Network, addr string) { n.Add(addr, hostile.Host("silent-at-greeting")) },
		"drip":               func(n *smtptest.Network, addr string) { n.Add(addr, hostile.Host("drip-greeting")) },
		"stall in TLS":       func(n *smtptest.Network, addr string) { n.Add(addr, hostile.Host("tls-stalls")) },
		"are busy":           func(n *smtptest.Network, addr string) { n.Add(addr, hostile.Host("421-at-greeting")) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				verifier, network, _ := inMemory(t, engine.Config{Exchanger: dnstest.New(zone.String())}, nil)
				for i := range 50 {
					addr := netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 1)}).String()
					network.Unreachable(addr)
					dead(network, addr)
				}
				r := inTime(t, verifier, network, "real@many.test", engine.DefaultTimeout)
				if dials := len(network.Dials()); dials > 6 || r.Verdict == rcpt.VerdictAcceptAll {
					t.Errorf("%d connections, %s", dials, r.Verdict)
				}
			})
		})
	}
}

package engine_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// portWorld is a world of well-known domains, and of site1.test to
// site200.test. All connections are dropped.
func portWorld() (*dnstest.Server, *smtptest.Network) {
	zone, network := new(strings.Builder), smtptest.NewNetwork()
	zone.WriteString(realZone)
	for n := 1; n <= 200; n++ {
		fmt.Fprintf(zone, "site%d.test. MX 10 mx.site%d.test.\nmx.site%d.test. A 9.9.7.%d\n", n, n, n, n)
	}
	drop(network, true)
	return dnstest.New(zone.String()), network
}

// drop drops the connections of a network, or lets its hosts answer.
func drop(network *smtptest.Network, dropped bool) {
	ips := []string{"9.9.9.1", "9.9.9.2", "9.9.9.3", "9.9.9.9"}
	for n := 1; n <= 200; n++ {
		ips = append(ips, fmt.Sprintf("9.9.7.%d", n))
	}
	for _, ip := range ips {
		if dropped {
			network.Blackhole(ip)
		} else {
			network.Add(ip, &smtptest.Host{CatchAll: true})
		}
	}
}

// visit verifies an address under a deadline after that time; zero: under none.
func visit(t *testing.T, v *engine.Verifier, domain string, deadline time.Duration) (rcpt.Result, time.Duration) {
	t.Helper()
	ctx := t.Context()
	if deadline > 0 {
		limited, cancel := context.WithTimeout(ctx, deadline)
		defer cancel()
		ctx = limited
	}
	started := time.Now()
	result, _ := v.Verify(ctx, "user@"+domain)
	return result, time.Since(started)
}

// TestVisitorsOfAClosedPort: who comes after the check of port 25 has failed
// waits for nothing, also when the check ends to count in the meantime.
func TestVisitorsOfAClosedPort(t *testing.T) {
	for _, tt := range []struct {
		deadline, every time.Duration
		domain          string // of the visitor whose number is #
	}{
		{0, 20 * time.Second, "site#.test"},
		{0, 20 * time.Second, "alive.test"},
		{2 * time.Second, 20 * time.Second, "site#.test"},
		{2 * time.Second, 45 * time.Second, "site#.test"},
	} {
		synctest.Test(t, func(t *testing.T) {
			names, network := portWorld()
			v := checking(t, engine.Config{}, names, network)
			for n := 1; n <= 12; n++ {
				result, took := visit(t, v, strings.ReplaceAll(tt.domain, "#", strconv.Itoa(n)), tt.deadline)
				if n > 1 && (result.Reason != rcpt.ReasonPortBlocked || took > 0) {
					t.Errorf("every %v, within %v: visitor %d: %s after %v", tt.every, tt.deadline, n, result.Reason, took)
				}
				time.Sleep(tt.every - took)
			}
		})
	}
}

// closedPort returns a Verifier whose check of port 25 has failed just now.
func closedPort(t *testing.T, config engine.Config) (*engine.Verifier, *smtptest.Network) {
	t.Helper()
	names, network := portWorld()
	v := checking(t, config, names, network)
	if result, _ := visit(t, v, "site1.test", 0); result.Reason != rcpt.ReasonPortBlocked {
		t.Fatalf("the port is closed: %s", result.Reason)
	}
	return v, network
}

// TestCheckThatIsMadeAgain: a check counts until the next is over, if that has
// begun in time.
func TestCheckThatIsMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, _ := closedPort(t, engine.Config{})
		time.Sleep(time.Until(v.Network().Port.CheckedAt.Add(55 * time.Second)))
		for n := 2; n <= 20; n++ {
			if result, took := visit(t, v, fmt.Sprintf("site%d.test", n), 0); result.Reason != rcpt.ReasonPortBlocked || took > 0 {
				t.Errorf("visitor %d: %s after %v", n, result.Reason, took)
			}
			time.Sleep(time.Second)
		}
	})
}

// TestPortOpensAgain: the connection beside a verification that is not carried
// out finds an open port, and the next verifications are.
func TestPortOpensAgain(t *testing.T) {
	for _, tt := range []struct{ name, first string }{
		{"a host is tried", "site2.test"},
		{"one that was out of reach", "site1.test"},
		{"one that is dead, and then another", "other.test"},
	} {
		synctest.Test(t, func(t *testing.T) {
			v, network := closedPort(t, engine.Config{})
			drop(network, false)
			network.Blackhole("9.9.9.10") // other.test
			wantReason(t, verify(t, v, "user@"+tt.first), rcpt.ReasonPortBlocked)
			synctest.Wait()
			if tt.first == "other.test" {
				time.Sleep(10 * time.Second)
				verify(t, v, "user@site3.test")
				synctest.Wait()
			}
			wantReason(t, verify(t, v, "user@site4.test"), rcpt.ReasonCatchAll)
			if s := v.Network().Port; s.State != engine.CheckPassed {
				t.Errorf("%s: %+v", tt.name, s)
			}
		})
	}
}

// TestPortOpensAmongDeadHosts: an open port is found within the time that a
// failed check counts, although no visitor's host is alive.
func TestPortOpensAmongDeadHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, network := closedPort(t, engine.Config{})
		network.Add("9.9.9.2", &smtptest.Host{}) // a well-known host
		opened := time.Now()
		for v.Network().Port.State == engine.CheckFailed && time.Since(opened) < time.Hour {
			visit(t, v, "site5.test", 0)
			time.Sleep(10 * time.Second)
		}
		if took := time.Since(opened); took > time.Minute {
			t.Errorf("found after %v", took)
		}
	})
}

// TestBurstAtAClosedPort: one connection is tried beside many visitors, and
// takes leave.
func TestBurstAtAClosedPort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, network := closedPort(t, engine.Config{})
		before, started := len(network.Dials()), time.Now()
		var all sync.WaitGroup
		for n := 2; n <= 101; n++ {
			all.Go(func() { wantReason(t, verify(t, v, fmt.Sprintf("user@site%d.test", n)), rcpt.ReasonPortBlocked) })
		}
		all.Wait()
		if took := time.Since(started); took > 0 {
			t.Errorf("they waited for %v", took)
		}
		synctest.Wait()
		if n := len(network.Dials()) - before; n != 1 {
			t.Errorf("%d connections beside them", n)
		}
	})
}

// TestHostsThatAFirewallLetsThrough: a host that has greeted us is asked,
// although the check has failed; once it is out of reach, it is as the others.
func TestHostsThatAFirewallLetsThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names, network := portWorld()
		network.Add("9.9.9.9", &smtptest.Host{CatchAll: true})
		v := checking(t, engine.Config{}, names, network)
		wantReason(t, verify(t, v, "user@alive.test"), rcpt.ReasonCatchAll)
		time.Sleep(10 * time.Minute)
		for n := 1; n <= 5; n++ {
			visit(t, v, fmt.Sprintf("site%d.test", n), 0)
		}
		if s := v.Network().Port; s.State != engine.CheckFailed {
			t.Fatalf("%+v", s)
		}
		wantReason(t, verify(t, v, "jane@alive.test"), rcpt.ReasonCatchAll)
		time.Sleep(2 * time.Minute)
		for n := 11; n <= 15; n++ {
			visit(t, v, fmt.Sprintf("site%d.test", n), 0)
		}
		network.Blackhole("9.9.9.9")
		time.Sleep(10 * time.Second) // the session that was kept is over
		if result, took := visit(t, v, "alive.test", 0); result.Reason != rcpt.ReasonPortBlocked || took == 0 {
			t.Errorf("first: %s after %v", result.Reason, took)
		}
		time.Sleep(40 * time.Second) // its failure is forgotten, the check still counts
		if result, took := visit(t, v, "alive.test", 0); result.Reason != rcpt.ReasonPortBlocked || took > 0 {
			t.Errorf("then: %s after %v", result.Reason, took)
		}
	})
}

// TestPortOfSeveralEgresses: where one of several ways out is closed, the hosts
// that are asked by the other are asked.
func TestPortOfSeveralEgresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names, open := portWorld()
		drop(open, false)
		t.Cleanup(open.Close)
		closed := smtptest.NewNetwork()
		drop(closed, true)
		for _, ip := range []string{"9.9.9.1", "9.9.9.2", "9.9.9.3"} {
			open.Blackhole(ip) // so that the check fails by each
		}
		v := checking(t, engine.Config{Egresses: egress.Egresses{
			{Name: "open", Dialer: open}, {Name: "closed", Dialer: closed},
		}}, names, closed)
		v.CheckNetwork(t.Context())
		if s := v.Network().Port; s.State != engine.CheckFailed {
			t.Fatalf("%+v", s)
		}
		reached := 0
		for n := range 20 {
			if result := verify(t, v, fmt.Sprintf("user@site%d.test", n+1)); result.Reason == rcpt.ReasonCatchAll {
				reached++
			}
			v.CheckNetwork(t.Context())
		}
		if reached < 5 {
			t.Errorf("%d of 20 hosts were reached", reached)
		}
	})
}

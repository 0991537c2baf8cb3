package engine_test

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// realZone is a world with well-known domains, a domain that is alive and one
// that takes no mail.
const realZone = `
gmail.com.        MX 10 mx.gmail.com.
mx.gmail.com.     A     9.9.9.1
outlook.com.      MX 10 mx.outlook.com.
mx.outlook.com.   A     9.9.9.2
yahoo.com.        MX 10 mx.yahoo.com.
mx.yahoo.com.     A     9.9.9.3
alive.test.       MX 10 mx.alive.test.
mx.alive.test.    A     9.9.9.9
other.test.       MX 10 mx.other.test.
mx.other.test.    A     9.9.9.10
null.test.        MX 0 .
`

var wellKnown = []string{"gmail.com", "outlook.com", "yahoo.com"}

// checking returns a Verifier that checks its network.
func checking(t *testing.T, config engine.Config, names dnsresolve.Exchanger, network *smtptest.Network) *engine.Verifier {
	t.Helper()
	config.HELO, config.Resolvers, config.Exchanger = "verifier.test", []string{"192.0.2.53"}, names
	config.NetworkCheck, config.CheckDomains = engine.NetworkCheckOn, wellKnown
	config.Dialer = network
	verifier, err := engine.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := verifier.Close(); err != nil {
			t.Error(err)
		}
		network.Close()
	})
	return verifier
}

func verify(t *testing.T, v *engine.Verifier, address string) rcpt.Result {
	t.Helper()
	result, err := v.Verify(t.Context(), address)
	if err != nil {
		t.Errorf("%s: %v", address, err)
	}
	return result
}

func wantReason(t *testing.T, result rcpt.Result, want rcpt.Reason) {
	t.Helper()
	if result.Reason != want || result.Verdict != want.Verdict() {
		t.Errorf("%s: %s %s, want %s: %s", result.Email, result.Verdict, result.Reason, want, result.Message)
	}
}

// TestNetworkCheckCostsNothing: a domain that is alive costs no query and no
// connection more.
func TestNetworkCheckCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names, network := dnstest.New(realZone), smtptest.NewNetwork()
		network.Add("9.9.9.9", &smtptest.Host{CatchAll: true})
		v := checking(t, engine.Config{}, names, network)
		wantReason(t, verify(t, v, "user@alive.test"), rcpt.ReasonCatchAll)
		time.Sleep(time.Hour)
		if len(names.Queries()) != 2 || len(network.Dials()) != 1 {
			t.Errorf("queries %v and dials %v, want MX and A, and one dial", names.Queries(), network.Dials())
		}
		if s := v.Network(); s.Resolver.State != engine.CheckUntested || s.Port.State != engine.CheckPassed {
			t.Errorf("status %+v", s)
		}
	})
}

// TestDenialsAreBelieved: of a resolver that works, after a check, which is
// shared and kept.
func TestDenialsAreBelieved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := dnstest.New(realZone)
		v := checking(t, engine.Config{}, names, smtptest.NewNetwork())
		var together sync.WaitGroup
		for range 20 {
			together.Go(func() { wantReason(t, verify(t, v, "user@dead.test"), rcpt.ReasonDomainNotFound) })
		}
		together.Wait()
		first := names.Count("gmail.com", "")
		if first < 9 || first > 13 {
			t.Errorf("gmail.com was asked for %d times", first)
		}
		before := len(names.Queries())
		wantReason(t, verify(t, v, "another@dead.test"), rcpt.ReasonDomainNotFound)
		if got := len(names.Queries()) - before; got != 0 {
			t.Errorf("%d queries for a denial that was believed before", got)
		}
		wantReason(t, verify(t, v, "user@null.test"), rcpt.ReasonNullMX)
		if got := names.Count("gmail.com", "") - first; got != 3 {
			t.Errorf("gmail.com was asked for %d times for another denial, want a round after each of three", got)
		}
		if s := v.Network().Resolver; s.State != engine.CheckPassed || !s.EverWorked {
			t.Errorf("status %+v", s)
		}
	})
}

// TestBrokenResolvers: none of them makes a domain that is alive undeliverable.
func TestBrokenResolvers(t *testing.T) {
	deny := func(s *dnstest.Server) { s.Break(dnstest.Fault{Kind: dnstest.NXDomain}) }
	for _, c := range []struct {
		name     string
		zone     string
		breaks   func(*dnstest.Server)
		reason   rcpt.Reason
		state    engine.CheckState
		fault    string
		hopeless bool
		within   time.Duration
	}{
		{"denies everything", realZone, deny, rcpt.ReasonResolverUnreliable, engine.CheckFailed, "says that gmail.com has no mail hosts", true, time.Second},
		{"denies one well-known domain", realZone, func(s *dnstest.Server) {
			s.Break(dnstest.Fault{Name: "alive.test", Kind: dnstest.NXDomain})
			s.Break(dnstest.Fault{Name: "yahoo.com", Kind: dnstest.NXDomain})
		}, rcpt.ReasonResolverUnreliable, engine.CheckFailed, "yahoo.com", true, time.Second},
		{"invents loopback for everything", "*.com. A 127.0.0.1\n*.com. MX 10 a.com.\n*.test. A 127.0.0.1\n*.test. MX 10 a.test.\n", func(*dnstest.Server) {}, rcpt.ReasonResolverUnreliable,
			engine.CheckFailed, "invents answers", true, time.Second},
		{"invents a private address for everything, but knows the others", realZone[:strings.Index(realZone, "alive")] + "*.com. A 10.0.0.1\n*.test. A 10.0.0.1\n",
			func(*dnstest.Server) {}, rcpt.ReasonResolverUnreliable, engine.CheckFailed, "invents answers", true, time.Second},
		{"sends everybody to its own address", strings.ReplaceAll(realZone, " 9.9.9.", " 127.0.0."), func(*dnstest.Server) {}, rcpt.ReasonResolverUnreliable,
			engine.CheckFailed, "no mail host of gmail.com has an address", true, time.Second},
		{"is dead", realZone, func(s *dnstest.Server) { s.Break(dnstest.Fault{Kind: dnstest.Lose}) },
			rcpt.ReasonDNSTemporary, engine.CheckFailed, "no DNS server answers at 192.0.2.53:53", true, 31 * time.Second},
		{"refuses connections", realZone, func(s *dnstest.Server) { s.Break(dnstest.Fault{Kind: dnstest.Unreachable}) },
			rcpt.ReasonDNSTemporary, engine.CheckFailed, "no DNS server answers at 192.0.2.53:53", true, time.Second},
		{"finds out nothing", realZone, func(s *dnstest.Server) { s.Break(dnstest.Fault{Kind: dnstest.ServFail}) },
			rcpt.ReasonDNSTemporary, engine.CheckFailed, "cannot find the mail hosts of gmail.com (SERVFAIL)", true, time.Second},
		{"is slow", realZone, func(s *dnstest.Server) { s.Break(dnstest.Fault{Kind: dnstest.None, Delay: time.Second}) },
			rcpt.ReasonConnectionFailed, engine.CheckUntested, "", false, 31 * time.Second},
		{"denies this one, and is slow", realZone, func(s *dnstest.Server) {
			s.Break(dnstest.Fault{Kind: dnstest.None, Delay: time.Second})
			s.Break(dnstest.Fault{Name: "alive.test", Kind: dnstest.NXDomain, Delay: time.Second, Times: 3})
		}, rcpt.ReasonConnectionFailed, engine.CheckPassed, "", false, 31 * time.Second},
		{"denies this one once", realZone, func(s *dnstest.Server) { s.Break(dnstest.Fault{Name: "alive.test", Kind: dnstest.NXDomain, Times: 3}) },
			rcpt.ReasonConnectionFailed, engine.CheckPassed, "", false, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				names, network := dnstest.New(c.zone), smtptest.NewNetwork()
				network.Add("9.9.9.1", &smtptest.Host{})
				c.breaks(names)
				v := checking(t, engine.Config{}, names, network)
				started := time.Now()
				wantReason(t, verify(t, v, "user@alive.test"), c.reason)
				if took := time.Since(started); took > c.within {
					t.Errorf("took %v, want at most %v", took, c.within)
				}
				synctest.Wait()
				s := v.Network()
				if s.Resolver.State != c.state || !strings.Contains(s.Resolver.Fault, c.fault) || neverWorked(s) != c.hopeless {
					t.Errorf("status %+v, want %s: %s", s.Resolver, c.state, c.fault)
				}
			})
		})
	}
}

// TestDeadResolverIsSeenSoon: a run that waits for it need not wait until
// look-ups time out.
func TestDeadResolverIsSeenSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := dnstest.New(realZone)
		names.Break(dnstest.Fault{Kind: dnstest.Lose})
		v := checking(t, engine.Config{}, names, smtptest.NewNetwork())
		ctx, cancel := context.WithCancel(t.Context())
		go v.Verify(ctx, "user@alive.test")
		time.Sleep(8 * time.Second)
		if s := v.Network(); !neverWorked(s) {
			t.Errorf("status %+v", s)
		}
		cancel()
	})
}

// TestResolverBreaksLater: it works, denies everything for a while, and works
// again.
func TestResolverBreaksLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := &switched{working: dnstest.New(realZone), broken: dnstest.New("")}
		var told []engine.CheckState
		hooks := engine.Hooks{Network: func(s engine.NetworkStatus) { told = append(told, s.Resolver.State) }}
		v := checking(t, engine.Config{Level: engine.LevelDNS, Hooks: hooks}, names, smtptest.NewNetwork())
		wantReason(t, verify(t, v, "user@dead.test"), rcpt.ReasonDomainNotFound)
		names.isBroken = true
		wantReason(t, verify(t, v, "user@alive.test"), rcpt.ReasonResolverUnreliable)
		time.Sleep(time.Second)
		names.isBroken = false
		wantReason(t, verify(t, v, "user@dead2.test"), rcpt.ReasonResolverUnreliable)
		if s := v.Network(); neverWorked(s) || s.Resolver.State != engine.CheckFailed {
			t.Errorf("status %+v", s)
		}
		time.Sleep(2 * time.Minute)
		wantReason(t, verify(t, v, "user@dead2.test"), rcpt.ReasonDomainNotFound)
		wantReason(t, verify(t, v, "user@alive.test"), rcpt.ReasonLevelReached)
		if len(told) != 3 || told[0] != engine.CheckPassed || told[1] != engine.CheckFailed || told[2] != engine.CheckPassed {
			t.Errorf("told %v", told)
		}
	})
}

// switched is a resolver that breaks and is mended.
type switched struct {
	working, broken *dnstest.Server
	isBroken        bool
}

func (s *switched) Exchange(ctx context.Context, query []byte, network, server string) ([]byte, error) {
	if s.isBroken {
		return s.broken.Exchange(ctx, query, network, server)
	}
	return s.working.Exchange(ctx, query, network, server)
}

// TestPortCheck: mail hosts that cannot be reached are judged by whether any
// can.
func TestPortCheck(t *testing.T) {
	dropped := func(n *smtptest.Network) {
		for _, ip := range []string{"9.9.9.1", "9.9.9.2", "9.9.9.3", "9.9.9.9"} {
			n.Blackhole(ip)
		}
	}
	for _, c := range []struct {
		name    string
		network func(*smtptest.Network)
		reason  rcpt.Reason
		state   engine.CheckState
		within  time.Duration
	}{
		{"refused", func(*smtptest.Network) {}, rcpt.ReasonPortBlocked, engine.CheckFailed, 4 * time.Second},
		{"dropped", dropped, rcpt.ReasonPortBlocked, engine.CheckFailed, 25 * time.Second},
		{"reset", func(n *smtptest.Network) {
			for _, ip := range []string{"9.9.9.1", "9.9.9.2", "9.9.9.3", "9.9.9.9"} {
				n.Add(ip, smtptest.Script("reset"))
			}
		}, rcpt.ReasonPortBlocked, engine.CheckFailed, 25 * time.Second},
		{"only this host is dead", func(n *smtptest.Network) { n.Add("9.9.9.1", &smtptest.Host{}) }, rcpt.ReasonConnectionFailed, engine.CheckPassed, time.Second},
		{"this host and some others are dead", func(n *smtptest.Network) {
			dropped(n)
			n.Add("9.9.9.3", &smtptest.Host{Greeting: "554 5.7.1 go away"})
		}, rcpt.ReasonConnectionTimeout, engine.CheckPassed, 25 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := smtptest.NewNetwork()
				c.network(network)
				v := checking(t, engine.Config{}, dnstest.New(realZone), network)
				started := time.Now()
				wantReason(t, verify(t, v, "user@alive.test"), c.reason)
				if took := time.Since(started); took > c.within {
					t.Errorf("took %v", took)
				}
				if s := v.Network().Port; s.State != c.state {
					t.Errorf("status %+v", s)
				}
				var together atomic.Int32
				v.VerifyGroup(t.Context(), []string{"a@alive.test", "b@alive.test"}, engine.GroupOptions{}, func(_ int, result rcpt.Result, _ error) {
					together.Add(1)
					wantReason(t, result, c.reason)
				})
				if n := together.Load(); n != 2 {
					t.Errorf("%d results", n)
				}
			})
		})
	}
}

// TestPortCheckTakesLeave: a well-known mail host that greets gets a QUIT and
// nothing else.
func TestPortCheckTakesLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		network.Add("9.9.9.1", &smtptest.Host{})
		v := checking(t, engine.Config{}, dnstest.New(realZone), network)
		if s := v.CheckNetwork(t.Context()); s.Port.State != engine.CheckPassed || s.Resolver.State != engine.CheckPassed {
			t.Errorf("status %+v", s)
		}
		time.Sleep(time.Minute)
		sessions := network.Sessions()
		if len(sessions) != 1 || sessions[0].Client != "QUIT\r\n" {
			t.Errorf("sessions %+v", sessions)
		}
	})
}

// TestPortIsSuspectedAfterManyHosts: one dead host is nothing to a network that
// has reached others, five in a row are.
func TestPortIsSuspectedAfterManyHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zone := realZone + "up.test. MX 10 mx.up.test.\nmx.up.test. A 9.9.8.0\n"
		for _, n := range []string{"1", "2", "3", "4", "5"} {
			zone += "down" + n + ".test. MX 10 mx.down" + n + ".test.\nmx.down" + n + ".test. A 9.9.8." + n + "\n"
		}
		network := smtptest.NewNetwork()
		network.Add("9.9.8.0", &smtptest.Host{CatchAll: true})
		v := checking(t, engine.Config{}, dnstest.New(zone), network)
		wantReason(t, verify(t, v, "user@up.test"), rcpt.ReasonCatchAll)
		time.Sleep(2 * time.Minute)
		for _, n := range []string{"1", "2", "3", "4"} {
			wantReason(t, verify(t, v, "user@down"+n+".test"), rcpt.ReasonConnectionFailed)
		}
		wantReason(t, verify(t, v, "user@down5.test"), rcpt.ReasonPortBlocked)
		if s := v.Network(); neverWorked(s) || s.Port.State != engine.CheckFailed {
			t.Errorf("status %+v", s)
		}
		wantReason(t, verify(t, v, "user2@up.test"), rcpt.ReasonCatchAll)
		wantReason(t, verify(t, v, "user2@down1.test"), rcpt.ReasonConnectionFailed)
	})
}

// TestNetworkCheckAuto: the check is off where the world is no real one.
func TestNetworkCheckAuto(t *testing.T) {
	for _, c := range []struct {
		name   string
		config engine.Config
		want   engine.CheckState
	}{
		{"default", engine.Config{}, engine.CheckUntested},
		{"auto", engine.Config{NetworkCheck: engine.NetworkCheckAuto}, engine.CheckUntested},
		{"allowed networks", engine.Config{AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, engine.CheckOff},
		{"exchanger", engine.Config{Exchanger: dnstest.New("")}, engine.CheckOff},
		{"dialer", engine.Config{Dialer: smtptest.NewNetwork()}, engine.CheckOff},
		{"on", engine.Config{Exchanger: dnstest.New(""), NetworkCheck: engine.NetworkCheckOn}, engine.CheckUntested},
		{"off", engine.Config{NetworkCheck: engine.NetworkCheckOff}, engine.CheckOff},
		{"syntax", engine.Config{Level: engine.LevelSyntax}, engine.CheckOff},
	} {
		v, err := engine.New(c.config)
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Network().Resolver.State; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}

// neverWorked reports whether something does not work that never has.
func neverWorked(s engine.NetworkStatus) bool {
	return s.Resolver.State == engine.CheckFailed && !s.Resolver.EverWorked ||
		s.Port.State == engine.CheckFailed && !s.Port.EverWorked
}

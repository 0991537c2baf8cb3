package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/testkit/hostile"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// lot is a world drawn by lot, and addresses in it. Some mailboxes whose names
// begin with "real" exist.
type lot struct {
	*rand.Rand
	hostile   bool // else an address has the same answer in any company
	config    engine.Config
	zone      strings.Builder
	faults    []dnstest.Fault
	hosts     map[string]func() smtptest.Handler // nil: swallows packets
	addresses []string
	probed    atomic.Int64 // how often mail hosts were asked about an address
}

// draw draws a world in which hosts behave, or do not.
func draw(seed uint64, hostile bool, known *lists.Lists) *lot {
	l := &lot{Rand: rand.New(rand.NewPCG(seed, 3)), hostile: hostile, hosts: map[string]func() smtptest.Handler{}}
	l.config = engine.Config{Lists: known, Timeout: time.Duration(8+l.IntN(7)) * time.Second}
	l.zone.WriteString("one.test.dbl.test. A 127.0.1.2\n")
	if l.IntN(3) == 0 {
		l.config.RHSBLs = []string{"dbl.test", "dead.test"}
		l.harm(dnstest.Fault{Name: "one.test.dead.test", Kind: dnstest.Lose})
	}
	if l.IntN(8) == 0 {
		l.config.Level = engine.LevelDNS
	}
	for i, domain := range []string{"one.test", "two.test"} {
		l.drawDomain(domain, i)
	}
	locals := []string{"real", "real+tag", "nobody", "bait", "ann", `"real "`, `"nobody@a"`, "jürgen", "postmaster", "not an address"}
	domains := []string{"one.test", "one.test", "one.test", "One.TEST", "one.test.", "two.test", "nowhere.test", "localhost"}
	for range 2 + l.IntN(30) {
		l.addresses = append(l.addresses, locals[l.IntN(len(locals))]+"@"+domains[l.IntN(len(domains))])
	}
	return l
}

func (l *lot) harm(f dnstest.Fault) { l.faults = append(l.faults, f) }

func (l *lot) drawDomain(domain string, n int) {
	switch l.IntN(12) {
	case 0:
		l.zone.WriteString(domain + ". MX 0 .\n")
		return
	case 1: // there is no such domain
		return
	case 2:
		l.harm(dnstest.Fault{Name: domain, Kind: []dnstest.Kind{dnstest.Lose, dnstest.ServFail, dnstest.Malformed}[l.IntN(3)]})
	case 3:
		l.harm(dnstest.Fault{Name: domain, Delay: time.Second})
	}
	for i := range 1 + l.IntN(3) {
		name, four, six := fmt.Sprintf("mx%d.%s", i, domain), fmt.Sprintf("192.0.2.%d", 10*n+i), fmt.Sprintf("2001:db8::%d", 10*n+i)
		switch l.IntN(16) {
		case 0:
			name = "mx.disposable.test"
		case 1:
			name = "mx.bait.test"
		}
		fmt.Fprintf(&l.zone, "%s. MX %d %s.\n", domain, i, name)
		if l.IntN(10) > 0 {
			fmt.Fprintf(&l.zone, "%s. A %s\n", name, four)
		}
		if l.IntN(3) == 0 {
			fmt.Fprintf(&l.zone, "%s. AAAA %s\n", name, six)
			l.hosts[six] = l.drawHost()
		}
		switch l.IntN(8) {
		case 0: // nobody is there
		case 1:
			l.hosts[four] = nil
		default:
			l.hosts[four] = l.drawHost()
		}
	}
}

func (l *lot) drawHost() func() smtptest.Handler {
	if kinds := hostile.Kinds(); l.hostile && l.IntN(2) == 0 {
		name := kinds[l.IntN(len(kinds))]
		return func() smtptest.Handler { return hostile.Host(name) }
	}
	kind, utf8 := l.IntN(9), l.IntN(2) == 0
	return func() smtptest.Handler {
		h := &smtptest.Host{SMTPUTF8: utf8}
		switch kind {
		case 0:
			h.CatchAll = true
		case 1:
			h.CatchAll, h.Greylist = true, time.Hour
		case 2:
			h.Greeting = "554 5.7.1 blocked"
		case 3:
			h.Greeting = "421 4.3.2 come back later"
		case 4:
			h.MAIL = "451 4.3.2 come back later"
		case 5:
			h.GreetingDelay = time.Second
			fallthrough
		default:
			h.RCPTFunc = func(_ *smtptest.Visit, rcpt string) string {
				// Whole local-parts: a random control may begin with "real".
				switch rcpt[:strings.LastIndexByte(rcpt, '@')] {
				case "real", "real+tag", `"real "`, "postmaster":
					return string(smtptest.Accepts)
				}
				return unknownMailbox
			}
		}
		return h
	}
}

// verifier returns a verifier in a fresh copy of the world, and what closes it.
func (l *lot) verifier(t *testing.T) (v *engine.Verifier, leave func()) {
	t.Helper()
	network := smtptest.NewNetwork()
	for addr, host := range l.hosts {
		if host == nil {
			network.Blackhole(addr)
			continue
		}
		network.Add(addr, host())
	}
	zone := dnstest.New(l.zone.String())
	for _, f := range l.faults {
		zone.Break(f)
	}
	config := l.config
	config.HELO, config.Resolvers, config.Exchanger, config.Dialer = "verifier.test", []string{"192.0.2.53"}, zone, network
	config.AllowNets = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")}
	config.Hooks.Probed = func(context.Context, smtpprobe.Findings, time.Duration) { l.probed.Add(1) }
	v, err := engine.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return v, func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
		network.Close()
	}
}

// inWorlds runs f in worlds drawn by lot.
func inWorlds(t *testing.T, worlds uint64, hostile bool, f func(t *testing.T, l *lot)) {
	t.Helper()
	known, err := lists.New(
		lists.Addition{Kind: lists.KindSpamTrap, Name: "ours", From: strings.NewReader("bait@one.test\nmx:mx.bait.test\n")},
		lists.Addition{Kind: lists.KindDisposable, Name: "ours", From: strings.NewReader("mx:mx.disposable.test\n")},
		lists.Addition{Kind: lists.KindAllow, Name: "ours", From: strings.NewReader("ann@\n")},
	)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range worlds {
		l := draw(seed, hostile, known)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f(t, l) })
			if t.Failed() {
				t.Logf("%q in\n%s%+v", l.addresses, &l.zone, l.faults)
			}
		})
	}
}

// TestTogetherInRandomWorlds checks that addresses verified together get the
// results that they would get one by one, wherever these do not hang on the
// company, and that the mail hosts are asked about the same of them.
func TestTogetherInRandomWorlds(t *testing.T) {
	inWorlds(t, 20, false, func(t *testing.T, l *lot) {
		v, leave := l.verifier(t)
		got := verifyTogether(t.Context(), t, v, l.addresses)
		leave()
		together := l.probed.Swap(0)
		for i, address := range l.addresses {
			v, leave := l.verifier(t)
			result, err := v.Verify(t.Context(), address)
			leave()
			checkSame(t, address, got[i], outcome{result, err})
		}
		if alone := l.probed.Load(); together != alone {
			t.Errorf("mail hosts were asked about %d together, and about %d by themselves", together, alone)
		}
	})
}

// TestTogetherEndsAtAnyMoment checks, among hostile hosts, that no mailbox that
// exists is called undeliverable, and that each address has one result, soon
// after the end of the context or of the verifier, whenever that comes.
func TestTogetherEndsAtAnyMoment(t *testing.T) {
	inWorlds(t, 60, true, func(t *testing.T, l *lot) {
		v, leave := l.verifier(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		end := time.Duration(l.IntN(1<<(4+l.IntN(11)))) * time.Millisecond
		allowed := error(nil)
		switch l.IntN(4) {
		case 0:
			allowed = context.Canceled
			time.AfterFunc(end, cancel)
		case 1:
			allowed = context.DeadlineExceeded
			ctx, cancel = context.WithTimeout(ctx, end)
			defer cancel()
		case 2:
			allowed = engine.ErrClosed
			time.AfterFunc(end, func() { _ = v.Close() })
		}
		began := time.Now()
		for _, o := range verifyTogether(ctx, t, v, l.addresses) {
			if o.err != nil && !errors.Is(o.err, allowed) || !o.result.Reason.Failed() != (o.err == nil) {
				t.Errorf("%s: %s, error %v, may be %v", o.result.Email, o.result.Verdict, o.err, allowed)
			}
			if strings.HasPrefix(o.result.Email, "real@") && o.result.Verdict == rcpt.VerdictUndeliverable && o.result.Details.SMTP != nil {
				t.Errorf("%s: %s\n%s", o.result.Email, o.result.Reason, transcriptOf(o.result))
			}
		}
		if took := time.Since(began); ctx.Err() != nil && took > end+200*time.Millisecond {
			t.Errorf("took %v, ended after %v", took, end)
		}
		leave()
	})
}

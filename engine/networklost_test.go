package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// cable is a DNS server that does not answer while the cable is out.
type cable struct {
	*dnstest.Server
	out atomic.Bool
}

func (c *cable) Exchange(ctx context.Context, query []byte, network, server string) ([]byte, error) {
	if c.out.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return c.Server.Exchange(ctx, query, network, server)
}

// TestResolverIsLost: a resolver that has answered, and does not any more, is
// found out by the first verification that hears nothing; one whose answers
// about one domain are missing is not.
func TestResolverIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names, network := &cable{Server: dnstest.New(realZone)}, smtptest.NewNetwork()
		names.Break(dnstest.Fault{Name: "mute.test", Kind: dnstest.Lose})
		network.Add("9.9.9.9", &smtptest.Host{CatchAll: true})
		v := checking(t, engine.Config{}, names, network)
		wantReason(t, verify(t, v, "user@alive.test"), rcpt.ReasonCatchAll)
		wantReason(t, verify(t, v, "user@mute.test"), rcpt.ReasonDNSTemporary)
		if s := v.Network(); s.Resolver.State == engine.CheckFailed {
			t.Errorf("because of one domain: %+v", s.Resolver)
		}
		time.Sleep(time.Hour)
		names.out.Store(true)
		wantReason(t, verify(t, v, "user@other.test"), rcpt.ReasonDNSTemporary)
		if s := v.Network(); s.Resolver.State != engine.CheckFailed || !s.Resolver.EverWorked {
			t.Errorf("without an answer: %+v", s.Resolver)
		}
		names.out.Store(false)
		time.Sleep(2 * time.Minute)
		if s := v.CheckNetwork(t.Context()); s.Resolver.State != engine.CheckPassed {
			t.Errorf("with answers again: %+v", s.Resolver)
		}
	})
}

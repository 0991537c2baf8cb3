package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestDeadlineOfARun checks that what a deadline cut short is no row of the
// list: nothing is said about a host that would have answered later.
func TestDeadlineOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		network.Add("192.0.2.1", &smtptest.Host{CatchAll: true, RCPTDelay: 100 * time.Millisecond})
		network.Add("192.0.2.2", &smtptest.Host{CatchAll: true, GreetingDelay: 20 * time.Second})
		v, err := engine.New(engine.Config{
			HELO: "verifier.test", Resolvers: []string{"192.0.2.53"}, Dialer: network,
			Exchanger: dnstest.New("fast.test. A 192.0.2.1\nslow.test. A 192.0.2.2\n"),
			AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer network.Close()
		defer v.Close()
		var list []string
		for i := range 300 {
			domain := "fast"
			if i >= 50 && i%2 == 0 {
				domain = "slow"
			}
			list = append(list, fmt.Sprintf("u%d@%s.test", i, domain))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
		defer cancel()
		out := &file{}
		summary, err := bulk.Run(ctx, listOf(list...), out, bulk.Options{Verifier: v})
		if !errors.Is(err, context.DeadlineExceeded) || summary.Written == 0 || summary.Written >= 300 {
			t.Errorf("%d written, error %v", summary.Written, err)
		}
		for _, r := range out.results {
			if r.Verdict != rcpt.VerdictAcceptAll {
				t.Errorf("%s: %s, %s", r.Email, r.Verdict, r.Reason)
			}
		}
	})
}

package smtpprobe_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestStats looks at a pool with one question under way and two that wait, when
// they are answered, and when the host has blocked us.
func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		network.Add("192.0.2.1", &smtptest.Host{CatchAll: true, RCPTDelay: time.Second})
		pool := newProber(t, smtpprobe.Config{MaxSessionsPerHost: 1}, network)
		var asked sync.WaitGroup
		ask := func(target string) {
			asked.Go(func() {
				_, _ = pool.Probe(t.Context(), request(smtpprobe.Request{Hosts: mx("192.0.2.1"), Target: target, Budget: time.Minute}))
			})
			synctest.Wait()
		}
		check := func(when string, want smtpprobe.Stats) {
			t.Helper()
			if diff := cmp.Diff(want, pool.Stats()); diff != "" {
				t.Errorf("%s: %s", when, diff)
			}
		}
		check("before", smtpprobe.Stats{})
		ask("first@example.test")
		ask("second@example.test")
		ask("third@example.test")
		check("busy", smtpprobe.Stats{Sessions: 1, UnderWay: 1, Waiting: 2, Hosts: 1})
		asked.Wait()
		synctest.Wait()
		check("at rest", smtpprobe.Stats{Sessions: 1, Idle: 1, Hosts: 1})
		_ = pool.Close()
		check("closed", smtpprobe.Stats{Hosts: 1})
		network.Close()
	})
}

package suite

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	list "github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/lab/bench/world"
	"github.com/rcpt/rcpt/smtpprobe/forecast"
	pacing "github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/provider"
)

// TestForecast compares what package forecast says with what a list does, in
// fake time: at the limits of a provider, and at small ones.
func TestForecast(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute of a busy machine")
	}
	const before, counted, hosts = 2 * time.Minute, 4 * time.Minute, 5
	for _, tt := range []struct {
		provider    string // empty: small ones
		delay       time.Duration
		concurrency int
	}{
		{"google", 50 * time.Millisecond, 500},
		{"google", time.Second, 500},
		{"yahoo", 50 * time.Millisecond, 500},
		{"proofpoint", 200 * time.Millisecond, 500},
		{"", 200 * time.Millisecond, 20},
	} {
		table, _ := provider.PacingOf(tt.provider)
		spec := world.Spec{
			Seed: 1, Subnet: crowdSubnet, Port: crowdPort, Delay: tt.delay, Addresses: 20_000, Domains: hosts,
			MailboxMix: world.MailboxMix{Unknown: 0.1},
			Operator:   world.Operator{SessionsPerClient: 100, Complaints: 1 << 30, BlocksFor: time.Minute},
		}
		h := forecast.Hosts{Provider: table, Networks: hosts, Open: 3 * tt.delay, Reply: tt.delay, Refused: 0.1}
		if tt.provider == "" {
			spec.Domains, spec.Operator = spec.Addresses, world.Operator{}
			h.Networks, h.Domain, h.Open = 0, 1, 5*tt.delay // two for the DNS
		}
		said := forecast.Of(h, forecast.Process{Sessions: 1000, Concurrency: tt.concurrency}, before, counted)
		synctest.Test(t, func(t *testing.T) {
			limits := pacing.Settings{}.WithDefaults().Rules(table).Limits
			did := newFormIn(t, limits, spec).rate(t, tt.concurrency, before, counted)
			t.Logf("%q: %.0f addresses a minute, and the forecast was %.0f", tt.provider, did, said.Addresses)
			if math.Abs(did/said.Addresses-1) > 0.05 {
				t.Errorf("%q: %.0f addresses a minute, and the forecast was %.0f", tt.provider, did, said.Addresses)
			}
		})
	}
}

// rate is how many addresses of the list are answered in a minute.
func (f *formWorld) rate(t *testing.T, concurrency int, before, counted time.Duration) float64 {
	ctx, cancel := context.WithCancel(t.Context())
	var listed sync.WaitGroup
	var done counting
	listed.Go(func() {
		_, _ = list.Run(ctx, listOf(f.spec), &done, list.Options{
			Verifier: f.verifier, Concurrency: concurrency, Unordered: true, Trim: rcpt.Result.WithoutDetails,
		})
	})
	time.Sleep(before)
	first := done.n.Load()
	time.Sleep(counted)
	n := done.n.Load() - first
	cancel()
	listed.Wait()
	if err := f.verifier.Close(); err != nil {
		t.Error(err)
	}
	f.place.Close()
	return float64(n) / counted.Minutes()
}

// counting is a sink that counts.
type counting struct{ n atomic.Int64 }

func (c *counting) Flush(context.Context) error { return nil }

func (c *counting) Write(context.Context, list.Item, rcpt.Result) error {
	c.n.Add(1)
	return nil
}

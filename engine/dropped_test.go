package engine_test

import (
	"math"
	"net/netip"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestDropped checks that a Verifier that nobody has closed costs nothing once
// it is dropped: programs make one for each request.
func TestDropped(t *testing.T) {
	const verifiers, mostOctets = 300, 300_000
	for _, tt := range []struct {
		name, address string
		config        engine.Config
	}{
		{"not used", "", engine.Config{}},
		{"no address", "jane@", engine.Config{MaxRemembered: 10_000}},
		{"no such domain", "jane@none.test", engine.Config{}},
		{"the DNS alone", "jane@example.test", engine.Config{Level: engine.LevelDNS, MaxRemembered: 10_000}},
		{"a host that answers", "jane@example.test", engine.Config{}},
		{"and is remembered", "jane@example.test", engine.Config{MaxRemembered: 10_000}},
		{"and a network that is checked", "jane@example.test", engine.Config{NetworkCheck: engine.NetworkCheckOn}},
		{"a list in the DNS", "jane@example.test", engine.Config{RHSBLs: []string{"dbl.test"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dropVerifiers(t, 1, tt.config, tt.address) // tables are read once
			_, octets := inUse(math.MaxInt, math.MaxInt64)
			if asked := dropVerifiers(t, verifiers, tt.config, tt.address); asked > 0 {
				return // the fake host remembers what it was told
			}
			if _, now := inUse(0, octets+mostOctets); now > octets+mostOctets {
				t.Errorf("%d octets more, want %d at most", now-octets, mostOctets)
			}
		})
	}
}

// TestDroppedInABubble: the garbage collector, which is in no bubble, may drop
// a Verifier that was made in one, and whose sessions have ended.
func TestDroppedInABubble(t *testing.T) {
	for _, check := range []engine.NetworkCheck{engine.NetworkCheckOff, engine.NetworkCheckOn} {
		synctest.Test(t, func(t *testing.T) {
			network := smtptest.NewNetwork()
			defer network.Close()
			network.Add("192.0.2.1", &smtptest.Host{})
			v, err := engine.New(engine.Config{
				Exchanger: dnstest.New(oneHostZone), Dialer: network, Resolvers: []string{"192.0.2.53"}, MaxRemembered: 10,
				AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, NetworkCheck: check,
			})
			if err != nil {
				t.Fatal(err)
			}
			v.CheckNetwork(t.Context())
			for _, address := range []string{"jane@example.test", "jane@none.test"} {
				if _, err := v.Verify(t.Context(), address); err != nil {
					t.Error(err)
				}
			}
			time.Sleep(time.Minute)
			runtime.KeepAlive(v)
		})
		inUse(0, 0)
	}
}

// dropVerifiers makes Verifiers one after the other, each for one address, in a
// world of its own, and closes none. It checks that no goroutine is left, and
// returns how many sessions there were.
func dropVerifiers(t *testing.T, n int, config engine.Config, address string) (asked int) {
	t.Helper()
	network := smtptest.NewNetwork()
	defer network.Close()
	network.Add("192.0.2.1", &smtptest.Host{})
	config.Exchanger, config.Dialer = dnstest.New(oneHostZone), network
	config.Resolvers = []string{"192.0.2.53"}
	config.AllowNets = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	want := rcpt.VerdictUndeliverable
	if config.Level == engine.LevelDNS && address == "jane@example.test" {
		want = rcpt.VerdictUnknown
	}
	goroutines := runtime.NumGoroutine()
	for range n {
		v, err := engine.New(config)
		if err != nil {
			t.Fatal(err)
		}
		if address == "" {
			continue
		}
		if result, err := v.Verify(t.Context(), address); err != nil || result.Verdict != want {
			t.Fatalf("%s, %s, %v", result.Verdict, result.Reason, err)
		}
	}
	if now, _ := inUse(goroutines, math.MaxInt64); now > goroutines {
		t.Errorf("%d goroutines more:\n%s", now-goroutines, stacks())
	}
	return len(network.Dials())
}

// inUse collects garbage until no more than so many goroutines and octets are
// in use, and some times at most. It returns how many there are.
func inUse(goroutines int, octets int64) (nowGoroutines int, nowOctets int64) {
	var m runtime.MemStats
	for range 60 {
		runtime.GC()
		runtime.ReadMemStats(&m)
		nowGoroutines, nowOctets = runtime.NumGoroutine(), int64(m.HeapAlloc)
		if nowGoroutines <= goroutines && nowOctets <= octets {
			break
		}
	}
	return nowGoroutines, nowOctets
}

func stacks() []byte {
	all := make([]byte, 1<<16)
	return all[:runtime.Stack(all, true)]
}

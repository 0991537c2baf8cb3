package engine_test

import (
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// hostsOf is a zone in which example.test has so many mail hosts, all at the
// same few addresses.
func hostsOf(n int) string {
	var zone strings.Builder
	for i := range n {
		fmt.Fprintf(&zone, "example.test. MX %d mx%d.example.test.\nmx%d.example.test. A 192.0.2.%d\n", i, i, i, 1+i)
	}
	return zone.String()
}

// TestNothingOutlivesTheTimeout: whatever is slow, and however many ask, each
// answer is there in time, without an error, and so is the end of the verifier.
func TestNothingOutlivesTheTimeout(t *testing.T) {
	const (
		timeout = 10 * time.Second
		grace   = 100 * time.Millisecond
		closing = 4 * time.Second // QUIT has three
		callers = 20
	)
	dripping := smtptest.HandlerFunc(func(c net.Conn) {
		defer c.Close()
		for _, octet := range []byte("220 mx.example.test" + strings.Repeat(".", 1000)) {
			if _, err := c.Write([]byte{octet}); err != nil {
				return
			}
			time.Sleep(2 * time.Second)
		}
	})
	for name, tt := range map[string]struct {
		zone  string // default: one mail host
		fault *dnstest.Fault
		rhsbl bool
		host  smtptest.Handler
		also  rcpt.Verdict // that may be told, beside unknown
	}{
		"DNS is silent":              {fault: &dnstest.Fault{Kind: dnstest.Lose}},
		"DNS is silent on addresses": {fault: &dnstest.Fault{Type: "A", Kind: dnstest.Lose}},
		"DNS is slow":                {zone: hostsOf(5), fault: &dnstest.Fault{Delay: 2900 * time.Millisecond}, also: rcpt.VerdictUndeliverable},
		"a list is silent":           {rhsbl: true, fault: &dnstest.Fault{Name: "example.test.dbl.test", Kind: dnstest.Lose}, also: rcpt.VerdictUndeliverable},
		"greeting drips":             {host: dripping},
		"greeting drips everywhere":  {zone: hostsOf(5), host: dripping},
		"greeting":                   {host: &smtptest.Host{Greeting: smtptest.Hangs}},
		"EHLO":                       {host: &smtptest.Host{EHLO: smtptest.Hangs}},
		"STARTTLS":                   {host: &smtptest.Host{STARTTLS: smtptest.Hangs}, also: rcpt.VerdictUndeliverable},
		"handshake":                  {host: &smtptest.Host{STARTTLS: smtptest.TLSStalls, MAIL: smtptest.Hangs}},
		"MAIL":                       {host: &smtptest.Host{MAIL: smtptest.Hangs}},
		"RCPT":                       {host: &smtptest.Host{RCPT: smtptest.Hangs}},
		"every reply is late":        {zone: hostsOf(5), host: &smtptest.Host{GreetingDelay: 4 * time.Second, ReplyDelay: 4 * time.Second}},
		"RCPT is a tarpit":           {host: &smtptest.Host{RCPTDelay: 9 * time.Second}, also: rcpt.VerdictUndeliverable}, // the host knows no mailbox
		"QUIT":                       {host: &smtptest.Host{QUIT: smtptest.Hangs}, also: rcpt.VerdictUndeliverable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				zone := dnstest.New(oneHostZone)
				if tt.zone != "" {
					zone = dnstest.New(tt.zone)
				}
				if tt.fault != nil {
					zone.Break(*tt.fault)
				}
				config := engine.Config{Exchanger: zone, Timeout: timeout}
				if tt.rhsbl {
					config.RHSBLs = []string{"dbl.test"}
				}
				host := tt.host
				if host == nil {
					host = &smtptest.Host{}
				}
				verifier, network, _ := inMemory(t, config, host)
				for i := range 5 {
					network.Add(fmt.Sprintf("192.0.2.%d", 1+i), host)
				}
				var all sync.WaitGroup
				for i := range callers {
					all.Go(func() {
						began := time.Now()
						result, err := verifier.Verify(t.Context(), fmt.Sprintf("user%d@example.test", i))
						if took := time.Since(began); took > timeout+grace {
							t.Errorf("took %v", took)
						}
						if err != nil || result.Verdict != rcpt.VerdictUnknown && result.Verdict != tt.also {
							t.Errorf("%s (%s), error %v", result.Verdict, result.Reason, err)
						}
					})
				}
				all.Wait()
				began := time.Now()
				if err := verifier.Close(); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took > closing {
					t.Errorf("closing took %v", took)
				}
			})
		})
	}
}

// TestGoroutinesAreBounded: a verification is worth two goroutines, its
// caller's and that of its session, whatever its mail host does; they end with
// it.
func TestGoroutinesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const callers, more = 250, 30
		var zone strings.Builder
		for i := range callers {
			fmt.Fprintf(&zone, "d%d.test. MX 10 mx.d%d.test.\nmx.d%d.test. A 192.0.2.%d\n", i, i, i, 1+i)
		}
		verifier, network, _ := inMemory(t, engine.Config{Exchanger: dnstest.New(zone.String()), MaxSessions: 10}, &smtptest.Host{})
		for i := range callers {
			network.Blackhole(fmt.Sprintf("192.0.2.%d", 1+i))
		}
		before := runtime.NumGoroutine()
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() { _, _ = verifier.Verify(t.Context(), fmt.Sprintf("user@d%d.test", i)) })
		}
		synctest.Wait()
		if n := runtime.NumGoroutine() - before; n < callers || n > 2*callers+more {
			t.Errorf("%d goroutines for %d verifications", n, callers)
		}
		all.Wait()
		time.Sleep(time.Minute)
		if n := runtime.NumGoroutine() - before; n > more {
			t.Errorf("%d goroutines are left", n)
		}
	})
}

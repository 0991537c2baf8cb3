package bulk_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestListAtAClosedPort: a list that is begun while port 25 is closed has its
// answers once it opens, whether the run waits for the network or asks again;
// and hardly a connection is tried meanwhile.
func TestListAtAClosedPort(t *testing.T) {
	const sites, closedFor = 200, 10 * time.Minute
	for _, tt := range []struct {
		name  string
		waits bool
		after time.Duration // that the port was opened
		tried int           // 203 hosts before the first check is over, and the connections beside
	}{
		{"the run asks again", false, 10 * time.Minute, 700},
		{"it waits for the network", true, 2 * time.Minute, 300},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				zone, network, ips, list := new(strings.Builder), smtptest.NewNetwork(), []string{}, []string{}
				domains := []string{"gmail.com", "outlook.com", "yahoo.com"}
				for n := range sites {
					domains = append(domains, fmt.Sprintf("site%d.test", n))
				}
				for n, domain := range domains {
					ips = append(ips, fmt.Sprintf("9.9.7.%d", n))
					fmt.Fprintf(zone, "%s. MX 10 mx.%s.\nmx.%s. A %s\n", domain, domain, domain, ips[n])
					network.Blackhole(ips[n])
					list = append(list, "user@"+domain)
				}
				defer network.Close()
				verifier, err := engine.New(engine.Config{
					HELO: "verifier.test", Resolvers: []string{"192.0.2.53"}, Exchanger: dnstest.New(zone.String()),
					Dialer: network, NetworkCheck: engine.NetworkCheckOn, CheckDomains: domains[:3],
				})
				if err != nil {
					t.Fatal(err)
				}
				defer verifier.Close()
				tried := 0
				time.AfterFunc(closedFor, func() {
					tried = len(network.Dials())
					for _, ip := range ips {
						network.Add(ip, &smtptest.Host{CatchAll: true})
					}
				})
				options := bulk.Options{Verifier: verifier, RetryWindow: 20 * time.Minute}
				if tt.waits {
					options.Offline = func() bool { return verifier.Network().Port.State == engine.CheckFailed }
				}
				started := time.Now()
				summary, err := bulk.Run(t.Context(), listOf(list...), &file{}, options)
				if err != nil || summary.Verdicts[rcpt.VerdictAcceptAll] != int64(len(list)) {
					t.Errorf("%v, %v", summary.Verdicts, err)
				}
				if took := time.Since(started) - closedFor; took > tt.after {
					t.Errorf("it took %v after the port was opened", took)
				}
				if tried > tt.tried {
					t.Errorf("%d connections were tried while the port was closed", tried)
				}
			})
		})
	}
}

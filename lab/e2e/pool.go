//go:build e2e && linux

package e2e

import (
	"fmt"
	"strings"
	"time"
)

// hostGroup are Postfix hosts of one provider, each in a network of its own,
// 127.7.N.0/24: the network decides which egress asks.
type hostGroup struct {
	provider    string
	first, last int
	greylists   bool
}

var (
	poolHosts = hostGroup{provider: "pool.example", first: 1, last: 30}
	greyHosts = hostGroup{provider: "greypool.example", first: 31, last: 42, greylists: true}
)

// refusedEgress is the address that the hosts do not greet.
const refusedEgress = "127.0.114.1"

// postgreyDelay is how long a client must wait after postgrey deferred it.
const postgreyDelay = 2 * time.Second

// domain is one whose mail goes to host n: main.cf has such domains.
func (g hostGroup) domain(n int) string { return fmt.Sprintf("local.pool%d.pfs.example", n) }

func (g hostGroup) host(n int) string { return fmt.Sprintf("mx%d.%s", n, g.provider) }

func (g hostGroup) ip(n int) string { return fmt.Sprintf("127.7.%d.25", n) }

// zone is what the hosts add to example.zone.
func (g hostGroup) zone() string {
	var b strings.Builder
	for n := g.first; n <= g.last; n++ {
		fmt.Fprintf(&b, "%s. MX 10 %s.\n%s. A %s\n", g.domain(n), g.host(n), g.host(n), g.ip(n))
	}
	return b.String()
}

// master is what they add to master.cf.
func (g hostGroup) master() string {
	settings := "  -o smtpd_delay_reject=no\n" +
		"  -o { smtpd_client_restrictions = check_client_access inline:{{" +
		refusedEgress + "=554 5.7.1 Client host blocked}} }\n"
	if g.greylists {
		settings = "  -o { smtpd_recipient_restrictions = check_policy_service inet:127.0.0.1:10023 }\n"
	}
	var b strings.Builder
	for n := g.first; n <= g.last; n++ {
		fmt.Fprintf(&b, "%s:smtp inet n - n - - smtpd\n  -o myhostname=%s\n%s", g.ip(n), g.host(n), settings)
	}
	return b.String()
}

package engine_test

import (
	"context"
	"fmt"
	"log"
	"net/netip"
	"net/url"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// Where port 25 is closed, mail hosts are contacted through SOCKS5 proxies. A
// proxy that fails is a fault of our own, so the address is unknown with a
// reason that an alert can watch.
func ExampleConfig_proxies() {
	// The proxy's side of the world: a mail host, and the proxy itself, which
	// is in a private network.
	mail := smtptest.NewNetwork()
	mail.Add("192.0.2.1", &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}})
	mail.Add("10.0.0.9:1080", &smtptest.Proxy{Dialer: mail, Username: "ours", Password: "secret"})
	dns := dnstest.New("example.org. MX 10 mx.example.org.\nmx.example.org. A 192.0.2.1\n")

	proxy, err := url.Parse("socks5://ours:secret@10.0.0.9:1080")
	if err != nil {
		log.Fatal(err)
	}
	verify := func() {
		verifier, err := engine.New(engine.Config{
			Proxies:   []*url.URL{proxy},
			Exchanger: dns, Dialer: mail, AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
		})
		if err != nil {
			log.Fatal(err)
		}
		defer verifier.Close()
		result, err := verifier.Verify(context.Background(), "alice@example.org")
		fmt.Println(result.Verdict, result.Reason, err)
	}
	verify()
	mail.Unreachable("10.0.0.9:1080") // the proxy goes down
	verify()
	// Output:
	// deliverable recipient_accepted <nil>
	// unknown egress_failed <nil>
}

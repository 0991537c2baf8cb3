package rcpt_test

import (
	"context"
	"fmt"
	"log"
	"net/netip"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// Without Exchanger, Dialer and AllowNets, which here replace the network by
// fakes, the Verifier asks the real DNS and mail hosts.
func Example() {
	mail := smtptest.NewNetwork()
	mail.Add("192.0.2.1", &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}})
	verifier, err := engine.New(engine.Config{
		HELO:      "verifier.example.com",
		Exchanger: dnstest.New("example.org. MX 10 mx.example.org.\nmx.example.org. A 192.0.2.1\n"),
		Dialer:    mail, AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()

	for _, address := range []string{"alice@example.org", "alcie@example.org", "alice@example"} {
		result, err := verifier.Verify(context.Background(), address)
		if err != nil {
			log.Fatal(err) // the verification could not be carried out
		}
		switch result.Verdict {
		case rcpt.VerdictDeliverable:
			fmt.Println(address, "can receive mail")
		case rcpt.VerdictUndeliverable:
			fmt.Println(address, "cannot:", result.Message)
		default: // accept-all, unknown
			fmt.Println(address, result.Verdict, "because of", result.Reason)
		}
	}
	// Output:
	// alice@example.org can receive mail
	// alcie@example.org cannot: The mail host says that the mailbox does not exist.
	// alice@example unknown because of unsupported_address
}

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/netip"
	"slices"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// fakes are one domain and its mail host, for examples that must not use the
// network. In tests, package enginetest makes them.
func fakes() engine.Config {
	mail := smtptest.NewNetwork()
	mail.Add("192.0.2.1", &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}})
	return engine.Config{
		Exchanger: dnstest.New("example.org. MX 10 mx.example.org.\nmx.example.org. A 192.0.2.1\n"), Dialer: mail,
		AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
	}
}

// A sign-up form lets visitors wait for three seconds. If a slow host takes
// longer, the visitor is let in, the verification goes on, and its result is
// there for the next look.
func ExampleVerifier_VerifyWith() {
	config := fakes()
	config.MaxRemembered = 10_000
	verifier, err := engine.New(config)
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()

	patience := engine.VerifyOptions{Timeout: 3 * time.Second, Detach: true}
	result, err := verifier.VerifyWith(context.Background(), "alcie@example.org", patience)
	switch {
	case errors.Is(err, engine.ErrNotYet):
		fmt.Println("Welcome! We will tell you if mail to you fails.")
	case err == nil && result.Verdict == rcpt.VerdictUndeliverable:
		fmt.Println("Please check your address:", result.Message)
	default:
		fmt.Println("Welcome!")
	}
	// Output:
	// Please check your address: The mail host says that the mailbox does not exist.
}

// Addresses of a domain are verified together, which costs its mail host less.
// Outcomes come as they are known.
func ExampleVerifier_VerifyAll() {
	verifier, err := engine.New(fakes())
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()

	addresses := []string{"alice@example.org", "bob@example.org", "carol@example.net"}
	lines := make([]string, len(addresses))
	for i, o := range verifier.VerifyAll(context.Background(), addresses, engine.VerifyOptions{}) {
		if o.Err != nil {
			log.Print(o.Err)
			continue
		}
		lines[i] = fmt.Sprintln(o.Result.Email, o.Result.Verdict, o.Result.Reason)
	}
	fmt.Print(lines[0], lines[1], lines[2])
	// Output:
	// alice@example.org deliverable recipient_accepted
	// bob@example.org undeliverable mailbox_not_found
	// carol@example.net undeliverable domain_not_found
}

// A nightly job checks the users again and ends in the morning, whatever is
// left. Users whose mail hosts were asked have an answer. The others have an
// error, and come first in the next night.
func ExampleVerifier_VerifyAll_nightly() {
	config := fakes()
	config.Dialer.(*smtptest.Network).Add("192.0.2.2", &smtptest.Host{GreetingDelay: time.Hour}) // a host that takes its time
	config.Exchanger.(*dnstest.Server).Add("slow.example. MX 10 mx.slow.example.\nmx.slow.example. A 192.0.2.2\n")
	verifier, err := engine.New(config)
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()

	night, morning := context.WithCancel(context.Background()) // in the program: context.WithDeadline
	defer morning()
	users := []string{"alice@example.org", "bob@slow.example", "carol@example.org", "dan@slow.example"}
	answers, due := make(map[string]rcpt.Result), []string(nil)
	for i, o := range verifier.VerifyAll(night, users, engine.VerifyOptions{}) {
		if o.Err != nil {
			due = append(due, users[i])
			continue
		}
		if answers[users[i]] = o.Result; len(answers) == 2 {
			morning() // the deadline, while two users wait for the slow host
		}
	}
	slices.Sort(due)
	fmt.Println(answers["alice@example.org"].Verdict, answers["carol@example.org"].Verdict, "next:", due)
	// Output:
	// deliverable undeliverable next: [bob@slow.example dan@slow.example]
}

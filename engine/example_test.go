package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/netip"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

func Example() {
	verifier, err := engine.New(engine.Config{HELO: "verifier.example.com"})
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()

	result, err := verifier.Verify(context.Background(), "postmaster@example.com")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Verdict, result.Reason, result.Message)
}

// A sign-up form that embeds the engine is tested without a network: the form
// gets a verifier whose DNS and mail hosts are fakes.
func Example_testing() {
	mail := smtptest.NewNetwork()
	mail.Add("192.0.2.1", &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}})
	dns := dnstest.New("example.org. MX 10 mx.example.org.\nmx.example.org. A 192.0.2.1\n")
	verifier, _ := engine.New(engine.Config{Exchanger: dns, Dialer: mail,
		AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}})
	defer verifier.Close()

	signUp := func(email string) string {
		result, err := verifier.Verify(context.Background(), email)
		if err == nil && result.Verdict == engine.Undeliverable {
			return "Please check your address: " + result.Message
		}
		return "Welcome!"
	}
	fmt.Println(signUp("alice@example.org"))
	fmt.Println(signUp("alcie@example.org"))
	// Output:
	// Welcome!
	// Please check your address: The mail host says that the mailbox does not exist.
}

// What was learned about an address can be stored and judged again by other
// rules: here by one for a host with its own words for people who have left.
func ExampleDecide() {
	mail := smtptest.NewNetwork()
	mail.Add("192.0.2.1", &smtptest.Host{Unknown: "550 5.0.0 no longer with us"})
	dns := dnstest.New("example.org. MX 10 mx.example.org.\nmx.example.org. A 192.0.2.1\n")
	test := netip.MustParsePrefix("192.0.2.0/24")
	verifier, _ := engine.New(engine.Config{Exchanger: dns, Dialer: mail, AllowNets: []netip.Prefix{test}})
	defer verifier.Close()

	evidence, err := verifier.Gather(context.Background(), "bob@example.org")
	if err != nil {
		log.Fatal(err)
	}
	stored, _ := json.Marshal(evidence)

	var again engine.Evidence
	if err := json.Unmarshal(stored, &again); err != nil {
		log.Fatal(err)
	}
	rules, err := replies.NewClassifier(replies.RuleFile{Name: "ours.yaml", Data: []byte(`
rules:
  - id: left
    class: disabled
    host: [example.org]
    text: [no longer with us]
    sample: ["550 5.0.0 no longer with us"]
`)})
	if err != nil {
		log.Fatal(err)
	}
	policy := engine.Policy{AllowNets: []netip.Prefix{test}}
	before := engine.Decide(again, policy)
	policy.Classifier = rules
	after := engine.Decide(again, policy)
	fmt.Println(before.Verdict, before.Details.Reason)
	fmt.Println(after.Verdict, after.Details.Reason)
	// Output:
	// unknown ambiguous_refusal
	// undeliverable mailbox_disabled
}

package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/netip"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/lists"
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

// What was gathered about an address can be stored, whichever method gathered
// it, and judged again when a rule has changed: here for a host with words of
// its own for a mailbox that is gone.
func ExampleDecide() {
	mail := smtptest.NewNetwork()
	mail.Add("192.0.2.1", &smtptest.Host{Unknown: "550 5.0.0 no longer with us"})
	dns := dnstest.New("example.org. MX 10 mx.example.org.\nmx.example.org. A 192.0.2.1\n")
	var stored []byte
	verifier, err := engine.New(engine.Config{
		Hooks: engine.Hooks{Gathered: func(_ context.Context, e engine.Evidence) {
			stored, _ = json.Marshal(e)
		}},
		Exchanger: dns, Dialer: mail, AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()
	before, err := verifier.Verify(context.Background(), "bob@example.org")
	if err != nil {
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
	var evidence engine.Evidence
	if err := json.Unmarshal(stored, &evidence); err != nil {
		log.Fatal(err) // a later version has written it, for example
	}
	policy := verifier.Policy()
	policy.Classifier = rules
	after := engine.Decide(evidence, policy)
	fmt.Println(before.Verdict, before.Reason)
	fmt.Println(after.Verdict, after.Reason)
	// Output:
	// unknown ambiguous_refusal
	// undeliverable mailbox_disabled
}

// Lists of the program's own are added to the embedded ones, and replaced while
// the Verifier works.
func ExampleVerifier_SetLists() {
	verifier, err := engine.New(engine.Config{Level: engine.LevelSyntax}) // no network
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()

	check := func(address string) {
		result, err := verifier.Verify(context.Background(), address)
		fmt.Println(address, result.Disposable, err)
	}
	check("alice@throwaway.example")
	ours, err := lists.New(lists.Domains(lists.KindDisposable, "ours", "throwaway.example"))
	if err != nil {
		log.Fatal(err)
	}
	verifier.SetLists(ours)
	check("alice@throwaway.example")
	// Output:
	// alice@throwaway.example false <nil>
	// alice@throwaway.example true <nil>
}

// People write more than the address into a form. The view cleans what they
// write; the sessions and caches are those of the Verifier.
func ExampleVerifier_With() {
	verifier, err := engine.New(engine.Config{Level: engine.LevelSyntax}) // no network
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()

	forms := verifier.With(engine.VerifyOptions{Clean: true})
	for _, text := range []string{"Jane <jane@example.com>", "jane@example.com, joe@example.com", "N/A"} {
		result, err := forms.Verify(context.Background(), text)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%q: %q %s\n", text, result.Email, result.Verdict)
	}
	// Output:
	// "Jane <jane@example.com>": "jane@example.com" unknown
	// "jane@example.com, joe@example.com": "jane@example.com, joe@example.com" unknown
	// "N/A": "N/A" unknown
}

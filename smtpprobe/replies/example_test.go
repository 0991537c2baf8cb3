package replies_test

import (
	"fmt"
	"log"

	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// A rule of the program's own is tried before the embedded ones. Its samples
// are checked: if one of them is read by another rule, there is no classifier.
func ExampleNewClassifier() {
	classifier, err := replies.NewClassifier(replies.RuleFile{Name: "ours.yaml", Data: []byte(`
rules:
  - id: left the company
    class: disabled
    host: [mail.example.net]         # hosts in this domain only
    text: [no longer with us]
    sample: ["550 5.0.0 alice is no longer with us"]
`)})
	if err != nil {
		log.Fatal(err)
	}
	reply := smtp.Reply{Code: 550, Enhanced: "5.0.0", Lines: []string{"bob is no longer with us"}}
	for _, host := range []string{"mx1.mail.example.net", "mx.example.com"} {
		read := classifier.Read(replies.Input{Phase: smtp.PhaseRCPT, Reply: reply, Host: host, Mailbox: "bob@example.org"})
		fmt.Printf("%s: %s by rule %q\n", host, read.Class, read.Rule)
	}
	// Output:
	// mx1.mail.example.net: disabled by rule "left the company"
	// mx.example.com: ambiguous by rule "code-5yz"
}

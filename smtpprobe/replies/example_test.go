package replies_test

import (
	"fmt"
	"log"
	"strings"

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

// A program reads the bounces of its messages. Postfix writes what the mail
// host said, and to which command.
func ExampleClassifier_Read_bounces() {
	phases := map[string]smtp.Phase{"MAIL FROM": smtp.PhaseMAIL, "RCPT TO": smtp.PhaseRCPT, "end of DATA": smtp.PhaseDATA}
	for _, said := range []string{
		"550 5.1.1 <jane@acme.example>: User unknown (in reply to RCPT TO command)",
		"552 5.2.2 <jane@acme.example>: Over quota (in reply to RCPT TO command)",
		"550 5.1.1 User unknown (in reply to end of DATA command)",
		"550 5.7.1 Refused by the DMARC policy of shop.example (in reply to end of DATA command)",
	} {
		text, command, _ := strings.Cut(said, " (in reply to ")
		phase, ok := phases[strings.TrimSuffix(command, " command)")]
		if !ok {
			phase = smtp.PhaseDATA // which proves least
		}
		reply, err := smtp.ParseReply(text)
		if err != nil {
			log.Fatal(err)
		}
		q := replies.Input{Phase: phase, Reply: reply, Host: "mx.acme.example", Mailbox: "jane@acme.example", Sender: "news@shop.example"}
		switch class := replies.DefaultClassifier().Read(q).Class; {
		case class.Dead():
			fmt.Println("remove the address:", class)
		case class == replies.ClassBlocked:
			cause, _ := replies.Remedy(q)
			fmt.Println("mend what we send:", cause)
		default:
			fmt.Println("keep the address:", class)
		}
	}
	// Output:
	// remove the address: no_such_user
	// keep the address: mailbox_full
	// keep the address: ambiguous
	// mend what we send: The policy of the domain in the From field (DMARC) forbids the message, since neither SPF nor DKIM speaks for that domain.
}
